//! Drives that together are faster than the accelerator that they may feed.

use crate::finding::{Finding, Severity};
use crate::rates::Way;
use crate::role::Role;
use crate::view::View;

/// From this number of drives on, they may be there to feed an accelerator.
const MANY: usize = 4;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let drives = view.of_role(Role::Ssd);
    if drives.len() < MANY {
        return Vec::new();
    }
    let sum = view.rates.sum(&drives, Way::ToMemory, &[]);
    let gpus = view.model.devices.iter().filter(|device| device.role.computes());
    let slower = gpus.filter_map(|device| {
        let limited = view.rates.alone(device, Way::FromMemory, &[])?;
        (limited.rate.0 < sum.0).then(|| {
            let what = format!(
                "{} takes {:.0} MB/s at the most; the {} drives together bring {:.0}",
                view.device_name(device),
                limited.rate.as_mb_per_s(),
                drives.len(),
                sum.as_mb_per_s()
            );
            Finding::new("slower-than-drives", Severity::Note, vec![device.main], what)
                .shown(device.address, "limit", &limited.by)
                .mended_by("By design: more drives, or faster ones, will not feed it faster.")
        })
    });
    slower.collect()
}
