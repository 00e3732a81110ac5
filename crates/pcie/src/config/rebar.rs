//! Resizable BAR (extended ID 0015h), and Resizable BAR of virtual functions (0024h).

use crate::config::space::ConfigSpace;
use crate::units::Bytes;

/// One resizable BAR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResizableBar {
    /// Which BAR.
    pub index: u8,
    /// Its current size.
    pub size: Option<Bytes>,
    /// The sizes that it supports, smallest first.
    pub supported: Vec<Bytes>,
}

/// Resizable BAR Extended Capability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebar {
    /// At most six.
    pub bars: Vec<ResizableBar>,
}

/// A function has at most six BARs.
const MOST: u16 = 6;

impl Rebar {
    /// Decodes the capability at `start`. The first control register contains the Number of Resizable BARs.
    pub fn decode(space: &ConfigSpace, start: u16) -> Rebar {
        let control = |n: u16| space.u32(start.saturating_add(8 + 8 * n));
        let count = control(0).map_or(0, |first| (first >> 5 & 7) as u16).min(MOST);
        let bar = |n| {
            let capability = space.u32(start.saturating_add(4 + 8 * n))?;
            Some(ResizableBar::new(capability, control(n)?))
        };
        Rebar { bars: (0..count).map_while(bar).collect() }
    }
}

impl ResizableBar {
    /// Decodes a Resizable BAR Capability Register and Control Register. Bits 4 and up stand for 1 MB, 2 MB and so on;
    /// bits 16 and up of the control register continue after the last bit of the capability register (256 TB and up).
    fn new(capability: u32, control: u32) -> ResizableBar {
        let low = (0..28).filter(|bit| capability >> (bit + 4) & 1 == 1);
        let high = (0..16).filter(|bit| control >> (bit + 16) & 1 == 1).map(|bit| bit + 28);
        ResizableBar {
            index: (control & 7) as u8,
            size: megabytes(control >> 8 & 0x3f),
            supported: low.chain(high).filter_map(megabytes).collect(),
        }
    }
}

fn megabytes(power: u32) -> Option<Bytes> {
    (power <= 43).then(|| Bytes(1 << (20 + power)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_the_sizes_of_a_resizable_bar_powers_of_two_of_a_megabyte() {
        let bar = ResizableBar::new(0x7 << 4, 1 << 5 | 1 << 8 | 4);
        assert_eq!(bar.index, 4);
        assert_eq!(bar.size, Some(Bytes(2 << 20)));
        assert_eq!(bar.supported, [1 << 20, 2 << 20, 4 << 20].map(Bytes));
    }

    #[test]
    fn do_all_bits_set_overflow_nothing() {
        let bar = ResizableBar::new(u32::MAX, u32::MAX);
        assert_eq!(bar.size, None);
        assert_eq!(bar.supported.last(), Some(&Bytes(1 << 63)));
    }
}
