//! The content of descriptions and catalogue entries as written: settings with their origins, parts, links, ranges of
//! ports, and the paths of overrides. `description` combines them into a machine.

pub(crate) mod index;
pub(crate) mod link;
pub(crate) mod setting;
pub(crate) mod spec;
pub(crate) mod which;
pub(crate) mod write;
