//! The sheet on which boxes, links and texts are drawn.

use super::item::{State, Words};
use super::text::escape;
use std::fmt::Write;

/// The drawn elements, in layers.
#[derive(Default)]
pub struct Sheet {
    panels: String,
    wires: String,
    cards: String,
    texts: String,
}

/// Colours for light and dark backgrounds. Strokes differ too, for readers who cannot see colours.
const STYLE: &str = "\
text{font-family:system-ui,'DejaVu Sans',sans-serif;fill:#1f2328}\
.h{font-size:17px;font-weight:bold}.t{font-size:13px;font-weight:bold}.p{font-size:12px}.s{font-size:11px;fill:#59636e}\
.ground{fill:#ffffff}.panel{fill:#f6f8fa;stroke:#d1d9e0}.card{fill:#ffffff;stroke:#8c959f}.hub{fill:#eaeef2;stroke:#8c959f}\
text.g{fill:#1a7f37}text.w{fill:#855700}text.b{fill:#b91c28}\
line{fill:none}line.g{stroke:#1a7f37}line.w{stroke:#bf8700;stroke-dasharray:12 4}\
line.b{stroke:#cf222e;stroke-dasharray:4 3}line.n{stroke:#8c959f}\
rect.w{stroke:#bf8700;stroke-width:2}rect.b{stroke:#cf222e;stroke-width:3}\
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.s{fill:#9198a1}.ground{fill:#0d1117}.panel{fill:#151b23;stroke:#3d444d}\
.card{fill:#0d1117;stroke:#656c76}.hub{fill:#262c36;stroke:#656c76}text.g{fill:#3fb950}text.w{fill:#d29922}text.b{fill:#ff7b72}\
line.g{stroke:#2ea043}line.w{stroke:#d29922}line.b{stroke:#f85149}line.n{stroke:#656c76}\
rect.w{stroke:#d29922}rect.b{stroke:#f85149}}";

/// Distance from the top of a line to its baseline, relative to its size.
const BASE: f64 = 1.0;

// Writing to a string cannot fail.
impl Sheet {
    /// Draws the panel of a node.
    pub fn panel(&mut self, x: f64, y: f64, wide: f64, high: f64) {
        let _ = writeln!(
            self.panels,
            "<rect class=\"panel\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"8\"/>"
        );
    }
    /// Draws the box of a device, a port or a switch.
    pub fn card(&mut self, x: f64, y: f64, wide: f64, high: f64, state: State, is_hub: bool) {
        let class = if is_hub { "hub" } else { "card" };
        let _ = writeln!(
            self.cards,
            "<rect class=\"{class} {}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"4\"/>",
            state.class()
        );
    }
    /// Draws a link.
    pub fn wire(&mut self, from: f64, to: f64, y: f64, thick: f64, state: State) {
        let _ = writeln!(
            self.wires,
            "<line class=\"{}\" x1=\"{from:.1}\" y1=\"{y:.1}\" x2=\"{to:.1}\" y2=\"{y:.1}\" stroke-width=\"{thick:.1}\"/>",
            state.class()
        );
    }
    /// Draws lines of text below each other.
    pub fn lines(&mut self, x: f64, mut y: f64, lines: &[Words]) {
        for line in lines {
            let colour = line.state.map_or(String::new(), |state| format!(" {}", state.class()));
            let base = y + BASE * line.face.size();
            let (class, text) = (line.face.class(), escape(&line.text));
            let _ = writeln!(self.texts, "<text class=\"{class}{colour}\" x=\"{x:.1}\" y=\"{base:.1}\">{text}</text>");
            y += line.face.leading();
        }
    }
    /// The complete file.
    pub fn file(self, wide: f64, high: f64) -> String {
        let (wide, high) = (wide.ceil(), high.ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\">\n\
             <style>{STYLE}</style>\n<rect class=\"ground\" width=\"{wide}\" height=\"{high}\"/>\n{}{}{}{}</svg>\n",
            self.panels, self.wires, self.cards, self.texts
        )
    }
}
