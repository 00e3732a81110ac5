//! A machine before training: its description, and its requests to firmware.

use crate::figure::Origin;
use crate::graph::{PortId, System};
use crate::settle::bar::BarRequest;
use crate::settle::settings::Settings;
use crate::source::Place;
use pcie::{Generation, PayloadSize, Width};

/// A machine before training: parts and ports with what they support, and links with their wiring. The speeds of links,
/// IDs, addresses, MPS, MRRS and tags in [`Draft::system`] are ignored and set by [`settle`](crate::settle::settle).
#[derive(Clone, Debug)]
pub struct Draft {
    /// The graph.
    pub system: System,
    /// For each part of `system.parts`.
    pub parts: Vec<PartDraft>,
    /// For each link of `system.links`.
    pub links: Vec<LinkDraft>,
    /// The settings of firmware and administrator.
    pub settings: Settings,
    /// The place of `settings.mps` in the description.
    pub mps_place: Option<Place>,
    /// The origin of `settings.mrrs`, where it differs from the standard's value.
    pub mrrs_origin: Option<Origin>,
}

/// What a part requests of firmware.
#[derive(Clone, Debug)]
pub struct PartDraft {
    /// Its place in the description.
    pub place: Place,
    /// For an endpoint: its BARs.
    pub bars: Vec<BarRequest>,
    /// The place of the BARs in the description.
    pub bars_place: Place,
    /// Max_Payload_Size set by hand.
    pub mps: Option<(PayloadSize, Place)>,
    /// Max_Payload_Size of single ports set by hand.
    pub port_mps: Vec<(PortId, PayloadSize, Place)>,
    /// Max_Read_Request_Size set by hand.
    pub mrrs: Option<(PayloadSize, Place)>,
}

impl PartDraft {
    /// A part without requests.
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

/// What limits a link in addition to its ends.
#[derive(Clone, Debug)]
pub struct LinkDraft {
    /// The number of wired lanes.
    pub lanes: Option<Width>,
    /// Its place in the description.
    pub lanes_place: Place,
    /// The generation that the link is held to.
    pub generation: Option<Generation>,
    /// Its place in the description.
    pub generation_place: Place,
}

impl LinkDraft {
    /// A link that only its ends limit.
    pub fn new(place: &Place) -> LinkDraft {
        LinkDraft { lanes: None, lanes_place: place.clone(), generation: None, generation_place: place.clone() }
    }
}
