//! A kind of part: what it declares of itself, in one place, for everything above that asks.
//!
//! A kind is a struct of fields (declared with [`params!`](crate::params)) that is [`Declared`]: its word, what it is on
//! the tree of links, which operations its flows may have, and what firmware and the limit have to know of it. A [`Kind`]
//! is the settings of one part, of any kind. Which kinds a program knows, the [`registry`](crate::registry) says.
//!
//! What it is not: behaviour. What a part does with a TLP belongs to whoever builds it for the simulation.

use crate::cause::Cause;
use crate::field::{Field, Params};
use crate::kinds::card::{CardParams, TagBits};
use crate::kinds::host::HostParams;
use crate::operation::Operation;
use pcie::{Bytes, Rate};
use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;

/// What a part is on the tree of links (Configuration Space: root ports and switch ports have Type 1 headers, endpoints
/// Type 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreePosition {
    /// CPUs, memory and root complex: all its ports are root ports.
    Root,
    /// One upstream port, and downstream ports.
    Switch,
    /// A function that makes and answers requests: its ports are endpoints.
    Endpoint,
}

/// A kind of part, as it is registered.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// As written for `kind`, as in `dma-card`.
    pub word: &'static str,
    /// One line, for people.
    pub about: &'static str,
    /// What it is on the tree of links.
    pub place: TreePosition,
    /// What its flows may do. Flows of a host are those of the endpoint at their other end.
    pub operations: &'static [Operation],
    /// Its fields, in the order of declaration.
    pub fields: &'static [Field],
    /// Catalogue entries that come with it: the family and its YAML.
    pub catalogue: &'static [(&'static str, &'static str)],
    /// One with every field at its default.
    pub default: fn() -> Kind,
}

/// Fields that do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Whose value is wrong.
    pub field: &'static str,
    /// As it would be written.
    pub value: String,
    /// What would be right.
    pub help: String,
}

/// Something of a part that every byte of a flow has to pass, whatever its links could: an entry of the limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// What it is: [`Cause::Own`] in the kind's own words, as in `the sensor`.
    pub cause: Cause,
    /// Payload that it passes.
    pub rate: Rate,
}

/// The settings of a kind of part, with what it declares of itself.
pub trait Declared: Params + PartialEq + Debug + Send + Sync + 'static {
    /// What is registered.
    const DECLARATION: Declaration;

    /// What a field's type cannot refuse: fields that do not go together.
    fn check(&self) -> Option<Wrong> {
        None
    }

    /// The width of the tag field of its requests, for firmware; `None` for what makes none of its own.
    fn tag_bits(&self) -> Option<TagBits> {
        self.engine().map(|engine| engine.tag_bits)
    }

    /// The DMA engine in it, in the words of a DMA card: what the limit, metrics and proposals read of an endpoint. A kind
    /// whose flows move data by themselves has one; one without (`None`) is stored to and loaded from by CPUs alone.
    fn engine(&self) -> Option<CardParams> {
        None
    }

    /// The CPUs, memory and root complex in it, in the words of a host: what the limit, metrics, firmware and the host of the
    /// simulation read of a root complex. A kind whose place is [`TreePosition::Root`] has one.
    fn host(&self) -> Option<Cow<'_, HostParams>> {
        None
    }

    /// What else a flow that does `operation`, in commands of `command`, passes in it.
    fn servers(&self, operation: Operation, command: Bytes) -> Vec<Server> {
        let _ = (operation, command);
        Vec::new()
    }
}

/// [`Declared`], without its type.
trait Settings: Debug + Send + Sync {
    fn declaration(&self) -> &'static Declaration;
    fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>>;
    fn get(&self, name: &str) -> Option<String>;
    fn check(&self) -> Option<Wrong>;
    fn tag_bits(&self) -> Option<TagBits>;
    fn engine(&self) -> Option<CardParams>;
    fn host(&self) -> Option<Cow<'_, HostParams>>;
    fn servers(&self, operation: Operation, command: Bytes) -> Vec<Server>;
    fn again(&self) -> Box<dyn Settings>;
    fn is_same(&self, other: &dyn Settings) -> bool;
    fn any(&self) -> &dyn Any;
    fn any_mut(&mut self) -> &mut dyn Any;
}

impl<P: Declared> Settings for P {
    fn declaration(&self) -> &'static Declaration {
        &P::DECLARATION
    }
    fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>> {
        Params::set(self, name, text)
    }
    fn get(&self, name: &str) -> Option<String> {
        Params::get(self, name)
    }
    fn check(&self) -> Option<Wrong> {
        Declared::check(self)
    }
    fn tag_bits(&self) -> Option<TagBits> {
        Declared::tag_bits(self)
    }
    fn engine(&self) -> Option<CardParams> {
        Declared::engine(self)
    }
    fn host(&self) -> Option<Cow<'_, HostParams>> {
        Declared::host(self)
    }
    fn servers(&self, operation: Operation, command: Bytes) -> Vec<Server> {
        Declared::servers(self, operation, command)
    }
    fn again(&self) -> Box<dyn Settings> {
        Box::new(self.clone())
    }
    fn is_same(&self, other: &dyn Settings) -> bool {
        other.any().downcast_ref::<P>().is_some_and(|other| self == other)
    }
    fn any(&self) -> &dyn Any {
        self
    }
    fn any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// What a part is an example of, with its settings.
#[derive(Debug)]
pub struct Kind(Box<dyn Settings>);

impl Clone for Kind {
    fn clone(&self) -> Kind {
        Kind(self.0.again())
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Kind {
    /// Of settings.
    pub fn new(settings: impl Declared) -> Kind {
        Kind(Box::new(settings))
    }
    /// Its settings, where it is of the kind `P`.
    pub fn of<P: Declared>(&self) -> Option<&P> {
        self.0.any().downcast_ref()
    }
    /// See [`Kind::of`].
    pub fn of_mut<P: Declared>(&mut self) -> Option<&mut P> {
        self.0.any_mut().downcast_mut()
    }
    /// What it declares.
    pub fn declaration(&self) -> &'static Declaration {
        self.0.declaration()
    }
    /// As written in a catalogue entry.
    pub fn word(&self) -> &'static str {
        self.declaration().word
    }
    /// What it is on the tree of links.
    pub fn place(&self) -> TreePosition {
        self.declaration().place
    }
    /// True for CPUs, memory and root complex.
    pub fn is_root(&self) -> bool {
        self.place() == TreePosition::Root
    }
    /// True for what has an upstream port and downstream ports.
    pub fn is_switch(&self) -> bool {
        self.place() == TreePosition::Switch
    }
    /// True for a function that makes and answers requests.
    pub fn is_endpoint(&self) -> bool {
        self.place() == TreePosition::Endpoint
    }
    /// Its fields, in the order of declaration.
    pub fn fields(&self) -> &'static [Field] {
        self.declaration().fields
    }
    /// Sets one field, as [`Params::set`].
    pub fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>> {
        self.0.set(name, text)
    }
    /// One field, as [`Params::get`].
    pub fn get(&self, name: &str) -> Option<String> {
        self.0.get(name)
    }
    /// As [`Declared::check`].
    pub fn check(&self) -> Option<Wrong> {
        self.0.check()
    }
    /// As [`Declared::tag_bits`].
    pub fn tag_bits(&self) -> Option<TagBits> {
        self.0.tag_bits()
    }
    /// As [`Declared::engine`].
    pub fn engine(&self) -> Option<CardParams> {
        self.0.engine()
    }
    /// As [`Declared::host`].
    pub fn host(&self) -> Option<Cow<'_, HostParams>> {
        self.0.host()
    }
    /// As [`Declared::servers`].
    pub fn servers(&self, operation: Operation, command: Bytes) -> Vec<Server> {
        self.0.servers(operation, command)
    }
}
