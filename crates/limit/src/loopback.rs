//! The limits of loopbacks from those of their halves.

use crate::FlowLimit;
use crate::crowded::Crowded;
use system::loopback::Halves;

/// The limits of flows from those of their halves: of a loopback, the slower half's, and both latencies.
pub fn whole(halves: &Halves, limits: &[FlowLimit]) -> Vec<FlowLimit> {
    let both = |(reads, &writes): (usize, &usize)| {
        let (read, write) = (&limits[reads], &limits[writes]);
        if reads == writes {
            return read.clone();
        }
        let slower = if write.stream.0 <= read.stream.0 { write } else { read };
        FlowLimit { latency: read.latency + write.latency, ..slower.clone() }
    };
    halves.last.iter().enumerate().map(both).collect()
}

/// The same of where halves are crowded: by the flows whose halves they are.
pub fn whole_flows(halves: &Halves, mut crowded: Vec<Crowded>) -> Vec<Crowded> {
    for flow in crowded.iter_mut().flat_map(|of| &mut of.flows) {
        *flow = halves.whole[*flow];
    }
    crowded
}
