//! A fast network card that writes without relaxed ordering. On many hosts this alone keeps it below its rate.

use crate::finding::{Finding, Severity};
use crate::rates::Way;
use crate::role::Role;
use crate::view::View;

/// The rate from which ordering matters, in bytes per second: 100 Gb/s.
const FAST: f64 = 12e9;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let nics = view.of_role(Role::Nic).into_iter().filter(|device| !view.is_emulated(device));
    let strict = nics.filter_map(|device| {
        let control = view.function(device.main)?.express()?.dev_ctl;
        let fast = view.rates.alone(device, Way::ToMemory, &[])?.rate.0 >= FAST;
        if control.relaxed_ordering() != Some(false) || !fast {
            return None;
        }
        let name = view.name(device.main);
        let what = format!("{} writes in strict order: relaxed ordering is off", view.device_name(device));
        Some(
            Finding::new("relaxed-ordering", Severity::Warning, vec![device.main], what)
                .shown(device.main, "DevCtl", "RlxdOrd-")
                .mended_by(format!(
                    "setpci -s {name} CAP_EXP+8.w=0010:0010; the firmware or the driver may also have switched it off"
                ))
                .mended_by("What it costs depends on the host's memory, which no register shows: measure both."),
        )
    });
    strict.collect()
}
