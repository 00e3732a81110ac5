//! The kinds of part of this program: those of this crate, and those registered by other crates, once, before the first
//! description is read.

use crate::field::Params;
use crate::kinds::kind::{Declaration, Declared, Kind, TreePosition};
use crate::kinds::{CardParams, HostParams, PortParams, SwitchParams};
use crate::operation::Operation;
use std::sync::OnceLock;

/// The kinds of this crate.
const OWN: [&Declaration; 3] = [&HostParams::DECLARATION, &SwitchParams::DECLARATION, &CardParams::DECLARATION];

static KINDS: OnceLock<Vec<&'static Declaration>> = OnceLock::new();
static OPERATIONS: OnceLock<Vec<Operation>> = OnceLock::new();

/// Why a registration was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The word exists already, or has another meaning in descriptions or in their schema.
    #[error("`{0}` is taken: two kinds are called so, or it means something else in a description")]
    Twice(&'static str),
    /// A field with the name of a field of all ports, which could not be set.
    #[error("a field of `{kind}` is called `{field}`, as one of every part's")]
    Field {
        /// The kind.
        kind: &'static str,
        /// Its field.
        field: &'static str,
    },
    /// Switches cannot be registered: the fabric implements them.
    #[error("`{0}` is a switch: kinds of endpoint and of root complex can be registered")]
    Switch(&'static str),
    /// A root complex needs memory and a CPU ([`Declared::host`]).
    #[error("`{0}` is a root complex, and does not say what it is in the words of a host")]
    Root(&'static str),
    /// A kind whose flows move data needs an engine ([`Declared::engine`]).
    #[error("flows of `{0}` move data, and it declares no engine that moves it")]
    Engine(&'static str),
    /// An operation with [`Moves::Both`](crate::operation::Moves::Both) cannot be registered: only `loopback` is
    /// divided into two flows.
    #[error("`{0}` both reads and writes, which only `loopback` may")]
    Both(&'static str),
    /// Too late: a description has been read already, or other kinds were registered.
    #[error("kinds are registered once, before the first description is read")]
    Late,
}

/// Names that a part has besides the fields of its kind and ports.
const RESERVED: [&str; 10] = ["part", "kind", "about", "count", "ports", "at", "slots", "bars", "setpci", "port"];

/// Other definitions of the schema.
const SCHEMA: [&str; 6] = ["scalar", "flow", "flows", "axis", "experiment", "link"];

/// Registers kinds of other crates. A second registration of the same kinds has no effect.
///
/// # Errors
/// A word or field name is taken, or it is too late.
pub fn register(more: &[&'static Declaration]) -> Result<(), RegistryError> {
    let all: Vec<&'static Declaration> = OWN.into_iter().chain(more.iter().copied()).collect();
    for (number, one) in all.iter().enumerate() {
        if RESERVED.contains(&one.word)
            || SCHEMA.contains(&one.word)
            || all[..number].iter().any(|other| other.word == one.word)
        {
            return Err(RegistryError::Twice(one.word));
        }
        if number >= OWN.len() && one.place == TreePosition::Switch {
            return Err(RegistryError::Switch(one.word));
        }
        if one.place == TreePosition::Root && (one.default)().host().is_none() {
            return Err(RegistryError::Root(one.word));
        }
        let taken = |operation: &&Operation| {
            let others = all[..number].iter().flat_map(|other| other.operations).chain(Operation::OWN);
            others.into_iter().any(|other| other.word() == operation.word() && other != *operation)
        };
        if let Some(operation) = one.operations.iter().find(taken) {
            return Err(RegistryError::Twice(operation.word()));
        }
        let both =
            |operation: &&Operation| operation.reads() && !operation.is_read() && **operation != Operation::Loopback;
        if let Some(operation) = one.operations.iter().find(both) {
            return Err(RegistryError::Both(operation.word()));
        }
        let moves = one.operations.iter().any(|operation| !operation.is_pio());
        if moves && (one.default)().engine().is_none() {
            return Err(RegistryError::Engine(one.word));
        }
        let ports = PortParams::FIELDS.iter().map(|field| field.name);
        let taken: Vec<&str> = ports.chain(RESERVED).collect();
        if let Some(field) = one.fields.iter().find(|field| taken.contains(&field.name)) {
            return Err(RegistryError::Field { kind: one.word, field: field.name });
        }
    }
    let words: Vec<&str> = all.iter().map(|kind| kind.word).collect();
    let known = KINDS.get_or_init(|| all);
    if known.iter().map(|kind| kind.word).eq(words) { Ok(()) } else { Err(RegistryError::Late) }
}

/// All kinds, those of this crate first.
pub fn kinds() -> &'static [&'static Declaration] {
    KINDS.get_or_init(|| OWN.to_vec())
}

/// The operations of this crate, then those declared by registered kinds.
pub fn operations() -> &'static [Operation] {
    OPERATIONS.get_or_init(|| {
        let mut all = Operation::OWN.to_vec();
        for operation in kinds().iter().flat_map(|kind| kind.operations) {
            if !all.contains(operation) {
                all.push(*operation);
            }
        }
        all
    })
}

/// The operation with that name.
pub fn operation(word: &str) -> Option<Operation> {
    operations().iter().copied().find(|operation| operation.word() == word)
}

/// All operation names, for error messages.
pub fn expected_operations() -> String {
    let words: Vec<String> = operations().iter().map(|operation| format!("`{}`", operation.word())).collect();
    format!("one of {}", words.join(" "))
}

/// The words of all kinds.
pub fn words() -> impl Iterator<Item = &'static str> + Clone {
    kinds().iter().map(|kind| kind.word)
}

/// The kind with that word, with all fields at their defaults.
pub fn kind(word: &str) -> Option<Kind> {
    kinds().iter().find(|kind| kind.word == word).map(|kind| (kind.default)())
}
