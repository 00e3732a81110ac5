//! The fabric: links, direction by direction (wire, credits, replay buffer, DLLPs owed, transmitter and the sources that
//! feed it), and the switches between them. What sits at its ends is in `parts`, and unknown here.

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
