//! Where the data of commands lies in host memory, by their data pointers (NVM Express Base Specification, PRP Entry and PRP
//! List).
//!
//! For hosts that work on bytes: their lists are read as they are, and data may lie on any pages. Elsewhere lists have no
//! contents, and data is contiguous.

use super::entry::Submission;
use super::params::PRP_BYTES;
use crate::block::PAGE_BYTES;

/// The lists of commands, by place of the command. Memory for them is kept from command to command.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    lists: Vec<Vec<u8>>,
}

impl Pages {
    /// A list of `bytes` for the command at `place` is about to be read.
    pub fn expect(&mut self, place: u32, bytes: u64) {
        let place = place as usize;
        if self.lists.len() <= place {
            self.lists.resize_with(place + 1, Vec::new);
        }
        self.lists[place].clear();
        self.lists[place].resize(bytes as usize, 0);
    }

    /// Bytes of that list, from byte `at` of it on. False where it has no such place.
    pub fn arrive(&mut self, place: u32, at: u64, data: &[u8]) -> bool {
        let list = self.lists.get_mut(place as usize).and_then(|list| list.get_mut(at as usize..));
        match list.and_then(|rest| rest.get_mut(..data.len())) {
            Some(room) => {
                room.copy_from_slice(data);
                true
            }
            None => false,
        }
    }

    /// Where byte `offset` of the data of the command at `place` lies, and how many bytes follow it there.
    pub fn find(&self, place: u32, entry: &Submission, offset: u64) -> (u64, u64) {
        let first = PAGE_BYTES - entry.prp[0] % PAGE_BYTES;
        if entry.sgl {
            return (entry.prp[0] + offset, entry.bytes - offset);
        }
        if offset < first {
            return (entry.prp[0] + offset, first - offset);
        }
        let rest = offset - first;
        let page = match entry.list_bytes() {
            0 => entry.prp[1],
            _ => self.listed(place, rest / PAGE_BYTES),
        };
        (page + rest % PAGE_BYTES, PAGE_BYTES - rest % PAGE_BYTES)
    }

    /// Entry `number` of the list of the command at `place`.
    fn listed(&self, place: u32, number: u64) -> u64 {
        let at = (number * PRP_BYTES) as usize;
        let entry = self.lists.get(place as usize).and_then(|list| list.get(at..at + PRP_BYTES as usize));
        entry.and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(prp: [u64; 2], bytes: u64) -> Submission {
        Submission { reads: true, identifier: 0, namespace: 1, sgl: false, prp, at: 0, bytes }
    }

    #[test]
    fn does_data_lie_on_the_pages_that_the_pointers_name() {
        let mut pages = Pages::default();
        let two = entry([0x1e00, 0x9000], 4096);
        assert_eq!(two.list_bytes(), 0);
        assert_eq!(pages.find(0, &two, 0), (0x1e00, 512));
        assert_eq!(pages.find(0, &two, 512), (0x9000, 4096));
        // The same length from another place on is on three pages: their list has two.
        let three = entry([0x1e00, 0x5000], 8192);
        assert_eq!(three.list_bytes(), 16);
        pages.expect(3, 16);
        assert!(pages.arrive(3, 8, &0x2_0000u64.to_le_bytes()) && pages.arrive(3, 0, &0x7000u64.to_le_bytes()));
        assert!(!pages.arrive(3, 12, &[0; 8]), "beyond its end");
        assert_eq!(pages.find(3, &three, 600), (0x7000 + 88, 4096 - 88));
        assert_eq!(pages.find(3, &three, 512 + 4096), (0x2_0000, 4096));
    }
}
