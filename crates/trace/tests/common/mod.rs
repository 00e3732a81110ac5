//! Traces of bundled machines, a few thousand TLPs long.
#![allow(dead_code, clippy::unwrap_used)]

use lanescope_trace::{Chosen, Format, Summary, Writer};
use pcie::Bytes;
use sim::run_traced;
use std::fs::File;
use std::path::{Path, PathBuf};
use system::Scenario;
use system::description::Description;
use system::experiment::Point;

/// A point of a bundled machine whose flows move `volume` bytes each.
pub fn scenario(system: &str, experiment: &str, point: &str, volume: u64) -> Scenario {
    let description = Description::bundled(system).unwrap();
    let point = Point::parse(point).unwrap();
    let mut scenario = description.scenario(description.experiment(experiment).unwrap(), &point).unwrap();
    for flow in &mut scenario.flows {
        flow.volume = Bytes(volume);
        flow.command = Bytes(flow.command.0.min(volume));
    }
    scenario
}

/// Two cards that write to each other over a switch.
pub fn peers() -> Scenario {
    scenario("rosta-rb8v7", "p2p-write", "flows=2", 64 << 10)
}

/// A card that reads from its host, descriptors and doorbells with it.
pub fn read() -> Scenario {
    scenario("kfcr-5400", "dma-read", "core=kf;lanes=4;size=65536", 128 << 10)
}

/// A file that is gone when it is dropped.
pub struct Trace {
    pub path: PathBuf,
    pub summary: Summary,
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Runs `scenario` with a trace of the links that match `links`; interrupted at once where `interrupted`.
pub fn trace(test: &str, scenario: &Scenario, format: Format, links: &str) -> Trace {
    let end = if format == Format::Pcapng { "pcapng" } else { "perfetto" };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}.{end}", std::process::id()));
    let chosen = Chosen::parse(links, &scenario.system).unwrap();
    let mut writer = Writer::new(File::create(&path).unwrap(), format, chosen, test);
    run_traced(scenario, &dma::options(), &mut writer).unwrap();
    let summary = writer.finish().unwrap();
    assert_eq!(summary.bytes, path.metadata().unwrap().len());
    Trace { path, summary }
}
