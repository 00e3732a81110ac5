//! Is the cause of random machines found from their rates?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod drawn;

use drawn::{Drawn, Truth, drawn};
use lanescope_lab::explain::rows::{in_flight, load};
use lanescope_lab::explain::{
    Cause, Evidence, ExplainOptions, Explanation, Hypothesis, Measurement, Suspect, Verdict, explain,
};
use lanescope_lab::{Span, Unit};
use std::sync::atomic::AtomicBool;

fn is_true(cause: &Cause, truth: &Truth) -> bool {
    match (cause, truth) {
        (Cause::Link { links, able: Some(_), .. }, Truth::Held(port)) => links.contains(port),
        (Cause::Link { links, able: None, .. }, Truth::Full(port)) => links.contains(port),
        (Cause::Payload { .. }, Truth::Payload) | (Cause::Requests { .. }, Truth::Requests) => true,
        (Cause::Hidden(suspect), truth) => match (suspect, truth) {
            (Suspect::Uplink(port), Truth::Uplink(true_port)) => port == true_port,
            (Suspect::Ports(part, _), Truth::Ports(true_part)) => part == true_part,
            (Suspect::Lanes(part), Truth::Lanes(true_part)) => part == true_part,
            (Suspect::Model(_), Truth::Drives) => true,
            (Suspect::Device(own), Truth::Drive(name)) => own == name,
            (Suspect::Memory, Truth::Memory)
            | (Suspect::Sockets, Truth::Sockets)
            | (Suspect::Iommu, Truth::Iommu)
            | (Suspect::Core, Truth::Core) => true,
            _ => false,
        },
        _ => false,
    }
}

/// True where the first cause is the true one. A size of payloads or requests may come after links of devices that are full.
fn is_named(best: &Hypothesis, truth: &Truth) -> bool {
    let mut causes = best.losses.iter().map(|loss| &loss.cause);
    match truth {
        Truth::Payload | Truth::Requests => {
            causes.find(|cause| !cause.is_expected()).is_some_and(|cause| is_true(cause, truth))
        }
        _ => best.cause().is_some_and(|cause| is_true(cause, truth)),
    }
}

fn explained(drawn: &mut Drawn) -> Option<Explanation> {
    let busy = Some(drawn.busy);
    let measured = drawn.measured()?.into_iter().map(|(name, scenario, rate)| {
        let rate = Span { low: rate, high: Some(rate) };
        Measurement { name, load: load(&scenario), in_flight: in_flight(&scenario), scenario, rate, busy }
    });
    let mut evidence = Evidence::new(measured.collect());
    evidence.iommu = Some(drawn.iommu);
    let interrupted = AtomicBool::new(false);
    Some(explain(&evidence, &ExplainOptions { threads: None, interrupted: &interrupted }).unwrap())
}

/// How far the first two are apart: at most, and at least, over all measurements.
fn apart(found: &Explanation) -> (f64, f64) {
    match &found.hypotheses[..] {
        [first, second, ..] => first.apart(second),
        _ => (f64::INFINITY, f64::INFINITY),
    }
}

/// How far the cap of the first hypothesis is from the true one, as a share.
fn cap_off(found: &Explanation, drawn: &Drawn) -> Option<f64> {
    let best = found.hypotheses.first()?;
    let Some(Cause::Hidden(suspect)) = best.cause() else { return None };
    // Under a load for which a device gives less than its slot passes, its figure is that of the device.
    let figures = best.fitted.iter().filter(|fitted| fitted.suspect == *suspect).map(|fitted| fitted.figure);
    Some((figures.reduce(f64::max)? / drawn.cap?).ln().abs())
}

/// A line for a machine that was not explained as it should be.
fn told(seed: u64, drawn: &Drawn, found: &Explanation) -> String {
    let mut text = format!("{seed}: {:?} {:?}\n", drawn.truth, drawn.settings);
    for of in found.hypotheses.iter().take(3) {
        let losses: Vec<String> = of.losses.iter().map(|loss| format!("{} x{:.2}", loss.cause, loss.gain)).collect();
        text += &format!(
            "    {:.1} off {:.2}: {losses:?} | {:?}\n",
            of.score,
            of.off,
            of.fitted.iter().map(|one| one.figure_of(Unit::MbPerS)).collect::<Vec<_>>()
        );
    }
    if let (Some(best), Some(cap)) = (found.hypotheses.first(), drawn.cap) {
        text += &format!("    the cap is {:.1} MB/s; measured and predicted, MB/s:", cap / 1e6);
        for ((name, rate), predicted) in drawn.experiments.iter().zip(&drawn.rates).zip(&best.predicted) {
            text += &format!(" {name} {:.0} {:.0}", rate / 1e6, predicted / 1e6);
        }
        text += "\n";
    }
    text
}

/// `LANESCOPE_SEED` is the first machine, `LANESCOPE_CASES` their number. Of 24, some 19 count, and 95 % of these allows no miss.
#[test]
#[ignore = "slow: 40 random machines; LANESCOPE_CASES for more"]
fn is_the_cause_of_random_machines_found() {
    let _ = storage::register();
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (begin, cases) = (number("LANESCOPE_SEED", 0), number("LANESCOPE_CASES", 40));
    let (mut all, mut told_apart, mut right, mut undecided, mut caps) = (0, 0, 0, 0, Vec::new());
    let (mut refused, mut worst) = (Vec::new(), String::new());
    for seed in begin..begin + cases {
        let mut drawn = drawn(seed);
        let Some(found) = explained(&mut drawn) else { continue };
        all += 1;
        let is_right = found.hypotheses.first().is_some_and(|best| is_named(best, &drawn.truth));
        let (most, least) = apart(&found);
        let is_undecided = matches!(found.verdict, Verdict::Undecided(_));
        undecided += u64::from(is_undecided);
        told_apart += u64::from(most >= 0.1);
        right += u64::from(most >= 0.1 && is_right);
        // Where the answer is that nothing is near, it names no cap.
        let is_answer = !matches!(found.verdict, Verdict::Unexplained);
        if is_right
            && is_answer
            && let Some(off) = cap_off(&found, &drawn)
        {
            caps.push(off);
            if off > 0.05 {
                worst += &format!("the cap {:.0} % off: {}", 100.0 * off, told(seed, &drawn, &found));
            }
        }
        if is_undecided && least > 0.2 {
            refused.push(seed);
        }
        if !is_right {
            worst += &told(seed, &drawn, &found);
        }
    }
    let far = caps.iter().filter(|off| **off > 0.05).count();
    println!(
        "{all} machines: {right} right of {told_apart} whose first two causes are 10 % apart somewhere, {undecided} undecided, \
         {far} of {} caps more than 5 % off\n{worst}",
        caps.len()
    );
    assert!(refused.is_empty(), "undecided, though the first two are 20 % apart everywhere: {refused:?}");
    assert!(right as f64 >= 0.95 * told_apart as f64, "{right} right of {told_apart}\n{worst}");
    assert!(undecided as f64 <= 0.15 * all as f64, "{undecided} undecided of {all}");
    // A cap is to be within 5 %. Of 300 machines, 7 of 93 are not: six of them by 5 to 6 %, one by 9 %. See docs/explain.md.
    assert!(far as f64 <= 0.1 * caps.len() as f64, "{caps:?}");
}
