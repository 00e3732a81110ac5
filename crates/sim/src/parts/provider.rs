//! Who builds parts that this crate does not know, and their software.

use crate::parts::face::Part;
use crate::software::thread::Driver;
use std::fmt::Debug;
use std::sync::OnceLock;
use system::kind::Declaration;
use system::registry::{self, RegistryError};
use system::{PartId, Scenario};

/// Why a part or a driver of a foreign kind cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {help}")]
pub struct KindError {
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub help: String,
}

/// Who builds parts of a kind.
pub trait Provider: Debug + Sync {
    /// True for the parts that it builds.
    fn builds(&self, part: &system::Part) -> bool;
    /// The part that stands for `part`.
    ///
    /// # Errors
    /// One that cannot be had so.
    fn part(&self, scenario: &Scenario, part: PartId) -> Result<Box<dyn Part>, KindError>;
    /// The software for flow `flow` of such a part: it drives it, or only prepares its memory. None where the part needs
    /// none.
    ///
    /// # Errors
    /// A flow that cannot be driven.
    fn driver(&self, scenario: &Scenario, flow: usize) -> Result<Option<Box<dyn Driver>>, KindError> {
        let _ = (scenario, flow);
        Ok(None)
    }
    /// True where the parts work on bytes: those of the host's memory are real then, and a flow ends with its buffer.
    fn works_on_bytes(&self) -> bool {
        false
    }
}

/// A kind as a crate above registers it: what it declares, and who builds it.
#[derive(Clone, Copy, Debug)]
pub struct Registration {
    /// What it declares.
    pub kind: &'static Declaration,
    /// Who builds its parts.
    pub provider: &'static dyn Provider,
}

static REGISTERED: OnceLock<Vec<Registration>> = OnceLock::new();

/// Registers the kinds of crates above, once, before the first description is read.
///
/// # Errors
/// As [`system::registry::register`].
pub fn register(all: &[Registration]) -> Result<(), RegistryError> {
    registry::register(&all.iter().map(|one| one.kind).collect::<Vec<_>>())?;
    REGISTERED.get_or_init(|| all.to_vec());
    Ok(())
}

/// Who builds `part`: the first of `brought` that does, else who is registered for its kind.
pub(crate) fn provider<'a>(brought: &[&'a dyn Provider], part: &system::Part) -> Option<&'a dyn Provider> {
    let registered = || {
        let of_kind = |one: &&Registration| one.kind.word == part.kind.word() && one.provider.builds(part);
        REGISTERED.get().into_iter().flatten().find(of_kind).map(|one| one.provider)
    };
    brought.iter().copied().find(|brought| brought.builds(part)).or_else(registered)
}

/// As [`provider`].
///
/// # Errors
/// Nobody builds it.
pub(crate) fn needed_provider<'a>(
    brought: &[&'a dyn Provider],
    part: &system::Part,
) -> Result<&'a dyn Provider, KindError> {
    let missing = || {
        let (what, help) = match part.kind.card() {
            Some(card) if card.is_compiled() => (
                "`gateware` is not known to this program".to_string(),
                "take the field out, or run it with a program that has the crate `cosim`".to_string(),
            ),
            _ => (
                format!("nobody builds a part of the kind `{}`", part.kind.word()),
                "register who does, beside what it declares".to_string(),
            ),
        };
        KindError { what, help }
    };
    provider(brought, part).ok_or_else(missing)
}
