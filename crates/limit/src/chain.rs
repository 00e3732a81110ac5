//! Chains: flows each of which sends on the data of the one before it. A chain is as fast as its slowest part.
//!
//! All flows of a chain run at one rate, so their load on each other's directions is known exactly. A card that reads
//! and sends the data on has three loads on its transmit direction: the payload that it sends on, its read requests,
//! and an ACK for what it receives.

use crate::resource::{Resource, Use};
use crate::share::{Crowd, Held, Share};

/// Limits the shares of all flows of a chain to the share of the slowest of them.
pub fn hold(crowd: &Crowd<'_>, shares: &mut [Share]) {
    for chain in chains(crowd) {
        let share = |flow: usize| shares[crowd.colours.of[flow]];
        let slowest = chain.iter().copied().min_by(|&a, &b| share(a).rate.total_cmp(&share(b).rate));
        let Some(slowest) = slowest else { continue };
        let mut rate = share(slowest).rate;
        let mut held_by = match share(slowest).held_by {
            Held::Alone => Held::Flow(slowest),
            known => known,
        };
        if let Some((number, most)) = fullest(crowd, &chain, rate)
            && most < rate
        {
            (rate, held_by) = (most, Held::Use(number));
        }
        for &flow in &chain {
            let share = &mut shares[crowd.colours.of[flow]];
            if share.rate > rate {
                *share = Share { rate, held_by };
            }
        }
    }
}

/// The chains of the scenario: flows in a row, two or more.
fn chains(crowd: &Crowd<'_>) -> Vec<Vec<usize>> {
    let flows = crowd.ways.len();
    let fed_by = |flow: usize| crowd.solved(flow).plan.flow.fed_by.filter(|&from| from < flows);
    let first =
        |flow: usize| std::iter::successors(Some(flow), |&flow| fed_by(flow)).take(flows).last().unwrap_or(flow);
    let mut chains: Vec<Vec<usize>> = vec![Vec::new(); flows];
    (0..flows).for_each(|flow| chains[first(flow)].push(flow));
    chains.retain(|chain| chain.len() > 1);
    chains
}

/// The direction that a chain fills first, as a use of one of its flows, and the chain's rate at which that direction
/// is full. `rate` is the chain's rate without this bound.
fn fullest(crowd: &Crowd<'_>, chain: &[usize], rate: f64) -> Option<(usize, f64)> {
    let numbers: Vec<usize> = chain.iter().flat_map(|&flow| crowd.uses.of[flow].clone()).collect();
    let wires = numbers.iter().map(|&number| (number, &crowd.uses.all[number]));
    let wires: Vec<(usize, &Use)> = wires.filter(|(_, of)| matches!(of.resource, Resource::Wire(..))).collect();
    let time = |of: &Use| {
        let on = |index: usize| wires.iter().map(|&(_, of)| of).filter(move |of| of.index == index);
        let own: f64 = on(of.index).map(|of| of.fs_per_byte).sum();
        own + on(of.index ^ 1).map(|back| dllps_fs(crowd, of, back, own.max(1.0 / rate))).sum::<f64>()
    };
    let full = wires.iter().map(|&(number, of)| (number, 1.0 / time(of)));
    full.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Time that a direction spends on DLLPs for each byte of payload, for the TLPs that arrive on the link's other
/// direction. A byte of payload takes `fs_per_byte`. Where TLPs arrive in bursts, a DLLP waits for the end of a TLP on
/// this direction, and then stands for all TLPs that have arrived.
fn dllps_fs(crowd: &Crowd<'_>, of: &Use, back: &Use, fs_per_byte: f64) -> f64 {
    let load = |of: &Use| &crowd.solved(of.flow).loads[of.load];
    let (here, there) = (load(of), load(back));
    let dllp = here.wire.time(here.wire.dllp_bytes as f64);
    let slot = here.full_fs(0.0) / here.tlps() + dllp;
    let apart = (there.full_fs(0.0) / there.tlps() / slot).min(1.0);
    there.tlps() * there.dllps_back(fs_per_byte / there.tlps(), here.longest_fs()) * apart * dllp
}
