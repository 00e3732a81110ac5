//! How long limits and findings of a machine of 300 functions take, beside the bound of 50 ms.

#![allow(clippy::unwrap_used, reason = "an example that cannot go on has failed")]

use lanescope_probe::report::Report;
use lanescope_probe::{Tree, lspci};
use std::time::Instant;
use testing::machine::{Machine, healthy};

/// Two-socket machines, each in a domain of its own, until there are 300 functions.
fn large() -> Machine {
    let mut all = Machine { functions: Vec::new(), nodes: 2, group_type: "DMA-FQ" };
    for machine in (0..).map(healthy).filter(|machine| machine.nodes == 2) {
        let domain = all.functions.last().map_or(0, |function| function.domain + 1);
        all.functions.extend(machine.functions.into_iter().map(|mut function| {
            function.domain = domain;
            function
        }));
        if all.functions.len() >= 300 {
            return all;
        }
    }
    all
}

fn main() {
    let machine = lspci::parse(&large().hex());
    for matrix in [false; 5] {
        let start = Instant::now();
        let report = Report::of(&machine, &Tree::of(&machine), matrix);
        let time = start.elapsed();
        let (functions, devices) = (machine.functions.len(), report.limits.devices.len());
        println!(
            "{functions} functions, {devices} devices, {} findings: {time:?} (bound 50 ms)",
            report.findings.len()
        );
    }
}
