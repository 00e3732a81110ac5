//! Text in a picture: width, folding and escaping.

/// The typographic style of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The machine's name.
    Head,
    /// Title of a box.
    Title,
    /// Normal text.
    Plain,
    /// Secondary text.
    Small,
}

impl Face {
    /// Font size in pixels.
    pub fn size(self) -> f64 {
        match self {
            Face::Head => 17.0,
            Face::Title => 13.0,
            Face::Plain => 12.0,
            Face::Small => 11.0,
        }
    }
    /// Line height in pixels.
    pub fn leading(self) -> f64 {
        self.size() + 4.0
    }
    /// True for bold text.
    pub fn is_bold(self) -> bool {
        matches!(self, Face::Head | Face::Title)
    }
    /// The class of the style.
    pub fn class(self) -> &'static str {
        match self {
            Face::Head => "h",
            Face::Title => "t",
            Face::Plain => "p",
            Face::Small => "s",
        }
    }
}

/// Advance widths of DejaVu Sans for the characters from space to tilde, in thousandths of the font size. This font is
/// among the widest sans-serif fonts, so a text takes at most this width.
const ADVANCES: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637, 637, 637, 637, 637,
    637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632, 576, 775, 752, 295, 295, 656, 558, 863,
    749, 788, 604, 788, 695, 635, 611, 732, 685, 989, 686, 611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635,
    616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637,
    337, 637, 838,
];
/// Largest ratio of a bold letter's width to the normal one.
const BOLD: f64 = 1.27;
/// Width for characters without an entry, in thousandths. No character in names is wider.
const WIDEST: u16 = 1100;

/// Largest width of a text, in pixels.
pub fn width(text: &str, face: Face) -> f64 {
    let advance =
        |c: char| (c as usize).checked_sub(32).and_then(|place| ADVANCES.get(place)).copied().unwrap_or(WIDEST);
    let sum: f64 = text.chars().map(|c| f64::from(advance(c))).sum();
    sum * face.size() / 1000.0 * if face.is_bold() { BOLD } else { 1.0 }
}

/// The words of a text in lines of at most `most` pixels. A word wider than a line continues on the next.
pub fn wrap(text: &str, face: Face, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| width(&format!("{line} {word}"), face) <= most) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.extend(pieces(word, face, most)),
        }
    }
    lines
}

fn pieces(word: &str, face: Face, most: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        if let Some(piece) =
            pieces.last_mut().filter(|piece| piece.is_empty() || width(&format!("{piece}{c}"), face) <= most)
        {
            piece.push(c);
        } else {
            pieces.push(c.to_string());
        }
    }
    pieces
}

/// Escapes the characters that XML reserves, and removes those that XML cannot contain.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_name_with_signs_of_xml_stay_a_name() {
        assert_eq!(escape("<a & \"b\">\u{1}"), "&lt;a &amp; &quot;b&quot;&gt;");
    }

    #[test]
    fn is_no_line_wider_than_its_room_and_no_letter_lost() {
        let name = "Broadcom NetXtreme BCM5720 2-port-Gigabit-Ethernet-PCIe-with-a-long-name";
        for most in [20.0, 60.0, 100.0, 300.0] {
            let lines = wrap(name, Face::Title, most);
            assert!(lines.iter().all(|line| width(line, Face::Title) <= most), "{lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), name.replace(' ', ""));
        }
    }
}
