//! QEMU's side: messages of `x-pci-proxy-dev`. A message is a command, a size, and a payload; descriptors of files come with
//! its first byte.

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::io::{Error, ErrorKind, IoSliceMut, Read, Result, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

const HEADER_BYTES: usize = 16;
/// As many as a message of memory regions may carry.
const REGIONS: usize = 8;

/// What QEMU asks.
#[derive(Debug)]
pub enum Request {
    /// The guest's memory: address, bytes, offset and file of each region.
    Memory(Vec<(u64, u64, u64, OwnedFd)>),
    /// A write to configuration space.
    ConfigWrite {
        /// Offset.
        at: u64,
        /// Value.
        value: u32,
        /// Bytes.
        bytes: usize,
    },
    /// A read from it.
    ConfigRead {
        /// Offset.
        at: u64,
        /// Bytes.
        bytes: usize,
    },
    /// A write to an address in a BAR.
    Write {
        /// Absolute address.
        address: u64,
        /// Value.
        value: u64,
        /// Bytes.
        bytes: usize,
    },
    /// A read from one.
    Read {
        /// Absolute address.
        address: u64,
        /// Bytes.
        bytes: usize,
    },
    /// Event descriptors for INTx, which the engine has not.
    Interrupts,
    /// The machine is reset.
    Reset,
}

impl Request {
    /// True where QEMU waits for [`answer`].
    pub fn wants_answer(&self) -> bool {
        !matches!(self, Request::Memory(_) | Request::Interrupts)
    }
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    data.iter().skip(at).take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u64_at(data, at) as u32
}

/// The next request.
///
/// # Errors
/// QEMU has gone, or sends what is not known here.
pub fn next(socket: &mut UnixStream) -> Result<Request> {
    let mut header = [0; HEADER_BYTES];
    let files = receive(socket, &mut header)?;
    let size = u64_at(&header, 8) as usize;
    if size > 4096 {
        return Err(Error::new(ErrorKind::InvalidData, format!("a message of {size} bytes")));
    }
    let mut data = vec![0; size];
    socket.read_exact(&mut data)?;
    let request = match u32_at(&header, 0) {
        0 => {
            let word = |field: usize, region: usize| u64_at(&data, (field * REGIONS + region) * 8);
            let regions = files.into_iter().take(REGIONS).enumerate();
            Request::Memory(regions.map(|(i, file)| (word(0, i), word(1, i), word(2, i), file)).collect())
        }
        2 => Request::ConfigWrite {
            at: u32_at(&data, 0).into(),
            value: u32_at(&data, 4),
            bytes: u32_at(&data, 8) as usize,
        },
        3 => Request::ConfigRead { at: u32_at(&data, 0).into(), bytes: u32_at(&data, 8) as usize },
        4 => Request::Write { address: u64_at(&data, 0), value: u64_at(&data, 8), bytes: u32_at(&data, 16) as usize },
        5 => Request::Read { address: u64_at(&data, 0), bytes: u32_at(&data, 16) as usize },
        6 => Request::Interrupts,
        7 => Request::Reset,
        other => return Err(Error::new(ErrorKind::InvalidData, format!("message {other} is not known"))),
    };
    Ok(request)
}

/// Answers a request that waits for it.
///
/// # Errors
/// Those of the socket.
pub fn answer(socket: &mut UnixStream, value: u64) -> Result<()> {
    let mut message = [0; HEADER_BYTES + 8];
    message[0] = 1;
    message[8] = 8;
    message[HEADER_BYTES..].copy_from_slice(&value.to_le_bytes());
    socket.write_all(&message)
}

/// Fills `buffer`; the files that came with it.
fn receive(socket: &UnixStream, buffer: &mut [u8]) -> Result<Vec<OwnedFd>> {
    let (mut files, mut at) = (Vec::new(), 0);
    while at < buffer.len() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(REGIONS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let got = recvmsg(socket, &mut [IoSliceMut::new(&mut buffer[at..])], &mut control, RecvFlags::CMSG_CLOEXEC)?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                files.extend(received);
            }
        }
        if got.bytes == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        at += got.bytes;
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;

    fn message(command: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        (bytes[0], bytes[8]) = (command, payload.len() as u8);
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn are_accesses_decoded_and_answered() {
        let (mut qemu, mut device) = UnixStream::pair().unwrap();
        let mut access = [0; 24];
        access[..8].copy_from_slice(&0xfe00_0100u64.to_le_bytes());
        access[8..16].copy_from_slice(&7u64.to_le_bytes());
        access[16] = 8;
        qemu.write_all(&message(4, &access)).unwrap();
        qemu.write_all(&message(3, &[0x10, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0])).unwrap();
        let write = next(&mut device).unwrap();
        assert!(matches!(write, Request::Write { address: 0xfe00_0100, value: 7, bytes: 8 }), "{write:?}");
        let read = next(&mut device).unwrap();
        assert!(matches!(read, Request::ConfigRead { at: 0x10, bytes: 4 }) && read.wants_answer(), "{read:?}");
        answer(&mut device, 0x1234).unwrap();
        let mut reply = [0; 24];
        qemu.read_exact(&mut reply).unwrap();
        assert_eq!((reply[0], reply[8], u64_at(&reply, 16)), (1, 8, 0x1234));
        drop(qemu);
        assert!(next(&mut device).is_err(), "QEMU has gone");
    }
}
