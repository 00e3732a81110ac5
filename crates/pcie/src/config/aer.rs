//! Advanced Error Reporting (extended id 0001h).

use crate::config::layout::layout;
use crate::config::register::{Register, register};
use crate::config::space::ConfigSpace;

/// The error bits of the uncorrectable error registers, as flags of the register with the given name.
macro_rules! uncorrectable {
    ($(#[$doc:meta])* $name:ident $title:literal) => {
        register! {
            $(#[$doc])* $name $title
            flags {
                /// Data Link Protocol Error.
                dlp "DLP" 4;
                /// Surprise Down Error.
                surprise_down "SDES" 5;
                /// Poisoned TLP Received.
                poisoned "TLP" 12;
                /// Flow Control Protocol Error.
                flow_control "FCP" 13;
                /// Completion Timeout.
                completion_timeout "CmpltTO" 14;
                /// Completer Abort.
                completer_abort "CmpltAbrt" 15;
                /// Unexpected Completion.
                unexpected_completion "UnxCmplt" 16;
                /// Receiver Overflow.
                overflow "RxOF" 17;
                /// Malformed TLP.
                malformed "MalfTLP" 18;
                /// ECRC Error.
                ecrc "ECRC" 19;
                /// Unsupported Request Error.
                unsupported "UnsupReq" 20;
                /// ACS Violation.
                acs_violation "ACSViol" 21;
                /// Uncorrectable Internal Error.
                internal "UncorrIntErr" 22;
                /// MC Blocked TLP.
                multicast_blocked "BlockedTLP" 23;
                /// AtomicOp Egress Blocked.
                atomic_blocked "AtomicOpBlocked" 24;
                /// TLP Prefix Blocked Error.
                prefix_blocked "TLPBlockedErr" 25;
                /// Poisoned TLP Egress Blocked.
                poison_blocked "PoisonTLPBlocked" 26;
                /// DMWr Request Egress Blocked.
                dmwr_blocked "DMWrReqBlocked" 27;
                /// IDE Check Failed.
                ide_check "IDECheck" 28;
                /// Misrouted IDE TLP.
                ide_misrouted "MisIDETLP" 29;
                /// PCRC Check Failed.
                pcrc_check "PCRC_CHECK" 30;
                /// TLP Translation Egress Blocked.
                translation_blocked "TLPXlatBlocked" 31;
            }
            fields {}
        }
    };
}

/// The error bits of the correctable error registers.
macro_rules! correctable {
    ($(#[$doc:meta])* $name:ident $title:literal) => {
        register! {
            $(#[$doc])* $name $title
            flags {
                /// Receiver Error.
                receiver "RxErr" 0;
                /// Bad TLP.
                bad_tlp "BadTLP" 6;
                /// Bad DLLP.
                bad_dllp "BadDLLP" 7;
                /// REPLAY_NUM Rollover.
                rollover "Rollover" 8;
                /// Replay Timer Timeout.
                timeout "Timeout" 12;
                /// Advisory Non-Fatal Error.
                advisory "AdvNonFatalErr" 13;
                /// Corrected Internal Error.
                internal "CorrIntErr" 14;
                /// Header Log Overflow.
                header_overflow "HeaderOF" 15;
            }
            fields {}
        }
    };
}

uncorrectable! {
    /// Uncorrectable Error Status Register.
    Uncorrectable "UESta"
}
uncorrectable! {
    /// Uncorrectable Error Mask Register.
    UncorrectableMask "UEMsk"
}
uncorrectable! {
    /// Uncorrectable Error Severity Register: a set bit means fatal.
    UncorrectableSeverity "UESvrt"
}
correctable! {
    /// Correctable Error Status Register.
    Correctable "CESta"
}
correctable! {
    /// Correctable Error Mask Register.
    CorrectableMask "CEMsk"
}

register! {
    /// Advanced Error Capabilities and Control Register.
    AerCap "AERCap"
    flags {
        /// ECRC Generation Capable.
        ecrc_generation "ECRCGenCap" 5;
        /// ECRC Generation Enable.
        ecrc_generating "ECRCGenEn" 6;
        /// ECRC Check Capable.
        ecrc_check "ECRCChkCap" 7;
        /// ECRC Check Enable.
        ecrc_checking "ECRCChkEn" 8;
        /// Multiple Header Recording Capable.
        multiple_headers "MultHdrRecCap" 9;
        /// Multiple Header Recording Enable.
        multiple_headers_enabled "MultHdrRecEn" 10;
        /// TLP Prefix Log Present.
        prefix_log "TLPPfxPres" 11;
        /// Completion Timeout Prefix/Header Log Capable.
        timeout_log "HdrLogCap" 12;
        /// Logged TLP was received in FLIT mode.
        flit_logged "TLPWasFlit" 18;
    }
    fields {
        /// First Error Pointer: the bit number of the uncorrectable error that the header log belongs to.
        first_error "First Error Pointer" 0..=4;
        /// Header Log Size, in DW (FLIT mode).
        log_size "HdrLogSize" 13..=17;
    }
}

register! {
    /// Root Error Command Register.
    RootCmd "RootCmd"
    flags {
        /// Correctable Error Reporting Enable.
        correctable "CERptEn" 0;
        /// Non-Fatal Error Reporting Enable.
        nonfatal "NFERptEn" 1;
        /// Fatal Error Reporting Enable.
        fatal "FERptEn" 2;
    }
    fields {}
}

register! {
    /// Root Error Status Register.
    RootErrSta "RootSta"
    flags {
        /// ERR_COR Received.
        correctable "CERcvd" 0;
        /// Multiple ERR_COR Received.
        multiple_correctable "MultCERcvd" 1;
        /// ERR_FATAL/NONFATAL Received.
        uncorrectable "UERcvd" 2;
        /// Multiple ERR_FATAL/NONFATAL Received.
        multiple_uncorrectable "MultUERcvd" 3;
        /// First Uncorrectable Fatal.
        first_fatal "FirstFatal" 4;
        /// Non-Fatal Error Messages Received.
        nonfatal_messages "NonFatalMsg" 5;
        /// Fatal Error Messages Received.
        fatal_messages "FatalMsg" 6;
    }
    fields {
        /// Advanced Error Interrupt Message Number.
        interrupt "IntMsgNum" 27..=31;
    }
}

register! {
    /// Error Source Identification Register.
    ErrorSource "ErrorSrc"
    flags {}
    fields {
        /// ERR_COR Source Identification: a Requester ID.
        correctable "ERR_COR" 0..=15;
        /// ERR_FATAL/NONFATAL Source Identification: a Requester ID.
        uncorrectable "ERR_FATAL/NONFATAL" 16..=31;
    }
}

/// Double words of the header log that are read.
const HEADER_LOG_DW: usize = 4;

layout! {
    /// Advanced Error Reporting Extended Capability.
    Aer {
        /// Uncorrectable Error Status.
        uncorrectable: Uncorrectable = 0x04, 4;
        /// Uncorrectable Error Mask.
        uncorrectable_mask: UncorrectableMask = 0x08, 4;
        /// Uncorrectable Error Severity.
        severity: UncorrectableSeverity = 0x0c, 4;
        /// Correctable Error Status.
        correctable: Correctable = 0x10, 4;
        /// Correctable Error Mask.
        correctable_mask: CorrectableMask = 0x14, 4;
        /// Advanced Error Capabilities and Control.
        control: AerCap = 0x18, 4;
        /// Root Error Command.
        root_command: RootCmd = 0x2c, 4;
        /// Root Error Status.
        root_status: RootErrSta = 0x30, 4;
        /// Error Source Identification.
        source: ErrorSource = 0x34, 4;
    }
    more {
        /// Header Log Register: the first four double words of the TLP that caused the first error.
        header_log: [Option<u32>; HEADER_LOG_DW];
    }
}

impl Aer {
    /// Decodes the capability at `start`. Only a root port or a Root Complex Event Collector has the root registers.
    pub fn decode(space: &ConfigSpace, start: u16, is_root: bool) -> Aer {
        let mut aer = Aer::registers_at(space, start);
        aer.header_log = [0x1c, 0x20, 0x24, 0x28].map(|offset| space.u32(start.saturating_add(offset)));
        if !is_root {
            aer.root_command.0 = Register::UNKNOWN;
            aer.root_status.0 = Register::UNKNOWN;
            aer.source.0 = Register::UNKNOWN;
        }
        aer
    }
}
