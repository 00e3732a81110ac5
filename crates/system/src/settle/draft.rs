//! A machine before training: what is described of it, and what it asks of firmware.

use crate::figure::Origin;
use crate::graph::{PortId, System};
use crate::settle::bar::BarRequest;
use crate::settle::settings::Settings;
use crate::source::Place;
use pcie::{Generation, PayloadSize, Width};

/// A machine before training: parts and ports with what they can do, links with what is wired. Speeds of links,
/// Bdfs, addresses, MPS, MRRS and tags in [`Draft::system`] are not looked at, and written by [`settle`](crate::settle::settle).
#[derive(Clone, Debug)]
pub struct Draft {
    /// The graph.
    pub system: System,
    /// Beside each of `system.parts`.
    pub parts: Vec<PartDraft>,
    /// Beside each of `system.links`.
    pub links: Vec<LinkDraft>,
    /// What firmware and administrator decide.
    pub settings: Settings,
    /// Where `settings.mps` is written.
    pub mps_place: Option<Place>,
    /// Where `settings.mrrs` comes from, where it is not the standard's.
    pub mrrs_origin: Option<Origin>,
}

/// What a part asks of firmware.
#[derive(Clone, Debug)]
pub struct PartDraft {
    /// Where it is written.
    pub place: Place,
    /// Of an endpoint.
    pub bars: Vec<BarRequest>,
    /// Where they are written.
    pub bars_place: Place,
    /// Max_Payload_Size set by hand.
    pub mps: Option<(PayloadSize, Place)>,
    /// Max_Payload_Size of single ports set by hand.
    pub port_mps: Vec<(PortId, PayloadSize, Place)>,
    /// Max_Read_Request_Size set by hand.
    pub mrrs: Option<(PayloadSize, Place)>,
}

impl PartDraft {
    /// One that asks for nothing.
    pub fn new(place: &Place) -> PartDraft {
        PartDraft {
            place: place.clone(),
            bars: Vec::new(),
            bars_place: place.clone(),
            mps: None,
            port_mps: Vec::new(),
            mrrs: None,
        }
    }
}

/// What bounds a link besides its ends.
#[derive(Clone, Debug)]
pub struct LinkDraft {
    /// Lanes that are wired.
    pub lanes: Option<Width>,
    /// Where they are written.
    pub lanes_place: Place,
    /// A generation that it is held to.
    pub generation: Option<Generation>,
    /// Where that is written.
    pub generation_place: Place,
}

impl LinkDraft {
    /// One that only its ends bound.
    pub fn new(place: &Place) -> LinkDraft {
        LinkDraft { lanes: None, lanes_place: place.clone(), generation: None, generation_place: place.clone() }
    }
}
