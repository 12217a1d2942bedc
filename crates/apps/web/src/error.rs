//! Why the server cannot begin or go on.

use std::io;
use std::net::SocketAddr;

/// A server that cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is not to be had.
    #[error("listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// Anybody on the network could command the robot.
    #[error(
        "listen on {address} without a token: whoever reaches it could command the robot; give \
         one with --token"
    )]
    NoToken {
        /// The address.
        address: SocketAddr,
    },
    /// The token would not keep anybody out, or does not fit into a cookie.
    #[error(
        "use the token: it has to be at least {least} characters long, of letters, digits, `-` \
         and `_`"
    )]
    WeakToken {
        /// Least length.
        least: usize,
    },
    /// The network broke.
    #[error("serve: {0}")]
    Serve(#[source] io::Error),
}
