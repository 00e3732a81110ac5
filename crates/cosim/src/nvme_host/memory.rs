//! The memory port at the user's side: one for all instances, which serves a burst at a time, in the order of asking.

use pcie::Time;
use storage::nvme_host::NvmeHostParams;

/// Bytes between a stream and the port: what may have been asked of the port and not moved at the stream, for each stream. More than a
/// memory controller's latency at the rate of a link of four lanes.
pub(super) const BETWEEN_BYTES: u64 = 4096;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryPort {
    /// Bytes of a burst, how long the port is busy with one, and from there to the data of a read.
    pub burst: u64,
    each: Time,
    reads: Time,
    free: Time,
}

impl MemoryPort {
    /// The port that `params` describe.
    pub fn new(params: &NvmeHostParams) -> MemoryPort {
        MemoryPort {
            burst: params.burst.0.max(1),
            each: params.burst_time(),
            reads: params.read_time(),
            free: Time::ZERO,
        }
    }

    fn serve(&mut self, now: Time) -> Time {
        self.free = self.free.max(now) + self.each;
        self.free
    }

    /// When a burst that is given at `now` has been written.
    pub fn write(&mut self, now: Time) -> Time {
        self.serve(now)
    }

    /// When the data of a burst that is asked for at `now` is there.
    pub fn read(&mut self, now: Time) -> Time {
        self.serve(now) + self.reads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_the_port_pass_a_burst_after_another_and_no_more() {
        let params = NvmeHostParams::default();
        let mut port = MemoryPort::new(&params);
        // 128 B at 64 B a cycle, and one cycle lost, at 250 MHz.
        assert_eq!(port.write(Time::ZERO), Time::from_ns(12));
        assert_eq!(port.write(Time::ZERO), Time::from_ns(24));
        assert_eq!(port.read(Time::from_ns(100)), Time::from_ns(100 + 12 + 60 * 4));
        assert_eq!(port.write(Time::from_ns(100)), Time::from_ns(124), "a read's latency holds nobody up");
    }
}
