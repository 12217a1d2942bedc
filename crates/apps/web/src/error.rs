//! Errors of the server.

use std::io;
use std::net::SocketAddr;

/// Reason why the server cannot start or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be used.
    #[error("listen on {address}: {source}")]
    Bind {
        /// Address and port of the server.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// An address other than loopback without a token: anyone on the network could give commands.
    #[error(
        "listen on {address} without a token: anyone who reaches it could command the robot; set a \
         token with --token"
    )]
    NoToken {
        /// Address and port of the server.
        address: SocketAddr,
    },
    /// The token is too short to be a secret, or does not fit into a cookie.
    #[error("use the token: expected at least {least} letters, digits, `-` or `_`")]
    WeakToken {
        /// Minimum length of a token, characters.
        least: usize,
    },
    /// The network failed.
    #[error("serve: {0}")]
    Serve(#[source] io::Error),
}
