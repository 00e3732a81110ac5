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

/// The parameters of one build of the NVMe host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBuild {
    /// Width of its datapath, bits.
    pub width: u64,
    /// Commands in flight.
    pub commands: u64,
    /// Its two buffers, of what is read and of what is written, bytes each.
    pub buffer: u64,
    /// The longest command that it gives a drive, bytes.
    pub command: u64,
}

/// Where the memory of every build lies in the address space of its drive: where the system has that of a host.
pub const HOST_MEMORY: u64 = 0x1000_0000;
/// Where every build puts BAR 0 of its drive.
pub const HOST_BAR: u64 = 0xe000_0000;

/// All of them.
pub const HOST_BUILDS: [HostBuild; 1] = [HostBuild { width: 128, commands: 32, buffer: 65536, command: 16384 }];
