//! Replaces the compiled engine where none is compiled in.

use crate::builds::Build;
use crate::pins::{In, Out};
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// Why there are no models.
pub const ABSENT: Option<&str> = Some(MISSING);

/// None was.
pub fn writes_waves() -> bool {
    false
}

/// A model of an engine, which cannot exist here.
pub struct Model(std::convert::Infallible);

impl Model {
    /// None.
    pub fn new(_: Build, _: Option<&Path>) -> Option<Model> {
        None
    }
    /// Never called.
    pub fn step(&mut self, _: &In, _: &mut Out, _: u64, _: u64) {
        match self.0 {}
    }
}
