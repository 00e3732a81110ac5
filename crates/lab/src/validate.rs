//! Published figures against the simulation, row by row and table by table.

use crate::at::At;
use crate::bound::{self, Verdict};
use crate::error::Error;
use crate::formula;
use crate::machine::Machines;
use crate::metric::Quality;
use crate::provenance::{self, Fitted};
use crate::reference::{Reference, Row};
use crate::sweep::{self, Job, Manner, Measured};
use std::collections::BTreeMap;

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

/// What a row needs.
struct Asked<'a> {
    row: &'a Row,
    /// Indices of jobs; none for a formula row.
    jobs: Vec<usize>,
}

/// All rows looked up, each point once.
pub struct Plan<'a> {
    references: &'a [Reference],
    asked: Vec<Vec<Asked<'a>>>,
    jobs: Vec<Job>,
}

impl<'a> Plan<'a> {
    /// Looks every row up.
    ///
    /// # Errors
    /// The first row that names nothing, with its line and what would be right.
    pub fn new(references: &'a [Reference], machines: &Machines) -> Result<Plan<'a>, Error> {
        let mut plan = Plan { references, asked: Vec::new(), jobs: Vec::new() };
        let mut known = BTreeMap::new();
        for reference in references {
            let asked =
                reference.rows.iter().map(|row| plan.ask(row, machines, &mut known)).collect::<Result<_, _>>()?;
            plan.asked.push(asked);
        }
        Ok(plan)
    }
    /// How many points will be simulated.
    pub fn points(&self) -> usize {
        self.jobs.len()
    }

    fn ask(
        &mut self,
        row: &'a Row,
        machines: &Machines,
        known: &mut BTreeMap<(String, String, At), usize>,
    ) -> Result<Asked<'a>, Error> {
        let machine = machines.of_row(row)?;
        if let Quality::Formula(quantity) = row.metric.quality {
            if row.experiment != quantity.experiment() {
                let what = format!("`{}` is no figure of `{}`", quantity.word(), row.experiment);
                return Err(row.place.error(what, format!("its experiment is `{}`", quantity.experiment())));
            }
            formula::rosta(quantity, &row.at).map_err(|(what, right)| row.place.error(what, right))?;
            return Ok(Asked { row, jobs: Vec::new() });
        }
        let mut jobs = Vec::new();
        for at in machine.points_of_row(row)? {
            let key = (row.system.clone(), row.experiment.clone(), at.clone());
            let index = match known.get(&key) {
                Some(&index) => index,
                None => {
                    self.jobs.push(machine.job_of_row(row, at)?);
                    known.insert(key, self.jobs.len() - 1);
                    self.jobs.len() - 1
                }
            };
            jobs.push(index);
        }
        Ok(Asked { row, jobs })
    }

    /// Simulates every point once and compares every row.
    ///
    /// # Errors
    /// A point that cannot be run.
    pub fn run(self, manner: &Manner<'_>) -> Result<Validation, Error> {
        let behind = self.behind();
        let keys: Vec<(String, String, At)> = self.jobs.iter().map(key).collect();
        let sweep = sweep::run(self.jobs, manner)?;
        let mut done: BTreeMap<(String, String, At), &Measured> = BTreeMap::new();
        for measured in &sweep.done {
            done.insert(key(&measured.job), measured);
        }
        let measured: Vec<Option<&Measured>> = keys.iter().map(|key| done.get(key).copied()).collect();
        let mut comparisons = Vec::new();
        for (asked, behind) in self.asked.iter().zip(&behind) {
            for found in asked.iter().filter_map(|asked| compare(asked, &measured)) {
                let fitted = behind.fitted.iter().any(|f| f.is_on(&behind.reference, &found.row));
                comparisons.push(Comparison { fitted, ..found });
            }
        }
        Ok(Validation { tables: tables(&comparisons), comparisons, behind, complete: sweep.complete })
    }

    fn behind(&self) -> Vec<Behind> {
        let of = |(reference, asked): (&Reference, &Vec<Asked<'_>>)| {
            let systems = asked.iter().flat_map(|a| &a.jobs).filter_map(|&job| self.jobs.get(job));
            let fitted = provenance::fitted(systems.map(|job| &job.scenario.system));
            Behind { reference: reference.name.clone(), fitted }
        };
        self.references.iter().zip(&self.asked).map(of).collect()
    }
}

fn key(job: &Job) -> (String, String, At) {
    (job.system.clone(), job.experiment.clone(), job.at.clone())
}

/// A row beside what was found; of several points, beside the one that lies farthest. `None` where one is missing.
fn compare(asked: &Asked<'_>, measured: &[Option<&Measured>]) -> Option<Comparison> {
    let row = asked.row;
    let error = |found: f64| row.metric.error_percent(found, row.value);
    if let Quality::Formula(quantity) = row.metric.quality {
        let answer = formula::rosta(quantity, &row.at).ok()?;
        return Some(Comparison {
            row: row.clone(),
            simulated: None,
            limit: Some(answer.standard),
            reference_formula: Some(answer.formula),
            error_percent: error(answer.formula),
            fitted: false,
        });
    }
    let mut worst: Option<Comparison> = None;
    for &job in &asked.jobs {
        let point = (*measured.get(job)?)?;
        let simulated = point.simulated(row.metric.quality, row.unit)?;
        let comparison = Comparison {
            row: row.clone(),
            simulated: Some(simulated),
            limit: point.limit(row.metric.quality, row.unit),
            reference_formula: None,
            error_percent: error(simulated),
            fitted: false,
        };
        if worst.as_ref().is_none_or(|w| comparison.error_percent.abs() > w.error_percent.abs()) {
            worst = Some(comparison);
        }
    }
    worst
}

fn tables(comparisons: &[Comparison]) -> Vec<Table> {
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

    #[test]
    fn every_bundled_row_names_something_and_every_point_runs_once() {
        let references = reference::bundled().unwrap();
        let machines = Machines::of(&references).unwrap();
        let plan = Plan::new(&references, &machines).unwrap();
        assert_eq!(plan.asked.iter().map(Vec::len).sum::<usize>(), 111);
        let formulas = plan.asked.iter().flatten().filter(|asked| asked.jobs.is_empty()).count();
        assert_eq!(formulas, 45);
        // Of the measured rows, two of `host-write` ask for one point.
        assert_eq!(plan.points(), 111 - formulas - 1);
    }

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
