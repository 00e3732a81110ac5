//! The fields of a function that are compared, by the names that tools give them.

use crate::function::Function;
use std::collections::BTreeMap;
use std::fmt::Display;

/// Before the names of counters of errors.
pub(super) const COUNTER: &str = "AER ";

/// The fields of a function by name. A field that was not observed is absent.
pub fn fields(function: &Function) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            fields.insert(name.to_string(), value);
        }
    };
    let express = function.express();
    let flag = |value: Option<bool>| value.map(|on| if on { "on" } else { "off" }.to_string());
    put("link", function.link_now().map(text));
    put("link possible", function.link_max().map(text));
    put("Target Link Speed", express.and_then(|e| e.lnk_ctl2.target()).map(text));
    put("MaxPayload", function.mps().map(text));
    put("MaxReadReq", function.mrrs().map(text));
    put("tag bits", function.tag_bits().map(text));
    put("ASPM", function.aspm().map(text));
    put("RlxdOrd", flag(express.and_then(|e| e.dev_ctl.relaxed_ordering())));
    let acs = function.capabilities.acs().map(|acs| acs.ctl);
    put("ACS ReqRedir", flag(acs.and_then(|control| control.request_redirect())));
    put("ACS CmpltRedir", flag(acs.and_then(|control| control.completion_redirect())));
    put("NUMA node", function.os.numa_node.map(text));
    put("IOMMU type", function.os.iommu.as_ref().and_then(|group| group.kind.clone()));
    put("driver", function.os.driver.clone());
    put("power state", function.os.power_state.clone());
    put("ClockPM", flag(express.and_then(|e| e.lnk_ctl.clock_pm())));
    put("LTR", flag(express.and_then(|e| e.dev_ctl2.ltr())));
    let (ltr, substates) = (function.capabilities.ltr(), function.capabilities.l1_substates());
    put("LTR snoop", ltr.and_then(|ltr| ltr.snoop_ns).map(ns));
    put("LTR no-snoop", ltr.and_then(|ltr| ltr.no_snoop_ns).map(ns));
    let control = substates.map(|substates| substates.ctl1);
    put("PCI-PM_L1.2", flag(control.and_then(|control| control.pci_pm_l1_2())));
    put("PCI-PM_L1.1", flag(control.and_then(|control| control.pci_pm_l1_1())));
    put("ASPM_L1.2", flag(control.and_then(|control| control.aspm_l1_2())));
    put("ASPM_L1.1", flag(control.and_then(|control| control.aspm_l1_1())));
    put("T_CommonMode", control.and_then(|control| control.common_mode_us()).map(us));
    put("LTR1.2_Threshold", substates.and_then(|substates| substates.threshold_ns).map(ns));
    put("T_PwrOn", substates.and_then(|substates| substates.power_on_us).map(us));
    if let Some(counters) = &function.os.aer {
        for (kind, all) in
            [("", &counters.correctable), (" (non-fatal)", &counters.nonfatal), (" (fatal)", &counters.fatal)]
        {
            for (name, count) in all.iter().filter(|(name, _)| !name.starts_with("TOTAL")) {
                put(&format!("{COUNTER}{name}{kind}"), Some(count.to_string()));
            }
        }
    }
    fields
}

fn text(value: impl Display) -> String {
    value.to_string()
}

fn ns(ns: u64) -> String {
    format!("{ns} ns")
}

fn us(us: u32) -> String {
    format!("{us} us")
}
