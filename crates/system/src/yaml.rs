//! YAML as a tree whose scalars are all text, with the place of each value. Numbers, booleans and nulls are not
//! interpreted: the field that a text is for does that.

use crate::error::{Error, Problem};
use crate::source::{Place, Source, Text};
use saphyr_parser::{Event, Parser, Span};
use std::collections::HashSet;
use std::sync::Arc;

/// The deepest nesting accepted.
const DEPTH: usize = 32;
/// The largest number of entries of a mapping or list.
pub(crate) const ENTRIES: usize = 1 << 16;
/// The largest size of a description, bytes.
const BYTES: usize = 4 << 20;

/// Advice for a syntax error.
const QUOTE_TEXTS: &str = "indent with spaces, quote texts that hold `: ` or ` #`";
/// Advice for a syntax error behind a path with an index that is not quoted.
const QUOTE_PATHS: &str =
    "inside of `{ }` and `[ ]`, quote texts that hold `[`, `{` or `,`, as in `join: \"sw.down[0] - card.pcie\"`";

/// A scalar, a list or a mapping.
#[derive(Clone, Debug)]
pub enum Value {
    /// Any scalar.
    Text(String),
    /// The elements in order.
    List(Vec<YamlNode>),
    /// The entries in order; no key twice.
    Map(Vec<(Text, YamlNode)>),
}

/// A value with its place.
#[derive(Clone, Debug)]
pub struct YamlNode {
    /// The value.
    pub value: Value,
    /// Where it starts; for a scalar, its whole range.
    pub place: Place,
}

impl YamlNode {
    /// Reads one document.
    ///
    /// # Errors
    /// Invalid YAML, several documents, anchors and aliases, duplicate keys, keys that are not scalars, excessive
    /// nesting or size.
    pub fn parse(source: &Arc<Source>) -> Result<YamlNode, Error> {
        Reader::new(source).read()
    }
    /// The content without layout: equal for two values that read alike.
    pub fn content(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("{text:?}"),
            Value::List(list) => format!("[{}]", list.iter().map(YamlNode::content).collect::<Vec<_>>().join(",")),
            Value::Map(map) => {
                let pairs = map.iter().map(|(key, node)| format!("{:?}:{}", key.text, node.content()));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
            }
        }
    }
    /// The text of a scalar.
    ///
    /// # Errors
    /// The value is a list or a mapping; `what` names it.
    pub fn text(&self, what: &str) -> Result<Text, Error> {
        match &self.value {
            Value::Text(text) => Ok(Text { text: text.clone(), place: self.place.clone() }),
            _ => Err(self.not(what, "a word or a number")),
        }
    }
    /// The elements of a list. A scalar counts as a list of one element.
    ///
    /// # Errors
    /// The value is a mapping; `what` names it.
    pub fn list(&self, what: &str) -> Result<&[YamlNode], Error> {
        match &self.value {
            Value::List(list) => Ok(list),
            Value::Text(text) if text.is_empty() => Ok(&[]),
            Value::Text(_) => Ok(std::slice::from_ref(self)),
            Value::Map(_) => Err(self.not(what, "a list")),
        }
    }
    /// The entries of a mapping. An empty value counts as an empty mapping.
    ///
    /// # Errors
    /// The value is a list or a scalar; `what` names it.
    pub fn map(&self, what: &str) -> Result<&[(Text, YamlNode)], Error> {
        match &self.value {
            Value::Map(map) => Ok(map),
            Value::Text(text) if text.is_empty() => Ok(&[]),
            _ => Err(self.not(what, "a mapping (`key: value`)")),
        }
    }
    fn not(&self, what: &str, wanted: &'static str) -> Error {
        let found = match self.value {
            Value::Text(_) => "a scalar",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        };
        Error::new(&self.place, Problem::Type { what: what.to_string(), wanted, found }, format!("write {wanted}"))
    }
}

/// A list or mapping that has not ended yet.
struct Open {
    value: Value,
    key: Option<Text>,
    /// The keys of a mapping so far.
    keys: HashSet<String>,
    place: Place,
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    /// Byte offsets of the characters, where the text is not all ASCII.
    offsets: Option<Vec<usize>>,
    open: Vec<Open>,
    root: Option<YamlNode>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Arc<Source>) -> Reader<'a> {
        let text = &source.text;
        let offsets = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Reader { source, offsets, open: Vec::new(), root: None }
    }

    fn read(mut self) -> Result<YamlNode, Error> {
        let text = &self.source.text;
        if text.len() > BYTES {
            let place = Place::new(self.source, 0, 0);
            let what = format!("{} bytes of description", text.len());
            return Err(Error::new(&place, Problem::TooMuch(what), format!("{BYTES} bytes are allowed")));
        }
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            match event {
                Ok((event, span)) => self.take(event, span)?,
                Err(error) => {
                    let at = self.byte(error.marker().index());
                    let place = Place::new(self.source, at, at + 1);
                    let help = if is_bare_path(text, at) { QUOTE_PATHS } else { QUOTE_TEXTS };
                    return Err(Error::new(&place, Problem::Syntax(error.info().to_string()), help));
                }
            }
        }
        let end = Place::new(self.source, 0, 0);
        self.root.ok_or_else(|| {
            let missing = Problem::Type { what: "the file".into(), wanted: "a mapping", found: "empty" };
            Error::new(&end, missing, "a description has `parts:` and `links:`")
        })
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Error> {
        let place = self.place(span);
        match event {
            Event::Scalar(text, ..) => self.add(YamlNode { value: Value::Text(text.trim().to_string()), place }),
            Event::SequenceStart(..) => self.begin(Value::List(Vec::new()), place),
            Event::MappingStart(..) => self.begin(Value::Map(Vec::new()), place),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(done) => self.add(YamlNode { value: done.value, place: done.place }),
                None => Ok(()),
            },
            Event::Alias(_) => {
                let problem = Problem::Syntax("aliases are not used in descriptions".into());
                Err(Error::new(&place, problem, "write it out, or use `count` and catalogue entries"))
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, place: Place) -> Result<(), Error> {
        if self.open.len() >= DEPTH {
            let problem = Problem::TooMuch(format!("more than {DEPTH} levels of nesting"));
            return Err(Error::new(&place, problem, "a description needs six"));
        }
        self.open.push(Open { value, key: None, keys: HashSet::new(), place });
        Ok(())
    }

    fn add(&mut self, node: YamlNode) -> Result<(), Error> {
        let Some(open) = self.open.last_mut() else {
            if self.root.is_some() {
                let problem = Problem::Syntax("a second document begins here".into());
                return Err(Error::new(&node.place, problem, "a file holds one description"));
            }
            self.root = Some(node);
            return Ok(());
        };
        let size = match &mut open.value {
            Value::List(list) => {
                list.push(node);
                list.len()
            }
            Value::Map(map) => {
                match open.key.take() {
                    Some(key) => map.push((key, node)),
                    None => open.key = Some(key(map, &mut open.keys, &node)?),
                }
                map.len()
            }
            Value::Text(_) => 0,
        };
        if size > ENTRIES {
            let problem = Problem::TooMuch(format!("more than {ENTRIES} entries in one place"));
            return Err(Error::new(&open.place, problem, "use `count` for arrays of parts"));
        }
        Ok(())
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source, self.byte(span.start.index()), self.byte(span.end.index()))
    }

    fn byte(&self, char_index: usize) -> usize {
        match &self.offsets {
            Some(offsets) => offsets.get(char_index).copied().unwrap_or(self.source.text.len()),
            None => char_index,
        }
    }
}

/// Reads a key of a mapping: a scalar that is not a key of the mapping yet.
fn key(map: &[(Text, YamlNode)], keys: &mut HashSet<String>, node: &YamlNode) -> Result<Text, Error> {
    let key = node.text("a key")?;
    if keys.insert(key.text.clone()) {
        return Ok(key);
    }
    match map.iter().find(|(k, _)| k.text == key.text) {
        Some((first, _)) => {
            let help = format!("the first is in line {}; leave one out", first.place.line());
            Err(Error::new(&key.place, Problem::Duplicate(key.text), help))
        }
        None => Ok(key),
    }
}

/// True where byte `at` is inside of `{ }` or `[ ]`, and a bracket there follows a name without a blank, as in `card[0]`.
fn is_bare_path(text: &str, at: usize) -> bool {
    let end = text[at.min(text.len())..].find('\n').map_or(text.len(), |line| at + line);
    let (mut open, mut inside, mut quote, mut before) = (Vec::new(), false, None, '\n');
    let mut bare = None;
    for (place, c) in text[..end].char_indices() {
        inside |= place >= at && !open.is_empty();
        match (c, quote) {
            ('\n', _) => quote = None,
            (_, Some(mark)) if c == mark => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) if !before.is_alphanumeric() => quote = Some(c),
            // The rest of the line is skipped as a quotation is.
            ('#', None) if before.is_whitespace() => quote = Some('\n'),
            ('[' | '{', None) => {
                if before.is_alphanumeric() && !open.is_empty() {
                    bare = bare.or(open.first().copied());
                }
                open.push(place);
            }
            (']' | '}', None) => drop(open.pop()),
            _ => {}
        }
        if open.is_empty() && place < at {
            bare = None;
        }
        before = c;
    }
    (inside || !open.is_empty()) && bare.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<YamlNode, Error> {
        YamlNode::parse(&Source::new("x.yaml", text))
    }

    #[test]
    fn a_scalar_knows_its_line_and_column() {
        let root = parse("a: 1\nß: { b: [x, 255 ns] }\n").unwrap();
        let map = root.map("root").unwrap();
        let inner = &map[1].1.map("inner").unwrap()[0].1.list("b").unwrap()[1];
        let text = inner.text("b").unwrap();
        assert_eq!(text.text, "255 ns");
        assert_eq!((text.place.line(), text.place.column()), (2, 13));
        assert_eq!(text.place.written(), "255 ns");
    }

    #[test]
    fn what_descriptions_do_not_use_is_refused_with_its_place() {
        let place = |text: &str| parse(text).unwrap_err().report().lines().next().unwrap_or("").to_string();
        assert_eq!(place("a: 1\nb: 2\na: 3"), "x.yaml:3:1: `a` is written twice");
        assert_eq!(place("a: &x 1\nb: *x"), "x.yaml:2:4: this is not YAML: aliases are not used in descriptions");
        assert_eq!(place("[a]: 1"), "x.yaml:1:1: a key should be a word or a number, and is a list");
        assert!(place("a: [1, 2").starts_with("x.yaml:1:"), "{}", place("a: [1, 2"));
        assert!(place("").contains("empty"));
        assert!(place(&"- ".repeat(200)).contains("nesting"));
        assert!(place("a: 1\n---\nb: 2").contains("second document"));
    }

    #[test]
    fn does_the_advice_for_brackets_round_a_path_name_the_quotes() {
        let advice = |text: &str| match YamlNode::parse(&Source::new("x.yaml", text)) {
            Ok(node) => panic!("{text} reads as {}", node.content()),
            Err(error) => error.advice().to_string(),
        };
        for bare in [
            "links:\n  - { join: chipset.down[0] - card.pcie, lanes: 4 }\n",
            "links: [ host.dmi - chipset.up,\n  chipset.down[0] - card.pcie ]\n",
            "flows: [card[0] -> host]\n",
            "flows: { a: card{0} -> host }\n",
            "about: the card's own # [\nflows: [card[0] -> host]\n",
        ] {
            assert_eq!(advice(bare), QUOTE_PATHS, "{bare}");
        }
        for other in ["a: b: c\n", "a:\n\t- b\n", "a: [1, 2\nb: 3\n", "a: [\"card[0] -> host\"\nb: c: d\n"] {
            assert_eq!(advice(other), QUOTE_TEXTS, "{other}");
        }
    }
}
