//! Keys, and keeping them out of everything.

use secrecy::{ExposeSecret, SecretString};

/// Shorter keys are placeholders that local servers want (`none`, `EMPTY`), and common
/// words: taking them out of answers would spoil the answers.
const SHORTEST_SECRET: usize = 8;
/// What stands in the place of a key.
const REDACTED: &str = "[key]";

/// A key for an endpoint. Its `Debug` shows nothing, and its memory is wiped.
#[derive(Clone, Debug)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Wraps a key; blanks around it are not part of it.
    pub fn new(key: &str) -> Self {
        Self(SecretString::from(key.trim().to_owned()))
    }

    /// The key from an environment variable; `None` if that is not set or empty.
    pub fn from_env(variable: &str) -> Option<Self> {
        let key = SecretString::from(std::env::var(variable).ok()?);
        let text = key.expose_secret().trim();
        (!text.is_empty()).then(|| Self::new(text))
    }

    /// For the header of a request only.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// The text without the key, should it be in it.
pub(crate) fn redacted(text: String, key: Option<&ApiKey>) -> String {
    match key.map(ApiKey::expose) {
        Some(key) if key.len() >= SHORTEST_SECRET && text.contains(key) => {
            text.replace(key, REDACTED)
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_show_nowhere() {
        let key = ApiKey::new(" sk-secret-12345\n");
        assert!(!format!("{key:?}").contains("secret-12345"));
        let said = redacted("wrong key sk-secret-12345!".into(), Some(&key));
        assert_eq!(said, "wrong key [key]!");
        let placeholder = ApiKey::new("none");
        let said = redacted("none of them".into(), Some(&placeholder));
        assert_eq!(said, "none of them");
    }
}
