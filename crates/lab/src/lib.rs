//! The laboratory: experiments run point by point, published figures, and how far the two lie apart.
//!
//! What it is not: it holds no event loop and no closed form, and it prints nothing.
//!
//! | word | meaning |
//! |---|---|
//! | reference | a file of published figures, a row each |
//! | point | a value for every axis of an experiment ([`At`]) |
//! | figure | what is measured at a point, beside its limit and what was published |
//! | fit | figures of parts found from measurements, with their uncertainty |
//! | table | rows that belong together, with the bounds that are stated for them |

pub mod at;
pub mod bound;
pub mod cause;
pub mod error;
pub mod fit;
pub mod formula;
pub mod gateware;
pub mod machine;
pub mod metric;
pub mod path;
pub mod plan;
pub mod provenance;
pub mod reference;
pub mod report;
pub mod selection;
pub mod span;
pub mod survey;
pub mod sweep;
pub mod theory;
pub mod tune;
pub mod unit;
pub mod validate;
pub mod what_if;

pub use at::At;
pub use error::{Error, RowError};
pub use machine::{DescribedMachine, Machines};
pub use metric::{Metric, Quality};
pub use reference::{Reference, Row};
pub use selection::{Pattern, Selection};
pub use span::Span;
pub use unit::Unit;
