//! Devices that are gone.

use crate::function::Reach;
use crate::link::{Link, Why};
use crate::view::View;

/// True of a link that is down because what was below it does not answer any more.
pub(super) fn took_its_link(view: &View<'_>, link: &Link) -> bool {
    let lower = link.lower.and_then(|lower| view.function(lower));
    link.why == Why::Down && lower.is_some_and(|lower| lower.reach == Reach::Nothing)
}
