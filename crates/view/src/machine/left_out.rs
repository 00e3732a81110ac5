//! The parts of a machine that were not judged, as text.

use probe::judged::Judged;
use probe::model::short;
use probe::{Address, Machine, Reach};

/// Largest number of addresses listed for one reason.
const NAMED: usize = 4;

/// Lines for people: for each reason the number of functions, and the first of them.
pub fn lines(machine: &Machine, judged: &Judged) -> Vec<String> {
    let line = |(why, all): (&str, Vec<Address>)| {
        let names: Vec<String> = all.iter().take(NAMED).map(|&at| short(machine, at)).collect();
        let more = all.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}: {why}", names.join(", "))
    };
    let hidden = |reach: Reach, what: &str| {
        let count = machine.functions.values().filter(|function| function.reach == reach).count();
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{what} of {count} function{plural}: hidden from whoever read them"))
    };
    let settings = hidden(Reach::HeaderOnly, "settings and errors (MPS, MRRS, tags, ACS, AER)");
    let extended = hidden(Reach::Conventional, "ACS and AER");
    judged.by_reason().into_iter().map(line).chain(settings).chain(extended).collect()
}
