//! What a description cannot say: devices without a figure, links whose registers mean nothing, what the input contradicts.

use super::lines::Lines;
use super::source::Source;
use crate::function::Function;
use crate::link::{LinkRate, Unreal, Why};

pub(super) fn write(source: &Source<'_>, out: &mut Lines) {
    let view = source.view;
    for (at, why) in &source.report.model.left_out {
        out.comment(&format!("{} is not described: {why}", view.name(*at)));
    }
    for link in view.tree.links().iter().filter(|link| link.why == Why::Virtual) {
        let (Some(lower), Some(now)) = (link.lower, link.now) else { continue };
        let kind = link.unreal.map_or("a link without wires".to_string(), |unreal| unreal.to_string());
        let but =
            if link.unreal == Some(Unreal::Tunnel) { ", which is not so: measure what the tunnel carries" } else { "" };
        out.comment(&format!("{} says {now}: {kind}, assumed to be no bottleneck{but}", view.name(lower)));
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
    for device in &source.report.model.devices {
        let set = view.function(device.address).and_then(Function::mps);
        let way = source.report.model.system.part(device.part).mps;
        if let Some(set) = set.filter(|set| *set > way) {
            let name = view.name(device.address);
            out.comment(&format!("{name} says MaxPayload {set} below a port that takes {way}: longer packets are errors (lanescope inspect)"));
        }
    }
    match view.machine.remarks.len() {
        0 => {}
        // What a line says does not come along: it may be a serial number.
        count => out.comment(&not_understood(count)),
    }
}

/// So many lines say what nobody here understands.
pub fn not_understood(count: usize) -> String {
    let (lines, were) = if count == 1 { ("line", "was") } else { ("lines", "were") };
    format!("{count} {lines} {were} not understood or contradicted by others: lanescope inspect --long shows what")
}
