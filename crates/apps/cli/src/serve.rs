//! `regrasp serve`: the live page.

use std::net::IpAddr;
use std::sync::Arc;

use clap::Args;
use regrasp_session::Command;
use regrasp_web::{ServerOptions, serve_blocking};

use crate::scope;
use crate::session::SessionArguments;
use crate::{ExitCode, Result, say};

#[derive(Args, Debug)]
pub(super) struct ServeArguments {
    #[command(flatten)]
    session: SessionArguments,
    /// Port; 0 lets the system choose one.
    #[arg(long, default_value_t = 8484, group = scope::ALWAYS)]
    port: u16,
    /// Address to listen on. Anything but loopback needs a token.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", group = scope::ALWAYS)]
    bind: IpAddr,
    /// Token that a browser must send (`/?token=…`): at least 16 letters and digits.
    #[arg(long, env = "REGRASP_TOKEN", hide_env_values = true, group = scope::ALWAYS)]
    token: Option<String>,
    /// A host name by which this machine may be addressed; may be given several times.
    #[arg(long, value_name = "NAME", group = scope::ALWAYS)]
    allow_host: Vec<String>,
    /// Speed of simulated time relative to real time; 0 is as fast as possible.
    #[arg(long, default_value_t = 1.0, value_parser = crate::values::not_negative, group = scope::TIME)]
    speed: f64,
    /// Show the robot in Foxglove, too: at ws://localhost:8765, or another port.
    #[cfg(feature = "foxglove")]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8765", group = scope::ALWAYS)]
    foxglove: Option<u16>,
    /// Offer the robot to ROS 2 programs, too.
    #[cfg(feature = "ros2")]
    #[arg(long, group = scope::ALWAYS)]
    ros: bool,
    #[cfg(feature = "ros2")]
    #[command(flatten)]
    node: crate::ros::NodeArguments,
}

/// Serves the live page until Ctrl-C, then stops the arm.
pub(super) fn serve(arguments: &ServeArguments) -> Result<ExitCode> {
    let session = Arc::new(arguments.session.open(arguments.speed)?);
    #[cfg(feature = "ros2")]
    let node = match arguments.ros {
        true => {
            let facts = crate::ros_facts::facts(&arguments.session.loaded()?)?;
            let node = arguments.node.clone();
            Some(node.spawn(Arc::clone(&session), facts))
        }
        false => None,
    };
    #[cfg(feature = "foxglove")]
    let shown = match arguments.foxglove {
        Some(port) => Some(crate::foxglove::show(Arc::clone(&session), port)?),
        None => None,
    };
    let server = ServerOptions {
        bind: arguments.bind,
        port: arguments.port,
        token: arguments.token.clone(),
        hosts: arguments.allow_host.clone(),
        ..ServerOptions::default()
    };
    let mut caught = Ok(());
    let held = Arc::clone(&session);
    serve_blocking(session, &server, |server| {
        say(&format!("the live page is at {}", server.url()));
        say("Ctrl-C stops the arm and closes the page");
        let stopper = server.stopper();
        caught = ctrlc::set_handler(move || {
            // Stops the arm before the server. The session refuses this if nothing is running.
            let _ = held.command(Command::Stop);
            stopper.stop();
        });
        if caught.is_err() {
            server.stopper().stop();
        }
    })?;
    caught?;
    #[cfg(feature = "foxglove")]
    drop(shown);
    #[cfg(feature = "ros2")]
    if let Some((stop, offering)) = node {
        stop.notify_one();
        // A panic of the thread was already reported.
        offering.join().unwrap_or(Ok(()))?;
    }
    say("the arm holds its position; the live page is closed");
    Ok(ExitCode::Ok)
}
