//! The tree as a picture: one box a function, one line a link, as thick as it is fast and coloured by whether it
//! runs at its most.

mod text;

use crate::link::{Link, Why};
use crate::machine::Machine;
use crate::show::{self, Row};
use crate::tree::Tree;
use std::fmt::Write;
use text::{escape, fit};

/// Pixels.
const WIDTH: usize = 1000;
const ROW: usize = 48;
const BOX: usize = 40;
const INDENT: usize = 34;
const MARGIN: usize = 16;
const HEAD: usize = 52;
/// Of one letter, on average.
const LETTER: usize = 7;
const SMALL_LETTER: usize = 6;
/// Between words that stand apart: an em space, since two plain ones are drawn as one.
const GAP: &str = "\u{2003}";

/// The picture, complete as a file.
pub fn draw(machine: &Machine, tree: &Tree) -> String {
    let rows = show::rows(machine, tree, false);
    let drawn = Drawing { tree, rows: &rows };
    let height = HEAD + rows.len() * ROW + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let heading = fit(&show::heading(machine).replace("  ", GAP), (WIDTH - 2 * MARGIN) / LETTER);
    put(&mut svg, format_args!("<text x=\"{MARGIN}\" y=\"32\" font-weight=\"600\">{}</text>\n", escape(&heading)));
    // Thick ones over thin ones: a thin one beside them would cut them in two.
    let (links, others): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|&index| drawn.link(index).is_some());
    for index in others.into_iter().chain(links) {
        drawn.wire(&mut svg, index);
    }
    for index in 0..rows.len() {
        drawn.node(&mut svg, index);
    }
    svg + "</svg>\n"
}

/// Writing to a string cannot fail.
fn put(svg: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = svg.write_fmt(text);
}

struct Drawing<'a> {
    tree: &'a Tree,
    rows: &'a [Row],
}

impl Drawing<'_> {
    /// Two characters of branches a step; a root bus has none.
    fn depth(&self, index: usize) -> usize {
        self.rows[index].branch.chars().count() / 2
    }
    fn x(&self, index: usize) -> usize {
        MARGIN + self.depth(index) * INDENT
    }
    fn y(&self, index: usize) -> usize {
        HEAD + index * ROW
    }
    /// The link whose lower end the row is.
    fn link(&self, index: usize) -> Option<&Link> {
        let address = self.rows[index].address?;
        self.tree.link_above(address).filter(|link| link.lower == Some(address))
    }
    /// From the row above it in the tree down, and then to the box.
    fn wire(&self, svg: &mut String, index: usize) {
        let depth = self.depth(index);
        let Some(parent) = (0..index).rev().find(|above| self.depth(*above) < depth) else { return };
        let (colour, width) = self.link(index).map_or(("#b8bec7", 1.5), |link| (colour(link.why), thickness(link)));
        let (x, top) = (self.x(parent) + INDENT / 2, self.y(parent) + BOX);
        let (end, y) = (self.x(index), self.y(index) + BOX / 2);
        put(
            svg,
            format_args!(
                "<path d=\"M{x} {top}V{y}H{end}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\"/>\n"
            ),
        );
    }
    fn node(&self, svg: &mut String, index: usize) {
        let row = &self.rows[index];
        let (x, y) = (self.x(index), self.y(index));
        let width = WIDTH - MARGIN - x;
        let stroke = self.link(index).map_or("#b8bec7", |link| colour(link.why));
        put(
            svg,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" rx=\"5\" fill=\"#f7f8fa\" stroke=\"{stroke}\"/>\n"
            ),
        );
        self.title(svg, index, x, y, width);
        let facts: Vec<&str> = row.facts.iter().map(|span| span.text.as_str()).collect();
        let facts = fit(&facts.join(", "), (width - 20) / SMALL_LETTER);
        put(
            svg,
            format_args!(
                "<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#5a6270\">{}</text>\n",
                x + 10,
                y + 33,
                escape(&facts)
            ),
        );
    }
    /// Address and name to the left, the link to the right.
    fn title(&self, svg: &mut String, index: usize, x: usize, y: usize, width: usize) {
        let (row, link) = (&self.rows[index], self.link(index));
        let shown = link.map(|link| (show::link(link), colour(link.why)));
        let right = shown.map_or((String::new(), ""), |(spans, colour)| {
            (spans.iter().map(|span| span.text.as_str()).collect::<Vec<_>>().join(", "), colour)
        });
        let link_spans = link.map_or(0, |link| show::link(link).len());
        let own = row.line.len() - link_spans.min(row.line.len());
        let (name, behind) = split(row, own, link_spans);
        let name = fit(&name, (width.saturating_sub(30 + right.0.chars().count() * SMALL_LETTER)) / LETTER);
        // Alone in its box, a title stands in the middle.
        let (left, base) = (x + 10, y + if row.facts.is_empty() { 25 } else { 17 });
        put(svg, format_args!("<text x=\"{left}\" y=\"{base}\">{}</text>\n", escape(&name)));
        let (text, colour) = if right.0.is_empty() { (behind, "#5a6270") } else { right };
        put(
            svg,
            format_args!(
                "<text x=\"{}\" y=\"{base}\" font-size=\"12\" text-anchor=\"end\" fill=\"{colour}\">{}</text>\n",
                WIDTH - MARGIN - 10,
                escape(&text)
            ),
        );
    }
}

/// The words of a row before its link, and what an empty port says.
fn split(row: &Row, own: usize, link_spans: usize) -> (String, String) {
    let words = |spans: &[show::Span]| spans.iter().map(|span| span.text.as_str()).collect::<Vec<_>>().join(GAP);
    let empty = row.line.last().filter(|last| last.text.starts_with("nothing below") && link_spans == 0);
    match empty {
        Some(last) => (words(&row.line[..own - 1]), last.text.clone()),
        None => (words(&row.line[..own]), String::new()),
    }
}

fn colour(why: Why) -> &'static str {
    match why {
        Why::Full | Why::SlotLimited | Why::DeviceLimited => "#1a7f37",
        Why::Target | Why::Degraded | Why::Contradicts => "#c4262e",
        Why::MaybePower | Why::Wired => "#9a6700",
        Why::Down | Why::Virtual | Why::Unknown => "#7a828e",
    }
}

/// Two pixels more for every factor of four in rate, from 2.5 GT/s x1 on.
fn thickness(link: &Link) -> f64 {
    let rate = link.now.and_then(|now| Some(f64::from(now.speed?.tenths()) / 25.0 * f64::from(now.width?)));
    rate.filter(|rate| *rate >= 1.0).map_or(1.5, |rate| ((2.0 + rate.log2()) * 10.0).round() / 10.0)
}
