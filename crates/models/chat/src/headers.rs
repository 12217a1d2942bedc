//! Headers of every request. The key is sent nowhere else.

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::{ChatError, Dialect, Endpoint, anthropic};

pub(crate) fn headers(endpoint: &Endpoint) -> Result<HeaderMap, ChatError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if endpoint.dialect == Dialect::Messages {
        let name = HeaderName::from_static("anthropic-version");
        headers.insert(name, HeaderValue::from_static(anthropic::VERSION));
    }
    let Some(key) = &endpoint.key else {
        return Ok(headers);
    };
    let (name, value) = match endpoint.dialect {
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
