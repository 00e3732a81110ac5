//! Sizes that all drives have in common.

/// Bytes of a logical block.
pub(crate) const BLOCK_BYTES: u64 = 512;
/// Bytes of a page of memory.
pub(crate) const PAGE_BYTES: u64 = 4096;
