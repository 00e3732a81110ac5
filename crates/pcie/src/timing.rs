//! Timers of the data link layer and the SKP ordered sets of the physical layer.

use crate::generation::{Encoding, Generation};
use crate::link::LinkSpeed;

/// Symbols (of one lane) that a TLP adds to its payload in the latency formulas (Data Link Layer, Ack
/// Transmission Latency Limit).
const TLP_OVERHEAD_SYMBOLS: u64 = 28;

/// Ten times the AckFactor (and UpdateFactor) for a payload of up to `mps` bytes on `lanes` lanes.
fn factor_tenths(mps: u64, lanes: u64) -> u64 {
    match (mps, lanes) {
        (..=256, ..=4) => 14,
        (..=256, ..=8) => 25,
        (..=256, _) => 30,
        (_, ..=8) => 10,
        (_, _) => 20,
    }
}

/// Symbols that the formulas allow for the inside of the ports.
fn internal_delay_symbols(generation: Generation) -> u64 {
    match generation {
        Generation::Gen1 => 19,
        Generation::Gen2 => 70,
        _ => 115,
    }
}

/// The longest that a receiver may put off an ACK, in symbol times **of a lane**: a bound, not a period. `mps`
/// is the Max_Payload_Size of the port. (Data Link Layer, tables Maximum Ack Latency Limits.)
pub fn ack_latency_symbols(speed: LinkSpeed, mps: u64) -> u64 {
    let lanes = speed.width.lanes();
    (mps + TLP_OVERHEAD_SYMBOLS) * factor_tenths(mps, lanes) / (10 * lanes) + internal_delay_symbols(speed.generation)
}

/// The longest that a receiver should put off an UpdateFC after it freed credits, in symbol times of a lane: the
/// same formula with the UpdateFactor, whose table is the AckFactor's. (Transaction Layer, tables Maximum
/// UpdateFC Transmission Latency Guidelines.)
pub fn update_fc_latency_symbols(speed: LinkSpeed, mps: u64) -> u64 {
    ack_latency_symbols(speed, mps)
}

/// Finite credit types are advertised again at least this often, in femtoseconds, whether or not anything was
/// freed (Transaction Layer, FC Information Tracked by Receiver: 30 us, -0 % / +50 %).
pub const UPDATE_FC_REFRESH_FS: u64 = 30_000_000_000;

/// SKP ordered sets: how often and how long, in symbol times of a lane (Physical Layer, Clock Tolerance
/// Compensation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skp {
    /// From one to the next, were no packet in the way.
    pub interval_symbols: u64,
    /// Of one ordered set.
    pub length_symbols: u64,
}

/// The range of intervals that the standard allows, without and with separate spread-spectrum clocks (SRIS).
pub const fn skp_interval_range(encoding: Encoding, sris: bool) -> (u64, u64) {
    match (encoding, sris) {
        (Encoding::E8b10b, false) => (1180, 1538),
        (Encoding::E8b10b, true) => (1, 154),
        (Encoding::E128b130b, false) => (370 * BLOCK_SYMBOLS, 375 * BLOCK_SYMBOLS),
        (Encoding::E128b130b, true) => (BLOCK_SYMBOLS, 38 * BLOCK_SYMBOLS),
    }
}

/// Symbols of a block of 128b/130b.
pub const BLOCK_SYMBOLS: u64 = 16;

/// Bytes of the EDS token that ends a data stream before an ordered set at 128b/130b.
pub const EDS_BYTES: u64 = 4;

/// The densest SKPs that a common clock asks for, or with separate clocks the sparsest that SRIS allows.
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
