//! Replaces the compiled engine where none is compiled in.

use crate::builds::{Build, HostBuild};
use crate::host_pins as nvme;
use crate::pins::{In, Out};
use std::marker::PhantomData;
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// Why there are no models.
pub const ABSENT: Option<&str> = Some(MISSING);

/// None was.
pub fn writes_waves() -> bool {
    false
}

/// A model of an engine, which cannot exist here.
pub struct Model<I = In, O = Out>(std::convert::Infallible, PhantomData<(I, O)>);

impl Model {
    /// None.
    pub fn new(_: Build, _: Option<&Path>) -> Option<Model> {
        None
    }
}

impl Model<nvme::In, nvme::Out> {
    /// None.
    pub fn host(_: HostBuild) -> Option<Model<nvme::In, nvme::Out>> {
        None
    }
}

impl<I, O> Model<I, O> {
    /// Never called.
    pub fn step(&mut self, _: &I, _: &mut O, _: u64, _: u64) {
        match self.0 {}
    }
}
