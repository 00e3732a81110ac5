//! How the current speed and width of a link relate to what both its ports support.

use crate::function::{Function, Reach};
use crate::link::view::LinkSearch;
use crate::link::{Link, LinkRate, Why};

/// Base class of display controllers: graphics cards lower the speed of their link when idle.
const DISPLAY: u16 = 0x03;

/// The relation. Of several causes, one that would hide another is checked first.
pub fn of(view: &LinkSearch<'_>, link: &Link, upper: Option<&Function>, lower: Option<&Function>) -> Why {
    if link.unreal.is_some() {
        return Why::Virtual;
    }
    if is_down(upper, lower) {
        return Why::Down;
    }
    if lower.is_some_and(is_silent) {
        return Why::Unknown;
    }
    if contradict(upper, lower) {
        return Why::Contradicts;
    }
    if let (None, Some(_), Some(own)) = (upper, link.now, link.lower_max)
        && own.speed.is_some()
        && own.width.is_some()
    {
        return Why::OneEnd;
    }
    let (Some(now), Some(possible)) = (link.now, link.possible) else { return Why::Unknown };
    let (Some(slow), Some(narrow)) = (less(now.speed, possible.speed), less(now.width, possible.width)) else {
        return Why::Unknown;
    };
    if !slow && !narrow {
        return ends(link);
    }
    let lowered = link.target.is_some_and(|target| Some(target) < possible.speed && now.speed <= Some(target));
    if slow && !narrow && lowered {
        Why::Target
    } else if lower.is_some_and(|lower| asleep(lower) || slow && !narrow && is_graphics(view, lower)) {
        Why::MaybePower
    } else if !slow && upper.is_some_and(is_soldered) {
        Why::Wired
    } else {
        Why::Degraded
    }
}

/// True for a link whose speed is below what its ends can and may be so because its device is idle.
pub fn may_idle(view: &LinkSearch<'_>, link: &Link, lower: Option<&Function>) -> bool {
    let slow = link.now.zip(link.possible).is_some_and(|(now, possible)| less(now.speed, possible.speed) == Some(true));
    slow && link.unreal.is_none() && lower.is_some_and(|lower| asleep(lower) || is_graphics(view, lower))
}

/// True for a port without a slot (Slot Implemented clear): the device is soldered to the board.
fn is_soldered(upper: &Function) -> bool {
    upper.express().and_then(|express| express.flags.slot()) == Some(false)
}

fn less<T: Ord>(now: Option<T>, possible: Option<T>) -> Option<bool> {
    Some(now? < possible?)
}

/// Which end limits the possible rate.
fn ends(link: &Link) -> Why {
    let (Some(upper), Some(lower)) = (link.upper_max, link.lower_max) else { return Why::Unknown };
    // A value that one end does not report is no limit.
    let below = |one: LinkRate, other: LinkRate| {
        less(one.speed, other.speed) == Some(true) || less(one.width, other.width) == Some(true)
    };
    match (below(upper, lower), below(lower, upper)) {
        // Where each is lower than the other in one value, the device would be faster in a slot that fits it.
        (true, _) => Why::SlotLimited,
        (false, true) => Why::DeviceLimited,
        (false, false) => Why::Full,
    }
}

fn is_down(upper: Option<&Function>, lower: Option<&Function>) -> bool {
    let Some(upper) = upper.filter(|_| lower.is_none_or(is_silent)) else { return false };
    let width = upper.link_now().and_then(|now| now.width);
    let reports = upper.express().is_some_and(|express| express.lnk_cap.link_active_reporting() == Some(true));
    let active = upper.express().and_then(|express| express.lnk_sta.active());
    let empty = upper.express().and_then(|express| express.slt_sta.presence()) == Some(false);
    width == Some(0) || empty || reports && active == Some(false)
}

/// True if the function does not answer. What it reported of its link, if anything, is from another time.
fn is_silent(function: &Function) -> bool {
    function.reach == Reach::Nothing
}

fn contradict(upper: Option<&Function>, lower: Option<&Function>) -> bool {
    let (Some(upper), Some(lower)) = (upper.and_then(Function::link_now), lower.and_then(Function::link_now)) else {
        return false;
    };
    let differ = |a: Option<u32>, b: Option<u32>| a.zip(b).is_some_and(|(a, b)| a != b);
    let codes = [upper, lower].map(|end| end.speed.map(|speed| u32::from(speed.code())));
    differ(codes[0], codes[1]) || differ(upper.width, lower.width)
}

/// True in D3, or while suspended by runtime power management.
fn asleep(function: &Function) -> bool {
    let registers = function.capabilities.power().and_then(|power| power.ctl.state()) == Some(3);
    let state = function.os.power_state.as_deref().is_some_and(|state| state.starts_with("D3"));
    registers || state || function.os.runtime_status.as_deref() == Some("suspended")
}

/// True for a graphics card, with or without its own switch: every device at the end has a display function.
fn is_graphics(view: &LinkSearch<'_>, lower: &Function) -> bool {
    let siblings = view.tree.parent(lower.address).map_or(&[][..], |parent| view.tree.children(parent));
    let below = view.tree.descendants(lower.address);
    let all = siblings.iter().chain(&below).filter_map(|address| view.machine.function(*address));
    let ends: Vec<&Function> = all.filter(|function| !function.header.is_bridge()).collect();
    let device = |function: &Function| (function.address.domain, function.address.bdf.bits() >> 3);
    let is_display = |function: &Function| function.header.class.is_some_and(|class| class >> 8 == DISPLAY);
    let shows = |end: &&Function| ends.iter().any(|other| is_display(other) && device(other) == device(end));
    !ends.is_empty() && ends.iter().all(shows)
}
