//! The scramblers. Both give bits from the highest bit of a shift register to the lowest bit of a byte first.

use std::sync::LazyLock;

/// Symbols after which the sequence of [`short_pad`] repeats.
pub const SHORT_PERIOD: usize = 0xffff;
/// The register of the short scrambler after COM.
pub const SHORT_SEED: u16 = 0xffff;
/// x^16 + x^5 + x^4 + x^3 + 1.
const SHORT_TAPS: u16 = 0x0039;

/// The register eight bits later, and the byte that it gave.
pub const fn short_step(mut register: u16) -> (u16, u8) {
    let (mut byte, mut bit) = (0, 0);
    while bit < 8 {
        let high = register >> 15;
        byte |= (high as u8) << bit;
        register = register << 1 ^ if high == 1 { SHORT_TAPS } else { 0 };
        bit += 1;
    }
    (register, byte)
}

static SHORT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut register = SHORT_SEED;
    let next = || {
        let (after, byte) = short_step(register);
        register = after;
        byte
    };
    std::iter::repeat_with(next).take(SHORT_PERIOD).collect()
});

/// The bytes of the scrambler of Gen1 and Gen2 by their distance from COM, one period.
pub fn short_pad() -> &'static [u8] {
    &SHORT
}

/// x^23 + x^21 + x^16 + x^8 + x^5 + x^2 + 1.
const LONG_TAPS: u32 = 0x21_0125;
const LONG_BITS: u32 = 23;

/// The seeds of lanes 0 to 7 at 128b/130b; they repeat on further lanes. Two independent open implementations of UCIe,
/// which takes them from PCI Express, agree on them (ucb-bar/ucie, aboElhammd/UCIE_phy).
pub const LONG_SEEDS: [u32; 8] =
    [0x1d_bfbc, 0x06_07bb, 0x1e_c760, 0x18_c0db, 0x01_0f12, 0x19_cfc9, 0x02_77ce, 0x1b_b807];

/// The seed of a lane.
pub const fn long_seed(lane: usize) -> u32 {
    LONG_SEEDS[lane % 8]
}

/// The register one bit later, and the bit that it gave.
pub const fn long_bit(register: u32) -> (u32, u32) {
    let high = register >> (LONG_BITS - 1) & 1;
    let moved = register << 1 & ((1 << LONG_BITS) - 1);
    (if high == 1 { moved ^ LONG_TAPS } else { moved }, high)
}

/// What 128 steps do: linear in the register, so by its bytes.
struct Leap {
    pads: [[u128; 256]; 3],
    next: [[u32; 256]; 3],
}

static LEAP: LazyLock<Box<Leap>> = LazyLock::new(|| {
    let mut leap = Box::new(Leap { pads: [[0; 256]; 3], next: [[0; 256]; 3] });
    for byte in 0..3 {
        for value in 0..256 {
            let mut register = (value as u32) << (8 * byte) & ((1 << LONG_BITS) - 1);
            let mut pad = 0u128;
            for bit in 0..128 {
                let (after, high) = long_bit(register);
                pad |= (high as u128) << bit;
                register = after;
            }
            leap.pads[byte][value] = pad;
            leap.next[byte][value] = register;
        }
    }
    leap
});

/// The scrambler of 128b/130b, sixteen symbols at a time.
#[derive(Clone, Copy)]
pub struct Long(&'static Leap);

impl Default for Long {
    fn default() -> Long {
        Long(&LEAP)
    }
}

impl Long {
    /// The register after a block, and the 128 bits for that block, symbol 0 lowest.
    #[inline(always)]
    pub fn block(self, register: u32) -> (u32, u128) {
        let [a, b, c] = [register & 0xff, register >> 8 & 0xff, register >> 16 & 0x7f].map(|byte| byte as usize);
        let Leap { pads, next } = self.0;
        (next[0][a] ^ next[1][b] ^ next[2][c], pads[0][a] ^ pads[1][b] ^ pads[2][c])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "First 32 output words when data values of 00 are scrambled", of a public DisplayPort core whose author compared
    /// them with the appendix of the standard.
    const PUBLISHED: [u8; 16] =
        [0xff, 0x17, 0xc0, 0x14, 0xb2, 0xe7, 0x02, 0x82, 0x72, 0x6e, 0x28, 0xa6, 0xbe, 0x6d, 0xbf, 0x8d];

    #[test]
    fn does_the_short_scrambler_give_two_published_tables() {
        assert_eq!(short_pad()[..16], PUBLISHED);
        // Registers after each byte, of ECP5-PCIe's tests.
        let mut register = SHORT_SEED;
        let states = [0; 5].map(|_: u8| {
            register = short_step(register).0;
            register
        });
        assert_eq!(states, [0xe817, 0x0328, 0x284b, 0x4de8, 0xe755]);
    }

    #[test]
    fn does_the_short_sequence_repeat_after_its_period_and_not_before() {
        let (mut register, mut steps) = (SHORT_SEED, 0);
        loop {
            register = short_step(register).0;
            steps += 1;
            if register == SHORT_SEED {
                break;
            }
        }
        assert_eq!(steps, SHORT_PERIOD);
    }

    #[test]
    fn does_a_leap_of_the_long_scrambler_give_what_its_bits_give() {
        let mut register = long_seed(11);
        for _ in 0..100 {
            let (after, pad) = Long::default().block(register);
            for bit in 0..128 {
                let (next, high) = long_bit(register);
                assert_eq!(high as u128, pad >> bit & 1);
                register = next;
            }
            assert_eq!(after, register);
        }
    }
}
