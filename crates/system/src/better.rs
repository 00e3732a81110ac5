//! What makes a machine faster: the direction of a field, and its next values.
//!
//! A kind says both where it declares the field, as marks after the default in [`params!`](crate::params). What-if, the proof
//! of a bottleneck and tuning read them, and know no field by its name.
//!
//! Not here: which field is worth a try. The limit and the loss budget of a run say that.

use crate::scale::Scale;
use std::fmt;

/// Which values of a field make a flow faster, or at least not slower, with everything else as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Larger ones.
    More,
    /// Smaller ones.
    Less,
    /// Larger or smaller ones: that depends on the flow.
    Either,
    /// This word.
    Word(&'static str),
    /// None: it says what the part is, or what is measured.
    Neither,
    /// Nobody has said it. It is not tried.
    Unsaid,
}

/// The next legal value of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A little more or less: 5 %, of a count at least one.
    Little,
    /// Twice as much: powers of two only.
    Double,
    /// Bytes of payload in a TLP: a little more in multiples of 4, up to Max_Payload_Size.
    Payload,
    /// A little more, or room for one more of these, as less may have no effect.
    Room(Holds),
}

/// What there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Payload of TLPs, in bytes.
    Payload,
    /// Payload of TLPs, in data credits of 16 bytes.
    DataCredits,
    /// Whole TLPs with sequence number and LCRC, in bytes.
    Tlps,
    /// What read requests ask for, in bytes.
    Requests,
}

/// Sizes at a part that decide how much room one TLP or one request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Max_Payload_Size, in bytes.
    pub payload: u64,
    /// Its largest read request, in bytes; Max_Payload_Size for a part that makes none.
    pub request: u64,
}

/// One step of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct NextValue {
    /// The value, as written in a description.
    pub to: String,
    /// The size of the step, as a ratio above 1; `None` between words, and from 0 or to 0.
    pub ratio: Option<f64>,
}

/// Header of 4 DW, sequence number and LCRC of a TLP, rounded up to whole DWs, in bytes.
const AROUND: u64 = 24;

impl Better {
    /// The direction of a quantity where the declaration of a field has no mark.
    pub const fn of(scale: Scale) -> Better {
        match scale {
            Scale::Time | Scale::Ppm => Better::Less,
            Scale::Rate | Scale::Frequency | Scale::Size => Better::More,
            Scale::Switch | Scale::Words(_) => Better::Neither,
            Scale::Bytes | Scale::Whole(_) => Better::Unsaid,
        }
    }
}

impl fmt::Display for Better {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Better::More => "more",
            Better::Less => "less",
            Better::Either => "more or less",
            Better::Word(word) => word,
            Better::Neither | Better::Unsaid => "neither",
        })
    }
}

impl Holds {
    /// The room that one takes, in the unit of the field.
    pub fn room(self, sizes: Sizes) -> u64 {
        match self {
            Holds::Payload => sizes.payload,
            Holds::DataCredits => sizes.payload.div_ceil(16),
            Holds::Tlps => sizes.payload + AROUND,
            Holds::Requests => sizes.request,
        }
    }
}
