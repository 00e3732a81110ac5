//! Looks all rows up before anything runs. Each point is run once, for all rows that ask for it.

use crate::above;
use crate::at::At;
use crate::bound;
use crate::difference::Difference;
use crate::error::Error;
use crate::formula;
use crate::job::Job;
use crate::machine::Machines;
use crate::measured::Measured;
use crate::metric::{self, Over, Quality};
use crate::provenance::{self, Fitted};
use crate::reference::{Reference, Row};
use crate::sweep::{self, RunOptions, Work};
use crate::validate::{self, Behind, Comparison, Validation};
use std::collections::BTreeMap;

/// The jobs that a row needs.
struct Asked<'a> {
    row: &'a Row,
    /// Indices of jobs; empty for a formula row.
    jobs: Vec<usize>,
}

/// All rows with the points that they need, each point once.
pub struct Plan<'a> {
    references: &'a [Reference],
    asked: Vec<Vec<Asked<'a>>>,
    jobs: Vec<Job>,
}

impl<'a> Plan<'a> {
    /// Looks up every row.
    ///
    /// # Errors
    /// The first row that names something that does not exist, with its line and what would be valid.
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
    /// The number of points that will be simulated.
    pub fn points(&self) -> usize {
        self.jobs.len()
    }

    /// The payload that all points move, in bytes.
    pub fn bytes(&self) -> u64 {
        self.jobs.iter().fold(0, |sum, job| sum.saturating_add(job.bytes()))
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
                    let job = machine.job_of_row(row, at)?;
                    let single = metric::single(row.metric.quality, row.unit, &job.scenario);
                    single.map_err(|(what, right)| row.place.error(what, right))?;
                    self.jobs.push(job);
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
    pub fn run(self, options: &RunOptions<'_>) -> Result<Validation, Error> {
        self.run_watched(options, &|_| ())
    }

    /// As [`Plan::run`]. Reports progress to `watch`, as shares of [`Plan::bytes`].
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_watched(self, options: &RunOptions<'_>, watch: &(dyn Fn(Work) + Sync)) -> Result<Validation, Error> {
        let behind = self.behind();
        let own = self.own();
        let keys: Vec<(String, String, At)> = self.jobs.iter().map(key).collect();
        let sweep = sweep::run_watched(self.jobs, options, watch)?;
        let mut done: BTreeMap<(String, String, At), &Measured> = BTreeMap::new();
        for measured in &sweep.done {
            above::check(measured)?;
            done.insert(key(&measured.job), measured);
        }
        let measured: Vec<Option<&Measured>> = keys.iter().map(|key| done.get(key).copied()).collect();
        let mut comparisons = Vec::new();
        for (asked, behind) in self.asked.iter().zip(&behind) {
            for asked in asked {
                let Some(found) = compare(asked, &measured)? else { continue };
                let mut figures = own.get(&found.row.system).into_iter().flatten();
                let fitted = figures.any(|f| f.is_on(&behind.reference, &found.row));
                comparisons.push(Comparison { fitted, ..found });
            }
        }
        Ok(Validation {
            tables: validate::tables(&comparisons),
            machines: bound::machines(&comparisons),
            comparisons,
            behind,
            complete: sweep.complete,
        })
    }

    /// The fitted figures of each machine that rows name. A row counts as reproduced only by those of its own machine.
    fn own(&self) -> BTreeMap<String, Vec<Fitted>> {
        let mut systems: BTreeMap<&str, Vec<&system::System>> = BTreeMap::new();
        for job in &self.jobs {
            systems.entry(&job.system).or_default().push(&job.scenario.system);
        }
        systems.into_iter().map(|(name, all)| (name.to_string(), provenance::fitted(all))).collect()
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

/// A row and what was found for it. Of several points, the one farthest from the row; `None` if one is missing.
///
/// # Errors
/// A row at a point where a flow starves, so that no rate can be compared.
fn compare(asked: &Asked<'_>, measured: &[Option<&Measured>]) -> Result<Option<Comparison>, Error> {
    let row = asked.row;
    let error = |found: f64| row.metric.error_percent(found, row.value);
    if let Quality::Formula(quantity) = row.metric.quality {
        let of_formula = |answer: formula::Answer| Comparison {
            row: row.clone(),
            simulated: None,
            limit: Some(answer.standard),
            fair: None,
            reference_formula: Some(answer.formula),
            error_percent: error(answer.formula),
            fitted: false,
            difference: None,
        };
        return Ok(formula::rosta(quantity, &row.at).ok().map(of_formula));
    }
    let mut worst: Option<Comparison> = None;
    for &job in &asked.jobs {
        let Some(point) = measured.get(job).copied().flatten() else { return Ok(None) };
        let Some(simulated) = point.simulated(row.metric.quality, row.unit) else {
            let right = "write `throughput_app`, which each flow has by itself";
            let starved = |starved: &sim::Starved| row.place.error(starved.to_string(), right.to_string());
            let nothing = || {
                let what =
                    format!("no {} at this point: too few flows, or none that goes on", row.metric.quality.word());
                row.place.error(what, "take the row out, or another point".to_string())
            };
            return Err(point.outcome.window.as_ref().err().map_or_else(nothing, starved));
        };
        let predicted = point.limit(row.metric.quality, row.unit);
        let beside = point.beside(row.metric.quality, Over::All, row.unit);
        let comparison = Comparison {
            row: row.clone(),
            simulated: Some(simulated),
            limit: beside.limit,
            fair: beside.fair,
            reference_formula: None,
            error_percent: error(simulated),
            fitted: false,
            difference: Difference::new(row, point, simulated, predicted),
        };
        if worst.as_ref().is_none_or(|w| comparison.error_percent.abs() > w.error_percent.abs()) {
            worst = Some(comparison);
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    #[test]
    fn every_bundled_row_names_something_and_every_point_runs_once() {
        // Machines of registered kinds are known to programs that register them.
        let mut references = reference::bundled().unwrap();
        references.retain(|reference| !["ahci", "bit-nvme", "e5-storage"].contains(&reference.name.as_str()));
        let machines = Machines::of(&references).unwrap();
        let plan = Plan::new(&references, &machines).unwrap();
        assert_eq!(plan.asked.iter().map(Vec::len).sum::<usize>(), 2644);
        let formulas = plan.asked.iter().flatten().filter(|asked| asked.jobs.is_empty()).count();
        assert_eq!(formulas, 45);
        // Of the 2599 measured rows, 77 are marked: all of the 2008 card, twelve of the rig, and of pcie-bench nine rates and
        // five latencies of one host, eight of its rows with an IOMMU, and five rows of the other host.
        let own = plan.own();
        let marked = |reference: &Reference| {
            let on = |row: &&Row| own.get(&row.system).unwrap().iter().any(|f| f.is_on(&reference.name, row));
            reference.rows.iter().filter(on).count()
        };
        assert_eq!(references.iter().map(marked).collect::<Vec<_>>(), [38, 12, 27]);
        // Of the measured rows, two of `host-write` ask for the same point.
        assert_eq!(plan.points(), 2644 - formulas - 1);
    }
}
