//! What descriptions and catalogue entries are written of: settings with their origins, parts, links, ranges of ports, and the
//! paths that overrides name. Nothing of it is put together here.

pub(crate) mod index;
pub(crate) mod link;
pub(crate) mod setting;
pub(crate) mod spec;
pub(crate) mod which;
pub(crate) mod write;
