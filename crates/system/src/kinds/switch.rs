//! A switch: one upstream port, several downstream ports, and the path between them. A chipset connected by DMI is
//! modelled as a switch whose upstream port is the DMI link.

use crate::cause::Wait;
use crate::field::Cap;
use pcie::{Bytes, Rate, Time};

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
    /// The path through a switch.
    ///
    /// The first symbol of a TLP arrives at `t0` and its last at `t1`. Its egress link needs `d` for it. It may start
    /// there at `max(t0 + latency, t1 - d)` with cut-through, and at `t1 + latency` with store-and-forward.
    /// It holds its ingress credits until its last symbol has left. Each egress port serves its ingress ports in turn,
    /// one TLP each. Ordering rules apply between TLPs of one ingress port.
    ///
    /// `latency_cycles` are cycles of the clock that a datapath of `core_width` needs for what the link of the ingress
    /// port carries (after 8b/10b; without 128b/130b), in addition to `latency`.
    pub struct SwitchParams {
        /// From the first symbol in to the first symbol out, nothing in the way.
        latency: Time = Time::from_ns(150),
        /// The same in cycles of a clock that follows the link of the ingress port, which come on top.
        latency_cycles: u64 = 0; less,
        /// Bytes a cycle of the datapath behind a port; `infinite` where no latency is stated in cycles.
        core_width: Cap<Bytes> = Cap::NONE; more,
        /// When a TLP may leave.
        forwarding: Forwarding = Forwarding::CutThrough; word("cut-through"),
        /// Payload that one downstream port passes in each direction, whatever its link could.
        port_cap: Cap<Rate> = Cap::NONE; port waits(&[Wait::Memory, Wait::Arbitration, Wait::Credits]),
        /// The same for each wired lane of a downstream port.
        lane_cap: Cap<Rate> = Cap::NONE; port waits(&[Wait::Memory, Wait::Arbitration, Wait::Credits]),
    }
}
