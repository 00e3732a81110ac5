//! Settles a machine as training and firmware do: speeds and widths, buses, addresses, payload sizes, tags.

mod address;
mod bar;
mod draft;
mod enumerate;
mod mps;
mod settings;
mod tags;
mod train;
mod tree;

pub use bar::BarRequest;
pub use draft::{Draft, LinkDraft, PartDraft};
pub(crate) use mps::raise;
pub use settings::{BarPlace, ByHand, MpsPolicy, Segments, Settings};

use crate::error::Error;
use crate::graph::{PartId, System};
use crate::source::{Place, Source};

/// Settles a machine.
///
/// # Errors
/// No host, a host of several with nothing below it, hosts with different clocks, loops, parts without a path to the
/// host, widths that no port has, not enough buses or addresses, or payload sizes by hand that a part does not support.
pub fn settle(draft: Draft) -> Result<System, Error> {
    let Draft { mut system, parts, links, settings, mps_place, mrrs_origin } = draft;
    tree::check(&system, &parts)?;
    train::train(&mut system, &links)?;
    enumerate::enumerate(&mut system, &parts, settings.segments)?;
    address::place_bars(&mut system, &parts, settings.bars)?;
    mps::settle(&mut system, &parts, &settings, mps_place.as_ref())?;
    mps::settle_requests(&mut system, &parts, settings.mrrs, mrrs_origin.as_ref());
    tags::settle(&mut system);
    (0..system.parts.len()).for_each(|part| system.list_clock(PartId(part)));
    Ok(system)
}

/// Settles speeds, widths, MPS, MRRS and tags of a machine that has its buses and addresses. Nothing is set by hand.
///
/// # Errors
/// None is known: errors of [`settle`] are about wiring, buses and values that are set by hand.
pub(crate) fn settle_in_place(system: &mut System, settings: &Settings) -> Result<(), Error> {
    let nowhere = Place::new(&Source::new("observed", ""), 0, 0);
    let parts = vec![PartDraft::new(&nowhere); system.parts.len()];
    let links = vec![LinkDraft::new(&nowhere); system.links.len()];
    train::train(system, &links)?;
    mps::settle(system, &parts, settings, None)?;
    mps::settle_requests(system, &parts, settings.mrrs, None);
    tags::settle(system);
    (0..system.parts.len()).for_each(|part| system.list_clock(PartId(part)));
    Ok(())
}
