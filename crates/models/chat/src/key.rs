//! API keys that cannot be printed.

use secrecy::{ExposeSecret, SecretString};

/// API key of an endpoint. Its `Debug` output is redacted, and its memory is wiped on drop.
#[derive(Clone, Debug)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Wraps a key without surrounding blanks.
    pub fn new(key: &str) -> Self {
        Self(SecretString::from(key.trim().to_owned()))
    }

    /// Reads the key from an environment variable; `None` if that is unset or empty.
    pub fn from_env(variable: &str) -> Option<Self> {
        let key = SecretString::from(std::env::var(variable).ok()?);
        let text = key.expose_secret().trim();
        (!text.is_empty()).then(|| Self::new(text))
    }

    /// Returns the key, for the header of a request only.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_show_nowhere() {
        let key = ApiKey::new(" sk-secret-12345\n");
        assert!(!format!("{key:?}").contains("secret-12345"));
    }
}
