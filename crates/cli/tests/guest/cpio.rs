//! An initramfs: a cpio archive of the format "newc" (Linux, Documentation/driver-api/early-userspace/buffer-format).

/// An archive under construction.
#[derive(Default)]
pub struct Cpio {
    bytes: Vec<u8>,
    number: u32,
}

impl Cpio {
    /// Adds a folder. Its parent folders must be added first.
    pub fn folder(&mut self, path: &str) {
        self.entry(path, 0o040_755, &[]);
    }
    /// Adds an executable file.
    pub fn file(&mut self, path: &str, content: &[u8]) {
        self.entry(path, 0o100_755, content);
    }
    /// The bytes of the archive, with its trailer.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) {
        self.number += 1;
        let (size, name) = (content.len() as u32, path.len() as u32 + 1);
        // Inode, mode, uid, gid, links, mtime, size, four device numbers, length of the name, check.
        let fields = [self.number, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name, 0];
        self.bytes.extend(b"070701");
        fields.iter().for_each(|field| self.bytes.extend(format!("{field:08x}").bytes()));
        self.bytes.extend(path.bytes().chain([0]));
        self.align();
        self.bytes.extend(content);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}
