//! Where a flow's payload lies in the address space of its target, and which bytes belong there.

use system::{Scenario, Window};

/// A flow's buffer: offsets wrap around in it.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    window: Window,
}

impl Region {
    /// `window` starts on a page and holds at least one.
    pub fn new(window: Window) -> Region {
        Region { window }
    }

    /// Where the byte at `offset` of the flow lies.
    pub fn address(&self, offset: u64) -> u64 {
        self.window.base + offset % self.window.bytes
    }
}

/// The first flow of the chain that ends in flow `number`.
pub(crate) fn origin(scenario: &Scenario, number: usize) -> usize {
    let before = |&flow: &usize| scenario.flows.get(flow)?.fed_by.filter(|&from| from < scenario.flows.len());
    std::iter::successors(Some(number), before).take(scenario.flows.len()).last().unwrap_or(number)
}

/// The byte at `offset` of `flow`: told apart by position and by flow (a multiplicative hash).
pub(crate) fn byte_at(flow: u32, offset: u64) -> u8 {
    let mixed = (offset ^ (flow as u64) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as u8
}

/// `bytes` bytes of `flow` from `offset` on.
pub(crate) fn bytes_at(flow: u32, offset: u64, bytes: u64) -> Box<[u8]> {
    (offset..offset + bytes).map(|at| byte_at(flow, at)).collect()
}
