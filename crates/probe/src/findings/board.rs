//! Boards whose port is slower by default than it could be, which no register shows.

use super::width::link_cost;
use crate::finding::{Finding, Severity};
use crate::function::Function;
use crate::link::LinkRate;
use crate::view::View;
use pcie::config::Speed;

/// A root port that a setting makes faster.
struct Known {
    id: (u16, u16),
    named: &'static str,
    faster: u32,
    setting: &'static str,
}

/// The known boards. Raspberry Pi 5: Raspberry Pi documentation, PCIe Gen 3.0 (the board is certified for Gen2 and set to it;
/// Gen3 works with most devices).
const KNOWN: [Known; 1] = [Known {
    id: (0x14e4, 0x2712),
    named: "BCM2712",
    faster: 3,
    setting: "dtparam=pciex1_gen=3 in config.txt, where the device and its cable are good for it",
}];

impl Known {
    fn is(&self, port: &Function) -> bool {
        match (port.header.vendor, port.header.device) {
            (Some(vendor), Some(device)) => (vendor, device) == self.id,
            _ => port.names.device.as_ref().is_some_and(|name| name.contains(self.named)),
        }
    }
}

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let all = view.real_links().filter_map(|(link, lower)| {
        let port = view.function(link.upper?)?;
        let known = KNOWN.iter().find(|known| known.is(port))?;
        let (now, able, faster) = (link.now?.speed?, link.lower_max?.speed?, Speed::from_code(known.faster)?);
        if now >= faster || able < faster {
            return None;
        }
        let what = format!("{} runs at {now}, this board's default; it can be set to {faster}", view.name(lower));
        let mended = LinkRate { speed: Some(faster), width: link.now?.width };
        Some(
            Finding::new("board-default", Severity::Note, vec![port.address, lower], what)
                .costs(link_cost(view, link, mended))
                .shown(port.address, "LnkSta", format!("Speed {now}"))
                .shown(lower, "LnkCap", format!("Speed {able}"))
                .mended_by(known.setting),
        )
    });
    all.collect()
}
