//! What is said where something cannot be had as it was described.

/// Why a part or its software cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {help}")]
pub struct KindError {
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub help: String,
}
