//! The error of a part that cannot be built as described.

/// Why a part or its software cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {help}")]
pub struct KindError {
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub help: String,
}
