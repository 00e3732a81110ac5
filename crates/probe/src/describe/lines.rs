//! Lines of YAML.

/// A text under construction.
#[derive(Default)]
pub(super) struct Lines {
    pub text: String,
}

impl Lines {
    pub fn line(&mut self, depth: usize, text: &str) {
        self.text += &format!("{}{text}\n", "  ".repeat(depth));
    }
    /// A comment; what comes from the machine cannot end it.
    pub fn comment(&mut self, text: &str) {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.line(0, &format!("# {plain}"));
    }
}

/// A text between quotes, whatever it holds. JSON's strings are strings of YAML.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A figure that nobody read.
pub(super) fn assumed(value: &str, why: &str) -> String {
    format!("{{ value: {value}, assumed: {} }}", quoted(why))
}
