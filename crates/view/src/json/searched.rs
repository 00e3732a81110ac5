//! What searches for figures and settings have found, as JSON.

use super::written::{number, pretty};
use lab::at::At;
use lab::calibrate::figure::{FIGURES, HostFigure, MEASUREMENTS, Measurement, determined_by};
use lab::calibrate::{Calibration, Undetermined};
use lab::fit::{By, Fit, FitRow, Found, RowUse};
use lab::tune::{RegisterWrite, Tuned, Turn};
use serde_json::{Value, json};

/// The result of a fit.
pub fn fit(system: &str, file: &str, fit: &Fit) -> String {
    let path = |n: usize| fit.found[n].parameter.path.clone();
    let errors = |part| {
        fit.error(part)
            .map(|(mean, worst)| json!({ "rows": fit.count(part), "mean_percent": mean, "greatest_percent": worst }))
    };
    // What the search ended at without having converged is no result.
    let figures = if fit.complete && !fit.has_converged() { "ended_at" } else { "figures" };
    let correlations = fit.correlations.iter().map(|&(a, b, r)| json!({ "of": [path(a), path(b)], "correlation": r }));
    pretty(&json!({
        "system": system,
        "file": file,
        "by": if fit.by == By::Limit { "limit" } else { "sim" },
        "complete": fit.complete,
        "converged": fit.has_converged(),
        "not_converged": fit.not_converged.as_ref().map(ToString::to_string),
        "near": fit.is_near(),
        "starts": { "tried": fit.starts.0, "reached_the_best": fit.starts.1 },
        "simulated_points": fit.simulated,
        figures: fit.found.iter().map(|found| of_fit(found, &fit.provenance)).collect::<Vec<_>>(),
        "correlations": correlations.collect::<Vec<_>>(),
        "fitted": errors(RowUse::Fitted),
        "held_out": errors(RowUse::HeldOut),
        "beside": errors(RowUse::Beside),
        "warnings": fit.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "rows": fit.rows.iter().map(row_of_fit).collect::<Vec<_>>(),
    }))
}

/// The result of a search for the best settings.
pub fn tuned(system: &str, experiment: &str, points: &[At], tuned: &Tuned) -> String {
    let turn = |t: &Turn| json!({ "what": t.what, "from": t.from, "to": t.to, "sets": t.sets });
    let write = |w: &RegisterWrite| {
        json!({
            "bdf": w.bdf.to_string(),
            "address": w.address,
            "offset": w.bits.offset,
            "value": w.bits.value,
            "mask": w.bits.mask,
            "command": w.command(),
            "why": w.why,
        })
    };
    pretty(&json!({
        "system": system,
        "experiment": experiment,
        "points": points.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "metric": tuned.measure.quality.word(),
        "unit": tuned.measure.unit.word(),
        "before": tuned.before,
        "after": tuned.after,
        "turns": tuned.turns.iter().map(turn).collect::<Vec<_>>(),
        "knobs": tuned.knobs.iter().map(|(name, values)| json!({ "what": name, "values": values })).collect::<Vec<_>>(),
        "writes": tuned.writes.iter().map(write).collect::<Vec<_>>(),
        "notes": tuned.notes,
        "settings_simulated": tuned.tried,
        "complete": tuned.complete,
    }))
}

/// What a calibration needs: its measurements, and the figures that each determines.
pub fn needs() -> String {
    let measurement = |m: &Measurement| {
        let (experiment, at, metric) = m.row;
        json!({
            "name": m.name,
            "row": { "experiment": experiment, "at": at, "metric": metric },
            "how": m.how,
            "determines": determined_by(m.name),
        })
    };
    let figure = |f: &HostFigure| json!({ "field": f.field, "by": f.by, "why": f.why });
    pretty(&json!({
        "measurements": MEASUREMENTS.iter().map(measurement).collect::<Vec<_>>(),
        "figures": FIGURES.iter().map(figure).collect::<Vec<_>>(),
    }))
}

/// The result of a calibration; `yaml` is the host part.
pub fn calibration(system: &str, file: &str, found: &Calibration, yaml: Option<&str>) -> String {
    let kept = |k: &Undetermined| json!({ "field": k.figure.field, "value": k.value, "why": k.why.words(), "measure": k.figure.by });
    let fit = found.fit.as_ref().and_then(|f| serde_json::from_str::<Value>(&fit(system, file, f)).ok());
    pretty(&json!({
        "system": system,
        "file": file,
        "part": found.part,
        "complete": found.complete,
        "result": found.is_result(),
        "fit": fit,
        "kept": found.kept.iter().map(kept).collect::<Vec<_>>(),
        "yaml": yaml,
    }))
}

fn of_fit(found: &Found, provenance: &str) -> Value {
    let next = found.next.as_ref();
    json!({
        "path": found.parameter.path,
        "value": found.value,
        "standard_error": found.uncertainty.map(|error| found.parameter.scale.write(error)),
        "relative_error": found.uncertainty.zip(found.number).filter(|(_, n)| *n > 0.0).map(|(error, n)| error / n),
        "global_correlation": found.global_correlation,
        "at_bound": found.at_bound,
        "next_best": next.map(|(value, error)| json!({ "value": value, "error_percent": error })),
        "was": found.parameter.described.0,
        "was_from": found.parameter.described.1.to_string(),
        "fitted": provenance,
    })
}

fn row_of_fit(found: &FitRow) -> Value {
    json!({
        "experiment": found.row.experiment,
        "at": found.row.at.to_string(),
        "metric": found.row.metric.word(),
        "unit": found.row.unit.word(),
        "value": number(found.row.value),
        "found": found.found,
        "error_percent": found.error_percent,
        "part": match found.part { RowUse::Fitted => "fitted", RowUse::HeldOut => "held-out", RowUse::Beside => "beside" },
    })
}
