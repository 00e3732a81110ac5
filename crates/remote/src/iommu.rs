//! The guest's IOMMU, for what the card sends. QEMU gives the guest's memory to this process, whose reads and writes pass by
//! QEMU's own `intel-iommu`; what that would do with them is done here, by the tables that the guest's kernel has written:
//! root, context and page tables of Intel VT-d in legacy mode, and the table of remapped interrupts.
//!
//! Every access walks the tables: nothing is cached, so that an entry that the guest has changed and not invalidated is not
//! seen as the old one, as hardware may. Faults are not recorded, but counted ([`crate::counters`]). No scalable mode, no
//! device TLB, no PASID.
//!
//! | word | meaning |
//! |---|---|
//! | blocked | not there for the card: a read is answered with Unsupported Request, a write or an interrupt is dropped |
//! | handle | the number of an entry of the table of interrupts, which a message names |

use crate::memory::Memory;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Where QEMU's q35 has its registers, and those that are looked at: Global Status, Root Table Address, Interrupt Remapping
/// Table Address. Each is read as 64 bits from a multiple of 8: Global Status is the upper half of its word.
const REGISTERS: u64 = 0xfed9_0000;
const STATUS: u64 = 0x18;
const ROOT: u64 = 0x20;
const INTERRUPTS: u64 = 0xb8;
/// Bits of Global Status, in that word: translation is on, interrupts are remapped, those in the old format pass.
const TRANSLATES: u64 = 1 << 63;
const REMAPS: u64 = 1 << 57;
const OLD_PASS: u64 = 1 << 55;
/// Where a table begins, in what points to one.
const PLACE: u64 = 0x000f_ffff_ffff_f000;
/// An entry is present; of page tables: can be read, can be written, is no table but memory.
const PRESENT: u64 = 1;
const WRITABLE: u64 = 2;
const LARGE: u64 = 1 << 7;

/// See the module.
#[derive(Debug, Default)]
pub struct Iommu {
    /// The card's Requester ID; without one there is no IOMMU.
    requester: OnceLock<u16>,
    /// The guest's memory.
    pub memory: Arc<Memory>,
    status: AtomicU64,
    root: AtomicU64,
    interrupts: AtomicU64,
}

impl Iommu {
    /// For a card with that Requester ID, in a guest with an IOMMU; without one, nothing is translated.
    pub fn new(memory: Arc<Memory>, requester: Option<u16>) -> Iommu {
        let iommu = Iommu { memory, ..Iommu::default() };
        if let Some(requester) = requester {
            let _ = iommu.requester.set(requester);
        }
        iommu
    }

    /// Takes a new look at its registers, by a function that reads 64 bits of the guest.
    ///
    /// # Errors
    /// Those of the function.
    pub fn look<E>(&self, mut read: impl FnMut(u64) -> Result<u64, E>) -> Result<(), E> {
        if self.requester.get().is_some() {
            for (register, at) in [(&self.root, ROOT), (&self.interrupts, INTERRUPTS), (&self.status, STATUS)] {
                register.store(read(REGISTERS + at)?, Ordering::Release);
            }
        }
        Ok(())
    }

    /// Where in memory an address of the card is, for a read or a write; `None` where that is blocked. An access does not
    /// cross a page.
    pub fn place(&self, address: u64, writes: bool) -> Option<u64> {
        let Some(requester) = self.requester.get().filter(|_| self.status.load(Ordering::Acquire) & TRANSLATES != 0)
        else {
            return Some(address);
        };
        let bus = self.entry(self.root.load(Ordering::Relaxed) & PLACE, u64::from(requester >> 8))?;
        let context = self.entry(bus[0] & PLACE, u64::from(requester & 0xff))?;
        if context[0] >> 2 & 3 == 2 {
            return Some(address);
        }
        // 39 bits in three levels, and 9 more with each.
        let levels = (context[1] & 7) + 2;
        if address >> (12 + 9 * levels) != 0 {
            return None;
        }
        let wanted = if writes { WRITABLE } else { PRESENT };
        let mut table = context[0] & PLACE;
        for level in (0..levels).rev() {
            let shift = 12 + 9 * level;
            let entry = self.word(table + 8 * (address >> shift & 0x1ff))?;
            if entry & wanted == 0 {
                return None;
            }
            if level == 0 || entry & LARGE != 0 {
                let within = (1 << shift) - 1;
                return Some(entry & PLACE & !within | address & within);
            }
            table = entry & PLACE;
        }
        None
    }

    /// The message that an interrupt of the card becomes, address and data; `None` where it is blocked.
    pub fn interrupt(&self, address: u64, data: u32) -> Option<(u64, u32)> {
        let status = self.status.load(Ordering::Acquire);
        let Some(&requester) = self.requester.get().filter(|_| status & REMAPS != 0) else {
            return Some((address, data));
        };
        if address & 1 << 4 == 0 {
            return (status & OLD_PASS != 0).then_some((address, data));
        }
        let add = if address & 1 << 3 != 0 { u64::from(data & 0xffff) } else { 0 };
        let handle = (address >> 5 & 0x7fff | (address >> 2 & 1) << 15) + add;
        let table = self.interrupts.load(Ordering::Relaxed);
        if handle >= 2 << (table & 0xf) {
            return None;
        }
        let [entry, source] = self.entry(table & PLACE, handle)?;
        // Whose interrupt it may be: nobody's is checked, or the whole Requester ID is.
        let verifies = source >> 18 & 3;
        if verifies > 1 || verifies == 1 && source as u16 != requester {
            return None;
        }
        let destination = entry >> 40 & 0xff;
        let address = 0xfee0_0000 | destination << 12 | (entry >> 3 & 1) << 3 | (entry >> 2 & 1) << 2;
        let data = entry >> 16 & 0xff | (entry >> 5 & 7) << 8 | (entry >> 4 & 1) << 15;
        Some((address, data as u32))
    }

    fn word(&self, address: u64) -> Option<u64> {
        let bytes = self.memory.read(address, 8)?;
        Some(bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
    }

    /// An entry of 16 bytes, where it is present.
    fn entry(&self, table: u64, index: u64) -> Option<[u64; 2]> {
        let at = table + 16 * index;
        let entry = [self.word(at)?, self.word(at + 8)?];
        (entry[0] & PRESENT != 0).then_some(entry)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;
    use crate::memory::Region;
    use std::fs::File;

    const CARD: u16 = 0x0128;

    /// An IOMMU with 1 MiB of memory that holds these words; its root table is at 0x1000, its table of 16 interrupts at 0x2000.
    fn iommu(name: &str, status: u64, words: &[(u64, u64)]) -> Iommu {
        let path = std::env::temp_dir().join(format!("lanescope-iommu-{name}-{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        file.set_len(1 << 20).unwrap();
        let memory = Arc::<Memory>::default();
        memory.replace(vec![Region::new(0, 1 << 20, 0, file.into())]);
        for (at, word) in words {
            memory.write(*at, &word.to_le_bytes()).unwrap();
        }
        let iommu = Iommu::new(memory, Some(CARD));
        let registers = [(STATUS, status), (ROOT, 0x1000), (INTERRUPTS, 0x2003)];
        let read = |at| Ok::<u64, ()>(registers.iter().find(|register| register.0 + REGISTERS == at).unwrap().1);
        iommu.look(read).unwrap();
        iommu
    }

    #[test]
    fn is_an_address_translated_by_the_tables_of_the_guest_for_what_they_allow_only() {
        let tables = [
            (0x1010, 0x3001),
            (0x3280, 0x4001),
            (0x3288, 1),
            // 39 bits: 1 GiB an entry, 2 MiB, 4 KiB.
            (0x4008, 0x5003),
            (0x5000, 0x6003),
            (0x5008, 0x40_0000 | LARGE | 1),
            (0x6000, 0x7_1001),
            (0x6008, 0x7_2002),
            (0x6010, 0x7_3003),
        ];
        let iommu = iommu("walk", TRANSLATES, &tables);
        let base = 1 << 30;
        assert_eq!([false, true].map(|writes| iommu.place(base + 0x123, writes)), [Some(0x7_1123), None]);
        assert_eq!([false, true].map(|writes| iommu.place(base + 0x1fff, writes)), [None, Some(0x7_2fff)]);
        assert_eq!([false, true].map(|writes| iommu.place(base + 0x2000, writes)), [Some(0x7_3000); 2]);
        assert_eq!([false, true].map(|writes| iommu.place(base + 0x3000, writes)), [None; 2]);
        assert_eq!([false, true].map(|writes| iommu.place(base + 0x2f_f123, writes)), [Some(0x4f_f123), None]);
        for none in [0x7_1000, base + (1 << 31), 1 << 39 | base] {
            assert_eq!(iommu.place(none, false), None, "{none:#x}");
        }
    }

    #[test]
    fn do_four_levels_translate_48_bits_and_no_more() {
        let tables = [
            (0x1010, 0x3001),
            (0x3280, 0x4001),
            (0x3288, 2),
            (0x4ff8, 0x5001),
            (0x5000, 0x6001),
            (0x6000, 0x7001),
            (0x7000, 0x8001),
        ];
        let iommu = iommu("four", TRANSLATES, &tables);
        assert_eq!([0x1ff << 39, 1 << 48].map(|at| iommu.place(at, false)), [Some(0x8000), None]);
    }

    #[test]
    fn does_a_context_pass_all_where_it_says_so_and_nothing_where_there_is_none() {
        let mut tables = [(0x1010, 0x3001), (0x3280, 9), (0x3288, 1)];
        assert_eq!(iommu("pass", TRANSLATES, &tables).place(0x1_2345_6789, true), Some(0x1_2345_6789));
        tables[1].1 = 8;
        assert_eq!(iommu("none", TRANSLATES, &tables).place(0x1000, false), None);
        assert_eq!(iommu("off", 0, &tables).place(0x1000, false), Some(0x1000));
    }

    #[test]
    fn is_an_interrupt_what_its_entry_says_and_that_of_its_own_card() {
        // Entry 5: vector 0x31, destination 2, its source checked; entry 6 is that of another card.
        let entry = 1 | 1 << 2 | 0x31 << 16 | 2 << 40;
        let own = 1 << 18 | u64::from(CARD);
        let tables = [(0x2050, entry), (0x2058, own), (0x2060, entry), (0x2068, own + 8)];
        let iommu = iommu("irq", REMAPS, &tables);
        let message = |handle: u64| 0xfee0_0010 | handle << 5;
        assert_eq!(iommu.interrupt(message(5), 0), Some((0xfee0_2004, 0x31)));
        assert_eq!(iommu.interrupt(message(3) | 8, 2), Some((0xfee0_2004, 0x31)), "the data is added");
        assert_eq!([message(6), message(7), message(16), 0xfee0_1000].map(|at| iommu.interrupt(at, 0x41)), [None; 4]);
    }

    #[test]
    fn do_interrupts_pass_as_they_are_where_none_are_remapped_or_the_old_format_passes() {
        for status in [0, REMAPS | OLD_PASS] {
            assert_eq!(iommu("old", status, &[]).interrupt(0xfee0_1000, 0x41), Some((0xfee0_1000, 0x41)));
        }
    }
}
