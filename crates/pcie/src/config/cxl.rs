//! Designated Vendor-Specific Extended Capabilities (extended ID 0023h), with those of Compute Express Link decoded.

use crate::config::layout::layout;
use crate::config::register::{Register, register};
use crate::config::space::ConfigSpace;

/// The vendor ID under which CXL registers its structures.
pub const CXL_VENDOR: u32 = 0x1e98;

register! {
    /// Designated Vendor-Specific Header 1.
    DvsecHeader1 "DVSEC"
    flags {}
    fields {
        /// DVSEC Vendor ID.
        vendor "Vendor" 0..=15;
        /// DVSEC Revision.
        revision "Rev" 16..=19;
        /// DVSEC Length, in bytes.
        length "Len" 20..=31;
    }
}

register! {
    /// Designated Vendor-Specific Header 2.
    DvsecHeader2 "DVSECID"
    flags {}
    fields {
        /// DVSEC ID.
        id "ID" 0..=15;
    }
}

/// The CXL structures that are decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cxl {
    /// PCIe DVSEC for CXL Devices (id 0).
    Device(CxlDevice),
    /// PCIe DVSEC for Flex Bus Port (id 7).
    FlexBus(FlexBus),
}

layout! {
    /// Designated Vendor-Specific Extended Capability.
    Dvsec {
        /// Vendor, revision, length.
        header1: DvsecHeader1 = 0x04, 4;
        /// Id.
        header2: DvsecHeader2 = 0x08, 2;
    }
    more {
        /// Its decoded content, where it is a CXL structure that is decoded.
        cxl: Option<Cxl>;
    }
}

impl Dvsec {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Dvsec {
        let mut dvsec = Dvsec::registers_at(space, start);
        dvsec.cxl = match dvsec.identity() {
            Some((CXL_VENDOR, 0)) => Some(Cxl::Device(CxlDevice::registers_at(space, start))),
            Some((CXL_VENDOR, 7)) => Some(Cxl::FlexBus(FlexBus::decode(space, start, dvsec.header1.revision()))),
            _ => None,
        };
        dvsec
    }
    /// Vendor ID and DVSEC ID, which together identify the structure.
    pub fn identity(&self) -> Option<(u32, u32)> {
        Some((self.header1.vendor()?, self.header2.id()?))
    }
    /// The name of a CXL structure (CXL Specification, CXL DVSEC ID Assignment).
    pub fn cxl_name(&self) -> Option<&'static str> {
        let (CXL_VENDOR, id) = self.identity()? else { return None };
        Some(match id {
            0 => "CXL device",
            2 => "CXL non-CXL function map",
            3 => "CXL extensions for ports",
            4 => "CXL GPF port",
            5 => "CXL GPF device",
            7 => "CXL Flex Bus port",
            8 => "CXL register locator",
            9 => "CXL multi-logical device",
            0xa => "CXL test",
            _ => "CXL",
        })
    }
}

register! {
    /// DVSEC CXL Capability.
    CxlCap "CXLCap"
    flags {
        /// Cache_Capable.
        cache "Cache" 0;
        /// IO_Capable.
        io "IO" 1;
        /// Mem_Capable.
        mem "Mem" 2;
        /// Mem_HwInit_Mode.
        mem_hw_init "Mem HW Init" 3;
        /// Cache Writeback and Invalidate Capable.
        cache_writeback "CacheWBInv" 6;
        /// CXL Reset Capable.
        reset "CXLReset" 7;
        /// Viral_Capable.
        viral "Viral" 14;
    }
    fields {
        /// HDM_Count.
        hdm_count "HDMCount" 4..=5;
    }
}

register! {
    /// DVSEC CXL Control.
    CxlCtl "CXLCtl"
    flags {
        /// Cache_Enable.
        cache "Cache" 0;
        /// IO_Enable.
        io "IO" 1;
        /// Mem_Enable.
        mem "Mem" 2;
        /// Cache_Clean_Eviction.
        cache_clean "Cache Clean" 11;
        /// Viral_Enable.
        viral "Viral" 14;
    }
    fields {
        /// Cache_SF_Coverage.
        snoop_coverage "Cache SF Cov" 3..=7;
        /// Cache_SF_Granularity.
        snoop_granularity "Cache SF Gran" 8..=10;
    }
}

register! {
    /// DVSEC CXL Status.
    CxlSta "CXLSta"
    flags {
        /// Viral_Status.
        viral "Viral" 14;
    }
    fields {}
}

layout! {
    /// PCIe DVSEC for CXL Devices, without its address ranges.
    CxlDevice {
        /// CXL Capability.
        cap: CxlCap = 0x0a, 2;
        /// CXL Control.
        ctl: CxlCtl = 0x0c, 2;
        /// CXL Status.
        sta: CxlSta = 0x0e, 2;
    }
}

/// The flags that the three registers of a Flex Bus port share.
macro_rules! flex_bus {
    ($(#[$doc:meta])* $name:ident $title:literal $($(#[$more_doc:meta])* $more:ident $label:literal $bit:literal;)*) => {
        register! {
            $(#[$doc])* $name $title
            flags {
                $( $(#[$more_doc])* $more $label $bit; )*
                /// CXL.cache.
                cache "Cache" 0;
                /// CXL.io.
                io "IO" 1;
                /// CXL.mem.
                mem "Mem" 2;
                /// 68B Flit and VH.
                flit_68 "68BFlit" 5;
                /// Multi-Logical Device.
                multi_logical "MltLogDev" 6;
                /// Latency-Optimized 256B Flit.
                flit_256 "256BFlit" 13;
                /// PBR Flit.
                flit_pbr "PBRFlit" 14;
            }
            fields {}
        }
    };
}

flex_bus! {
    /// DVSEC Flex Bus Port Capability.
    FlexBusCap "FBCap"
}
flex_bus! {
    /// DVSEC Flex Bus Port Control.
    FlexBusCtl "FBCtl"
    /// CXL_Sync_Hdr_Bypass_Enable.
    sync_bypass "SynHdrByp" 3;
    /// Drift_Buffer_Enable.
    drift_buffer "DrftBuf" 4;
    /// Disable_RCD_Training.
    rcd_disable "RCD" 7;
    /// Retimer1_Present.
    retimer_1 "Retimer1" 8;
    /// Retimer2_Present.
    retimer_2 "Retimer2" 9;
}
flex_bus! {
    /// DVSEC Flex Bus Port Status: the result of training.
    FlexBusSta "FBSta"
    /// CXL_Sync_Hdr_Bypass_Enabled.
    sync_bypass "SynHdrByp" 3;
    /// Drift_Buffer_Enabled.
    drift_buffer "DrftBuf" 4;
}

layout! {
    /// PCIe DVSEC for Flex Bus Port.
    FlexBus {
        /// Flex Bus Port Capability.
        cap: FlexBusCap = 0x0a, 2;
        /// Flex Bus Port Control.
        ctl: FlexBusCtl = 0x0c, 2;
        /// Flex Bus Port Status.
        sta: FlexBusSta = 0x0e, 2;
    }
}

/// Bits that revision 2 of the structure added.
const FLEX_BUS_REVISION_2: u32 = 1 << 13 | 1 << 14;

impl FlexBus {
    fn decode(space: &ConfigSpace, start: u16, revision: Option<u32>) -> FlexBus {
        let mut port = FlexBus::registers_at(space, start);
        if revision.is_none_or(|revision| revision < 2) {
            let earlier = |register: Register| register.only(!FLEX_BUS_REVISION_2);
            port.cap.0 = earlier(port.cap.0);
            port.ctl.0 = earlier(port.ctl.0);
            port.sta.0 = earlier(port.sta.0);
        }
        port
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(body: &[u8]) -> ConfigSpace {
        let mut bytes = vec![0; 0x200];
        bytes[0x100..0x100 + body.len()].copy_from_slice(body);
        ConfigSpace::new(bytes)
    }

    #[test]
    fn is_a_cxl_device_told_from_another_vendors_structure() {
        let cxl = [0x23, 0, 1, 0, 0x98, 0x1e, 0x80, 0x03, 0, 0, 0x1e, 0x00, 0x06, 0, 0, 0x40];
        let dvsec = Dvsec::decode(&space(&cxl), 0x100);
        assert_eq!((dvsec.cxl_name(), dvsec.header1.length()), (Some("CXL device"), Some(0x38)));
        let Some(Cxl::Device(device)) = dvsec.cxl else { panic!("{dvsec:?}") };
        assert_eq!((device.cap.mem(), device.cap.hdm_count(), device.ctl.mem()), (Some(true), Some(1), Some(true)));
        assert_eq!(device.sta.viral(), Some(true));
        let other = Dvsec::decode(&space(&[0x23, 0, 1, 0, 0x86, 0x80, 0x80, 0x03, 0, 0]), 0x100);
        assert_eq!((other.cxl, other.header1.vendor()), (None, Some(0x8086)));
    }

    #[test]
    fn are_the_bits_of_a_later_revision_unknown_in_an_earlier_one() {
        let port = [0x23, 0, 1, 0, 0x98, 0x1e, 0x41, 0x01, 7, 0, 0x07, 0x60, 0, 0, 0x03, 0x20];
        let Some(Cxl::FlexBus(port)) = Dvsec::decode(&space(&port), 0x100).cxl else { panic!() };
        assert_eq!((port.sta.cache(), port.sta.flit_256(), port.cap.flit_pbr()), (Some(true), None, None));
    }
}
