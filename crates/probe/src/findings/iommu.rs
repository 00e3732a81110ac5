//! Strict invalidation: the IOMMU invalidates each mapping before the next request, which reduces the requests per second.

use crate::finding::{Finding, Severity};
use crate::role::Role;
use crate::view::View;

/// The type of a group with strict invalidation (sysfs-kernel-iommu_groups); lazy invalidation is `DMA-FQ`.
const STRICT: &str = "DMA";

/// From this number of drives and network cards on, strict invalidation is a warning: it limits the rate before they do.
const MANY: usize = 4;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let group = |at| view.function(at).and_then(|function| function.os.iommu.as_ref());
    let devices = view.model.devices.iter().filter(|device| matches!(device.role, Role::Ssd | Role::Nic));
    let strict: Vec<_> = devices.filter(|d| group(d.main).is_some_and(|g| g.kind.as_deref() == Some(STRICT))).collect();
    let Some(first) = strict.first() else { return Vec::new() };
    let severity = if strict.len() >= MANY { Severity::Warning } else { Severity::Note };
    let what = format!(
        "The IOMMU invalidates strictly for {} ({} in all): every request pays for it, and many small ones are slowed first",
        view.device_name(first),
        strict.len()
    );
    let at = strict.iter().map(|device| device.main).collect();
    let mut finding = Finding::new("iommu-strict", severity, at, what);
    for device in &strict {
        let number = group(device.main).map_or(0, |group| group.group);
        finding = finding.shown(device.main, "iommu_groups/type", format!("group {number}: {STRICT}"));
    }
    let lazy = "Kernel parameter iommu.strict=0 (lazy: a device may reach a buffer for a moment after its transfer), or \
         iommu.passthrough=1 (no translation for the host's own devices).";
    vec![finding.mended_by(lazy)]
}
