//! Admission to the server: host, origin, token.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};
use subtle::ConstantTimeEq;

use crate::assets;
use crate::error::ServeError;

/// Minimum length of a token, characters.
const TOKEN_LEN: usize = 16;

/// Content security policy: the page loads nothing from other servers and must not be framed by
/// other pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                      blob: data:; connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Names of this machine besides loopback names and addresses.
    pub(crate) hosts: Vec<String>,
    pub(crate) token: Option<String>,
    /// Name of the cookie. It contains the port, because cookies do not distinguish ports.
    pub(crate) cookie: String,
}

/// Rejects a token that is too short or does not fit into a cookie.
pub(crate) fn check_token(token: &str) -> Result<(), ServeError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if token.len() < TOKEN_LEN || !token.chars().all(is_plain) {
        return Err(ServeError::WeakToken { least: TOKEN_LEN });
    }
    Ok(())
}

/// Passes a request on, or answers with the reason of its rejection.
pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    if let Err(why) = guard.is_ours(headers) {
        return protected((StatusCode::FORBIDDEN, why));
    }
    if !guard.has_token(headers) {
        return protected(guard.login(&request));
    }
    protected(next.run(request).await)
}

impl Guard {
    /// Rejects a request that was meant for another server or comes from another page.
    fn is_ours(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str());
        let Some(Ok(host)) = text(HOST) else {
            return Err("the request has no valid Host header");
        };
        if headers.get_all(HOST).iter().count() > 1 || !self.knows(host) {
            return Err("this Host is not one of this server's names; --allow-host adds one");
        }
        match text(ORIGIN) {
            None => {}
            Some(Ok(origin)) if is_origin_of(origin, host) => {}
            Some(_) => return Err("requests from pages of another Origin are rejected"),
        }
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let mode = headers.get("sec-fetch-mode").map(HeaderValue::as_bytes);
        if site == Some(b"cross-site") && mode != Some(b"navigate") {
            return Err("requests from pages of another site are rejected");
        }
        Ok(())
    }

    /// Returns true for loopback names, addresses and allowed names; not for a name that was
    /// rebound to this machine.
    fn knows(&self, host: &str) -> bool {
        let name = without_port(host);
        let address = name.trim_start_matches('[').trim_end_matches(']');
        let is_address = address.parse::<IpAddr>().is_ok();
        is_address
            || name.eq_ignore_ascii_case("localhost")
            || self
                .hosts
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        let bearer = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let cookies = headers.get_all(COOKIE).iter();
        let cookies = cookies.filter_map(|value| value.to_str().ok());
        let pairs = cookies.flat_map(|text| text.split(';'));
        let mut given = pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie)
            .map(|(_, value)| value)
            .chain(bearer);
        given.any(|given| given.as_bytes().ct_eq(token.as_bytes()).into())
    }

    /// Answers a request without a valid token: `/?token=…` with the right token sets a cookie;
    /// any other request is rejected, `/` with a form for the token.
    fn login(&self, request: &Request) -> Response {
        let is_page = request.uri().path() == "/";
        let query = request.uri().query().unwrap_or_default();
        let given = query
            .split('&')
            .find_map(|pair| pair.strip_prefix("token="));
        let fits = given
            .zip(self.token.as_ref())
            .is_some_and(|(given, token)| given.as_bytes().ct_eq(token.as_bytes()).into());
        if !is_page {
            return (StatusCode::UNAUTHORIZED, "this server requires a token").into_response();
        }
        if !fits {
            return (StatusCode::UNAUTHORIZED, Html(assets::LOGIN)).into_response();
        }
        let (name, given) = (&self.cookie, given.unwrap_or_default());
        let cookie = format!("{name}={given}; Path=/; HttpOnly; SameSite=Strict");
        ([(SET_COOKIE, cookie)], Redirect::to("/")).into_response()
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // An IPv6 address in brackets has colons of its own.
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_origin_of(origin: &str, host: &str) -> bool {
    let rest = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    rest.is_some_and(|rest| rest.eq_ignore_ascii_case(host))
}

fn protected(response: impl IntoResponse) -> Response {
    let mut response = response.into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard {
            hosts: vec!["robot.lab".into()],
            token: Some("a-token-that-is-long".into()),
            cookie: "regrasp_8000".into(),
        }
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| {
                let name = axum::http::HeaderName::from_static(name);
                (name, HeaderValue::from_static(value))
            })
            .collect()
    }

    #[test]
    fn only_its_own_names_and_pages_are_answered() {
        let guard = guard();
        for (host, origin, is_ours) in [
            ("127.0.0.1:8000", None, true),
            ("localhost:8000", Some("http://localhost:8000"), true),
            ("[::1]:8000", Some("http://[::1]:8000"), true),
            ("Robot.Lab", Some("https://robot.lab"), true),
            ("evil.example:8000", None, false),
            ("evil.example", Some("http://evil.example"), false),
            ("127.0.0.1.evil.example", None, false),
            ("localhost:8000", Some("http://localhost:9000"), false),
            ("localhost:8000", Some("http://evil.example"), false),
            ("localhost:8000", Some("null"), false),
            (
                "localhost:8000",
                Some("http://localhost:8000.evil.example"),
                false,
            ),
        ] {
            let mut sent = headers(&[]);
            sent.insert(HOST, HeaderValue::from_static(host));
            if let Some(origin) = origin {
                sent.insert(ORIGIN, HeaderValue::from_static(origin));
            }
            assert_eq!(guard.is_ours(&sent).is_ok(), is_ours, "{host} {origin:?}");
        }
        assert!(guard.is_ours(&headers(&[])).is_err(), "no Host");
    }

    #[test]
    fn the_token_comes_in_a_cookie_or_a_header() {
        let guard = guard();
        for (name, value, has) in [
            ("cookie", "a=b; regrasp_8000=a-token-that-is-long", true),
            ("cookie", "regrasp_8001=a-token-that-is-long", false),
            ("cookie", "regrasp_8000=a-token-that-is-lonG", false),
            ("cookie", "regrasp_8000=a-token", false),
            ("cookie", "regrasp_8000=", false),
            ("authorization", "Bearer a-token-that-is-long", true),
            ("authorization", "a-token-that-is-long", false),
        ] {
            let sent = headers(&[(name, value)]);
            assert_eq!(guard.has_token(&sent), has, "{name}: {value}");
        }
        assert!(!guard.has_token(&headers(&[])));
    }

    #[test]
    fn short_and_strange_tokens_are_refused() {
        assert!(check_token("0123456789abcdef").is_ok());
        assert!(check_token("0123456789abcde").is_err());
        assert!(check_token("0123456789abcdef;x").is_err());
    }
}
