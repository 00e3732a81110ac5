//! Single Root I/O Virtualization (extended id 0010h).

use crate::config::layout::layout;
use crate::config::register::register;
use crate::config::space::ConfigSpace;

register! {
    /// SR-IOV Capabilities Register.
    IovCap "IOVCap"
    flags {
        /// VF Migration Capable.
        migration "Migration" 0;
        /// ARI Capable Hierarchy Preserved.
        ari_preserved "ARIPreserved" 1;
        /// VF 10-Bit Tag Requester Supported.
        ten_bit_requester "10BitTagReq" 2;
        /// VF 14-Bit Tag Requester Supported.
        fourteen_bit_requester "14BitTagReq" 3;
    }
    fields {
        /// VF Migration Interrupt Message Number.
        interrupt "IntMsgNum" 21..=31;
    }
}

register! {
    /// SR-IOV Control Register.
    IovCtl "IOVCtl"
    flags {
        /// VF Enable.
        enable "Enable" 0;
        /// VF Migration Enable.
        migration "Migration" 1;
        /// VF Migration Interrupt Enable.
        interrupt "Interrupt" 2;
        /// VF MSE: Memory Space Enable of the virtual functions.
        memory "MSE" 3;
        /// ARI Capable Hierarchy.
        ari "ARIHierarchy" 4;
        /// VF 10-Bit Tag Requester Enable.
        ten_bit_requester "10BitTagReq" 5;
        /// VF 14-Bit Tag Requester Enable.
        fourteen_bit_requester "14BitTagReq" 6;
    }
    fields {}
}

register! {
    /// SR-IOV Status Register.
    IovSta "IOVSta"
    flags {
        /// VF Migration Status.
        migration "Migration" 0;
    }
    fields {}
}

register! {
    /// InitialVFs and TotalVFs.
    IovVfs "IOVVFs"
    flags {}
    fields {
        /// InitialVFs.
        initial "Initial VFs" 0..=15;
        /// TotalVFs.
        total "Total VFs" 16..=31;
    }
}

register! {
    /// NumVFs and the Function Dependency Link.
    IovNum "IOVNum"
    flags {}
    fields {
        /// NumVFs.
        number "Number of VFs" 0..=15;
        /// Function Dependency Link.
        dependency "Function Dependency Link" 16..=23;
    }
}

register! {
    /// First VF Offset and VF Stride.
    IovRouting "IOVRouting"
    flags {}
    fields {
        /// First VF Offset.
        offset "VF offset" 0..=15;
        /// VF Stride.
        stride "stride" 16..=31;
    }
}

register! {
    /// VF Device ID.
    IovDevice "IOVDevice"
    flags {}
    fields {
        /// VF Device ID.
        device "Device ID" 0..=15;
    }
}

layout! {
    /// SR-IOV Extended Capability.
    Sriov {
        /// SR-IOV Capabilities.
        cap: IovCap = 0x04, 4;
        /// SR-IOV Control.
        ctl: IovCtl = 0x08, 2;
        /// SR-IOV Status.
        sta: IovSta = 0x0a, 2;
        /// InitialVFs and TotalVFs.
        vfs: IovVfs = 0x0c, 4;
        /// NumVFs.
        number: IovNum = 0x10, 4;
        /// First VF Offset and VF Stride.
        routing: IovRouting = 0x14, 4;
        /// The Device ID of the virtual functions.
        device: IovDevice = 0x1a, 2;
    }
}

impl Sriov {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Sriov {
        Sriov::registers_at(space, start)
    }
}
