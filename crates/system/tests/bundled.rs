//! Do the machines that come with the program settle, and does every experiment give its scenarios?

#![allow(clippy::unwrap_used, clippy::panic)]

use lanescope_system::{Description, Point, bundled};

#[test]
fn every_listed_point_of_every_bundled_machine_is_a_scenario() {
    for name in bundled::NAMES {
        let description = Description::bundled(name).unwrap_or_else(|e| panic!("{}", e.report()));
        description.system().unwrap_or_else(|e| panic!("{}", e.report()));
        for experiment in description.experiments() {
            assert!(!experiment.points().is_empty(), "{name} {}", experiment.name);
            for point in experiment.points() {
                if experiment.formula.is_some() {
                    assert!(description.scenario(experiment, &point).is_err());
                    continue;
                }
                let scenario = description.scenario(experiment, &point);
                let scenario =
                    scenario.unwrap_or_else(|e| panic!("{name} {} {point}: {}", experiment.name, e.report()));
                assert!(!scenario.flows.is_empty(), "{name} {} {point}", experiment.name);
            }
        }
    }
}

#[test]
fn every_reference_row_names_a_point() {
    for (table, text) in
        [("kfcr", include_str!("../../../reference/kfcr.csv")), ("rosta", include_str!("../../../reference/rosta.csv"))]
    {
        for row in text.lines().skip(1) {
            let columns: Vec<&str> = row.split(',').collect();
            let description = Description::bundled(columns[0]).unwrap_or_else(|e| panic!("{}", e.report()));
            let experiment = description.experiment(columns[1]).unwrap_or_else(|e| panic!("{}", e.report()));
            let point = Point::parse(columns[2]).unwrap();
            experiment.check(&point).unwrap_or_else(|e| panic!("{row}: {}", e.report()));
            assert_eq!(experiment.reference.as_deref(), Some(table));
            assert!(experiment.measures.iter().any(|m| m == columns[3]), "{row}");
            if experiment.formula.is_none() {
                description.scenario(experiment, &point).unwrap_or_else(|e| panic!("{row}: {}", e.report()));
            }
        }
    }
}
