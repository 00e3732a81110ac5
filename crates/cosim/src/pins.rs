//! The pins of the engine: its inputs before a rising edge, and its outputs at that edge. The layout is that of the
//! structs in `cpp/model.cpp`. Data of 64 bits uses the first word.

/// Host to card, card to host, card to card.
pub const CHANNELS: usize = 3;

/// What goes in.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// The block's receive stream.
    pub rx_data: [u64; 2],
    /// Card to host.
    pub c2h_data: [u64; 2],
    /// Card to card, transmit direction.
    pub p2p_data: [u64; 2],
    /// Commands.
    pub cmd_addr: [u64; CHANNELS],
    /// Their lengths.
    pub cmd_len: [u32; CHANNELS],
    /// `m_axis_rx_tuser`.
    pub rx_user: u32,
    /// Bus, device and function number.
    pub id: u16,
    /// Device Control.
    pub dcommand: u16,
    /// Bytes that count.
    pub rx_keep: u16,
    /// Bytes that count.
    pub c2h_keep: u16,
    /// Bytes that count.
    pub p2p_keep: u16,
    /// MSI-X Enable.
    pub msix_enable: bool,
    /// The block accepts a beat.
    pub tx_ready: bool,
    /// The block shows a beat.
    pub rx_valid: bool,
    /// The last of a TLP.
    pub rx_last: bool,
    /// How many TLPs fit into the block's transmit buffer.
    pub tx_buf_av: u8,
    /// A command is offered.
    pub cmd_valid: [bool; CHANNELS],
    /// It ends a frame.
    pub cmd_eof: [bool; CHANNELS],
    /// The design accepts a beat.
    pub h2c_ready: bool,
    /// The design accepts a beat.
    pub win_ready: bool,
    /// The design shows a beat.
    pub c2h_valid: bool,
    /// The last of a frame.
    pub c2h_last: bool,
    /// The design shows a beat.
    pub p2p_valid: bool,
    /// The last of a frame.
    pub p2p_last: bool,
    /// True where the ping-pong drives the card-to-card ports; the inputs here are then ignored.
    pub pingpong: bool,
}

/// The output pins.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Out {
    /// The block's transmit stream.
    pub tx_data: [u64; 2],
    /// Host to card.
    pub h2c_data: [u64; 2],
    /// Card to card, receive direction.
    pub win_data: [u64; 2],
    /// Bytes that count.
    pub tx_keep: u16,
    /// Bytes that count.
    pub h2c_keep: u16,
    /// Bytes that count.
    pub win_keep: u16,
    /// A beat of a TLP.
    pub tx_valid: bool,
    /// The last of it.
    pub tx_last: bool,
    /// The engine accepts the block's beat.
    pub rx_ready: bool,
    /// The engine accepts the command.
    pub cmd_ready: [bool; CHANNELS],
    /// A command has ended.
    pub done_valid: [bool; CHANNELS],
    /// How: 0 well.
    pub done_cause: [u8; CHANNELS],
    /// A beat.
    pub h2c_valid: bool,
    /// The last of a frame.
    pub h2c_last: bool,
    /// Bytes of the frame are missing.
    pub h2c_error: bool,
    /// A beat.
    pub win_valid: bool,
    /// The last of a frame.
    pub win_last: bool,
    /// Bytes of the frame are missing.
    pub win_error: bool,
    /// The engine accepts the design's beat.
    pub c2h_ready: bool,
    /// The engine accepts the design's beat.
    pub p2p_ready: bool,
    /// The ping-pong's timer is running.
    pub pingpong_busy: bool,
}
