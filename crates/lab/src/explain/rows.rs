//! Measurements from the rows of a table.

use super::evidence::Measurement;
use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::metric::{Quality, Stated};
use crate::reference::{Reference, Row};
use crate::span::Span;
use pcie::Rate;
use system::{Drive, Flow, Scenario};

impl Measurement {
    /// The rates of a machine in a table, one for each point. Rows that measure something else are left out.
    ///
    /// # Errors
    /// No rate of this machine in the table, or a row that names something that does not exist.
    pub fn of_rows(machine: &DescribedMachine, table: &Reference) -> Result<Vec<Measurement>, Error> {
        let mut all = Vec::new();
        for row in table.rows.iter().filter(|row| machine.is_called(&row.system) && row.unit.is_rate()) {
            for at in machine.points_of_row(row)? {
                let name = if at.pairs().next().is_none() { row.experiment.clone() } else { at.to_string() };
                let scenario = machine.job_of_row(row, at)?.scenario;
                let Some(rate) = rate(row, &scenario) else { continue };
                let in_flight = in_flight(&scenario);
                all.push(Measurement { name, load: load(&scenario), scenario, rate, busy: None, in_flight });
            }
        }
        if all.is_empty() {
            let what = format!("{} has no rate of `{}`", table.name, machine.name());
            return Err(Error::asked(
                what,
                "rows with `throughput_sum` or `throughput_per_flow` whose `system` names it",
            ));
        }
        Ok(all)
    }
}

/// The sum of all flows that a row states, bytes a second.
fn rate(row: &Row, scenario: &Scenario) -> Option<Span> {
    let flows = scenario.flows.len();
    let quality = row.metric.quality;
    let times = match () {
        () if quality == Quality::THROUGHPUT_SUM => 1,
        () if quality == Quality::THROUGHPUT_PER_FLOW => flows,
        () if quality == Quality::THROUGHPUT_LINK && flows == 1 => 1,
        () => return None,
    };
    let one = row.unit.rate(Rate(1.0));
    let rate = row.value.scaled(times as f64 / one);
    Some(match row.metric.stated {
        Stated::Is => rate,
        Stated::Above => Span { low: rate.low, high: None },
        Stated::Below => Span { low: 0.0, high: rate.high.or(Some(rate.low)) },
    })
}

/// What a scenario has in common with others that differ in the devices only.
pub fn load(scenario: &Scenario) -> String {
    let Some(Flow { operation, command, work, .. }) = scenario.flows.first() else { return String::new() };
    let in_flight = if work.in_flight() > 1 { format!(", {} in flight", work.in_flight()) } else { String::new() };
    format!("{} {command}{in_flight}", operation.word())
}

/// Commands that each device has in flight, where software keeps as many in all queues.
pub fn in_flight(scenario: &Scenario) -> Option<u64> {
    let mut all = scenario.flows.iter().map(|flow| (flow.drive == Drive::Software).then(|| flow.work.in_flight()));
    let first = all.next().flatten()?;
    all.all(|other| other == Some(first)).then_some(first)
}
