//! A switch: one upstream port, several downstream ports, and what a TLP goes through between them. A chipset
//! behind DMI is one too: its upstream port is the DMI link.

use crate::field::Cap;
use pcie::{Rate, Time};

crate::words! {
    /// When a TLP may leave.
    pub enum Forwarding {
        /// As soon as its header is decoded and it cannot run dry.
        CutThrough = "cut-through",
        /// When it is whole.
        StoreAndForward = "store-and-forward",
    }
}

crate::params! {
    /// The inside of a switch.
    ///
    /// A TLP whose first symbol arrives at `t0` and whose last at `t1` may start on its egress link, whose rate
    /// gives it `d` of wire time, at `max(t0 + latency, t1 + latency - d)` when cutting through, at
    /// `t1 + latency` when storing. It holds its ingress credits until its last symbol has left. Each egress
    /// port serves its ingress ports in turn, a TLP each; ordering rules hold between TLPs of one ingress.
    pub struct SwitchParams {
        /// From the first symbol in to the first symbol out, nothing in the way.
        latency: Time = Time::from_ns(150),
        /// When a TLP may leave.
        forwarding: Forwarding = Forwarding::CutThrough,
        /// Payload that one downstream port passes in each direction, whatever its link could.
        port_cap: Cap<Rate> = Cap::NONE; port,
        /// The same for each wired lane of a downstream port.
        lane_cap: Cap<Rate> = Cap::NONE; port,
    }
}
