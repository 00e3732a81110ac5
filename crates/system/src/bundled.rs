//! The machines that come with the program: those of this crate, and those of registered kinds.

use crate::registry;

/// The names of those whose kinds of part are all of this crate.
pub const NAMES: [&str; 6] = ["rosta-rb8v7", "kfcr-5400", "kfcr-x38", "gen4-workstation", "nfp-t630", "nfp-t620v2"];

/// The names of all.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    NAMES.into_iter().chain(of_kinds().map(|(name, _)| name))
}

/// The description of one.
pub fn text(name: &str) -> Option<&'static str> {
    Some(match name {
        "rosta-rb8v7" => include_str!("../../../systems/rosta-rb8v7.yaml"),
        "kfcr-5400" => include_str!("../../../systems/kfcr-5400.yaml"),
        "kfcr-x38" => include_str!("../../../systems/kfcr-x38.yaml"),
        "nfp-t630" => include_str!("../../../systems/nfp-t630.yaml"),
        "nfp-t620v2" => include_str!("../../../systems/nfp-t620v2.yaml"),
        "gen4-workstation" => include_str!("../../../systems/gen4-workstation.yaml"),
        _ => return of_kinds().find(|(own, _)| *own == name).map(|(_, text)| text),
    })
}

/// Name and description of those that registered kinds bring.
fn of_kinds() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    registry::kinds().iter().flat_map(|kind| kind.machines.iter().copied())
}
