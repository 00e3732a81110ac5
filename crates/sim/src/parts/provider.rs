//! Who builds parts that this crate does not know, and their software.

use crate::engine::refusal::KindError;
use crate::parts::part::Part;
use crate::software::driver::Software;
use crate::software::resources::Resources;
use std::fmt::Debug;
use std::sync::OnceLock;
use system::kind::Declaration;
use system::registry::{self, RegistryError};
use system::{PartId, Scenario};

/// What stands for a part in a run.
pub struct Built {
    /// What it does.
    pub part: Box<dyn Part>,
    /// Its software: on each of its hosts, one or none.
    pub software: Vec<Software>,
}

impl Built {
    /// A part that needs no software.
    pub fn alone(part: impl Part + 'static) -> Built {
        Built { part: Box::new(part), software: Vec::new() }
    }
}

/// Who builds parts of a kind.
pub trait Provider: Debug + Sync {
    /// True for the parts that it builds.
    fn builds(&self, part: &system::Node) -> bool;
    /// What stands for `part`, for all flows that begin or end there: the part, and its software. What these need of a host,
    /// memory and messages, is among `resources`.
    ///
    /// # Errors
    /// One that cannot be had so, or a flow that it cannot carry out.
    fn build(&self, scenario: &Scenario, part: PartId, resources: &mut Resources) -> Result<Built, KindError>;
    /// True where the parts work on bytes: those of the host's memory are real then, and a flow ends with its memory.
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
pub(crate) fn provider<'a>(brought: &[&'a dyn Provider], part: &system::Node) -> Option<&'a dyn Provider> {
    let registered = || {
        let of_kind = |one: &&Registration| one.kind.word == part.kind.word() && one.provider.builds(part);
        REGISTERED.get().into_iter().flatten().find(of_kind).map(|one| one.provider)
    };
    brought.iter().copied().find(|brought| brought.builds(part)).or_else(registered)
}

/// As [`provider`]; a host that they do not build, `own` builds.
///
/// # Errors
/// Nobody builds it.
pub(crate) fn needed_provider<'a>(
    brought: &[&'a dyn Provider],
    own: &'a dyn Provider,
    part: &system::Node,
) -> Result<&'a dyn Provider, KindError> {
    let missing = || {
        let (what, help) = match part.kind.card() {
            Some(card) if card.is_compiled() => (
                "`gateware` is not known to this program".to_string(),
                "take the field out, or run it with a program that has the crate `cosim`".to_string(),
            ),
            _ => (
                format!("nobody builds a part of the kind `{}`", part.kind.word()),
                "name who does in the options of the run (`dma::options()` for DMA cards), or register it beside what it declares".to_string(),
            ),
        };
        KindError { what, help }
    };
    provider(brought, part).or_else(|| own.builds(part).then_some(own)).ok_or_else(missing)
}
