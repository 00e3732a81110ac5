//! The operations of drives.

use system::operation::{End, Moves, Operation};

/// Drive to host memory: the drive writes it.
pub const DISK_READ: Operation =
    Operation::new("disk-read", (End::Card, End::Host), Moves::Writes, "a drive to the host: `ssd -> host`").queued();

/// Host memory to drive: the drive reads it.
pub const DISK_WRITE: Operation =
    Operation::new("disk-write", (End::Host, End::Card), Moves::Reads, "the host to a drive: `host -> ssd`").queued();
