//! Capabilities as lists of registers at offsets.

use crate::config::register::{BitField, Register};

/// One register of a capability, looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The abbreviation that tools print.
    pub name: &'static str,
    /// Bytes from the capability's start.
    pub offset: u16,
    /// Bytes: 1, 2 or 4.
    pub size: u8,
    /// Its fields.
    pub fields: &'static [BitField],
    /// Its bits.
    pub register: Register,
}

/// One register of a capability, to be filled in.
#[derive(Debug)]
pub struct Slot<'a> {
    /// The abbreviation that tools print.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [BitField],
    /// Its bits.
    pub register: &'a mut Register,
}

impl Slot<'_> {
    /// Sets the field with that label to `value`; false where there is no such field or the value does not fit.
    pub fn put(&mut self, label: &str, value: u32) -> bool {
        let field = self.fields.iter().copied().find(|field| field.label == label);
        let filled = field.and_then(|field| self.register.with(field, value));
        if let Some(filled) = filled {
            *self.register = filled;
        }
        filled.is_some()
    }
}

/// What every capability of registers can show.
pub trait Layout {
    /// Its registers, in order.
    fn views(&self) -> Vec<View>;
    /// The same, to be filled in.
    fn slots(&mut self) -> Vec<Slot<'_>>;

    /// The register with that name, to be filled in.
    fn slot(&mut self, name: &str) -> Option<Slot<'_>> {
        self.slots().into_iter().find(|slot| slot.name == name)
    }
}

/// Declares a capability: its registers, each with its offset and its size in bytes.
macro_rules! layout {
    (
        $(#[$doc:meta])* $name:ident
        { $( $(#[$member_doc:meta])* $member:ident: $register:ty = $offset:literal, $size:literal; )* }
        $( more { $( $(#[$more_doc:meta])* $more:ident: $type:ty; )* } )?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $( $(#[$member_doc])* pub $member: $register, )*
            $( $( $(#[$more_doc])* pub $more: $type, )* )?
        }

        impl $name {
            /// The registers at `start`, as far as the bytes go.
            fn registers_at(space: &$crate::config::space::ConfigSpace, start: u16) -> $name {
                $name {
                    $( $member: <$register>::from(space.register(start.saturating_add($offset), $size)), )*
                    $( $( $more: Default::default(), )* )?
                }
            }
        }

        impl $crate::config::layout::Layout for $name {
            fn views(&self) -> Vec<$crate::config::layout::View> {
                vec![ $( $crate::config::layout::View {
                    name: <$register as $crate::config::register::NamedRegister>::NAME,
                    offset: $offset,
                    size: $size,
                    fields: <$register as $crate::config::register::NamedRegister>::FIELDS,
                    register: $crate::config::register::NamedRegister::register(&self.$member),
                }, )* ]
            }
            fn slots(&mut self) -> Vec<$crate::config::layout::Slot<'_>> {
                vec![ $( $crate::config::layout::Slot {
                    name: <$register as $crate::config::register::NamedRegister>::NAME,
                    fields: <$register as $crate::config::register::NamedRegister>::FIELDS,
                    register: $crate::config::register::NamedRegister::register_mut(&mut self.$member),
                }, )* ]
            }
        }
    };
}
pub(crate) use layout;
