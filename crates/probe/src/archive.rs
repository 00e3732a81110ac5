//! What is compressed (zstd, gzip, xz), unpacked within bounds.

use crate::error::Problem;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::fmt::Display;
use std::io::Read;

/// The most that is read of a file, and unpacked of an archive: memory stays bounded on any input.
pub const MOST_BYTES: usize = 64 << 20;

/// The memory that a dictionary of xz may take, in KiB: `xz -9` takes half of it.
const MOST_DICTIONARY_KIB: u32 = 128 << 10;

/// How something is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.zst` (RFC 8878).
    Zstd,
    /// `.gz` (RFC 1952).
    Gzip,
    /// `.xz` (The .xz File Format).
    Xz,
}

impl Compression {
    /// By the first bytes.
    pub fn of(bytes: &[u8]) -> Option<Compression> {
        match bytes {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', ..] => Some(Compression::Xz),
            _ => None,
        }
    }
    /// Unpacks; stops with an error where it grows beyond all measure.
    ///
    /// # Errors
    /// What is damaged, or too large.
    pub fn unpack(self, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
        match self {
            Compression::Zstd => unzstd(bytes),
            Compression::Gzip => bounded(MultiGzDecoder::new(bytes), Vec::new()),
            Compression::Xz => bounded(XzReader::new_mem_limit(bytes, true, MOST_DICTIONARY_KIB), Vec::new()),
        }
    }
}

/// Unpacks zstd, every frame of it; stops with an error where it grows beyond all measure.
///
/// # Errors
/// What is no zstd, or too large.
pub fn unzstd(mut bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut unpacked = Vec::new();
    while !bytes.is_empty() {
        match StreamingDecoder::new(&mut bytes) {
            Ok(decoder) => unpacked = bounded(decoder, unpacked)?,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                bytes = bytes.get(length as usize..).ok_or_else(|| damaged("a frame ends early"))?;
            }
            Err(error) => return Err(damaged(error)),
        }
    }
    Ok(unpacked)
}

fn damaged(error: impl Display) -> Problem {
    Problem::Archive(error.to_string())
}

/// Puts what comes behind `unpacked`.
fn bounded(from: impl Read, mut unpacked: Vec<u8>) -> Result<Vec<u8>, Problem> {
    let room = (MOST_BYTES + 1).saturating_sub(unpacked.len());
    from.take(room as u64).read_to_end(&mut unpacked).map_err(damaged)?;
    if unpacked.len() > MOST_BYTES {
        return Err(Problem::TooLarge(MOST_BYTES >> 20));
    }
    Ok(unpacked)
}

/// Packs.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}
