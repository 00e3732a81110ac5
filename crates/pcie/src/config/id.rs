//! Capability IDs, and the names that tools print for them.

use std::fmt;

/// The id of a capability in one of the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CapabilityId {
    /// In the list that starts at 34h (Capability ID).
    Standard(u8),
    /// In the list that starts at 100h (PCI Express Extended Capability ID).
    Extended(u16),
}

/// Names by ID: the *Capability ID Assignments* of the PCI-SIG's *PCI Code and ID Assignment Specification*.
const STANDARD: [(u8, &str); 21] = [
    (0x00, "Null"),
    (0x01, "Power Management"),
    (0x02, "AGP"),
    (0x03, "Vital Product Data"),
    (0x04, "Slot ID"),
    (0x05, "MSI"),
    (0x06, "CompactPCI hot-swap"),
    (0x07, "PCI-X"),
    (0x08, "HyperTransport"),
    (0x09, "Vendor Specific Information"),
    (0x0a, "Debug port"),
    (0x0b, "CompactPCI central resource control"),
    (0x0c, "Hot-plug capable"),
    (0x0d, "Subsystem"),
    (0x0e, "AGP3"),
    (0x0f, "Secure device"),
    (0x10, "Express"),
    (0x11, "MSI-X"),
    (0x12, "SATA HBA"),
    (0x13, "PCI Advanced Features"),
    (0x14, "Enhanced Allocation"),
];

const EXTENDED: [(u16, &str); 50] = [
    (0x00, "Null"),
    (0x01, "Advanced Error Reporting"),
    (0x02, "Virtual Channel"),
    (0x03, "Device Serial Number"),
    (0x04, "Power Budgeting"),
    (0x05, "Root Complex Link"),
    (0x06, "Root Complex Internal Link"),
    (0x07, "Root Complex Event Collector"),
    (0x08, "Multi-Function Virtual Channel"),
    (0x09, "Virtual Channel"),
    (0x0a, "Root Complex Register Block"),
    (0x0b, "Vendor Specific Information"),
    (0x0c, "Configuration Access Correlation"),
    (0x0d, "Access Control Services"),
    (0x0e, "Alternative Routing-ID Interpretation (ARI)"),
    (0x0f, "Address Translation Service (ATS)"),
    (0x10, "Single Root I/O Virtualization (SR-IOV)"),
    (0x11, "Multi-Root I/O Virtualization"),
    (0x12, "Multicast"),
    (0x13, "Page Request Interface (PRI)"),
    (0x14, "Reserved for AMD"),
    (0x15, "Physical Resizable BAR"),
    (0x16, "Dynamic Power Allocation"),
    (0x17, "Transaction Processing Hints"),
    (0x18, "Latency Tolerance Reporting"),
    (0x19, "Secondary PCI Express"),
    (0x1a, "Protocol Multiplexing"),
    (0x1b, "Process Address Space ID (PASID)"),
    (0x1c, "LN Requester"),
    (0x1d, "Downstream Port Containment"),
    (0x1e, "L1 PM Substates"),
    (0x1f, "Precision Time Measurement"),
    (0x20, "PCI Express over M_PHY"),
    (0x21, "FRS Queueing"),
    (0x22, "Readiness Time Reporting"),
    (0x23, "Designated Vendor-Specific"),
    (0x24, "Virtual Resizable BAR"),
    (0x25, "Data Link Feature"),
    (0x26, "Physical Layer 16.0 GT/s"),
    (0x27, "Lane Margining at the Receiver"),
    (0x28, "Hierarchy ID"),
    (0x29, "Native PCIe Enclosure Management"),
    (0x2a, "Physical Layer 32.0 GT/s"),
    (0x2b, "Alternate Protocol"),
    (0x2c, "System Firmware Intermediary"),
    (0x2d, "Shadow Functions"),
    (0x2e, "Data Object Exchange"),
    (0x2f, "Device 3"),
    (0x30, "Integrity & Data Encryption"),
    (0x31, "Physical Layer 64.0 GT/s"),
];

/// IDs of revision 6.1 and later, which follow those of the table above.
const EXTENDED_LATER: [(u16, &str); 6] = [
    (0x32, "Flit Logging"),
    (0x33, "Flit Performance Measurement"),
    (0x34, "Flit Error Injection"),
    (0x35, "Streamlined Virtual Channel"),
    (0x36, "MMIO Register Block Locator"),
    (0x37, "NOP Flit"),
];

impl CapabilityId {
    /// Its name; `None` where the ID is not assigned.
    pub fn name(self) -> Option<&'static str> {
        match self {
            CapabilityId::Standard(id) => STANDARD.iter().find(|entry| entry.0 == id).map(|entry| entry.1),
            CapabilityId::Extended(id) => {
                EXTENDED.iter().chain(&EXTENDED_LATER).find(|entry| entry.0 == id).map(|entry| entry.1)
            }
        }
    }
    /// The ID with the longest name that `text` begins with.
    pub fn named(text: &str, extended: bool) -> Option<CapabilityId> {
        let begins = |name: &str| text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        if extended {
            let entries = EXTENDED.iter().chain(&EXTENDED_LATER).filter(|entry| begins(entry.1));
            entries.max_by_key(|entry| entry.1.len()).map(|entry| CapabilityId::Extended(entry.0))
        } else {
            let entries = STANDARD.iter().filter(|entry| begins(entry.1));
            entries.max_by_key(|entry| entry.1.len()).map(|entry| CapabilityId::Standard(entry.0))
        }
    }
}

impl fmt::Display for CapabilityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name(), self) {
            (Some(name), _) => f.pad(name),
            (None, CapabilityId::Standard(id)) => f.pad(&format!("capability {id:#04x}")),
            (None, CapabilityId::Extended(id)) => f.pad(&format!("extended capability {id:#06x}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_text_name_the_longest_capability_that_it_begins_with() {
        assert_eq!(CapabilityId::named("MSI-X: Enable+ Count=16", false), Some(CapabilityId::Standard(0x11)));
        assert_eq!(CapabilityId::named("MSI: Enable+", false), Some(CapabilityId::Standard(5)));
        assert_eq!(CapabilityId::named("Secondary PCI Express <?>", true), Some(CapabilityId::Extended(0x19)));
        assert_eq!(CapabilityId::named("Ünknown", true), None);
    }

    #[test]
    fn are_the_tables_in_the_order_of_their_ids() {
        assert!(STANDARD.iter().enumerate().all(|(i, entry)| usize::from(entry.0) == i));
        assert!(EXTENDED.iter().chain(&EXTENDED_LATER).enumerate().all(|(i, entry)| usize::from(entry.0) == i));
    }
}
