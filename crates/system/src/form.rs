//! What may be written for a field, in a form that a program can check: for the schema.

/// What a field's text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Anything.
    Any,
    /// A number and one of these units.
    Quantity(&'static [&'static str]),
    /// A whole number of so much at least.
    Whole(u64),
    /// One of these words.
    Words(&'static [&'static str]),
    /// `yes` or `no`.
    Switch,
    /// 128 to 4096 bytes, with or without their unit.
    PayloadSize,
    /// One of two forms.
    Or(&'static Form, &'static Form),
}

/// What is written for a figure without limit.
pub const UNLIMITED: Form = Form::Words(&["infinite", "none"]);
