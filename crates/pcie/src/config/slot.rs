//! The registers of the PCI Express capability about the slot and the root complex.

use crate::config::register::register;

register! {
    /// Slot Capabilities Register.
    SltCap "SltCap"
    flags {
        /// Attention Button Present.
        attention_button "AttnBtn" 0;
        /// Power Controller Present.
        power_controller "PwrCtrl" 1;
        /// MRL Sensor Present.
        mrl "MRL" 2;
        /// Attention Indicator Present.
        attention_indicator "AttnInd" 3;
        /// Power Indicator Present.
        power_indicator "PwrInd" 4;
        /// Hot-Plug Surprise.
        surprise "Surprise" 5;
        /// Hot-Plug Capable.
        hot_plug "HotPlug" 6;
        /// Electromechanical Interlock Present.
        interlock "Interlock" 17;
        /// No Command Completed Support.
        no_command_completed "NoCompl" 18;
    }
    fields {
        /// Slot Power Limit Value.
        power_value "PowerLimitValue" 7..=14;
        /// Slot Power Limit Scale.
        power_scale "PowerLimitScale" 15..=16;
        /// Physical Slot Number.
        number "Slot" 19..=31;
    }
}

register! {
    /// Slot Control Register.
    SltCtl "SltCtl"
    flags {
        /// Attention Button Pressed Enable.
        attention_button "AttnBtn" 0;
        /// Power Fault Detected Enable.
        power_fault "PwrFlt" 1;
        /// MRL Sensor Changed Enable.
        mrl "MRL" 2;
        /// Presence Detect Changed Enable.
        presence "PresDet" 3;
        /// Command Completed Interrupt Enable.
        command_completed "CmdCplt" 4;
        /// Hot-Plug Interrupt Enable.
        interrupt "HPIrq" 5;
        /// Power Controller Control: a set bit turns power off.
        power_off "Power" 10;
        /// Electromechanical Interlock Control.
        interlock "Interlock" 11;
        /// Data Link Layer State Changed Enable.
        link_changed "LinkChg" 12;
    }
    fields {
        /// Attention Indicator Control.
        attention_indicator "AttnInd" 6..=7;
        /// Power Indicator Control.
        power_indicator "PwrInd" 8..=9;
    }
}

register! {
    /// Slot Status Register.
    SltSta "SltSta"
    flags {
        /// Attention Button Pressed.
        attention_button "AttnBtn" 0;
        /// Power Fault Detected.
        power_fault "PowerFlt" 1;
        /// MRL Sensor Changed.
        mrl_changed "Changed: MRL" 2;
        /// Presence Detect Changed.
        presence_changed "Changed: PresDet" 3;
        /// Command Completed.
        command_completed "CmdCplt" 4;
        /// MRL Sensor State.
        mrl "MRL" 5;
        /// Presence Detect State: a card is present.
        presence "PresDet" 6;
        /// Electromechanical Interlock Status.
        interlock "Interlock" 7;
        /// Data Link Layer State Changed.
        link_changed "Changed: LinkState" 8;
    }
    fields {}
}

register! {
    /// Root Capabilities Register.
    RootCap "RootCap"
    flags {
        /// Configuration RRS Software Visibility.
        crs_visibility "CRSVisible" 0;
    }
    fields {}
}

register! {
    /// Root Control Register.
    RootCtl "RootCtl"
    flags {
        /// System Error on Correctable Error Enable.
        on_correctable "ErrCorrectable" 0;
        /// System Error on Non-Fatal Error Enable.
        on_nonfatal "ErrNon-Fatal" 1;
        /// System Error on Fatal Error Enable.
        on_fatal "ErrFatal" 2;
        /// PME Interrupt Enable.
        pme_interrupt "PMEIntEna" 3;
        /// Configuration RRS Software Visibility Enable.
        crs_visibility "CRSVisible" 4;
    }
    fields {}
}

register! {
    /// Root Status Register.
    RootSta "RootSta"
    flags {
        /// PME Status.
        pme "PMEStatus" 16;
        /// PME Pending.
        pme_pending "PMEPending" 17;
    }
    fields {
        /// PME Requester ID.
        requester "PME ReqID" 0..=15;
    }
}
