//! A SATA controller whose link is slower than its drives.

use crate::finding::{Cost, Finding, Severity};
use crate::rates::Way;
use crate::view::View;
use pcie::Rate;

/// The highest rate of a drive at 6 Gb/s with 8b/10b encoding, in bytes per second (Serial ATA Revision 3, Physical Layer).
const SATA: f64 = 600e6;

/// Base class and sub-class of a SATA controller, and its name.
const CLASS: (u16, &str) = (0x0106, "SATA controller");

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let all = view.model.devices.iter().filter_map(|device| {
        let function = view.function(device.main)?;
        let named = function.names.class.as_deref() == Some(CLASS.1);
        if function.header.class.map_or(!named, |class| class != CLASS.0) {
            return None;
        }
        let limited = view.rates.alone(device, Way::ToMemory, &[])?;
        let drives = function.os.blocks.len();
        let wanted = SATA * drives.max(2) as f64;
        if limited.rate.0 >= wanted {
            return None;
        }
        let name = view.device_name(device);
        let mb = limited.rate.as_mb_per_s();
        let (severity, what) = match drives {
            0 | 1 => {
                (Severity::Note, format!("{name} has {mb:.0} MB/s for all its drives, and one at 6 Gb/s may bring 600"))
            }
            n => (Severity::Warning, format!("{n} drives share the {mb:.0} MB/s of {name}")),
        };
        let remedy = if limited.own {
            "A controller with more lanes, in a slot that has them; or drives spread over two controllers."
        } else {
            "The link that holds it is further up, and not its own: a slot that is not behind that link; or drives spread \
             over two controllers in different places."
        };
        let cost = Cost { of: name, way: Way::ToMemory, now: limited.rate, mended: Rate(wanted) };
        Some(
            Finding::new("controller", severity, vec![device.main], what)
                .costs((drives > 1).then_some(cost))
                .shown(device.address, "limit", &limited.by)
                .mended_by(remedy),
        )
    });
    all.collect()
}
