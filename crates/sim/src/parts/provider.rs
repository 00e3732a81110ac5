//! Providers, which build the parts of a run and their software, and their registration.

use crate::engine::refusal::KindError;
use crate::parts::part::Part;
use crate::software::driver::Software;
use crate::software::resources::Resources;
use std::fmt::Debug;
use std::sync::OnceLock;
use system::kind::Declaration;
use system::registry::{self, RegistryError};
use system::{PartId, Scenario};

/// A part of a run, as a provider builds it.
pub struct Built {
    /// Its behaviour.
    pub part: Box<dyn Part>,
    /// Its software: at most one for each of its hosts.
    pub software: Vec<Software>,
}

impl Built {
    /// A part that needs no software.
    pub fn alone(part: impl Part + 'static) -> Built {
        Built { part: Box::new(part), software: Vec::new() }
    }
}

/// Builds parts of one or several kinds.
///
/// A provider is shared by runs in several threads: it keeps no state of a run. It reads the scenario and must not
/// depend on anything else, so that equal scenarios give equal runs.
pub trait Provider: Debug + Sync {
    /// True for the parts that it builds. Called before [`Provider::build`], possibly more than once.
    fn builds(&self, part: &system::Node) -> bool;
    /// Builds `part` for all flows that begin or end there, and its software. Both get the host memory and the
    /// interrupt messages that they need from `resources`, and must use no others.
    ///
    /// # Errors
    /// The part is not possible as described, or it cannot carry out one of the flows.
    fn build(&self, scenario: &Scenario, part: PartId, resources: &mut Resources) -> Result<Built, KindError>;
    /// True where the parts work on payload bytes. Host memory then has real bytes, and a flow ends where its memory
    /// ends.
    fn works_on_bytes(&self) -> bool {
        false
    }
}

/// The registration of a kind by another crate: its declaration and its provider.
#[derive(Clone, Copy, Debug)]
pub struct Registration {
    /// The declaration of the kind.
    pub kind: &'static Declaration,
    /// The provider of its parts.
    pub provider: &'static dyn Provider,
}

static REGISTERED: OnceLock<Vec<Registration>> = OnceLock::new();

/// Registers kinds of other crates. Must be called once, before the first description is read.
///
/// # Errors
/// Those of [`system::registry::register`].
pub fn register(all: &[Registration]) -> Result<(), RegistryError> {
    registry::register(&all.iter().map(|one| one.kind).collect::<Vec<_>>())?;
    REGISTERED.get_or_init(|| all.to_vec());
    Ok(())
}

/// The provider of `part`: the first of `brought` that builds it, or else the one registered for its kind.
pub(crate) fn provider<'a>(brought: &[&'a dyn Provider], part: &system::Node) -> Option<&'a dyn Provider> {
    let registered = || {
        let of_kind = |one: &&Registration| one.kind.word == part.kind.word() && one.provider.builds(part);
        REGISTERED.get().into_iter().flatten().find(of_kind).map(|one| one.provider)
    };
    brought.iter().copied().find(|brought| brought.builds(part)).or_else(registered)
}

/// As [`provider`]. Hosts without such a provider are built by `own`.
///
/// # Errors
/// No provider builds the part.
pub(crate) fn needed_provider<'a>(
    brought: &[&'a dyn Provider],
    own: &'a dyn Provider,
    part: &system::Node,
) -> Result<&'a dyn Provider, KindError> {
    let missing = || {
        let (what, help) = match part.kind.is_compiled() {
            true => (
                "`gateware` is not known to this program".to_string(),
                "take the field out, or run it with a program that has the crate `cosim`".to_string(),
            ),
            false => (
                format!("nobody builds a part of the kind `{}`", part.kind.word()),
                "name who does in the options of the run (`dma::options()` for DMA cards), or register it beside what it declares".to_string(),
            ),
        };
        KindError { what, help }
    };
    provider(brought, part).or_else(|| own.builds(part).then_some(own)).ok_or_else(missing)
}
