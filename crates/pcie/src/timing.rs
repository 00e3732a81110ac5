//! Timers of the data link layer and the SKP ordered sets of the physical layer.

use crate::generation::{Encoding, Generation};
use crate::link::LinkSpeed;

/// TLP overhead of the latency formulas, in symbol times of one lane (Data Link Layer, Ack Transmission Latency Limit).
const TLP_OVERHEAD_SYMBOLS: u64 = 28;

/// Ten times the AckFactor (and UpdateFactor) for a Max_Payload_Size of `mps` bytes and `lanes` lanes.
fn factor_tenths(mps: u64, lanes: u64) -> u64 {
    match (mps, lanes) {
        (..=256, ..=4) => 14,
        (..=256, ..=8) => 25,
        (..=256, _) => 30,
        (_, ..=8) => 10,
        (_, _) => 20,
    }
}

/// Internal delay of the latency formulas, in symbol times.
fn internal_delay_symbols(generation: Generation) -> u64 {
    match generation {
        Generation::Gen1 => 19,
        Generation::Gen2 => 70,
        _ => 115,
    }
}

/// The Ack Transmission Latency Limit in symbol times **of one lane**: the longest delay of an ACK, an upper bound and
/// not a period. `mps` is the port's Max_Payload_Size in bytes. (Data Link Layer, tables Maximum Ack Latency Limits.)
pub fn ack_latency_symbols(speed: LinkSpeed, mps: u64) -> u64 {
    let lanes = speed.width.lanes();
    (mps + TLP_OVERHEAD_SYMBOLS) * factor_tenths(mps, lanes) / (10 * lanes) + internal_delay_symbols(speed.generation)
}

/// The UpdateFC Transmission Latency guideline in symbol times of one lane: the longest recommended delay between
/// freeing credits and sending the UpdateFC. The same formula, with the UpdateFactor, whose table equals that of the
/// AckFactor. (Transaction Layer, tables Maximum UpdateFC Transmission Latency Guidelines.)
pub fn update_fc_latency_symbols(speed: LinkSpeed, mps: u64) -> u64 {
    ack_latency_symbols(speed, mps)
}

/// The longest time between two UpdateFCs of a finite credit type, in femtoseconds, even where no credits were freed
/// (Transaction Layer, FC Information Tracked by Receiver: 30 us, -0 % / +50 %).
pub const UPDATE_FC_REFRESH_FS: u64 = 30_000_000_000;

/// SKP ordered sets: interval and length in symbol times of one lane (Physical Layer, Clock Tolerance Compensation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skp {
    /// From the start of one to the start of the next, where no packet delays it.
    pub interval_symbols: u64,
    /// Length of one ordered set.
    pub length_symbols: u64,
}

/// The shortest and the longest interval that the standard allows, with a common clock or with separate spread-spectrum
/// clocks (SRIS).
pub const fn skp_interval_range(encoding: Encoding, sris: bool) -> (u64, u64) {
    match (encoding, sris) {
        (Encoding::E8b10b, false) => (1180, 1538),
        (Encoding::E8b10b, true) => (1, 154),
        (Encoding::E128b130b, false) => (370 * BLOCK_SYMBOLS, 375 * BLOCK_SYMBOLS),
        (Encoding::E128b130b, true) => (BLOCK_SYMBOLS, 38 * BLOCK_SYMBOLS),
    }
}

/// Symbols in a block of 128b/130b.
pub const BLOCK_SYMBOLS: u64 = 16;

/// Bytes of the EDS token, which ends a data stream before an ordered set at 128b/130b.
pub const EDS_BYTES: u64 = 4;

/// The shortest interval allowed with a common clock, or the longest allowed with SRIS.
pub const fn skp(encoding: Encoding, sris: bool) -> Skp {
    let (least, most) = skp_interval_range(encoding, sris);
    Skp {
        interval_symbols: if sris { most } else { least },
        length_symbols: match encoding {
            Encoding::E8b10b => 4,
            Encoding::E128b130b => BLOCK_SYMBOLS,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(generation: u8, mps: u64) -> Vec<u64> {
        ["x1", "x2", "x4", "x8", "x12", "x16", "x32"]
            .map(|w| ack_latency_symbols(format!("gen{generation}{w}").parse().unwrap(), mps))
            .to_vec()
    }

    #[test]
    fn the_formula_gives_the_tables_of_the_standard() {
        assert_eq!(limits(1, 128), [237, 128, 73, 67, 58, 48, 33]);
        assert_eq!(limits(1, 256), [416, 217, 118, 107, 90, 72, 45]);
        assert_eq!(limits(1, 512), [559, 289, 154, 86, 109, 86, 52]);
        assert_eq!(limits(1, 4096), [4143, 2081, 1050, 534, 706, 534, 276]);
        assert_eq!(limits(2, 128), [288, 179, 124, 118, 109, 99, 84]);
        assert_eq!(limits(3, 128), [333, 224, 169, 163, 154, 144, 129]);
    }
}
