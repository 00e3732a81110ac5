//! The things that may limit a flow.

use system::graph::Direction;
use system::kinds::card::TagBits;
use system::{Field, PartId, PortId};

/// One thing that could be faster, larger or shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    /// The rate of one direction of a link, or of several that are alike.
    Ways(Vec<Direction>),
    /// A field of one part, or of several that are alike.
    Figure {
        /// The parts.
        parts: Vec<PartId>,
        /// The name of the field.
        field: &'static str,
    },
    /// A field that a port sets for itself.
    Port {
        /// The port.
        port: PortId,
        /// The name of the field.
        field: &'static str,
    },
    /// Max_Payload_Size of all parts.
    Mps,
    /// Max_Read_Request_Size of a part, if it limits the request size and the part's own request size does not.
    Mrrs(PartId),
    /// The tags that a part may use, if they limit its requests in flight and its own number of requests does not.
    Tags(PartId),
}

/// The next number of tags that the standard defines.
pub(crate) fn more_tags(tags: u64) -> Option<u64> {
    [TagBits::Five, TagBits::Eight, TagBits::Ten, TagBits::Fourteen].map(TagBits::tags).into_iter().find(|&n| n > tags)
}

/// True for fields that the search does not change: mechanisms of the standard, values that are settled into other
/// figures ([`Thing::Mps`], [`Thing::Tags`]), and values that select another build of compiled gateware.
pub(crate) fn is_left_alone(field: &Field, compiled: bool) -> bool {
    const SETTLED: [&str; 7] =
        ["mps", "tag_bits", "completer_tag_bits", "clock_slow", "skp_interval", "gateware", "design"];
    const BUILD: [&str; 3] = ["core_width", "read_requests", "completion_buffer"];
    field.nature == system::Nature::Mechanism
        || SETTLED.contains(&field.name)
        || (compiled && BUILD.contains(&field.name))
}
