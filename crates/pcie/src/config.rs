//! Configuration space: the header, both lists of capabilities, and their registers.
//!
//! Registers are kept *as observed*: a [`Register`] is a value together with a mask of the bits that are known. A hex
//! dump knows every bit of the bytes it contains. `lspci` text knows the fields that it prints. Without privileges only
//! the first 64 bytes are readable. All three decode into the same types. What was not observed is absent; no default
//! takes its place.
//!
//! Not here: reading files or devices ([`ConfigSpace`] takes bytes), and any judgement of the values.
//!
//! | word | meaning |
//! |---|---|
//! | field | some bits of a register, with the abbreviation that tools print for it (its label) |
//! | known | observed; a field is known when each of its bits is known |
//! | capability | one entry of the list at 34h, or of the list at 100h (extended), with its registers |
//!
//! Source of every layout: *PCI Express Base Specification*, chapter Software Initialization and Configuration
//! (revision 6.0 for FLIT mode, 64 GT/s and the Device 3 capability); for CXL, *Compute Express Link Specification*,
//! chapter Control and Status Registers. Each register names its section.

pub mod acs;
pub mod aer;
pub mod bar;
pub mod capability;
pub mod cxl;
pub mod device;
pub mod dpc;
pub mod express;
pub mod header;
pub mod id;
pub mod latency;
pub mod layout;
pub mod link;
pub mod others;
pub mod physical;
pub mod power;
pub mod rebar;
pub mod register;
pub mod slot;
pub mod space;
pub mod speed;
pub mod sriov;
pub mod walk;

pub use acs::Acs;
pub use aer::{Aer, Correctable, Uncorrectable};
pub use bar::{Bar, BarKind, BridgeWindow};
pub use capability::{Body, Capabilities, Capability};
pub use device::{DevCap, DevCap2, DevCtl, DevCtl2, DevSta};
pub use express::{Express, PortType};
pub use header::{BusNumbers, Header, HeaderKind};
pub use id::CapabilityId;
pub use link::{Aspm, LnkCap, LnkCap2, LnkCtl, LnkCtl2, LnkSta, LnkSta2};
pub use register::{BitField, NamedRegister, Register};
pub use space::ConfigSpace;
pub use speed::Speed;
