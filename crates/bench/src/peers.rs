//! From card to card: a channel of one card writes to the window of another card, through the driver's dma-bufs.
//!
//! `depth` threads make transfers of a block; each is a frame of the other card. Where the sending design is a loopback, a thread
//! gives it its frames; where the other design gives what arrives to its host, another thread takes them, and compares the bytes of
//! each: no two frames that follow each other are alike. Then as many frames are under way as the window has room for beside what
//! it holds already, because a window that is full stops the card's own descriptors. What was begun is ended, so that nothing stays in the designs.
//!
//! Whether a pair may is the kernel's to say ([`Error::Pair`]); the first frame is given when the engine has been asked to send it.

use crate::calls::{PAGE, memory};
use crate::drive::Drive;
use crate::error::Error;
use crate::plan::{Load, Pair};
use crate::stop::Stop;
use crate::tally::{Counted, Course, Tally};
use card::Channel;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between two looks at what others have done.
const PAUSE: Duration = Duration::from_micros(100);

/// What sends to a window.
pub(crate) trait Sends: Sync {
    /// A transfer of so many bytes, which waits for them.
    fn send(&self, bytes: u64) -> io::Result<u64>;
    /// How much the engine has been asked for so far: it grows with each transfer.
    fn asked(&self) -> io::Result<u64>;
    /// The channel that it sends by, where there is one.
    fn file(&self) -> Option<BorrowedFd<'_>>;
}

/// The channel of a card, and the window of another one.
pub(crate) struct Far {
    channel: Channel,
    window: OwnedFd,
}

impl Far {
    /// Opens both.
    ///
    /// # Errors
    /// They cannot be opened, or no window is given.
    pub fn open(drives: &[Drive], pair: &Pair) -> Result<Far, Error> {
        let path = |at: usize| drives.get(at).map_or("", |drive| drive.path.as_str());
        let channel = Channel::open(path(pair.from))?;
        let window = Channel::open(path(pair.to))?.window().map_err(|source| refused(pair, source))?;
        Ok(Far { channel, window })
    }
}

impl Sends for Far {
    fn send(&self, bytes: u64) -> io::Result<u64> {
        Ok(self.channel.transfer(&self.window, 0, bytes)? as u64)
    }

    fn asked(&self) -> io::Result<u64> {
        Ok(self.channel.info()?.descriptors)
    }

    fn file(&self) -> Option<BorrowedFd<'_>> {
        Some(self.channel.as_fd())
    }
}

/// The error of a pair, or of its transfers.
fn refused(pair: &Pair, source: io::Error) -> Error {
    let name = pair.name.clone();
    match source.raw_os_error() {
        Some(libc::EOPNOTSUPP) => Error::Pair { name, source },
        _ => Error::Peers { name, source },
    }
}

/// How many frames were given to the sending card, begun and taken; none are begun after the end that are not given.
#[derive(Default)]
struct Frames {
    given: u64,
    begun: u64,
    asked: u64,
    taken: u64,
    closing: bool,
    all_given: bool,
    failed: bool,
}

/// See the module.
pub(crate) struct Between<'a> {
    pub pair: &'a Pair,
    pub sends: &'a dyn Sends,
    /// To the sending card.
    pub give: Option<&'a File>,
    /// From the other one, of what was given.
    pub take: Option<&'a File>,
    pub load: Load,
    pub stop: Stop<'a>,
    frames: Mutex<Frames>,
}

impl<'a> Between<'a> {
    /// Transfers of a load.
    pub fn new(
        pair: &'a Pair,
        sends: &'a dyn Sends,
        (give, take): (Option<&'a File>, Option<&'a File>),
        load: Load,
    ) -> Between<'a> {
        let files = [give, take].into_iter().flatten().map(AsFd::as_fd).chain(sends.file()).collect();
        Between {
            pair,
            sends,
            give,
            take,
            load,
            stop: Stop::new(load.depth as usize + 2, files),
            frames: Mutex::default(),
        }
    }

    fn frames(&self) -> MutexGuard<'_, Frames> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True where a thread has failed, and the others are to end.
    pub fn has_failed(&self) -> bool {
        self.frames().failed
    }

    /// Waits for what `step` waits for (`Some(None)`: it never comes).
    fn when<T>(&self, step: impl Fn(&mut Frames) -> Option<Option<T>>) -> Option<T> {
        loop {
            let done = {
                let mut frames = self.frames();
                if frames.failed || self.stop.is_set() { Some(None) } else { step(&mut frames) }
            };
            match done {
                Some(done) => return done,
                None => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Whether another transfer is to begin.
    fn begin(&self) -> bool {
        let block = self.load.block;
        let next = self.when(|frames| {
            // What was given is to be sent, and of what is not given yet nobody knows whether it will be.
            let is_next = self.give.is_none() || frames.begun < frames.given;
            let ends = frames.closing && (self.give.is_none() || frames.all_given && !is_next);
            let is_full =
                self.take.is_some() && (frames.begun.saturating_sub(frames.taken) + 1) * block > Pair::MOST.max(block);
            let waits = frames.closing && !is_next || is_full;
            if !ends && waits {
                return None;
            }
            frames.begun += u64::from(!ends);
            Some((!ends).then_some(()))
        });
        next.is_some()
    }

    /// The number of the next frame for the sending card.
    fn give(&self) -> Option<u64> {
        self.when(|frames| {
            if frames.closing && frames.given >= frames.begun.max(frames.asked) {
                frames.all_given = true;
                return Some(None);
            }
            frames.given += 1;
            Some(Some(frames.given - 1))
        })
    }

    /// The number of the next frame that is to come.
    fn ask(&self) -> Option<u64> {
        self.when(|frames| {
            if frames.closing && frames.asked >= frames.given {
                return frames.all_given.then_some(None);
            }
            frames.asked += 1;
            Some(Some(frames.asked - 1))
        })
    }

    fn fail(&self, error: Error) -> Error {
        self.frames().failed = true;
        error
    }

    /// An error of a transfer; `None` where the run is over, and it was ended for that.
    fn wrong(&self, source: io::Error) -> Option<Error> {
        (!self.stop.is_set()).then(|| self.fail(refused(self.pair, source)))
    }

    /// A call, again where a signal that is none of ours has ended it: nothing has moved then.
    fn unless_interrupted(&self, mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        loop {
            match call() {
                Err(source) if source.kind() == ErrorKind::Interrupted && !self.stop.is_set() => {}
                other => return other,
            }
        }
    }

    /// The run is over: what was begun is to be ended.
    pub fn close(&self) {
        self.frames().closing = true;
    }

    /// Sends until the course is over.
    pub fn send(&self, number: usize, course: &Course<'_>) -> Result<Counted, Error> {
        let _here = self.stop.enter(number);
        course.barrier.wait();
        let mut tally = Tally::new(course, Instant::now(), None);
        let mut calls = 0;
        while self.begin() {
            let since = Instant::now();
            calls += 1;
            let done = self.sends.send(self.load.block);
            let now = Instant::now();
            match done {
                Ok(got) if got == self.load.block || self.give.is_none() && !self.stop.is_set() => {
                    tally.look(now, calls);
                    tally.add(got, true, now - since);
                    if tally.is_over() {
                        self.close();
                    }
                }
                Ok(got) if !self.stop.is_set() => {
                    let source = io::Error::other(format!("it was cut after {got} bytes"));
                    return Err(self.fail(refused(self.pair, source)));
                }
                Ok(_) => break,
                Err(source) if source.kind() == ErrorKind::Interrupted && !self.stop.is_set() => {}
                Err(source) => match self.wrong(source) {
                    Some(error) => return Err(error),
                    None => break,
                },
            }
        }
        tally.cut(Instant::now(), calls);
        Ok(tally.counted())
    }

    /// The frame of that number begins there in a block with [`MORE`] after it.
    fn start(number: u64) -> usize {
        (number % 61) as usize
    }

    /// Gives the sending card its frames, once it has been asked for the first.
    pub fn give_all(&self, number: usize, to: &File, course: &Course<'_>) -> Result<(), Error> {
        let _here = self.stop.enter(number);
        let (frames, from) = memory(self.load.block as usize + MORE, SEED);
        let before = self.sends.asked().map_err(|source| self.fail(refused(self.pair, source)));
        course.barrier.wait();
        let before = before?;
        while self.when(|frames| Some((!frames.closing).then_some(()))).is_some() {
            match self.sends.asked() {
                Ok(now) if now == before => std::thread::sleep(PAUSE),
                Ok(_) => break,
                Err(source) => return self.wrong(source).map_or(Ok(()), Err),
            }
        }
        let mut to = to;
        while let Some(number) = self.give() {
            let from = from + Self::start(number);
            let block = self.load.block as usize;
            match self.unless_interrupted(|| to.write(&frames[from..from + block])) {
                Ok(got) if got == block => {}
                Ok(got) => {
                    let source = io::Error::other(format!("it was cut after {got} bytes"));
                    return self.wrong(source).map_or(Ok(()), Err);
                }
                Err(source) => return self.wrong(source).map_or(Ok(()), Err),
            }
        }
        Ok(())
    }

    /// Takes the frames from the other card, and compares them.
    pub fn take_all(&self, number: usize, from: &File, course: &Course<'_>) -> Result<(), Error> {
        let _here = self.stop.enter(number);
        let (frames, start) = memory(self.load.block as usize + MORE, SEED);
        let block = self.load.block as usize;
        let mut came = vec![0; block + PAGE];
        let at = came.as_ptr().align_offset(PAGE).min(PAGE);
        let mut from = from;
        course.barrier.wait();
        while let Some(number) = self.ask() {
            let got = match self.unless_interrupted(|| from.read(&mut came[at..at + block])) {
                Ok(got) => got,
                Err(source) => return self.wrong(source).map_or(Ok(()), Err),
            };
            let first = start + Self::start(number);
            if (got != block || came[at..at + block] != frames[first..first + block]) && !self.stop.is_set() {
                return Err(self.fail(Error::Bytes { name: self.pair.name.clone(), number, got, block }));
            }
            self.frames().taken += 1;
        }
        Ok(())
    }
}

/// Bytes that frames are moved by, one against another.
const MORE: usize = 64;
/// Frames are random bytes.
const SEED: u64 = 0x6c61_6e65;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::pattern::Pattern;
    use crate::plan::Plan;
    use crate::run::{Looks, by_pair};
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    /// Two loopbacks that are pipes: what was given to the first one goes to the other by a transfer.
    struct Pipes {
        back: File,
        window: File,
        asked: AtomicU64,
        /// The transfer of this number fails, or has a byte that is another.
        fails: Option<(u64, i32)>,
        spoils: Option<u64>,
    }

    impl Sends for Pipes {
        fn send(&self, bytes: u64) -> io::Result<u64> {
            let number = self.asked.fetch_add(1, Ordering::SeqCst);
            if let Some((_, errno)) = self.fails.filter(|(at, _)| *at == number) {
                return Err(io::Error::from_raw_os_error(errno));
            }
            // One call each, as the driver's: a signal ends it, which `read_exact` would begin again. A pipe moves a frame whole.
            let mut frame = vec![0; bytes as usize];
            let got = (&self.back).read(&mut frame)?;
            frame[0] ^= u8::from(self.spoils == Some(number));
            Ok((&self.window).write(&frame[..got])? as u64)
        }

        fn asked(&self) -> io::Result<u64> {
            Ok(self.asked.load(Ordering::SeqCst))
        }

        fn file(&self) -> Option<BorrowedFd<'_>> {
            None
        }
    }

    fn ran(fails: Option<(u64, i32)>, spoils: Option<u64>) -> Result<Counted, Error> {
        let pipe = || {
            let (from, to) = std::io::pipe().unwrap();
            [File::from(OwnedFd::from(from)), File::from(OwnedFd::from(to))]
        };
        let ([back, give], [take, window]) = (pipe(), pipe());
        let pipes = Pipes { back, window, asked: AtomicU64::new(0), fails, spoils };
        let pair = Pair { name: "a -> b".into(), from: 0, to: 1, give: Some(2), take: Some(3) };
        let plan = Plan {
            subsets: Vec::new(),
            pairs: vec![pair.clone()],
            blocks: vec![512],
            // Threads on a pipe would mix their frames, which those at a channel do not.
            depths: vec![1],
            patterns: vec![Pattern::Sequential],
            reads: 100,
            rate: None,
            polls: false,
            calls: Vec::new(),
            warm_up: Duration::from_millis(30),
            time: Duration::from_millis(200),
        };
        let load = plan.points()[0].load;
        let between = Between::new(&pair, &pipes, (Some(&give), Some(&take)), load);
        let begun = Instant::now();
        let done = by_pair(&between, &plan, &AtomicBool::new(false), &mut Looks::new(&[], &mut || ()));
        assert!(begun.elapsed() < Duration::from_secs(2), "nothing is left that has to be given up");
        let frames = between.frames();
        if done.is_ok() {
            assert_eq!([frames.given, frames.begun, frames.asked, frames.taken], [frames.given; 4]);
        }
        Ok(done?.remove(0))
    }

    #[test]
    fn do_frames_go_from_card_to_card_and_is_none_left_on_its_way() {
        let counted = ran(None, None).unwrap();
        assert!(counted.latencies.len() > 10 && counted.parts.iter().sum::<u64>() == 512 * counted.latencies.len());
    }

    #[test]
    fn is_a_pair_that_may_not_told_from_one_that_fails_and_from_bytes_that_are_others() {
        let told = |fails, spoils| ran(fails, spoils).err().unwrap().to_string();
        let refused = told(Some((0, libc::EOPNOTSUPP)), None);
        assert_eq!(refused, "a -> b: the kernel does not know that one card reaches the other");
        assert_eq!(told(Some((5, libc::EIO)), None), "a -> b: a transfer from card to card failed");
        let other = told(None, Some(7));
        assert_eq!(other, "a -> b: frame 7 of 512 bytes came with 512 bytes, or with others than were sent");
    }
}
