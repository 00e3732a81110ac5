//! The kinds of part that this crate knows, and what each declares of itself.
//!
//! A kind is a struct of fields (declared with [`params!`](crate::params)) whose doc comments are the definition
//! that `limit` and `sim` both implement: they share these words and the sizes of `pcie`, and no code.

pub mod card;
pub mod host;
pub mod port;
pub mod switch;

pub use card::CardParams;
pub use host::HostParams;
pub use port::PortParams;
pub use switch::SwitchParams;

use crate::field::{Field, Params};

/// What a part is an example of, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// CPU, memory and root complex.
    Host(HostParams),
    /// A PCI Express switch, or a chipset behind DMI.
    Switch(SwitchParams),
    /// An endpoint with a DMA engine.
    Card(CardParams),
}

impl Kind {
    /// As written in a catalogue entry.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Host(_) => "host",
            Kind::Switch(_) => "switch",
            Kind::Card(_) => "dma-card",
        }
    }
    /// With every field at its default.
    pub fn from_word(word: &str) -> Option<Kind> {
        match word {
            "host" => Some(Kind::Host(HostParams::default())),
            "switch" => Some(Kind::Switch(SwitchParams::default())),
            "dma-card" => Some(Kind::Card(CardParams::default())),
            _ => None,
        }
    }
    /// The words that [`Kind::from_word`] takes.
    pub const WORDS: [&'static str; 3] = ["host", "switch", "dma-card"];

    /// Its fields, in the order of declaration.
    pub fn fields(&self) -> &'static [Field] {
        match self {
            Kind::Host(_) => HostParams::FIELDS,
            Kind::Switch(_) => SwitchParams::FIELDS,
            Kind::Card(_) => CardParams::FIELDS,
        }
    }
    /// Sets one field, as [`Params::set`].
    pub fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>> {
        match self {
            Kind::Host(params) => params.set(name, text),
            Kind::Switch(params) => params.set(name, text),
            Kind::Card(params) => params.set(name, text),
        }
    }
    /// One field, as [`Params::get`].
    pub fn get(&self, name: &str) -> Option<String> {
        match self {
            Kind::Host(params) => params.get(name),
            Kind::Switch(params) => params.get(name),
            Kind::Card(params) => params.get(name),
        }
    }
}
