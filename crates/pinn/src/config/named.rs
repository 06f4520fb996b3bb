//! Choices by name: one word each, the same in configuration files, on the command line and in messages.

/// An enum whose variants are written as given, with `ALL`, `name` and `Display`.
macro_rules! named {
    ($(#[$about:meta])* pub enum $choice:ident { $($(#[$doc:meta])* $kind:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $choice {
            $($(#[$doc])* #[serde(rename = $name)] $kind,)*
        }

        impl $choice {
            /// Every kind.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$kind),*];

            /// The name in configuration files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(super) use named;
