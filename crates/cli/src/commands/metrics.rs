//! `lanescope metrics`.

use crate::args::Metrics;
use crate::csv;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use lab::Unit;
use lab::metric::{MetricDeclaration, Quality};
use serde_json::json;

/// Prints the metrics that an experiment or a table of measurements can use.
///
/// # Errors
/// A file that cannot be written.
pub fn run(asked: &Metrics, screen: &Screen) -> Result<End, Failure> {
    csv::check(&asked.forms.table)?;
    let people = || {
        let mut table = Table::new(screen, &[("metric", Side::Left), ("units", Side::Left), ("what", Side::Left)]);
        for metric in Quality::measured() {
            table.row([metric.word.to_string(), units(metric).join(", "), metric.about.to_string()]);
        }
        table.to_string()
    };
    let rows = || {
        let row = |m: &'static MetricDeclaration| [m.word.to_string(), units(m).join(";"), m.about.to_string()];
        view::csv::text(&["metric", "units", "about"], Quality::measured().map(row))
    };
    let value = |m: &'static MetricDeclaration| json!({ "metric": m.word, "units": units(m), "about": m.about });
    csv::answer(&asked.forms, || Quality::measured().map(value).collect(), rows, people, screen)?;
    Ok(End::Done)
}

/// The units that a metric can be given in.
fn units(metric: &MetricDeclaration) -> Vec<&'static str> {
    Unit::ALL.into_iter().filter(|&unit| (metric.takes)(unit)).map(Unit::word).collect()
}
