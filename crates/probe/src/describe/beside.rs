//! What a description cannot say: devices without a figure, links whose registers mean nothing, what the input contradicts.

use super::lines::Lines;
use super::source::Source;
use crate::link::{LinkRate, Why};

pub(super) fn write(source: &Source<'_>, out: &mut Lines) {
    let view = source.view;
    for (at, why) in &source.report.model.left_out {
        out.comment(&format!("{} is not described: {why}", view.name(*at)));
    }
    for link in view.tree.links().iter().filter(|link| link.why == Why::Virtual) {
        let (Some(lower), Some(now)) = (link.lower, link.now) else { continue };
        out.comment(&format!("{} says {now}: a link without wires, no bottleneck here", view.name(lower)));
    }
    let contradict = view.tree.links().iter().filter(|link| link.why == Why::Contradicts);
    for link in contradict {
        let said = |rate: Option<LinkRate>| rate.map_or("nothing".into(), |rate| rate.to_string());
        let at = link.lower.or(link.upper).map_or(String::new(), |at| view.name(at));
        out.comment(&format!("{at} contradicts itself: {} of {}", said(link.now), said(link.possible)));
    }
    for function in view.machine.functions.values() {
        if let (Some(set), Some(most)) = (function.mps(), function.mps_supported())
            && set > most
        {
            out.comment(&format!("{} says MaxPayload {set} of {most}", view.name(function.address)));
        }
    }
    for remark in &view.machine.remarks {
        out.comment(&remark.to_string());
    }
}
