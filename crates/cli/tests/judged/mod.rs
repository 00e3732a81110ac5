//! Drawn cases for `lanescope explain`, written without a look at how it decides: machines as people have them, causes
//! planted in what the simulation runs and not in what is described, rates as they are measured, and a judge.

pub mod answer;
pub mod case;
pub mod dice;
pub mod judge;
pub mod machine;
pub mod measure;
pub mod named;
pub mod plant;
pub mod shapes;
pub mod subsets;
pub mod table;

/// The noise of the rates: the standard deviation of their logarithms, normally distributed.
pub const NOISE: f64 = 0.03;
/// A planted cause is visible where it moves the rates by so much: five standard deviations.
pub const VISIBLE: f64 = 25.0;
/// Rates of two systems that are nearer, in the same measure, are not told apart: four standard deviations.
pub const SAME: f64 = 16.0;
/// A rest above this has to be told.
pub const REST: f64 = 0.15;
