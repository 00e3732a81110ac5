//! One direction of a link, from the view of its transmitter.

use crate::link::account::{CreditPool, Replay};
use crate::link::meter::Meter;
use crate::link::owed::{Due, Owed};
use crate::link::source::Sources;
use crate::link::wire::Wire;
use pcie::{Framing, Shape, Time};
use system::Passing;
use system::Wait;

/// One direction of a link: its transmitter, and the DLLPs that its port owes the other end.
pub(crate) struct Direction {
    pub wire: Wire,
    /// What the link adds to TLPs.
    pub framing: Framing,
    pub alignment: u64,
    pub dllp_alignment: u64,
    pub propagation: Time,
    /// The receiving part.
    pub to: u32,
    pub pools: [CreditPool; 3],
    pub replay: Replay,
    pub owed: Owed,
    pub sources: Sources,
    /// Payload rate that the port can pass in this direction, bytes per second.
    pub cap: Option<Passing>,
    pub meter: Meter,
    pub cap_free: Time,
    pub next_owed: (Time, Due),
    /// By class: since when a waiting TLP has lacked credits.
    pub dry_since: [Time; 3],
    /// By class: the data credits that were not available. TLPs that need as many are not tried again before an
    /// UpdateFC arrives.
    pub dry_need: [u32; 3],
    /// When credits will be found missing, as far as is known now. Until then, `dry_since` of these classes is in the
    /// future.
    pub foreseen_at: Time,
    pub foreseen: [bool; 3],
    /// Since when a waiting TLP has lacked room in the replay buffer.
    pub full_since: Time,
    /// When its next transmit event is due, and its next DLLP event.
    pub armed_at: Time,
    pub dllp_armed_at: Time,
}

/// The arguments of [`Direction::new`].
pub(crate) struct DirectionParts {
    pub wire: Wire,
    /// What the link adds to TLPs.
    pub framing: Framing,
    pub alignment: u64,
    pub dllp_alignment: u64,
    pub propagation: Time,
    pub to: u32,
    pub pools: [CreditPool; 3],
    pub replay: Replay,
    pub owed: Owed,
    pub cap: Option<Passing>,
    pub meter: Meter,
}

impl Direction {
    pub fn new(parts: DirectionParts) -> Direction {
        let DirectionParts {
            wire,
            framing,
            alignment,
            dllp_alignment,
            propagation,
            to,
            pools,
            replay,
            owed,
            cap,
            meter,
        } = parts;
        let mut direction = Direction {
            wire,
            framing,
            alignment,
            dllp_alignment,
            propagation,
            to,
            pools,
            replay,
            owed,
            cap,
            meter,
            sources: Sources::default(),
            cap_free: Time::ZERO,
            next_owed: (Time::NEVER, Due::Ack),
            dry_since: [Time::NEVER; 3],
            dry_need: [u32::MAX; 3],
            foreseen_at: Time::ZERO,
            foreseen: [false; 3],
            full_since: Time::NEVER,
            armed_at: Time::NEVER,
            dllp_armed_at: Time::NEVER,
        };
        direction.next_owed = direction.owed.next(direction.dry_since);
        direction
    }

    /// Notes which classes lack credits for waiting TLPs, and whether the replay buffer lacks room; `all` where all
    /// waiting TLPs were examined. Returns since when each class had lacked credits that no longer does.
    pub fn note_waits(&mut self, dry: [u32; 3], full: bool, all: bool, now: Time) -> [Time; 3] {
        let mut ended = [Time::NEVER; 3];
        for (class, need) in dry.into_iter().enumerate() {
            if need != u32::MAX {
                self.dry_since[class] = self.dry_since[class].min(now);
                self.dry_need[class] = need;
            } else if all {
                ended[class] = std::mem::replace(&mut self.dry_since[class], Time::NEVER);
            }
        }
        if full {
            self.full_since = self.full_since.min(now);
        } else if all {
            self.full_since = Time::NEVER;
        }
        ended
    }

    /// Notes that waiting TLPs will lack credits at `at`, `dry` by class. False where more than that would change by
    /// then.
    pub fn foresee(&mut self, dry: [u32; 3], at: Time) -> bool {
        let other = |class: usize| dry[class] == u32::MAX && self.dry_since[class] != Time::NEVER;
        if self.full_since != Time::NEVER || (0..3).any(other) {
            return false;
        }
        self.foreseen_at = at;
        for (class, need) in dry.into_iter().enumerate() {
            self.foreseen[class] = need != u32::MAX && self.dry_since[class] == Time::NEVER;
            if self.foreseen[class] {
                self.dry_since[class] = at;
            }
            if need != u32::MAX {
                self.dry_need[class] = need;
            }
        }
        true
    }

    /// Withdraws what [`Direction::foresee`] noted.
    pub fn unforesee(&mut self) {
        self.foreseen_at = Time::ZERO;
        for (class, foreseen) in std::mem::take(&mut self.foreseen).into_iter().enumerate() {
            if foreseen {
                self.dry_since[class] = Time::NEVER;
            }
        }
    }

    /// Wire time of a TLP.
    pub fn duration(&self, shape: Shape) -> Time {
        self.wire.duration(self.framing.tlp_bytes(shape))
    }

    /// When both wire and port are free.
    pub fn open_at(&self) -> Time {
        self.wire.free_at().max(self.cap_free)
    }

    /// True where a TLP waits for credits or for the replay buffer.
    pub fn waits(&self) -> bool {
        self.full_since != Time::NEVER || self.dry_since != [Time::NEVER; 3]
    }

    /// Its meter as of `now`.
    pub fn metered(&mut self, now: Time) -> Meter {
        let wait = match self.full_since {
            _ if self.dry_since.iter().any(|&since| since <= now) => Wait::Credits,
            Time::NEVER => Wait::Nothing,
            _ => Wait::Replay,
        };
        self.meter.as_of(now, self.wire.until(now), wait)
    }
}
