//! Configuration space: 256 bytes, as the vendor's block shows them, and a capability of our own with counters and faults.
//!
//! | offset | what |
//! |---|---|
//! | `0x40` | Power Management |
//! | `0x48` | MSI-X: 8 vectors, table at `0x1000` of BAR 0, pending bits at `0x1080` |
//! | `0x60` | PCI Express, with Function Level Reset Capability |
//! | `0xc0` | vendor-specific: `+4` loads from BAR 0, `+8` stores, `+0xc` of them doorbells, `+0x10` MSI-X messages, `+0x14` a fault and how often, `+0x18` attributes of its requests, `+0x1c` requests that the IOMMU blocked |

use crate::counters::{Counters, Fault};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The Command register.
pub const COMMAND: usize = 0x04;
/// Bus Master Enable, in its first byte.
const BUS_MASTER: u8 = 4;
const BARS: [(usize, u64); 2] = [(0x10, 64 << 10), (0x18, 1 << 20)];
const POWER: usize = 0x44;
const MSIX_CONTROL: usize = 0x4a;
const DEVICE_CONTROL: usize = 0x68;
const OURS: usize = 0xc0;
const FAULT: usize = OURS + 0x14;
const ATTRIBUTES: usize = OURS + 0x18;
/// Initiate Function Level Reset, in Device Control.
const FLR: u16 = 1 << 15;

/// What of configuration space is at the engine's pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Command register.
    pub command: u16,
    /// Device Control.
    pub dcommand: u16,
    /// PowerState.
    pub power: u8,
    /// MSI-X Enable.
    pub msix_enable: bool,
    /// Function Mask.
    pub msix_mask: bool,
}

/// See the module.
#[derive(Debug)]
pub struct Config {
    bytes: [u8; 256],
    /// Bits that software can write.
    mask: [u8; 256],
    counters: Arc<Counters>,
}

impl Config {
    /// As after a reset.
    pub fn new(counters: Arc<Counters>) -> Config {
        let mut config = Config { bytes: [0; 256], mask: [0; 256], counters };
        for (at, value, mask) in [
            (0x00, 0x4c53_10ee, 0),
            (0x04, 0x0010_0000, 0x0000_0406),
            (0x08, 0x0580_0000, 0),
            (0x10, 0, 0xffff_0000),
            (0x18, 0, 0xfff0_0000),
            (0x2c, 0x4c53_10ee, 0),
            (0x34, 0x40, 0),
            (0x3c, 0, 0xff),
            (0x40, 0x0003_4801, 0),
            (0x44, 0, 0x3),
            (0x48, 0x0007_6011, 0xc000_0000),
            (0x4c, 0x1000, 0),
            (0x50, 0x1080, 0),
            (0x60, 0x0002_c010, 0),
            // MPS 512 supported, extended tags, role-based error reporting, function-level reset.
            (0x64, 0x1000_8022, 0),
            (0x68, 0x0000_2810, 0x0000_7fff),
            (0x6c, 0x0000_0042, 0),
            (0x70, 0x0042_0000, 0x0000_0003),
            // ID-based ordering can be enabled.
            (0x88, 0, 0x0000_0100),
            (0xc0, 0x0020_0009, 0),
        ] {
            let (value, mask): (u32, u32) = (value, mask);
            config.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            config.mask[at..at + 4].copy_from_slice(&mask.to_le_bytes());
        }
        config
    }

    /// Reads up to four bytes.
    pub fn read(&self, at: u64, bytes: usize) -> u32 {
        let counters = &self.counters;
        if counters.gone() && at as usize & !3 != FAULT {
            return u32::MAX >> (32 - 8 * bytes.clamp(1, 4));
        }
        let own = [
            &counters.loads,
            &counters.stores,
            &counters.doorbells,
            &counters.messages,
            &counters.fault,
            &counters.attributes,
            &counters.blocked,
        ];
        let live = (at as usize).checked_sub(OURS + 4).and_then(|offset| own.get(offset / 4));
        let aligned = at as usize & !3;
        let word = match live {
            Some(counter) => counter.load(Ordering::Relaxed),
            None => self.word(aligned),
        };
        let shifted = word >> (8 * (at & 3));
        if bytes >= 4 { shifted } else { shifted & ((1 << (8 * bytes)) - 1) }
    }

    /// Writes up to four bytes. True where that begins a function-level reset.
    pub fn write(&mut self, at: u64, value: u32, bytes: usize) -> bool {
        if at as usize == FAULT {
            self.counters.fault.store(value, Ordering::Relaxed);
            return false;
        }
        if self.counters.gone() {
            return false;
        }
        if at as usize == ATTRIBUTES {
            self.counters.attributes.store(value, Ordering::Relaxed);
            return false;
        }
        let mut resets = false;
        for (at, byte) in (at as usize..256).zip(value.to_le_bytes()).take(bytes.min(4)) {
            resets |= at == DEVICE_CONTROL + 1 && byte & (FLR >> 8) as u8 != 0;
            let held =
                if at == COMMAND && self.counters.lasts(Fault::HoldsBus) { self.bytes[at] & BUS_MASTER } else { 0 };
            self.bytes[at] = self.bytes[at] & !self.mask[at] | byte & self.mask[at] | held;
        }
        if resets {
            // BARs and what firmware has set are lost, too; software keeps and restores them.
            *self = Config::new(Arc::clone(&self.counters));
        }
        resets
    }

    /// What the engine sees of it.
    pub fn settings(&self) -> Settings {
        let control = self.word(MSIX_CONTROL & !3) >> 16;
        Settings {
            command: self.word(COMMAND) as u16,
            dcommand: self.word(DEVICE_CONTROL) as u16,
            power: self.word(POWER) as u8 & 3,
            msix_enable: control & 0x8000 != 0,
            msix_mask: control & 0x4000 != 0,
        }
    }

    /// The BARs that an address hits, a bit for each of six, and the offset within; `None` while memory space is off.
    pub fn decode(&self, address: u64) -> Option<(u8, u64)> {
        if self.word(COMMAND) & 2 == 0 {
            return None;
        }
        BARS.iter().find_map(|&(at, size)| {
            let base = u64::from(self.word(at) & !0xf);
            let offset = address.checked_sub(base).filter(|offset| *offset < size)?;
            Some((1 << ((at - 0x10) / 4), offset))
        })
    }

    fn word(&self, at: usize) -> u32 {
        self.bytes[at..at + 4].iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn do_bars_show_their_size_and_decode_where_they_were_put() {
        let mut config = Config::new(Arc::default());
        config.write(0x10, u32::MAX, 4);
        assert_eq!(config.read(0x10, 4), 0xffff_0000);
        config.write(0x10, 0xfe00_0000, 4);
        config.write(0x18, 0xfd00_0000, 4);
        assert_eq!(config.decode(0xfe00_0100), None, "memory space is off");
        config.write(0x04, 6, 2);
        assert_eq!(config.decode(0xfe00_0100), Some((1, 0x100)));
        assert_eq!(config.decode(0xfd0f_ffff), Some((4, 0xf_ffff)));
        assert_eq!(config.decode(0xfe01_0000), None);
    }

    #[test]
    fn does_a_function_level_reset_begin_by_its_bit_and_clear_what_was_set() {
        let mut config = Config::new(Arc::default());
        config.write(0x04, 6, 2);
        config.write(0x4a, 0x8000, 2);
        assert!(config.settings().msix_enable);
        assert!(config.write(0x68, 0xa810, 2));
        assert_eq!(config.settings(), Settings { dcommand: 0x2810, ..Settings::default() });
    }

    #[test]
    fn does_a_card_that_is_gone_read_all_ones_but_for_its_fault() {
        let mut config = Config::new(Arc::default());
        config.write(FAULT as u64, 0x10a, 4);
        assert_eq!([(0, 4), (2, 2), (0xc4, 1)].map(|(at, bytes)| config.read(at, bytes)), [u32::MAX, 0xffff, 0xff]);
        config.write(0x04, 6, 2);
        assert_eq!(config.read(FAULT as u64, 4), 0x10a);
        config.write(FAULT as u64, 0, 4);
        assert_eq!([0x00, 0x04].map(|at| config.read(at, 4)), [0x4c53_10ee, 0x0010_0000]);
    }

    #[test]
    fn does_a_card_that_holds_the_bus_keep_it_until_a_reset() {
        let mut config = Config::new(Arc::default());
        config.write(0x04, 6, 2);
        config.write(FAULT as u64, 0x10d, 4);
        config.write(0x04, 2, 2);
        assert_eq!(config.settings().command, 6);
        config.write(0x68, 0xa810, 2);
        assert_eq!(config.settings().command, 0);
    }

    #[test]
    fn are_counters_read_without_being_counted() {
        let counters = Arc::<Counters>::default();
        let config = Config::new(Arc::clone(&counters));
        counters.store(0x118);
        assert_eq!([0xc4, 0xc8, 0xcc, 0xd0].map(|at| config.read(at, 4)), [0, 1, 1, 0]);
    }
}
