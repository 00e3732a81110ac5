//! Links in JSON.

use probe::link::{LinkRate, Why};
use serde::Serialize;

/// A speed and a width.
#[derive(Debug, Serialize)]
pub struct Rate {
    /// Transfer rate of one lane, in 10^9 transfers a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gt_per_s: Option<f64>,
    /// Number of lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
}

/// One link.
#[derive(Debug, Serialize)]
pub struct Link {
    /// Address of the port above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<String>,
    /// Address of the function below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<String>,
    /// Current speed and width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Rate>,
    /// The highest speed and width that both ends support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible: Option<Rate>,
    /// The highest speed and width that the port above supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_max: Option<Rate>,
    /// The highest speed and width that the port below supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_max: Option<Rate>,
    /// Target Link Speed of the port above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_gt_per_s: Option<f64>,
    /// The relation between current and possible speed and width.
    pub why: &'static str,
    /// What the link is, if it is not a physical link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreal: Option<String>,
}

pub fn link(link: &probe::link::Link) -> Link {
    Link {
        upper: link.upper.map(|address| address.to_string()),
        lower: link.lower.map(|address| address.to_string()),
        now: link.now.map(rate),
        possible: link.possible.map(rate),
        upper_max: link.upper_max.map(rate),
        lower_max: link.lower_max.map(rate),
        target_gt_per_s: link.target.map(|speed| f64::from(speed.tenths()) / 10.0),
        why: why(link.why),
        unreal: link.unreal.map(|unreal| unreal.to_string()),
    }
}

pub fn rate(rate: LinkRate) -> Rate {
    Rate { gt_per_s: rate.speed.map(|speed| f64::from(speed.tenths()) / 10.0), width: rate.width }
}

fn why(why: Why) -> &'static str {
    match why {
        Why::Full => "full",
        Why::SlotLimited => "slot-limited",
        Why::DeviceLimited => "device-limited",
        Why::Target => "target-speed",
        Why::MaybePower => "maybe-power",
        Why::Wired => "wired",
        Why::Degraded => "degraded",
        Why::Down => "down",
        Why::Contradicts => "contradicts",
        Why::OneEnd => "one-end",
        Why::Virtual => "virtual",
        Why::Unknown => "unknown",
    }
}
