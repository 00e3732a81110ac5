//! Errors that a test plants in order to show that other tests find them. The feature `planted` builds this; no program
//! enables it, and without it none of its code is compiled.
//!
//! A crate names its own errors as constants and asks [`is`] at the place of each. A test runs something under [`with`].
//! An error is planted in the thread of the test only, because tests run in parallel.

use std::cell::Cell;

/// An error that can be planted: the words that name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planted(pub &'static str);

/// In [`crate::Framing`]: a TLP takes its bytes on a link without the LCRC.
pub const NO_LCRC: Planted = Planted("framing without the LCRC");

/// In [`crate::Shape`]: a replay buffer holds a TLP without its sequence number and LCRC.
pub const REPLAY_OF_TLP_ONLY: Planted = Planted("a replay buffer without sequence numbers and LCRCs");

thread_local! {
    static NOW: Cell<Option<Planted>> = const { Cell::new(None) };
}

/// Ends the error also when the test panics.
struct Until;

impl Drop for Until {
    fn drop(&mut self) {
        NOW.set(None);
    }
}

/// Runs `what` with `error` planted in this thread.
pub fn with<T>(error: Planted, what: impl FnOnce() -> T) -> T {
    let _until = Until;
    NOW.set(Some(error));
    what()
}

/// True where `error` is planted in this thread.
pub fn is(error: Planted) -> bool {
    NOW.get() == Some(error)
}
