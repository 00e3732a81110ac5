//! zstd, within bounds.

use crate::error::Problem;
use crate::read::MOST_BYTES;
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// Unpacks; stops with an error where it grows beyond all measure.
///
/// # Errors
/// What is no zstd, or too large.
pub fn unzstd(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let damaged = |error: String| Problem::Archive(error);
    let decoder = StreamingDecoder::new(bytes).map_err(|error| damaged(error.to_string()))?;
    let mut unpacked = Vec::new();
    decoder.take(MOST_BYTES as u64 + 1).read_to_end(&mut unpacked).map_err(|error| damaged(error.to_string()))?;
    if unpacked.len() > MOST_BYTES {
        return Err(Problem::TooLarge(MOST_BYTES >> 20));
    }
    Ok(unpacked)
}

/// Packs.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}
