//! Rows of PIO writes: the CPU's stores, its line buffers, the pipeline of the root port.

use super::subject::{Subject, fs};
use crate::place::Place;
use crate::table::{Row, Table};
use system::Cause;

/// Adds the rows of PIO writes.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let (plan, host, bytes) = (of.plan, &of.plan.host, of.payload);
    let Some((hop, load)) = plan.data.first().zip(of.loads.first()) else { return };
    // The mean over the TLPs of a call, the last of which may be shorter.
    let mean = |time: &dyn Fn(u64) -> f64| {
        bytes * load.data.iter().map(|group| group.per_byte * time(group.payload)).sum::<f64>()
    };
    let fill = mean(&|payload| fs(host.pio_line_fill) * payload.div_ceil(8) as f64 / 8.0);
    let call = fs(host.pio_call_cost) / plan.cut.bytes as f64;
    table.add(Row::server(fill / bytes + call, Place::Host, Cause::Stores));
    let short = plan.cut.count() <= host.pio_buffers.0 as f64;
    let restart = if short { fs(host.pio_restart) / plan.cut.bytes as f64 } else { 0.0 };
    let slot = mean(&|payload| hop.wire.start_to_start_fs(plan.data_tlp(payload).shape));
    table.add(Row::server((slot + fs(host.pio_gap)) / bytes + restart, Place::Host, Cause::Drain));
    // A line buffer is filled, then sent. The other buffers drain while the CPU is in its call.
    let (buffers, sent) = (host.pio_buffers.0 as f64, mean(&|payload| hop.tlp_time(&plan.data_tlp(payload))));
    let meanwhile = (buffers - 1.0) * (slot + fs(host.pio_gap)) + sent;
    let paused = (fs(host.pio_call_cost) - meanwhile).max(0.0) / plan.cut.count().max(1.0);
    // The TLP of a buffer starts where the start alignment allows, and so does the next one of the same buffer. Between two
    // of a single buffer the link is idle.
    let round = |idle: bool| hop.wire.on_grid_fs(fill + sent, idle).max(fill + sent + paused);
    let row = Row::of_loop(buffers * bytes, round(buffers == 1.0 && fill > 0.0), Place::Host, Cause::Stores);
    table.add(row.among_others(round(false) / (buffers * bytes)));
}
