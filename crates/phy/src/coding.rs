//! From packets to the symbols of every lane, and back. See the crate for words and sources.

pub mod bits;
pub mod code;
pub mod crossing;
pub mod file;
pub mod ordered;
pub mod packet;
pub mod random;
pub mod receive;
pub mod scrambler;
pub mod stream;
pub mod text;
pub mod token;
pub mod transmit;
pub mod upset;

pub use bits::Bits;
pub use crossing::Crossing;
pub use ordered::{Set, Training};
pub use packet::{Packet, TlpBytes};
pub use receive::{Event, Receiver, Symptom};
pub use stream::{Lanes, Stream};
pub use transmit::{Options, Tally, Transmitter};
pub use upset::Upset;

/// Lanes that arrive further apart than this many symbol times are not brought together (assumed; the bound that this
/// project states for its receivers).
pub const MAX_SKEW: usize = 20;
