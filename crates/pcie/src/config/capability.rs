//! One capability as observed, and the list of all capabilities of a function.

use crate::config::acs::{Acs, Ari};
use crate::config::aer::Aer;
use crate::config::cxl::{Cxl, Dvsec};
use crate::config::dpc::Dpc;
use crate::config::express::Express;
use crate::config::id::CapabilityId;
use crate::config::latency::{L1Substates, Ltr};
use crate::config::layout::{Layout, Slot, View};
use crate::config::others::{Ats, Device3, Pasid, VirtualChannel};
use crate::config::physical::{DataLink, Phy16, Phy32, Phy64, Secondary};
use crate::config::power::{Dpa, Msi, Msix, Power};
use crate::config::rebar::Rebar;
use crate::config::sriov::Sriov;

/// One entry of a list of capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Its ID; `None` where text names a capability that is not known.
    pub id: Option<CapabilityId>,
    /// Where it starts in configuration space.
    pub offset: u16,
    /// Its version; capabilities of the first list have none.
    pub version: Option<u8>,
    /// Its decoded registers.
    pub body: Body,
    /// Its bytes from its start, as far as they were observed. The ID gives the length; where it does not, they end
    /// where the next capability starts. Empty where text was read.
    pub bytes: Vec<u8>,
    /// The text that a tool printed for it, unchanged; empty where bytes were read.
    pub text: String,
}

/// The decoded registers of a capability.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Body {
    /// Not decoded, only its ID and bytes: unknown, or not needed for any answer of this project.
    Opaque,
    /// Power Management.
    Power(Power),
    /// MSI.
    Msi(Msi),
    /// MSI-X.
    Msix(Msix),
    /// PCI Express.
    Express(Box<Express>),
    /// Advanced Error Reporting.
    Aer(Box<Aer>),
    /// Virtual Channel.
    VirtualChannel(VirtualChannel),
    /// Access Control Services.
    Acs(Acs),
    /// Alternative Routing-ID Interpretation.
    Ari(Ari),
    /// Address Translation Service.
    Ats(Ats),
    /// Single Root I/O Virtualization.
    Sriov(Sriov),
    /// Resizable BAR.
    Rebar(Rebar),
    /// Resizable BAR of virtual functions.
    VfRebar(Rebar),
    /// Dynamic Power Allocation.
    Dpa(Dpa),
    /// Latency Tolerance Reporting.
    Ltr(Ltr),
    /// Secondary PCI Express.
    Secondary(Secondary),
    /// Process Address Space ID.
    Pasid(Pasid),
    /// Downstream Port Containment.
    Dpc(Dpc),
    /// L1 PM Substates.
    L1Substates(L1Substates),
    /// Designated Vendor-Specific, with CXL.
    Dvsec(Dvsec),
    /// Data Link Feature.
    DataLink(DataLink),
    /// Physical Layer 16.0 GT/s.
    Phy16(Phy16),
    /// Physical Layer 32.0 GT/s.
    Phy32(Phy32),
    /// Physical Layer 64.0 GT/s.
    Phy64(Phy64),
    /// Device 3.
    Device3(Device3),
}

/// Applies one expression to the register structure that a body holds; bodies without registers give the last
/// expression.
macro_rules! with_layout {
    ($body:expr, $held:ident => $with:expr, $without:expr) => {
        match $body {
            Body::Opaque | Body::Rebar(_) | Body::VfRebar(_) => $without,
            Body::Power($held) => $with,
            Body::Msi($held) => $with,
            Body::Msix($held) => $with,
            Body::Express($held) => $with,
            Body::Aer($held) => $with,
            Body::VirtualChannel($held) => $with,
            Body::Acs($held) => $with,
            Body::Ari($held) => $with,
            Body::Ats($held) => $with,
            Body::Sriov($held) => $with,
            Body::Dpa($held) => $with,
            Body::Ltr($held) => $with,
            Body::Secondary($held) => $with,
            Body::Pasid($held) => $with,
            Body::Dpc($held) => $with,
            Body::L1Substates($held) => $with,
            Body::Dvsec($held) => $with,
            Body::DataLink($held) => $with,
            Body::Phy16($held) => $with,
            Body::Phy32($held) => $with,
            Body::Phy64($held) => $with,
            Body::Device3($held) => $with,
        }
    };
}

impl Body {
    /// The register structure of an ID with all bits unknown, to be filled in from text.
    pub fn empty(id: CapabilityId) -> Body {
        match id {
            CapabilityId::Standard(0x01) => Body::Power(Power::default()),
            CapabilityId::Standard(0x05) => Body::Msi(Msi::default()),
            CapabilityId::Standard(0x10) => Body::Express(Box::default()),
            CapabilityId::Standard(0x11) => Body::Msix(Msix::default()),
            CapabilityId::Extended(0x01) => Body::Aer(Box::default()),
            CapabilityId::Extended(0x02 | 0x09) => Body::VirtualChannel(VirtualChannel::default()),
            CapabilityId::Extended(0x0d) => Body::Acs(Acs::default()),
            CapabilityId::Extended(0x0e) => Body::Ari(Ari::default()),
            CapabilityId::Extended(0x0f) => Body::Ats(Ats::default()),
            CapabilityId::Extended(0x10) => Body::Sriov(Sriov::default()),
            CapabilityId::Extended(0x15) => Body::Rebar(Rebar::default()),
            CapabilityId::Extended(0x16) => Body::Dpa(Dpa::default()),
            CapabilityId::Extended(0x18) => Body::Ltr(Ltr::default()),
            CapabilityId::Extended(0x19) => Body::Secondary(Secondary::default()),
            CapabilityId::Extended(0x1b) => Body::Pasid(Pasid::default()),
            CapabilityId::Extended(0x1d) => Body::Dpc(Dpc::default()),
            CapabilityId::Extended(0x1e) => Body::L1Substates(L1Substates::default()),
            CapabilityId::Extended(0x23) => Body::Dvsec(Dvsec::default()),
            CapabilityId::Extended(0x24) => Body::VfRebar(Rebar::default()),
            CapabilityId::Extended(0x25) => Body::DataLink(DataLink::default()),
            CapabilityId::Extended(0x26) => Body::Phy16(Phy16::default()),
            CapabilityId::Extended(0x2a) => Body::Phy32(Phy32::default()),
            CapabilityId::Extended(0x2f) => Body::Device3(Device3::default()),
            CapabilityId::Extended(0x31) => Body::Phy64(Phy64::default()),
            _ => Body::Opaque,
        }
    }
    /// Its registers, in order. The registers of a CXL structure follow those of the DVSEC that contains it.
    pub fn views(&self) -> Vec<View> {
        let mut views = with_layout!(self, held => held.views(), Vec::new());
        if let Body::Dvsec(dvsec) = self {
            match &dvsec.cxl {
                Some(Cxl::Device(device)) => views.extend(device.views()),
                Some(Cxl::FlexBus(port)) => views.extend(port.views()),
                None => {}
            }
        }
        views
    }
    /// Its registers, to be filled in.
    pub fn slots(&mut self) -> Vec<Slot<'_>> {
        if let Body::Dvsec(dvsec) = self {
            return dvsec_slots(dvsec);
        }
        with_layout!(self, held => held.slots(), Vec::new())
    }
}

fn dvsec_slots(dvsec: &mut Dvsec) -> Vec<Slot<'_>> {
    let Dvsec { header1, header2, cxl } = dvsec;
    let mut slots = vec![
        Slot { name: "DVSEC", fields: header1.fields(), register: &mut header1.0 },
        Slot { name: "DVSECID", fields: header2.fields(), register: &mut header2.0 },
    ];
    match cxl {
        Some(Cxl::Device(device)) => slots.extend(device.slots()),
        Some(Cxl::FlexBus(port)) => slots.extend(port.slots()),
        None => {}
    }
    slots
}

/// The fields of a register, from a value of its type.
trait HasFields {
    fn fields(&self) -> &'static [crate::config::register::BitField];
}

impl<R: crate::config::register::NamedRegister> HasFields for R {
    fn fields(&self) -> &'static [crate::config::register::BitField] {
        R::FIELDS
    }
}

/// All capabilities of a function, in the order of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(pub Vec<Capability>);

/// Declares the accessor of a body: it returns the first capability of that type.
macro_rules! first {
    ($( $(#[$doc:meta])* $name:ident: $variant:ident($type:ty); )*) => {
        $( $(#[$doc])* pub fn $name(&self) -> Option<&$type> {
            self.0.iter().find_map(|capability| match &capability.body {
                Body::$variant(held) => Some(held),
                _ => None,
            }).map(std::convert::AsRef::as_ref)
        } )*
    };
}

/// The same for bodies that are not boxed.
macro_rules! first_plain {
    ($( $(#[$doc:meta])* $name:ident: $variant:ident($type:ty); )*) => {
        $( $(#[$doc])* pub fn $name(&self) -> Option<&$type> {
            self.0.iter().find_map(|capability| match &capability.body {
                Body::$variant(held) => Some(held),
                _ => None,
            })
        } )*
    };
}

impl Capabilities {
    first! {
        /// PCI Express.
        express: Express(Express);
        /// Advanced Error Reporting.
        aer: Aer(Aer);
    }
    first_plain! {
        /// Power Management.
        power: Power(Power);
        /// MSI.
        msi: Msi(Msi);
        /// MSI-X.
        msix: Msix(Msix);
        /// Access Control Services.
        acs: Acs(Acs);
        /// Alternative Routing-ID Interpretation.
        ari: Ari(Ari);
        /// Address Translation Service.
        ats: Ats(Ats);
        /// Single Root I/O Virtualization.
        sriov: Sriov(Sriov);
        /// Resizable BAR.
        rebar: Rebar(Rebar);
        /// Dynamic Power Allocation.
        dpa: Dpa(Dpa);
        /// Latency Tolerance Reporting.
        ltr: Ltr(Ltr);
        /// Secondary PCI Express.
        secondary: Secondary(Secondary);
        /// Downstream Port Containment.
        dpc: Dpc(Dpc);
        /// L1 PM Substates.
        l1_substates: L1Substates(L1Substates);
        /// Data Link Feature.
        data_link: DataLink(DataLink);
        /// Physical Layer 16.0 GT/s.
        phy16: Phy16(Phy16);
        /// Physical Layer 32.0 GT/s.
        phy32: Phy32(Phy32);
        /// Physical Layer 64.0 GT/s.
        phy64: Phy64(Phy64);
        /// Device 3.
        device3: Device3(Device3);
    }
    /// Every Designated Vendor-Specific capability.
    pub fn dvsecs(&self) -> impl Iterator<Item = &Dvsec> {
        self.0.iter().filter_map(|capability| match &capability.body {
            Body::Dvsec(dvsec) => Some(dvsec),
            _ => None,
        })
    }
    /// The CXL structures that are decoded.
    pub fn cxl(&self) -> impl Iterator<Item = &Cxl> {
        self.dvsecs().filter_map(|dvsec| dvsec.cxl.as_ref())
    }
    /// True where no capability was observed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The first capability with that ID.
    pub fn with_id(&self, id: CapabilityId) -> Option<&Capability> {
        self.0.iter().find(|capability| capability.id == Some(id))
    }
}
