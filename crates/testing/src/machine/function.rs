//! A function: the values of its registers and of its sysfs files.

/// Device/Port Type (PCI Express Capabilities Register).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortType {
    /// Endpoint.
    Endpoint = 0,
    /// Root port.
    Root = 4,
    /// Upstream port of a switch.
    Upstream = 5,
    /// Downstream port of a switch.
    Downstream = 6,
    /// Bridge from PCI Express to PCI.
    PciBridge = 7,
    /// Root complex integrated endpoint.
    Integrated = 9,
}

/// The link registers of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Max Link Speed, 1 to 6.
    pub max_speed: u8,
    /// Maximum Link Width.
    pub max_width: u8,
    /// Current Link Speed; 0 where it is unknown.
    pub speed: u8,
    /// Negotiated Link Width; 0 where no device is connected.
    pub width: u8,
    /// Target Link Speed (Link Control 2).
    pub target: u8,
    /// Data Link Layer Link Active.
    pub active: bool,
    /// ASPM support and control, two bits each.
    pub aspm: (u8, u8),
    /// Port Number.
    pub port: u8,
}

/// The PCI Express capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Express {
    /// What kind of function this is.
    pub port_type: PortType,
    /// Slot Implemented, and what hot plug it has.
    pub slot: Option<Slot>,
    /// Max_Payload_Size Supported and Max_Payload_Size, as encoded (0 is 128 bytes).
    pub payload: (u8, u8),
    /// Max_Read_Request_Size, as encoded.
    pub read_request: u8,
    /// Extended Tag Field Supported and Enable.
    pub ext_tag: (bool, bool),
    /// Enable Relaxed Ordering.
    pub relaxed: bool,
    /// CorrErr, NonFatalErr, FatalErr, UnsupReq (Device Status, the low four bits).
    pub status: u8,
    /// The link registers; `None` for an integrated endpoint.
    pub link: Option<Link>,
}

/// Slot Capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Hot-Plug Capable and Surprise.
    pub hot_plug: bool,
    /// Presence Detect State.
    pub present: bool,
    /// Physical Slot Number.
    pub number: u16,
}

/// The status registers of Advanced Error Reporting, and the kernel's error counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aer {
    /// Uncorrectable Error Status.
    pub uncorrectable: u32,
    /// Correctable Error Status.
    pub correctable: u32,
    /// What the kernel counted of each correctable error, by the bit of its status.
    pub counted: Vec<(u8, u64)>,
}

/// A capability that no test depends on; decoders have to skip it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Power Management, in D0.
    Power,
    /// Message Signalled Interrupts.
    Msi,
    /// MSI-X.
    MsiX,
    /// Vendor specific, in the first 256 bytes.
    Vendor,
    /// Device Serial Number, which captures must not contain.
    Serial,
    /// L1 PM Substates.
    L1Substates,
    /// Latency Tolerance Reporting.
    Ltr,
    /// Secondary PCI Express.
    Secondary,
    /// Downstream Port Containment.
    Dpc,
    /// Alternative Routing-ID Interpretation.
    Ari,
    /// Physical Layer 16.0 GT/s.
    Physical16,
    /// Data Link Feature.
    DataLinkFeature,
    /// Vendor-Specific Extended Capability by which Intel marks the ports of a Thunderbolt controller.
    Thunderbolt,
    /// An identifier that no standard has.
    Unknown,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// PCI domain.
    pub domain: u32,
    /// Bus, device, function.
    pub bdf: (u8, u8, u8),
    /// Vendor and device.
    pub id: (u16, u16),
    /// Subsystem vendor and device, of an endpoint.
    pub subsystem: (u16, u16),
    /// Base class, sub-class, programming interface.
    pub class: u32,
    /// Secondary and subordinate bus of a bridge.
    pub buses: Option<(u8, u8)>,
    /// The PCI Express capability.
    pub express: Option<Express>,
    /// Advanced Error Reporting.
    pub aer: Option<Aer>,
    /// Access Control Services: capability and control.
    pub acs: Option<(u16, u16)>,
    /// What else it has.
    pub others: Vec<Other>,
    /// True where more functions share its device number.
    pub multi: bool,
    /// `numa_node`.
    pub node: i32,
    /// IOMMU group.
    pub group: Option<u32>,
    /// The driver that holds it.
    pub driver: Option<&'static str>,
    /// Block devices of this controller, as in `nvme0n1`.
    pub blocks: Vec<String>,
}

impl Function {
    /// `0000:03:00.0`.
    pub fn name(&self) -> String {
        format!("{:04x}:{}", self.domain, self.short())
    }
    /// `03:00.0`.
    pub fn short(&self) -> String {
        let (bus, device, function) = self.bdf;
        format!("{bus:02x}:{device:02x}.{function:x}")
    }
    /// Its link registers.
    pub fn link(&self) -> Option<&Link> {
        self.express.as_ref()?.link.as_ref()
    }
    /// Its link registers, to be changed.
    pub fn link_mut(&mut self) -> Option<&mut Link> {
        self.express.as_mut()?.link.as_mut()
    }
    /// True of an NVMe controller.
    pub fn is_ssd(&self) -> bool {
        self.class == class::NVME
    }
    /// True of a display or 3D controller.
    pub fn is_gpu(&self) -> bool {
        self.class >> 16 == 0x03
    }
    /// True of a network controller.
    pub fn is_nic(&self) -> bool {
        self.class >> 16 == 0x02
    }
}

/// Class codes (PCI Code and ID Assignment Specification).
pub mod class {
    /// Non-Volatile memory controller, NVM Express.
    pub const NVME: u32 = 0x01_0802;
    /// SATA controller, AHCI.
    pub const SATA: u32 = 0x01_0601;
    /// Serial Attached SCSI controller.
    pub const SAS: u32 = 0x01_0700;
    /// Ethernet controller.
    pub const ETHERNET: u32 = 0x02_0000;
    /// VGA compatible controller.
    pub const VGA: u32 = 0x03_0000;
    /// 3D controller.
    pub const GPU_3D: u32 = 0x03_0200;
    /// Audio device.
    pub const AUDIO: u32 = 0x04_0300;
    /// Host bridge.
    pub const HOST: u32 = 0x06_0000;
    /// ISA bridge.
    pub const ISA: u32 = 0x06_0100;
    /// PCI bridge, normal decode.
    pub const BRIDGE: u32 = 0x06_0400;
    /// System peripheral.
    pub const SYSTEM: u32 = 0x08_8000;
    /// USB controller, XHCI.
    pub const USB: u32 = 0x0c_0330;
}
