//! The window in which all flows are active: how long it must be, and the errors where there is none.

use pcie::tlp::REQUEST_BOUNDARY_BYTES;
use pcie::{Bytes, Time};
use system::kinds::host::LINE_BYTES;
use system::loopback::Halves;
use system::{Flow, Scenario};

/// The time in which all flows of a run were active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredWindow {
    /// When the last flow had warmed up.
    pub opened: Time,
    /// When the first flow ended; for a run with extended flows, when every flow had moved enough.
    pub closed: Time,
    /// True where the flows were extended beyond their volumes to make the window long enough.
    pub prolonged: bool,
}

/// A flow so slow that no window contains enough of it. Then no flow of the run has a `stream` rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no common window: {flow} starves ({why})")]
pub struct Starved {
    /// Name of the flow.
    pub flow: String,
    /// The evidence.
    pub why: Starvation,
}

/// How a starving flow was detected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Starvation {
    /// The other flows moved far more.
    #[error("{delivered} of it arrived in {time}, and {others} of the others")]
    Outrun {
        /// Bytes of the flow.
        delivered: Bytes,
        /// Bytes of all other flows.
        others: Bytes,
        /// Since the start of the run.
        time: Time,
    },
    /// Another flow could not be extended.
    #[error("{delivered} of it arrived until `{ended}` ended, whose real bytes go no further")]
    Ended {
        /// Bytes of the flow.
        delivered: Bytes,
        /// The flow that ended.
        ended: String,
    },
    /// Nothing moves any more, although flows are to continue.
    #[error("{delivered} of it arrived, and nothing moves any more")]
    Stuck {
        /// Bytes of the flow.
        delivered: Bytes,
    },
    /// The run was interrupted.
    #[error("{delivered} of it arrived until the run was interrupted")]
    Interrupted {
        /// Bytes of the flow.
        delivered: Bytes,
    },
}

/// What a flow has to move for the window, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// Before the window opens.
    pub warm: u64,
    /// While the window is open.
    pub enough: u64,
}

/// The window opens after one part in this many of a flow's volume.
const WARM_UP: u64 = 10;
/// One part in this many of a flow's volume is enough for the window.
const PART: u64 = 2;

/// The unit in which a flow progresses on links, bytes. A window of many units hardly depends on where its edges are.
fn piece(flow: &Flow) -> u64 {
    let most = match (flow.operation.is_pio(), flow.operation.is_read()) {
        (true, true) => WORD_BYTES,
        (true, false) => LINE_BYTES,
        (false, _) => REQUEST_BOUNDARY_BYTES,
    };
    flow.command.0.clamp(1, most)
}

/// Bytes of a typical CPU load.
const WORD_BYTES: u64 = 8;

/// Bytes of the commands that are enough for the window; zero for PIO, whose calls follow one another without a wait.
fn commands(flow: &Flow) -> u64 {
    if flow.operation.is_pio() { 0 } else { COMMANDS * flow.command.0.max(1) }
}

/// This many units are enough for any volume: an edge is then at most 0.4 % of the window.
const PIECES: u64 = 256;
/// This many commands are enough, where each ends with a wait.
const COMMANDS: u64 = 8;
/// At least this many units, for any volume.
const LEAST_PIECES: u64 = 16;

/// `bytes` of a flow before its window. A drive moves the data of a command at the rate of its interface and then waits
/// for its media, and takes all that is in its queues at once: a window that opens within a command counts more commands
/// than waits. It opens when all commands that are in flight together have moved once.
fn whole_commands(flow: &Flow, bytes: u64) -> u64 {
    if !flow.operation.is_queued() {
        return bytes;
    }
    let command = flow.command.0.max(1);
    bytes.div_ceil(command).saturating_mul(command)
}

/// What the initiator says of its own progress with a flow, for which links have no measure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own {
    /// The unit in which it moves on.
    pub grain: Bytes,
    /// What it may have at once beyond its commands: a window that opened with that would count it.
    pub ready: Bytes,
}

/// Bytes of all commands that a drive has at once and of what it has read ahead, as far as a run waits for them; zero for other
/// flows.
fn in_flight(flow: &Flow, own: Own) -> u64 {
    let bytes = flow.work.in_flight().saturating_mul(flow.command.0).saturating_add(own.ready.0);
    if flow.operation.is_queued() { bytes.min(MOST_IN_FLIGHT) } else { 0 }
}

/// At least this many units in which a drive moves on: an edge is then at most 1.6 % of the window.
const GRAINS: u64 = 64;

/// What is in flight is not waited for beyond one part in this many of the volume.
const FEW: u64 = 4;
/// What is in flight moves this many times in the window: dies that work in step deliver in rounds.
const ROUNDS: u64 = 4;
/// More than this is not waited for.
const MOST_IN_FLIGHT: u64 = 16 << 20;

impl Need {
    /// For a flow that ends with its volume.
    pub fn within(flow: &Flow, own: Own) -> Need {
        let volume = flow.whole_volume().0;
        // A volume of a few rounds is not all spent before the window; one that is in flight at once has no window.
        let in_flight = in_flight(flow, own);
        let in_flight = if in_flight > volume / PART { in_flight } else { in_flight.min(volume / FEW) };
        let warm = whole_commands(flow, (volume / WARM_UP).max(in_flight).max(1));
        Need { warm, enough: (volume / PART).min(plenty(flow)).max(GRAINS * own.grain.0).max(1) }
    }

    /// For an extended flow.
    pub fn beyond(flow: &Flow, own: Own) -> Need {
        let volume = flow.whole_volume().0;
        let rounds = (ROUNDS * in_flight(flow, own)).max(GRAINS * own.grain.0);
        let least = (LEAST_PIECES * piece(flow)).max(commands(flow).min(volume)).max(rounds);
        Need {
            warm: whole_commands(
                flow,
                (volume / WARM_UP).clamp(piece(flow), PIECES * piece(flow)).max(in_flight(flow, own)),
            ),
            enough: whole_commands(flow, (volume / PART).clamp(least, plenty(flow).max(least))),
        }
    }
}

impl Need {
    /// One part in `warm` of it before the window, and one part in `enough` in it.
    pub fn part(self, warm: u64, enough: u64) -> Need {
        Need { warm: (self.warm / warm.max(1)).max(1), enough: (self.enough / enough.max(1)).max(1) }
    }
}

fn plenty(flow: &Flow) -> u64 {
    (PIECES * piece(flow)).max(commands(flow))
}

/// The needs of the flow of each half of `scenario`, as `of` computes them.
pub(crate) fn needs(scenario: &Scenario, halves: &Halves, of: fn(&Flow, Own) -> Need) -> Vec<Need> {
    let need = |flow: &Flow| {
        let (kind, demand) = (&scenario.system.part(flow.initiator).kind, flow.demand());
        of(flow, Own { grain: kind.grain(&demand), ready: kind.ready(&demand) })
    };
    halves.whole.iter().map(|&flow| need(&scenario.flows[flow])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Operation, PartId};

    fn flow(command: u64, volume: u64) -> Flow {
        let ends = (PartId(1), PartId(0));
        Flow::of_card("a", Operation::DmaWrite, ends, (Bytes(command), Bytes(volume)))
    }

    #[test]
    fn how_much_of_a_flow_is_enough() {
        assert_eq!(Need::within(&flow(4096, 64 << 10), Own::default()), Need { warm: 6553, enough: 32 << 10 });
        assert_eq!(Need::within(&flow(4096, 1 << 30), Own::default()).enough, 1 << 20, "256 requests of 4 KiB");
        assert_eq!(Need::within(&flow(8 << 20, 1 << 30), Own::default()).enough, 64 << 20, "eight commands");
        assert_eq!(
            Need::beyond(&flow(64, 64), Own::default()),
            Need { warm: 64, enough: 16 * 64 },
            "one TLP, again and again"
        );
        assert_eq!(Need::beyond(&flow(1 << 20, 1 << 20), Own::default()).enough, 1 << 20, "a command, again");
    }
}
