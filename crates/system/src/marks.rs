//! The marks of a field in [`params!`](crate::params), and the next values that they give.

use crate::better::{Better, Holds, Next, NextValue, Sizes};
use crate::cause::Wait;
use crate::field::{Field, Nature};
use crate::scale::Scale;
use pcie::PayloadSize;

/// The size of a step where the value is continuous.
const LITTLE: f64 = 1.05;

/// The marks of a field in [`params!`](crate::params).
impl Field {
    /// A driver or an administrator can change it, up to the described value.
    pub const fn chosen(self) -> Field {
        Field { nature: Nature::Chosen, ..self }
    }
    /// It is a mechanism of the standard: switching it off shows its cost.
    pub const fn mechanism(self) -> Field {
        Field { nature: Nature::Mechanism, ..self }
    }
    /// Ports of a host or a switch may have values of their own.
    pub const fn port(self) -> Field {
        Field { is_of_port: true, ..self }
    }
    /// More is faster.
    pub const fn more(self) -> Field {
        Field { better: Better::More, ..self }
    }
    /// Less is faster.
    pub const fn less(self) -> Field {
        Field { better: Better::Less, ..self }
    }
    /// More or less may be faster.
    pub const fn either(self) -> Field {
        Field { better: Better::Either, ..self }
    }
    /// No value is faster than another.
    pub const fn neither(self) -> Field {
        Field { better: Better::Neither, ..self }
    }
    /// This word is faster than the others.
    pub const fn word(self, word: &'static str) -> Field {
        Field { better: Better::Word(word), ..self }
    }
    /// Its values are powers of two, and more is faster.
    pub const fn doubled(self) -> Field {
        Field { better: Better::More, next: Next::Double, ..self }
    }
    /// Bytes of payload in a TLP; more is faster.
    pub const fn of_payload(self) -> Field {
        Field { better: Better::More, next: Next::Payload, ..self }
    }
    /// A buffer; more is faster.
    pub const fn holds(self, what: Holds) -> Field {
        Field { better: Better::More, next: Next::Room(what), ..self }
    }
    /// Firmware or training settles it with the values of other parts: what it is settled to is changed in its place.
    pub const fn settled(self) -> Field {
        Field { is_settled: true, ..self }
    }
    /// Another value needs another build of compiled gateware.
    pub const fn of_build(self) -> Field {
        Field { is_of_build: true, ..self }
    }
    /// What a link waits for when this field is what holds a flow back. Without, any wait may be due to it.
    pub const fn waits(self, waits: &'static [Wait]) -> Field {
        Field { waits, ..self }
    }
}

impl Field {
    /// The next values that may make a flow faster, the smallest step first; none for `infinite`, and where there is no
    /// better value.
    pub fn steps(&self, from: &str, sizes: Sizes) -> Vec<NextValue> {
        let Some(number) = self.scale.number(from) else {
            return match self.better {
                Better::Word(word) if word != from => vec![NextValue { to: word.to_string(), ratio: None }],
                _ => Vec::new(),
            };
        };
        let least = if let Scale::Whole(least) = self.scale { least as f64 } else { 0.0 };
        let numbers = match self.better {
            Better::More => self.larger(number, sizes),
            Better::Less => vec![self.smaller(number)],
            Better::Either => [vec![self.smaller(number)], self.larger(number, sizes)].concat(),
            Better::Word(_) | Better::Neither | Better::Unsaid => Vec::new(),
        };
        let legal = numbers.into_iter().filter(|&to| to >= least && to != number);
        let step = |to: f64| {
            let ratio = (to.min(number) > 0.0).then(|| to.max(number) / to.min(number));
            NextValue { to: self.scale.write(to), ratio }
        };
        // What rounds to the present value, or to none, is no step.
        let told = |step: &NextValue| step.to != from && self.scale.number(&step.to).is_some_and(|to| to != number);
        legal.map(step).filter(told).collect()
    }

    /// Values that are a large step better, for what a change of the part would bring: half or double of a number, the next
    /// payload size, this word or, where none is known to be faster, all others. `infinite` has none.
    pub fn improved(&self, from: &str) -> Vec<String> {
        let Some(number) = self.scale.number(from).filter(|&number| number > 0.0) else {
            return match self.better {
                _ if self.scale.number(from).is_some() => Vec::new(),
                Better::Word(word) if word == from => Vec::new(),
                Better::Word(word) => vec![word.to_string()],
                _ => self.scale.beside(from),
            };
        };
        if self.scale == Scale::Size {
            let larger = |to: &String| self.scale.number(to).is_some_and(|to| to > number);
            return self.scale.beside(from).into_iter().filter(larger).collect();
        }
        let numbers = match self.better {
            Better::More => vec![number * 2.0],
            Better::Less => vec![number / 2.0],
            Better::Either => vec![number * 2.0, number / 2.0],
            Better::Word(_) | Better::Neither | Better::Unsaid => Vec::new(),
        };
        let legal = numbers.into_iter().filter(|n| !matches!(self.scale, Scale::Whole(_)) || n.fract() == 0.0);
        legal.map(|n| self.scale.write(n)).filter(|to| self.scale.number(to) != Some(number)).collect()
    }

    /// True where a better value can also slow a flow down or stop it, with small buffers or few credits: TLPs, requests
    /// and pages become larger.
    pub fn may_harm(&self) -> bool {
        self.scale == Scale::Size || matches!(self.next, Next::Double | Next::Payload)
    }

    fn smaller(&self, number: f64) -> f64 {
        match (self.scale, self.next) {
            (_, Next::Double) => number / 2.0,
            (Scale::Bytes | Scale::Whole(_), _) => (number / LITTLE).floor().min(number - 1.0),
            _ => number / LITTLE,
        }
    }

    fn larger(&self, number: f64, sizes: Sizes) -> Vec<f64> {
        let little = match self.scale {
            Scale::Bytes | Scale::Whole(_) => (number * LITTLE).ceil().max(number + 1.0),
            Scale::Size => {
                return PayloadSize::new(number as u64 * 2).map(|size| size.bytes() as f64).into_iter().collect();
            }
            _ => number * LITTLE,
        };
        let mut all = match self.next {
            Next::Little => vec![little],
            Next::Double => vec![number * 2.0],
            Next::Payload => vec![(number + (number * (LITTLE - 1.0) / 4.0).ceil() * 4.0).min(sizes.payload as f64)],
            Next::Room(what) => vec![little, number + what.room(sizes) as f64],
        };
        all.retain(|&to| to > number);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Cap, Count, Params};
    use pcie::{Bytes, Rate, Time};

    crate::params! {
        /// One field of each sort.
        struct Sorts {
            /// A time.
            delay: Time = Time::from_ns(100),
            /// A rate.
            rate: Cap<Rate> = Cap(Some(Rate(1e9))),
            /// Requests.
            requests: Count = Count(8); more,
            /// Cycles.
            cycles: u64 = 3; less,
            /// Completions for each interrupt.
            moderated: Count = Count(3); either,
            /// A buffer.
            buffer: Bytes = Bytes(1024); holds(Holds::Tlps),
            /// Credits.
            credits: Cap<Count> = Cap(Some(Count(32))); holds(Holds::DataCredits) port,
            /// Width.
            width: Bytes = Bytes(8); doubled of_build,
            /// Payload.
            payload: Cap<Count> = Cap(Some(Count(120))); chosen of_payload,
            /// Whether it waits.
            waits: bool = true; word("no"),
            /// Its number.
            number: u64 = 1; neither,
            /// Nobody said.
            unsaid: u64 = 1,
        }
    }

    fn steps(name: &str, from: &str) -> Vec<String> {
        let field = Sorts::FIELDS.iter().find(|field| field.name == name).unwrap();
        let sizes = Sizes { payload: 128, request: 512 };
        field.steps(from, sizes).into_iter().map(|step| step.to).collect()
    }

    #[test]
    fn what_are_the_next_values_of_each_sort_of_field() {
        assert_eq!(steps("delay", "105 ns"), ["100 ns"]);
        assert_eq!(steps("rate", "1000 MB/s"), ["1050 MB/s"]);
        assert_eq!((steps("requests", "8"), steps("requests", "100")), (vec!["9".into()], vec!["105".into()]));
        assert_eq!((steps("cycles", "3"), steps("cycles", "0")), (vec!["2".into()], Vec::new()));
        assert_eq!(steps("moderated", "3"), ["2", "4"]);
        assert_eq!(steps("moderated", "1"), ["2"], "none is no count");
        assert_eq!(steps("buffer", "1 KiB"), ["1076 B", "1176 B"]);
        assert_eq!(steps("credits", "32"), ["34", "40"]);
        assert_eq!(steps("width", "8 B"), ["16 B"]);
        assert_eq!((steps("payload", "120"), steps("payload", "128")), (vec!["128".into()], Vec::new()));
        assert_eq!((steps("waits", "yes"), steps("waits", "no")), (vec!["no".into()], Vec::new()));
        assert!(steps("rate", "infinite").is_empty() && steps("credits", "infinite").is_empty());
        assert!(steps("number", "1").is_empty() && steps("unsaid", "1").is_empty());
    }

    #[test]
    fn what_is_a_large_step_of_each_sort_of_field() {
        let improved =
            |name: &str, from: &str| Sorts::FIELDS.iter().find(|field| field.name == name).unwrap().improved(from);
        assert_eq!((improved("delay", "300 ns"), improved("delay", "0 us")), (vec!["150 ns".into()], Vec::new()));
        assert_eq!((improved("requests", "4"), improved("cycles", "4")), (vec!["8".into()], vec!["2".into()]));
        assert_eq!((improved("cycles", "1"), improved("moderated", "4")), (Vec::new(), vec!["8".into(), "2".into()]));
        assert_eq!((improved("waits", "yes"), improved("waits", "no")), (vec!["no".into()], Vec::new()));
        assert!(improved("rate", "infinite").is_empty() && improved("number", "4").is_empty());
    }

    #[test]
    fn are_the_marks_of_a_field_what_it_says() {
        let field = |name: &str| Sorts::FIELDS.iter().find(|field| field.name == name).unwrap();
        assert!(field("credits").is_of_port && field("width").is_of_build && field("width").may_harm());
        assert_eq!((field("payload").nature, field("delay").nature), (Nature::Chosen, Nature::Built));
        assert_eq!(field("unsaid").better, Better::Unsaid);
    }
}
