//! Rings in memory, and how far a device is in one that software fills.

use system::Window;

/// Entries of equal size in memory. Places count on without end: an entry is used again when its place comes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    base: u64,
    entries: u64,
    bytes: u64,
}

impl Ring {
    /// A ring of `entries` (at least one) of so many `bytes` at the start of `memory`.
    pub fn new(memory: Window, entries: u64, bytes: u64) -> Ring {
        Ring { base: memory.base, entries: entries.max(1), bytes }
    }

    /// How many entries it has.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Bytes of an entry.
    pub fn entry_bytes(&self) -> u64 {
        self.bytes
    }

    /// The address of the entry at `place`.
    pub fn at(&self, place: u64) -> u64 {
        self.base + place % self.entries * self.bytes
    }

    /// What marks an entry of this pass over the ring as new, where entries have a bit for it: true in the first pass, false in
    /// the second.
    pub fn phase(&self, place: u64) -> bool {
        (place / self.entries).is_multiple_of(2)
    }

    /// Entries from `place` to the end of the ring.
    pub fn to_end(&self, place: u64) -> u64 {
        self.entries - place % self.entries
    }
}

/// How far a device is in a ring that software fills: the tail that it was told, what it has asked for, and what has arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    tail: u64,
    asked: u64,
    arrived: u64,
    /// Bytes of an entry whose rest has not arrived.
    partly: Vec<u8>,
}

impl Reader {
    /// Software has told a new tail: a place that counts on, or what is left of it after a division by the number of entries.
    pub fn rung(&mut self, ring: &Ring, tail: u64) {
        let (now, told) = (self.tail % ring.entries, tail % ring.entries);
        self.tail += (told + ring.entries - now) % ring.entries;
    }

    /// Entries that the next read asks for, where it asks for `most` at most: it ends with the ring.
    pub fn next(&self, ring: &Ring, most: u64) -> u64 {
        (self.tail - self.asked).min(ring.to_end(self.asked)).min(most)
    }

    /// The next `count` entries have been asked for. Returns the place of the first.
    pub fn ask(&mut self, count: u64) -> u64 {
        let first = self.asked;
        self.asked += count;
        first
    }

    /// The next entry has arrived as a whole.
    pub fn arrive(&mut self) {
        self.arrived += 1;
    }

    /// Bytes of entries have arrived, which may end within one. Returns the entries that are whole now, one behind the other.
    pub fn arrive_in(&mut self, ring: &Ring, data: &[u8]) -> Vec<u8> {
        self.partly.extend_from_slice(data);
        let rest = self.partly.len() % ring.bytes.max(1) as usize;
        let rest = self.partly.split_off(self.partly.len() - rest);
        let whole = std::mem::replace(&mut self.partly, rest);
        self.arrived += whole.len() as u64 / ring.bytes.max(1);
        whole
    }

    /// Entries asked for, since the ring was made.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Entries that have arrived, since the ring was made.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ring(entries: u64) -> Ring {
        Ring::new(Window { base: 0x1000, bytes: entries * 16 }, entries, 16)
    }

    #[test]
    fn where_are_entries_and_which_pass_are_they_of() {
        let ring = ring(4);
        assert_eq!((ring.at(0), ring.at(3), ring.at(4)), (0x1000, 0x1030, 0x1000));
        assert_eq!((ring.phase(3), ring.phase(4), ring.phase(8)), (true, false, true));
        assert_eq!((ring.to_end(0), ring.to_end(3), ring.to_end(6)), (4, 1, 2));
    }

    #[test]
    fn does_a_read_end_with_the_ring_and_with_what_was_told() {
        let (ring, mut reader) = (ring(4), Reader::default());
        assert_eq!(reader.next(&ring, 8), 0);
        reader.rung(&ring, 3);
        assert_eq!((reader.next(&ring, 2), reader.next(&ring, 8)), (2, 3));
        assert_eq!(reader.ask(3), 0);
        // The tail has come round: one entry at the end of the ring, and one at its start.
        reader.rung(&ring, 1);
        assert_eq!(reader.next(&ring, 8), 1);
        assert_eq!((reader.ask(1), reader.next(&ring, 8)), (3, 1));
    }

    #[test]
    fn are_entries_whole_that_arrive_in_pieces() {
        let (ring, mut reader) = (ring(4), Reader::default());
        let bytes: Vec<u8> = (0..48).collect();
        assert!(reader.arrive_in(&ring, &bytes[..10]).is_empty());
        assert_eq!((reader.arrive_in(&ring, &bytes[10..40]), reader.arrived()), (bytes[..32].to_vec(), 2));
        assert_eq!((reader.arrive_in(&ring, &bytes[40..]), reader.arrived()), (bytes[32..].to_vec(), 3));
    }

    proptest! {
        /// Every entry that software tells of is asked for once and in order, however the tail is told.
        #[test]
        fn is_each_entry_asked_for_once(entries in 1u64..40, steps in prop::collection::vec((0u64..40, 1u64..9), 1..60)) {
            let (ring, mut reader, mut told, mut next) = (ring(entries), Reader::default(), 0u64, 0u64);
            for (more, most) in steps {
                // A ring that is full is not told of: its tail would be that of an empty one.
                told += more.min((entries - 1).saturating_sub(told - next));
                reader.rung(&ring, told % entries);
                let count = reader.next(&ring, most);
                prop_assert!(count <= most && count <= told - next);
                prop_assert_eq!(reader.ask(count), next);
                next += count;
            }
            while reader.next(&ring, 3) > 0 {
                next += reader.next(&ring, 3);
                reader.ask(reader.next(&ring, 3));
            }
            prop_assert_eq!(next, told);
        }
    }
}
