//! Rows of a survey, in the form that a file's extension selects.

mod form;
mod lines;
#[cfg(feature = "parquet")]
mod parquet;

pub use form::{FORMS, Form};
pub use lines::{csv, value};
