//! Keys, and keeping them out of everything.

use secrecy::{ExposeSecret, SecretString};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_show_nowhere() {
        let key = ApiKey::new(" sk-secret-12345\n");
        assert!(!format!("{key:?}").contains("secret-12345"));
    }
}
