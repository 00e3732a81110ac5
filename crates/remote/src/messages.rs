//! MSI-X messages on their way into the guest, by QEMU's test socket. One such socket serves all devices of a guest, so that
//! a lock on a file keeps their requests apart.
//!
//! A thread of its own sends them: QEMU answers a request only while no register access waits for this device.

use crate::counters::{Counters, Fault};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

/// Messages of memory writes to these addresses are interrupts (x86).
pub const INTERRUPTS: std::ops::Range<u64> = 0xfee0_0000..0xfef0_0000;

/// Sends all messages until there are no senders, or QEMU has gone.
///
/// # Errors
/// Those of the socket and of the lock.
pub fn send(
    all: &Receiver<(u64, u32)>,
    socket: &mut UnixStream,
    lock: &File,
    counters: &Counters,
) -> std::io::Result<()> {
    for (address, data) in all {
        if counters.strikes(Fault::LostInterrupt) {
            continue;
        }
        flock(lock, FlockOperation::LockExclusive)?;
        let done = ask(socket, address, data);
        flock(lock, FlockOperation::Unlock)?;
        done?;
        counters.messages.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// [`send`] in a thread.
pub fn spawn(all: Receiver<(u64, u32)>, mut socket: UnixStream, lock: File, counters: Arc<Counters>) {
    std::thread::spawn(move || {
        if let Err(error) = send(&all, &mut socket, &lock, &counters) {
            eprintln!("lanescope-remote: the test socket: {error}");
        }
    });
}

/// One write, until QEMU says that it is done.
fn ask(socket: &mut UnixStream, address: u64, data: u32) -> std::io::Result<()> {
    socket.write_all(format!("writel {address:#x} {data:#x}\n").as_bytes())?;
    let mut byte = [0];
    while byte[0] != b'\n' {
        socket.read_exact(&mut byte)?;
    }
    Ok(())
}
