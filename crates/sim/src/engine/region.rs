//! The addresses and the contents of a flow's payload.

use system::{Scenario, Window};

/// The buffer of a flow. Offsets beyond its end wrap around.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    window: Window,
}

impl Region {
    /// `window` starts at a page and has at least one page.
    pub fn new(window: Window) -> Region {
        Region { window }
    }

    /// The address of the byte at `offset` of the flow.
    pub fn address(&self, offset: u64) -> u64 {
        self.window.base + offset % self.window.bytes
    }
}

/// The first flow of the chain that flow `number` belongs to.
pub(crate) fn origin(scenario: &Scenario, number: usize) -> usize {
    let before = |&flow: &usize| scenario.flows.get(flow)?.fed_by.filter(|&from| from < scenario.flows.len());
    std::iter::successors(Some(number), before).take(scenario.flows.len()).last().unwrap_or(number)
}

/// The byte at `offset` of `flow`: a multiplicative hash of flow and offset, so that misplaced bytes are seen.
pub(crate) fn byte_at(flow: u32, offset: u64) -> u8 {
    let mixed = (offset ^ (flow as u64) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as u8
}

/// `bytes` bytes of `flow` from `offset` on.
pub(crate) fn bytes_at(flow: u32, offset: u64, bytes: u64) -> Box<[u8]> {
    (offset..offset + bytes).map(|at| byte_at(flow, at)).collect()
}
