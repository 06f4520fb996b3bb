//! Methods that change one thing and hand the value on: `Curves::new(…).with_log_y().with_series(…)`.

/// Inside an `impl`: one line for each such method, in which `it` is the value that is changed.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ty),*) |$it:ident| $change:expr;)+) => { $(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $($argument: $kind),*) -> Self {
            let $it = &mut self;
            $change;
            self
        }
    )+ };
}

pub(crate) use setters;
