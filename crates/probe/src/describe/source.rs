//! What a description is written from.

use super::names::Names;
use crate::report::Report;
use crate::view::View;

/// A machine with its report, and the names of its parts.
pub(super) struct Source<'m> {
    pub view: &'m View<'m>,
    pub report: &'m Report,
    pub names: Names,
    /// Sizes of all ports are written, not only those that firmware would have settled otherwise.
    pub whole: bool,
}
