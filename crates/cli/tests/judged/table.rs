//! The table of all judged cases.

use super::judge::{Judged, Sort, Told};
use super::plant::Family;
use std::fmt::Write;

/// Counts of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub cases: usize,
    pub right: usize,
    pub pair: usize,
    pub needless: usize,
    pub no_cause: usize,
    pub wrong: usize,
    pub wrong_alike: usize,
    pub several: usize,
    pub second: usize,
    pub in_rows: usize,
    pub extra: usize,
    pub rests: usize,
    pub untold: usize,
}

/// The counts of these cases.
pub fn counts<'j>(all: impl IntoIterator<Item = &'j Judged>) -> Counts {
    let mut counts = Counts::default();
    for one in all {
        counts.cases += 1;
        *match one.sort {
            Sort::Right => &mut counts.right,
            Sort::Pair => &mut counts.pair,
            Sort::Needless => &mut counts.needless,
            Sort::NoCause => &mut counts.no_cause,
            Sort::Wrong => &mut counts.wrong,
            Sort::WrongAlike => &mut counts.wrong_alike,
        } += 1;
        counts.several += usize::from(one.second.is_some());
        counts.second += usize::from(one.second == Some(Told::Listed));
        counts.in_rows += usize::from(one.second == Some(Told::InRows));
        counts.extra += usize::from(!one.extra.is_empty());
        counts.rests += usize::from(one.rest.is_some());
        counts.untold += usize::from(one.untold());
    }
    counts
}

/// The table, by what was planted, and the cases that are not right.
pub fn table(all: &[Judged]) -> String {
    let mut text = format!(
        "{:<30}{:>6}{:>6}{:>6}{:>10}{:>9}{:>6}{:>7}{:>12}{:>7}{:>12}\n",
        "planted",
        "cases",
        "right",
        "pair",
        "needless",
        "no cause",
        "wrong",
        "alike",
        "second told",
        "extra",
        "untold rest"
    );
    let names = std::iter::once(Family::Nothing).chain(Family::PLANTED).map(Family::name).chain(["two causes", "all"]);
    for name in names {
        let c = counts(all.iter().filter(|one| name == "all" || one.row == name));
        let second = format!("{}+{}/{}", c.second, c.in_rows, c.several);
        let untold = format!("{}/{}", c.untold, c.rests);
        let _ = writeln!(
            text,
            "{name:<30}{:>6}{:>6}{:>6}{:>10}{:>9}{:>6}{:>7}{second:>12}{:>7}{untold:>12}",
            c.cases, c.right, c.pair, c.needless, c.no_cause, c.wrong, c.wrong_alike, c.extra
        );
    }
    text += "pair: undecided, and the others give the same rates; needless: they do not; alike: wrong, with the same rates;\n\
             second told: as a cause + only as what limits some of the rates / cases with more than one\n";
    for one in all {
        let odd = one.sort > Sort::Pair || one.second > Some(Told::Listed) || !one.extra.is_empty() || one.untold();
        if odd {
            let second = match one.second {
                Some(Told::Not) => ", not all told",
                Some(Told::InRows) => ", one told in rows alone",
                _ => "",
            };
            let extra = if one.extra.is_empty() { String::new() } else { format!(", extra {}", one.extra.join(", ")) };
            let rest =
                one.rest.filter(|_| one.untold()).map_or(String::new(), |rest| format!(", rest {:.0} %", rest * 100.0));
            let _ = writeln!(
                text,
                "seed {}: {:?}{second}{extra}{rest}\n  planted: {}\n  answer: {}",
                one.seed, one.sort, one.planted, one.answered
            );
        }
    }
    text
}
