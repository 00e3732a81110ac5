//! The limits of loopbacks, from the limits of their two halves.

use crate::flow_limit::FlowLimit;
use system::loopback::Halves;

/// Joins the limits of halves to the limits of flows. A loopback has the rate of its slower half and the sum of both
/// latencies.
pub fn whole(halves: &Halves, limits: &[FlowLimit]) -> Vec<FlowLimit> {
    let both = |(reads, &writes): (usize, &usize)| {
        let (read, write) = (&limits[reads], &limits[writes]);
        if reads == writes {
            return read.clone();
        }
        let slower = if write.stream.0 <= read.stream.0 { write } else { read };
        let most = pcie::Rate(read.most.0.min(write.most.0));
        FlowLimit { latency: read.latency + write.latency, most, ..slower.clone() }
    };
    halves.last.iter().enumerate().map(both).collect()
}
