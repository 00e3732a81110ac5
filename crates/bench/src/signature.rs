//! What lies on a device by its own bytes: the file systems, volumes, arrays and partition tables that leave a signature at a
//! known place. It says nothing of what is there without one.
//!
//! The places are those of the formats: each line names its own.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// From where a place counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The first byte.
    Start,
    /// The end, rounded down to a multiple of so many bytes, less so many.
    End(u64, u64),
    /// The second logical block, and the last one.
    Block,
    LastBlock,
}

/// One signature.
struct Signature {
    name: &'static str,
    from: From,
    at: u64,
    bytes: &'static [u8],
}

const fn start(name: &'static str, at: u64, bytes: &'static [u8]) -> Signature {
    Signature { name, from: From::Start, at, bytes }
}

const fn end(name: &'static str, round: u64, before: u64, bytes: &'static [u8]) -> Signature {
    Signature { name, from: From::End(round, before), at: 0, bytes }
}

const MD: &[u8] = &0xa92b_4efcu32.to_le_bytes();
const MD_BIG: &[u8] = &0xa92b_4efcu32.to_be_bytes();

/// The known ones. The member of an array of version 0.90 and 1.0 has its own at the end, as have some controllers' arrays.
const KNOWN: &[Signature] = &[
    Signature { name: "a GUID partition table", from: From::Block, at: 0, bytes: b"EFI PART" },
    Signature { name: "a GUID partition table", from: From::LastBlock, at: 0, bytes: b"EFI PART" },
    start("a LUKS volume", 0, b"LUKS\xba\xbe"),
    start("a LUKS volume", 0x4000, b"SKUL\xba\xbe"),
    start("a member of an md array", 0, MD),
    start("a member of an md array", 4096, MD),
    start("a member of an md array", 0, MD_BIG),
    end("a member of an md array", 4096, 8192, MD),
    end("a member of an md array", 65536, 65536, MD),
    end("a member of an md array", 65536, 65536, MD_BIG),
    end("a member of an Intel array", 512, 1024, b"Intel Raid ISM Cfg Sig. "),
    end("a member of a DDF array", 512, 512, &[0xde, 0x11, 0xde, 0x11]),
    start("an ext file system", 0x438, &[0x53, 0xef]),
    start("an XFS file system", 0, b"XFSB"),
    start("a btrfs file system", 0x10040, b"_BHRfS_M"),
    start(
        "a bcachefs or bcache device",
        4096 + 24,
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
    ),
    start(
        "a bcachefs or bcache device",
        4096 + 24,
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
    ),
    start("an f2fs file system", 1024, &0xf2f5_2010u32.to_le_bytes()),
    start("a JFS file system", 0x8000, b"JFS1"),
    start("a reiserfs file system", 0x10034, b"ReIsEr"),
    start("a nilfs2 file system", 0x406, &[0x34, 0x34]),
    start("a gfs2 file system", 0x10000, &[0x01, 0x16, 0x19, 0x70]),
    start("an ocfs2 file system", 0x400, b"OCFSV2"),
    start("an ocfs2 file system", 0x800, b"OCFSV2"),
    start("an ocfs2 file system", 0x1000, b"OCFSV2"),
    start("a squashfs file system", 0, b"hsqs"),
    start("an erofs file system", 1024, &0xe0f5_e1e2u32.to_le_bytes()),
    start("an ISO 9660 file system", 0x8001, b"CD001"),
    start("an UDF file system", 0x8001, b"NSR0"),
    start("an UDF file system", 0x8801, b"NSR0"),
    start("an NTFS file system", 3, b"NTFS    "),
    start("a BitLocker volume", 3, b"-FVE-FS-"),
    start("an exFAT file system", 3, b"EXFAT   "),
    start("a FAT file system", 0x52, b"FAT32"),
    start("a FAT file system", 0x36, b"FAT1"),
    start("a FAT file system", 3, b"MSDOS5.0"),
    start("a FAT file system", 3, b"mkfs.fat"),
    start("an APFS container", 32, b"NXSB"),
    start("an HFS file system", 1024, b"H+"),
    start("an HFS file system", 1024, b"HX"),
    start("a VMFS volume", 0x10_0000, &0xc001_d00du32.to_le_bytes()),
    start("a Ceph OSD", 0, b"bluestore block device"),
    start("a VDO volume", 0, b"dmvdo001"),
    start("a dm-integrity volume", 0, b"integrt\0"),
    start("a dm-verity volume", 0, b"verity\0\0"),
    start("a snapshot of LVM", 0, b"SnAp"),
    start("a Stratis pool", 512 + 4, b"!Stra0tis\x86\xff\x02^\x41rh"),
    start("a Stratis pool", 9 * 512 + 4, b"!Stra0tis\x86\xff\x02^\x41rh"),
    start("an Oracle ASM disk", 32, b"ORCLDISK"),
    end("a DRBD device", 4096, 4096 - 60, &[0x83, 0x74, 0x02]),
    start("a partition table", 510, &[0x55, 0xaa]),
];

/// Bytes of a page, at the end of whose first one swap has its signature, by architecture.
const PAGES: [u64; 5] = [4096, 8192, 16384, 32768, 65536];
/// LVM has its label in one of the first four sectors.
const LABEL: &[u8] = b"LABELONE";
/// The magic of an uberblock of ZFS, in the 128 KiB of them that each of its four labels of 256 KiB ends with.
const UBERBLOCK: u64 = 0x00ba_b10c;
const ZFS_LABEL: u64 = 256 << 10;

/// The first signature of a device, or of a file that stands for one; `None` where it has none that is known. `bytes` is its
/// size, and `logical` the bytes of its logical block.
///
/// # Errors
/// It cannot be read.
pub fn signature(file: &File, bytes: u64, logical: u64) -> io::Result<Option<&'static str>> {
    let read = |at: u64, into: &mut [u8]| -> io::Result<bool> {
        if at.checked_add(into.len() as u64).is_none_or(|end| end > bytes) {
            return Ok(false);
        }
        file.read_exact_at(into, at).map(|()| true)
    };
    let is = |at: u64, wanted: &[u8]| -> io::Result<bool> {
        let mut found = vec![0; wanted.len()];
        Ok(read(at, &mut found)? && found == wanted)
    };
    for one in KNOWN {
        let place = match one.from {
            From::Start => Some(one.at),
            From::End(round, before) => (bytes / round * round).checked_sub(before),
            From::Block => Some(logical),
            From::LastBlock => (bytes / logical * logical).checked_sub(logical),
        };
        if let Some(at) = place
            && is(at, one.bytes)?
        {
            return Ok(Some(one.name));
        }
    }
    for page in PAGES {
        for word in [b"SWAPSPACE2", b"SWAP-SPACE", b"S1SUSPEND\0"] {
            if is(page - 10, word)? {
                return Ok(Some("swap"));
            }
        }
    }
    for sector in 0..4 {
        if is(sector * 512, LABEL)? {
            return Ok(Some("a physical volume of LVM"));
        }
    }
    let whole = bytes / ZFS_LABEL * ZFS_LABEL;
    for label in [Some(0), Some(ZFS_LABEL), whole.checked_sub(2 * ZFS_LABEL), whole.checked_sub(ZFS_LABEL)] {
        let Some(ring) = label.map(|label| label + ZFS_LABEL / 2) else { continue };
        let mut all = vec![0; ZFS_LABEL as usize / 2];
        if !read(ring, &mut all)? {
            continue;
        }
        let is_magic = |block: &[u8]| {
            let word = <[u8; 8]>::try_from(&block[..8]).map(u64::from_le_bytes).unwrap_or_default();
            word == UBERBLOCK || word.swap_bytes() == UBERBLOCK
        };
        if all.chunks_exact(1024).any(is_magic) {
            return Ok(Some("a member of a ZFS pool"));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    const BYTES: u64 = 4 << 20;

    fn with(at: u64, bytes: &[u8]) -> Option<&'static str> {
        let path =
            std::env::temp_dir().join(format!("lanescope-signature-{}-{at}-{}", std::process::id(), bytes.len()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.set_len(BYTES).unwrap();
        file.write_all_at(bytes, at).unwrap();
        let found = signature(&file, BYTES, 512).unwrap();
        std::fs::remove_file(path).unwrap();
        found
    }

    #[test]
    fn is_each_signature_found_at_its_place_and_nowhere_else() {
        assert_eq!(with(0, &[]), None);
        for one in KNOWN {
            let at = match one.from {
                From::Start => one.at,
                From::End(round, before) => BYTES / round * round - before,
                From::Block => 512,
                From::LastBlock => BYTES - 512,
            };
            assert_eq!(with(at, one.bytes), Some(one.name));
            // Odd, so that it is no other one's place.
            assert_eq!(with(BYTES / 2 + 12_345, one.bytes), None, "{}", one.name);
        }
        assert_eq!(with(4086, b"SWAPSPACE2"), Some("swap"));
        assert_eq!(with(65_526, b"SWAPSPACE2"), Some("swap"));
        assert_eq!(with(512, LABEL), Some("a physical volume of LVM"));
        for ring in [128 << 10, 384 << 10, BYTES - (384 << 10), BYTES - (128 << 10)] {
            assert_eq!(with(ring + 5 * 1024, &UBERBLOCK.to_le_bytes()), Some("a member of a ZFS pool"));
            assert_eq!(with(ring, &UBERBLOCK.to_be_bytes()), Some("a member of a ZFS pool"));
        }
        assert_eq!(with(1 << 20, &UBERBLOCK.to_le_bytes()), None);
    }

    #[test]
    fn is_a_device_that_is_too_short_for_a_signature_read_no_further() {
        let path = std::env::temp_dir().join(format!("lanescope-short-{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        for bytes in [0, 1, 511, 512, 513, 4096, 300_000] {
            file.set_len(bytes).unwrap();
            assert_eq!(signature(&file, bytes, 512).unwrap(), None, "{bytes}");
        }
        std::fs::remove_file(path).unwrap();
    }
}
