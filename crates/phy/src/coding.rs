//! From packets to the symbols of every lane, and back. See the crate for words and sources.

pub mod bits;
pub mod code;
pub mod crossing;
pub mod event;
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
pub use crossing::{Crossing, MAX_SKEW};
pub use event::{Event, Receiver, Row, Symptom};
pub use ordered::{Set, Training};
pub use packet::{Packet, TlpBytes};
pub use stream::{Lanes, Stream};
pub use transmit::{Options, Tally, Transmitter};
pub use upset::Upset;
