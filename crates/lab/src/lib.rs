//! The laboratory: runs experiments point by point, reads published figures, and computes the errors between the two.
//!
//! What it is not: it has no event loop and no closed form, and it prints nothing.
//!
//! | word | meaning |
//! |---|---|
//! | reference | a file of published figures, one per row |
//! | point | a value for every axis of an experiment ([`At`]) |
//! | figure | what is measured at a point, with its limit and its published value |
//! | explanation | which causes fit the rates of devices alone and together ([`explain`])
//! | fit | figures of parts found from measurements, with their uncertainty |
//! | set | the rows of a bundled file, or those of one machine in it |
//! | calibration | the figures of a host from a few measurements, each with its error |
//! | table | rows that belong together, with the bounds stated for them |

pub mod above;
pub mod at;
pub mod bound;
mod bundled;
mod burst;
pub mod calibrate;
pub mod cause;
mod comparison;
mod confirmed;
pub mod difference;
pub mod error;
pub mod explain;
pub mod fit;
pub mod formula;
pub mod gateware;
mod job;
pub mod machine;
mod measured;
pub mod metric;
pub mod path;
mod place;
pub mod plan;
pub mod provenance;
pub mod reference;
pub mod report;
pub mod selection;
pub mod sets;
pub mod span;
pub mod stream;
pub mod survey;
pub mod sweep;
pub mod takes;
pub mod theory;
pub mod tune;
pub mod unit;
pub mod validate;
pub mod what_if;

pub use at::At;
pub use burst::Burst;
pub use error::{Error, RowError};
pub use machine::{DescribedMachine, Machines};
pub use metric::{Metric, Quality};
pub use reference::{Reference, Row};
pub use selection::{RowPattern, Selection};
pub use span::Span;
pub use unit::Unit;
