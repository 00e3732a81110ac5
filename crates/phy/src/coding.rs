//! From packets to the symbols of every lane, and back. See the crate for words and sources.

/// Calls a method whose width is a constant, for a width that is known at run time.
macro_rules! for_width {
    ($width:expr, $of:ident.$call:ident($($with:expr),*)) => {
        match $width {
            1 => $of.$call::<1>($($with),*),
            2 => $of.$call::<2>($($with),*),
            4 => $of.$call::<4>($($with),*),
            8 => $of.$call::<8>($($with),*),
            12 => $of.$call::<12>($($with),*),
            16 => $of.$call::<16>($($with),*),
            _ => $of.$call::<32>($($with),*),
        }
    };
}

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
