//! The server: options, address, routes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use regrasp_session::Session;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::control::Control;
use crate::error::ServeError;
use crate::export;
use crate::guard::{Guard, check_token, guard};
use crate::http;
use crate::meshes::Meshes;
use crate::shared::{ExportLimits, Shared};
use crate::socket;

/// Timeout for the robot to hold its position. A braking arm stands within 50 ms of simulated time,
/// but a running computation, such as a path search, ends first.
const HOLD_PATIENCE: Duration = Duration::from_secs(10);

/// Address to listen on, and access rules.
#[derive(Clone, Debug, smart_default::SmartDefault)]
pub struct ServerOptions {
    /// Address. Default 127.0.0.1.
    #[default(Ipv4Addr::LOCALHOST.into())]
    pub bind: IpAddr,
    /// Port; 0 lets the system choose. Default 8484.
    #[default(8484)]
    pub port: u16,
    /// Secret for access. Required unless the address is a loopback one.
    pub token: Option<String>,
    /// Names of this machine besides loopback names and addresses. Default none.
    pub hosts: Vec<String>,
    /// Limits of a file made from a run's recording.
    pub exports: ExportLimits,
}

/// Server that listens on its address.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<String>,
    router: Router,
    session: Arc<Session>,
    stopper: Stopper,
}

/// Handle that ends a server from another thread or task.
#[derive(Clone)]
pub struct Stopper(CancellationToken);

impl Stopper {
    /// Asks the server to stop the robot and to end.
    pub fn stop(&self) {
        self.0.cancel();
    }
}

impl Server {
    /// Binds the address. Needs a Tokio runtime.
    ///
    /// # Errors
    ///
    /// [`ServeError`]: the address is taken, or a token is missing or weak.
    pub async fn bind(session: Arc<Session>, options: &ServerOptions) -> Result<Self, ServeError> {
        let address = SocketAddr::new(options.bind, options.port);
        match &options.token {
            Some(token) => check_token(token)?,
            None if options.bind.is_loopback() => {}
            None => return Err(ServeError::NoToken { address }),
        }
        let bound = TcpListener::bind(address).await;
        let listener = bound.map_err(|source| ServeError::Bind { address, source })?;
        let address = listener.local_addr().map_err(ServeError::Serve)?;
        let closing = CancellationToken::new();
        let shared = Arc::new(Shared {
            session: Arc::clone(&session),
            control: Control::default(),
            meshes: Meshes::default(),
            easel: Arc::new(Semaphore::new(1)),
            studio: Arc::new(Semaphore::new(1)),
            exports: options.exports,
            closing: closing.clone(),
        });
        let guard = Guard {
            hosts: options.hosts.clone(),
            token: options.token.clone(),
            cookie: format!("regrasp_{}", address.port()),
        };
        Ok(Self {
            listener,
            address,
            token: options.token.clone(),
            router: router(shared, guard),
            session,
            stopper: Stopper(closing),
        })
    }

    /// Address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Address to type into a browser, including the token.
    pub fn url(&self) -> String {
        let token = self.token.as_ref();
        let query = token.map_or(String::new(), |token| format!("?token={token}"));
        format!("http://{}/{query}", self.address)
    }

    /// Returns a handle that ends the server.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves until it is stopped; before it returns, the robot is stopped and holds its position.
    ///
    /// # Errors
    ///
    /// [`ServeError::Serve`]; the robot is stopped in this case, too.
    pub async fn run(self) -> Result<(), ServeError> {
        let session = Arc::clone(&self.session);
        let stopped = async move {
            self.stopper.0.cancelled().await;
            hold(session).await;
        };
        let served = axum::serve(self.listener, self.router).with_graceful_shutdown(stopped);
        let served = served.await.map_err(ServeError::Serve);
        hold(self.session).await;
        served
    }
}

/// Runs [`Server::bind`] and [`Server::run`] on a runtime of its own. `ready` is called once the
/// server listens; it can take the [`Stopper`] from there.
pub fn serve_blocking(
    session: Arc<Session>,
    options: &ServerOptions,
    ready: impl FnOnce(&Server),
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map_err(ServeError::Serve)?.block_on(async {
        let server = Server::bind(session, options).await?;
        ready(&server);
        server.run().await
    })
}

async fn hold(session: Arc<Session>) {
    let held = tokio::task::spawn_blocking(move || session.hold(HOLD_PATIENCE)).await;
    if !matches!(held, Ok(true)) {
        tracing::error!("the robot did not stop within {HOLD_PATIENCE:?}");
    }
}

fn router(shared: Arc<Shared>, who: Guard) -> Router {
    Router::new()
        .route("/", get(http::index))
        .route("/page/{*path}", get(http::page))
        .route("/ws", get(socket::connect))
        .route("/api/scene", get(http::scene))
        .route("/api/mesh/{hash}", get(http::mesh))
        .route("/api/history", get(http::history))
        .route("/api/camera/{name}", get(http::camera))
        .route("/api/run/{n}", get(http::run))
        .route("/api/run/{n}/{export}", get(export::export))
        .route("/api/status", get(http::status))
        .with_state(shared)
        .layer(from_fn_with_state(Arc::new(who), guard))
}
