//! A register as observed: its bits, and which of them are known.

/// A bit field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// The name of its accessor in this crate.
    pub name: &'static str,
    /// The abbreviation that tools print.
    pub label: &'static str,
    /// The lowest bit.
    pub low: u8,
    /// The highest bit.
    pub high: u8,
}

impl BitField {
    /// The mask of the field, in register position.
    pub const fn mask(self) -> u32 {
        let width = self.high - self.low + 1;
        let ones = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
        ones << self.low
    }
    /// True for a field of one bit.
    pub const fn is_flag(self) -> bool {
        self.low == self.high
    }
}

/// Up to 32 bits, some of which are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Register {
    value: u32,
    known: u32,
}

impl Register {
    /// No bit is known.
    pub const UNKNOWN: Register = Register { value: 0, known: 0 };

    /// `value` with `known` as the mask of known bits.
    pub const fn new(value: u32, known: u32) -> Register {
        Register { value: value & known, known }
    }
    /// The value of the known bits; unknown bits read as 0.
    pub const fn value(self) -> u32 {
        self.value
    }
    /// The mask of known bits.
    pub const fn known(self) -> u32 {
        self.known
    }
    /// True where no bit is known.
    pub const fn is_unknown(self) -> bool {
        self.known == 0
    }
    /// The field's value, right-aligned; `None` unless all of its bits are known.
    pub const fn get(self, field: BitField) -> Option<u32> {
        let mask = field.mask();
        if self.known & mask == mask { Some((self.value & mask) >> field.low) } else { None }
    }
    /// The same register with `value` in the field, which is then known; `None` where the value does not fit.
    #[must_use]
    pub const fn with(self, field: BitField, value: u32) -> Option<Register> {
        let mask = field.mask();
        if value > mask >> field.low {
            return None;
        }
        Some(Register { value: self.value & !mask | value << field.low, known: self.known | mask })
    }
    /// The bits that are known in both registers and differ.
    pub const fn conflict(self, other: Register) -> u32 {
        (self.value ^ other.value) & self.known & other.known
    }
    /// The bits that are known in either register. Where they conflict, those of `self` are kept.
    #[must_use]
    pub const fn or(self, other: Register) -> Register {
        let more = other.known & !self.known;
        Register { value: self.value | other.value & more, known: self.known | more }
    }
    /// The same register, with bits outside `mask` unknown.
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
    /// Sets the field with that label to `value`; false where there is no such field or the value does not fit.
    fn put(&mut self, label: &str, value: u32) -> bool {
        let filled = Self::field(label).and_then(|field| self.register().with(field, value));
        if let Some(filled) = filled {
            *self.register_mut() = filled;
        }
        filled.is_some()
    }
}

/// Declares a register: its name, its flags (`Option<bool>`), then its fields (`Option<u32>`), each with the label that
/// tools print.
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
