//! The rows of the table, and what each is compared with.

use crate::metric::Quality;

/// One row of the table.
pub struct Asked {
    /// The experiment of the rig.
    pub experiment: &'static str,
    pub at: &'static str,
    pub quality: Quality,
    /// The overrides; then their text in the table.
    pub set: &'static [&'static str],
    pub told: &'static str,
    /// True if the link is the bottleneck, so that the bound against the published figure applies.
    pub wire: bool,
    /// The name of the row that it is compared with.
    pub beside: Option<&'static str>,
    /// The row of the article's formula that is used if no measurement exists.
    pub formula: Option<Formula>,
}

/// A link that flows share, by the article's formula.
#[derive(Clone, Copy)]
pub struct Formula {
    /// The point of the experiment `link-table`.
    pub at: &'static str,
    /// The number of flows that share a direction of the link.
    pub flows: f64,
    /// The factor of the encoding that the formula leaves out.
    pub encoding: f64,
}

/// The cable between a board and the adapter, with four flows in each direction.
const CABLE: Formula = Formula { at: "gen=3;lanes=4;payload=128", flows: 4.0, encoding: 128.0 / 130.0 };

const fn asked(experiment: &'static str, at: &'static str, quality: Quality) -> Asked {
    Asked { experiment, at, quality, set: &[], told: "", wire: false, beside: None, formula: None }
}

impl Asked {
    const fn wire(self) -> Asked {
        Asked { wire: true, ..self }
    }
    const fn with(self, set: &'static [&'static str], told: &'static str) -> Asked {
        Asked { set, told, ..self }
    }
    const fn beside(self, name: &'static str) -> Asked {
        Asked { beside: Some(name), ..self }
    }
    const fn by(self, formula: Formula) -> Asked {
        Asked { formula: Some(formula), ..self }
    }

    /// The name of the row in the table.
    pub fn name(&self) -> String {
        let said = [self.experiment, self.at, self.told];
        said.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// True if the volume is reduced: many flows, or one read at a time, reach a steady state early.
    pub fn is_short(&self) -> bool {
        self.experiment.ends_with("-many") || self.set.contains(&ONE_TAG)
    }

    /// The number of runs: gateware and behavioural cards; for latencies also behavioural cards without an engine.
    pub fn variants(&self) -> usize {
        if self.quality == Quality::LATENCY { 3 } else { 2 }
    }
}

const ONE_TAG: &str = "card.read_requests=1";
const ONE: &str = "one tag, MRRS 4096";
const ONE_SMALL: &str = "one tag of 512 B";
const LARGE: &[&str] = &[ONE_TAG, "card.read_request=4096 B"];
const SMALL: &[&str] = &[ONE_TAG, "card.read_request=512 B"];

/// All rows, in the order of the page.
pub fn rows() -> Vec<Asked> {
    let peers = ["flows=1", "flows=2", "flows=3", "flows=4", "flows=ring8"];
    let devices: [&'static str; 8] =
        ["devices=1", "devices=2", "devices=3", "devices=4", "devices=5", "devices=6", "devices=7", "devices=8"];
    let pushed = &["card.descriptors=pushed"];
    let mut rows: Vec<Asked> =
        peers.iter().map(|at| asked("p2p-write", at, Quality::THROUGHPUT_PER_FLOW).wire()).collect();
    rows.push(asked("p2p-write", "flows=cross8", Quality::THROUGHPUT_PER_FLOW).wire().by(CABLE));
    rows.extend(devices.iter().map(|at| asked("host-write-many", at, Quality::THROUGHPUT_PER_DEVICE)));
    rows.extend(
        devices.iter().map(|at| asked("host-read-many", at, Quality::THROUGHPUT_PER_DEVICE).with(&[], "32 tags")),
    );
    rows.extend(
        devices[..3]
            .iter()
            .map(|at| asked("host-read-many", at, Quality::THROUGHPUT_PER_DEVICE).with(LARGE, ONE).wire()),
    );
    rows.push(asked("host-read-many", "devices=1", Quality::THROUGHPUT_PER_DEVICE).with(SMALL, ONE_SMALL));
    rows.push(asked("host-write", "payload=128", Quality::THROUGHPUT_LINK).with(&[], "ring"));
    rows.push(asked("host-write", "payload=128", Quality::THROUGHPUT_APP).with(&[], "application, ring"));
    rows.push(
        asked("host-write", "payload=128", Quality::THROUGHPUT_APP).with(pushed, "application, descriptors by the CPU"),
    );
    let chain = |set, told| asked("chain", "", Quality::THROUGHPUT_PER_FLOW).with(set, told);
    rows.push(chain(LARGE, ONE).beside("loopback, size=4194304, one tag, MRRS 4096"));
    rows.push(chain(SMALL, ONE_SMALL).beside("host-read-many, devices=1, one tag of 512 B"));
    rows.push(chain(&[], "32 tags").beside("loopback, size=4194304"));
    rows.push(asked("loopback", "size=4096", Quality::THROUGHPUT_PER_FLOW));
    rows.push(asked("loopback", "size=4194304", Quality::THROUGHPUT_PER_FLOW));
    rows.push(asked("loopback", "size=4194304", Quality::THROUGHPUT_PER_FLOW).with(LARGE, ONE));
    for at in ["switches=1", "switches=3"] {
        rows.push(asked("p2p-latency", at, Quality::LATENCY));
        rows.push(asked("ping-pong", at, Quality::LATENCY));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_there_a_row_for_every_name_that_a_row_is_held_to() {
        let names: Vec<String> = rows().iter().map(Asked::name).collect();
        for row in rows() {
            assert!(row.beside.is_none_or(|beside| names.iter().any(|name| name == beside)), "{}", row.name());
        }
    }
}
