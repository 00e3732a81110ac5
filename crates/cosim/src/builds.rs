// The builds of the engine that are compiled in: read by `build.rs`, which compiles them, and by the crate, which
// chooses among them. A line more is a build more (and some ten seconds of compiling).

/// The parameters of one build of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// Width of its datapath, bits.
    pub width: u64,
    /// Reads in flight.
    pub tags: u64,
    /// Size of its completion buffer, bytes.
    pub completion_buffer: u64,
}

/// The largest MPS of every build, bytes.
pub const MAX_PAYLOAD: u64 = 512;
/// The largest MRRS of every build, bytes.
pub const MAX_REQUEST: u64 = 4096;
/// The address bits of the card-to-card window of every build.
pub const WINDOW_BITS: u32 = 20;

/// All of them.
pub const BUILDS: [Build; 3] = [
    Build { width: 64, tags: 32, completion_buffer: 16384 },
    Build { width: 64, tags: 1, completion_buffer: 16384 },
    Build { width: 128, tags: 32, completion_buffer: 16384 },
];
