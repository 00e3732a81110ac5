//! Lines of a survey, in the form that the ending of a file asks for.

mod form;
mod lines;
#[cfg(feature = "parquet")]
mod parquet;

pub use form::{FORMS, Form};
pub use lines::csv;
