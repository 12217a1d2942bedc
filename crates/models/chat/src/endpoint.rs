//! Address of a model, and the peculiarities of asking it.

use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::{ApiKey, ChatError};

/// Presets for endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI.
    OpenAi,
    /// Ollama on this machine.
    Ollama,
    /// Anthropic.
    Anthropic,
    /// Any other that speaks chat completions: vLLM, llama.cpp, OpenRouter, Gemini's
    /// compatible endpoint.
    Custom,
}

impl Provider {
    /// The name that the command line uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Anthropic => "anthropic",
            Self::Custom => "custom",
        }
    }

    /// Its address, if that is always the same.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Ollama => Some("http://localhost:11434/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Custom => None,
        }
    }

    /// The environment variable that holds the key, if it needs one.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Ollama | Self::Custom => None,
        }
    }
}

/// The language of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Chat completions as OpenAI defined them.
    ChatCompletions,
    /// Anthropic's Messages, version 2023-06-01.
    Messages,
}

/// Name of the field for the longest answer. OpenAI's reasoning models refuse the old name, other
/// servers ignore or refuse the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

impl TokenField {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// An endpoint and how to ask it. [`Endpoint::new`] sets what suits the provider; every
/// field may be changed.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Its language.
    pub dialect: Dialect,
    /// The model's name there.
    pub model: String,
    /// The key, if it wants one.
    pub key: Option<ApiKey>,
    /// Name of the field for the longest answer.
    pub token_field: TokenField,
    /// True if it keeps arguments to their schemas if it is told to (`strict`).
    pub strict: bool,
    /// True if it is told that an answer must be a call. Default only for the two vendors'
    /// own: weak models behind llama.cpp run to the longest answer when they must.
    pub says_must_call: bool,
    /// True if it is told that one answer may make several calls; others refuse the field.
    pub says_parallel_calls: bool,
    /// Randomness of the answer; `None` leaves it to the server. Default 0 for local and
    /// custom servers, none for the vendors: their reasoning models refuse it.
    pub temperature: Option<f64>,
    /// Seed of the answer's randomness, where the server knows one. Default none.
    pub seed: Option<u64>,
    /// True if answers are to come word by word, so that a slow model is not taken for a dead one.
    /// Default not for OpenAI, where some models stream for verified organisations only.
    pub streams: bool,
    /// True if it is asked how long requests may be. Default not for the two vendors, whose models
    /// bear more than anybody asks here.
    pub tells_window: bool,
    base_url: Url,
}

impl Endpoint {
    /// A provider's endpoint, or another that speaks its language at `base_url`.
    ///
    /// # Errors
    ///
    /// [`ChatError::Setup`]: the address is missing or none, or holds a name or a key.
    pub fn new(
        provider: Provider,
        base_url: Option<&str>,
        model: impl Into<String>,
        key: Option<ApiKey>,
    ) -> Result<Self, ChatError> {
        let address = base_url.or(provider.base_url());
        let address = address.ok_or_else(|| setup("it has no address; give a base URL"))?;
        let is_vendor = matches!(provider, Provider::OpenAi | Provider::Anthropic);
        Ok(Self {
            dialect: match provider {
                Provider::Anthropic => Dialect::Messages,
                _ => Dialect::ChatCompletions,
            },
            model: model.into(),
            key,
            token_field: match provider {
                Provider::OpenAi => TokenField::MaxCompletionTokens,
                _ => TokenField::MaxTokens,
            },
            strict: provider == Provider::OpenAi,
            says_must_call: is_vendor,
            says_parallel_calls: provider == Provider::OpenAi,
            temperature: (!is_vendor).then_some(0.0),
            seed: None,
            streams: provider != Provider::OpenAi,
            tells_window: !is_vendor,
            base_url: parse_base(address)?,
        })
    }

    /// The address without anything that might be secret.
    pub fn base_url(&self) -> String {
        shown(&self.base_url)
    }

    /// The address of requests.
    pub(crate) fn url(&self) -> Url {
        self.beside(match self.dialect {
            Dialect::ChatCompletions => "chat/completions",
            Dialect::Messages => "messages",
        })
    }

    /// Another address of the server: beside the usual one, or from its root.
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

    /// Returns true if it is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        let host = self.base_url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']);
        let ip = host.parse::<std::net::IpAddr>();
        host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
    }
}

impl Endpoint {
    /// Secrets that the server is told: the key, and the values of the URL's query.
    pub(crate) fn secrets(&self) -> Vec<ApiKey> {
        let url = self.url();
        let values = url.query_pairs().map(|(_, value)| ApiKey::new(&value));
        self.key.iter().cloned().chain(values).collect()
    }
}

/// A URL without its query, which may hold a key.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string().trim_end_matches('/').to_owned()
}

fn setup(detail: impl Into<String>) -> ChatError {
    ChatError::Setup(detail.into())
}

fn parse_base(text: &str) -> Result<Url, ChatError> {
    // Not the text itself: it may hold a key.
    let url = Url::parse(text).map_err(|error| {
        setup(format!(
            "the base URL is none ({error}); it looks like http://localhost:8000/v1"
        ))
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(setup(
            "the base URL must begin with http:// or https:// and name a host",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(setup(
            "the base URL holds a name or a password; put the key into an environment variable",
        ));
    }
    Ok(url)
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
}
