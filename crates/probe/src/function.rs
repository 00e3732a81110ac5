//! One function as observed.

use crate::address::Address;
use crate::link_rate::LinkRate;
use crate::names::Names;
use crate::os::Os;
use crate::remark::Place;
use pcie::PayloadSize;
use pcie::config::{Aspm, Capabilities, ConfigSpace, Express, Header, PortType};

/// How much of a function was to be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// All there is.
    Whole,
    /// The header only: a plain user's view. Capabilities need root.
    #[default]
    HeaderOnly,
    /// The first 256 bytes: capabilities without the extended ones (AER, ACS, ...).
    Conventional,
    /// As much as the text printed, which is not known.
    Printed,
    /// Nothing: the function does not answer (asleep, or gone).
    Nothing,
}

/// One function: what its configuration space says, and what the operating system says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Where it is.
    pub address: Address,
    /// Where in the input it was found.
    pub place: Option<Place>,
    /// The bridges above it, outermost first, where the input says so (a sysfs path, `lspci -PP`).
    pub path: Option<Vec<Address>>,
    /// What it is called.
    pub names: Names,
    /// How much was to be seen.
    pub reach: Reach,
    /// Its header.
    pub header: Header,
    /// Its capabilities; empty where none were to be seen, see `reach`.
    pub capabilities: Capabilities,
    /// Its bytes, where bytes were read.
    pub space: Option<ConfigSpace>,
    /// What the operating system says.
    pub os: Os,
    /// It is a virtual function (SR-IOV): its Max_Payload_Size, Max_Read_Request_Size and tags are reserved, and those
    /// of its physical function hold.
    pub is_virtual: bool,
}

impl Function {
    /// The PCI Express capability.
    pub fn express(&self) -> Option<&Express> {
        self.capabilities.express()
    }
    /// True of a device of `vendor`, by its id or, where a text gives none, by its name.
    pub fn is_of(&self, vendor: u16) -> bool {
        let named = || {
            let rest = self.names.device.as_deref()?.strip_prefix(crate::names::vendor(vendor)?)?;
            Some(rest.starts_with(' '))
        };
        self.header.vendor.map_or_else(|| named() == Some(true), |id| id == vendor)
    }
    /// The PCI Express capability, where its settings are this function's own.
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
    /// What ASPM is enabled.
    pub fn aspm(&self) -> Option<Aspm> {
        self.express()?.lnk_ctl.aspm()
    }
    /// The bits of a tag that this function's requests may use: 5, 8, 10 or 14. Absent where the registers that
    /// decide were not observed.
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
    /// What this function's link register, or the kernel, says of its link now; `None` where neither does or the
    /// function has no link.
    pub fn link_now(&self) -> Option<LinkRate> {
        let registers = self.express().map(|express| &express.lnk_sta);
        let rate = LinkRate {
            speed: registers.and_then(|status| status.speed()).or(self.os.link.speed),
            width: registers.and_then(|status| status.width()).or(self.os.link.width),
        };
        rate.known()
    }
    /// The most that this port can do.
    pub fn link_max(&self) -> Option<LinkRate> {
        let registers = self.express().map(|express| (&express.lnk_cap, &express.lnk_cap2));
        let fastest = registers
            .and_then(|(cap, cap2)| cap.speed().or_else(|| cap2.speeds().and_then(|speeds| speeds.last().copied())));
        let rate = LinkRate {
            speed: fastest.or(self.os.link.max_speed),
            // A port of no lanes has not been told how many it has.
            width: registers.and_then(|(cap, _)| cap.width()).filter(|&lanes| lanes > 0).or(self.os.link.max_width),
        };
        rate.known()
    }
    /// The short name for one line: the device's, else the class's, else the ids.
    pub fn title(&self) -> String {
        let ids = || match (self.header.vendor, self.header.device) {
            (Some(vendor), Some(device)) => format!("[{vendor:04x}:{device:04x}]"),
            _ => "unknown device".to_string(),
        };
        self.names.device.clone().unwrap_or_else(ids)
    }
}
