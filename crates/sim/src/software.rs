//! What runs on a host's CPUs: PIO, the software of devices that crates above bring, and the memory and messages that
//! these are given. It sends TLPs by the fabric; the host that it runs on is in `parts`, and unknown here.

pub(crate) mod driver;
pub(crate) mod pio;
pub(crate) mod resources;
pub(crate) mod store;
pub(crate) mod thread;
