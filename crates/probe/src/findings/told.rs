//! What the kernel's log and `nvidia-smi` say in the same text: slow links on a way, errors, replays.

use crate::address::Address;
use crate::finding::{Finding, Severity};
use crate::link_rate::LinkRate;
use crate::saying::{Errors, Saying, Told};
use crate::view::View;
use pcie::config::Speed;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let one = |told: &Told| match &told.what {
        Saying::Limited { by, now, able } => Some(limited(view, told.at, *by, (*now, *able))),
        Saying::Errors(errors) => Some(logged(view, told.at, errors)),
        Saying::Gpu { replays, rollovers, host } => gpu(view, told.at, (*replays, *rollovers), *host),
    };
    view.machine.told.iter().filter_map(one).collect()
}

fn limited(view: &View<'_>, at: Address, by: Address, (now, able): (LinkRate, LinkRate)) -> Finding {
    let rate = |rate: LinkRate| {
        rate.modelled().map_or_else(
            || rate.to_string(),
            |known| format!("{rate}, {:.0} MB/s before packets", known.encoded().as_mb_per_s()),
        )
    };
    let what = format!(
        "the kernel found the slowest link of {} at {}: {}; the device can {}",
        view.name(at),
        view.name(by),
        rate(now),
        rate(able)
    );
    Finding::new("log-limited", Severity::Warning, vec![at, by], what)
        .shown(by, "kernel's log", format!("{now} link"))
        .shown(at, "kernel's log", format!("capable of {able}"))
        .mended_by(format!(
            "A slot that cannot do more is by design; else both ends can say why: `sudo lspci -vv -s {}` and `-s {}`.",
            by.bdf, at.bdf
        ))
}

fn logged(view: &View<'_>, at: Address, errors: &Errors) -> Finding {
    let lines: u64 = errors.severities.values().sum();
    let named: Vec<String> = errors.named.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let of = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
    let corrected = errors.severities.keys().all(|severity| severity.starts_with("Corrected"));
    let (severity, kind) = if corrected { (Severity::Warning, "corrected") } else { (Severity::Error, "uncorrected") };
    let least = if errors.several { lines + 1 } else { lines };
    let plural = if least == 1 { "error" } else { "errors" };
    let span = errors.times.map(|(first, last)| last - first).filter(|span| *span > 0.0);
    let time = span.map_or_else(String::new, |span| format!(" in {span:.1} s"));
    let what = format!("the kernel logged at least {least} {kind} {plural} of the link at {}{of}{time}", view.name(at));
    let finding = Finding::new("log-aer", severity, vec![at], what);
    let finding = errors.severities.iter().fold(finding, |finding, (severity, count)| {
        finding.shown(at, "kernel's log", format!("severity={severity}, {count} times"))
    });
    finding.mended_by(
        "Reseat, another cable, riser or slot; with L1 on, once with pcie_aspm=off. What it costs goes with how often: read the \
         counters of both ends twice under load.",
    )
}

fn gpu(view: &View<'_>, at: Address, (replays, rollovers): (u64, u64), host: Option<Speed>) -> Option<Finding> {
    let own = view.function(at)?.link_max()?.speed;
    let slower = host.filter(|host| Some(*host) < own);
    if replays == 0 && rollovers == 0 && slower.is_none() {
        return None;
    }
    let mut said = Vec::new();
    if replays > 0 || rollovers > 0 {
        said.push(format!("its link has replayed {replays} times, with {rollovers} rollovers"));
    }
    if let (Some(host), Some(own)) = (slower, own) {
        said.push(format!("its host can {host} of the card's {own}"));
    }
    let severity = if rollovers > 0 { Severity::Error } else { Severity::Note };
    let what = format!("{}: {}", view.name(at), said.join("; "));
    let finding = Finding::new("smi-link", severity, vec![at], what);
    let finding =
        finding.shown(at, "nvidia-smi", format!("Replays Since Reset {replays}, Replay Number Rollovers {rollovers}"));
    Some(match rollovers {
        0 => finding,
        _ => finding.mended_by(
            "A rollover is a TLP that failed four times, after which the link trains again: reseat the card, another riser or \
             slot; look at the AER counters of both ends.",
        ),
    })
}
