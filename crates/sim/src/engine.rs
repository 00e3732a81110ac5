//! The part of a run that is the same for every machine: the event queue, TLPs in flight, accounts of flows, and
//! tracing. It depends on no link and no part.

pub(crate) mod answer;
pub(crate) mod by_flow;
pub(crate) mod faults;
pub(crate) mod fifo;
pub(crate) mod flows;
pub(crate) mod latencies;
pub(crate) mod numbering;
pub(crate) mod placed;
pub(crate) mod queue;
pub(crate) mod refusal;
pub(crate) mod region;
pub(crate) mod tlp;
pub mod trace;
pub(crate) mod window;
