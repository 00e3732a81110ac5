//! A card with its own switch: the link registers of its device describe a link inside the card. The link to the
//! slot is above the switch.

use crate::finding::{Finding, Severity};
use crate::rates::Way;
use crate::view::View;
use pcie::config::PortType;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let all = view.model.devices.iter().filter(|d| d.role.is_fast() && !view.is_emulated(d)).filter_map(|device| {
        let port = *device.ports.first()?;
        let switch = view.tree.parent(port)?;
        let is_switch = view.function(switch)?.port_type() == Some(PortType::UpstreamPort);
        let alone = view.model.below(port).count() == 1 && view.across(view.tree.link_above(switch)?).len() == 1;
        if !is_switch || !alone {
            return None;
        }
        let own = view.tree.link_above(device.address)?.now?;
        let above = view.tree.link_above(switch)?.now?;
        let faster = own.modelled()?.encoded().0 > above.modelled()?.encoded().0;
        let limit = view.rates.alone(device, Way::ToMemory, &[])?;
        faster.then(|| {
            let what = format!(
                "{} reads {own}, which is inside the card: the card's switch {} has {above} to its slot",
                view.device_name(device),
                view.name(switch)
            );
            Finding::new("inside-card", Severity::Note, vec![device.address, switch], what)
                .shown(device.address, "LnkSta", own)
                .shown(switch, "LnkSta", above)
                .mended_by(format!("By design: {:.0} MB/s is what the slot gives.", limit.rate.as_mb_per_s()))
        })
    });
    all.collect()
}
