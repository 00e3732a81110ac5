//! Downstream Port Containment (extended id 001Dh).

use crate::config::layout::layout;
use crate::config::register::register;
use crate::config::space::ConfigSpace;

register! {
    /// DPC Capability Register.
    DpcCap "DpcCap"
    flags {
        /// RP Extensions for DPC.
        root_extensions "RPExt" 5;
        /// Poisoned TLP Egress Blocking Supported.
        poisoned_blocking "PoisonedTLP" 6;
        /// DPC Software Triggering Supported.
        software_trigger "SwTrigger" 7;
        /// DL_Active ERR_COR Signaling Supported.
        active_signalling "DL_ActiveErr" 12;
    }
    fields {
        /// DPC Interrupt Message Number.
        interrupt "IntMsgNum" 0..=4;
        /// RP PIO Log Size.
        log_size "RP PIO Log" 8..=11;
    }
}

register! {
    /// DPC Control Register.
    DpcCtl "DpcCtl"
    flags {
        /// DPC Completion Control.
        completion "Cmpl" 2;
        /// DPC Interrupt Enable.
        interrupt "INT" 3;
        /// DPC ERR_COR Enable.
        err_cor "ErrCor" 4;
        /// Poisoned TLP Egress Blocking Enable.
        poisoned_blocking "PoisonedTLP" 5;
        /// DPC Software Trigger.
        software_trigger "SwTrigger" 6;
        /// DL_Active ERR_COR Enable.
        active_signalling "DL_ActiveErr" 7;
    }
    fields {
        /// DPC Trigger Enable: 0 off, 1 on fatal, 2 on fatal and non-fatal.
        trigger "Trigger" 0..=1;
    }
}

register! {
    /// DPC Status Register.
    DpcSta "DpcSta"
    flags {
        /// DPC Trigger Status: the port is in containment, and its link is held down.
        triggered "Trigger" 0;
        /// DPC Interrupt Status.
        interrupt "INT" 3;
        /// DPC RP Busy.
        busy "RPBusy" 4;
    }
    fields {
        /// DPC Trigger Reason.
        reason "Reason" 1..=2;
        /// DPC Trigger Reason Extension.
        reason_extension "TriggerExt" 5..=6;
        /// RP PIO First Error Pointer.
        first_error "RP PIO ErrPtr" 8..=12;
    }
}

register! {
    /// DPC Error Source ID Register.
    DpcSource "Source"
    flags {}
    fields {
        /// A Requester ID.
        source "Source" 0..=15;
    }
}

layout! {
    /// DPC Extended Capability.
    Dpc {
        /// DPC Capability.
        cap: DpcCap = 0x04, 2;
        /// DPC Control.
        ctl: DpcCtl = 0x06, 2;
        /// DPC Status.
        sta: DpcSta = 0x08, 2;
        /// DPC Error Source ID.
        source: DpcSource = 0x0a, 2;
    }
}

impl Dpc {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Dpc {
        Dpc::registers_at(space, start)
    }
}
