//! Published figures against the simulation, row by row and table by table.

use crate::bound::{self, Verdict};
use crate::metric::Quality;
use crate::provenance::Fitted;
use crate::reference::Row;

/// A row beside what we say.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// As published.
    pub row: Row,
    /// By the simulation, in the row's unit; `None` for formula rows.
    pub simulated: Option<f64>,
    /// By the closed form (for formula rows, by the standard), in the row's unit.
    pub limit: Option<f64>,
    /// By the publication's own formula, for formula rows.
    pub reference_formula: Option<f64>,
    /// How far the simulation (or the formula) lies from the figure, in per cent of it.
    pub error_percent: f64,
    /// True where figures were fitted on this row: it is reproduced, not predicted.
    pub fitted: bool,
}

/// Rows that belong together.
#[derive(Clone, Debug)]
pub struct Table {
    /// Which machine and experiment; tables of one experiment differ in `core` and `lanes`.
    pub name: String,
    /// Which of [`Validation::comparisons`].
    pub rows: Vec<usize>,
    /// Mean distance, in per cent.
    pub mean_percent: f64,
    /// Greatest distance, in per cent.
    pub worst_percent: f64,
    /// What is stated for it.
    pub verdicts: Vec<Verdict>,
}

/// The fitted figures behind one file.
#[derive(Clone, Debug)]
pub struct Behind {
    /// The file's name without folder and ending.
    pub reference: String,
    /// Each once.
    pub fitted: Vec<Fitted>,
}

impl Behind {
    /// How many count: permitted choices do not.
    pub fn count(&self) -> usize {
        self.fitted.iter().filter(|fitted| fitted.counts()).count()
    }
    /// True where no more count than are allowed.
    pub fn holds(&self) -> bool {
        self.allowed().is_none_or(|most| self.count() <= most)
    }
    /// How many are allowed, for a file that has such a bound.
    pub fn allowed(&self) -> Option<usize> {
        bound::fitted_allowed(&self.reference)
    }
}

/// What a comparison came to.
#[derive(Clone, Debug)]
pub struct Validation {
    /// In the order of the rows; where interrupted, those that were finished.
    pub comparisons: Vec<Comparison>,
    /// In the order of their first rows.
    pub tables: Vec<Table>,
    /// A file each.
    pub behind: Vec<Behind>,
    /// False where interrupted.
    pub complete: bool,
}

impl Validation {
    /// True where every stated bound is kept.
    pub fn holds(&self) -> bool {
        self.tables.iter().all(|table| table.verdicts.iter().all(Verdict::holds))
            && self.behind.iter().all(Behind::holds)
    }
}

/// Comparisons by what belongs together.
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
    let name = chosen.first().map(|c| format!("{}  {}", c.row.system, c.row.experiment));
    Table {
        name: name.unwrap_or_default(),
        mean_percent: bound::mean(chosen.iter().copied()).unwrap_or(0.0),
        worst_percent: bound::worst(chosen.iter().copied()).unwrap_or(0.0),
        verdicts: bound::verdicts(&chosen),
        rows,
    }
}

/// System and experiment, and for the 2008 card, whose tables are told apart so, core and lanes.
fn key_of_table(row: &Row) -> String {
    let mut name = format!("{} {}", row.system, row.experiment);
    if !matches!(row.metric.quality, Quality::Formula(_)) {
        for axis in ["core", "lanes"] {
            if let Some(value) = row.at.get(axis) {
                name += &format!(" {axis}={value}");
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    fn comparison(place: &str, error_percent: f64) -> Comparison {
        let head = crate::reference::COLUMNS.join(",");
        let row =
            reference::parse("a.csv", &format!("{head}\n{place},throughput,1,MB/s,me,\n")).unwrap().rows.remove(0);
        Comparison { row, simulated: None, limit: None, reference_formula: None, error_percent, fitted: false }
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
