//! The bounds that this project states for its errors against published figures, and whether they are kept.

use crate::at::At;
use crate::comparison::Comparison;
use crate::formula::Quantity;
use crate::metric::{Metric, Quality};
use std::collections::BTreeMap;

/// Which error of a table is bounded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// The error of each row.
    Each,
    /// The mean error over the rows whose `size` is at least this.
    MeanFrom(f64),
    /// The median error.
    Median,
    /// The error that 95 % of the rows keep.
    Most,
    /// The share of the steps beside multiples of 64 bytes that are not there: see [`missed_steps`].
    Steps,
}

/// One bound for the tables of one experiment.
struct Stated {
    systems: &'static str,
    experiment: &'static str,
    of: Of,
    percent: f64,
}

/// The bounds per table (operation, core, lanes) of the 2008 card; the systems' names begin with `kfcr-`.
const TABLES: [Stated; 5] = [
    Stated { systems: "kfcr-", experiment: "dma-read", of: Of::MeanFrom(0.0), percent: 4.0 },
    Stated { systems: "kfcr-", experiment: "dma-read", of: Of::MeanFrom(4096.0), percent: 2.0 },
    Stated { systems: "kfcr-", experiment: "dma-write", of: Of::Each, percent: 1.0 },
    Stated { systems: "kfcr-", experiment: "pio-write", of: Of::MeanFrom(0.0), percent: 3.0 },
    Stated { systems: "kfcr-", experiment: "pio-write", of: Of::MeanFrom(1024.0), percent: 1.0 },
];

/// The bounds for the rows of pcie-bench, by the prefix of the remark that names their measurement; the systems' names
/// begin with `nfp-`.
const SWEEPS: [(&str, Of, f64); 12] = [
    ("bw_dma_sz_sweep", Of::Median, 4.0),
    ("bw_dma_sz_sweep", Of::Most, 10.0),
    // One of the 19.
    ("bw_dma_sz_sweep", Of::Steps, 5.3),
    ("bw_dma_off", Of::Median, 5.0),
    ("bw_dma_off", Of::Most, 12.0),
    ("bw_dma_win_sweep_rd_rnd_64", Of::Each, 4.0),
    ("bw_dma_win_sweep_rd_rnd_256", Of::Each, 3.0),
    ("lat_dma_sizes", Of::Median, 4.0),
    ("lat_cmd_sizes", Of::Median, 4.0),
    ("iommu_4k", Of::Median, 9.0),
    ("iommu_4k", Of::Most, 24.0),
    ("iommu_superpages", Of::Median, 4.0),
];

/// The systems of pcie-bench.
const CARD_IN_A_SERVER: &str = "nfp-";

/// The one of them whose tables have bounds of their own.
const BOUNDED_SERVER: &str = "nfp-t630";

/// The bound for the median error over all rows of a machine.
const MACHINES: [(&str, f64); 1] = [("nfp-t620v2", 4.0)];

/// The bound for the rows of a machine with one value of an axis: each is simulated as with another value of it. Machine,
/// axis, the two values, per cent.
const ALIKE: [(&str, &str, [&str; 2], f64); 1] = [("nfp-t630", "iommu", ["superpages", "off"], 3.0)];

/// The bound for each simulated row of the eight-card rig, of the disks behind AHCI cards, of NVMe hosts in logic and of SSDs
/// on a chipset: prefix of the system's name, per cent. Ranges and inequalities hold.
const RIGS: [(&str, f64); 4] = [("rosta-", 1.5), ("ahci-", 4.0), ("bit-nvme-", 5.0), ("e5-", 3.0)];

/// The quantity without a bound.
const UNBOUNDED: &str = "latency_ratio_c600_over_lsi";

/// The bound for the chain of the eight cards, of which only "as fast as one reader" is published.
const CHAIN: (&str, f64) = ("chain", 3.0);

/// The largest number of fitted figures for each reference file. Of pcie-bench: 13 for the rates of the first host, 5
/// for its latencies, 5 of the second host, and 3 of the IOMMU. Of NVMe hosts in logic: two of the logic, and one of each of
/// two kinds of drive.
const FITTED: [(&str, usize); 6] =
    [("ahci", 1), ("bit-nvme", 2 + 2), ("e5-storage", 2), ("kfcr", 12), ("pciebench", 13 + 5 + 5 + 3), ("rosta", 8)];

/// The largest number of fitted figures for the reference file of that name.
pub fn fitted_allowed(reference: &str) -> Option<usize> {
    FITTED.iter().find(|(name, _)| *name == reference).map(|&(_, most)| most)
}

/// A bound and the error found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What is bounded, as in `mean from 4096 bytes`.
    pub of: String,
    /// The error found, in per cent.
    pub found: f64,
    /// The bound, in per cent.
    pub bound: f64,
}

impl Verdict {
    /// True if the bound is kept.
    pub fn holds(&self) -> bool {
        self.found <= self.bound + 1e-9
    }
}

/// All bounds that are stated for a table, with the errors found.
pub fn verdicts(rows: &[&Comparison]) -> Vec<Verdict> {
    let Some(first) = rows.first() else { return Vec::new() };
    let table = TABLES
        .iter()
        .filter(|s| first.row.system.starts_with(s.systems) && first.row.experiment == s.experiment)
        .filter_map(|stated| of_table(stated, rows));
    let rig = RIGS.iter().filter(|(system, _)| first.row.system.starts_with(system));
    let rig = rig.flat_map(|&(_, bound)| of_rows(rows, bound));
    let swept = SWEEPS
        .iter()
        .filter(|(note, ..)| first.row.system.starts_with(BOUNDED_SERVER) && first.row.note.starts_with(note));
    let swept = swept.filter_map(|&(_, of, percent)| {
        of_table(&Stated { systems: CARD_IN_A_SERVER, experiment: "", of, percent }, rows)
    });
    table.chain(rig).chain(swept).collect()
}

/// The bounds that are stated for all rows of a machine together, with the errors found.
pub fn machines(rows: &[Comparison]) -> Vec<(String, Verdict)> {
    let verdict = |&(system, bound): &(&str, f64)| {
        let found = kept_by(rows.iter().filter(|c| c.row.system == system), 0.5)?;
        Some((system.to_string(), Verdict { of: "median of all rows".into(), found, bound }))
    };
    let alike = ALIKE.iter().filter_map(|&(system, axis, values, bound)| {
        let found = apart(rows, (system, axis), values)?;
        let of = format!("each row with {axis}={}, beside {axis}={}", values[0], values[1]);
        Some((system.to_string(), Verdict { of, found, bound }))
    });
    MACHINES.iter().filter_map(verdict).chain(alike).collect()
}

/// By how much, in per cent, what is simulated with the one value of an axis differs at most from what is simulated with
/// the other, over the rows of a machine that are published with both.
fn apart(rows: &[Comparison], (system, axis): (&str, &str), [one, other]: [&str; 2]) -> Option<f64> {
    let place = |c: &Comparison, value: &str| (c.row.experiment.clone(), c.row.at.with(axis, value));
    let own = || rows.iter().filter(|c| c.row.system == system);
    let with = |value| own().filter(move |c| c.row.at.get(axis) == Some(value));
    let beside: BTreeMap<(String, At), f64> =
        with(other).filter_map(|c| Some((place(c, other), c.simulated?))).collect();
    let errors = with(one).filter_map(|c| Some((c.simulated? / beside.get(&place(c, other))? - 1.0).abs()));
    errors.reduce(f64::max).map(|most| 100.0 * most)
}

/// The name that a table of pcie-bench has beside its experiment: the measurement.
pub fn measurement(row: &crate::reference::Row) -> Option<&str> {
    row.system.starts_with(CARD_IN_A_SERVER).then_some(row.note.as_str())
}

/// The error that a share of the rows keep: the least for which at most the others are above it.
pub fn kept_by<'a>(rows: impl Iterator<Item = &'a Comparison>, share: f64) -> Option<f64> {
    let mut all: Vec<f64> = rows.map(|c| c.error_percent.abs()).collect();
    all.sort_by(f64::total_cmp);
    let place = (share * all.len() as f64 - 1e-9).ceil() as usize;
    all.get(place.saturating_sub(1)).copied()
}

fn of_table(stated: &Stated, rows: &[&Comparison]) -> Option<Verdict> {
    match stated.of {
        Of::Each => Some(Verdict { of: "each row".into(), found: worst(rows.iter().copied())?, bound: stated.percent }),
        Of::Median => {
            Some(Verdict { of: "median".into(), found: kept_by(rows.iter().copied(), 0.5)?, bound: stated.percent })
        }
        Of::Most => {
            let found = kept_by(rows.iter().copied(), 0.95)?;
            Some(Verdict { of: "95 % of the rows".into(), found, bound: stated.percent })
        }
        Of::Steps => Some(Verdict {
            of: "steps beside multiples of 64 bytes that are missed".into(),
            found: missed_steps(rows)?,
            bound: stated.percent,
        }),
        Of::MeanFrom(size) => {
            let chosen = rows.iter().filter(|c| c.row.at.number("size").is_none_or(|s| s >= size));
            let of = if size > 0.0 { format!("mean from {size} bytes") } else { "mean".into() };
            Some(Verdict { of, found: mean(chosen.copied())?, bound: stated.percent })
        }
    }
}

/// The share, in per cent, of the published steps that the simulation misses: from one byte below a multiple of 64 bytes
/// to it, and from it to one byte above. A step of 10 % or more has its sign and half to one and a half times its height;
/// a smaller one is met within 8 points.
fn missed_steps(rows: &[&Comparison]) -> Option<f64> {
    let value = |size: f64| {
        let of = |c: &&&Comparison| c.row.at.number("size") == Some(size);
        rows.iter().find(of).and_then(|c| Some((c.row.value.single()?, c.simulated?)))
    };
    let step = |from: f64| {
        let ((published, simulated), (above, ran)) = (value(from)?, value(from + 1.0)?);
        let (published, simulated) = (100.0 * (above / published - 1.0), 100.0 * (ran / simulated - 1.0));
        let held = match published.abs() < 10.0 {
            true => (simulated - published).abs() <= 8.0,
            false => (0.5..=1.5).contains(&(simulated / published)),
        };
        Some(held)
    };
    let sizes = rows.iter().filter_map(|c| c.row.at.number("size"));
    let steps: Vec<bool> =
        sizes.filter(|size| (size % 64.0) == 0.0 || (size % 64.0) == 63.0).filter_map(step).collect();
    let missed = steps.iter().filter(|held| !**held).count();
    (!steps.is_empty()).then(|| 100.0 * missed as f64 / steps.len() as f64)
}

/// What is bounded, in words; the bound in per cent; the rows that it applies to.
type Class = (&'static str, f64, fn(Metric) -> bool);

/// True for a ratio of latencies, of which no cause is known: it is compared, and no bound is stated.
fn is_unbounded(metric: Metric) -> bool {
    metric.quality.word() == UNBOUNDED
}

/// Verdicts on the rows of one table of a rig, grouped by what they compare. `bound` is that of its rows.
fn of_rows(rows: &[&Comparison], bound: f64) -> Vec<Verdict> {
    let is_chain = rows.iter().all(|comparison| comparison.row.experiment == CHAIN.0);
    let classes: [Class; 4] = [
        ("each row", if is_chain { CHAIN.1 } else { bound }, |m| {
            !m.stated.is_inequality() && !matches!(m.quality, Quality::Formula(_)) && !is_unbounded(m)
        }),
        ("each inequality", 0.0, |m| m.stated.is_inequality()),
        ("each row, by truncation", 0.0, |m| {
            matches!(m.quality, Quality::Formula(Quantity::InformationRate | Quantity::Fraction))
        }),
        ("each payload rate", 0.6, |m| m.quality == Quality::Formula(Quantity::PayloadRate)),
    ];
    let verdict = |&(of, bound, chosen): &Class| {
        let found = worst(rows.iter().copied().filter(|c| chosen(c.row.metric)))?;
        Some(Verdict { of: of.to_string(), found, bound })
    };
    classes.iter().filter_map(verdict).collect()
}

/// The greatest absolute error.
pub fn worst<'a>(rows: impl Iterator<Item = &'a Comparison>) -> Option<f64> {
    rows.map(|c| c.error_percent.abs()).reduce(f64::max)
}

/// The mean absolute error.
pub fn mean<'a>(rows: impl Iterator<Item = &'a Comparison>) -> Option<f64> {
    let (sum, count) = rows.fold((0.0, 0u32), |(sum, count), c| (sum + c.error_percent.abs(), count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_how_much_is_a_row_simulated_unlike_the_same_place_with_another_value() {
        let row = |at: &str, simulated: f64| {
            let line = format!("nfp-t630,dma-read,{at},throughput,1,MB/s,me,");
            let text = format!("{}\n{line}\n", crate::reference::COLUMNS.join(","));
            let row = crate::reference::parse("a.csv", &text).unwrap().rows.remove(0);
            let (simulated, limit, reference_formula, fitted) = (Some(simulated), None, None, false);
            Comparison {
                row,
                simulated,
                limit,
                fair: None,
                reference_formula,
                error_percent: 0.0,
                fitted,
                difference: None,
            }
        };
        let rows = [
            row("size=64;iommu=off", 100.0),
            row("size=64;iommu=superpages", 98.0),
            row("size=128;iommu=off", 200.0),
            row("size=128;iommu=superpages", 201.0),
            row("size=64;iommu=4k", 50.0),
            row("size=256;iommu=superpages", 50.0),
        ];
        let found = apart(&rows, ("nfp-t630", "iommu"), ["superpages", "off"]).unwrap();
        assert!((found - 2.0).abs() < 1e-9, "{found}");
        assert_eq!(apart(&rows, ("nfp-t620v2", "iommu"), ["superpages", "off"]), None);
    }
}
