//! Max_Read_Request_Size below what is settled (its value after reset), on a device that reads in bulk.

use crate::finding::{Cost, Finding, Severity};
use crate::rates::{Mend, Way};
use crate::view::View;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let fast = view.model.devices.iter().filter(|device| device.role.is_fast() && !view.is_emulated(device));
    let low = fast.filter_map(|device| {
        let settled = view.model.settled.part(device.part).mrrs;
        let mrrs = view.function(device.main)?.mrrs().filter(|&mrrs| mrrs < settled)?;
        let mend = [Mend::Mrrs(device.address, settled)];
        let rate = |mends: &[Mend]| Some(view.rates.alone(device, Way::FromMemory, mends)?.rate);
        let (now, mended) = (rate(&[])?, rate(&mend)?);
        let cost = Cost { of: view.device_name(device), way: Way::FromMemory, now, mended };
        // No finding if larger requests would not change the rate.
        if !cost.is_felt() {
            return None;
        }
        let name = view.name(device.main);
        let what =
            format!("{} asks for {mrrs} bytes a request: many requests for little data", view.device_name(device));
        Some(
            Finding::new("mrrs", Severity::Warning, vec![device.main], what)
                .costs(Some(cost))
                .shown(device.main, "DevCtl", format!("MaxReadReq {mrrs}"))
                .mended_by(format!("setpci -s {name} CAP_EXP+8.w=2000:7000 (512 bytes; up to 5000:7000 for 4096)")),
        )
    });
    low.collect()
}
