//! Chipsets. Their root ports appear on bus 0 beside those of the processor; no port shows the one link to the processor that
//! everything below them shares.
//!
//! The chipset is identified by its LPC controller. The rate of its link comes from the host bridge, if that is a root port of
//! its own (X58, 5520), else from `chipset.csv`, with a source for each row.

use crate::address::Address;
use crate::function::Function;
use crate::link::LinkRate;
use crate::machine::Machine;
use crate::names;
use pcie::config::PortType;
use pcie::{Bdf, Generation, LinkSpeed, Width};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// A known chipset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chipset {
    /// Its name.
    pub name: String,
    /// Its link to the processor.
    pub link: LinkSpeed,
    /// The source of the link rate: a register, or a row of `chipset.csv`.
    pub source: String,
}

/// Intel's vendor id.
const INTEL: u16 = 0x8086;

/// Device numbers on bus 0 of the chipset's root ports, if the processor is Intel's: 1ah to 1dh (coreboot,
/// `src/soc/intel/alderlake/include/soc/pci_devs.h`; older chipsets have fewer of them).
const PORTS: RangeInclusive<u8> = 0x1a..=0x1d;

/// Device number of the LPC or eSPI controller; its class is ISA bridge.
const LPC_DEVICE: u8 = 0x1f;
const LPC_CLASS: u16 = 0x0601;

/// A row of `chipset.csv`: ids of LPC controllers, and the chipset that has them.
struct Row {
    ids: RangeInclusive<u16>,
    chipset: Chipset,
}

static KNOWN: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let text = include_str!("chipset.csv").as_bytes();
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text);
    reader.records().filter_map(|row| read(&row.ok()?)).collect()
});

fn read(row: &csv::StringRecord) -> Option<Row> {
    let id = |at: usize| u16::from_str_radix(row.get(at)?, 16).ok();
    let generation = Generation::from_number(row.get(3)?.parse().ok()?)?;
    let width = Width::new(row.get(4)?.parse().ok()?)?;
    let (name, source) = (row.get(2)?.to_string(), row.get(5)?.to_string());
    Some(Row { ids: id(0)?..=id(1)?, chipset: Chipset { name, link: LinkSpeed { generation, width }, source } })
}

fn row(id: u16) -> Option<&'static Chipset> {
    KNOWN.iter().find(|row| row.ids.contains(&id)).map(|row| &row.chipset)
}

/// The chipset by the printed name of its LPC controller. Some laptop processors have a chipset of the same name in their
/// package, with another link. If the ids of the name differ in link, the machine must be a desktop: only desktops have root
/// ports at 1ah and 1bh.
fn by_name(machine: &Machine, name: &str) -> Option<&'static Chipset> {
    let ids = names::devices(INTEL, name);
    let found = ids.iter().find_map(|&id| row(id))?;
    let alike = ids.iter().all(|&id| row(id).is_some_and(|other| other.link == found.link));
    let ports = machine.functions.keys().filter(|address| address.domain == 0 && address.bdf.bus() == 0);
    let desktop = ports.map(|address| address.bdf.device()).any(|device| device == 0x1a || device == 0x1b);
    (alike || desktop).then_some(found)
}

/// The current rate of the link to the chipset, by the host bridge; `None` if that is not a root port.
fn observed(machine: &Machine) -> Option<LinkSpeed> {
    let bridge = machine.function(Address::new(Bdf::default()))?;
    let is_port = !bridge.header.is_bridge() && bridge.port_type() == Some(PortType::RootPort);
    is_port.then(|| bridge.link_now().and_then(LinkRate::modelled)).flatten()
}

impl Chipset {
    /// The chipset of a machine; `None` if it has no known chipset.
    pub fn of(machine: &Machine) -> Option<Chipset> {
        let lpc = machine.function(Address::new(Bdf::new(0, LPC_DEVICE, 0)?))?;
        let known = Chipset::known(machine, lpc)?;
        Some(match observed(machine) {
            Some(link) => Chipset { name: known.name.clone(), link, source: "LnkSta of 00:00.0".to_string() },
            None => known.clone(),
        })
    }

    fn known(machine: &Machine, lpc: &Function) -> Option<&'static Chipset> {
        match (lpc.header.vendor, lpc.header.device) {
            (Some(INTEL), Some(device)) => row(device),
            (Some(_), _) => None,
            (None, _) => by_name(machine, lpc.names.device.as_deref()?),
        }
    }

    /// The LPC controller of a machine whose chipset is not known; its link to the processor is then unknown too.
    /// `None` for any other machine.
    pub fn unknown(machine: &Machine) -> Option<Address> {
        let lpc = machine.function(Address::new(Bdf::new(0, LPC_DEVICE, 0)?))?;
        let is_lpc = lpc.is_of(INTEL) && lpc.header.class == Some(LPC_CLASS);
        (is_lpc && !machine.is_emulated() && Chipset::of(machine).is_none()).then_some(lpc.address)
    }

    /// True for a root port of the chipset.
    pub fn holds(&self, port: Address) -> bool {
        is_port(port)
    }
}

/// True for an address where a chipset has its root ports. Call this only for a machine that has a chipset.
pub(crate) fn is_port(port: Address) -> bool {
    port.domain == 0 && port.bdf.bus() == 0 && PORTS.contains(&port.bdf.device())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn every_row_of_the_table_reads_and_none_claims_the_ids_of_another() {
        let rows = include_str!("chipset.csv").lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(KNOWN.len(), rows, "a row that does not read is left out");
        for (number, row) in KNOWN.iter().enumerate() {
            assert!(!row.ids.is_empty(), "{}", row.chipset.name);
            let overlaps = |other: &Row| row.ids.contains(other.ids.start()) || other.ids.contains(row.ids.start());
            assert!(!KNOWN[number + 1..].iter().any(overlaps), "{}", row.chipset.name);
        }
    }

    #[test]
    fn is_every_row_read_somewhere_or_marked_as_assumed() {
        let mut reader =
            csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(include_str!("chipset.csv").as_bytes());
        for row in reader.records().map(Result::unwrap) {
            let (source, address) = (&row[5], &row[6]);
            assert!(source.starts_with("assumed: as ") == address.is_empty() && !source.is_empty(), "{row:?}");
        }
    }

    #[test]
    fn is_every_chipset_that_the_pci_id_database_names_found_by_that_name() {
        for row in KNOWN.iter() {
            for id in row.ids.clone() {
                let name = names::device(INTEL, id).unwrap_or_default();
                if name.contains("LPC") {
                    let found = names::devices(INTEL, &name).into_iter().filter_map(super::row).map(|c| c.link);
                    assert!(found.clone().count() > 0 && found.clone().all(|link| link == row.chipset.link), "{name}");
                }
            }
        }
    }
}
