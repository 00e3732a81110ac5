//! Which devices are measured together: as `lanescope bench` does it, each alone, pairs and all below a bridge, all at once.

use super::dice::Dice;
use super::machine::{Class, Machine};
use super::measure::{Load, Measurement};

/// The measurements of a machine, for each of the loads.
pub fn measurements(dice: &mut Dice, machine: &Machine, loads: &[Load]) -> Vec<Measurement> {
    let subsets = subsets(dice, machine);
    let of = |load: usize| subsets.iter().map(move |ends| Measurement { ends: ends.clone(), load });
    (0..loads.len()).flat_map(of).collect()
}

fn subsets(dice: &mut Dice, machine: &Machine) -> Vec<Vec<(usize, usize)>> {
    let drives = |end: usize| match machine.ends[end].class {
        Class::Sata(drives) => drives,
        _ => 1,
    };
    let whole = |ends: &[usize]| ends.iter().map(|&end| (end, drives(end))).collect::<Vec<_>>();
    let all: Vec<usize> = (0..machine.ends.len()).collect();
    let mut subsets: Vec<Vec<(usize, usize)>> = all.iter().map(|&end| vec![(end, 1)]).collect();
    subsets.extend(all.iter().filter(|&&end| drives(end) > 1).map(|&end| whole(&[end])));
    let mut pairs = Vec::new();
    for bridge in &machine.bridges {
        for (n, &one) in bridge.below.iter().enumerate() {
            pairs.extend(bridge.below[n + 1..].iter().map(|&other| vec![one, other]));
        }
    }
    if pairs.is_empty() {
        pairs = all.windows(2).map(<[usize]>::to_vec).collect();
    }
    let most = dice.count(1, 2);
    subsets.extend(dice.shuffled(pairs).iter().take(most).map(|pair| whole(pair)));
    subsets.extend(machine.bridges.iter().map(|bridge| whole(&bridge.below)));
    for part in ["near", "far"] {
        let group: Vec<usize> = all.iter().copied().filter(|&end| machine.ends[end].part == part).collect();
        subsets.push(whole(&group));
    }
    subsets.push(whole(&all));
    let mut once: Vec<Vec<(usize, usize)>> = Vec::new();
    for subset in subsets {
        if !subset.is_empty() && !once.contains(&subset) {
            once.push(subset);
        }
    }
    once
}
