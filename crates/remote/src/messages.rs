//! MSI-X messages on their way into the guest, by QEMU's test socket. One such socket serves all devices of a guest, so that
//! a lock on a file keeps their requests apart.
//!
//! A thread of its own sends them: QEMU answers a request only while no register access waits for this device.

use crate::counters::{Counters, Fault};
use crate::iommu::Iommu;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

/// Messages of memory writes to these addresses are interrupts (x86).
pub const INTERRUPTS: std::ops::Range<u64> = 0xfee0_0000..0xfef0_0000;

/// What is to be done by the test socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// An interrupt: address and data, as the card sends them.
    Interrupt(u64, u32),
    /// A look at the registers of the IOMMU.
    Look,
}

/// Sends all messages until there are no senders, or QEMU has gone.
///
/// # Errors
/// Those of the socket and of the lock.
pub fn send(
    all: &Receiver<Message>,
    socket: &mut UnixStream,
    lock: &File,
    counters: &Counters,
    iommu: &Iommu,
) -> std::io::Result<()> {
    let mut ask = |text: &str| {
        flock(lock, FlockOperation::LockExclusive)?;
        let answer = ask(socket, text);
        flock(lock, FlockOperation::Unlock)?;
        answer
    };
    for message in all {
        let Message::Interrupt(address, data) = message else {
            iommu.look(|at| number(&ask(&format!("readq {at:#x}\n"))?))?;
            continue;
        };
        if counters.strikes(Fault::LostInterrupt) {
            continue;
        }
        let Some((address, data)) = iommu.interrupt(address, data) else {
            counters.block();
            continue;
        };
        ask(&format!("writel {address:#x} {data:#x}\n"))?;
        counters.messages.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// [`send`] in a thread.
pub fn spawn(all: Receiver<Message>, mut socket: UnixStream, lock: File, counters: Arc<Counters>, iommu: Arc<Iommu>) {
    std::thread::spawn(move || {
        if let Err(error) = send(&all, &mut socket, &lock, &counters, &iommu) {
            eprintln!("lanescope-remote: the test socket: {error}");
        }
    });
}

/// One request, and QEMU's answer to it.
fn ask(socket: &mut UnixStream, request: &str) -> std::io::Result<String> {
    socket.write_all(request.as_bytes())?;
    let (mut byte, mut answer) = ([0], String::new());
    while byte[0] != b'\n' {
        socket.read_exact(&mut byte)?;
        answer.push(byte[0].into());
    }
    Ok(answer)
}

/// The number of an answer to a read.
fn number(answer: &str) -> std::io::Result<u64> {
    let digits = answer.trim().strip_prefix("OK 0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    digits.ok_or_else(|| std::io::Error::other(format!("an answer to a read is {answer:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_number_read_from_an_answer_and_from_nothing_else() {
        assert_eq!(number("OK 0x00000000fed90010\n").ok(), Some(0xfed9_0010));
        assert!(["FAIL Unknown command\n", "OK\n", "OK 0x\n"].iter().all(|answer| number(answer).is_err()));
    }
}
