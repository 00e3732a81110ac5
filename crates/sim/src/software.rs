//! What runs on a host's CPUs, a thread for each flow: command loops, PIO, drivers that crates above bring, and the memory
//! that these see. It sends TLPs by the fabric; the host that it runs on is in `parts`, and unknown here.

pub(crate) mod buffers;
pub(crate) mod pio;
pub(crate) mod store;
pub(crate) mod thread;
