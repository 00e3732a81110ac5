//! A link that may be slow because its device is idle: a question to read it again under load.

use super::width::link_cost;
use crate::finding::{Finding, Severity};
use crate::link::{LinkRate, Why};
use crate::view::View;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let idle = view.real_links().filter(|(link, _)| link.why == Why::MaybePower || link.may_idle);
    let all = idle.filter_map(|(link, lower)| {
        let (now, possible) = (link.now?.speed?, view.settled(link)?.speed?);
        // A lowered Target Link Speed is a finding of its own.
        if now >= possible || link.target.is_some_and(|target| target < possible && target <= now) {
            return None;
        }
        let what = format!(
            "{} is at {now} of {possible}: is it idle? Power management slows a link with nothing to do",
            view.name(lower)
        );
        let mended = LinkRate { speed: Some(possible), width: link.now?.width };
        // A link that is narrow too has a cost for that, at full speed.
        let cost = link_cost(view, link, mended).filter(|_| link.why == Why::MaybePower);
        // No question if the answer would not change the rate.
        if cost.as_ref().is_some_and(|cost| !cost.is_felt()) {
            return None;
        }
        let mut finding = Finding::new("idle", Severity::Question, vec![lower], what).costs(cost).shown(
            lower,
            "LnkSta",
            format!("Speed {now}"),
        );
        let function = view.function(lower)?;
        for (source, value) in
            [("power_state", &function.os.power_state), ("runtime_status", &function.os.runtime_status)]
        {
            if let Some(value) = value {
                finding = finding.shown(lower, source, value);
            }
        }
        Some(finding.mended_by("Put it under load and read again; if it stays, it is a fault."))
    });
    all.collect()
}
