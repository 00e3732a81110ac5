//! Ends calls that nothing else ends: a `read` of a channel waits for its design as long as that takes. One that has begun no signal
//! ends, so the driver is told to cancel what the files have under way; a signal ends the calls of other files, as pipes.
//!
//! The signal is SIGURG, which does nothing by itself and which nobody sends to programs without sockets of their own. Its handler
//! does nothing either; it is there so that a call that is under way returns, and stays, because runs of one process share it. With
//! `unsafe`, because a handler is a pointer.

#![allow(unsafe_code)]

use rustix::thread::{Pid, gettid};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

const SIGNAL: libc::c_int = libc::SIGURG;
static HANDLED: Once = Once::new();

/// Threads that make calls, and whether they are to stop.
pub(crate) struct Stop<'f> {
    set: AtomicBool,
    files: Vec<BorrowedFd<'f>>,
    threads: Vec<Mutex<Option<Pid>>>,
}

extern "C" fn nothing(_: libc::c_int) {}

impl<'f> Stop<'f> {
    /// For so many threads, which make calls of these files.
    pub fn new(threads: usize, files: Vec<BorrowedFd<'f>>) -> Stop<'f> {
        HANDLED.call_once(|| {
            // SAFETY: all zeros are a `sigaction` without flags and with an empty mask.
            let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
            ours.sa_sigaction = nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
            // SAFETY: a whole struct; the handler calls nothing. Without SA_RESTART a call returns.
            unsafe { libc::sigaction(SIGNAL, &raw const ours, std::ptr::null_mut()) };
        });
        Stop { set: AtomicBool::new(false), files, threads: (0..threads).map(|_| Mutex::new(None)).collect() }
    }

    /// This thread is the one of that number, until what is returned goes.
    pub fn enter(&self, number: usize) -> Entered<'_, 'f> {
        self.put(number, Some(gettid()));
        Entered { stop: self, number }
    }

    fn put(&self, number: usize, thread: Option<Pid>) {
        if let Some(place) = self.threads.get(number) {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = thread;
        }
    }

    /// True where a call that has returned early was ended by this.
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::SeqCst)
    }

    /// Ends the calls that are under way. One that begins at this moment is missed: it is to be called until all threads have ended.
    pub fn strike(&self) {
        self.set.store(true, Ordering::SeqCst);
        for file in &self.files {
            // A file that is no channel knows nothing of it.
            let _ = card::cancel(file);
        }
        for place in &self.threads {
            // The thread does not end while this is held.
            let held = place.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(thread) = *held {
                let process = std::process::id() as libc::c_int;
                // SAFETY: three numbers; the thread is one of this process, and is there.
                unsafe { libc::syscall(libc::SYS_tgkill, process, thread.as_raw_nonzero().get(), SIGNAL) };
            }
        }
    }
}

/// See [`Stop::enter`].
pub(crate) struct Entered<'a, 'f> {
    stop: &'a Stop<'f>,
    number: usize,
}

impl Drop for Entered<'_, '_> {
    fn drop(&mut self) {
        self.stop.put(self.number, None);
    }
}
