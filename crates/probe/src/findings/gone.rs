//! Devices that are gone.

use crate::function::Reach;
use crate::link::{Link, Why};
use crate::view::View;

/// True for a link that is down because the device below it no longer answers.
pub(super) fn took_its_link(view: &View<'_>, link: &Link) -> bool {
    let lower = link.lower.and_then(|lower| view.function(lower));
    link.why == Why::Down && lower.is_some_and(|lower| lower.reach == Reach::Nothing)
}
