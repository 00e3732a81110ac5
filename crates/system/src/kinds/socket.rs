//! What lies between a root port and memory: an I/O hub, and the link to another socket.

use crate::kinds::HostParams;
use pcie::Time;

impl HostParams {
    /// True where the memory of DMA buffers belongs to another socket than the root port with these settings.
    pub fn is_far(&self) -> bool {
        self.socket != self.memory_socket
    }

    /// From the root port with these settings to its socket.
    pub fn hub_way(&self) -> Time {
        if self.hub { self.hub_latency } else { Time::ZERO }
    }

    /// From the root port with these settings to the memory of DMA buffers.
    pub fn memory_way(&self) -> Time {
        self.hub_way() + if self.is_far() { self.socket_latency } else { Time::ZERO }
    }

    /// From the root port with these settings to the root port with those of `other`, beside `p2p_latency`.
    pub fn peer_way(&self, other: &HostParams) -> Time {
        let between = if self.socket == other.socket { Time::ZERO } else { self.socket_latency };
        self.hub_way() + between + other.hub_way()
    }
}
