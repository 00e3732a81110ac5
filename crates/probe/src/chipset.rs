//! Chipsets that no port shows: their root ports stand beside those of the processor on bus 0, and everything below
//! them shares one link to the processor that has no configuration space of its own.
//!
//! Which chipset it is, its LPC controller says; what its link carries, `chipset.csv` says, with the vendor's document.

use crate::address::Address;
use crate::function::Function;
use crate::machine::Machine;
use pcie::{Bdf, Generation, LinkSpeed, Width};
use std::sync::LazyLock;

/// A known chipset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chipset {
    /// Device ids of its LPC controller, first and last.
    ids: (u16, u16),
    /// How the PCI ID database calls that controller.
    named: String,
    /// Its name.
    pub name: String,
    /// Its link to the processor.
    pub link: LinkSpeed,
    /// The document that says so.
    pub source: String,
}

/// Intel's vendor id.
const INTEL: u16 = 0x8086;

/// Device numbers of bus 0 that are the chipset's where the processor is Intel's: root ports at 1ah to 1dh (the data
/// sheets of `chipset.csv`, PCI Devices and Functions).
const PORTS: std::ops::RangeInclusive<u8> = 0x1a..=0x1d;

/// The LPC or eSPI controller.
const LPC_DEVICE: u8 = 0x1f;

static KNOWN: LazyLock<Vec<Chipset>> = LazyLock::new(|| {
    let text = include_str!("chipset.csv").as_bytes();
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text);
    reader.records().filter_map(|row| read(&row.ok()?)).collect()
});

/// A text without ids names mobile chipsets, whose link is another, like those of desktops, which alone have root ports
/// at 1ah and 1bh; the older ones have no such twins and no such ports.
fn has_ports_of_a_desktop(machine: &Machine) -> bool {
    let lpc = |address: &Address| address.domain == 0 && address.bdf.bus() == 0 && address.bdf.device() == LPC_DEVICE;
    let name = machine.functions.iter().find(|(address, _)| lpc(address)).and_then(|(_, f)| f.names.device.as_deref());
    let ports = machine.functions.keys().filter(|address| address.domain == 0 && address.bdf.bus() == 0);
    let own = ports.map(|address| address.bdf.device()).any(|device| device == 0x1a || device == 0x1b);
    own || !name.is_some_and(|name| name.contains("Raptor Lake"))
}

fn read(row: &csv::StringRecord) -> Option<Chipset> {
    let id = |at: usize| u16::from_str_radix(row.get(at)?, 16).ok();
    let generation = Generation::from_number(row.get(4)?.parse().ok()?)?;
    let width = Width::new(row.get(5)?.parse().ok()?)?;
    Some(Chipset {
        ids: (id(0)?, id(1)?),
        named: row.get(2)?.to_string(),
        name: row.get(3)?.to_string(),
        link: LinkSpeed { generation, width },
        source: row.get(6)?.to_string(),
    })
}

impl Chipset {
    /// The chipset of a machine; `None` where it has none that is known.
    pub fn of(machine: &Machine) -> Option<&'static Chipset> {
        let lpc = machine.function(Address::new(Bdf::new(0, LPC_DEVICE, 0)?))?;
        KNOWN.iter().find(|chipset| chipset.is(lpc) && (lpc.header.device.is_some() || has_ports_of_a_desktop(machine)))
    }

    fn is(&self, lpc: &Function) -> bool {
        match (lpc.header.vendor, lpc.header.device) {
            (Some(vendor), Some(device)) => vendor == INTEL && (self.ids.0..=self.ids.1).contains(&device),
            _ => lpc.names.device.as_ref().is_some_and(|name| name.starts_with("Intel") && name.contains(&self.named)),
        }
    }

    /// True of a root port that is the chipset's.
    pub fn holds(&self, port: Address) -> bool {
        port.domain == 0 && port.bdf.bus() == 0 && PORTS.contains(&port.bdf.device())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_reads_and_none_claims_the_ids_of_another() {
        let rows = include_str!("chipset.csv").lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(KNOWN.len(), rows, "a row that does not read is left out");
        for (number, chipset) in KNOWN.iter().enumerate() {
            assert!(chipset.ids.0 <= chipset.ids.1 && chipset.source.contains("data sheet"), "{}", chipset.name);
            let overlaps = |other: &Chipset| chipset.ids.0 <= other.ids.1 && other.ids.0 <= chipset.ids.1;
            assert!(!KNOWN[number + 1..].iter().any(overlaps), "{}", chipset.name);
        }
    }
}
