//! Server for many clients over HTTP.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;

use crate::server::{McpError, McpServer, hold};

/// Path of the protocol's endpoint.
const PATH: &str = "/mcp";

/// Address to listen on, and access rules.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Address; port 0 takes any free one.
    pub address: SocketAddr,
    /// Secret that every request has to bring as `Authorization: Bearer TOKEN`. Required for an
    /// address that is not loopback.
    pub token: Option<String>,
}

/// Serves clients at `/mcp` until `stop` is ready, then stops the robot. `ready` gets the address.
///
/// # Errors
///
/// [`McpError`] if the address cannot be used, or is not loopback and there is no token.
pub async fn http(
    server: McpServer,
    options: HttpOptions,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), McpError> {
    let HttpOptions { address, token } = options;
    if token.is_none() && !address.ip().is_loopback() {
        let address = address.to_string();
        return Err(McpError::NoToken { address });
    }
    let failed = |source| McpError::Listen {
        address: address.to_string(),
        source,
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let robot = Arc::clone(&server.robot);
    let mut config = StreamableHttpServerConfig::default();
    // Rejects requests from pages of other sites; clients other than browsers send no Origin.
    config.allowed_origins = vec![
        format!("http://localhost:{}", bound.port()),
        format!("http://{bound}"),
    ];
    config.allowed_hosts.push(bound.ip().to_string());
    let ended = config.cancellation_token.clone();
    let service = StreamableHttpService::new(
        move || Ok(server.another()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let token = token.map(Arc::from);
    let router = Router::new()
        .nest_service(PATH, service)
        .layer(from_fn_with_state(token, has_token));
    ready(bound);
    let stop = async move {
        stop.await;
        ended.cancel();
    };
    let served = axum::serve(listener, router).with_graceful_shutdown(stop);
    served.await.map_err(failed)?;
    hold(&robot).await;
    Ok(())
}

async fn has_token(
    State(token): State<Option<Arc<str>>>,
    request: Request,
    next: Next,
) -> Response {
    let given = request.headers().get(AUTHORIZATION);
    let given = given.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    let lets_in = match (&token, given) {
        (None, _) => true,
        (Some(token), Some(given)) => token.as_bytes().ct_eq(given).into(),
        (Some(_), None) => false,
    };
    if lets_in {
        return next.run(request).await;
    }
    let text = "this server requires `Authorization: Bearer TOKEN`";
    (StatusCode::UNAUTHORIZED, text).into_response()
}
