//! Source texts, places in them, and words with their places.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::fmt;
use std::sync::Arc;

/// A source text, with the name that errors show: a path, a catalogue file, or `--set`.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// As shown.
    pub name: String,
    /// All of it.
    pub text: String,
}

impl Source {
    /// A named text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Source> {
        Arc::new(Source { name: name.into(), text: text.into() })
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            inner.line(),
            inner.column(),
            inner.line_count(),
        )))
    }
}

/// A range of a source text.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    source: Arc<Source>,
    start: usize,
    len: usize,
}

impl Place {
    /// From `start` to `end` in bytes, limited to the text and moved to character boundaries.
    pub fn new(source: &Arc<Source>, start: usize, end: usize) -> Place {
        let bound = |at: usize| (0..=at.min(source.text.len())).rev().find(|&b| source.text.is_char_boundary(b));
        let start = bound(start).unwrap_or(0);
        let end = bound(end).unwrap_or(0).max(start);
        Place { source: Arc::clone(source), start, len: end - start }
    }
    /// The whole of a source of one line.
    pub fn whole(source: &Arc<Source>) -> Place {
        Place::new(source, 0, source.text.len())
    }
    /// The first occurrence of `word` within this place, or the place itself.
    pub fn of(&self, word: &str) -> Place {
        match self.written().find(word).filter(|_| !word.is_empty()) {
            Some(offset) => Place { start: self.start + offset, len: word.len(), ..self.clone() },
            None => self.clone(),
        }
    }
    /// The last `len` bytes of this place.
    pub fn last(&self, len: usize) -> Place {
        let len = len.min(self.len);
        Place { start: self.start + self.len - len, len, ..self.clone() }
    }
    /// The text at this place.
    pub fn written(&self) -> &str {
        self.source.text.get(self.start..self.start + self.len).unwrap_or("")
    }
    /// The source.
    pub fn source(&self) -> &Source {
        &self.source
    }
    /// The name of the source.
    pub fn file(&self) -> &str {
        &self.source.name
    }
    /// Line number, from 1.
    pub fn line(&self) -> usize {
        self.before().matches('\n').count() + 1
    }
    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.before().rsplit('\n').next().unwrap_or("").chars().count() + 1
    }
    /// The place in the form that error reports use.
    pub fn span(&self) -> SourceSpan {
        (self.start, self.len).into()
    }
    fn before(&self) -> &str {
        self.source.text.get(..self.start).unwrap_or("")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file(), self.line(), self.column())
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}+{}", self.len)
    }
}

/// A word of a source, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The word, without quotes and line folds.
    pub text: String,
    /// Its place.
    pub place: Place,
}

impl Text {
    /// A word that is not in a file, for example from the command line.
    pub fn alone(name: &str, text: &str) -> Text {
        Text { text: text.to_string(), place: Place::whole(&Source::new(name, text)) }
    }
}
