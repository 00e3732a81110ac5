//! What all pictures share: two sizes, numbers in SVG notation, and titles for screen readers.

use maud::{Markup, html};

/// The two sizes of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Wide,
    Narrow,
}

impl Size {
    pub fn width(self) -> f64 {
        match self {
            Size::Wide => 760.0,
            Size::Narrow => 350.0,
        }
    }
    pub fn is_wide(self) -> bool {
        self == Size::Wide
    }
    fn class(self) -> &'static str {
        if self.is_wide() { "wide" } else { "narrow" }
    }
}

/// A picture in both sizes. `id` is unique in the page. `draw` returns the content and its height.
pub(crate) fn picture(id: &str, title: &str, about: &str, draw: impl Fn(Size) -> (Markup, f64)) -> Markup {
    let one = |size: Size| {
        let (inside, height) = draw(size);
        let id = format!("{id}-{}", size.class());
        let labels = format!("{id}-title {id}-about");
        html! {
            svg class=(size.class()) viewBox=(format!("0 0 {} {}", n(size.width()), n(height))) role="img"
                aria-labelledby=(labels) xmlns="http://www.w3.org/2000/svg" {
                title id=(format!("{id}-title")) { (title) }
                desc id=(format!("{id}-about")) { (about) }
                (inside)
            }
        }
    };
    html! { (one(Size::Wide)) (one(Size::Narrow)) }
}

/// A line of a legend: a mark of 26 by 10 pixels, and what it stands for.
pub(crate) struct Key {
    /// The classes of the line.
    pub class: String,
    pub mark: Markup,
    pub name: String,
}

impl Key {
    /// A stroke of a class.
    pub fn stroke(class: &str, name: impl Into<String>) -> Key {
        let mark = html! { line class=(class) x1="1" x2="25" y1="5" y2="5" {} };
        Key { class: String::new(), mark, name: name.into() }
    }
    /// A filled box of a class.
    pub fn filled(class: &str, name: impl Into<String>) -> Key {
        let mark = html! { rect class=(class) x="1" y="0" width="24" height="10" {} };
        Key { class: String::new(), mark, name: name.into() }
    }
}

/// A legend of the page.
pub(crate) fn legend(keys: &[Key]) -> Markup {
    html! {
        ul class="legend" {
            @for key in keys {
                li class=[(!key.class.is_empty()).then_some(&key.class)] { svg viewBox="0 0 26 10" aria-hidden="true" { (key.mark) } (key.name) }
            }
        }
    }
}

/// A coordinate with one decimal digit, which is finer than any screen.
pub(crate) fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// The error against a published figure as a percentage; a value that rounds to zero has no sign.
pub(crate) fn apart(error_percent: f64) -> String {
    let rounded = (error_percent * 10.0).round() / 10.0;
    if rounded == 0.0 { "0.0 %".to_string() } else { format!("{rounded:+.1} %") }
}

/// A sentence in which text between backticks becomes code.
pub(crate) fn prose(text: &str) -> Markup {
    let pieces: Vec<&str> = text.split('`').collect();
    // A backtick without a partner is an ordinary character.
    let paired = pieces.len() % 2 == 1;
    html! {
        @if paired {
            @for (number, piece) in pieces.iter().enumerate() {
                @if number % 2 == 1 { code { (piece) } } @else { (piece) }
            }
        } @else {
            (text)
        }
    }
}

/// The class for the colour of a series.
pub(crate) fn colour(series: usize) -> String {
    format!("s{}", series % 8)
}

/// Approximate width of a text in pixels, accurate enough to avoid overlaps. The mean glyph of a sans-serif font is
/// slightly more than half as wide as it is high.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

/// Moves labels apart in place, so that their distance is at least `step`. They keep their order, and stay between
/// `top` and `bottom` where there is room.
pub(crate) fn spread(places: &mut [f64], step: f64, top: f64, bottom: f64) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let mut least = top;
    for &place in &order {
        places[place] = places[place].max(least);
        least = places[place] + step;
    }
    let mut most = bottom;
    for &place in order.iter().rev() {
        places[place] = places[place].min(most);
        most = places[place] - step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounds_to_zero_has_no_sign_and_code_no_backticks() {
        assert_eq!((apart(-0.04).as_str(), apart(-0.06).as_str(), apart(2.0).as_str()), ("0.0 %", "-0.1 %", "+2.0 %"));
        assert_eq!(prose("set `mps` to `<256>`").into_string(), "set <code>mps</code> to <code>&lt;256&gt;</code>");
        assert_eq!(prose("one ` alone").into_string(), "one ` alone");
    }

    #[test]
    fn do_labels_that_are_moved_apart_keep_their_order_and_their_distance() {
        let mut places = [50.0, 51.0, 49.0, 100.0, 99.0];
        spread(&mut places, 14.0, 0.0, 100.0);
        assert!(places[2] < places[0] && places[0] < places[1] && places[4] < places[3]);
        let mut sorted = places.to_vec();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 14.0 - 1e-9) && sorted[4] <= 100.0);
    }
}
