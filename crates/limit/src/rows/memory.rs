//! Rows of what receives the payload: memory of a host, or the core of a card; and of the core of a card that gives it.

use super::links;
use super::subject::{Subject, fs};
use crate::place::Place;
use crate::resource::{NeedTarget, Via};
use crate::table::{Row, Table};
use system::Cause;

/// Adds the row of the core of a card that others read from: its completions pass it towards the link.
pub fn add_given(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let Some(load) = of.loads.first().filter(|_| plan.giver().is_some()) else { return };
    let fs_per_byte: f64 = load.data.iter().map(|group| group.per_byte * plan.giving_core_fs(group.payload)).sum();
    let place = if plan.flow.operation.is_pio() { Place::Card } else { Place::Target };
    table.add(Row::server(fs_per_byte, place, Cause::Core).shared(of.need(NeedTarget::Reads, 0, fs_per_byte)));
}

/// Adds the row of the receiving end.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let (Some(last), false) = (plan.data.len().checked_sub(1), plan.flow.operation.is_pio()) else { return };
    let ahead = links::before(of, last + 1);
    if !plan.reads() && plan.target_card.is_none() {
        let pages = fs(plan.host.page_service) * plan.cut.entered;
        let fs_per_byte = (plan.command_memory_fs() + pages) / plan.cut.bytes as f64;
        // Memory serves what arrives first. A port has as much there as its credits allow.
        let mut need = of.need(NeedTarget::Memory, LAST, fs_per_byte);
        let held = links::buffered(of, last).bytes;
        if held.is_finite() {
            need.through.pop();
            need.through.push(Via::ingress(last, 1.0 / held.max(1.0), false));
        }
        table.add(Row::server(fs_per_byte, Place::Host, Cause::Writes).after(last + 1, ahead).shared(need));
        return;
    }
    let (card, place, target) = match (plan.reads(), &plan.target_card) {
        (false, Some(card)) => (card, Place::Target, NeedTarget::TargetCore),
        _ => (&plan.card, Place::Card, NeedTarget::OwnCore),
    };
    let fs_per_byte = of
        .loads
        .get(last)
        .map_or(0.0, |load| load.data.iter().map(|group| group.per_byte * fs(card.core_time(group.payload))).sum());
    let need = of.need(target, LAST, fs_per_byte);
    table.add(Row::server(fs_per_byte, place, Cause::Core).after(last + 1, ahead).shared(need));
}

/// The stage after all links.
pub const LAST: usize = usize::MAX;
