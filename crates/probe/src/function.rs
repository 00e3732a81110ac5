//! One function as observed.

use crate::address::Address;
use crate::link_rate::LinkRate;
use crate::names::Names;
use crate::os::Os;
use crate::remark::Place;
use pcie::PayloadSize;
use pcie::config::{Aspm, Capabilities, ConfigSpace, Express, Header, PortType};

/// How much of a function the input shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Everything.
    Whole,
    /// Only the header, as an unprivileged user sees it. Capabilities need root.
    #[default]
    HeaderOnly,
    /// The first 256 bytes: capabilities, but no extended ones (AER, ACS, ...).
    Conventional,
    /// The registers that a text printed; how many those are of all is not known.
    Printed,
    /// Its name and class, as from a list, and perhaps the buses below it, as from a drawing.
    Named,
    /// Nothing: the function does not answer (asleep, or gone).
    Nothing,
}

/// One function: its configuration space, and what the operating system reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its address.
    pub address: Address,
    /// Where in the input it was found.
    pub place: Option<Place>,
    /// The bridges above it, outermost first, if the input gives them (a sysfs path, `lspci -PP`).
    pub path: Option<Vec<Address>>,
    /// Its names.
    pub names: Names,
    /// How much of it the input shows.
    pub reach: Reach,
    /// Its header.
    pub header: Header,
    /// Its capabilities; empty if none were visible, see `reach`.
    pub capabilities: Capabilities,
    /// Its bytes, if bytes were read.
    pub space: Option<ConfigSpace>,
    /// What the operating system reports.
    pub os: Os,
    /// True for a virtual function (SR-IOV): its Max_Payload_Size, Max_Read_Request_Size and tag bits are reserved; those of
    /// its physical function apply.
    pub is_virtual: bool,
}

impl Function {
    /// The PCI Express capability.
    pub fn express(&self) -> Option<&Express> {
        self.capabilities.express()
    }
    /// True for a device of `vendor`: by the id, or by the name if a text gives no id.
    pub fn is_of(&self, vendor: u16) -> bool {
        let named = || {
            let rest = self.names.device.as_deref()?.strip_prefix(crate::names::vendor(vendor)?)?;
            Some(rest.starts_with(' '))
        };
        self.header.vendor.map_or_else(|| named() == Some(true), |id| id == vendor)
    }
    /// The PCI Express capability; `None` for a virtual function, whose settings are reserved.
    fn settings(&self) -> Option<&Express> {
        self.express().filter(|_| !self.is_virtual)
    }
    /// Device/Port Type.
    pub fn port_type(&self) -> Option<PortType> {
        self.express().and_then(Express::port_type)
    }
    /// Max_Payload_Size as set.
    pub fn mps(&self) -> Option<PayloadSize> {
        self.settings()?.dev_ctl.mps()
    }
    /// Max_Payload_Size Supported.
    pub fn mps_supported(&self) -> Option<PayloadSize> {
        self.settings()?.dev_cap.mps()
    }
    /// Max_Read_Request_Size as set.
    pub fn mrrs(&self) -> Option<PayloadSize> {
        self.settings()?.dev_ctl.mrrs()
    }
    /// The ASPM states that are enabled.
    pub fn aspm(&self) -> Option<Aspm> {
        self.express()?.lnk_ctl.aspm()
    }
    /// The number of tag bits that the requests of this function may use: 5, 8, 10 or 14. `None` if the registers that
    /// decide it were not observed.
    pub fn tag_bits(&self) -> Option<u8> {
        let express = self.settings()?;
        let fourteen = self.capabilities.device3().and_then(|device| device.ctl.fourteen_bit_requester());
        match (fourteen, express.dev_ctl2.ten_bit_requester(), express.dev_ctl.extended_tag()) {
            (Some(true), _, _) => Some(14),
            (_, Some(true), _) => Some(10),
            (_, _, Some(true)) => Some(8),
            (_, _, Some(false)) => Some(5),
            (_, _, None) => None,
        }
    }
    /// The current speed and width of this function's link, by LnkSta, else by the kernel. `None` if neither gives them, or
    /// if the function has no link.
    pub fn link_now(&self) -> Option<LinkRate> {
        let registers = self.express().map(|express| &express.lnk_sta);
        let rate = LinkRate {
            speed: registers.and_then(|status| status.speed()).or(self.os.link.speed),
            width: registers.and_then(|status| status.width()).or(self.os.link.width),
        };
        rate.known()
    }
    /// The maximum speed and width of this port.
    pub fn link_max(&self) -> Option<LinkRate> {
        let registers = self.express().map(|express| (&express.lnk_cap, &express.lnk_cap2));
        let fastest = registers
            .and_then(|(cap, cap2)| cap.speed().or_else(|| cap2.speeds().and_then(|speeds| speeds.last().copied())));
        let rate = LinkRate {
            speed: fastest.or(self.os.link.max_speed),
            // A maximum width of 0 was never configured: the width is not known.
            width: registers.and_then(|(cap, _)| cap.width()).filter(|&lanes| lanes > 0).or(self.os.link.max_width),
        };
        rate.known()
    }
    /// A short name for one line: the name of the device, else the ids.
    pub fn title(&self) -> String {
        let ids = || match (self.header.vendor, self.header.device) {
            (Some(vendor), Some(device)) => format!("[{vendor:04x}:{device:04x}]"),
            _ if self.header.is_bridge() => "bridge".to_string(),
            _ => "unknown device".to_string(),
        };
        self.names.device.clone().unwrap_or_else(ids)
    }
}
