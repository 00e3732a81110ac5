//! Comparison of published figures with the simulation, row by row and table by table.

use crate::bound::{self, Verdict};
pub use crate::comparison::Comparison;
use crate::metric::Quality;
use crate::provenance::Fitted;
use crate::reference::Row;

/// Rows that belong together.
#[derive(Clone, Debug)]
pub struct Table {
    /// The machine and the experiment. Tables of one experiment differ in `core` and `lanes`.
    pub name: String,
    /// The indices of the rows in [`Validation::comparisons`].
    pub rows: Vec<usize>,
    /// The mean absolute error, in per cent.
    pub mean_percent: f64,
    /// The greatest absolute error, in per cent.
    pub worst_percent: f64,
    /// The bounds stated for the table, with the errors found.
    pub verdicts: Vec<Verdict>,
}

/// The fitted figures that one file depends on.
#[derive(Clone, Debug)]
pub struct Behind {
    /// The file's name without folder and extension.
    pub reference: String,
    /// The figures, each once.
    pub fitted: Vec<Fitted>,
}

impl Behind {
    /// The number of figures that count. Permitted choices do not count.
    pub fn count(&self) -> usize {
        self.fitted.iter().filter(|fitted| fitted.counts()).count()
    }
    /// True if no more figures count than are allowed.
    pub fn holds(&self) -> bool {
        self.allowed().is_none_or(|most| self.count() <= most)
    }
    /// The number of figures allowed, for a file with such a bound.
    pub fn allowed(&self) -> Option<usize> {
        bound::fitted_allowed(&self.reference)
    }
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The comparisons, in the order of the rows. If interrupted, some are missing.
    pub comparisons: Vec<Comparison>,
    /// The tables, in the order of their first rows.
    pub tables: Vec<Table>,
    /// The bounds stated for all rows of a machine together, with the machine's name.
    pub machines: Vec<(String, Verdict)>,
    /// The fitted figures, one entry for each file.
    pub behind: Vec<Behind>,
    /// False if interrupted.
    pub complete: bool,
}

impl Validation {
    /// States a bound for each row, in per cent, beside those that are stated already.
    pub fn bound_each(&mut self, bound: f64) {
        for table in &mut self.tables {
            table.verdicts.push(Verdict { of: "each row, as asked".into(), found: table.worst_percent, bound });
        }
    }
    /// The row with the greatest error.
    pub fn worst(&self) -> Option<&Comparison> {
        self.comparisons.iter().max_by(|a, b| a.error_percent.abs().total_cmp(&b.error_percent.abs()))
    }
    /// The number of bounds that hold, and of all.
    pub fn bounds(&self) -> (usize, usize) {
        let of_tables = self.tables.iter().flat_map(|table| &table.verdicts).map(Verdict::holds);
        let of_machines = self.machines.iter().map(|(_, verdict)| verdict.holds());
        let of_files = self.behind.iter().filter(|behind| behind.allowed().is_some()).map(Behind::holds);
        let all: Vec<bool> = of_tables.chain(of_machines).chain(of_files).collect();
        (all.iter().filter(|holds| **holds).count(), all.len())
    }
    /// True if every stated bound is kept.
    pub fn holds(&self) -> bool {
        self.tables.iter().all(|table| table.verdicts.iter().all(Verdict::holds))
            && self.machines.iter().all(|(_, verdict)| verdict.holds())
            && self.behind.iter().all(Behind::holds)
    }
}

/// Groups comparisons into tables.
pub(crate) fn tables(comparisons: &[Comparison]) -> Vec<Table> {
    let mut names: Vec<String> = Vec::new();
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (index, comparison) in comparisons.iter().enumerate() {
        let name = key_of_table(&comparison.row);
        match names.iter().position(|known| *known == name) {
            Some(place) => rows[place].push(index),
            None => {
                names.push(name);
                rows.push(vec![index]);
            }
        }
    }
    rows.into_iter().map(|rows| table(rows, comparisons)).collect()
}

fn table(rows: Vec<usize>, comparisons: &[Comparison]) -> Table {
    let chosen: Vec<&Comparison> = rows.iter().filter_map(|&row| comparisons.get(row)).collect();
    let name = chosen.first().map(|c| {
        let name = format!("{}  {}", c.row.system, c.row.experiment);
        bound::measurement(&c.row).map_or(name.clone(), |measurement| format!("{name}  {measurement}"))
    });
    Table {
        name: name.unwrap_or_default(),
        mean_percent: bound::mean(chosen.iter().copied()).unwrap_or(0.0),
        worst_percent: bound::worst(chosen.iter().copied()).unwrap_or(0.0),
        verdicts: bound::verdicts(&chosen),
        rows,
    }
}

/// The name of a row's table: system and experiment, and for the 2008 card also core and lanes.
fn key_of_table(row: &Row) -> String {
    let mut name = format!("{} {}", row.system, row.experiment);
    if !matches!(row.metric.quality, Quality::Formula(_)) {
        for axis in ["core", "lanes"] {
            if let Some(value) = row.at.get(axis) {
                name += &format!(" {axis}={value}");
            }
        }
    }
    match bound::measurement(row) {
        Some(measurement) => format!("{name} {measurement}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    fn comparison(place: &str, error_percent: f64) -> Comparison {
        let head = crate::reference::COLUMNS.join(",");
        let row =
            reference::parse("a.csv", &format!("{head}\n{place},throughput,1,MB/s,me,\n")).unwrap().rows.remove(0);
        let (simulated, limit, reference_formula, fitted, difference) = (None, None, None, false, None);
        Comparison { row, simulated, limit, fair: None, reference_formula, error_percent, fitted, difference }
    }

    #[test]
    fn rows_of_one_measurement_make_a_table_with_a_bound_on_their_median_and_on_most_of_them() {
        let head = crate::reference::COLUMNS.join(",");
        let one = |size: usize, error_percent: f64| {
            let line = format!("nfp-t630,dma-read,size={size},throughput,1,MB/s,me,bw_dma_sz_sweep");
            let row = reference::parse("a.csv", &format!("{head}\n{line}\n")).unwrap().rows.remove(0);
            let (simulated, limit, reference_formula, fitted, difference) = (None, None, None, false, None);
            Comparison { row, simulated, limit, fair: None, reference_formula, error_percent, fitted, difference }
        };
        let of = |errors: [f64; 20]| {
            let all: Vec<Comparison> = errors.iter().enumerate().map(|(n, &error)| one(n + 1, error)).collect();
            let tables = tables(&all);
            assert_eq!((tables.len(), tables[0].rows.len()), (1, 20));
            tables[0].verdicts.iter().map(|v| (v.of.clone(), v.found, v.holds())).collect::<Vec<_>>()
        };
        let mut errors = [1.0; 20];
        errors[..10].fill(-5.0);
        errors[0] = 50.0;
        assert_eq!(of(errors), [("median".to_string(), 1.0, true), ("95 % of the rows".to_string(), 5.0, true)]);
        errors[1..12].fill(11.0);
        assert_eq!(of(errors), [("median".to_string(), 11.0, false), ("95 % of the rows".to_string(), 11.0, false)]);
    }

    #[test]
    fn rows_of_one_core_and_width_make_a_table_with_the_bounds_of_its_operation() {
        let all = [
            comparison("kfcr-5400,dma-read,core=kf;lanes=8;size=512", 5.0),
            comparison("kfcr-5400,dma-read,core=kf;lanes=4;size=512", 1.0),
            comparison("kfcr-5400,dma-read,core=kf;lanes=8;size=4096", -2.5),
        ];
        let tables = tables(&all);
        assert_eq!(tables.iter().map(|t| t.rows.clone()).collect::<Vec<_>>(), [vec![0, 2], vec![1]]);
        let found: Vec<(f64, f64, bool)> = tables[0].verdicts.iter().map(|v| (v.found, v.bound, v.holds())).collect();
        assert_eq!(found, [(3.75, 4.0, true), (2.5, 2.0, false)]);
    }
}
