//! Which block of a drive is read next.

/// The order of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One after another, from the start, and again.
    Sequential,
    /// Any, each as often.
    Random,
}

impl Pattern {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Pattern::Sequential => "sequential",
            Pattern::Random => "random",
        }
    }

    /// The pattern of that name.
    pub fn from_word(word: &str) -> Option<Pattern> {
        [Pattern::Sequential, Pattern::Random].into_iter().find(|pattern| pattern.word() == word)
    }
}

/// The places of the blocks of one drive.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pattern: Pattern,
    block: u64,
    from: u64,
    count: u64,
    next: u64,
    state: u64,
}

impl Places {
    /// The places of blocks of `block` from one byte of a drive up to another. A `seed` gives one order of random ones.
    pub fn new(pattern: Pattern, block: u64, (from, to): (u64, u64), seed: u64) -> Places {
        let count = (to.saturating_sub(from) / block.max(1)).max(1);
        Places { pattern, block, from, count, next: 0, state: seed }
    }

    /// The first byte of the next block.
    pub fn next(&mut self) -> u64 {
        let number = match self.pattern {
            Pattern::Sequential => {
                let number = self.next;
                self.next = (number + 1) % self.count;
                number
            }
            Pattern::Random => ((u128::from(self.random()) * u128::from(self.count)) >> 64) as u64,
        };
        self.from + number * self.block
    }

    /// SplitMix64 (Steele, Lea, Flood, 2014).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn do_blocks_in_order_begin_again_at_the_end() {
        let mut places = Places::new(Pattern::Sequential, 4096, (0, 3 * 4096 + 17), 0);
        assert_eq!((0..4).map(|_| places.next()).collect::<Vec<_>>(), [0, 4096, 8192, 0]);
        let mut later = Places::new(Pattern::Sequential, 4096, (8192, 4 * 4096), 0);
        assert_eq!((0..3).map(|_| later.next()).collect::<Vec<_>>(), [8192, 12288, 8192]);
    }

    #[test]
    fn are_random_blocks_all_over_the_drive_and_whole() {
        let mut places = Places::new(Pattern::Random, 4096, (0, 1000 * 4096), 7);
        let mut seen = vec![0u32; 1000];
        for _ in 0..100_000 {
            let at = places.next();
            assert!(at.is_multiple_of(4096) && at < 1000 * 4096);
            seen[(at / 4096) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (40..=180).contains(&count)), "{seen:?}");
    }
}
