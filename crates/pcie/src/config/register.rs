//! One register as observed: its bits, and which of them are known.

/// Some bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// The name in this crate: that of the accessor.
    pub name: &'static str,
    /// The abbreviation that tools print.
    pub label: &'static str,
    /// The lowest bit.
    pub low: u8,
    /// The highest bit.
    pub high: u8,
}

impl BitField {
    /// The bits of the field, in their place.
    pub const fn mask(self) -> u32 {
        let width = self.high - self.low + 1;
        let ones = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
        ones << self.low
    }
    /// One bit wide.
    pub const fn is_flag(self) -> bool {
        self.low == self.high
    }
}

/// Up to 32 bits of which some are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Register {
    value: u32,
    known: u32,
}

impl Register {
    /// Nothing known.
    pub const UNKNOWN: Register = Register { value: 0, known: 0 };

    /// The bits of `known`, with the values they have in `value`.
    pub const fn new(value: u32, known: u32) -> Register {
        Register { value: value & known, known }
    }
    /// The known bits; unknown ones are 0 here.
    pub const fn value(self) -> u32 {
        self.value
    }
    /// Which bits are known.
    pub const fn known(self) -> u32 {
        self.known
    }
    /// No bit is known.
    pub const fn is_unknown(self) -> bool {
        self.known == 0
    }
    /// The field's value, right-aligned; `None` unless all of its bits are known.
    pub const fn get(self, field: BitField) -> Option<u32> {
        let mask = field.mask();
        if self.known & mask == mask { Some((self.value & mask) >> field.low) } else { None }
    }
    /// The same register with the field known as `value`; `None` where the value does not fit.
    #[must_use]
    pub const fn with(self, field: BitField, value: u32) -> Option<Register> {
        let mask = field.mask();
        if value > mask >> field.low {
            return None;
        }
        Some(Register { value: self.value & !mask | value << field.low, known: self.known | mask })
    }
    /// The bits that both know and do not agree on.
    pub const fn conflict(self, other: Register) -> u32 {
        (self.value ^ other.value) & self.known & other.known
    }
    /// What both know together; where they conflict, `self` stands.
    #[must_use]
    pub const fn or(self, other: Register) -> Register {
        let more = other.known & !self.known;
        Register { value: self.value | other.value & more, known: self.known | more }
    }
    /// Knows only the bits of `mask` any more.
    #[must_use]
    pub const fn only(self, mask: u32) -> Register {
        Register { value: self.value & mask, known: self.known & mask }
    }
}

/// A register with a name and named fields.
pub trait NamedRegister {
    /// The abbreviation that tools print, as in `LnkSta`.
    const NAME: &'static str;
    /// Its fields, lowest first.
    const FIELDS: &'static [BitField];
    /// The bits.
    fn register(&self) -> Register;
    /// The bits, to be filled in.
    fn register_mut(&mut self) -> &mut Register;

    /// The field with that label.
    fn field(label: &str) -> Option<BitField> {
        Self::FIELDS.iter().copied().find(|field| field.label == label)
    }
    /// Makes the field with that label known as `value`; false where there is none or the value does not fit.
    fn put(&mut self, label: &str, value: u32) -> bool {
        let filled = Self::field(label).and_then(|field| self.register().with(field, value));
        if let Some(filled) = filled {
            *self.register_mut() = filled;
        }
        filled.is_some()
    }
}

/// Declares a register: its name, then flags (`Option<bool>`), then fields (`Option<u32>`), each with the label
/// that tools print.
macro_rules! register {
    (
        $(#[$doc:meta])* $name:ident $title:literal
        flags { $( $(#[$flag_doc:meta])* $flag:ident $flag_label:literal $bit:literal; )* }
        fields { $( $(#[$field_doc:meta])* $field:ident $label:literal $low:literal..=$high:literal; )* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub $crate::config::register::Register);

        impl $crate::config::register::NamedRegister for $name {
            const NAME: &'static str = $title;
            const FIELDS: &'static [$crate::config::register::BitField] = &[
                $( $crate::config::register::BitField {
                    name: stringify!($flag), label: $flag_label, low: $bit, high: $bit,
                }, )*
                $( $crate::config::register::BitField {
                    name: stringify!($field), label: $label, low: $low, high: $high,
                }, )*
            ];
            fn register(&self) -> $crate::config::register::Register {
                self.0
            }
            fn register_mut(&mut self) -> &mut $crate::config::register::Register {
                &mut self.0
            }
        }

        impl From<$crate::config::register::Register> for $name {
            fn from(register: $crate::config::register::Register) -> $name {
                $name(register)
            }
        }

        impl $name {
            $( $(#[$flag_doc])* pub fn $flag(self) -> Option<bool> {
                self.0
                    .get($crate::config::register::BitField {
                        name: stringify!($flag), label: $flag_label, low: $bit, high: $bit,
                    })
                    .map(|bit| bit == 1)
            } )*
            $( $(#[$field_doc])* pub fn $field(self) -> Option<u32> {
                self.0.get($crate::config::register::BitField {
                    name: stringify!($field), label: $label, low: $low, high: $high,
                })
            } )*
        }
    };
}
pub(crate) use register;

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: BitField = BitField { name: "low", label: "Low", low: 0, high: 3 };
    const TOP: BitField = BitField { name: "top", label: "Top", low: 31, high: 31 };

    #[test]
    fn is_a_field_absent_until_each_of_its_bits_is_known() {
        let half = Register::new(0b0101, 0b0111);
        assert_eq!(half.get(LOW), None);
        assert_eq!(half.with(LOW, 9).and_then(|r| r.get(LOW)), Some(9));
        assert_eq!(half.with(LOW, 16), None);
        assert_eq!(Register::UNKNOWN.with(TOP, 1).map(Register::value), Some(1 << 31));
    }

    #[test]
    fn do_two_views_of_a_register_join_and_say_where_they_conflict() {
        let (text, hex) = (Register::new(0b0110, 0b0111), Register::new(0b1010, u32::MAX));
        assert_eq!(text.conflict(hex), 0b0100);
        assert_eq!(text.or(hex).value(), 0b1110);
        assert_eq!(text.or(hex).known(), u32::MAX);
    }
}
