//! What can be wrong with a drive or a load.

use miette::Diagnostic;
use std::io;

/// See the module.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum Error {
    /// What is measured is no channel of a card.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Card(#[from] card::Error),
    /// A run ended before anything counted, and nobody interrupted it.
    #[error("a run ended before anything counted")]
    #[diagnostic(help(
        "its threads had no processor in time: let less run beside it, or measure for longer with `--time`"
    ))]
    Unseen,
    /// The path cannot be opened.
    #[error("{path} cannot be opened")]
    Open {
        /// As it was given.
        path: String,
        /// The kernel's reason.
        source: io::Error,
        /// What would be right.
        #[help]
        help: &'static str,
    },
    /// The path is not something that blocks are read from.
    #[error("{path} is {what}")]
    #[diagnostic(help("name a block device, as in /dev/nvme0n1, or a file"))]
    Kind {
        /// As it was given.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// The drive has less than one block of the load.
    #[error("{path} has {bytes} bytes, less than one block of {block}")]
    #[diagnostic(help("name a longer file, or shorter blocks"))]
    Short {
        /// As it was given.
        path: String,
        /// Its size.
        bytes: u64,
        /// The block.
        block: u64,
    },
    /// A block that the drive cannot be asked for.
    #[error("a block of {block} bytes does not fit {path}, whose logical blocks have {logical}")]
    #[diagnostic(help("write a multiple of the logical block"))]
    Block {
        /// The path.
        path: String,
        /// The block.
        block: u64,
        /// The logical block.
        logical: u64,
    },
    /// The kernel gives no ring.
    #[error("the kernel gives no io_uring")]
    #[diagnostic(help(
        "io_uring may be disabled: see `sysctl kernel.io_uring_disabled`, or the limits of a container"
    ))]
    Ring {
        /// The kernel's reason.
        source: io::Error,
    },
    /// The kernel gives no queue of asynchronous calls, for a channel of a card.
    #[error("the kernel gives no queue of asynchronous calls")]
    #[diagnostic(help("others may have all of them: see `sysctl fs.aio-nr fs.aio-max-nr`"))]
    Asynchronous {
        /// The kernel's reason.
        source: io::Error,
    },
    /// Ends of blocks were to be looked for at a device that has no queues for that.
    #[error("{path} has no poll queues")]
    #[diagnostic(help(
        "leave --poll out; NVMe drives have them after `nvme.poll_queues=N` at the start of the kernel: see `queue/io_poll` in sysfs"
    ))]
    Poll {
        /// As it was given.
        path: String,
    },
    /// A card may not write to another one.
    #[error("{name}: the kernel does not know that one card reaches the other")]
    #[diagnostic(help(
        "it wants a kernel with CONFIG_PCI_P2PDMA, and cards below one switch without ACS redirection, or a host bridge that the \
         kernel knows to forward: see the kernel's log (`dmesg`)"
    ))]
    Pair {
        /// The cards.
        name: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// A transfer from card to card failed, or was cut.
    #[error("{name}: a transfer from card to card failed")]
    #[diagnostic(help(
        "the runs before this one are kept; `counters/last_cause` of the channel that sends has the engine's cause, the kernel's \
         log more"
    ))]
    Peers {
        /// The cards.
        name: String,
        /// The kernel's reason, or how many bytes were moved.
        source: io::Error,
    },
    /// Other bytes came than were sent.
    #[error("{name}: frame {number} of {block} bytes came with {got} bytes, or with others than were sent")]
    #[diagnostic(help(
        "the other card's last channel has to give what arrives at its window, and nothing else: a reset of both cards empties \
         their designs"
    ))]
    Bytes {
        /// The cards.
        name: String,
        /// Its number, from 0 on.
        number: u64,
        /// Bytes that came.
        got: usize,
        /// Bytes that were sent.
        block: usize,
    },
    /// The driver's setting for calls that look for their end cannot be changed.
    #[error("how long calls of {path} look for their end cannot be set")]
    #[diagnostic(help("it is `settings/poll_us` of the channel in sysfs, which root may write"))]
    Setting {
        /// As it was given.
        path: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// Both directions of a number were to be used in turn.
    #[error("{path} runs without the other direction of its number")]
    #[diagnostic(help("a thread that reads and then writes wants both: name c2hK and h2cK of the card, or the card"))]
    Alone {
        /// As it was given.
        path: String,
    },
    /// The drive is not to be written.
    #[error("{path} is not written: {why}")]
    Used {
        /// As it was given.
        path: String,
        /// Why not.
        why: String,
        /// What would be right.
        #[help]
        help: &'static str,
    },
    /// The file to write to cannot be made.
    #[error("{path} cannot be made")]
    #[diagnostic(help("name a file that is not there yet, on a disk with room for it, and a size such as 4GiB"))]
    Make {
        /// As it was given.
        path: String,
        /// The kernel's reason.
        source: io::Error,
    },
    /// A read or a write failed.
    #[error("{path}: a {what} of {block} bytes at {at} failed")]
    #[diagnostic(help("the drives that were measured before are kept; see the kernel's log (`dmesg`)"))]
    Failed {
        /// The path.
        path: String,
        /// `read` or `write`.
        what: &'static str,
        /// The block.
        block: u64,
        /// Where.
        at: u64,
        /// The kernel's reason.
        source: io::Error,
    },
    /// A transfer of a channel failed, or was cut.
    #[error("{path}: a transfer of {block} bytes failed")]
    #[diagnostic(help(
        "the runs before this one are kept; `counters/last_cause` of the channel in sysfs has the engine's cause, the kernel's log more"
    ))]
    Transfer {
        /// The path.
        path: String,
        /// Bytes that were to be moved.
        block: u64,
        /// The kernel's reason, or how many bytes were moved.
        source: io::Error,
    },
    /// The file or the drive ended before its size.
    #[error("{path}: a {what} of {block} bytes at {at} gave {got}")]
    #[diagnostic(help("the file became shorter in the meantime, or its disk is full"))]
    Torn {
        /// The path.
        path: String,
        /// `read` or `write`.
        what: &'static str,
        /// The block.
        block: u64,
        /// Where.
        at: u64,
        /// What came.
        got: u64,
    },
}
