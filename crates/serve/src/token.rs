//! A secret that only the page knows.

use std::fmt;

/// 128 random bits in hexadecimal.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one, from the system's random numbers.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The secret itself.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is it; takes as long whichever character is wrong.
    pub fn is(&self, given: &str) -> bool {
        let pairs = self.0.bytes().zip(given.bytes());
        self.0.len() == given.len() && pairs.fold(0, |wrong, (own, other)| wrong | (own ^ other)) == 0
    }
}

/// Not for logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}
