//! Fields: the typed and documented settings of a kind of part. [`params!`](crate::params) declares each of them once;
//! descriptions, catalogue, `--set` and axes read them in the same way.

pub use crate::better::{Better, Holds, Next, NextValue, Sizes};
use crate::cause::Wait;
pub use crate::field_type::FieldType;
pub use crate::quantity::{Cap, Count, Frequency, MOST_TIME, Ppm, instead, is_too_long};
pub use crate::scale::Scale;

/// The declaration of a field, for help, schema and sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// As written in a description.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// What it accepts, with an example.
    pub expects: &'static str,
    /// Its type of quantity.
    pub scale: Scale,
    /// Words that it accepts in place of a quantity.
    pub instead: &'static [&'static str],
    /// Who can change it.
    pub nature: Nature,
    /// True where ports of a host or a switch may have values of their own (`; port` in [`params!`](crate::params)).
    pub is_of_port: bool,
    /// Which values make a flow faster.
    pub better: Better,
    /// Its next legal value.
    pub next: Next,
    /// True where firmware or training settles it with the values of other parts.
    pub is_settled: bool,
    /// True where another value needs another build of compiled gateware.
    pub is_of_build: bool,
    /// What a link waits for when this field is what holds a flow back; empty where any wait may be due to it.
    pub waits: &'static [Wait],
}

impl Field {
    /// A field without marks.
    pub const fn of<T: FieldType>(name: &'static str, about: &'static str) -> Field {
        Field {
            name,
            about,
            expects: T::EXPECTS,
            scale: T::SCALE,
            instead: T::INSTEAD,
            nature: Nature::Built,
            is_of_port: false,
            better: Better::of(T::SCALE),
            next: Next::Little,
            is_settled: false,
            is_of_build: false,
            waits: &[],
        }
    }
}

/// Who can change a field of an existing machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Nobody: it is a property of the hardware.
    Built,
    /// A driver or an administrator, up to the described value (`; chosen` in [`params!`](crate::params)).
    Chosen,
    /// Nobody: it is a mechanism of the standard. Switching it off shows its cost (`; mechanism`).
    Mechanism,
}

/// The settings of one kind of part. Use [`params!`](crate::params) to implement it.
pub trait Params: Clone + Default {
    /// Its fields, in order of declaration.
    const FIELDS: &'static [Field];
    /// Sets a field. `Some(Err)` says what the field accepts; `None` means that there is no such field.
    fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>>;
    /// The value of a field, as written in a description.
    fn get(&self, name: &str) -> Option<String>;
}

/// Declares a struct of fields, `name: Type = default`, each with a doc comment, and implements [`Params`]. After a
/// default and `;` stand marks, each a `const` method of [`Field`]: who can change it ([`chosen`](Field::chosen),
/// [`mechanism`](Field::mechanism)), whether ports may set it ([`port`](Field::port)), which values are faster
/// ([`more`](Field::more), [`less`](Field::less), [`either`](Field::either), [`neither`](Field::neither),
/// [`word`](Field::word)), and what the next value is ([`doubled`](Field::doubled), [`of_payload`](Field::of_payload),
/// [`holds`](Field::holds)). A time without a mark is faster when it is less, a rate when it is more; a count or a size
/// needs a mark.
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident : $type:ty = $default:expr $(; $($mark:ident $(($($given:expr),*))?)+)?,
            )+
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name { $( $(#[doc = $doc])+ pub $field: $type, )+ }

        impl Default for $name {
            fn default() -> Self { $name { $( $field: $default, )+ } }
        }

        impl $crate::field::Params for $name {
            const FIELDS: &'static [$crate::field::Field] = &[
                $( $crate::field::Field::of::<$type>(stringify!($field), concat!($( $doc ),+))
                    $($( .$mark($($($given),*)?) )+)?, )+
            ];
            fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>> {
                match name {
                    $( stringify!($field) => Some(match <$type as $crate::field::FieldType>::parse(text) {
                        Some(value) => { self.$field = value; Ok(()) }
                        None => Err(<$type as $crate::field::FieldType>::EXPECTS),
                    }), )+
                    _ => None,
                }
            }
            fn get(&self, name: &str) -> Option<String> {
                match name {
                    $( stringify!($field) => Some($crate::field::FieldType::print(&self.$field)), )+
                    _ => None,
                }
            }
        }
    };
}

/// Declares an enum whose variants are words of a description, as a [`FieldType`].
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $about:literal])*
        pub enum $name:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $word:literal, )+ }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[doc = $doc])+ $variant, )+ }

        impl $name {
            /// All of them, in the order of declaration.
            pub const ALL: &'static [$name] = &[$( $name::$variant ),+];
        }

        impl $crate::field::FieldType for $name {
            const EXPECTS: &'static str = concat!("one of", $( " `", $word, "`" ),+);
            const SCALE: $crate::field::Scale = $crate::field::Scale::Words(&[$( $word ),+]);
            fn parse(text: &str) -> Option<Self> {
                match text { $( $word => Some($name::$variant), )+ _ => None }
            }
            fn print(&self) -> String {
                match self { $( $name::$variant => $word, )+ }.to_string()
            }
        }
    };
}
