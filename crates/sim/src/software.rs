//! The software of devices: the actions of its threads, and the memory and messages that it is given. It does not
//! depend on the host that runs it, which is in `parts`.

pub(crate) mod driver;
pub(crate) mod message;
pub(crate) mod resources;
pub(crate) mod store;
