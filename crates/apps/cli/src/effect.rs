//! Rejects options that have no effect.
//!
//! In some modes of a command some of its options have no effect: the recovery suite defines its
//! own faults, and a policy uses no planner. A user who gives such an option expects an effect, and
//! would misread the result. Options are rejected by the [scope] that they are declared in.

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::bench::arguments::RecordArgument;
use crate::planner::own_planner;
use crate::scope;
use crate::values::{PerceptionArgument, PlannerArgument};
use crate::{CliError, Result, SuiteName};

struct Mode {
    commands: &'static [&'static str],
    name: &'static str,
    /// Returns true if the arguments select this mode.
    is_meant: fn(&ArgMatches) -> bool,
    /// Scopes of the options without effect in this mode; all other options have an effect.
    refused: &'static [&'static str],
}

const MODES: &[Mode] = &[
    Mode {
        commands: &["bench", "run", "serve", "mcp", "ros"],
        name: "the program's own planner",
        is_meant: |_| own_planner().is_some(),
        refused: &[scope::PLANNER],
    },
    Mode {
        commands: &["bench"],
        name: "--suite recovery, whose classes define their own faults",
        is_meant: is_recovery,
        refused: &[
            "FaultArguments",
            scope::SENSES,
            "CameraArguments",
            scope::SHOWN,
            scope::CAMERAS,
            "PointingArguments",
            "PolicyArguments",
            scope::TIMEOUT,
            scope::RECORD,
            scope::RECORDED_PICTURES,
            scope::RECORDED_FRAMES,
            scope::FAILURE_PICTURES,
        ],
    },
    Mode {
        commands: &["bench"],
        name: "tasks; it needs --suite recovery",
        is_meant: |given| !is_recovery(given),
        refused: &[scope::RECOVERY],
    },
    Mode {
        commands: &["bench"],
        name: "a policy, which uses no planner",
        is_meant: |given| has(given, "policy"),
        refused: PLANNING,
    },
    Mode {
        commands: &["bench"],
        name: "a benchmark that records nothing; add --record",
        is_meant: |given| given.get_one("record") == Some(&RecordArgument::None),
        refused: RECORDING,
    },
    Mode {
        commands: &["bench"],
        name: "a benchmark that saves nothing; add --out",
        is_meant: |given| !has(given, "out"),
        refused: &[scope::FAILURE_PICTURES],
    },
    Mode {
        commands: &["run"],
        name: "--dry-run, which moves nothing",
        is_meant: |given| given.get_flag("dry_run"),
        refused: &[
            scope::SENSES,
            "CameraArguments",
            scope::PLANNER,
            scope::MODEL,
            scope::PATIENCE,
            scope::REMEDIES,
            scope::SHOWN,
            scope::CAMERAS,
            "PointingArguments",
            scope::REPLANNING,
            "PolicyArguments",
            "FaultArguments",
            scope::RECORD,
            scope::RECORDED_PICTURES,
            scope::RECORDED_FRAMES,
            scope::KEPT,
        ],
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        commands: &["run"],
        name: "a real arm, which has neither a scene nor ground truth",
        is_meant: is_real,
        refused: &[
            scope::WORLD,
            scope::SENSES,
            "CameraArguments",
            scope::SHOWN,
            scope::CAMERAS,
            "PointingArguments",
            "PolicyArguments",
            "FaultArguments",
            scope::RECORDED_PICTURES,
            scope::MOTION,
        ],
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        commands: &["serve", "mcp", "ros"],
        name: "a real arm, which has its own cell and runs in real time (--safety limits its \
               speed)",
        is_meant: is_real,
        refused: &[scope::WORLD, scope::TIME],
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        commands: &["run", "serve", "mcp", "ros"],
        name: "a simulated arm; it needs --robot franka:HOST",
        is_meant: |given| !is_real(given),
        refused: &[
            "EyeArguments",
            "ConnectionArguments",
            scope::ARM_SPEED,
            "BoundArguments",
        ],
    },
    #[cfg(feature = "ros2")]
    Mode {
        commands: &["serve"],
        name: "the live page alone; it needs --ros",
        is_meant: |given| !given.get_flag("ros"),
        refused: &["NodeArguments"],
    },
    Mode {
        commands: &["run"],
        name: "a policy, which uses no planner",
        is_meant: |given| has(given, "policy"),
        refused: PLANNING,
    },
    Mode {
        commands: &["run"],
        name: "a run that is not recorded; add --record",
        is_meant: |given| !given.get_flag("record"),
        refused: RECORDING,
    },
    Mode {
        commands: &["config"],
        name: "`config`, which uses no model",
        is_meant: |_| true,
        refused: &[
            scope::MODEL,
            scope::REMEDIES,
            scope::SHOWN,
            scope::CAMERAS,
            "PointingArguments",
        ],
    },
    Mode {
        commands: &["models"],
        name: "`models`, which executes no plan",
        is_meant: |_| true,
        refused: &[scope::REMEDIES],
    },
    Mode {
        commands: &["serve"],
        name: "`serve`, whose planners get no pictures",
        is_meant: |_| true,
        refused: SEEING,
    },
    Mode {
        commands: &["mcp"],
        name: "`mcp`, whose planners get no pictures",
        is_meant: |_| true,
        refused: SEEING,
    },
    Mode {
        commands: &["bench", "run"],
        name: "a perception without a model; it needs --perception pointer",
        is_meant: |given| given.get_one("perception") != Some(&PerceptionArgument::Pointer),
        refused: &["PointingArguments"],
    },
    Mode {
        commands: &["bench", "run", "serve", "mcp", "ros"],
        name: ASKS_NOBODY,
        // With --pointer these options apply to the model that points, although it makes no plan.
        is_meant: |given| asks_no_model(given) && !has(given, "pointer"),
        refused: &[
            scope::MODEL,
            scope::PATIENCE,
            scope::REMEDIES,
            scope::CAMERAS,
        ],
    },
    Mode {
        commands: &["bench", "run", "serve", "mcp", "ros"],
        name: ASKS_NOBODY,
        is_meant: asks_no_model,
        refused: &[scope::SHOWN],
    },
];

const ASKS_NOBODY: &str =
    "a planner without a model; choose --planner openai, ollama, anthropic or custom";

const PLANNING: &[&str] = &[scope::REPLANNING, scope::VIEWPOINT];
const RECORDING: &[&str] = &[scope::RECORDED_PICTURES, scope::RECORDED_FRAMES];
const SEEING: &[&str] = &[scope::SHOWN, scope::CAMERAS, "PointingArguments"];

#[cfg(all(feature = "franka", target_os = "linux"))]
fn is_real(given: &ArgMatches) -> bool {
    let robot = given.get_one::<std::path::PathBuf>("robot_file");
    robot.is_some_and(|robot| crate::values::is_real(&robot.to_string_lossy()))
}

fn has(given: &ArgMatches, id: &str) -> bool {
    let is_known = given.ids().any(|known| known.as_str() == id);
    is_known && given.value_source(id) == Some(ValueSource::CommandLine)
}

fn asks_no_model(given: &ArgMatches) -> bool {
    let planner = given.get_one::<PlannerArgument>("planner");
    let asks = planner.is_some_and(|planner| crate::models::provider(*planner).is_some());
    own_planner().is_some() || !asks
}

fn is_recovery(given: &ArgMatches) -> bool {
    let suite = given.try_get_one::<SuiteName>("suite").ok().flatten();
    suite == Some(&SuiteName::Recovery)
}

fn options_of<'a>(command: &'a clap::Command, scope: &str) -> impl Iterator<Item = &'a clap::Arg> {
    let group = command.get_groups().find(|group| group.get_id() == scope);
    let ids = group.into_iter().flat_map(clap::ArgGroup::get_args);
    ids.filter_map(|id| command.get_arguments().find(|a| a.get_id() == id))
}

/// Rejects the first option without effect.
pub(crate) fn check(mut command: clap::Command, given: &ArgMatches) -> Result<()> {
    let Some((name, given)) = given.subcommand() else {
        return Ok(());
    };
    // A nested subcommand has options of its own.
    if given.subcommand().is_some() {
        return Ok(());
    }
    // Groups know their options only after `build`.
    command.build();
    let Some(command) = command.find_subcommand(name) else {
        return Ok(());
    };
    let modes = MODES
        .iter()
        .filter(|mode| mode.commands.contains(&name) && (mode.is_meant)(given));
    for mode in modes {
        let mut options = mode.refused.iter().flat_map(|s| options_of(command, s));
        if let Some(option) = options.find(|option| has(given, option.get_id().as_str())) {
            let shown = match option.get_long() {
                Some(long) => format!("--{long}"),
                None => option.get_id().as_str().to_uppercase(),
            };
            return Err(CliError::no_effect(&shown, mode.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::builder::PossibleValue;

    use super::*;
    use crate::commands::Arguments;

    /// Structs whose options always have an effect.
    const ALWAYS: &[&str] = &["RobotArguments", "LiberoArguments"];

    fn built() -> clap::Command {
        let mut command = Arguments::scoped();
        command.build();
        command
    }

    /// Fails for a new option until it is assigned to a scope.
    #[test]
    fn every_option_is_in_one_scope() {
        let all = built();
        let commands = MODES.iter().flat_map(|mode| mode.commands);
        for command in commands.filter_map(|name| all.find_subcommand(name)) {
            let refused = MODES.iter().flat_map(|mode| mode.refused);
            let mut scopes: Vec<_> = refused.chain(scope::SCOPES).chain(ALWAYS).collect();
            scopes.sort();
            scopes.dedup();
            for option in command.get_arguments().filter(|o| o.get_id() != "help") {
                let is_in = |scope: &&&&str| options_of(command, scope).any(|o| o == option);
                let of: Vec<_> = scopes.iter().filter(is_in).collect();
                let name = command.get_name();
                assert_eq!(of.len(), 1, "{name}: {} is in {of:?}", option.get_id());
            }
        }
    }

    #[test]
    fn what_is_refused_exists() {
        let all = built();
        for mode in MODES {
            let there = mode.commands.iter();
            let there: Vec<_> = there.filter_map(|c| all.find_subcommand(c)).collect();
            for scope in mode.refused.iter().filter(|_| !there.is_empty()) {
                let mut options = there.iter().flat_map(|c| options_of(c, scope));
                assert!(options.next().is_some(), "{}: {scope}", mode.name);
            }
        }
    }

    /// Further arguments that an option requires.
    fn needs(id: &str) -> &'static [&'static str] {
        match id {
            "percepts_wait" => &["--percepts", "x"],
            "record_cassette" => &["--cassette", "x"],
            "run_key" => &["--store", "x"],
            "resume" => &["--store", "x", "--run-key", "x"],
            policy if policy.starts_with("policy_") => &["--policy", "process:true"],
            _ => &[],
        }
    }

    /// Gives every option without effect alone, and expects an error.
    #[test]
    fn every_option_without_effect_is_refused() {
        let mut base: Vec<(&str, &[&str])> = vec![
            ("--suite recovery", &["bench", "--suite", "recovery"]),
            ("tasks;", &["bench", "--suite", "clutter"]),
            ("a policy", &["bench", "--policy", "process:true"]),
            ("records nothing", &["bench"]),
            ("saves nothing", &["bench"]),
            ("--dry-run", &["run", "x", "--dry-run"]),
            ("not recorded", &["run", "x"]),
            ("`config`", &["config"]),
            ("a planner without", &["run", "x"]),
            ("a perception without", &["bench"]),
        ];
        if cfg!(all(feature = "franka", target_os = "linux")) {
            base.push(("a real arm", &["run", "x", "--robot", "franka:host"]));
            base.push(("a simulated arm", &["run", "x"]));
        }
        for (mode_name, words) in base {
            let command = built();
            let sub = command
                .find_subcommand(words[0])
                .expect("the command exists");
            let mode = MODES
                .iter()
                .find(|m| m.commands.contains(&words[0]) && m.name.contains(mode_name));
            let scopes = mode.expect("the mode exists").refused.iter();
            for argument in scopes.flat_map(|scope| options_of(sub, scope)) {
                let long = format!("--{}", argument.get_long().expect("a long name"));
                let takes_value = argument.get_action().takes_values();
                let nudged = "nudged: {object: red_cube, distance_m: 0.05}";
                let possible = argument.get_possible_values();
                let possible = possible.iter().map(PossibleValue::get_name);
                let usual = ["1", "process:true", nudged, "pick", "robot"];
                let values: Vec<&str> = possible.chain(usual).collect();
                let tried = values.iter().find_map(|value| {
                    let mut all: Vec<&str> = vec!["regrasp"];
                    all.extend(words);
                    all.push(&long);
                    let n_values = argument.get_num_args().map_or(1, |n| n.min_values());
                    if takes_value {
                        all.extend(std::iter::repeat_n(*value, n_values.max(1)));
                    }
                    all.extend(needs(argument.get_id().as_str()));
                    command.clone().try_get_matches_from(all).ok()
                });
                let given = tried.unwrap_or_else(|| panic!("{long} takes none of {values:?}"));
                let refusal = check(command.clone(), &given).expect_err(&long).to_string();
                assert!(refusal.contains("has no effect"), "{long}: {refusal}");
            }
        }
    }
}
