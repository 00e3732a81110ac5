//! Random numbers that are the same on every machine.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
    small: bool,
}

impl Dice {
    /// Numbers of a draw of a seed. `small` draws machines of few devices and measurements.
    pub fn new(seed: u64, draw: u64, small: bool) -> Dice {
        let state = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ draw.rotate_left(32);
        let mut dice = Dice { state, small };
        dice.next();
        dice
    }
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number from 0 to `end` - 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
    /// A number of things: `least`, or up to so many more where machines are not small.
    pub fn count(&mut self, least: usize, more: usize) -> usize {
        let drawn = self.below(more + 1);
        if self.small { least } else { least + drawn }
    }
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
    /// True in so many of a hundred.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }
    /// A uniform number between 0 and 1, both excluded.
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
    /// A number whose logarithm is uniform.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }
    /// A normally distributed number (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
    /// In another order.
    pub fn shuffled<T>(&mut self, mut all: Vec<T>) -> Vec<T> {
        (1..all.len()).rev().for_each(|last| all.swap(last, self.below(last + 1)));
        all
    }
}
