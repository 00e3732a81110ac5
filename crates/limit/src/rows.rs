//! The rows of a flow's table; one module for each mechanism.

mod ats;
mod commands;
mod completer;
mod engine;
mod inside;
mod iommu;
mod kinds;
mod lines;
mod links;
mod memory;
mod pages;
mod queues;
mod stores;
mod subject;

use crate::load::Load;
use crate::plan::Plan;
use crate::table::Table;
use subject::Subject;

/// The table of `plan` with the loads `loads`, the slowest row first.
pub fn table(plan: &Plan<'_>, loads: &[Load]) -> Table {
    let mut table = Table::default();
    add_all(&mut table, &Subject::new(plan, loads));
    table.sort();
    table
}

/// Adds all rows of a flow.
fn add_all(table: &mut Table, of: &Subject<'_, '_>) {
    let (plan, loads) = (of.plan, of.loads);
    let data = plan.data.len();
    if plan.reads() {
        links::add(table, of, 0..data);
        memory::add_given(table, of);
        memory::add(table, of);
        let mut asks = Table::default();
        completer::add(&mut asks, of, table);
        links::add(&mut asks, of, data..loads.len());
        pages::add(&mut asks, of);
        if !plan.flow.operation.is_pio() {
            engine::add_paces(&mut asks, of);
        }
        commands::add_early(&mut asks, of);
        completer::add_gap(&mut asks, of);
        table.append(asks, (of.piece - of.payload).max(0.0));
        ats::add(table, of);
    } else {
        links::add(table, of, 0..data);
        if plan.flow.operation.is_pio() {
            stores::add(table, of);
        } else {
            engine::add(table, of);
            pages::add(table, of);
            ats::add(table, of);
            engine::add_core(table, of);
            engine::add_paces(table, of);
            commands::add_early(table, of);
        }
        memory::add(table, of);
    }
    inside::add(table, of);
    kinds::add(table, of);
    iommu::add(table, of);
    lines::add(table, of);
    if !queues::add(table, of) {
        commands::add(table, of);
        queues::add_threads(table, of);
    }
}
