//! Walks both capability lists of a configuration space.

use crate::config::acs::{Acs, Ari};
use crate::config::aer::Aer;
use crate::config::capability::{Body, Capabilities, Capability};
use crate::config::cxl::Dvsec;
use crate::config::dpc::Dpc;
use crate::config::express::{Express, PortType};
use crate::config::id::CapabilityId;
use crate::config::latency::{L1Substates, Ltr};
use crate::config::others::{Ats, Device3, Pasid, VirtualChannel};
use crate::config::physical::{DataLink, Phy16, Phy32, Phy64, Secondary};
use crate::config::power::{Dpa, Msi, Msix, Power};
use crate::config::rebar::Rebar;
use crate::config::space::ConfigSpace;
use crate::config::sriov::Sriov;

/// Offset of the first extended capability.
const EXTENDED_START: u16 = 0x100;
/// The first offset after the header.
const HEADER_END: u16 = 0x40;

/// A defect of a capability list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// The list returns to an entry already visited, at this offset.
    #[error("the list of capabilities comes back to {0:#05x}")]
    Loop(u16),
    /// A pointer into the header, or outside the range of its list.
    #[error("the list of capabilities points to {0:#05x}, where none can be")]
    Pointer(u16),
    /// An entry with all bits set: what a read returns when no device answers.
    #[error("the capability at {0:#05x} reads as all ones: the function did not answer")]
    NoAnswer(u16),
}

/// The capabilities of both lists, and the defects of the lists. Where the observed bytes end, the walk stops without a
/// defect.
pub fn capabilities(space: &ConfigSpace) -> (Capabilities, Vec<Broken>) {
    let (mut found, mut broken) = standard(space);
    let (extended, more) = extended(space);
    found.extend(extended);
    broken.extend(more);
    let is_root = found.iter().any(|(id, offset, _)| {
        *id == CapabilityId::Standard(0x10)
            && matches!(
                Express::decode(space, *offset).port_type(),
                Some(PortType::RootPort | PortType::EventCollector)
            )
    });
    let ends = Ends::new(&found, space);
    let decoded = found.into_iter().map(|(id, offset, version)| Capability {
        id: Some(id),
        offset,
        version,
        body: body(space, id, offset, is_root),
        bytes: space.seen(offset, ends.length(offset)).to_vec(),
        text: String::new(),
    });
    (Capabilities(decoded.collect()), broken)
}

type Entry = (CapabilityId, u16, Option<u8>);

/// The list that the Capabilities Pointer at 34h (14h for a CardBus bridge) leads to, where the Status Register
/// announces one.
fn standard(space: &ConfigSpace) -> (Vec<Entry>, Vec<Broken>) {
    let (mut entries, mut broken) = (Vec::<Entry>::new(), Vec::new());
    let has_list = space.u16(0x06).is_some_and(|status| status & 1 << 4 != 0);
    let pointer = if space.u8(0x0e).is_some_and(|kind| kind & 0x7f == 2) { 0x14 } else { 0x34 };
    let mut next = if has_list { space.u8(pointer).unwrap_or(0) & !3 } else { 0 };
    while next != 0 {
        let offset = u16::from(next);
        if offset < HEADER_END {
            broken.push(Broken::Pointer(offset));
            break;
        }
        if entries.iter().any(|entry| entry.1 == offset) {
            broken.push(Broken::Loop(offset));
            break;
        }
        let Some(header) = space.u16(offset) else { break };
        if header == 0xffff {
            broken.push(Broken::NoAnswer(offset));
            break;
        }
        entries.push((CapabilityId::Standard(header as u8), offset, None));
        next = (header >> 8) as u8 & !3;
    }
    (entries, broken)
}

/// The list at 100h. A first entry of all zeros means that there is none.
fn extended(space: &ConfigSpace) -> (Vec<Entry>, Vec<Broken>) {
    let (mut entries, mut broken) = (Vec::<Entry>::new(), Vec::new());
    let mut offset = EXTENDED_START;
    while let Some(header) = space.u32(offset).filter(|header| *header != 0) {
        if header == u32::MAX {
            broken.push(Broken::NoAnswer(offset));
            break;
        }
        entries.push((CapabilityId::Extended(header as u16), offset, Some((header >> 16 & 0xf) as u8)));
        offset = (header >> 20) as u16 & !3;
        if offset == 0 {
            break;
        }
        if offset < EXTENDED_START {
            broken.push(Broken::Pointer(offset));
            break;
        }
        if entries.iter().any(|entry| entry.1 == offset) {
            broken.push(Broken::Loop(offset));
            break;
        }
    }
    (entries, broken)
}

/// Where each capability ends: at the next one of the same region (below or from 100h on), or at the end of that
/// region.
struct Ends(Vec<u16>);

impl Ends {
    fn new(entries: &[Entry], space: &ConfigSpace) -> Ends {
        let mut starts: Vec<u16> = entries.iter().map(|entry| entry.1).collect();
        starts.extend([EXTENDED_START, space.len().min(usize::from(u16::MAX)) as u16]);
        starts.sort_unstable();
        Ends(starts)
    }
    fn length(&self, start: u16) -> usize {
        let end = self.0.iter().copied().find(|end| *end > start).unwrap_or(start);
        usize::from(end - start)
    }
}

fn body(space: &ConfigSpace, id: CapabilityId, at: u16, is_root: bool) -> Body {
    match id {
        CapabilityId::Standard(0x01) => Body::Power(Power::decode(space, at)),
        CapabilityId::Standard(0x05) => Body::Msi(Msi::decode(space, at)),
        CapabilityId::Standard(0x10) => Body::Express(Box::new(Express::decode(space, at))),
        CapabilityId::Standard(0x11) => Body::Msix(Msix::decode(space, at)),
        CapabilityId::Standard(_) => Body::Opaque,
        CapabilityId::Extended(id) => extended_body(space, id, at, is_root),
    }
}

fn extended_body(space: &ConfigSpace, id: u16, at: u16, is_root: bool) -> Body {
    match id {
        0x01 => Body::Aer(Box::new(Aer::decode(space, at, is_root))),
        0x02 | 0x09 => Body::VirtualChannel(VirtualChannel::decode(space, at)),
        0x0d => Body::Acs(Acs::decode(space, at)),
        0x0e => Body::Ari(Ari::decode(space, at)),
        0x0f => Body::Ats(Ats::decode(space, at)),
        0x10 => Body::Sriov(Sriov::decode(space, at)),
        0x15 => Body::Rebar(Rebar::decode(space, at)),
        0x16 => Body::Dpa(Dpa::decode(space, at)),
        0x18 => Body::Ltr(Ltr::decode(space, at)),
        0x19 => Body::Secondary(Secondary::decode(space, at)),
        0x1b => Body::Pasid(Pasid::decode(space, at)),
        0x1d => Body::Dpc(Dpc::decode(space, at)),
        0x1e => Body::L1Substates(L1Substates::decode(space, at)),
        0x23 => Body::Dvsec(Dvsec::decode(space, at)),
        0x24 => Body::VfRebar(Rebar::decode(space, at)),
        0x25 => Body::DataLink(DataLink::decode(space, at)),
        0x26 => Body::Phy16(Phy16::decode(space, at)),
        0x2a => Body::Phy32(Phy32::decode(space, at)),
        0x2f => Body::Device3(Device3::decode(space, at)),
        0x31 => Body::Phy64(Phy64::decode(space, at)),
        _ => Body::Opaque,
    }
}
