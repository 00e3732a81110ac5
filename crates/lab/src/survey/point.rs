//! One point of a survey.

use crate::at::At;

/// One point of a survey.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// The name of the experiment.
    pub experiment: String,
    /// The point of the experiment.
    pub at: At,
    /// The value of each dimension, in the order of the dimensions.
    pub values: Vec<String>,
}
