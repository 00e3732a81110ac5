//! What the engine refuses.

use sim::parts::KindError;

/// Refuses what this engine does not support, with advice.
pub fn refuse<T>(what: impl Into<String>, help: impl Into<String>) -> Result<T, KindError> {
    Err(KindError { what: what.into(), help: help.into() })
}
