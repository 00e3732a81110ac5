//! USB 2.0 bulk transfers: a host controller on PCI Express with one high-speed device behind it (Universal Serial Bus
//! Specification 2.0, chapters 5 and 8; Enhanced Host Controller Interface Specification 1.0; eXtensible Host Controller
//! Interface Specification 1.2).
//!
//! Measured rates of bulk transfers are about 0.8 of what 13 packets a microframe give; see `reserve` for the two ways in
//! which a controller can come to that.
//!
//! Not here: periodic transfers themselves, hubs, transaction errors, bit stuffing, link TRBs and queue heads, and the
//! packets that an endpoint which is not ready refuses (NAK).

mod bus;
mod controller;
mod entry;
mod layout;
mod params;
mod provider;
mod ring;
mod software;
mod wire;

pub use params::{BULK_IN, BULK_OUT, Interface, UsbParams};
pub use wire::BusReserve;

use sim::parts::Registration;
use system::kind::Declared;

/// The line that a program registers.
pub const USB2_BULK: Registration = Registration { kind: &UsbParams::DECLARATION, provider: &provider::Controllers };
