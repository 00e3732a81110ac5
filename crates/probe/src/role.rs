//! The role of a device, as far as throughput is concerned.

use crate::function::Function;
use std::fmt;

/// The role of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A Non-Volatile memory controller.
    Ssd,
    /// A controller of other storage: SATA, SAS, RAID, SCSI, IDE.
    Storage,
    /// A display or 3D controller.
    Gpu,
    /// A processing accelerator, or a co-processor.
    Accelerator,
    /// An Ethernet or InfiniBand controller; no radio.
    Nic,
    /// A bridge to PCI, or to something else.
    Bridge,
    /// Anything else.
    Other,
}

/// Class and sub-class (PCI Code and ID Assignment Specification), the name that `lspci` prints without numbers, and the role.
const CLASSES: [(u16, &str, Role); 18] = [
    (0x0108, "Non-Volatile memory controller", Role::Ssd),
    (0x0100, "SCSI storage controller", Role::Storage),
    (0x0101, "IDE interface", Role::Storage),
    (0x0104, "RAID bus controller", Role::Storage),
    (0x0106, "SATA controller", Role::Storage),
    (0x0107, "Serial Attached SCSI controller", Role::Storage),
    (0x0180, "Mass storage controller", Role::Storage),
    (0x0200, "Ethernet controller", Role::Nic),
    (0x0207, "Infiniband controller", Role::Nic),
    (0x0208, "Fabric controller", Role::Nic),
    (0x0300, "VGA compatible controller", Role::Gpu),
    (0x0302, "3D controller", Role::Gpu),
    (0x0380, "Display controller", Role::Gpu),
    (0x0b40, "Co-processor", Role::Accelerator),
    (0x1200, "Processing accelerators", Role::Accelerator),
    (0x0604, "PCI bridge", Role::Bridge),
    (0x0680, "Bridge", Role::Bridge),
    (0x0600, "Host bridge", Role::Bridge),
];

/// Vendors of management controllers, whose display shows a console: ASPEED, Matrox (G200 of servers), Silicon Motion, XGI,
/// HiSilicon. None of them makes graphics cards that move data in bulk.
const MANAGEMENT: [u16; 5] = [0x1a03, 0x102b, 0x126f, 0x18ca, 0x19e5];

/// True for the display of a management controller.
fn is_management(function: &Function) -> bool {
    const VGA: u16 = 0x0300;
    function.header.class == Some(VGA) && MANAGEMENT.iter().any(|&vendor| function.is_of(vendor))
}

impl Role {
    /// The role by class code, or by the name of the class if a text gives no code.
    pub fn of(function: &Function) -> Role {
        if is_management(function) {
            return Role::Other;
        }
        let name = function.names.class.as_deref().unwrap_or("");
        let fits = |entry: &&(u16, &str, Role)| match function.header.class {
            Some(class) => class == entry.0,
            None => name == entry.1,
        };
        CLASSES.iter().find(fits).map_or(Role::Other, |entry| entry.2)
    }
    /// True for a device that moves data in bulk: a slower link makes it slower.
    pub fn is_fast(self) -> bool {
        matches!(self, Role::Ssd | Role::Storage | Role::Gpu | Role::Accelerator | Role::Nic)
    }
    /// True for a device that takes part in peer-to-peer traffic.
    pub fn is_peer(self) -> bool {
        matches!(self, Role::Ssd | Role::Gpu | Role::Accelerator | Role::Nic)
    }
    /// True for a graphics card or an accelerator.
    pub fn computes(self) -> bool {
        matches!(self, Role::Gpu | Role::Accelerator)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Role::Ssd => "SSD",
            Role::Storage => "storage",
            Role::Gpu => "GPU",
            Role::Accelerator => "accelerator",
            Role::Nic => "NIC",
            Role::Bridge => "bridge",
            Role::Other => "device",
        })
    }
}
