//! What every part at an end of the fabric does.

use crate::link::fabric::{Fabric, Sent};

/// A part: TLPs in and out, and wake-ups.
pub(crate) trait Part {
    /// The last symbol of a TLP is here. Its place is the part's to give back.
    fn receive(&mut self, fabric: &mut Fabric, tlp: u32);
    /// A wake-up that the part asked for.
    fn wake(&mut self, fabric: &mut Fabric, token: u32);
    /// A TLP with `notify` starts to leave.
    fn sent(&mut self, fabric: &mut Fabric, sent: Sent);
    /// The run begins.
    fn start(&mut self, fabric: &mut Fabric);
}
