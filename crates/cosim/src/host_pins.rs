//! The ports of the NVMe host: its inputs before a rising edge, and its outputs at that edge. The layout is that of the
//! structs in `cpp/nvme_host.cpp`. Fields of a beat hold only where its `valid` is set.

/// What goes in.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// A beat of a received TLP.
    pub rx_data: [u64; 2],
    /// A beat of write data.
    pub s_data: [u64; 2],
    /// Of a request: its address; of a completion: Lower Address.
    pub rx_addr: u64,
    /// The first block of a user command.
    pub cmd_lba: u64,
    /// Its blocks less one.
    pub cmd_blocks: u32,
    /// Length of the received TLP, DW.
    pub rx_len: u16,
    /// Who asks.
    pub rx_id: u16,
    /// Of a completion: Byte Count.
    pub rx_count: u16,
    /// Tag of the user command.
    pub cmd_tag: u16,
    /// Tag of the received TLP.
    pub rx_tag: u8,
    /// Of a completion: its status.
    pub rx_status: u8,
    /// A beat of a request is shown.
    pub rx_request: bool,
    /// A beat of a completion is shown.
    pub rx_completion: bool,
    /// The first of its TLP.
    pub rx_first: bool,
    /// The last of its TLP.
    pub rx_last: bool,
    /// The request is a write.
    pub rx_write: bool,
    /// The block takes a request of the host.
    pub rq_ready: bool,
    /// The block takes a beat of a completion.
    pub cpl_ready: bool,
    /// A user command is offered.
    pub cmd_valid: bool,
    /// It writes the drive.
    pub cmd_write: bool,
    /// A beat of write data is offered.
    pub s_valid: bool,
    /// A beat of read data is taken.
    pub m_ready: bool,
}

/// What comes out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Out {
    /// A beat of a completion.
    pub cpl_data: [u64; 2],
    /// A beat of read data.
    pub m_data: [u64; 2],
    /// Address of a request; of a configuration request, its function and register.
    pub rq_addr: u64,
    /// Blocks of the drive.
    pub size: u64,
    /// The DW of a request that writes.
    pub rq_data: u32,
    /// Length of the completion, DW.
    pub cpl_len: u16,
    /// Whom it answers.
    pub cpl_id: u16,
    /// Byte Count.
    pub cpl_count: u16,
    /// The drive's status of the command that has ended.
    pub done_status: u16,
    /// Its tag.
    pub done_tag: u16,
    /// Bytes that count.
    pub m_keep: u16,
    /// The host takes the received beat.
    pub rx_ready: bool,
    /// A request.
    pub rq_valid: bool,
    /// It is a configuration request.
    pub rq_cfg: bool,
    /// It writes.
    pub rq_write: bool,
    /// Its tag.
    pub rq_tag: u8,
    /// A beat of a completion.
    pub cpl_valid: bool,
    /// The first of its TLP.
    pub cpl_first: bool,
    /// The last of its TLP.
    pub cpl_last: bool,
    /// Lower Address.
    pub cpl_lower: u8,
    /// The tag of the request.
    pub cpl_tag: u8,
    /// Completion Status.
    pub cpl_status: u8,
    /// The host takes the user command.
    pub cmd_ready: bool,
    /// A user command has ended.
    pub done_valid: bool,
    /// Why it failed; 0 where it did not.
    pub done_why: u8,
    /// The host takes the beat of write data.
    pub s_ready: bool,
    /// A beat of read data.
    pub m_valid: bool,
    /// The last of its user command.
    pub m_last: bool,
    /// The data is not that of the drive.
    pub m_error: bool,
    /// The drive is up.
    pub run: bool,
    /// The drive was given up.
    pub dead: bool,
    /// A TLP that nobody waits for.
    pub stray: bool,
    /// The step of the bring-up.
    pub step: u8,
    /// Why it failed.
    pub why: u8,
}
