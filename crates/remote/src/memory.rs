//! The guest's memory, in files that QEMU shares. It is read and written through the files, so that no part of it is
//! mapped here.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, RwLock};

/// A range of guest addresses.
#[derive(Debug)]
pub struct Region {
    /// First guest address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// The file.
    pub file: File,
}

impl Region {
    /// From what QEMU sends of one.
    pub fn new(base: u64, bytes: u64, offset: u64, file: OwnedFd) -> Region {
        Region { base, bytes, offset, file: file.into() }
    }

    /// Where in the file `bytes` bytes from `address` on are.
    fn place(&self, address: u64, bytes: u64) -> Option<u64> {
        let at = address.checked_sub(self.base)?;
        (at.checked_add(bytes)? <= self.bytes).then_some(self.offset + at)
    }
}

/// See the module. QEMU tells its layout anew whenever it changes.
#[derive(Debug, Default)]
pub struct Memory {
    regions: RwLock<Arc<Vec<Region>>>,
}

impl Memory {
    /// Takes a new layout.
    pub fn replace(&self, regions: Vec<Region>) {
        if let Ok(mut held) = self.regions.write() {
            *held = Arc::new(regions);
        }
    }

    fn find(&self, address: u64, bytes: u64) -> Option<(Arc<Vec<Region>>, usize, u64)> {
        let regions = Arc::clone(&*self.regions.read().ok()?);
        let found = regions.iter().enumerate().find_map(|(i, region)| Some((i, region.place(address, bytes)?)));
        found.map(|(index, place)| (regions, index, place))
    }

    /// `bytes` bytes; `None` where there is no memory.
    pub fn read(&self, address: u64, bytes: u64) -> Option<Vec<u8>> {
        let (regions, index, place) = self.find(address, bytes)?;
        let mut data = vec![0; bytes as usize];
        regions[index].file.read_exact_at(&mut data, place).ok()?;
        Some(data)
    }

    /// Writes `data`; `None` where there is no memory. The first 4 bytes come last: who polls them finds the rest.
    pub fn write(&self, address: u64, data: &[u8]) -> Option<()> {
        let (regions, index, place) = self.find(address, data.len() as u64)?;
        let file = &regions[index].file;
        let first = data.len().min(4);
        file.write_all_at(&data[first..], place + first as u64).ok()?;
        file.write_all_at(&data[..first], place).ok()
    }
}
