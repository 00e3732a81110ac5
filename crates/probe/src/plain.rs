//! Text that a terminal prints and does not obey: what was read may be shown, whoever wrote it.

use crate::machine::Machine;
use std::borrow::Cow;

/// What begins a sequence of colours and the like.
const ESCAPE: char = '\u{1b}';

/// True of what a terminal acts upon, or what turns the order of the letters around it (Unicode Bidirectional Algorithm,
/// explicit directional formatting); blanks that part words and lines are none of it.
fn is_control(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() && !matches!(c, '\n' | '\t')
}

/// Without sequences of colours (ECMA-48, control sequences), and with U+FFFD for every other control character.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ESCAPE if rest.next_if_eq(&'[').is_some() => {
                // Parameters and intermediate bytes, then one final byte.
                while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
                rest.next_if(|c| matches!(c, '@'..='~'));
            }
            '\r' if matches!(rest.peek(), Some('\n') | None) => {}
            c if is_control(c) => shown.push(char::REPLACEMENT_CHARACTER),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// The same, in place, and on one line.
fn clean(text: &mut String) {
    if text.contains(|c| is_control(c) || c == '\n' || c == '\t') {
        *text = plain(text).replace(['\n', '\t'], " ");
    }
}

impl Machine {
    /// Makes every text in it plain: names, labels, drivers, what was not understood.
    pub fn make_plain(&mut self) {
        let whole = [&mut self.kernel, &mut self.product, &mut self.aspm_policy].into_iter().flatten();
        whole.chain([&mut self.name]).for_each(clean);
        self.numa.values_mut().filter_map(|node| node.cpus.as_mut()).for_each(clean);
        for remark in &mut self.remarks {
            clean(&mut remark.what);
            if let crate::remark::Place::File(file) = &mut remark.place {
                clean(file);
            }
        }
        for function in self.functions.values_mut() {
            let (names, os) = (&mut function.names, &mut function.os);
            let all = [&mut names.class, &mut names.device, &mut names.subsystem, &mut os.local_cpus, &mut os.driver]
                .into_iter()
                .chain([&mut os.label, &mut os.slot, &mut os.power_state, &mut os.runtime_status]);
            all.flatten().for_each(clean);
            os.iommu.iter_mut().filter_map(|group| group.kind.as_mut()).for_each(clean);
            os.modules.iter_mut().chain(&mut os.nets).chain(&mut os.cards).for_each(clean);
            os.net_speeds.iter_mut().for_each(|(name, _)| clean(name));
            for block in &mut os.blocks {
                clean(&mut block.name);
                block.model.as_mut().into_iter().for_each(clean);
            }
            function.capabilities.0.iter_mut().for_each(|capability| clean(&mut capability.text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_text_without_controls_left_as_it_is_and_no_other_reaches_a_terminal() {
        assert!(matches!(plain("NVMe SSD\tµ 東\n"), Cow::Borrowed(_)));
        assert_eq!(plain("\u{1b}[01;31mNVMe\u{1b}[m SSD"), "NVMe SSD");
        assert_eq!(plain("a\u{1b}]0;title\u{7}b\u{9b}c\u{202e}d"), "a\u{fffd}]0;title\u{fffd}b\u{fffd}c\u{fffd}d");
        assert_eq!(plain("one\r\ntwo\r"), "one\ntwo");
        assert_eq!(plain("\u{1b}[\u{1b}[31"), "");
    }
}
