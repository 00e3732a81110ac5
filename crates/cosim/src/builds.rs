// The builds of the engine that are compiled in: read by `build.rs`, which compiles them, and by the crate, which
// chooses among them. A line more is a build more (and some ten seconds of compiling).

/// What one build of the engine was elaborated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// Bits of its datapath.
    pub width: u64,
    /// Reads in flight.
    pub tags: u64,
    /// Bytes of its completion buffer.
    pub completion_buffer: u64,
}

/// The largest MPS and MRRS of every build, and the bits of its card-to-card window.
pub const MAX_PAYLOAD: u64 = 512;
/// See [`MAX_PAYLOAD`].
pub const MAX_REQUEST: u64 = 4096;
/// See [`MAX_PAYLOAD`].
pub const WINDOW_BITS: u32 = 20;

/// All of them.
pub const BUILDS: [Build; 3] = [
    Build { width: 64, tags: 32, completion_buffer: 16384 },
    Build { width: 64, tags: 1, completion_buffer: 16384 },
    Build { width: 128, tags: 32, completion_buffer: 16384 },
];
