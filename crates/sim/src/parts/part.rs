//! The trait that every part implements.

use crate::parts::context::PartContext;
use crate::parts::traffic::{Arrived, Sent};

/// A part with behaviour of its own.
pub trait Part {
    /// The run begins.
    fn start(&mut self, context: &mut PartContext<'_>);
    /// The last symbol of a TLP is here. Its credits are the part's to give back.
    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived);
    /// A wake-up that the part asked for.
    fn wake(&mut self, context: &mut PartContext<'_>, token: u32);
    /// A TLP with [`Leaving::tell`] starts to leave.
    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent);
    /// Queues at the transmitter of a port, one or more: what waits in several takes turns, TLP by TLP. Asked once, before
    /// the run.
    fn queues(&self, port: usize) -> u32 {
        let _ = port;
        1
    }
}
