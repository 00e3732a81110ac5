//! Where the flows lie in host memory.

use pcie::tlp::FOUR_GIB;
use system::Window;
use system::kinds::HostParams;

/// Bytes of host memory that one flow goes through, and how many such buffers there are.
const BUFFER_BYTES: u64 = 16 << 20;
const BUFFERS: u64 = 64;
/// Where buffers below 4 GiB begin.
const LOW_MEMORY: u64 = 1 << 28;
/// A flow's descriptor ring within its buffer.
pub(crate) const RING_OFFSET: u64 = 8 << 20;
pub(crate) const RING_BYTES: u64 = 64 << 10;

/// Host memory of a flow: its data, and behind that its rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Of the application.
    pub data: Window,
    /// Descriptors that the card fetches.
    pub ring: Window,
    /// Records that the card writes.
    pub records: Window,
}

/// Where flow `number` lies in host memory.
pub(crate) fn buffer(params: &HostParams, number: usize) -> Window {
    let base = if params.memory_above_4g { FOUR_GIB } else { LOW_MEMORY };
    Window { base: base + (number as u64 % BUFFERS) * BUFFER_BYTES, bytes: BUFFER_BYTES }
}

/// The parts of that buffer, where its bytes are real: the data lies before the rings and does not come back over them.
pub(crate) fn buffers(params: &HostParams, number: usize) -> Buffers {
    let Window { base, .. } = buffer(params, number);
    Buffers {
        data: Window { base, bytes: RING_OFFSET },
        ring: Window { base: base + RING_OFFSET, bytes: RING_BYTES },
        records: Window { base: base + RING_OFFSET + RING_BYTES, bytes: RING_BYTES },
    }
}
