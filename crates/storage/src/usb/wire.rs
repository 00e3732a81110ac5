//! The bus: packets, microframes, and what is kept of them (Universal Serial Bus Specification 2.0).

use pcie::Time;

/// Bytes of a packet of a high-speed bulk endpoint (USB 2.0, Bulk Transfer Packet Size Constraints).
pub(crate) const PACKET_BYTES: u64 = 512;
/// A microframe (USB 2.0, Frames and Microframes).
pub(crate) const MICROFRAME: Time = Time::from_us(125);
/// Bits a second of the bus (USB 2.0, High-speed Data Rate).
const BITS_PER_S: u64 = 480_000_000;
/// Byte times of a bulk transaction besides its payload (USB 2.0, table of high-speed bulk transaction limits): a token,
/// a data packet and a handshake, each with 4 bytes of SYNC, one of PID and 1 + 11 of the delay between packets, the
/// address and CRC of the token, and the CRC of the data.
const OVERHEAD_BYTES: u64 = 3 * (4 + 1 + 1 + 11) + 2 + 2;

/// How long a transaction with `bytes` of payload takes on the bus.
pub(crate) fn transaction(bytes: u64) -> Time {
    let bits = (bytes + OVERHEAD_BYTES) * 8;
    Time::from_fs((bits * 1_000_000_000).div_ceil(BITS_PER_S / 1_000_000))
}

system::words! {
    /// What a controller keeps of the bus for periodic traffic.
    pub enum BusReserve {
        /// Nothing.
        Nothing = "nothing",
        /// A part of each microframe.
        Microframe = "microframe",
        /// Some microframes of each frame, the same share on average.
        Frames = "frames",
    }
}
