//! The bytes of host memory: pages that were written. All other bytes are zero.

use std::collections::HashMap;

const PAGE: u64 = 4096;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct HostMemory {
    pages: HashMap<u64, Box<[u8; PAGE as usize]>>,
}

impl HostMemory {
    /// Writes `data` at `address`.
    pub fn write(&mut self, mut address: u64, mut data: &[u8]) {
        while !data.is_empty() {
            let (at, bytes) = span(address, data.len());
            let page = self.pages.entry(address / PAGE).or_insert_with(|| Box::new([0; PAGE as usize]));
            page[at..at + bytes].copy_from_slice(&data[..bytes]);
            address += bytes as u64;
            data = &data[bytes..];
        }
    }

    /// Reads into `data` from `address` on.
    pub fn read(&self, mut address: u64, mut data: &mut [u8]) {
        while !data.is_empty() {
            let (at, bytes) = span(address, data.len());
            let (now, rest) = data.split_at_mut(bytes);
            match self.pages.get(&(address / PAGE)) {
                Some(page) => now.copy_from_slice(&page[at..at + bytes]),
                None => now.fill(0),
            }
            address += bytes as u64;
            data = rest;
        }
    }

    /// Reads a little-endian word of 8 bytes.
    pub fn word(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Reads `bytes` bytes from `address` on.
    pub fn bytes(&self, address: u64, bytes: usize) -> Box<[u8]> {
        let mut data = vec![0; bytes].into_boxed_slice();
        self.read(address, &mut data);
        data
    }
}

/// The offset of `address` in its page, and how many of `left` bytes lie in that page.
fn span(address: u64, left: usize) -> (usize, usize) {
    let at = (address % PAGE) as usize;
    (at, left.min(PAGE as usize - at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_memory_give_back_what_was_written_across_pages_and_zero_elsewhere() {
        let mut memory = HostMemory::default();
        let data: Vec<u8> = (0..9000).map(|n| n as u8).collect();
        memory.write(4090, &data);
        assert_eq!(*memory.bytes(4090, 9000), *data);
        assert_eq!(*memory.bytes(4088, 2), [0, 0]);
        assert_eq!(memory.word(1 << 40), 0);
    }
}
