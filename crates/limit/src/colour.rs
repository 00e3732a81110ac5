//! Flows that are alike among the others: alike when alone, and sharing what they use with the same company. They get
//! the same, so that one of each colour is worked out.
//!
//! Colours are refined until no more appear: a flow's colour becomes that of its own before together with the
//! colours of all that it shares each resource with, source by source of the arbiters on the way (the stable
//! colouring of a graph, Weisfeiler and Leman).

use crate::class::Classes;
use crate::resource::{Use, Uses};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Which flows are alike among all.
#[derive(Clone, Debug)]
pub struct Colours {
    /// Of each flow: its colour.
    pub of: Vec<usize>,
    /// Of each colour: its first flow.
    pub first: Vec<usize>,
}

impl Colours {
    /// Every flow has its own.
    pub fn all_different(flows: usize) -> Colours {
        Colours { of: (0..flows).collect(), first: (0..flows).collect() }
    }

    /// The stable colouring of flows that begin with their classes.
    pub fn new(uses: &Uses, classes: &Classes) -> Colours {
        let groups = Groups::new(uses);
        let mut shades: Vec<u64> = classes.of.iter().map(|&class| mix(class as u64, 1)).collect();
        let mut colours = Colours::of_shades(&shades);
        loop {
            shades = refined(uses, &groups, &shades);
            let next = Colours::of_shades(&shades);
            if next.first.len() == colours.first.len() {
                return colours;
            }
            colours = next;
        }
    }

    /// Numbers for shades, in the order of their first flows.
    fn of_shades(shades: &[u64]) -> Colours {
        let mut known: HashMap<u64, usize, Quick> = HashMap::default();
        let mut colours = Colours { of: Vec::with_capacity(shades.len()), first: Vec::new() };
        for (flow, &shade) in shades.iter().enumerate() {
            let colour = *known.entry(shade).or_insert(colours.first.len());
            if colour == colours.first.len() {
                colours.first.push(flow);
            }
            colours.of.push(colour);
        }
        colours
    }
}

/// Of each use, and each arbiter that it came through: who else comes by the same source there. Sources that are one
/// flow by itself have no company.
struct Groups {
    /// Of each use: where its groups are in `of`.
    at: Vec<usize>,
    of: Vec<u32>,
    count: usize,
}

/// Words that are mixed already are their own hash.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mix(self.0, u64::from(byte)));
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

type Quick = BuildHasherDefault<Mixed>;

impl Groups {
    fn new(uses: &Uses) -> Groups {
        let mut known: HashMap<u64, u32, Quick> = HashMap::with_capacity_and_hasher(uses.all.len(), Quick::default());
        let mut groups = Groups { at: Vec::with_capacity(uses.all.len() + 1), of: Vec::new(), count: 0 };
        for of in &uses.all {
            groups.at.push(groups.of.len());
            let mut path = of.index as u64;
            for source in uses.through(of).iter().rev().filter(|source| !source.is_one_flow()) {
                path = mix(path, source.name);
                let next = known.len() as u32;
                groups.of.push(*known.entry(path).or_insert(next));
            }
        }
        groups.at.push(groups.of.len());
        groups.count = known.len();
        groups
    }

    fn of(&self, number: usize) -> &[u32] {
        &self.of[self.at[number]..self.at[number + 1]]
    }
}

/// The shades of all flows, refined by those of their company.
fn refined(uses: &Uses, groups: &Groups, shades: &[u64]) -> Vec<u64> {
    let mut company = vec![0u64; uses.users.len()];
    let mut beside = vec![0u64; groups.count];
    for (number, of) in uses.all.iter().enumerate() {
        let shade = of_use(uses, of, number, shades);
        company[of.index] = company[of.index].wrapping_add(shade);
        for &group in groups.of(number) {
            beside[group as usize] = beside[group as usize].wrapping_add(shade);
        }
    }
    let mut refined = Vec::with_capacity(shades.len());
    for (flow, range) in uses.of.iter().enumerate() {
        let mut shade = shades[flow];
        for number in range.clone() {
            let of = &uses.all[number];
            shade = mix(shade, company[of.index]);
            if let Some(back) = of.back() {
                // It carries the DLLPs.
                shade = mix(shade, company[back]);
            }
            shade = groups.of(number).iter().fold(shade, |shade, &group| mix(shade, beside[group as usize]));
        }
        refined.push(shade);
    }
    refined
}

/// A use as the others see it: whose it is, and which of that flow's.
fn of_use(uses: &Uses, of: &Use, number: usize, shades: &[u64]) -> u64 {
    mix(shades[of.flow], (number - uses.of[of.flow].start) as u64)
}

/// Two words into one, in their order.
fn mix(a: u64, b: u64) -> u64 {
    let mut word = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(a.rotate_left(32));
    word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word ^ (word >> 32)
}
