//! The elements of a picture: boxes, the links to them, and the texts of both.

use super::text::{Face, width, wrap};
use probe::link::Why;

/// A state, shown by colour, by stroke and in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing to report.
    #[default]
    Neutral,
    /// At its best.
    Good,
    /// Below what is possible, for a reason that may be harmless.
    Warn,
    /// Wrong.
    Bad,
}

impl State {
    /// The state of a link.
    pub fn of(why: Why) -> State {
        match why {
            Why::Full | Why::SlotLimited | Why::DeviceLimited => State::Good,
            Why::Target | Why::Degraded | Why::Contradicts => State::Bad,
            Why::MaybePower | Why::Wired => State::Warn,
            _ => State::Neutral,
        }
    }
    /// The class of the style.
    pub fn class(self) -> &'static str {
        match self {
            State::Neutral => "n",
            State::Good => "g",
            State::Warn => "w",
            State::Bad => "b",
        }
    }
}

/// A line or a sentence with its format.
#[derive(Clone, Debug)]
pub struct Words {
    /// The text.
    pub text: String,
    /// Its face.
    pub face: Face,
    /// Its colour; `None` for the colour of its face.
    pub state: Option<State>,
}

impl Words {
    /// A text in the colour of its face.
    pub fn new(face: Face, text: impl Into<String>) -> Words {
        Words { text: text.into(), face, state: None }
    }
    /// A text in the colour of a state.
    pub fn of(face: Face, state: State, text: impl Into<String>) -> Words {
        Words { text: text.into(), face, state: Some(state) }
    }
    /// The text in lines of at most `most` pixels.
    pub fn lines(&self, most: f64) -> Vec<Words> {
        wrap(&self.text, self.face, most).into_iter().map(|text| Words { text, ..self.clone() }).collect()
    }
    /// Width of the text in one line, in pixels.
    pub fn width(&self) -> f64 {
        width(&self.text, self.face)
    }
}

/// Height of lines of text, in pixels.
pub fn height(lines: &[Words]) -> f64 {
    lines.iter().map(|line| line.face.leading()).sum()
}

/// A link.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// Texts above the line: its current speed and width.
    pub above: Vec<Words>,
    /// Texts below the line: the rates that it carries, and the reason for its state.
    pub below: Vec<Words>,
    /// The state.
    pub state: State,
    /// Thickness in pixels.
    pub thick: f64,
}

/// A box at the end of a link, or at the port.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// Texts in the box.
    pub words: Vec<Words>,
    /// The state.
    pub state: State,
    /// Number of boxes that are alike. More than one are drawn as a pile.
    pub count: usize,
}

/// A port, its link, and what is below it.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// Texts of the port; empty where there is no port.
    pub tab: Vec<Words>,
    /// The link.
    pub wire: Option<Wire>,
    /// The device or switch.
    pub card: Option<Card>,
    /// What a switch or bridge has below it.
    pub children: Vec<Item>,
    /// Texts without a box.
    pub bare: Vec<Words>,
}

/// Widths common to all columns of a picture, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Width of ports.
    pub tab: f64,
    /// Width of links.
    pub gap: f64,
}

/// Width of a device.
const CARD: f64 = 310.0;
/// Width of a switch or bridge.
const HUB: f64 = 180.0;
/// Largest width of a link.
const MOST_GAP: f64 = 230.0;
const LEAST_GAP: f64 = 120.0;
/// Length of the line from a port or bridge to a part without a link of its own.
pub const STUB: f64 = 18.0;
/// Padding around the texts in a box.
pub const PAD: f64 = 8.0;
/// Distance between the items of one column.
pub const BETWEEN: f64 = 10.0;

impl Columns {
    /// The smallest widths in which all items fit.
    pub fn of(items: &[&Item]) -> Columns {
        let (mut tab, mut gap) = (0.0_f64, LEAST_GAP);
        let mut open: Vec<&Item> = items.to_vec();
        while let Some(item) = open.pop() {
            tab = item.tab.iter().map(Words::width).fold(tab, f64::max);
            let words = item.wire.iter().flat_map(|wire| wire.above.iter().chain(&wire.below));
            gap = words.map(|words| words.width() + 2.0 * PAD).fold(gap, f64::max);
            open.extend(&item.children);
        }
        Columns { tab: tab + 2.0 * PAD, gap: gap.min(MOST_GAP) }
    }
}

impl Item {
    /// True of a switch, a bridge or a chipset.
    pub fn is_hub(&self) -> bool {
        !self.children.is_empty()
    }
    /// Width of the box.
    pub fn card_width(&self) -> f64 {
        if self.is_hub() { HUB } else { CARD }
    }
    /// The lines in the box.
    pub fn card_lines(&self) -> Vec<Words> {
        let words = self.card.iter().flat_map(|card| &card.words);
        words.flat_map(|words| words.lines(self.card_width() - 2.0 * PAD)).collect()
    }
    /// The lines above and below the link.
    pub fn wire_lines(&self, columns: Columns) -> (Vec<Words>, Vec<Words>) {
        let fold = |words: &[Words]| words.iter().flat_map(|w| w.lines(columns.gap - 2.0 * PAD)).collect::<Vec<_>>();
        self.wire.as_ref().map_or_else(Default::default, |wire| (fold(&wire.above), fold(&wire.below)))
    }
    /// Distance from the left edge of the port to the left edge of the box.
    pub fn reach(&self, columns: Columns) -> f64 {
        let tab = if self.tab.is_empty() { 0.0 } else { columns.tab };
        let link = if self.wire.is_some() {
            columns.gap
        } else if self.tab.is_empty() || self.card.is_some() {
            STUB
        } else {
            0.0
        };
        tab + link
    }
    /// Width with everything to its right.
    pub fn width(&self, columns: Columns) -> f64 {
        let bare = self.bare.iter().map(Words::width).fold(0.0, f64::max) + PAD;
        let card = if self.card.is_some() { self.card_width() + pile(self) } else { bare };
        let below = self.children.iter().map(|child| child.width(columns)).fold(0.0, f64::max);
        self.reach(columns) + card + below
    }
    /// Height of the box alone.
    pub fn card_height(&self) -> f64 {
        if self.card.is_some() { height(&self.card_lines()) + 2.0 * PAD } else { height(&self.bare) }
    }
    /// Height of all children.
    pub fn children_height(&self, columns: Columns) -> f64 {
        let sum: f64 = self.children.iter().map(|child| child.height(columns)).sum();
        sum + BETWEEN * (self.children.len() + 1) as f64
    }
    /// Height of the whole item, with the link at its centre.
    pub fn height(&self, columns: Columns) -> f64 {
        let (above, below) = self.wire_lines(columns);
        let thick = self.wire.as_ref().map_or(0.0, |wire| wire.thick);
        let link = 2.0 * (height(&above).max(height(&below)) + thick / 2.0 + 3.0);
        let tab = if self.tab.is_empty() { 0.0 } else { height(&self.tab) + PAD };
        let below = if self.is_hub() { self.children_height(columns) } else { 0.0 };
        [link, tab, self.card_height() + pile(self), below].into_iter().fold(0.0, f64::max)
    }
}

/// Extra size of a pile compared with one box.
pub fn pile(item: &Item) -> f64 {
    item.card.as_ref().filter(|card| card.count > 1).map_or(0.0, |_| 6.0)
}
