//! Power management (id 01h), MSI (05h), MSI-X (11h), and dynamic power allocation (extended id 0016h).

use crate::config::layout::layout;
use crate::config::register::register;
use crate::config::space::ConfigSpace;

register! {
    /// Power Management Capabilities Register.
    PmCap "PMCap"
    flags {
        /// PME Clock.
        pme_clock "PMEClk" 3;
        /// Device Specific Initialization.
        dsi "DSI" 5;
        /// D1 Support.
        d1 "D1" 9;
        /// D2 Support.
        d2 "D2" 10;
    }
    fields {
        /// Version.
        version "version" 0..=2;
        /// Aux Current.
        aux_current "AuxCurrent" 6..=8;
        /// PME Support: one bit for each state from D0 to D3cold.
        pme "PME" 11..=15;
    }
}

register! {
    /// Power Management Control/Status Register.
    PmCtl "PMCtl"
    flags {
        /// No Soft Reset.
        no_soft_reset "NoSoftRst" 3;
        /// PME Enable.
        pme_enable "PME-Enable" 8;
        /// PME Status.
        pme_status "PME" 15;
    }
    fields {
        /// PowerState: 0 is D0, 3 is D3hot.
        state "D" 0..=1;
        /// Data Select.
        data_select "DSel" 9..=12;
        /// Data Scale.
        data_scale "DScale" 13..=14;
    }
}

layout! {
    /// PCI Power Management Capability.
    Power {
        /// Power Management Capabilities.
        cap: PmCap = 0x02, 2;
        /// Power Management Control/Status.
        ctl: PmCtl = 0x04, 2;
    }
}

impl Power {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Power {
        Power::registers_at(space, start)
    }
}

register! {
    /// Message Control Register for MSI.
    MsiCtl "MSI"
    flags {
        /// MSI Enable.
        enable "Enable" 0;
        /// 64-bit Address Capable.
        address_64 "64bit" 7;
        /// Per-Vector Masking Capable.
        maskable "Maskable" 8;
    }
    fields {
        /// Multiple Message Capable: log2 of the number of vectors that it requests.
        capable "Capable" 1..=3;
        /// Multiple Message Enable: log2 of the number of vectors that it was given.
        enabled "Enabled" 4..=6;
    }
}

layout! {
    /// MSI Capability, without its addresses.
    Msi {
        /// Message Control.
        ctl: MsiCtl = 0x02, 2;
    }
}

impl Msi {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Msi {
        Msi::registers_at(space, start)
    }
}

register! {
    /// Message Control Register for MSI-X.
    MsixCtl "MSI-X"
    flags {
        /// Function Mask.
        masked "Masked" 14;
        /// MSI-X Enable.
        enable "Enable" 15;
    }
    fields {
        /// Table Size, encoded as the size minus one.
        size "Count" 0..=10;
    }
}

register! {
    /// Table Offset and BIR.
    MsixTable "Vector table"
    flags {}
    fields {
        /// Which BAR.
        bar "BAR" 0..=2;
        /// Offset, in units of 8 bytes.
        offset "offset" 3..=31;
    }
}

register! {
    /// PBA Offset and BIR.
    MsixPba "PBA"
    flags {}
    fields {
        /// Which BAR.
        bar "BAR" 0..=2;
        /// Offset, in units of 8 bytes.
        offset "offset" 3..=31;
    }
}

layout! {
    /// MSI-X Capability.
    Msix {
        /// Message Control.
        ctl: MsixCtl = 0x02, 2;
        /// Where the table is.
        table: MsixTable = 0x04, 4;
        /// Where the pending bits are.
        pba: MsixPba = 0x08, 4;
    }
}

impl Msix {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Msix {
        Msix::registers_at(space, start)
    }
}

register! {
    /// DPA Capability Register.
    DpaCap "DPACap"
    flags {}
    fields {
        /// Substate_Max: substates are numbered 0 to this.
        substate_max "SubstateMax" 0..=4;
        /// Transition Latency Unit: 1, 10 or 100 ms.
        latency_unit "LatencyUnit" 8..=9;
        /// Power Allocation Scale: 10, 1, 0.1 or 0.01 W.
        power_scale "PowerScale" 12..=13;
        /// Transition Latency Value 0.
        latency_0 "Latency0" 16..=23;
        /// Transition Latency Value 1.
        latency_1 "Latency1" 24..=31;
    }
}

register! {
    /// DPA Latency Indicator Register: one bit for each substate, which selects one of the two latencies.
    DpaLatency "DPALatency"
    flags {}
    fields {
        /// The bits.
        indicator "Indicator" 0..=31;
    }
}

register! {
    /// DPA Status Register.
    DpaSta "DPASta"
    flags {
        /// Substate Control Enabled.
        enabled "Enabled" 8;
    }
    fields {
        /// Substate Status: the current substate.
        substate "Substate" 0..=4;
    }
}

register! {
    /// DPA Control Register.
    DpaCtl "DPACtl"
    flags {}
    fields {
        /// Substate Control: the substate that software requests.
        substate "Substate" 0..=4;
    }
}

layout! {
    /// Dynamic Power Allocation Extended Capability.
    Dpa {
        /// DPA Capability.
        cap: DpaCap = 0x04, 4;
        /// DPA Latency Indicator.
        latency: DpaLatency = 0x08, 4;
        /// DPA Status.
        sta: DpaSta = 0x0c, 2;
        /// DPA Control.
        ctl: DpaCtl = 0x0e, 2;
    }
    more {
        /// DPA Power Allocation Array: one byte for each substate, in units of the scale.
        allocations: Vec<u8>;
    }
}

impl Dpa {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Dpa {
        let mut dpa = Dpa::registers_at(space, start);
        let substates = dpa.cap.substate_max().map_or(0, |max| max as usize + 1);
        dpa.allocations = space.seen(start.saturating_add(0x10), substates).to_vec();
        dpa
    }
    /// The power limit of substate `n`, in milliwatts.
    pub fn milliwatts(&self, n: usize) -> Option<u32> {
        let unit = [10_000, 1_000, 100, 10].get(self.cap.power_scale()? as usize).copied()?;
        Some(u32::from(*self.allocations.get(n)?) * unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_power_of_a_substate_its_byte_times_the_scale() {
        let mut bytes = vec![0; 0x120];
        bytes[0x100..0x114]
            .copy_from_slice(&[0x16, 0, 1, 0, 0x02, 0x21, 5, 9, 0b101, 0, 0, 0, 0x01, 0x01, 1, 0, 250, 120, 60, 77]);
        let dpa = Dpa::decode(&ConfigSpace::new(bytes), 0x100);
        assert_eq!(dpa.allocations, [250, 120, 60]);
        assert_eq!((dpa.milliwatts(1), dpa.milliwatts(3)), (Some(12_000), None));
        assert_eq!((dpa.sta.substate(), dpa.sta.enabled()), (Some(1), Some(true)));
    }
}
