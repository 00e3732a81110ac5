//! What every run has, whatever its machine: events in the order of their times, TLPs on their way, what the flows have
//! done so far, and what is told to who looks on. It knows no link and no part.

pub(crate) mod answer;
pub(crate) mod by_flow;
pub(crate) mod fifo;
pub(crate) mod flows;
pub(crate) mod latencies;
pub(crate) mod numbering;
pub(crate) mod queue;
pub(crate) mod refusal;
pub(crate) mod region;
pub(crate) mod tlp;
pub mod trace;
pub(crate) mod window;
