//! The software of devices: what its threads do, and the memory and messages that these are given. The host that it runs on
//! is in `parts`, and unknown here.

pub(crate) mod driver;
pub(crate) mod message;
pub(crate) mod resources;
pub(crate) mod store;
