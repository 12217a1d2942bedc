//! Addresses of policy servers.

use crate::OpenpiError;

/// Default port of openpi's servers.
const USUAL_PORT: u16 = 8000;
/// Default port with TLS.
const USUAL_SECURE_PORT: u16 = 443;

/// Address with `ws://`, or `wss://` for TLS.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
#[display("{}", self.url().trim_end_matches('/'))]
pub struct Address {
    pub(crate) is_secure: bool,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Path, starting with a slash.
    path: String,
}

impl Address {
    /// Parses `ws://HOST:PORT` or `wss://HOST:PORT`. The default port is 8000, or 443 with TLS.
    ///
    /// # Errors
    ///
    /// [`OpenpiError`] with the expected format.
    pub fn parse(address: &str) -> Result<Self, OpenpiError> {
        let wrong = |detail: &str| {
            OpenpiError::Other(format!(
                "use the address `{address}`: {detail}; expected ws://HOST:PORT or wss://HOST:PORT"
            ))
        };
        let (scheme, rest) = address.split_once("://").unwrap_or_default();
        let (is_secure, usual_port) = match scheme {
            "ws" => (false, USUAL_PORT),
            "wss" => (true, USUAL_SECURE_PORT),
            _ => return Err(wrong("it does not begin with ws:// or wss://")),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(wrong("user names are not supported"));
        }
        // Colons within brackets belong to an IPv6 address.
        let after_brackets = authority.rfind(']').map_or(0, |at| at + 1);
        let colon = authority[after_brackets..].find(':');
        let (host, port) = match colon {
            None => (authority, usual_port),
            Some(at) => {
                let (host, port) = authority.split_at(after_brackets + at);
                let port = port[1..].parse().ok().filter(|port| *port > 0);
                let port = port.ok_or_else(|| wrong("its port is not a number from 1 to 65535"));
                (host, port?)
            }
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(wrong("its host is neither a name nor an IP address"));
        }
        Ok(Self {
            is_secure,
            host: host.to_owned(),
            port,
            path: if path.is_empty() { "/" } else { path }.to_owned(),
        })
    }

    pub(crate) fn url(&self) -> String {
        let Self {
            host, port, path, ..
        } = self;
        let scheme = if self.is_secure { "wss" } else { "ws" };
        match host.contains(':') {
            true => format!("{scheme}://[{host}]:{port}{path}"),
            false => format!("{scheme}://{host}:{port}{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_say_what_is_wrong() {
        let check = |text: &str, shown: &str| {
            let address = Address::parse(text).expect(text);
            assert_eq!(address.to_string(), shown);
        };
        check("ws://127.0.0.1:9000", "ws://127.0.0.1:9000");
        check("ws://policy-host", "ws://policy-host:8000");
        check("ws://[::1]:81/infer", "ws://[::1]:81/infer");
        check("ws://[::1]", "ws://[::1]:8000");
        let wrong = |text: &str, says: &str| {
            let error = Address::parse(text).expect_err(text).to_string();
            let all_said = error.contains(says) && error.contains("ws://HOST:PORT");
            assert!(all_said, "{error}");
        };
        check("wss://host", "wss://host:443");
        check("wss://[::1]:8443/infer", "wss://[::1]:8443/infer");
        wrong("https://host", "does not begin with ws:// or wss://");
        wrong("host:8000", "does not begin with ws://");
        wrong("ws://host:0", "port");
        wrong("ws://host:80000", "port");
        wrong("ws://", "neither a name");
        wrong("ws://a b:80", "neither a name");
        wrong("ws://key@host", "user names");
    }
}
