//! Host memory as writes see it: one server, first come, first served.

use pcie::Time;
use system::kinds::HostParams;
use system::kinds::host::{PAGE_BYTES, lines};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    free: Time,
    /// By flow: the page that it wrote last.
    pages: Vec<u64>,
}

impl Memory {
    pub fn new(flows: usize) -> Memory {
        Memory { free: Time::ZERO, pages: vec![u64::MAX; flows] }
    }

    /// When all writes that have arrived are served.
    pub fn free(&self) -> Time {
        self.free
    }

    /// When a write that arrives at `now` has been served.
    pub fn write(&mut self, params: &HostParams, now: Time, flow: u32, address: u64, bytes: u64) -> Time {
        let (whole, partial) = lines(address, bytes);
        let page = (address + bytes - 1) / PAGE_BYTES.0;
        let entered = std::mem::replace(&mut self.pages[flow as usize], page) != page;
        let mut service = params.write_service + params.line_service * whole;
        if partial {
            service += params.partial_line_service;
        }
        if entered {
            service += params.page_service;
        }
        self.free = self.free.max(now) + service;
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params() -> HostParams {
        HostParams {
            line_service: Time::from_ns(7),
            partial_line_service: Time::from_ns(35),
            page_service: Time::from_ns(100),
            ..HostParams::default()
        }
    }

    #[test]
    fn what_does_a_write_cost_memory() {
        let mut memory = Memory::new(2);
        let params = params();
        let mut at = |flow, address, bytes| {
            let now = memory.free;
            memory.write(&params, now, flow, address, bytes) - now
        };
        assert_eq!(at(0, 0, 128), Time::from_ns(114), "two lines, another page");
        assert_eq!(at(0, 128, 128), Time::from_ns(14), "two lines");
        assert_eq!(at(0, 256, 32), Time::from_ns(35), "half a line");
        assert_eq!(at(1, 4096, 64), Time::from_ns(107), "the other flow's page is its own");
        assert_eq!(at(0, 288, 64), Time::from_ns(35), "two halves go to memory together");
    }
}
