//! A picture as an SVG file of its own: with its heading, its legend, its background, and colours for light and dark.
//!
//! Programs that draw SVG for papers and slides know neither custom properties nor `prefers-color-scheme`. Therefore
//! every colour is written out; the dark ones are in a media query, which those programs skip.

use crate::html::mark::{Key, Size, n, text_width};
use maud::{Markup, PreEscaped, html};
use std::collections::BTreeSet;

const PALETTE: &str = include_str!("palette.css");
const RULES: &str = include_str!("picture.css");
/// What only a file has.
const OWN: &str = ".ground { fill: var(--paper); } svg .head { font-size: 17px; font-weight: 700; } svg .said { fill: var(--soft); font-size: 13px; }";

/// Margin of a file.
const MARGIN: f64 = 20.0;
const HEAD: f64 = 17.0;
const SAID: f64 = 13.0;

/// A picture with what stands around it.
pub(crate) struct Plate<'a> {
    /// What it shows, for the name of its file.
    pub word: String,
    /// The heading.
    pub title: String,
    /// The description for screen readers.
    pub about: String,
    /// The lines below the heading.
    pub text: Vec<String>,
    pub legend: Vec<Key>,
    /// Content and height in one of two sizes.
    pub draw: Box<dyn Fn(Size) -> (Markup, f64) + 'a>,
}

impl Plate<'_> {
    /// The file in one of two sizes. `of` says what the picture is of, in a line below the heading; `id` begins the ids
    /// within it, so that several pictures can be put into one page.
    pub fn file(&self, of: &str, id: &str, size: Size) -> String {
        let (inside, high) = (self.draw)(size);
        let wide = size.width() + 2.0 * MARGIN;
        let heads = folded(&capital(&self.title), HEAD, size);
        let said: Vec<String> = [of]
            .into_iter()
            .chain(self.text.iter().map(String::as_str))
            .flat_map(|text| folded(text, SAID, size))
            .collect();
        let top = 14.0 + 22.0 * heads.len() as f64 + 18.0 * said.len() as f64 + 10.0;
        let (keys, below) = keys(&self.legend, top + high + 18.0, size);
        let body = html! {
            rect class="ground" width=(n(wide)) height=(n(below)) {}
            @for (line, text) in heads.iter().enumerate() {
                text class="head" x=(n(MARGIN)) y=(n(14.0 + 22.0 * line as f64 + HEAD)) { (text) }
            }
            @for (line, text) in said.iter().enumerate() {
                text class="said" x=(n(MARGIN)) y=(n(14.0 + 22.0 * heads.len() as f64 + 18.0 * line as f64 + SAID)) { (text) }
            }
            g transform=(format!("translate({} {})", n(MARGIN), n(top))) { (inside) }
            (keys)
        };
        let style = style(&body.0);
        let file = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {} {}", n(wide), n(below))) width=(n(wide)) height=(n(below)) role="img" aria-labelledby=(format!("{id}-title {id}-about")) {
                title id=(format!("{id}-title")) { (capital(&self.title)) ": " (of) }
                desc id=(format!("{id}-about")) { (self.about) }
                style { (PreEscaped(style)) }
                (body)
            }
        };
        let text = file.into_string().replace("-&gt;", "→");
        text.replace("><", ">\n<").chars().filter(|&c| c == '\n' || !c.is_control()).collect::<String>() + "\n"
    }
}

/// A heading with a capital letter at its beginning.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A text in lines that fit the picture.
fn folded(text: &str, letters: f64, size: Size) -> Vec<String> {
    let columns = (size.width() / text_width("x", letters)) as usize;
    textwrap::wrap(text, columns).into_iter().map(|line| line.into_owned()).collect()
}

/// The legend in rows, and the height of the whole picture.
fn keys(keys: &[Key], top: f64, size: Size) -> (Markup, f64) {
    let (mut x, mut y) = (MARGIN, top);
    let mut places = Vec::new();
    for key in keys {
        let wide = 34.0 + text_width(&key.name, SAID);
        if x > MARGIN && x + wide > MARGIN + size.width() {
            (x, y) = (MARGIN, y + 20.0);
        }
        places.push((x, y));
        x += wide + 16.0;
    }
    let markup = html! {
        @for (key, (x, y)) in keys.iter().zip(&places) {
            g class=[(!key.class.is_empty()).then_some(&key.class)] transform=(format!("translate({} {})", n(*x), n(*y))) {
                (key.mark)
                text class="said" x="32" y="9.5" { (key.name) }
            }
        }
    };
    (markup, if keys.is_empty() { top } else { y + 26.0 })
}

/// The rules for the classes of a picture, with the light colours, then those that differ with the dark ones.
fn style(body: &str) -> String {
    let used: BTreeSet<&str> = body
        .split("class=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .flat_map(str::split_whitespace)
        .collect();
    let (light, dark) = palettes();
    let of = |palette: &[(&str, &str)], only_coloured: bool| {
        let all = [OWN, RULES].into_iter().flat_map(rules).filter(|(_, body)| !only_coloured || body.contains("var("));
        let each = all.flat_map(|(selector, body)| series(selector, body));
        let shown = each.filter(|(selector, _)| classes(selector).all(|class| used.contains(class)));
        shown.map(|(selector, body)| format!("{selector}{{{}}}\n", coloured(&body, palette))).collect::<String>()
    };
    format!("\n{}@media (prefers-color-scheme: dark) {{\n{}}}\n", of(&light, false), of(&dark, true))
}

/// The rules of a style sheet without nested ones, as selector and body.
fn rules(sheet: &str) -> impl Iterator<Item = (&str, &str)> {
    sheet.split('}').filter_map(|rule| rule.split_once('{')).map(|(selector, body)| (selector.trim(), body.trim()))
}

/// A rule with the colour of a series as one rule for each series and for the legend; other rules as they are. Rules that
/// only set that colour vanish.
fn series(selector: &str, body: &str) -> Vec<(String, String)> {
    if body.starts_with("--c:") {
        return Vec::new();
    }
    if !body.contains("var(--c)") {
        return vec![(selector.to_string(), body.to_string())];
    }
    let bare = selector.trim_start_matches("svg ");
    let of = |number: usize| (format!(".s{number} {bare}"), body.replace("var(--c)", &format!("var(--s{number})")));
    (0..8).map(of).chain([(format!("{bare}.key"), body.replace("var(--c)", "var(--soft)"))]).collect()
}

/// The classes that a selector names.
fn classes(selector: &str) -> impl Iterator<Item = &str> {
    selector.split(' ').flat_map(|part| part.split('.').skip(1))
}

/// The body of a rule with its colours written out.
fn coloured(body: &str, palette: &[(&str, &str)]) -> String {
    palette.iter().fold(body.to_string(), |body, (name, colour)| body.replace(&format!("var({name})"), colour))
}

type Palette = Vec<(&'static str, &'static str)>;

/// The light and the dark colours.
fn palettes() -> (Palette, Palette) {
    let of = |block: &'static str| {
        let pairs = block.split(';').filter_map(|pair| pair.split_once(':'));
        pairs.map(|(name, colour)| (name.trim(), colour.trim())).filter(|(name, _)| name.starts_with("--")).collect()
    };
    let mut blocks = PALETTE.split(":root {").skip(1).map(|rest| of(rest.split('}').next().unwrap_or_default()));
    (blocks.next().unwrap_or_default(), blocks.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_every_colour_a_light_and_a_dark_value_and_is_none_left_open() {
        let (light, dark) = palettes();
        let names = |palette: &Palette| palette.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        assert_eq!(names(&light), names(&dark));
        assert!(light.len() >= 24);
        let all: BTreeSet<&str> = rules(RULES).flat_map(|(selector, _)| classes(selector)).collect();
        let body: String = all.iter().map(|class| format!("class=\"{class}\"")).collect();
        let style = style(&body);
        assert!(!style.contains("var(") && !style.contains("--"), "{style}");
        assert!(style.contains(".s7 .dot{fill: #6b4f3a;}") && style.contains(".s7 .dot{fill: #d3b092;}"), "{style}");
    }

    #[test]
    fn is_a_long_legend_in_several_rows() {
        let all: Vec<Key> = (0..12).map(|k| Key::stroke("limit", format!("a series with a long name {k}"))).collect();
        let (_, one) = keys(&all[..1], 0.0, Size::Wide);
        let (_, many) = keys(&all, 0.0, Size::Wide);
        assert!(many >= one + 3.0 * 20.0, "{one} {many}");
    }
}
