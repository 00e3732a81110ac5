//! `lanescope limit --link`: a single link, without a machine.

use crate::args::Limit;
use crate::csv;
use crate::exit::{Complaint, End, Failure};
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use lab::Unit;
use limit::link::{Answer, Question, answer};
use pcie::{LinkSpeed, PayloadSize, Rate, Time};
use serde_json::{Value, json};
use system::field::{instead, is_too_long};
use system::{FieldType, Scale};

/// Prints what a link carries, on one screen.
///
/// # Errors
/// A link, size or time that cannot be parsed.
pub fn run(link: &str, asked: &Limit, screen: &Screen) -> Result<End, Failure> {
    let speed: LinkSpeed = link
        .parse()
        .map_err(|error: pcie::link::LinkSpeedError| Complaint::new(error.to_string(), "as in `--link gen4x8`"))?;
    let question = Question {
        speed,
        mps: field::<PayloadSize>("--mps", &asked.mps)?,
        mrrs: field::<PayloadSize>("--mrrs", &asked.mrrs)?,
        latency: asked.latency.as_deref().map(|text| field::<Time>("--latency", text)).transpose()?,
        four_dw: false,
    };
    csv::check(&asked.forms.table)?;
    let answer = answer(question);
    let unit = screen.unit.unwrap_or(Unit::MbPerS);
    csv::answer(&asked.forms, || value(&answer), || rows(&answer, unit), || text(&answer, unit, screen), screen)?;
    Ok(End::Done)
}

fn field<T: FieldType>(option: &str, text: &str) -> Result<T, Failure> {
    let wrong = || Complaint::new(format!("`{text}` is no value for {option}"), instead(T::EXPECTS, text));
    let long = T::SCALE == Scale::Time && is_too_long(text);
    Ok(T::parse(text).filter(|_| !long).ok_or_else(wrong)?)
}

/// The description and the rate of each line.
fn lines(answer: &Answer) -> [(String, Rate); 7] {
    let question = &answer.question;
    let completion = question.mps.bytes().min(question.mrrs.bytes());
    [
        ("signalled".into(), answer.signalled),
        (format!("after {}", question.speed.generation.encoding()), answer.encoded),
        ("after SKP".into(), answer.after_skp),
        (format!("writes of {} bytes, 3 DW headers", question.mps), answer.writes_3dw),
        (format!("writes of {} bytes, 4 DW headers", question.mps), answer.writes_4dw),
        (format!("reads, completions of {completion} bytes"), answer.reads),
        ("reads, completions of 64 bytes".into(), answer.reads_64),
    ]
}

fn rows(answer: &Answer, unit: Unit) -> String {
    let row = |(what, rate): (String, Rate)| [what, unit.word().to_string(), unit.rate(rate).to_string()];
    view::csv::text(&["payload_at_most", "unit", "rate"], lines(answer).map(row))
}

fn text(answer: &Answer, unit: Unit, screen: &Screen) -> String {
    let question = &answer.question;
    let title = format!("{}, MPS {}, MRRS {}, one direction", question.speed, question.mps, question.mrrs);
    let columns = [("payload at most", Side::Left), (unit.word(), Side::Right), ("of signalled", Side::Right)];
    let mut table = Table::new(screen, &columns);
    for (what, rate) in lines(answer) {
        let share = format!("{:.1} %", 100.0 * rate.0 / answer.signalled.0);
        table.row([what, unit.print(unit.rate(rate)), share]);
    }
    format!("{}\n{table}{}", screen.strong(&title), hidden(answer, screen))
}

/// The text on the requests that must be in flight for a read to fill the link.
fn hidden(answer: &Answer, screen: &Screen) -> String {
    let (Some(latency), Some((_, with_64)), Some(sentence)) =
        (answer.question.latency, answer.in_flight, answer.sentence())
    else {
        return folded("--latency 1us adds how many read requests must be in flight to hide it", 1, screen);
    };
    format!(" to hide {latency}: {} ({with_64} with completions of 64 bytes)\n", screen.strong(&sentence))
}

fn value(answer: &Answer) -> Value {
    let question = &answer.question;
    let rate = |rate: Rate| json!(rate.as_mb_per_s());
    json!({
        "link": question.speed.to_string(),
        "mps_bytes": question.mps.bytes(),
        "mrrs_bytes": question.mrrs.bytes(),
        "latency_ns": question.latency.map(Time::as_ns),
        "signalled_mb_per_s": rate(answer.signalled),
        "encoded_mb_per_s": rate(answer.encoded),
        "after_skp_mb_per_s": rate(answer.after_skp),
        "writes_3dw_mb_per_s": rate(answer.writes_3dw),
        "writes_4dw_mb_per_s": rate(answer.writes_4dw),
        "reads_mb_per_s": rate(answer.reads),
        "reads_64_byte_completions_mb_per_s": rate(answer.reads_64),
        "requests_in_flight": answer.in_flight.map(|(most, _)| most),
        "requests_in_flight_64_byte_completions": answer.in_flight.map(|(_, with_64)| with_64),
    })
}
