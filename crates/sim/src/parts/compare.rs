//! Payload that is at its end beside what its flow sent.

use crate::engine::tlp::Use;
use crate::link::fabric::Fabric;

/// Compares payload bytes, where they travel, with what the flow sent.
pub(crate) fn compare(fabric: &mut Fabric, place: u32) {
    let tlp = &fabric.tlps[place];
    if let Some(data) = tlp.data.as_ref().filter(|_| matches!(tlp.used, Use::Payload | Use::Store)) {
        fabric.flows.compare(tlp.flow, tlp.offset, data);
    }
}
