//! What the tests of drives share: a machine of a test's own, settled at a point.

#![allow(clippy::unwrap_used, dead_code, reason = "a test that cannot go on has failed; each test uses a part")]

use system::{Description, Point, Scenario};

/// A machine, with settings.
pub fn described(machine: &str, settings: &[&str]) -> Description {
    let _ = lanescope_storage::register();
    let mut description = Description::from_text("machine.yaml", machine).unwrap();
    settings.iter().for_each(|setting| description.set(setting).unwrap());
    description
}

/// Its experiment `work` at a point.
pub fn asked(machine: &str, point: &[(&str, &str)], settings: &[&str]) -> Result<Scenario, system::Error> {
    let description = described(machine, settings);
    let point = point.iter().fold(Point::default(), |point, (axis, value)| point.with(axis, value));
    description.scenario(description.experiment("work").unwrap(), &point)
}

/// Its experiment `work` at a point that is legal.
pub fn scenario(machine: &str, point: &[(&str, &str)], settings: &[&str]) -> Scenario {
    asked(machine, point, settings).unwrap()
}
