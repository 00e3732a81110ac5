//! Which things may be changed, and to what.

use system::Field;
use system::kinds::card::TagBits;

/// The next number of tags that the standard defines.
pub(crate) fn more_tags(tags: u64) -> Option<u64> {
    [TagBits::Five, TagBits::Eight, TagBits::Ten, TagBits::Fourteen].map(TagBits::tags).into_iter().find(|&n| n > tags)
}

/// True for fields that the search does not change: mechanisms of the standard, values that are settled into other
/// figures ([`crate::cause::Thing::Mps`], [`crate::cause::Thing::Tags`]), and values that select another build of compiled gateware.
pub(crate) fn is_left_alone(field: &Field, compiled: bool) -> bool {
    const SETTLED: [&str; 7] =
        ["mps", "tag_bits", "completer_tag_bits", "clock_slow", "skp_interval", "gateware", "design"];
    const BUILD: [&str; 3] = ["core_width", "read_requests", "completion_buffer"];
    field.nature == system::Nature::Mechanism
        || SETTLED.contains(&field.name)
        || (compiled && BUILD.contains(&field.name))
}
