//! The compiled engine. This is the only file with `unsafe`, because the models are C++ with a C interface of three
//! functions.
//!
//! Why it is sound: a [`Model`] owns the pointer that its own `new` returned, and no copy of it leaves this file.
//! `step` gets two structs with the layout that `cpp/model.cpp` or `cpp/nvme_host.cpp` declares (`repr(C)`, plain numbers; every `bool`
//! written by C++ is 0 or 1, because it is a copy of a one-bit port). C++ keeps no pointer to them.
#![allow(unsafe_code)]

use crate::builds::{BUILDS, Build, HOST_BUILDS, HostBuild};
use crate::host_pins as nvme;
use crate::pins::{In, Out};
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// The C functions of one build, with its inputs and outputs.
pub struct Calls<I, O> {
    new: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    step: unsafe extern "C" fn(*mut c_void, *const I, *mut O, u64, u64),
    free: unsafe extern "C" fn(*mut c_void),
}

macro_rules! declare {
    ($name:ident, $in:ty, $out:ty, $new:literal, $step:literal, $free:literal) => {
        mod $name {
            #[allow(unused_imports)]
            use crate::host_pins as nvme;
            #[allow(unused_imports)]
            use crate::pins::{In, Out};
            use std::ffi::{c_char, c_void};
            unsafe extern "C" {
                #[link_name = $new]
                pub fn new(waves: *const c_char) -> *mut c_void;
                #[link_name = $step]
                pub fn step(made: *mut c_void, pins: *const $in, out: *mut $out, picoseconds: u64, half: u64);
                #[link_name = $free]
                pub fn free(made: *mut c_void);
            }
        }
    };
}

macro_rules! calls {
    ($name:ident) => {
        Calls { new: $name::new, step: $name::step, free: $name::free }
    };
}

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// Why there are no models; `None` where there are.
pub const ABSENT: Option<&str> = None;

/// True where models that write waves were compiled in.
pub fn writes_waves() -> bool {
    CALLS.iter().all(|calls| calls[1].is_some())
}

/// One engine, or one NVMe host.
pub struct Model<I: 'static = In, O: 'static = Out> {
    raw: NonNull<c_void>,
    calls: &'static Calls<I, O>,
}

impl Model {
    /// The engine of that build, after reset. Its signals go to `waves`. `None` where there is no such build, or no
    /// memory.
    pub fn new(build: Build, waves: Option<&Path>) -> Option<Model> {
        let index = BUILDS.iter().position(|b| *b == build)?;
        Model::made(CALLS[index][usize::from(waves.is_some())].as_ref()?, waves)
    }
}

impl Model<nvme::In, nvme::Out> {
    /// The NVMe host of that build, after reset. `None` where there is no such build, or no memory.
    pub fn host(build: HostBuild) -> Option<Model<nvme::In, nvme::Out>> {
        let index = HOST_BUILDS.iter().position(|b| *b == build)?;
        Model::made(HOST_CALLS[index].as_ref()?, None)
    }
}

impl<I, O> Model<I, O> {
    fn made(calls: &'static Calls<I, O>, waves: Option<&Path>) -> Option<Model<I, O>> {
        let file = waves.map(|path| CString::new(path.as_os_str().as_encoded_bytes())).transpose().ok()?;
        let name = file.as_ref().map_or(std::ptr::null(), |file| file.as_ptr());
        // SAFETY: `name` is null or a string that outlives the call.
        let raw = NonNull::new(unsafe { (calls.new)(name) })?;
        Some(Model { raw, calls })
    }

    /// Runs one clock, with its rising edge at `picoseconds`.
    pub fn step(&mut self, pins: &I, out: &mut O, picoseconds: u64, half: u64) {
        // SAFETY: the pointer is this model's own, and both structs outlive the call.
        unsafe { (self.calls.step)(self.raw.as_ptr(), pins, out, picoseconds, half) }
    }
}

impl<I, O> Drop for Model<I, O> {
    fn drop(&mut self) {
        // SAFETY: made by `new` of the same build, and not used again.
        unsafe { (self.calls.free)(self.raw.as_ptr()) }
    }
}
