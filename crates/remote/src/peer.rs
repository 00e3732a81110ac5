//! The guest's other card, as a switch above both would reach it: a posted write of one whose address lies in a BAR of the
//! other becomes a TLP of that one. The two processes meet at a socket in the file system, whichever comes first. Reads do not
//! go this way: they are answered with Unsupported Request, as the window (BAR 2) would by itself.
//!
//! | word | meaning |
//! |---|---|
//! | credit | leave for one posted write. A card has [`CREDITS`] at first, and gets one back when the other's engine has taken the TLP, so that one that stalls stalls its sender, and nothing is ever dropped for want of room |
//!
//! A message is 16 bytes: kind, length (4 bytes at 4) and address (8 bytes at 8), then the payload.

use crate::config::Config;
use std::collections::VecDeque;
use std::io::{Read, Result, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Posted writes that may be on their way to the other card.
const CREDITS: usize = 64;
/// Credits that are given back together.
const BATCH: usize = 16;
const HEADER_BYTES: usize = 16;
/// More than the longest payload.
const LONGEST: usize = 4096;
/// Until two cards that begin at once have met.
const MEETING: Duration = Duration::from_secs(10);

/// What the other card has to say.
#[derive(Debug)]
pub enum Said {
    /// It is there: this is the way to it.
    Came(UnixStream),
    /// It writes: BARs that are hit, address, bytes.
    Write(u8, u64, Vec<u8>),
    /// It has taken so many writes.
    Taken(usize),
    /// It has gone.
    Gone,
}

const WRITE: u8 = 0;
const TAKEN: u8 = 1;

/// This card's end of the way.
#[derive(Debug)]
pub struct End {
    socket: Option<UnixStream>,
    /// Writes that may be sent.
    credits: usize,
    /// Writes of the other card that the engine has not taken, by how many TLPs had been given to it with each.
    came: VecDeque<u64>,
    /// Credits that are to be given back.
    owed: usize,
}

impl Default for End {
    fn default() -> End {
        End { socket: None, credits: CREDITS, came: VecDeque::new(), owed: 0 }
    }
}

impl End {
    /// A write could be sent.
    pub fn has_credits(&self) -> bool {
        self.credits > 0
    }

    /// What is no write: the other card comes, goes, or has taken something.
    pub fn hear(&mut self, said: Said) {
        match said {
            Said::Came(socket) => (self.socket, self.credits) = (Some(socket), CREDITS),
            Said::Gone => (self.socket, self.credits) = (None, CREDITS),
            Said::Taken(count) => self.credits += count,
            Said::Write(..) => {}
        }
    }

    /// A write of the other card is the last of `given` TLPs for the engine.
    pub fn came(&mut self, given: u64) {
        self.came.push_back(given);
    }

    /// Gives credits back for what is among the first `taken` TLPs.
    pub fn settle(&mut self, taken: u64) {
        let count = self.came.iter().take_while(|given| **given <= taken).count();
        self.came.drain(..count);
        self.owed += count;
        if self.owed >= BATCH {
            if let Some(socket) = &self.socket {
                // Where it has gone, its thread says so.
                let _ = self::taken(socket, self.owed);
            }
            self.owed = 0;
        }
    }

    /// Sends a write that is for no memory.
    pub fn write(&mut self, address: u64, data: &[u8]) {
        match &self.socket {
            Some(socket) if write(socket, address, data).is_ok() => self.credits = self.credits.saturating_sub(1),
            _ => eprintln!("lanescope-remote: a write to {address:#x}, where nothing is"),
        }
    }
}

/// Sends a posted write.
///
/// # Errors
/// Those of the socket.
fn write(mut socket: &UnixStream, address: u64, data: &[u8]) -> Result<()> {
    let mut message = vec![0; HEADER_BYTES];
    message[0] = WRITE;
    message[4..8].copy_from_slice(&(data.len() as u32).to_le_bytes());
    message[8..16].copy_from_slice(&address.to_le_bytes());
    message.extend_from_slice(data);
    socket.write_all(&message)
}

/// Gives credits back.
///
/// # Errors
/// Those of the socket.
fn taken(mut socket: &UnixStream, count: usize) -> Result<()> {
    let mut message = [0; HEADER_BYTES];
    message[0] = TAKEN;
    message[8..].copy_from_slice(&(count as u64).to_le_bytes());
    socket.write_all(&message)
}

/// Meets the other card at `place`, and then tells what it says, in a thread of its own. An address that lies in no BAR of
/// this card is told of on standard error.
pub fn spawn(place: PathBuf, config: Arc<Mutex<Config>>, tell: impl Fn(Said) + Send + 'static) {
    std::thread::spawn(move || {
        let result = meet(&place).and_then(|socket| {
            tell(Said::Came(socket.try_clone()?));
            listen(socket, &config, &tell)
        });
        if let Err(error) = result {
            eprintln!("lanescope-remote: the other card: {error}");
        }
        tell(Said::Gone);
    });
}

/// The first to come waits for the other.
fn meet(place: &Path) -> Result<UnixStream> {
    let begun = Instant::now();
    loop {
        if let Ok(socket) = UnixStream::connect(place) {
            return Ok(socket);
        }
        match UnixListener::bind(place) {
            Ok(listener) => return listener.accept().map(|(socket, _)| socket),
            // Between the other's beginning to listen and the end of that.
            Err(_) if begun.elapsed() < MEETING => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return Err(error),
        }
    }
}

/// Until the other card has gone.
fn listen(mut socket: UnixStream, config: &Mutex<Config>, tell: &impl Fn(Said)) -> Result<()> {
    let mut header = [0; HEADER_BYTES];
    while socket.read_exact(&mut header).is_ok() {
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let value = header[8..].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        if header[0] == TAKEN {
            tell(Said::Taken(value as usize));
            continue;
        }
        if length > LONGEST {
            return Err(std::io::Error::other(format!("a write of {length} bytes")));
        }
        let mut data = vec![0; length];
        socket.read_exact(&mut data)?;
        let hit = config.lock().unwrap_or_else(PoisonError::into_inner).decode(value);
        if let Some((bars, _)) = hit {
            tell(Said::Write(bars, value, data));
        } else {
            eprintln!("lanescope-remote: a write to {value:#x}, which is in no memory and no card");
            taken(&socket, 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;
    use crate::counters::Counters;
    use std::sync::mpsc;

    fn config(window: u32) -> Arc<Mutex<Config>> {
        let mut config = Config::new(Arc::<Counters>::default());
        config.write(0x18, window, 4);
        config.write(0x04, 6, 2);
        Arc::new(Mutex::new(config))
    }

    fn came(told: &mpsc::Receiver<Said>) -> UnixStream {
        match told.recv().unwrap() {
            Said::Came(socket) => socket,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn do_two_cards_meet_and_does_a_write_reach_the_bar_that_it_hits_and_no_other() {
        let place = std::env::temp_dir().join(format!("lanescope-peer-{}", std::process::id()));
        let _ = std::fs::remove_file(&place);
        let told = [0xfd00_0000u32, 0xfe00_0000].map(|window| {
            let (tell, told) = mpsc::channel();
            spawn(place.clone(), config(window), move |said| tell.send(said).unwrap_or_default());
            told
        });
        let sockets = [came(&told[0]), came(&told[1])];
        write(&sockets[0], 0xfe08_0004, b"frame").unwrap();
        let said = told[1].recv().unwrap();
        assert!(matches!(&said, Said::Write(4, 0xfe08_0004, data) if data == b"frame"), "{said:?}");
        taken(&sockets[1], 3).unwrap();
        assert!(matches!(told[0].recv().unwrap(), Said::Taken(3)));
        // In nobody's BAR: its credit comes back, and nothing else.
        write(&sockets[1], 0xfe08_0004, b"lost").unwrap();
        assert!(matches!(told[1].recv().unwrap(), Said::Taken(1)));
        sockets[0].shutdown(std::net::Shutdown::Both).unwrap();
        assert!(matches!(told[1].recv().unwrap(), Said::Gone));
        std::fs::remove_file(place).unwrap();
    }
}
