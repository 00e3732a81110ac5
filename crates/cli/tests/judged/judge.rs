//! Whether an answer is right.

use super::answer::{Answer, Fitted, Hypothesis};
use super::case::Case;
use super::measure::{Rate, Setup, apart};
use super::named::{Named, named, names};
use super::plant::{Family, Place, Plant};
use super::{REST, SAME};

/// Scores that are nearer than this are not told apart: `docs/explain.md`, odds of 20 to 1.
const UNDECIDED: f64 = 6.0;

/// The sort of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// The first cause is a planted one, or a link that is full beside it.
    Right,
    /// Undecided, and each other cause gives these rates as well: simulated with its figure.
    Pair,
    /// Undecided with a cause that these measurements do tell apart.
    Needless,
    /// No cause is named, and the answer says so.
    NoCause,
    /// Another cause, of which the simulation gives the same rates.
    WrongAlike,
    Wrong,
}

/// Whether a cause beside the first is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// As a cause.
    Listed,
    /// In the table alone, as what limits some of the rates: of causes that the description has.
    InRows,
    Not,
}

/// What is found of an answer.
#[derive(Clone, Debug)]
pub struct Judged {
    pub seed: u64,
    pub row: &'static str,
    pub sort: Sort,
    /// Whether all planted causes are told, where there is more than one true cause.
    pub second: Option<Told>,
    /// Hidden causes that are listed and were not planted.
    pub extra: Vec<String>,
    /// The largest difference that is not told, of a measured rate and what the named causes give. `None` where the
    /// simulation cannot be asked.
    pub rest: Option<f64>,
    pub planted: String,
    pub answered: String,
}

impl Judged {
    pub fn untold(&self) -> bool {
        self.rest.is_some_and(|rest| rest > REST)
    }
}

/// Judges an answer.
pub fn judge(case: &Case, answer: &Answer) -> Judged {
    let first = answer.hypotheses.first();
    let sort = sort(case, answer);
    let told = match sort {
        Sort::Pair => answer.hypotheses.iter().find(|one| is_true(&named(&one.cause), case)).or(first),
        _ => first,
    };
    let listed: Vec<Named> = told.map(listed).unwrap_or_default();
    let is_told = |plant: &Plant| match () {
        () if listed.iter().any(|one| one.is(plant, case)) => Told::Listed,
        () if told.is_some_and(|told| is_in_rows(told, plant, case)) => Told::InRows,
        () => Told::Not,
    };
    let full_beside = case.machine.bridges.iter().any(|bridge| case.full.contains(&bridge.port));
    let several = case.plants.len() + usize::from(full_beside) > 1 && !case.plants.is_empty();
    let extra = |one: &&Named| one.hidden() && !case.plants.iter().any(|plant| one.is(plant, case));
    let named_none = matches!(sort, Sort::NoCause);
    Judged {
        seed: case.seed,
        row: case.row(),
        sort,
        second: (several && !named_none).then(|| case.plants.iter().map(is_told).max().unwrap_or(Told::Listed)),
        extra: match named_none {
            true => Vec::new(),
            false => listed.iter().filter(extra).map(|one| format!("{one:?}")).collect(),
        },
        rest: told.filter(|_| !named_none).and_then(|told| rest(case, answer, told)),
        planted: case.plants.iter().map(|plant| plant.told(&case.machine)).collect::<Vec<_>>().join("; "),
        answered: answered(answer),
    }
}

fn is_in_rows(hypothesis: &Hypothesis, plant: &Plant, case: &Case) -> bool {
    let port = match &plant.place {
        Place::End(end) => &case.machine.ends[*end].port,
        Place::Bridge(port) => port,
        _ => "",
    };
    hypothesis.limited_by.iter().any(|by| match plant.family {
        Family::NarrowSeen => names(by, port),
        Family::InFlight => named(by).is(plant, case),
        _ => false,
    })
}

fn answered(answer: &Answer) -> String {
    let told = |one: &Hypothesis| {
        let fitted: Vec<String> =
            one.fitted.iter().map(|f| format!("{} {:.0?}", f.suspect, f.mb_per_s.or(f.time_ns))).collect();
        format!("{} [{:.1}: {}]", one.cause, one.score, fitted.join(", "))
    };
    let first: Vec<String> = answer.hypotheses.iter().take(3).map(told).collect();
    format!("{}: {}; alike: {}", answer.verdict, first.join(" | "), answer.alike.join(", "))
}

/// True causes: those planted; and a link that is full, if anything was planted or nothing better could be said.
fn is_true(cause: &Named, case: &Case) -> bool {
    case.plants.iter().any(|plant| cause.is(plant, case))
}

fn is_right(cause: &Named, case: &Case) -> bool {
    is_true(cause, case) || cause.is_full_link(case) || case.plants.is_empty() && *cause == Named::Own
}

fn listed(hypothesis: &Hypothesis) -> Vec<Named> {
    let suspects = hypothesis.fitted.iter().map(|fitted| &fitted.suspect);
    let mut all: Vec<Named> = Vec::new();
    for one in suspects.chain(&hypothesis.losses).chain([&hypothesis.cause]).map(|text| named(text)) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

fn sort(case: &Case, answer: &Answer) -> Sort {
    let Some(first) = answer.hypotheses.first().filter(|_| answer.verdict != "unexplained") else {
        return Sort::NoCause;
    };
    let right = |one: &Hypothesis| is_right(&named(&one.cause), case);
    if answer.verdict == "undecided" {
        // Which of two true causes comes first is not the question.
        if answer.hypotheses.len() > 1 && answer.hypotheses.iter().take(2).all(right) {
            return Sort::Right;
        }
        let near = |&(n, one): &(usize, &Hypothesis)| n < 2 || one.score - first.score < UNDECIDED;
        let near: Vec<&Hypothesis> = answer.hypotheses.iter().enumerate().filter(near).map(|(_, one)| one).collect();
        let mut others = near.iter().filter(|one| !right(one));
        let same = others.all(|one| gives_the_same(case, answer, one));
        return match (near.iter().any(|one| right(one)), same) {
            (true, true) => Sort::Pair,
            (true, false) => Sort::Needless,
            (false, true) => Sort::WrongAlike,
            (false, false) => Sort::Wrong,
        };
    }
    if right(first) {
        return Sort::Right;
    }
    let same = gives_the_same(case, answer, first);
    match answer.alike.iter().any(|cause| is_true(&named(cause), case)) {
        true if same => Sort::Pair,
        _ if same => Sort::WrongAlike,
        _ => Sort::Wrong,
    }
}

/// The rates of the described machine with all that a hypothesis has found, its figures times `scale`.
fn predicted(case: &Case, answer: &Answer, hypothesis: &Hypothesis, scale: f64) -> Option<Vec<Rate>> {
    let mut loads = case.loads.clone();
    let mut sets: Vec<Vec<String>> = vec![Vec::new(); loads.len()];
    for fitted in &hypothesis.fitted {
        let cause = named(&fitted.suspect);
        let scaled = |figure: Option<f64>| figure.map(|figure| figure * scale);
        let (mb_per_s, time_ns) = (scaled(fitted.mb_per_s), scaled(fitted.time_ns));
        let own = cause.sets(&Fitted { mb_per_s, time_ns, ..fitted.clone() }, case)?;
        for (load, sets) in sets.iter_mut().enumerate() {
            let number = case.measurements.iter().position(|one| one.load == load)?;
            if fitted.load.as_ref().is_none_or(|wanted| *wanted == answer.loads[number]) {
                sets.extend(own.iter().cloned());
            }
        }
        if cause == Named::Core {
            loads.iter_mut().for_each(|load| load.one_thread = true);
        }
    }
    let setup = Setup { loads: &loads, ..case.setup() };
    // The same port may be capped twice; the lower cap is what it passes.
    sets.iter_mut().for_each(least);
    setup.rates(&|load| sets[load].clone(), 1).inspect_err(|why| eprintln!("case {}: {why}", case.seed)).ok()
}

/// Keeps the lowest of several settings of a field.
fn least(sets: &mut Vec<String>) {
    let number = |set: &str| set.split(['=', ' ']).nth(1).and_then(|text| text.parse::<f64>().ok());
    let field = |set: &str| set.split('=').next().unwrap_or_default().to_string();
    sets.sort_by(|a, b| {
        field(a).cmp(&field(b)).then(number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal))
    });
    sets.dedup_by_key(|set| field(set));
}

/// True where a hypothesis gives the true rates as well, simulated with its figures, or with others up to a fifth away.
fn gives_the_same(case: &Case, answer: &Answer, hypothesis: &Hypothesis) -> bool {
    [1.0, 0.95, 1.05, 0.9, 1.1, 0.84, 1.2]
        .into_iter()
        .any(|scale| predicted(case, answer, hypothesis, scale).is_some_and(|rates| apart(&rates, &case.rates) < SAME))
}

/// The largest difference that the answer does not tell.
fn rest(case: &Case, answer: &Answer, hypothesis: &Hypothesis) -> Option<f64> {
    let rates = predicted(case, answer, hypothesis, 1.0)?;
    let off = rates.iter().zip(&case.measured).enumerate().filter(|(n, _)| !answer.unexplained.contains(n));
    Some(off.map(|(_, (rate, measured))| (rate.mb_per_s / measured).ln().abs()).fold(0.0, f64::max))
}
