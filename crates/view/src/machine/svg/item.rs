//! What a picture is made of: boxes, the links to them, and what is said at both.

use super::text::{Face, width, wrap};
use probe::link::Why;

/// How something is, shown by colour, by the stroke and in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing to be said.
    #[default]
    Neutral,
    /// At its best.
    Good,
    /// Below what could be, with a reason that may be innocent.
    Warn,
    /// Wrong.
    Bad,
}

impl State {
    /// Of a link.
    pub fn of(why: Why) -> State {
        match why {
            Why::Full | Why::SlotLimited | Why::DeviceLimited => State::Good,
            Why::Target | Why::Degraded | Why::Contradicts => State::Bad,
            Why::MaybePower | Why::Wired => State::Warn,
            _ => State::Neutral,
        }
    }
    /// The class of its style.
    pub fn class(self) -> &'static str {
        match self {
            State::Neutral => "n",
            State::Good => "g",
            State::Warn => "w",
            State::Bad => "b",
        }
    }
}

/// A line or a sentence.
#[derive(Clone, Debug)]
pub struct Words {
    /// What it says.
    pub text: String,
    /// How it is set.
    pub face: Face,
    /// Its colour; `None` for that of its face.
    pub state: Option<State>,
}

impl Words {
    /// In the colour of its face.
    pub fn new(face: Face, text: impl Into<String>) -> Words {
        Words { text: text.into(), face, state: None }
    }
    /// In the colour of a state.
    pub fn of(face: Face, state: State, text: impl Into<String>) -> Words {
        Words { text: text.into(), face, state: Some(state) }
    }
    /// In lines of at most `most` pixels.
    pub fn lines(&self, most: f64) -> Vec<Words> {
        wrap(&self.text, self.face, most).into_iter().map(|text| Words { text, ..self.clone() }).collect()
    }
    /// Pixels, in one line.
    pub fn width(&self) -> f64 {
        width(&self.text, self.face)
    }
}

/// Pixels from the top of the first line to the end of the last.
pub fn height(lines: &[Words]) -> f64 {
    lines.iter().map(|line| line.face.leading()).sum()
}

/// A link.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// Over the line: what it runs at.
    pub above: Vec<Words>,
    /// Under it: what it carries, and why it is as it is.
    pub below: Vec<Words>,
    /// How it is.
    pub state: State,
    /// Pixels.
    pub thick: f64,
}

/// What stands at the end of a link, or at the port.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// Words in it.
    pub words: Vec<Words>,
    /// How it is.
    pub state: State,
    /// How many are alike: more than one are drawn as a pile.
    pub count: usize,
}

/// A port, its link, and what is below it.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// Words of the port; none where it has no port.
    pub tab: Vec<Words>,
    /// The link.
    pub wire: Option<Wire>,
    /// The device or switch.
    pub card: Option<Card>,
    /// What a switch or bridge has below it.
    pub children: Vec<Item>,
    /// Words without a box.
    pub bare: Vec<Words>,
}

/// Widths that all columns of a picture have, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Of ports.
    pub tab: f64,
    /// Of links.
    pub gap: f64,
}

/// Of a device.
const CARD: f64 = 310.0;
/// Of a switch or bridge.
const HUB: f64 = 180.0;
/// The widest link.
const MOST_GAP: f64 = 230.0;
const LEAST_GAP: f64 = 120.0;
/// Of the stroke from a port or bridge to what has no link of its own.
pub const STUB: f64 = 18.0;
/// Around words in a box.
pub const PAD: f64 = 8.0;
/// Between the items of one column.
pub const BETWEEN: f64 = 10.0;

impl Columns {
    /// That fit all of them.
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
    /// Of its box.
    pub fn card_width(&self) -> f64 {
        if self.is_hub() { HUB } else { CARD }
    }
    /// The lines in its box.
    pub fn card_lines(&self) -> Vec<Words> {
        let words = self.card.iter().flat_map(|card| &card.words);
        words.flat_map(|words| words.lines(self.card_width() - 2.0 * PAD)).collect()
    }
    /// The lines over and under its link.
    pub fn wire_lines(&self, columns: Columns) -> (Vec<Words>, Vec<Words>) {
        let fold = |words: &[Words]| words.iter().flat_map(|w| w.lines(columns.gap - 2.0 * PAD)).collect::<Vec<_>>();
        self.wire.as_ref().map_or_else(Default::default, |wire| (fold(&wire.above), fold(&wire.below)))
    }
    /// From the left of its port to the left of its box.
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
    /// With all that is to its right.
    pub fn width(&self, columns: Columns) -> f64 {
        let bare = self.bare.iter().map(Words::width).fold(0.0, f64::max) + PAD;
        let card = if self.card.is_some() { self.card_width() + pile(self) } else { bare };
        let below = self.children.iter().map(|child| child.width(columns)).fold(0.0, f64::max);
        self.reach(columns) + card + below
    }
    /// Of its box alone.
    pub fn card_height(&self) -> f64 {
        if self.card.is_some() { height(&self.card_lines()) + 2.0 * PAD } else { height(&self.bare) }
    }
    /// Of all its children.
    pub fn children_height(&self, columns: Columns) -> f64 {
        let sum: f64 = self.children.iter().map(|child| child.height(columns)).sum();
        sum + BETWEEN * (self.children.len() + 1) as f64
    }
    /// Of the room that it needs, the link in its middle.
    pub fn height(&self, columns: Columns) -> f64 {
        let (above, below) = self.wire_lines(columns);
        let thick = self.wire.as_ref().map_or(0.0, |wire| wire.thick);
        let link = 2.0 * (height(&above).max(height(&below)) + thick / 2.0 + 3.0);
        let tab = if self.tab.is_empty() { 0.0 } else { height(&self.tab) + PAD };
        let below = if self.is_hub() { self.children_height(columns) } else { 0.0 };
        [link, tab, self.card_height() + pile(self), below].into_iter().fold(0.0, f64::max)
    }
}

/// By how much a pile is larger than one box.
pub fn pile(item: &Item) -> f64 {
    item.card.as_ref().filter(|card| card.count > 1).map_or(0.0, |_| 6.0)
}
