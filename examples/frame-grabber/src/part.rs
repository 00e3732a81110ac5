//! What a frame grabber does with time: pixels into the buffer, TLPs out of it.

use crate::{GrabberParams, SENSOR};
use pcie::tlp::{Header, REQUEST_BOUNDARY_BYTES};
use pcie::{Bdf, Time};
use sim::parts::{Arrived, Held, Label, Leaving, Part, PartContext, Payload, Purpose, Sent};
use std::collections::VecDeque;
use system::{Wait, Window};

/// The flow of a grabber.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its place in the scenario.
    pub flow: u32,
    /// By which port it leaves, and as whose TLPs.
    pub port: usize,
    /// See [`Stream::port`].
    pub requester: Bdf,
    /// Bytes of a frame, and of all.
    pub frame: u64,
    /// See [`Stream::frame`].
    pub volume: u64,
    /// Where its frames go.
    pub memory: Window,
}

/// Wake-ups: the last pixel of the next TLP is there; the last symbol of the oldest TLP has left.
const PIXELS: u32 = 0;
const LEFT: u32 = 1;

/// See the module.
pub struct Grabber {
    params: GrabberParams,
    stream: Option<Stream>,
    mps: u64,
    /// Bytes of the flow that have been given to the link.
    offset: u64,
    /// Bytes of TLPs that have not left, all together, and of each that has begun to.
    buffered: u64,
    leaving: VecDeque<u64>,
    /// A TLP whose pixels are there waits for room.
    stalled: bool,
    /// What a TLP that leaves has waited for.
    wait: Wait,
}

impl Grabber {
    /// A grabber that writes TLPs of at most `mps` bytes.
    pub fn new(params: &GrabberParams, stream: Option<Stream>, mps: u64) -> Grabber {
        let (params, wait) = (params.clone(), Wait::own(SENSOR));
        Grabber { params, stream, mps, offset: 0, buffered: 0, leaving: VecDeque::new(), stalled: false, wait }
    }

    /// Bytes of the next TLP: to the end of the frame, of the buffer in memory, and never across 4 KiB.
    fn next(&self, stream: &Stream) -> u64 {
        let at = self.offset % stream.memory.bytes;
        let frame = stream.frame - self.offset % stream.frame;
        let boundary = REQUEST_BOUNDARY_BYTES - (stream.memory.base + at) % REQUEST_BOUNDARY_BYTES;
        let rest = stream.volume.saturating_sub(self.offset);
        self.mps.min(self.params.buffer.0.max(1)).min(frame).min(boundary).min(stream.memory.bytes - at).min(rest)
    }

    /// Asks to be woken when the last pixel of the next TLP is there, from `from` on.
    fn expose(&self, context: &mut PartContext<'_>, from: Time) {
        let Some(stream) = &self.stream else { return };
        let bytes = self.next(stream);
        if bytes == 0 {
            return;
        }
        let blank =
            if self.offset > 0 && self.offset.is_multiple_of(stream.frame) { self.params.blanking } else { Time::ZERO };
        let pixels = Time::from_secs_f64(bytes as f64 / self.params.pixel_rate.0).unwrap_or(Time::FAR).min(Time::FAR);
        context.wake(PIXELS, from.saturating_add(blank).saturating_add(pixels));
    }

    /// The next TLP leaves, if there is room for it.
    fn send(&mut self, context: &mut PartContext<'_>) {
        let Some(stream) = &self.stream else { return };
        let bytes = self.next(stream);
        self.stalled = self.buffered + bytes > self.params.buffer.0;
        if self.stalled {
            return;
        }
        let now = context.now();
        let header = Header::Request {
            write: true,
            address: stream.memory.base + self.offset % stream.memory.bytes,
            bytes,
            requester: stream.requester,
            tag: 0,
        };
        let label = Label { flow: stream.flow, purpose: Purpose::Payload, offset: self.offset };
        let data = Payload::Length(bytes as u32);
        let held = Held::new(self.wait, now);
        context.send(Leaving { port: stream.port, tell: true, held, ..Leaving::new(now, header, data, label) });
        self.buffered += bytes;
        self.offset += bytes;
        self.expose(context, now);
    }
}

impl Part for Grabber {
    fn start(&mut self, context: &mut PartContext<'_>) {
        self.expose(context, context.now());
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        // Stores to its registers change nothing here.
        context.release(arrived.hold, context.now());
    }

    fn wake(&mut self, context: &mut PartContext<'_>, token: u32) {
        if token == LEFT {
            self.buffered -= self.leaving.pop_front().unwrap_or(0);
            if !self.stalled {
                return;
            }
        }
        self.send(context);
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.leaving.push_back(u64::from(sent.payload));
        context.wake(LEFT, sent.end);
        let ends = self.stream.as_ref().is_some_and(|stream| sent.offset + u64::from(sent.payload) == stream.volume);
        if ends {
            context.ended(sent.flow, sent.end);
        }
    }
}
