//! The compiled engine. This is the only file with `unsafe`, because the model is C++ with a C interface of four
//! functions.
//!
//! Why it is sound: a [`Model`] owns the pointer that its own `new` returned, and no copy of it leaves this file.
//! `step` gets two structs with the layout that `cpp/model.cpp` declares (`repr(C)`, plain numbers; every `bool`
//! written by C++ is 0 or 1, because it is a copy of a one-bit port). C++ keeps no pointer to them.
#![allow(unsafe_code)]

use crate::builds::{BUILDS, Build};
use crate::pins::{In, Out};
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// The C functions of one build.
#[derive(Clone, Copy)]
pub struct Calls {
    new: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    step: unsafe extern "C" fn(*mut c_void, *const In, *mut Out, u64, u64),
    free: unsafe extern "C" fn(*mut c_void),
}

macro_rules! declare {
    ($name:ident, $new:literal, $step:literal, $free:literal) => {
        mod $name {
            use crate::pins::{In, Out};
            use std::ffi::{c_char, c_void};
            unsafe extern "C" {
                #[link_name = $new]
                pub fn new(waves: *const c_char) -> *mut c_void;
                #[link_name = $step]
                pub fn step(card: *mut c_void, pins: *const In, out: *mut Out, picoseconds: u64, half: u64);
                #[link_name = $free]
                pub fn free(card: *mut c_void);
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

/// One engine.
pub struct Model {
    raw: NonNull<c_void>,
    calls: Calls,
}

impl Model {
    /// The engine of that build, after reset. Its signals go to `waves`. `None` where there is no such build, or no
    /// memory.
    pub fn new(build: Build, waves: Option<&Path>) -> Option<Model> {
        let index = BUILDS.iter().position(|b| *b == build)?;
        let calls = CALLS[index][usize::from(waves.is_some())]?;
        let file = waves.map(|path| CString::new(path.as_os_str().as_encoded_bytes())).transpose().ok()?;
        let name = file.as_ref().map_or(std::ptr::null(), |file| file.as_ptr());
        // SAFETY: `name` is null or a string that outlives the call.
        let raw = NonNull::new(unsafe { (calls.new)(name) })?;
        Some(Model { raw, calls })
    }

    /// Runs one clock, with its rising edge at `picoseconds`.
    pub fn step(&mut self, pins: &In, out: &mut Out, picoseconds: u64, half: u64) {
        // SAFETY: the pointer is this model's own, and both structs outlive the call.
        unsafe { (self.calls.step)(self.raw.as_ptr(), pins, out, picoseconds, half) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by `new` of the same build, and not used again.
        unsafe { (self.calls.free)(self.raw.as_ptr()) }
    }
}
