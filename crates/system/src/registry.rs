//! The kinds of part of this program: those of this crate, and those registered by other crates, once, before the first
//! description is read.

use crate::cause::{Cause, Own, is_taken};
use crate::demand::Demand;
use crate::field::Params;
use crate::kinds::kind::{Declaration, Declared, Kind, Shared, TreePosition};
use crate::kinds::{CardParams, HostParams, PortParams, SwitchParams};
use crate::operation::{End, Operation};
use std::collections::BTreeSet;
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
    /// An operation with [`Moves::Both`](crate::operation::Moves::Both) that does not go from a host to a card and back.
    #[error("`{0}` both reads and writes, and its ends are not a host and a card: write `(End::Host, End::Card)`")]
    Both(&'static str),
    /// A cause that is called as a wait that every program has.
    #[error("`{kind}` has a cause `{cause}`, as every part: its flows wait for that already")]
    Cause {
        /// The kind.
        kind: &'static str,
        /// Its cause.
        cause: &'static str,
    },
    /// More causes of kinds than a loss budget has classes for.
    #[error("the kinds have {0} causes of their own, and a program can tell {most} apart", most = Own::MOST)]
    Causes(usize),
    /// A row with a cause that the kind does not declare.
    #[error("a row of `{kind}` is called `{cause}`, which is not among the `causes` of its declaration")]
    Undeclared {
        /// The kind.
        kind: &'static str,
        /// The cause of its row.
        cause: &'static str,
    },
    /// A row that is shared, with a number that is too large.
    #[error("a row of `{kind}` has the number {number}, and they go to {most}", most = Shared::ROWS - 1)]
    Row {
        /// The kind.
        kind: &'static str,
        /// Its number.
        number: u8,
    },
    /// Too late: a description has been read already, or other kinds were registered.
    #[error("kinds are registered once, before the first description is read")]
    Late,
}

/// Names that a part has besides the fields of its kind and ports.
const RESERVED: [&str; 11] =
    ["address", "part", "kind", "about", "count", "ports", "at", "slots", "bars", "setpci", "port"];

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
        let both = |operation: &&Operation| operation.is_loop() && operation.shape().ends != (End::Host, End::Card);
        if let Some(operation) = one.operations.iter().find(both) {
            return Err(RegistryError::Both(operation.word()));
        }
        let moves = one.operations.iter().any(|operation| !operation.is_pio());
        if moves && (one.default)().engine().is_none() {
            return Err(RegistryError::Engine(one.word));
        }
        if let Some(cause) = one.causes.iter().find(|words| is_taken(words)) {
            return Err(RegistryError::Cause { kind: one.word, cause });
        }
        for row in one.operations.iter().flat_map(|&operation| (one.default)().rows(&Demand::of_one(operation))) {
            if let Cause::Own(cause) = row.cause
                && !one.causes.contains(&cause)
            {
                return Err(RegistryError::Undeclared { kind: one.word, cause });
            }
            if let Some(number) = row.shared.number().filter(|&number| number >= Shared::ROWS) {
                return Err(RegistryError::Row { kind: one.word, number });
            }
        }
        let ports = PortParams::FIELDS.iter().map(|field| field.name);
        let taken: Vec<&str> = ports.chain(RESERVED).collect();
        if let Some(field) = one.fields.iter().find(|field| taken.contains(&field.name)) {
            return Err(RegistryError::Field { kind: one.word, field: field.name });
        }
    }
    let words: Vec<&str> = all.iter().map(|kind| kind.word).collect();
    let causes: BTreeSet<&str> = causes(&all).collect();
    if causes.len() > Own::MOST {
        return Err(RegistryError::Causes(causes.len()));
    }
    let known = KINDS.get_or_init(|| {
        Own::number(self::causes(&all));
        all
    });
    if known.iter().map(|kind| kind.word).eq(words) { Ok(()) } else { Err(RegistryError::Late) }
}

fn causes<'a>(kinds: &'a [&'static Declaration]) -> impl Iterator<Item = &'static str> + 'a {
    kinds.iter().flat_map(|kind| kind.causes.iter().copied())
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
