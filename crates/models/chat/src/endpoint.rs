//! Endpoint of a model: its address, its key and settings of requests.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::ChatError;

/// Version of Anthropic's Messages API.
const MESSAGES_VERSION: &str = "2023-06-01";

/// Provider with preset endpoint settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Provider {
    /// OpenAI.
    OpenAi,
    /// Ollama on this machine.
    Ollama,
    /// Anthropic.
    Anthropic,
    /// Any other server with chat completions: vLLM, llama.cpp, OpenRouter, Gemini's compatible
    /// endpoint.
    Custom,
}

impl Provider {
    /// Address of the provider, if it is fixed.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Ollama => Some("http://localhost:11434/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Custom => None,
        }
    }

    /// Environment variable of the key, if the provider needs one.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Ollama | Self::Custom => None,
        }
    }
}

/// API of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Chat completions as OpenAI defined them.
    ChatCompletions,
    /// Anthropic's Messages, version 2023-06-01.
    Messages,
}

/// The server of a provider or a compatible one, and a model on it.
#[derive(Clone, Debug)]
pub struct Endpoint {
    provider: Provider,
    pub(crate) model: String,
    key: Option<ApiKey>,
    base_url: Url,
}

impl Endpoint {
    /// Creates the endpoint of a provider, or of a compatible server at `base_url`.
    ///
    /// # Errors
    ///
    /// [`ChatError::Setup`]: the address is missing or invalid, or contains a user name or a
    /// password.
    pub fn new(
        provider: Provider,
        base_url: Option<&str>,
        model: impl Into<String>,
        key: Option<ApiKey>,
    ) -> Result<Self, ChatError> {
        let address = base_url.or(provider.base_url());
        let address = address.ok_or_else(|| setup("its address is not known; give a base URL"))?;
        Ok(Self {
            provider,
            model: model.into(),
            key,
            base_url: parse_base(address)?,
        })
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self.provider {
            Provider::Anthropic => Dialect::Messages,
            _ => Dialect::ChatCompletions,
        }
    }

    pub(crate) fn is_openai(&self) -> bool {
        self.provider == Provider::OpenAi
    }

    /// Returns true if the server is asked for its context window. The windows of OpenAI and
    /// Anthropic exceed every request of this project.
    pub(crate) fn tells_window(&self) -> bool {
        !matches!(self.provider, Provider::OpenAi | Provider::Anthropic)
    }

    /// Address without anything that may be secret.
    pub fn base_url(&self) -> String {
        shown(&self.base_url)
    }

    pub(crate) fn url(&self) -> Url {
        self.beside(match self.dialect() {
            Dialect::ChatCompletions => "chat/completions",
            Dialect::Messages => "messages",
        })
    }

    /// Returns another address of the server: `path` below the base URL, or below the root if it
    /// begins with `/`.
    pub(crate) fn beside(&self, path: &str) -> Url {
        let mut url = self.base_url.clone();
        match path.strip_prefix('/') {
            Some(_) => url.set_path(path),
            None => {
                if let Ok(mut segments) = url.path_segments_mut() {
                    segments.pop_if_empty().extend(path.split('/'));
                }
            }
        }
        url
    }

    pub(crate) fn is_local(&self) -> bool {
        let host = self.base_url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']);
        let ip = host.parse::<std::net::IpAddr>();
        host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
    }
}

impl Endpoint {
    /// Headers of every request. The key is sent nowhere else.
    pub(crate) fn headers(&self) -> Result<HeaderMap, ChatError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.dialect() == Dialect::Messages {
            let name = HeaderName::from_static("anthropic-version");
            headers.insert(name, HeaderValue::from_static(MESSAGES_VERSION));
        }
        let Some(key) = &self.key else {
            return Ok(headers);
        };
        let (name, value) = match self.dialect() {
            Dialect::Messages => {
                let name = HeaderName::from_static("x-api-key");
                (name, key.expose().to_owned())
            }
            Dialect::ChatCompletions => (AUTHORIZATION, format!("Bearer {}", key.expose())),
        };
        let unfit =
            |_| ChatError::Setup("the key contains characters that a header cannot contain".into());
        let mut value = HeaderValue::from_str(&value).map_err(unfit)?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(headers)
    }

    /// Secrets that the server receives: the key, and the values of the URL's query.
    pub(crate) fn secrets(&self) -> Vec<ApiKey> {
        let url = self.url();
        let values = url.query_pairs().map(|(_, value)| ApiKey::new(&value));
        self.key.iter().cloned().chain(values).collect()
    }
}

/// Formats a URL without its query, which may contain a key.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string().trim_end_matches('/').to_owned()
}

fn setup(detail: impl Into<String>) -> ChatError {
    ChatError::Setup(detail.into())
}

fn parse_base(text: &str) -> Result<Url, ChatError> {
    // The messages do not quote the text, which may contain a key.
    let url = Url::parse(text).map_err(|error| {
        setup(format!(
            "the base URL is invalid ({error}); expected for example http://localhost:8000/v1"
        ))
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(setup(
            "the base URL must begin with http:// or https:// and name a host",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(setup(
            "the base URL contains a user name or password; put a key into an environment variable",
        ));
    }
    Ok(url)
}

/// API key of an endpoint. Its `Debug` output is redacted, and its memory is wiped on drop.
#[derive(Clone, Debug)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Wraps a key, without surrounding white space.
    pub fn new(key: &str) -> Self {
        Self(SecretString::from(key.trim().to_owned()))
    }

    /// Reads the key from an environment variable; `None` if the variable is unset or empty.
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

    fn custom(url: &str) -> Result<Endpoint, ChatError> {
        Endpoint::new(Provider::Custom, Some(url), "m", None)
    }

    #[test]
    fn addresses_are_joined_whatever_their_end() {
        for base in ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/"] {
            let endpoint = custom(base).expect("a good address");
            let url = endpoint.url().to_string();
            assert_eq!(url, "http://127.0.0.1:8000/v1/chat/completions");
            assert!(endpoint.is_local());
        }
        let anthropic = Endpoint::new(Provider::Anthropic, None, "m", None);
        let url = anthropic.expect("a preset").url().to_string();
        assert_eq!(url, "https://api.anthropic.com/v1/messages");
    }

    #[test]
    fn bad_addresses_are_told_without_their_secrets() {
        let bad = [
            "localhost:8000",
            "file:///etc",
            "http://me:hunter22@host/v1",
            "http://[hunter22",
        ];
        for address in bad {
            let error = custom(address).expect_err(address).to_string();
            assert!(!error.contains("hunter22"), "{error}");
        }
        let none = Endpoint::new(Provider::Custom, None, "m", None);
        let error = none.expect_err("no address").to_string();
        assert!(error.contains("base URL"), "{error}");
    }

    #[test]
    fn keys_show_nowhere() {
        let key = ApiKey::new(" sk-secret-12345\n");
        assert!(!format!("{key:?}").contains("secret-12345"));
    }
}
