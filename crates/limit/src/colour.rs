//! Colours: flows that are alike in the scenario as a whole. They are alike when alone, and share what they use with
//! flows that are alike. Flows of one colour get the same rate, so only one of each colour is computed.
//!
//! Colours are refined until their number no longer grows. In each step the new colour of a flow is made of its old
//! colour and of the colours of all flows that share a resource with it, separately for each source of the arbiters on
//! its path. This is the stable colouring of a graph (Weisfeiler and Leman).

use crate::class::Classes;
use crate::resource::{Use, Uses};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The colour of each flow.
#[derive(Clone, Debug)]
pub struct Colours {
    /// The colour of each flow.
    pub of: Vec<usize>,
    /// The first flow of each colour.
    pub first: Vec<usize>,
}

impl Colours {
    /// Gives each flow its own colour.
    pub fn all_different(flows: usize) -> Colours {
        Colours { of: (0..flows).collect(), first: (0..flows).collect() }
    }

    /// The stable colouring, which starts with the classes of the flows.
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

    /// Numbers the shades in the order of their first flows.
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

/// The groups of each use: for each arbiter on its path, all uses that come through the same source there. A source
/// that is a single flow has no group.
struct Groups {
    /// The position of each use's groups in `of`.
    at: Vec<usize>,
    of: Vec<u32>,
    count: usize,
}

/// A hasher for words that are already mixed: the word is its own hash.
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

/// The shades of all flows, refined by the shades of the flows that they share with.
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
                // The other direction carries the DLLPs.
                shade = mix(shade, company[back]);
            }
            shade = groups.of(number).iter().fold(shade, |shade, &group| mix(shade, beside[group as usize]));
        }
        refined.push(shade);
    }
    refined
}

/// The contribution of a use: the shade of its flow, mixed with the position of the use among that flow's uses.
fn of_use(uses: &Uses, of: &Use, number: usize, shades: &[u64]) -> u64 {
    mix(shades[of.flow], (number - uses.of[of.flow].start) as u64)
}

/// Mixes two words into one; their order matters.
fn mix(a: u64, b: u64) -> u64 {
    let mut word = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(a.rotate_left(32));
    word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    word ^ (word >> 32)
}
