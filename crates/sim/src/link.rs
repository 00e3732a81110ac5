//! The fabric: the links, by direction (wire, credits, replay buffer, DLLPs owed, transmitter and its sources), and the
//! switches between them. It does not depend on the parts at its ends, which are in `parts`.

pub(crate) mod account;
pub(crate) mod cap;
pub(crate) mod direction;
pub(crate) mod dllp;
pub(crate) mod fabric;
pub(crate) mod meter;
pub(crate) mod owed;
pub(crate) mod source;
pub(crate) mod switch;
pub(crate) mod transmit;
pub(crate) mod wire;
