//! The command line of Regrasp: commands and the display of errors.
//!
//! [`main`] is the whole program. A crate with its own skills passes them to [`main`], and has all
//! commands with these skills.

mod agent;
mod arguments;
mod bench;
mod calibrate;
mod catalogue;
mod check;
mod commands;
mod compare;
mod dataset;
mod effect;
mod error;
mod exit;
mod film;
mod find_scene;
#[cfg(feature = "foxglove")]
mod foxglove;
mod gallery;
mod given_words;
mod ik;
mod libero;
mod lists;
#[cfg(feature = "mcp")]
mod mcp;
mod mjcf;
mod models;
mod new;
mod new_robot;
mod ordering;
mod output;
mod perceive;
mod person;
mod pictures;
mod plan;
mod plan_file;
mod plan_paths;
mod planner;
mod plans;
mod pointing;
mod policy;
#[cfg(feature = "openpi")]
mod policy_server;
mod reach;
mod reach_map;
mod reach_plot;
#[cfg(all(feature = "franka", target_os = "linux"))]
mod real;
mod recording;
mod render;
mod replay;
#[cfg(feature = "ros2")]
mod ros;
#[cfg(feature = "ros2")]
mod ros_facts;
mod run;
mod scene;
mod scope;
#[cfg(feature = "serve")]
mod serve;
#[cfg(any(feature = "serve", feature = "mcp", feature = "ros2"))]
mod session;
mod settings;
mod show;
mod skills;
mod suite;
mod values;
mod viewer;

use std::ffi::OsString;
use std::process;

use clap::FromArgMatches;
use clap::error::ContextKind;
use regrasp::robot::SkillSet;
use tracing_subscriber::EnvFilter;

pub(crate) use agent::AgentArguments;
pub(crate) use arguments::RunArguments;
pub(crate) use error::{CliError, Result};
pub use exit::ExitCode;
pub(crate) use find_scene::find_scene;
pub(crate) use given_words::given_words;
pub(crate) use libero::LiberoArguments;
pub(crate) use output::{complain, say, say_json};
pub(crate) use person::Terminal;
pub use planner::OwnPlanner;
pub(crate) use planner::PlannerSource;
pub use pointing::Pointing;
pub(crate) use suite::SuiteName;
pub(crate) use values::{
    FaultArguments, PerceptionArgument, RobotArguments, number_in, path_to, seconds,
};

use commands::{Arguments, Command};

/// Runs the command line of the process. `skills` gets the standard skills and returns those to
/// use: `main(|standard| standard.with(MySkill))`. Call it once.
pub fn main(skills: impl Fn(SkillSet) -> SkillSet + Send + Sync + 'static) -> process::ExitCode {
    main_of(std::env::args_os(), skills, None).into()
}

/// Runs a given command line, whose first word is the program's name, optionally with the program's
/// own planner. An invalid command line or a request for help ends the process.
pub fn main_of(
    arguments: impl IntoIterator<Item = OsString>,
    skills: impl Fn(SkillSet) -> SkillSet + Send + Sync + 'static,
    planner: Option<OwnPlanner>,
) -> ExitCode {
    skills::change_skills(skills);
    if let Some(planner) = planner {
        planner::set_own_planner(planner);
    }
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,prepare=info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let words: Vec<_> = arguments.into_iter().collect();
    given_words::keep_words(&words);
    answer(&words)
}

/// Subcommands and options that a build may lack, with the feature that adds them.
const OPTIONAL: [(&str, &str); 7] = [
    ("arm", "franka"),
    ("--percepts", "franka"),
    ("--foxglove", "foxglove"),
    ("mcp", "mcp"),
    ("policy-server", "openpi"),
    ("ros", "ros2"),
    ("serve", "serve"),
];

/// Returns the error for a word that only a build with another feature knows.
fn not_built(error: &clap::Error) -> Option<CliError> {
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let word = kinds.iter().find_map(|kind| error.get(*kind))?.to_string();
    let (word, feature) = OPTIONAL.iter().find(|(known, _)| *known == word)?;
    Some(CliError::not_built(word, feature))
}

fn answer(words: &[OsString]) -> ExitCode {
    let checked = match Arguments::matches(words) {
        Ok(given) => effect::check(Arguments::scoped(), &given).map(|()| given),
        Err(error) => Err(not_built(&error).unwrap_or_else(|| error.exit())),
    };
    let given = match checked {
        Ok(given) => given,
        Err(error) => {
            output::complain(&format!("error: failed to {error}"));
            return error.exit_code();
        }
    };
    match Arguments::from_arg_matches(&given) {
        Ok(arguments) => execute(arguments),
        Err(error) => error.exit(),
    }
}

/// Runs a command; every error ends here, as one message and an exit code.
fn execute(arguments: Arguments) -> ExitCode {
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        #[cfg(all(feature = "franka", target_os = "linux"))]
        Command::Arm { what } => real::arm::arm(&what),
        Command::Calibrate(arguments) => calibrate::run(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Config { agent, robot } => settings::show(&agent, &robot),
        Command::Plans { run, diff } => plans::plans(&run, diff),
        Command::Replay(arguments) => replay::replay(&arguments),
        Command::Show(arguments) => show::show(&arguments),
        Command::Video(arguments) => film::video(&arguments),
        Command::Export { what } => dataset::export(&what),
        Command::Dataset { what } => dataset::dataset(&what),
        #[cfg(feature = "ros2")]
        Command::Ros(arguments) => ros::ros(&arguments),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => mcp::mcp(&arguments),
        #[cfg(feature = "openpi")]
        Command::PolicyServer(arguments) => policy_server::serve(&arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Tasks => lists::tasks(),
        Command::Skills { json } => lists::skills(json),
        Command::Schema { of } => lists::schema(&of),
        Command::New { what } => new::new(&what),
        Command::Perceive(arguments) => perceive::perceive(&arguments),
        Command::ModelsOf(arguments) => catalogue::models_of(&arguments),
        Command::Render(arguments) => render::render(&arguments),
        Command::Scene(arguments) => scene::scene(&arguments),
        Command::Gallery(arguments) => gallery::draw(&arguments),
        Command::Models(arguments) => models::models(&arguments),
        Command::Plan(arguments) => plan::plan(&arguments),
        Command::Check { file, seed, robot } => check::check(&file, seed, &robot),
        Command::Import { what } => mjcf::import(&what),
        Command::Ik(arguments) => ik::ik(&arguments),
        Command::Reach(arguments) => reach::reach(&arguments),
    };
    let outcome = outcome.and_then(|code| output::lost().map_or(Ok(code), Err));
    outcome.unwrap_or_else(|error| {
        output::complain(&format!("error: failed to {error}"));
        error.exit_code()
    })
}
