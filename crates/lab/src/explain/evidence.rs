//! What was measured, and what is known of the machine beside its description.

use crate::span::Span;
use std::collections::BTreeSet;
use system::graph::PortId;
use system::{Change, Origin, PartId, Scenario, System};

/// The rate of some flows at once.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// How it is told: `sda + sdb`.
    pub name: String,
    /// What it has in common with others that differ in the devices only: `read 128 KiB depth 8`.
    pub load: String,
    /// The flows, in the machine as it shows itself.
    pub scenario: Scenario,
    /// Their sum, bytes a second; a range where no more is known.
    pub rate: Span,
    /// The greatest part of its core that a thread of the generator was busy; `None` where it is not known.
    pub busy: Option<f64>,
    /// Commands that each device had in flight; `None` where it is not known.
    pub in_flight: Option<u64>,
}

/// All measurements, and what is known.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The measurements.
    pub measurements: Vec<Measurement>,
    /// Standard deviation of a measured rate, with what the model is off, as a share.
    pub noise: f64,
    /// Standard deviation of what all rates of one load are below the model alike, as a share: it is an upper bound.
    pub level: f64,
    /// True where they may be above it as well: somebody read them off, in units and with payload sizes that are not sure.
    pub is_read_off: bool,
    /// True or false where it is known that an IOMMU translates.
    pub iommu: Option<bool>,
    /// Figures that are unknown here, since they were fitted: `host.lane_cap`.
    pub unknown: Vec<String>,
}

/// Noise where none is stated: that of a rate over some seconds, and that of `limit` beside `sim`.
pub const NOISE: f64 = 0.03;

/// How far the rates of a load are below the closed form alike, where nothing else is stated: that of `limit` beside `sim`.
const LEVEL: f64 = 0.03;

/// Fields whose value, where it was fitted, is one of the things that are searched here.
const CAPS: [&str; 4] = ["port_cap", "lane_cap", "socket_rate", "hub_rate"];

impl Evidence {
    /// Measurements, whose machines lose their fitted caps: these are what is asked.
    pub fn new(measurements: Vec<Measurement>) -> Evidence {
        let mut evidence =
            Evidence { measurements, noise: NOISE, level: LEVEL, is_read_off: false, iommu: None, unknown: Vec::new() };
        let mut unknown = BTreeSet::new();
        for measurement in &mut evidence.measurements {
            forget(&mut measurement.scenario.system, &mut unknown);
        }
        evidence.unknown = unknown.into_iter().collect();
        evidence
    }
}

/// Takes fitted caps away.
fn forget(system: &mut System, unknown: &mut BTreeSet<String>) {
    let fitted = |origin: &Origin| matches!(origin, Origin::Fitted(_));
    let mut changes = Vec::new();
    for (number, part) in system.parts.iter().enumerate() {
        for figure in part.figures.iter().filter(|figure| fitted(&figure.origin) && CAPS.contains(&figure.field)) {
            unknown.insert(format!("{}.{}", part.name, figure.field));
            changes.push(Change::Field(PartId(number), figure.field, "infinite".into()));
        }
    }
    for (number, port) in system.ports.iter().enumerate() {
        for figure in port.own.iter().filter(|figure| fitted(&figure.origin) && CAPS.contains(&figure.field)) {
            unknown.insert(format!("{}.{}", port.name, figure.field));
            changes.push(Change::PortField(PortId(number), figure.field, "infinite".into()));
        }
    }
    for change in changes {
        // The field is one of the part, and takes `infinite`.
        let _ = system.amend(change, Origin::Override("what is explained".into()));
    }
}
