//! The compiled card. This is the only file with `unsafe`, because the model is C++ with a C interface of three functions.
//!
//! Why it is sound: a [`Model`] owns the pointer that `ls_remote_new` returned, and no copy of it leaves this file. `step`
//! gets two structs with the layout that `cpp/model.cpp` declares (`repr(C)`, plain numbers; every `bool` written by C++ is 0
//! or 1, because it is a copy of a one-bit port). C++ keeps no pointer to them, and the model has no global state, so that it
//! may be moved to another thread.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::NonNull;

/// What goes in: the block's receive stream and configuration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// A beat.
    pub rx_data: u64,
    /// BARs that it hits, from bit 2 on.
    pub rx_user: u32,
    /// Bus, device and function number.
    pub id: u16,
    /// Command register.
    pub command: u16,
    /// Device Control.
    pub dcommand: u16,
    /// Bytes that count.
    pub rx_keep: u8,
    /// The block shows a beat.
    pub rx_valid: bool,
    /// The last of a TLP.
    pub rx_last: bool,
    /// PowerState.
    pub power: u8,
    /// MSI-X Enable.
    pub msix_enable: bool,
    /// Function Mask.
    pub msix_mask: bool,
    /// Function-level reset.
    pub flr: bool,
    /// The block accepts a beat.
    pub tx_ready: bool,
    /// TLPs that fit into its transmit buffer.
    pub tx_buf_av: u8,
}

/// What comes out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Out {
    /// A beat.
    pub tx_data: u64,
    /// Bytes that count.
    pub tx_keep: u8,
    /// There is one.
    pub tx_valid: bool,
    /// The last of a TLP.
    pub tx_last: bool,
    /// The engine accepts the block's beat.
    pub rx_ready: bool,
}

unsafe extern "C" {
    fn ls_remote_new() -> *mut c_void;
    fn ls_remote_step(card: *mut c_void, pins: *const In, out: *mut Out);
    fn ls_remote_free(card: *mut c_void);
}

/// One card.
pub struct Model {
    raw: NonNull<c_void>,
}

// SAFETY: the pointer has one owner, and the C++ behind it uses no thread-local or global state.
unsafe impl Send for Model {}

impl Model {
    /// A card after reset.
    pub fn new() -> Option<Model> {
        // SAFETY: takes nothing, and returns an object of its own.
        Some(Model { raw: NonNull::new(unsafe { ls_remote_new() })? })
    }

    /// Runs one clock.
    pub fn step(&mut self, pins: &In, out: &mut Out) {
        // SAFETY: the pointer is this model's own, and both structs outlive the call.
        unsafe { ls_remote_step(self.raw.as_ptr(), pins, out) }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by `ls_remote_new`, and not used again.
        unsafe { ls_remote_free(self.raw.as_ptr()) }
    }
}
