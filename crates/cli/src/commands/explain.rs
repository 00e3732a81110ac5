//! `lanescope explain RESULT.json...`.

use crate::args::Explain;
use crate::exit::{End, Failure};
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use crate::{csv, interrupt};
use ask::explain::{Asked, Prepared};
use lab::Unit;
use lab::explain::{Alike, Cause, ExplainOptions, Explanation, Hypothesis, Loss, Suspect, Verdict, explain};
use pcie::Rate;

/// Hypotheses whose predictions are shown beside the rates.
const SHOWN: usize = 2;

/// Explains, and prints what was found. The exit code is 1 where nothing is near the rates.
///
/// # Errors
/// An option, file or name that is wrong.
pub fn run(asked: &Explain, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &asked.table)?;
    let options = Asked {
        results: &asked.results,
        measured: &asked.measured,
        on: asked.on.as_deref(),
        machine: asked.machine.as_deref(),
        set: &asked.set,
        noise: asked.noise,
    };
    let prepared = options.prepare()?;
    let interrupted = interrupt::flag();
    let threads = asked.files.threads.map(usize::from);
    let found = explain(&prepared.evidence, &ExplainOptions { threads, interrupted: &interrupted })?;
    let unit = screen.unit.unwrap_or(Unit::MbPerS);
    let json = || view::json::pretty(&ask::explain::value(&prepared, &found));
    let people = || text(&prepared, &found, unit, screen);
    csv::tell((&asked.files, &asked.table), json, || rows(&prepared, &found, unit), people, screen)?;
    if !found.complete {
        screen.complain("interrupted: hypotheses with more causes were not tried\n");
        return Ok(End::Interrupted);
    }
    Ok(if matches!(found.verdict, Verdict::Unexplained) { End::BoundBroken } else { End::Done })
}

/// One line for each measurement under each hypothesis.
fn rows(prepared: &Prepared, found: &Explanation, unit: Unit) -> String {
    let head = ["hypothesis", "cause", "score", "measurement", "load", "unit", "measured", "predicted", "limited_by"];
    let of = |(number, hypothesis): (usize, &Hypothesis)| {
        let cause = hypothesis.cause().map(ToString::to_string).unwrap_or_default();
        let by = (0..hypothesis.limited_by.len()).map(|number| hypothesis.limit_of(number, unit));
        let all = prepared.evidence.measurements.iter().zip(&hypothesis.predicted).zip(by);
        let row = |((one, &predicted), by): ((&lab::explain::Measurement, &f64), String)| {
            let measured = one.rate.scaled(unit.rate(Rate(1.0))).to_string();
            let predicted = unit.rate(Rate(predicted)).to_string();
            let (number, score) = ((number + 1).to_string(), hypothesis.score.to_string());
            let (name, load, unit) = (one.name.clone(), one.load.clone(), unit.word().to_string());
            [number, cause.clone(), score, name, load, unit, measured, predicted, by.clone()]
        };
        all.map(row).collect::<Vec<_>>()
    };
    view::csv::text(&head, found.hypotheses.iter().enumerate().flat_map(of))
}

fn text(prepared: &Prepared, found: &Explanation, unit: Unit, screen: &Screen) -> String {
    let count = prepared.evidence.measurements.len();
    let rates = if count == 1 { "one rate".to_string() } else { format!("{count} rates") };
    let told = |rate: f64| unit.told(Rate(rate));
    let mut text = screen.strong(&match (&found.verdict, found.hypotheses.first()) {
        (Verdict::Found, Some(best)) => best.sentence(unit),
        (Verdict::Undecided(_), _) => match found.undecided() {
            0..=2 => format!("Undecided: {rates} fit two causes about as well."),
            several => format!("Undecided: {rates} fit {several} causes about as well."),
        },
        _ => format!("Unexplained: none of what was tried is near {rates}. What comes nearest is no cause:"),
    }) + "\n";
    if let (Verdict::Found, Some(best)) = (&found.verdict, found.hypotheses.first()) {
        for loss in best.causes().skip(1) {
            text += &screen.strong(&folded(&format!("And: {}", best.sentence_of(loss, unit)), 0, screen));
        }
    }
    for (number, hypothesis) in found.hypotheses.iter().enumerate() {
        let mut line = format!("{}. {}", number + 1, hypothesis.sentence(unit));
        let off = hypothesis.off;
        line += &format!(" Off by {off:.1} times the noise; score {:.1}.", hypothesis.score);
        text += &folded(&line, 1, screen);
        let others =
            hypothesis.losses.iter().skip(1).map(|loss| format!("then {}", held(prepared, hypothesis, loss, unit)));
        let is_of_several = |cause: &Cause| hypothesis.figures_of(cause).len() > 1;
        let is_named = |suspect: &Suspect| {
            let is = |loss: &Loss| {
                matches!(&loss.cause, Cause::Hidden(own) if own == suspect) && !is_of_several(&loss.cause)
            };
            hypothesis.losses.iter().any(is)
        };
        let figures = hypothesis.fitted.iter().filter(|fitted| !is_named(&fitted.suspect));
        let figures = figures.map(|fitted| format!("with {}", fitted.figure_of(unit)));
        for line in others.chain(figures) {
            text += &screen.faint(&folded(&line, 4, screen));
        }
    }
    text += &folded_rest(prepared, found, screen);
    text += "\n";
    text += &table(prepared, found, unit, screen);
    match &found.verdict {
        Verdict::Undecided(Some(next)) => {
            let line = format!(
                "What would tell the first two apart: {}. The first predicts {}, the second {}.",
                next.what,
                told(next.rates.first),
                told(next.rates.second)
            );
            text += &format!("\n{}", folded(&line, 1, screen));
        }
        Verdict::Undecided(None) => {
            text += &folded("No measurement of those that were tried would tell the first two apart.", 1, screen);
        }
        _ => {}
    }
    for Alike { cause, next } in &found.alike {
        let mut line = format!("Fits as well, and is less usual: {cause}.");
        if let Some(next) = next {
            let (first, second) = (told(next.rates.first), told(next.rates.second));
            line += &format!(" What would tell: {}: {first} by the first, {second} by this one.", next.what);
        }
        text += &folded(&line, 1, screen);
    }
    for &number in &found.above {
        let name = &prepared.evidence.measurements[number].name;
        let line = format!(
            "{name}: more than the links allow as they are described. Is the unit right (MB/s, MiB/s, Gbit/s), are speeds, \
             widths and Max_Payload_Size those of the machine, does a cache answer?"
        );
        text += &folded(&line, 1, screen);
    }
    if !found.unknown.is_empty() {
        let line = format!("Taken as unknown, since the description has them from a fit: {}", found.unknown.join(", "));
        text += &folded(&line, 1, screen);
    }
    for note in &prepared.notes {
        text += &folded(note, 1, screen);
    }
    text
}

/// A further cause of a hypothesis: its figure, and the rates that it holds back.
fn held(prepared: &Prepared, hypothesis: &Hypothesis, loss: &Loss, unit: Unit) -> String {
    let figure = match &hypothesis.figures_of(&loss.cause)[..] {
        [one] => format!(": {}", one.told(unit)),
        _ => String::new(),
    };
    let effect = if loss.gain > 1.0 {
        format!("{:.2} times as much", loss.gain)
    } else {
        let names = loss.explains.iter().map(|one| prepared.evidence.measurements[one.measurement].name.as_str());
        let mut names: Vec<&str> = names.collect();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("up to {:.2} times as much of {}{more}", loss.most(), names.join(", "))
    };
    format!("{}{figure}: {effect}", loss.cause)
}

/// Measurements that are named; of more, their number is told.
const NAMED: usize = 4;

/// What the first hypothesis leaves unexplained, as a sentence.
fn folded_rest(prepared: &Prepared, found: &Explanation, screen: &Screen) -> String {
    let Some(best) = found.hypotheses.first() else { return String::new() };
    let all = &prepared.evidence.measurements;
    let off = |&number: &usize| all[number].rate.error_percent(best.predicted[number]).abs();
    let shares: Vec<f64> = best.unexplained(&prepared.evidence).iter().map(off).collect();
    if shares.is_empty() {
        return String::new();
    }
    let (least, most) =
        shares.iter().fold((f64::INFINITY, 0.0f64), |(least, most), &off| (least.min(off), most.max(off)));
    let how = if most - least < 1.0 { format!("{most:.0} %") } else { format!("{least:.0} to {most:.0} %") };
    let line = format!(
        "Not explained by 1.: {} of {} rates are {how} off it, more than a model and the noise are. Something is in none of the \
         hypotheses.",
        shares.len(),
        all.len()
    );
    folded(&line, 1, screen)
}

/// Each rate beside what the first hypotheses predict.
fn table(prepared: &Prepared, found: &Explanation, unit: Unit, screen: &Screen) -> String {
    let heads: Vec<String> = (1..=found.hypotheses.len().min(SHOWN)).map(|number| format!("by {number}.")).collect();
    let measured = format!("measured {}", unit.suffix());
    let all = &prepared.evidence.measurements;
    // One load for all is told once, above.
    let several = all.iter().any(|one| one.load != all[0].load);
    let first = if several { "" } else { all[0].load.as_str() };
    let mut columns = vec![(first, Side::Left)];
    columns.extend(several.then_some(("load", Side::Left)));
    columns.push((measured.as_str(), Side::Right));
    for head in &heads {
        columns.extend([(head.as_str(), Side::Right), ("off", Side::Right)]);
    }
    columns.push(("limited by, after 1.", Side::Left));
    let mut table = Table::new(screen, &columns);
    for (number, one) in all.iter().enumerate() {
        let print = |rate: f64| unit.print(unit.rate(Rate(rate)));
        let rate = match (one.rate.single(), one.rate.high) {
            (Some(rate), _) => print(rate),
            (None, Some(high)) => format!("{}..{}", print(one.rate.low), print(high)),
            (None, None) => format!("{}..", print(one.rate.low)),
        };
        let mut row = vec![one.name.clone()];
        row.extend(several.then(|| one.load.clone()));
        row.push(rate);
        for hypothesis in found.hypotheses.iter().take(SHOWN) {
            let predicted = hypothesis.predicted[number];
            row.extend([print(predicted), format!("{:+.0} %", one.rate.error_percent(predicted))]);
        }
        row.push(found.hypotheses.first().map(|best| best.limit_of(number, unit)).unwrap_or_default());
        table.row(row);
    }
    table.to_string()
}
