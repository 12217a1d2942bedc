//! Protocol handler for one client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use regrasp_session::Session;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use crate::job::Robot;
use crate::parked::Parked;
use crate::question::Unasked;
use crate::tools::tools;

/// Limits of a client's use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct Limits {
    /// Tool calls in one protocol session. Default 10,000.
    #[default(10_000)]
    pub calls: u64,
    /// Calls of all clients that may use the robot or wait for it at the same time. Default 16.
    #[default(16)]
    pub waiting: usize,
    /// Maximum length of a call's arguments, bytes. Default 64 KiB.
    #[default(64 << 10)]
    pub argument_bytes: usize,
    /// Time for a person to answer; no answer is a refusal. Default 10 min.
    #[default(Duration::from_secs(600))]
    pub answer: Duration,
}

/// Reason why the server cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client did not open the session as the protocol requires.
    #[error("communicate with the client: {0}")]
    Begin(String),
    /// The address cannot be used, or listening failed.
    #[error("listen on {address}: {source}")]
    Listen {
        /// Address and port of the server.
        address: String,
        /// Cause.
        source: std::io::Error,
    },
    /// An address other than loopback without a token: anybody on the network could move the robot.
    #[error("listen on {address}: an address that is not loopback needs a token")]
    NoToken {
        /// Address and port of the server.
        address: String,
    },
}

/// Handler of one client; all handlers share the robot.
pub struct McpServer {
    pub(crate) robot: Arc<Robot>,
    /// Calls whose clients ask a person.
    pub(crate) parked: Arc<Parked>,
    pub(crate) limits: Limits,
    pub(crate) unasked: Unasked,
    n_calls: AtomicU64,
}

impl McpServer {
    /// Offers a session's skills as tools.
    pub fn new(session: Session, limits: Limits) -> Self {
        Self {
            robot: Arc::new(Robot {
                session,
                turn: Arc::default(),
                n_waiting: AtomicUsize::new(0),
            }),
            parked: Arc::default(),
            limits,
            unasked: Unasked::default(),
            n_calls: AtomicU64::new(0),
        }
    }

    /// Sets the treatment of questions that a client cannot pass on to a person.
    #[must_use]
    pub fn with_unasked(self, unasked: Unasked) -> Self {
        Self { unasked, ..self }
    }

    /// Returns a handler for another client of the same robot.
    #[must_use]
    pub fn another(&self) -> Self {
        Self {
            robot: Arc::clone(&self.robot),
            parked: Arc::clone(&self.parked),
            n_calls: AtomicU64::new(0),
            ..*self
        }
    }

    fn admit(&self, request: &CallToolRequestParams) -> Result<(), ErrorData> {
        let (calls, argument_bytes) = (self.limits.calls, self.limits.argument_bytes);
        if self.n_calls.fetch_add(1, Ordering::Relaxed) >= calls {
            let text =
                format!("this session reached its limit of {calls} calls; start a new session");
            return Err(ErrorData::invalid_request(text, None));
        }
        let n_bytes = serde_json::to_string(&request.arguments).map_or(0, |text| text.len());
        if n_bytes > argument_bytes {
            let text = format!("the arguments have {n_bytes} bytes (limit {argument_bytes})");
            return Err(ErrorData::invalid_params(text, None));
        }
        Ok(())
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("regrasp", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(
            "A robot arm with a two-finger gripper in a simulated scene. Call `observe` first. \
             A result with isError has a `reason` and figures: change the plan accordingly, and \
             do not repeat a call that failed in an unchanged world. `plan_check` rehearses. A \
             step that is critical waits until a person approves it; `approval_denied` means that \
             a person refused: do not work around it."
                .into(),
        );
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let skills = &self.robot.session.catalogue().skills;
        Ok(ListToolsResult::with_all_items(tools(skills, self.unasked)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.admit(&request)?;
        self.call(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // Protocol requests with invalid parameters arrive here as well.
        let CustomRequest { method, params, .. } = request;
        Err(match method.as_str() {
            "tools/call" => {
                let params = params.unwrap_or_default();
                let read = serde_json::from_value::<CallToolRequestParams>(params);
                let why = read
                    .err()
                    .map_or_else(String::new, |error| error.to_string());
                let text = format!("expected an object `arguments` and a string `name`: {why}");
                ErrorData::invalid_params(text, None)
            }
            "tools/list" => {
                ErrorData::invalid_params("expected an object `params`".to_owned(), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }
}

/// Serves one client over standard input and output until it disconnects, then stops the robot.
pub async fn stdio(server: McpServer) -> Result<(), McpError> {
    let robot = Arc::clone(&server.robot);
    let begun = server.serve(rmcp::transport::stdio()).await;
    let running = begun.map_err(|error| McpError::Begin(error.to_string()))?;
    // The arm has to hold its position however the session ended.
    drop(running.waiting().await);
    hold(&robot).await;
    Ok(())
}

/// Stops the current job and waits until the arm holds its position.
pub(crate) async fn hold(robot: &Arc<Robot>) {
    const AT_MOST: Duration = Duration::from_secs(5);
    let robot = Arc::clone(robot);
    // Blocks, because it waits for the robot's thread.
    let held = tokio::task::spawn_blocking(move || robot.session.hold(AT_MOST));
    drop(held.await);
}
