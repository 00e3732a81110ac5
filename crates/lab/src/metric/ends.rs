//! Where the payload of a flow starts and ends, and how much of it a TLP carries.

use system::kinds::host::LINE_BYTES;
use system::{Flow, PartId, System};

/// The parts where the payload of a flow starts and ends.
pub fn payload_ends(flow: &Flow) -> (PartId, PartId) {
    if flow.operation.is_read() { (flow.target, flow.initiator) } else { (flow.initiator, flow.target) }
}

/// The largest payload of one of the flow's TLPs, as sent by the part where the payload starts.
pub(crate) fn payload(system: &System, flow: &Flow) -> u64 {
    let (from, to) = payload_ends(flow);
    let mps = system.mps_towards(from, to).bytes();
    let initiator = &system.part(flow.initiator).kind;
    match (initiator.host(), initiator.engine()) {
        (Some(host), _) if flow.operation.is_read() => host.pio_read_bytes.0.min(mps),
        (Some(_), _) => LINE_BYTES.min(mps),
        (None, Some(_)) if !flow.operation.is_read() => system.part(flow.initiator).write_bytes(),
        (None, _) => mps,
    }
}
