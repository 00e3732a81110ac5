//! Kinds of part: what a kind declares, for all crates that use it.
//!
//! A kind is a struct of fields (declared with [`params!`](crate::params)) that implements [`Declared`]: its word, its
//! position in the tree, the operations of its flows, and what firmware and the limit need to know. A [`Kind`] is the
//! settings of one part, of any kind. The [`registry`](crate::registry) lists the kinds of a program.
//!
//! Not here: behaviour. The provider of the kind builds that for the simulation.

use crate::demand::Demand;
use crate::field::{Field, Params};
use crate::kinds::card::{CardParams, TagBits};
use crate::kinds::host::HostParams;
use crate::kinds::queues::Queues;
pub use crate::kinds::row::{Row, Shared};
use crate::operation::Operation;
use pcie::Bytes;
use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;

/// The position of a part in the tree of links (Configuration Space: root ports and switch ports have Type 1 headers,
/// endpoints Type 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreePosition {
    /// A root: CPUs, memory and root complex. All its ports are root ports.
    Root,
    /// A switch: one upstream port, and downstream ports.
    Switch,
    /// An endpoint: a function that makes and answers requests.
    Endpoint,
}

/// The declaration of a kind, for its registration.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Its word in descriptions, as in `dma-card`. It must be unique.
    pub word: &'static str,
    /// One line, for people.
    pub about: &'static str,
    /// Its position in the tree.
    pub place: TreePosition,
    /// The operations of its flows. A host has none: its flows are those of the endpoints at their other ends.
    pub operations: &'static [Operation],
    /// Its fields, in order of declaration.
    pub fields: &'static [Field],
    /// Its catalogue: pairs of family and YAML text.
    pub catalogue: &'static [(&'static str, &'static str)],
    /// Machines that come with it: pairs of name and YAML text.
    pub machines: &'static [(&'static str, &'static str)],
    /// What its flows may wait for in it and nowhere else, in its words, as in `the sensor`: the causes of its rows, and the waits
    /// that its parts say ([`Wait::own`](crate::Wait::own)).
    pub causes: &'static [&'static str],
    /// Makes one with every field at its default.
    pub default: fn() -> Kind,
}

/// Fields that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The field with the wrong value.
    pub field: &'static str,
    /// The value, as written in a description.
    pub value: String,
    /// What would be right.
    pub help: String,
}

/// The settings of a kind of part, with its declarations.
///
/// An implementation declares what is true for any part with these settings. It must not depend on anything but its
/// fields: `limit`, firmware and metrics call these functions in any order and any number of times. The rates of rows and
/// the engine's figures must not be below what the behaviour of the part can reach, because the limit is an upper
/// bound.
pub trait Declared: Params + PartialEq + Debug + Send + Sync + 'static {
    /// What is registered.
    const DECLARATION: Declaration;

    /// Fields that contradict each other, which the types of single fields cannot detect.
    fn check(&self) -> Option<Wrong> {
        None
    }

    /// The tag width of its requests, for firmware; `None` for a part that makes no requests.
    fn tag_bits(&self) -> Option<TagBits> {
        self.engine().map(|engine| engine.tag_bits)
    }

    /// Its DMA engine, expressed as a DMA card. The limit, metrics and proposals read it. A kind whose flows move data
    /// themselves must have one; a part without (`None`) is only accessed by CPUs.
    fn engine(&self) -> Option<CardParams> {
        None
    }

    /// True where the part runs compiled gateware, so that fields [of a build](Field::of_build) name what was compiled.
    fn is_compiled(&self) -> bool {
        false
    }

    /// Its CPUs, memory and root complex, expressed as a host. The limit, metrics, firmware and the simulation's own
    /// host read it. A kind at [`TreePosition::Root`] must have one.
    fn host(&self) -> Option<Cow<'_, HostParams>> {
        None
    }

    /// After how many bytes `written`, or read, the state of the part turns, so that its rate changes. A kind that has
    /// such must have the field [`WRITTEN`], what has moved before a run.
    fn turns(&self, written: bool) -> Vec<Bytes> {
        let _ = written;
        Vec::new()
    }

    /// Its rows in the limit's table of a flow with this demand, beside those of its engine and its queues. Flows share them as
    /// each row says.
    fn rows(&self, demand: &Demand) -> Vec<Row> {
        let _ = demand;
        Vec::new()
    }

    /// What the part may have ready for a flow with this demand when a measurement begins, as what it has read ahead: bytes beyond
    /// what its rows give.
    fn ready(&self, demand: &Demand) -> Bytes {
        let _ = demand;
        Bytes(0)
    }

    /// The unit in which the part moves on with a flow of this demand, as a page of flash: a run that is measured has many.
    fn grain(&self, demand: &Demand) -> Bytes {
        let _ = demand;
        Bytes(0)
    }

    /// The queues that a flow of a drive with this demand uses, with the software of `host`; `None` for a kind without queues. A kind
    /// with operations [that are queued](Operation::queued) must have them.
    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        let _ = (demand, host);
        None
    }

    /// What a host makes of the demand of a flow of a drive: logic may divide its commands, and give several of them at
    /// once. Software gives them as they are.
    fn gives(&self, demand: &Demand) -> Demand {
        *demand
    }
}

/// The field of what has been written to a part, or moved, before a run.
pub const WRITTEN: &str = "written";

/// [`Declared`] as a trait object.
trait Settings: Debug + Send + Sync {
    fn declaration(&self) -> &'static Declaration;
    fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>>;
    fn get(&self, name: &str) -> Option<String>;
    fn check(&self) -> Option<Wrong>;
    fn tag_bits(&self) -> Option<TagBits>;
    fn engine(&self) -> Option<CardParams>;
    fn is_compiled(&self) -> bool;
    fn host(&self) -> Option<Cow<'_, HostParams>>;
    fn turns(&self, written: bool) -> Vec<Bytes>;
    fn rows(&self, demand: &Demand) -> Vec<Row>;
    fn ready(&self, demand: &Demand) -> Bytes;
    fn grain(&self, demand: &Demand) -> Bytes;
    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues>;
    fn gives(&self, demand: &Demand) -> Demand;
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
    fn is_compiled(&self) -> bool {
        Declared::is_compiled(self)
    }
    fn host(&self) -> Option<Cow<'_, HostParams>> {
        Declared::host(self)
    }
    fn turns(&self, written: bool) -> Vec<Bytes> {
        Declared::turns(self, written)
    }
    fn rows(&self, demand: &Demand) -> Vec<Row> {
        Declared::rows(self, demand)
    }
    fn ready(&self, demand: &Demand) -> Bytes {
        Declared::ready(self, demand)
    }
    fn grain(&self, demand: &Demand) -> Bytes {
        Declared::grain(self, demand)
    }
    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        Declared::queues(self, demand, host)
    }
    fn gives(&self, demand: &Demand) -> Demand {
        Declared::gives(self, demand)
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

/// The settings of one part, of any kind.
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
    /// From the settings of a kind.
    pub fn new(settings: impl Declared) -> Kind {
        Kind(Box::new(settings))
    }
    /// The settings, where the part is of kind `P`.
    pub fn of<P: Declared>(&self) -> Option<&P> {
        self.0.any().downcast_ref()
    }
    /// See [`Kind::of`].
    pub fn of_mut<P: Declared>(&mut self) -> Option<&mut P> {
        self.0.any_mut().downcast_mut()
    }
    /// The declaration of the kind.
    pub fn declaration(&self) -> &'static Declaration {
        self.0.declaration()
    }
    /// The word of the kind, as in a description.
    pub fn word(&self) -> &'static str {
        self.declaration().word
    }
    /// The position in the tree.
    pub fn place(&self) -> TreePosition {
        self.declaration().place
    }
    /// True for a root: CPUs, memory and root complex.
    pub fn is_root(&self) -> bool {
        self.place() == TreePosition::Root
    }
    /// True for a switch.
    pub fn is_switch(&self) -> bool {
        self.place() == TreePosition::Switch
    }
    /// True for an endpoint.
    pub fn is_endpoint(&self) -> bool {
        self.place() == TreePosition::Endpoint
    }
    /// The fields, in order of declaration.
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
    /// As [`Declared::is_compiled`].
    pub fn is_compiled(&self) -> bool {
        self.0.is_compiled()
    }
    /// As [`Declared::host`].
    pub fn host(&self) -> Option<Cow<'_, HostParams>> {
        self.0.host()
    }
    /// As [`Declared::turns`].
    pub fn turns(&self, written: bool) -> Vec<Bytes> {
        self.0.turns(written)
    }
    /// As [`Declared::queues`].
    pub fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        self.0.queues(demand, host)
    }
    /// As [`Declared::gives`].
    pub fn gives(&self, demand: &Demand) -> Demand {
        self.0.gives(demand)
    }
    /// As [`Declared::rows`].
    pub fn rows(&self, demand: &Demand) -> Vec<Row> {
        self.0.rows(demand)
    }
    /// As [`Declared::ready`].
    pub fn ready(&self, demand: &Demand) -> Bytes {
        self.0.ready(demand)
    }
    /// As [`Declared::grain`].
    pub fn grain(&self, demand: &Demand) -> Bytes {
        self.0.grain(demand)
    }
}
