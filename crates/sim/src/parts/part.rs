//! The trait that every part implements.

use crate::parts::context::PartContext;
use crate::parts::traffic::{Arrived, Sent};

/// An endpoint or a root complex in a run.
///
/// The contract on order, credits, clock and payload is in [`parts`](crate::parts). An implementation must free the
/// credits of every TLP that it receives, must name in each TLP a flow of the scenario, and must report the end of each
/// flow that it drives ([`PartContext::ended`]). It may keep any state of its own, and must not depend on wall-clock
/// time or on a random source without a seed: the same scenario has to give the same run. A breach that the simulation
/// can see ends the run with the name of the part.
pub trait Part {
    /// Called once, at the start of the run.
    fn start(&mut self, context: &mut PartContext<'_>);
    /// The last symbol of a TLP has arrived. The part has to free its credits, now or later.
    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived);
    /// A wake-up that the part asked for by [`PartContext::wake`]. Wake-ups cannot be withdrawn: a part ignores those
    /// that it no longer needs.
    fn wake(&mut self, context: &mut PartContext<'_>, token: u32);
    /// A TLP with [`Leaving::tell`](crate::parts::Leaving::tell) starts to leave.
    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent);
    /// How many queues the part has at a port, at least one. Queues of a port take turns, TLP by TLP. Called once for
    /// each port, before the run.
    fn queues(&self, port: usize) -> u32 {
        let _ = port;
        1
    }
}
