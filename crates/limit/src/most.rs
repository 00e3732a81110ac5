//! The most that flows can come to at once, however arbiters divide what they share: a bound, where [`crate::share`] is one
//! division.
//!
//! Each server that flows use is a row: the least time that a byte of each flow takes of it; all of them take at most
//! the time there is. A flow alone is faster than among others. The largest sum of rates under these rows is a linear
//! program. Its answer is told by weights of the rows: a byte of a flow is worth the weighted time that it takes, and no
//! sum is worth more than the weights. Any weights that are not negative give such a bound (weak duality), so that the
//! answer is one even where the search for the best weights ends early.

use crate::crowd::Crowd;
use crate::load::Load;
use crate::resource::Use;
use crate::simplex::weights;
use pcie::Rate;
use std::collections::BTreeMap;

/// What holds the rates of flows, as rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Most {
    /// Flows with one rate, as in a chain, are one column.
    columns: Vec<Column>,
    /// By server: the columns that use it, each with the share of its time that the column takes at its largest rate.
    rows: Vec<Vec<(usize, f64)>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Column {
    /// The largest rate, in bytes a femtosecond.
    most: f64,
    /// The flows, and what the rate of each is of the column's.
    flows: Vec<(usize, f64)>,
}

impl Most {
    /// The rows of `crowd`, of whose flows `whole` names the flow that each is a half of.
    pub fn new(crowd: &Crowd<'_>, whole: &[usize]) -> Most {
        let mut most = Most::default();
        let column = most.add_columns(crowd, whole);
        let edges = Edge::all(crowd);
        let mut servers: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); crowd.uses.users.len()];
        for of in &crowd.uses.all {
            let (at, part) = column[of.flow];
            *servers[of.index].entry(at).or_default() += part * of.least_fs;
            if let Some((server, fs_per_byte)) = acks(crowd, &edges, of) {
                *servers[server].entry(at).or_default() += part * fs_per_byte;
            }
        }
        let scaled = |row: BTreeMap<usize, f64>| {
            row.into_iter().map(|(at, fs)| (at, fs * most.columns[at].most)).filter(|(_, share)| *share > 0.0).collect()
        };
        let rows: Vec<Vec<(usize, f64)>> = servers.into_iter().map(scaled).collect();
        most.rows = rows.into_iter().filter(|row| can_be_full(row)).collect();
        most
    }

    /// Makes the columns; for each flow of `crowd` its column, and what its rate is of the column's.
    fn add_columns(&mut self, crowd: &Crowd<'_>, whole: &[usize]) -> Vec<(usize, f64)> {
        let first = crowd.chains();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut column = Vec::new();
        for (flow, &head) in first.iter().enumerate() {
            let head = whole.get(head).copied().unwrap_or(head);
            let part = crowd.part(flow);
            let next = self.columns.len();
            let at = *places.entry(head).or_insert(next);
            if at == next {
                self.columns.push(Column { most: f64::INFINITY, flows: Vec::new() });
            }
            let fs = crowd.solved(flow).least_fs;
            let alone = if fs > 0.0 { 1.0 / fs } else { 0.0 };
            self.columns[at].most = self.columns[at].most.min(alone / part);
            // A half of a loopback is no flow of its own.
            if whole.get(flow).is_none_or(|&own| own == flow) {
                self.columns[at].flows.push((flow, part));
            }
            column.push((at, part));
        }
        column
    }

    /// The most that the flows for which `holds` is true come to, while all flows run.
    pub fn sum_of(&self, holds: impl Fn(usize) -> bool) -> Rate {
        let worth = |column: &Column| {
            let parts: f64 = column.flows.iter().filter(|(flow, _)| holds(*flow)).map(|(_, part)| part).sum();
            parts * column.most
        };
        let worths: Vec<f64> = self.columns.iter().map(worth).collect();
        Rate(1e15 * self.bound(&worths))
    }

    /// The most that the slowest flow comes to, while all flows run: where all have that rate, no row is more than full.
    pub fn slowest(&self) -> Rate {
        // At a rate of 1 for each flow, the share of its largest rate that a column has.
        let least = |column: &Column| column.flows.iter().map(|(_, part)| *part).fold(f64::INFINITY, f64::min);
        let parts: Vec<f64> = self.columns.iter().map(|column| 1.0 / (least(column) * column.most)).collect();
        let alone = parts.iter().filter(|part| part.is_finite()).map(|part| 1.0 / part).fold(f64::INFINITY, f64::min);
        let row = |row: &Vec<(usize, f64)>| 1.0 / row.iter().map(|&(at, share)| share * parts[at]).sum::<f64>();
        Rate(1e15 * self.rows.iter().map(row).fold(alone, f64::min))
    }

    /// The bound of a sum in which each column at its largest rate is worth so much.
    fn bound(&self, worths: &[f64]) -> f64 {
        let used = |row: &Vec<(usize, f64)>| -> Vec<(usize, f64)> {
            row.iter().copied().filter(|(at, _)| worths[*at] > 0.0).collect()
        };
        let rows: Vec<Vec<(usize, f64)>> = self.rows.iter().map(used).filter(|row| can_be_full(row)).collect();
        let weights = weights(&rows, worths);
        let mut value = vec![0.0; worths.len()];
        for (row, weight) in rows.iter().zip(&weights) {
            row.iter().for_each(|(at, share)| value[*at] += weight * share);
        }
        let over: f64 = worths.iter().zip(&value).map(|(worth, value)| (worth - value).max(0.0)).sum();
        weights.iter().sum::<f64>() + over
    }
}

/// False where all columns at their largest rates leave the server time.
fn can_be_full(row: &[(usize, f64)]) -> bool {
    row.iter().map(|(_, share)| share).sum::<f64>() > 1.0
}

/// What the users of a server have in common: the bounds of what ACKs take of a direction.
#[derive(Clone, Copy)]
struct Edge {
    /// The longest that an ACK waits for a TLP under way.
    slot_fs: f64,
    /// The least time of a DLLP between two TLPs.
    dllp_fs: f64,
    /// The time of the shortest TLP.
    period_fs: f64,
}

impl Edge {
    /// Of each server that is a direction with users.
    fn all(crowd: &Crowd<'_>) -> Vec<Option<Edge>> {
        let uses = crowd.uses;
        // Flows of a class have the same loads.
        let edge = |load: &Load| Edge {
            slot_fs: load.longest_fs() + load.wire.skp_fs(),
            dllp_fs: dllp_fs(load),
            period_fs: shortest_fs(load),
        };
        let of_class: Vec<Vec<Edge>> =
            crowd.solved.iter().map(|solved| solved.loads.iter().map(edge).collect()).collect();
        let of = |users: &Vec<usize>| {
            uses.all[*users.first()?].back()?;
            let of = |&number: &usize| of_class[crowd.classes[uses.all[number].flow]][uses.all[number].load];
            users.iter().map(of).reduce(Edge::and)
        };
        uses.users.iter().map(of).collect()
    }

    fn and(self, other: Edge) -> Edge {
        Edge {
            slot_fs: self.slot_fs.max(other.slot_fs),
            dllp_fs: self.dllp_fs.min(other.dllp_fs),
            period_fs: self.period_fs.min(other.period_fs),
        }
    }
}

/// The least time that the ACKs for each byte of a flow take of the other direction of a link: the server, and the time.
/// A link that is busy sends one ACK for all TLPs that have arrived meanwhile.
fn acks(crowd: &Crowd<'_>, edges: &[Option<Edge>], of: &Use) -> Option<(usize, f64)> {
    let server = of.back()?;
    let (there, here) = (edges.get(server)?.as_ref()?, edges.get(of.index)?.as_ref()?);
    let load = crowd.load(of);
    Some((server, load.tlps() * load.acks_back(here.period_fs, there.slot_fs) * there.dllp_fs))
}

/// The least time that a DLLP between two TLPs takes of a load's direction.
fn dllp_fs(load: &Load) -> f64 {
    let more = |count: f64| (load.slots(count) - load.slots(0.0)) / (count * load.tlps().max(1e-12));
    load.wire.time([1.0, 2.0, 4.0].into_iter().map(more).fold(f64::INFINITY, f64::min).max(0.0))
}

/// The time of the shortest TLP of a load.
fn shortest_fs(load: &Load) -> f64 {
    load.groups().map(|group| load.wire.time(group.wire as f64)).fold(f64::INFINITY, f64::min)
}
