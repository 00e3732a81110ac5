//! The rate of the ports of a network card: by its driver, else by its name, else by `nic.csv`. A card whose name has only
//! `Gigabit` has ports of 1 Gb/s, one with `Fast Ethernet` of 0.1.

use crate::function::Function;
use crate::names;
use pcie::config::CapabilityId;
use std::sync::LazyLock;

/// The capability with Vital Product Data.
const VPD: CapabilityId = CapabilityId::Standard(0x03);

/// Module cages with the highest rate of a module, in Gb/s (SNIA SFF-8431, SFF-8402, SFF-8635 and SFF-8665). Names that contain
/// other names come first.
const CAGES: [(&str, f64); 4] = [("QSFP28", 100.0), ("QSFP+", 40.0), ("SFP28", 25.0), ("SFP+", 10.0)];

/// Rates of Ethernet (IEEE 802.3) and of InfiniBand with four lanes, in Gb/s. Other numbers in a name are those of chips and cards.
const RATES: [f64; 13] = [1.0, 2.5, 5.0, 10.0, 20.0, 25.0, 40.0, 50.0, 56.0, 100.0, 200.0, 400.0, 800.0];

/// The source of the rate of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The driver: the current rate.
    Driver,
    /// The name of the card, or of its cages: the highest rate.
    Name,
    /// A row of `nic.csv`: the highest rate of such cards.
    Table,
}

/// The rate of the port, or the ports, of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct Ports {
    /// The sum of all ports, in Gb/s.
    pub gbit_per_s: f64,
    /// The source of the rate.
    pub told: Told,
    /// The evidence: source and value.
    pub shown: (String, String),
}

/// The ports of a physical function; `None` if nothing gives their rate. `lanes` is the number of lanes that the card has.
pub fn ports(function: &Function, lanes: Option<u32>) -> Option<Ports> {
    let by_rate = by_name(function, &|name| rate(name).or_else(|| cage(name)));
    let known = by_driver(function).or(by_rate).or_else(|| by_table(function, lanes));
    known.or_else(|| by_name(function, &|name| gigabit(name).or_else(|| fast_ethernet(name))))
}

/// The same, with the lanes that its own registers tell.
pub fn ports_of(function: &Function) -> Option<Ports> {
    ports(function, function.link_max().and_then(|most| most.width))
}

fn by_driver(function: &Function) -> Option<Ports> {
    let speeds = &function.os.net_speeds;
    let sum: u64 = speeds.iter().map(|(_, mbit)| mbit).sum();
    let shown = speeds.iter().map(|(name, mbit)| format!("{name} {mbit} Mb/s")).collect::<Vec<_>>().join(", ");
    (sum > 0).then(|| Ports { gbit_per_s: sum as f64 / 1e3, told: Told::Driver, shown: ("speed".to_string(), shown) })
}

/// The rate by a name: the maker's name in the card (Vital Product Data), else the name of the subsystem, else that of the chip.
fn by_name(function: &Function, read: &dyn Fn(&str) -> Option<f64>) -> Option<Ports> {
    let product = function.capabilities.with_id(VPD).and_then(|vpd| product(&vpd.text));
    let all = [
        ("Product Name", product),
        ("Subsystem", function.names.subsystem.as_deref()),
        ("device", function.names.device.as_deref()),
    ];
    all.into_iter().filter_map(|(source, name)| Some((source, name?))).find_map(|(source, name)| {
        let gbit_per_s = read(name)?;
        Some(Ports { gbit_per_s, told: Told::Name, shown: (source.to_string(), name.to_string()) })
    })
}

/// The product name, from `Vital Product Data Product Name: CX556A - ConnectX-5 QSFP28 Read-only fields: ...`.
fn product(text: &str) -> Option<&str> {
    let (_, name) = text.split_once("Product Name:")?;
    Some(name.split_once("-only fields:").map_or(name, |(name, _)| name.trim_end_matches("Read")).trim())
}

/// The largest rate in a name, as in `25GbE`, `10/25GbE`, `2.5GbE`, `100Gb`, `10-Gigabit`, `10 Gigabit`, `10G`, `10GBASE-T`.
fn rate(name: &str) -> Option<f64> {
    let all = name.match_indices(['G', 'g']).filter_map(|(at, _)| {
        let behind = name[at + 1..].to_ascii_lowercase();
        let unit = ["be", "b", "ig", "base"].iter().any(|unit| behind.starts_with(unit));
        let alone = !behind.starts_with(|c: char| c.is_ascii_alphanumeric());
        let before = name[..at].trim_end_matches([' ', '-']);
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (rest, number) = before.split_at(before.len() - digits);
        // The number in `I210 Gigabit` is that of a chip; `2x25G` means two ports.
        let apart = !rest.trim_end_matches('x').ends_with(char::is_alphabetic);
        let number = number.parse::<f64>().ok().filter(|number| RATES.contains(number))?;
        (apart && (unit || alone)).then_some(number)
    });
    all.max_by(f64::total_cmp)
}

/// 1 Gb/s for a name with `Gigabit` and no number, as in `NetXtreme BCM5720 2-port Gigabit Ethernet`: each function has one port.
fn gigabit(name: &str) -> Option<f64> {
    let before = name.split_once("Gigabit")?.0.trim_end_matches([' ', '-']).to_ascii_lowercase();
    (!before.ends_with("multi")).then_some(1.0)
}

/// 0.1 Gb/s for a name with `Fast Ethernet` (IEEE 802.3u), as in `RTL810xE PCI Express Fast Ethernet controller`.
fn fast_ethernet(name: &str) -> Option<f64> {
    name.contains("Fast Ethernet").then_some(FAST_ETHERNET)
}

/// The rate of Fast Ethernet, in Gb/s.
pub const FAST_ETHERNET: f64 = 0.1;

fn cage(name: &str) -> Option<f64> {
    CAGES.iter().find(|(cage, _)| name.contains(cage)).map(|(_, gbit)| *gbit)
}

/// A row of `nic.csv`.
struct Row {
    ids: (u16, u16),
    name: String,
    gbit_per_s: f64,
    lanes: u32,
    source: String,
}

static KNOWN: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let text = include_str!("nic.csv").as_bytes();
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text);
    reader.records().filter_map(|row| read(&row.ok()?)).collect()
});

fn read(row: &csv::StringRecord) -> Option<Row> {
    let id = |at: usize| u16::from_str_radix(row.get(at)?, 16).ok();
    Some(Row {
        ids: (id(0)?, id(1)?),
        name: row.get(2)?.to_string(),
        gbit_per_s: row.get(3)?.parse().ok()?,
        lanes: row.get(4)?.parse().ok()?,
        source: row.get(5)?.to_string(),
    })
}

fn by_table(function: &Function, lanes: Option<u32>) -> Option<Ports> {
    let header = &function.header;
    let ids = header.vendor.zip(header.device).or_else(|| names::ids(function.names.device.as_deref()?))?;
    let row = KNOWN.iter().find(|row| row.ids == ids && lanes.is_some_and(|lanes| lanes >= row.lanes))?;
    let value = format!("{}: {} Gb/s a port ({})", row.name, row.gbit_per_s, row.source);
    Some(Ports { gbit_per_s: row.gbit_per_s, told: Told::Table, shown: ("device".to_string(), value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_rate_of_a_port_read_from_names_as_makers_write_them() {
        for (name, is) in [
            ("Mellanox Technologies ConnectX®-5 EN network interface card, 10/25GbE dual-port SFP28", Some(25.0)),
            ("BCM57508 NetXtreme-E 10Gb/25Gb/40Gb/50Gb/100Gb/200Gb Ethernet", Some(200.0)),
            ("82599ES 10-Gigabit SFI/SFP+ Network Connection", Some(10.0)),
            ("RTL8125 2.5GbE Controller", Some(2.5)),
            ("Ethernet 10G 2P X520 Adapter", Some(10.0)),
            ("MCX4421A-ACQN ConnectX-4 Lx EN OCP,2x25G", Some(25.0)),
            ("Ethernet Controller X710 for 10GBASE-T", Some(10.0)),
            ("MT26488 [ConnectX VPI PCIe 2.0 5GT/s]", None),
            ("NetXtreme BCM5720 2-port Gigabit Ethernet PCIe", None),
            ("MT27800 Family [ConnectX-5]", None),
            ("I210 Gigabit Network Connection", None),
            ("DGE-560T PCI Express Gigabit", None),
            ("DGE-560 Gigabit", None),
            ("E100 Gigabit", None),
        ] {
            assert_eq!(rate(name), is, "{name}");
        }
        for name in ["NetXtreme BCM5720 2-port Gigabit Ethernet PCIe", "I210 Gigabit Network Connection"] {
            assert_eq!(gigabit(name), Some(1.0), "{name}");
        }
        assert_eq!(fast_ethernet("AR8152 v2.0 Fast Ethernet"), Some(FAST_ETHERNET));
        assert_eq!((gigabit("Multi-Gigabit Ethernet"), gigabit("MT27800 Family [ConnectX-5]")), (None, None));
        assert_eq!(
            product("Vital Product Data Product Name: CX556A - ConnectX-5 QSFP28 Read-only fields: [PN]"),
            Some("CX556A - ConnectX-5 QSFP28")
        );
        assert_eq!((cage("CX556A - ConnectX-5 QSFP28"), cage("CX512A - ConnectX-5 SFP28")), (Some(100.0), Some(25.0)));
    }

    #[test]
    fn every_row_of_the_table_reads_and_names_the_device_of_the_database() {
        let rows = include_str!("nic.csv").lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(KNOWN.len(), rows, "a row that does not read is left out");
        for row in KNOWN.iter() {
            let name = names::device(row.ids.0, row.ids.1).unwrap_or_default();
            assert!(name.contains(&row.name) && !row.source.is_empty(), "{name}: {}", row.name);
        }
    }
}
