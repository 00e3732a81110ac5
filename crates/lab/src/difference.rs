//! Why the limit differs from the simulation or from a published figure: what the limit names, and what is about as slow.

use crate::measured::Measured;
use crate::metric::{Over, Quality};
use crate::reference::Row;
use limit::near;
use pcie::Bytes;

/// A limit that differs by less than this, in per cent, from both is not explained.
pub const LISTED_PERCENT: f64 = 0.5;

/// Rows of the limit's table that are faster than the slowest by at most this, in per cent, are about as slow.
pub const NEAR_PERCENT: f64 = 5.0;

/// How far the limit of a row is from the simulation and from the published figure, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What the closed form gives: of a flow alone its limit, of flows among others their shares, in the row's unit.
    pub predicted: f64,
    /// (limit - simulated) / simulated, in per cent.
    pub from_simulation: f64,
    /// (limit - published) / published, in per cent; for an inequality that holds, 0.
    pub from_published: f64,
    /// What the limit names for the slowest flow.
    pub decides: String,
    /// What is about as slow for that flow, with how much faster it is, in per cent. Several such rows delay each other
    /// in the simulation, and the limit counts the slowest only. `None` for a latency, which is not that of a table.
    pub about_as_slow: Option<Vec<(String, f64)>>,
    /// For a flow of several commands: bytes of a command, and the time that the simulation needs for one beyond that of
    /// the limit, in nanoseconds.
    pub of_a_command: Option<(Bytes, f64)>,
}

impl Difference {
    /// The difference of a row at a point; `None` where it is not listed.
    pub(crate) fn new(row: &Row, point: &Measured, simulated: f64, limit: Option<f64>) -> Option<Difference> {
        let limit = limit?;
        let from_simulation = if simulated > 0.0 { (limit / simulated - 1.0) * 100.0 } else { 0.0 };
        let from_published = row.metric.error_percent(limit, row.value);
        if from_simulation.abs().max(from_published.abs()) <= LISTED_PERCENT {
            return None;
        }
        if row.metric.quality == Quality::LATENCY {
            let decides = "one TLP with nothing in the way".to_string();
            return Some(Difference {
                predicted: limit,
                from_simulation,
                from_published,
                decides,
                about_as_slow: None,
                of_a_command: None,
            });
        }
        let flow = point.slowest_place(Over::All)?;
        let decides = &point.limits.together.get(flow)?.bottleneck;
        let rows = near::rows(&point.job.scenario, flow);
        let slowest = rows.first().map_or(0.0, |row| row.rate.0);
        let faster = |near: &near::Near| (near.rate.0 / slowest - 1.0) * 100.0;
        // What decides stands in the table too, and is not beside itself.
        let mut known = vec![decides.to_string()];
        let others = rows.iter().filter(|near| {
            let name = near.bottleneck.to_string();
            let is_new = faster(near) <= NEAR_PERCENT && !known.contains(&name);
            known.push(name);
            is_new
        });
        Some(Difference {
            predicted: limit,
            from_simulation,
            from_published,
            decides: decides.to_string(),
            about_as_slow: Some(others.map(|near| (near.bottleneck.to_string(), faster(near))).collect()),
            of_a_command: of_a_command(point, flow, from_simulation),
        })
    }

    /// True where limit and simulation agree, so that the difference from the published figure is not the limit's.
    pub fn is_of_the_model(&self) -> bool {
        self.from_simulation.abs() <= LISTED_PERCENT
    }
}

fn of_a_command(point: &Measured, flow: usize, from_simulation: f64) -> Option<(Bytes, f64)> {
    let asked = point.job.scenario.flows.get(flow).filter(|asked| asked.volume > asked.command)?;
    let limit_ns = asked.command.0 as f64 / point.limits.together.get(flow)?.app.0 * 1e9;
    Some((asked.command, limit_ns * from_simulation / 100.0))
}
