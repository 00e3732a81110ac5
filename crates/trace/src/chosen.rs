//! The choice of links to write.

use system::graph::Direction;
use system::{LinkId, System};

/// A choice of links, by the names of their ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Patterns, any of which may match; all links where there are none.
    patterns: Vec<String>,
}

/// A pattern that no link matches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no link matches `{pattern}`")]
pub struct ChosenError {
    /// As asked.
    pub pattern: String,
    /// What there is.
    pub links: Vec<String>,
}

/// A pattern that matches no direction, or several.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` matches {count} directions of links, and one is wanted")]
pub struct DirectionError {
    /// As asked.
    pub pattern: String,
    /// How many match.
    pub count: usize,
    /// Those that match; all where none does.
    pub directions: Vec<String>,
}

impl Chosen {
    /// Reads patterns separated by commas. A link is chosen if a pattern matches the name of a port at either end
    /// (`card[0].pcie`), of a part there (`card[0]`), or of a direction (`card[0].pcie -> board[0].down[0]`). `*`
    /// matches any text; brackets match themselves.
    ///
    /// # Errors
    /// A pattern that matches no link of `system`.
    pub fn parse(text: &str, system: &System) -> Result<Chosen, ChosenError> {
        let patterns: Vec<String> = text.split(',').map(|p| p.trim().to_string()).filter(|p| !p.is_empty()).collect();
        let of_all = |pattern: &String| (0..system.links.len()).any(|link| matches(pattern, system, LinkId(link)));
        if let Some(pattern) = patterns.iter().find(|pattern| !of_all(pattern)) {
            let name = |link| system.direction_name(Direction { link: LinkId(link), up: true });
            return Err(ChosenError { pattern: pattern.clone(), links: (0..system.links.len()).map(name).collect() });
        }
        Ok(Chosen { patterns })
    }

    /// The only direction whose name (`card[0].pcie -> board[0].down[0]`) matches `pattern`.
    ///
    /// # Errors
    /// A pattern that matches no direction of `system`, or several.
    pub fn direction(pattern: &str, system: &System) -> Result<Direction, DirectionError> {
        let all = crate::names::directions(system);
        let matching: Vec<Direction> = all.filter(|&on| like(pattern.trim(), &system.direction_name(on))).collect();
        let error = |directions: Vec<Direction>| DirectionError {
            pattern: pattern.to_string(),
            count: matching.len(),
            directions: directions.into_iter().map(|on| system.direction_name(on)).collect(),
        };
        match matching[..] {
            [on] => Ok(on),
            [] => Err(error(crate::names::directions(system).collect())),
            _ => Err(error(matching.clone())),
        }
    }

    /// True where `link` is written.
    pub fn has(&self, system: &System, link: LinkId) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| matches(pattern, system, link))
    }
}

fn matches(pattern: &str, system: &System, link: LinkId) -> bool {
    let ends = [system.link(link).upper, system.link(link).lower].map(|end| system.port(end));
    let directions = [true, false].map(|up| system.direction_name(Direction { link, up }));
    ends.iter().any(|port| like(pattern, &port.name) || like(pattern, &system.part(port.part).name))
        || directions.iter().any(|name| like(pattern, name))
}

/// True where `text` matches `pattern`, in which `*` matches any text.
fn like(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(before) = last.replace(piece) {
            let Some(at) = rest.find(before) else { return false };
            rest = &rest[at + before.len()..];
        }
    }
    last.map_or(rest.is_empty(), |piece| rest.ends_with(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_names_does_a_pattern_match() {
        for (pattern, text, expected) in [
            ("card[0]", "card[0]", true),
            ("card[0]", "card[01]", false),
            ("card*", "card[7].pcie", true),
            ("*down*", "board[0].down[1]", true),
            ("*.up", "board[0].up", true),
            ("*.up", "board[0].up -> x", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("*", "", true),
            ("", "x", false),
            ("aa*aa", "aaa", false),
        ] {
            assert_eq!(like(pattern, text), expected, "{pattern} {text}");
        }
    }
}
