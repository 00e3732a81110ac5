//! The window in which all flows are active: how long it has to be, and what is said where there is none.

use pcie::tlp::REQUEST_BOUNDARY_BYTES;
use pcie::{Bytes, Time};
use system::Flow;
use system::kinds::host::LINE_BYTES;
use system::loopback::Halves;

/// When all flows of a run were active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredWindow {
    /// Every flow had warmed up.
    pub opened: Time,
    /// The first flow was at its end; where the flows went on beyond their volumes, every flow had moved enough.
    pub closed: Time,
    /// True where flows went on beyond their volumes so that all of them were active long enough.
    pub prolonged: bool,
}

/// A flow that moves so little beside the others that no window has enough of it: no flow of the run has a `stream`
/// rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no common window: {flow} starves ({why})")]
pub struct Starved {
    /// Its name.
    pub flow: String,
    /// How that shows.
    pub why: Starvation,
}

/// How it shows that a flow starves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Starvation {
    /// The others went on and on.
    #[error("{delivered} of it arrived in {time}, and {others} of the others")]
    Outrun {
        /// What arrived of it.
        delivered: Bytes,
        /// What arrived of all others.
        others: Bytes,
        /// Since the start of the run.
        time: Time,
    },
    /// Another one could not go on.
    #[error("{delivered} of it arrived until `{ended}` ended, whose real bytes go no further")]
    Ended {
        /// What arrived of it.
        delivered: Bytes,
        /// Which.
        ended: String,
    },
    /// Nothing moves any more while the flows go on.
    #[error("{delivered} of it arrived, and nothing moves any more")]
    Stuck {
        /// What arrived of it.
        delivered: Bytes,
    },
    /// The run was cut off.
    #[error("{delivered} of it arrived until the run was interrupted")]
    Interrupted {
        /// What arrived of it.
        delivered: Bytes,
    },
}

/// What a flow has to move, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// Before the window opens.
    pub warm: u64,
    /// While it is open.
    pub enough: u64,
}

/// The share of a flow's volume that passes before the window opens.
const WARM_UP: u64 = 10;
/// The share of its volume that passes while the window is open.
const PART: u64 = 2;

/// The largest piece that a flow comes in, bytes: what passes at once at either end of the window makes no difference
/// to the rate where the window holds many of them.
fn piece(flow: &Flow) -> u64 {
    let most = match (flow.operation.is_pio(), flow.operation.is_read()) {
        (true, true) => WORD_BYTES,
        (true, false) => LINE_BYTES,
        (false, _) => REQUEST_BOUNDARY_BYTES,
    };
    flow.command.0.clamp(1, most)
}

/// What a CPU loads at once, mostly.
const WORD_BYTES: u64 = 8;

/// Commands each of which ends with a wait: a CPU's calls follow one another.
fn commands(flow: &Flow) -> u64 {
    if flow.operation.is_pio() { 0 } else { COMMANDS * flow.command.0.max(1) }
}

/// So many pieces are enough, however large the volume is: an edge is then 0.4 % of the window at most.
const PIECES: u64 = 256;
/// The same of commands, each of which ends with a wait.
const COMMANDS: u64 = 8;
/// However small the volume is, so many pieces are to pass.
const LEAST_PIECES: u64 = 16;

impl Need {
    /// Of a flow that ends with its volume.
    pub fn within(flow: &Flow) -> Need {
        let volume = flow.whole_volume().0;
        Need { warm: (volume / WARM_UP).max(1), enough: (volume / PART).min(plenty(flow)).max(1) }
    }

    /// Of a flow that goes on.
    pub fn beyond(flow: &Flow) -> Need {
        let volume = flow.whole_volume().0;
        let least = (LEAST_PIECES * piece(flow)).max(commands(flow).min(volume));
        Need {
            warm: (volume / WARM_UP).clamp(piece(flow), PIECES * piece(flow)),
            enough: (volume / PART).clamp(least, plenty(flow)),
        }
    }
}

fn plenty(flow: &Flow) -> u64 {
    (PIECES * piece(flow)).max(commands(flow))
}

/// What `of` says of the flow of each half.
pub(crate) fn needs(flows: &[Flow], halves: &Halves, of: fn(&Flow) -> Need) -> Vec<Need> {
    halves.whole.iter().map(|&flow| of(&flows[flow])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Drive, Operation, PartId};

    fn flow(command: u64, volume: u64) -> Flow {
        Flow {
            name: "a".into(),
            operation: Operation::DmaWrite,
            initiator: PartId(1),
            target: PartId(0),
            command: Bytes(command),
            volume: Bytes(volume),
            drive: Drive::Card,
            fed_by: None,
        }
    }

    #[test]
    fn how_much_of_a_flow_is_enough() {
        assert_eq!(Need::within(&flow(4096, 64 << 10)), Need { warm: 6553, enough: 32 << 10 });
        assert_eq!(Need::within(&flow(4096, 1 << 30)).enough, 1 << 20, "256 requests of 4 KiB");
        assert_eq!(Need::within(&flow(8 << 20, 1 << 30)).enough, 64 << 20, "eight commands");
        assert_eq!(Need::beyond(&flow(64, 64)), Need { warm: 64, enough: 16 * 64 }, "one TLP, again and again");
        assert_eq!(Need::beyond(&flow(1 << 20, 1 << 20)).enough, 1 << 20, "a command, again");
    }
}
