//! The memory of blocks, place by place.

use crate::pattern::{Pattern, Places};

/// Memory that O_DIRECT takes: whole pages.
#[derive(Clone)]
#[repr(C, align(4096))]
pub(crate) struct Page(pub [u8; PAGE]);

pub(crate) const PAGE: usize = 4096;

/// So many places of whole pages, and how many pages a place has.
pub(crate) fn places(depth: u32, block: u64) -> (Vec<Page>, usize) {
    let of_block = (block as usize).div_ceil(PAGE);
    (vec![Page([0; PAGE]); of_block * depth as usize], of_block)
}

/// Fills them with what no drive can make shorter: random bytes, by a seed.
pub(crate) fn fill(pages: &mut [Page], seed: u64) {
    let mut random = Places::new(Pattern::Random, 1, (0, u64::MAX), seed);
    let words = pages.iter_mut().flat_map(|page| page.0.chunks_exact_mut(8));
    words.for_each(|word| word.copy_from_slice(&random.next().to_le_bytes()));
}
