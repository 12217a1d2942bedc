//! `regrasp mcp`: the skills as tools for any agent.

use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use regrasp_mcp::{HttpOptions, Limits, McpServer, Unasked, http, stdio};
use tokio::sync::Notify;

use crate::scope;
use crate::session::SessionArguments;
use crate::{CliError, ExitCode, Result, complain};

#[derive(Args, Debug)]
pub(super) struct McpArguments {
    #[command(flatten)]
    session: SessionArguments,
    /// Serve HTTP on this port instead of standard input and output; 0 lets the system choose.
    #[arg(long, value_name = "PORT", group = scope::ALWAYS)]
    http: Option<u16>,
    /// Address to listen on. Anything but loopback needs a token.
    #[arg(
        long,
        default_value = "127.0.0.1",
        value_name = "ADDRESS",
        requires = "http", group = scope::ALWAYS)]
    bind: IpAddr,
    /// Token that every HTTP request must send, as `Authorization: Bearer TOKEN`.
    #[arg(long, env = "REGRASP_TOKEN", hide_env_values = true, group = scope::ALWAYS)]
    token: Option<String>,
    /// Speed of simulated time relative to real time; 0 is as fast as possible.
    #[arg(long, default_value_t = 0.0, value_parser = crate::values::not_negative, group = scope::TIME)]
    speed: f64,
    /// Maximum number of tool calls of one client.
    #[arg(long, value_name = "N", default_value_t = Limits::default().calls, group = scope::ALWAYS)]
    max_calls: u64,
    /// Treatment of a step that needs approval (see --approve) if the client does not declare
    /// elicitation, and so cannot ask its user.
    #[arg(long, value_enum, default_value_t = UnaskedArgument::Refuse, group = scope::ALWAYS)]
    unasked: UnaskedArgument,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum UnaskedArgument {
    /// Refuse the step.
    Refuse,
    /// Wait for the tool `answer`: anyone who can call tools can approve.
    Wait,
}

impl From<UnaskedArgument> for Unasked {
    fn from(unasked: UnaskedArgument) -> Self {
        match unasked {
            UnaskedArgument::Refuse => Self::Refuse,
            UnaskedArgument::Wait => Self::Wait,
        }
    }
}

/// Serves the robot's skills as tools until the client disconnects, or Ctrl-C.
pub(super) fn mcp(arguments: &McpArguments) -> Result<ExitCode> {
    let limits = Limits {
        calls: arguments.max_calls,
        ..Limits::default()
    };
    let server = McpServer::new(arguments.session.open(arguments.speed)?, limits)
        .with_unasked(arguments.unasked.into());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| CliError::bug(format_args!("start the threads of the server: {error}")))?;
    let stop = Arc::new(Notify::new());
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.notify_one())?;
    let served = runtime.block_on(async {
        match arguments.http {
            None => tokio::select! {
                served = stdio(server) => served,
                () = stop.notified() => Ok(()),
            },
            Some(port) => {
                let options = HttpOptions {
                    address: SocketAddr::new(arguments.bind, port),
                    token: arguments.token.clone(),
                };
                let stopped = async move { stop.notified().await };
                http(server, options, print_address, stopped).await
            }
        }
    });
    // A read of standard input cannot be cancelled.
    runtime.shutdown_background();
    served?;
    Ok(ExitCode::Ok)
}

fn print_address(address: SocketAddr) {
    complain(&format!("the tools are at http://{address}/mcp"));
    drop(std::io::stderr().flush());
}
