//! Decompression (zstd, gzip, xz) with a size limit, and compression (zstd).

use crate::error::Problem;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::fmt::Display;
use std::io::Read;

/// The most bytes that are read of a file or unpacked from an archive. This bounds the memory for any input.
pub const MOST_BYTES: usize = 64 << 20;

/// The memory limit of the xz decoder, in KiB: twice the dictionary of `xz -9`.
const MOST_DICTIONARY_KIB: u32 = 128 << 10;

/// A compression format.
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
    /// The format, by the first bytes of a file; `None` for any other file.
    pub fn of(bytes: &[u8]) -> Option<Compression> {
        match bytes {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', ..] => Some(Compression::Xz),
            _ => None,
        }
    }
    /// Decompresses. More than [`MOST_BYTES`] of output is an error.
    ///
    /// # Errors
    /// The input is damaged, or the output is too large.
    pub fn unpack(self, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
        match self {
            Compression::Zstd => unzstd(bytes),
            Compression::Gzip => bounded(MultiGzDecoder::new(bytes), Vec::new()),
            Compression::Xz => bounded(XzReader::new_mem_limit(bytes, true, MOST_DICTIONARY_KIB), Vec::new()),
        }
    }
}

/// Decompresses all frames of zstd data. More than [`MOST_BYTES`] of output is an error.
///
/// # Errors
/// The input is not zstd, or the output is too large.
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

/// Appends the bytes of `from` to `unpacked`, up to the size limit.
fn bounded(from: impl Read, mut unpacked: Vec<u8>) -> Result<Vec<u8>, Problem> {
    let room = (MOST_BYTES + 1).saturating_sub(unpacked.len());
    from.take(room as u64).read_to_end(&mut unpacked).map_err(damaged)?;
    if unpacked.len() > MOST_BYTES {
        return Err(Problem::TooLarge(MOST_BYTES >> 20));
    }
    Ok(unpacked)
}

/// Compresses with zstd.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}
