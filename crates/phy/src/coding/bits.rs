//! The bits of one lane in the order of the wire.

/// Bits, the first one first.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

/// Symbols of a block.
pub const SYMBOLS: usize = pcie::timing::BLOCK_SYMBOLS as usize;
/// Bits of a block with its sync header.
pub const BLOCK_BITS: usize = 2 + 8 * SYMBOLS;
/// Sync header H1 H0 of a data block.
pub const DATA: u8 = 0b10;
/// Sync header of an ordered set.
pub const ORDERED: u8 = 0b01;
/// Words that are always there behind the last bit, so that a block is read without a check for each of its words.
const BEHIND: usize = 4;

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        self.len == other.len && (0..self.len).step_by(64).all(|at| self.word(at) == other.word(at))
    }
}

impl Eq for Bits {}

impl Bits {
    /// How many.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True for none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Forgets all of them and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
    }

    fn room(&mut self, bits: usize) {
        let words = (self.len + bits) / 64 + 1 + BEHIND;
        if self.words.len() < words {
            self.words.resize(words + self.words.len() / 2, 0);
        }
    }

    /// Appends a block: two bits of sync header, bit 0 first, and 128 bits, bit 0 first.
    #[inline(always)]
    pub fn push_block(&mut self, header: u8, payload: u128) {
        self.room(BLOCK_BITS);
        let (at, shift) = (self.len / 64, self.len % 64);
        let low = payload << 2 | (header & 3) as u128;
        let parts = [low as u64, (low >> 64) as u64, (payload >> 126) as u64];
        let over = |part: u64| part >> 1 >> (63 - shift);
        if let Some([a, b, c, d]) = self.words.get_mut(at..at + 4) {
            *a |= parts[0] << shift;
            *b |= parts[1] << shift | over(parts[0]);
            *c |= parts[2] << shift | over(parts[1]);
            *d |= over(parts[2]);
        }
        self.len += BLOCK_BITS;
    }

    /// Appends the low `count` bits of `bits`, at most 64, bit 0 first.
    pub fn push(&mut self, bits: u64, count: usize) {
        self.room(64);
        let bits = if count < 64 { bits & ((1 << count) - 1) } else { bits };
        let (at, shift) = (self.len / 64, self.len % 64);
        self.words[at] |= bits << shift;
        self.words[at + 1] |= bits >> 1 >> (63 - shift);
        self.len += count;
    }

    /// The 64 bits from `at` on; zeros behind the end.
    #[inline]
    pub fn word(&self, at: usize) -> u64 {
        let (word, shift) = (at / 64, at % 64);
        let get = |n: usize| self.words.get(n).copied().unwrap_or(0);
        get(word) >> shift | get(word + 1) << 1 << (63 - shift)
    }

    /// The sync header and payload of the block at bit `at`; `None` where fewer bits than a block are left.
    #[inline(always)]
    pub fn block(&self, at: usize) -> Option<(u8, u128)> {
        if at + BLOCK_BITS > self.len {
            return None;
        }
        let (word, shift) = (at / 64, at % 64);
        let w: &[u64; 4] = self.words.get(word..word + 4)?.try_into().ok()?;
        let part = |n: usize| w[n] >> shift | w[n + 1] << 1 << (63 - shift);
        let (a, b, c) = (part(0), part(1), part(2));
        let payload = (a as u128 | (b as u128) << 64) >> 2 | (c as u128 & 3) << 126;
        Some((a as u8 & 3, payload))
    }

    /// Inverts the bit at `at`, if there is one.
    pub fn flip(&mut self, at: usize) {
        if at < self.len {
            self.words[at / 64] ^= 1 << (at % 64);
        }
    }

    /// Appends bits `from` to `to` of another lane.
    pub fn extend(&mut self, other: &Bits, from: usize, to: usize) {
        let mut at = from;
        while at < to.min(other.len) {
            let count = (to.min(other.len) - at).min(64);
            self.push(other.word(at), count);
            at += count;
        }
    }

    /// All bits inverted.
    pub fn inverted(&self) -> Bits {
        let mut out = Bits::default();
        let mut at = 0;
        while at < self.len {
            let count = (self.len - at).min(64);
            out.push(!self.word(at), count);
            at += count;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_blocks_read_as_they_were_written_wherever_they_begin() {
        for skew in 0..64 {
            let mut bits = Bits::default();
            bits.push(u64::MAX, skew);
            let payload = |n: u128| 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210u128.rotate_left(n as u32 * 7) ^ n;
            for n in 0..9 {
                bits.push_block(n as u8, payload(n));
            }
            for n in 0..9 {
                let at = skew + n * BLOCK_BITS;
                assert_eq!(bits.block(at), Some((n as u8 & 3, payload(n as u128))), "{skew} {n}");
            }
            assert_eq!(bits.block(skew + 8 * BLOCK_BITS + 1), None);
            let mut copy = Bits::default();
            copy.extend(&bits, skew, bits.len());
            assert_eq!(copy.inverted().inverted().block(0), Some((0, payload(0))));
        }
    }
}
