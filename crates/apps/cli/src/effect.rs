//! Options that have no effect are refused, and none is overlooked.
//!
//! Some commands have ways of use in which part of their options says nothing: the recovery suite
//! brings its own faults, a policy asks no planner. Whoever gives such an option expects something
//! of it, and would read a figure that is not what was asked for.

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::bench::{RecordArgument, SuiteArgument};
use super::error::CliError;
use super::libero::SuiteName;
use super::planner::own_planner;

/// A way of using a command.
struct Mode {
    command: &'static str,
    /// As messages call it.
    name: &'static str,
    /// Whether it is the one that these arguments ask for.
    is_meant: fn(&ArgMatches) -> bool,
    /// Options that say nothing then. Every other option does.
    refused: &'static [&'static str],
}

const MODES: &[Mode] = &[
    Mode {
        command: "bench",
        name: OWN_PLANNER,
        is_meant: has_own_planner,
        refused: &["planner"],
    },
    Mode {
        command: "run",
        name: OWN_PLANNER,
        is_meant: has_own_planner,
        refused: &["planner"],
    },
    Mode {
        command: "serve",
        name: OWN_PLANNER,
        is_meant: has_own_planner,
        refused: &["planner"],
    },
    Mode {
        command: "mcp",
        name: OWN_PLANNER,
        is_meant: has_own_planner,
        refused: &["planner"],
    },
    Mode {
        command: "bench",
        name: "--suite recovery, whose classes say themselves what goes wrong",
        is_meant: is_recovery,
        refused: &[
            "fault",
            "perception",
            "depth_noise",
            "cameras",
            "no_pictures",
            "marks",
            "pointer",
            "find",
            "policy",
            "timeout",
            "record",
            "record_cameras",
            "record_hz",
            "record_camera_hz",
            "pictures",
        ],
    },
    Mode {
        command: "bench",
        name: "tasks: it belongs to --suite recovery",
        is_meant: |given| !is_recovery(given),
        refused: &["classes", "no_baselines", "ablate"],
    },
    Mode {
        command: "bench",
        name: "a policy, which asks no planner",
        is_meant: |given| has(given, "policy"),
        refused: PLANNING,
    },
    Mode {
        command: "bench",
        name: "a bench that records nothing: add --record",
        is_meant: |given| given.get_one("record") == Some(&RecordArgument::None),
        refused: RECORDING,
    },
    Mode {
        command: "bench",
        name: "a bench that keeps nothing: add --out",
        is_meant: |given| !has(given, "out"),
        refused: &["pictures"],
    },
    Mode {
        command: "run",
        name: "--dry-run, which moves nothing",
        is_meant: |given| given.get_flag("dry_run"),
        refused: &[
            "perception",
            "depth_noise",
            "planner",
            "base_url",
            "model",
            "api_key_env",
            "cassette",
            "record_cassette",
            "wire_log",
            "model_timeout",
            "model_read_timeout",
            "model_tries",
            "skills",
            "answer_mode",
            "rounds",
            "no_remedies",
            "cameras",
            "no_pictures",
            "marks",
            "pointer",
            "find",
            "max_replans",
            "approve",
            "repeat_calls",
            "policy",
            "fault",
            "record",
            "record_cameras",
            "record_hz",
            "record_camera_hz",
            "store",
            "runs_dir",
        ],
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        command: "run",
        name: "a real arm, which has neither scene nor truth",
        is_meant: is_real,
        refused: &[
            "task",
            "scene",
            "perception",
            "depth_noise",
            "cameras",
            "no_pictures",
            "marks",
            "pointer",
            "find",
            "policy",
            "fault",
            "record_cameras",
            "record_camera_hz",
            "dry_run",
        ],
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        command: "run",
        name: "a simulated arm: it belongs to --robot franka:HOST",
        is_meant: |given| !is_real(given),
        refused: REAL_ARM,
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        command: "serve",
        name: "a real arm, which has its own cell and time (its speed is in --safety)",
        is_meant: is_real,
        refused: &["scene", "speed"],
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        command: "mcp",
        name: "a real arm, which has its own cell and time (its speed is in --safety)",
        is_meant: is_real,
        refused: &["scene", "speed"],
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        command: "serve",
        name: "a simulated arm: it belongs to --robot franka:HOST",
        is_meant: |given| !is_real(given),
        refused: REAL_SESSION,
    },
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Mode {
        command: "mcp",
        name: "a simulated arm: it belongs to --robot franka:HOST",
        is_meant: |given| !is_real(given),
        refused: REAL_SESSION,
    },
    Mode {
        command: "run",
        name: "a policy, which asks no planner",
        is_meant: |given| has(given, "policy"),
        refused: PLANNING,
    },
    Mode {
        command: "run",
        name: "a run that is not recorded: add --record",
        is_meant: |given| !given.get_flag("record"),
        refused: RECORDING,
    },
    Mode {
        command: "config",
        name: "`config`, which asks nobody",
        is_meant: |_| true,
        refused: &[
            "base_url",
            "model",
            "api_key_env",
            "cassette",
            "record_cassette",
            "wire_log",
            "model_read_timeout",
            "model_tries",
            "skills",
            "answer_mode",
            "rounds",
            "no_remedies",
            "cameras",
            "no_pictures",
            "marks",
            "pointer",
            "find",
        ],
    },
    Mode {
        command: "models",
        name: "`models`, where nothing fails that could be mended",
        is_meant: |_| true,
        refused: &["no_remedies"],
    },
    Mode {
        command: "serve",
        name: "`serve`, whose planners are shown no pictures",
        is_meant: |_| true,
        refused: SEEING,
    },
    Mode {
        command: "mcp",
        name: "`mcp`, whose planners are shown no pictures",
        is_meant: |_| true,
        refused: SEEING,
    },
];

const OWN_PLANNER: &str = "a planner of the program's own";

fn has_own_planner(_: &ArgMatches) -> bool {
    own_planner().is_some()
}

const PLANNING: &[&str] = &["max_replans", "approve", "viewpoint", "repeat_calls"];
const RECORDING: &[&str] = &["record_cameras", "record_hz", "record_camera_hz"];
const SEEING: &[&str] = &["cameras", "no_pictures", "marks", "pointer", "find"];

#[cfg(all(feature = "franka", target_os = "linux"))]
const REAL_ARM: &[&str] = &[
    "percepts",
    "percepts_wait",
    "rgbd",
    "hand",
    "safety",
    "speed",
    "workspace",
    "approve_motion",
    "require_realtime",
];

/// The same, where `--speed` is that of simulated time.
#[cfg(all(feature = "franka", target_os = "linux"))]
const REAL_SESSION: &[&str] = &[
    "percepts",
    "percepts_wait",
    "rgbd",
    "hand",
    "safety",
    "workspace",
    "approve_motion",
    "require_realtime",
];

#[cfg(all(feature = "franka", target_os = "linux"))]
fn is_real(given: &ArgMatches) -> bool {
    let robot = given.get_one::<std::path::PathBuf>("robot_file");
    robot.is_some_and(|robot| robot.to_string_lossy().starts_with(super::values::REAL))
}

/// Whether an option was given on the command line.
fn has(given: &ArgMatches, id: &str) -> bool {
    let is_known = given.ids().any(|known| known.as_str() == id);
    is_known && given.value_source(id) == Some(ValueSource::CommandLine)
}

fn is_recovery(given: &ArgMatches) -> bool {
    let suite = given.try_get_one::<SuiteName>("suite").ok().flatten();
    suite == Some(&SuiteName::Known(SuiteArgument::Recovery))
}

/// Refuses the first option that would say nothing.
pub(crate) fn check(command: &clap::Command, given: &ArgMatches) -> Result<(), CliError> {
    let Some((name, given)) = given.subcommand() else {
        return Ok(());
    };
    // What a subcommand of a command takes is its own.
    if given.subcommand().is_some() {
        return Ok(());
    }
    let command = command.find_subcommand(name);
    let modes = MODES
        .iter()
        .filter(|mode| mode.command == name && (mode.is_meant)(given));
    for mode in modes {
        if let Some(id) = mode.refused.iter().find(|id| has(given, id)) {
            let argument = command.and_then(|c| c.get_arguments().find(|a| a.get_id() == *id));
            let long = argument.and_then(|argument| argument.get_long());
            return Err(CliError::NoEffect {
                argument: long.map_or_else(|| id.to_uppercase(), |long| format!("--{long}")),
                mode: mode.name,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::commands::Arguments;

    /// Every option of the commands that have ways of use, as somebody has thought about them.
    const KNOWN: &[(&str, &[&str])] = &[
        (
            "bench",
            &[
                "tasks",
                "suite",
                "classes",
                "no_baselines",
                "ablate",
                "seeds",
                "seed_list",
                "seed",
                "fault",
                "perception",
                "depth_noise",
                "planner",
                "base_url",
                "model",
                "api_key_env",
                "cassette",
                "record_cassette",
                "wire_log",
                "model_timeout",
                "model_read_timeout",
                "model_tries",
                "skills",
                "answer_mode",
                "rounds",
                "no_remedies",
                "cameras",
                "no_pictures",
                "marks",
                "pointer",
                "find",
                "max_replans",
                "approve",
                "viewpoint",
                "repeat_calls",
                "config",
                "policy",
                "policy_rate",
                "policy_deadline",
                "policy_time",
                "policy_cameras",
                "libero",
                "init_states",
                "robot_file",
                "jobs",
                "shard",
                "resume",
                "timeout",
                "out",
                "record",
                "record_cameras",
                "record_hz",
                "record_camera_hz",
                "pictures",
                "fail_under",
            ],
        ),
        (
            "run",
            &[
                "text",
                "goal",
                "task",
                "scene",
                "perception",
                "depth_noise",
                "planner",
                "base_url",
                "model",
                "api_key_env",
                "cassette",
                "record_cassette",
                "wire_log",
                "model_timeout",
                "model_read_timeout",
                "model_tries",
                "skills",
                "answer_mode",
                "rounds",
                "no_remedies",
                "cameras",
                "no_pictures",
                "marks",
                "pointer",
                "find",
                "max_replans",
                "approve",
                "viewpoint",
                "repeat_calls",
                "config",
                "policy",
                "policy_rate",
                "policy_deadline",
                "policy_time",
                "policy_cameras",
                "libero",
                "init_states",
                "robot_file",
                "seed",
                "fault",
                "record",
                "record_cameras",
                "record_hz",
                "record_camera_hz",
                "store",
                "run_key",
                "resume",
                "runs_dir",
                "dry_run",
                "json",
            ],
        ),
        (
            "config",
            &[
                "planner",
                "base_url",
                "model",
                "api_key_env",
                "cassette",
                "record_cassette",
                "wire_log",
                "model_timeout",
                "model_read_timeout",
                "model_tries",
                "skills",
                "answer_mode",
                "rounds",
                "no_remedies",
                "cameras",
                "no_pictures",
                "marks",
                "pointer",
                "find",
                "max_replans",
                "approve",
                "viewpoint",
                "repeat_calls",
                "config",
                "robot_file",
            ],
        ),
        (
            "models",
            &[
                "planner",
                "base_url",
                "model",
                "api_key_env",
                "cassette",
                "record_cassette",
                "wire_log",
                "model_timeout",
                "model_read_timeout",
                "model_tries",
                "skills",
                "answer_mode",
                "rounds",
                "no_remedies",
                "task",
                "robot_file",
                "json",
            ],
        ),
    ];

    fn ids(command: &str) -> BTreeSet<String> {
        let all = Arguments::command();
        let command = all.find_subcommand(command).expect("a command");
        let ids = command.get_arguments().map(|a| a.get_id().to_string());
        ids.filter(|id| id != "help").collect()
    }

    /// A new option fails here until somebody has said in which ways of use it says nothing.
    #[cfg(feature = "models")]
    #[test]
    fn every_option_was_thought_about() {
        for (command, known) in KNOWN {
            let known = known.iter().map(|id| (*id).to_owned());
            #[cfg(all(feature = "franka", target_os = "linux"))]
            let known = {
                let real = REAL_ARM.iter().filter(|_| *command == "run");
                known.chain(real.map(|id| (*id).to_owned()))
            };
            #[cfg(feature = "openpi")]
            let known = {
                // They say whose they are themselves.
                let openpi = ["policy_mapping", "policy_key_env"].into_iter();
                let takes = matches!(*command, "run" | "bench");
                known.chain(openpi.filter(move |_| takes).map(str::to_owned))
            };
            let known: BTreeSet<String> = known.collect();
            assert_eq!(ids(command), known, "{command}");
        }
    }

    #[cfg(feature = "models")]
    #[test]
    fn what_is_refused_exists() {
        let there = |mode: &&Mode| Arguments::command().find_subcommand(mode.command).is_some();
        for mode in MODES.iter().filter(there) {
            for id in mode.refused {
                assert!(ids(mode.command).contains(*id), "{}: {id}", mode.name);
            }
        }
    }

    /// Every option that says nothing, given alone, is refused by name.
    #[cfg(feature = "models")]
    #[test]
    fn every_option_without_effect_is_refused() {
        let mut base: Vec<(&str, &[&str])> = vec![
            ("--suite recovery", &["bench", "--suite", "recovery"]),
            ("tasks:", &["bench", "--suite", "clutter"]),
            ("a policy", &["bench", "--policy", "process:true"]),
            ("records nothing", &["bench"]),
            ("keeps nothing", &["bench"]),
            ("--dry-run", &["run", "x", "--dry-run"]),
            ("not recorded", &["run", "x"]),
            ("`config`", &["config"]),
        ];
        if cfg!(all(feature = "franka", target_os = "linux")) {
            base.push(("a real arm", &["run", "x", "--robot", "franka:host"]));
            base.push(("a simulated arm", &["run", "x"]));
        }
        for (mode_name, words) in base {
            let command = Arguments::command();
            let sub = command.find_subcommand(words[0]).expect("a command");
            let mode = MODES
                .iter()
                .find(|m| m.command == words[0] && m.name.contains(mode_name));
            for id in mode.expect("a mode").refused {
                let argument = sub.get_arguments().find(|a| a.get_id() == *id);
                let argument = argument.expect("an option");
                let long = format!("--{}", argument.get_long().expect("a long name"));
                let takes_value = argument.get_action().takes_values();
                let values: Vec<String> = argument
                    .get_possible_values()
                    .iter()
                    .map(|v| v.get_name().to_owned())
                    .chain(
                        [
                            "1",
                            "process:true",
                            "nudged: {object: red_cube, distance_m: 0.05}",
                            "pick",
                            "robot",
                        ]
                        .map(Into::into),
                    )
                    .collect();
                let tried = values.iter().find_map(|value| {
                    let mut all: Vec<&str> = vec!["regrasp"];
                    all.extend(words);
                    all.push(&long);
                    let n_values = argument.get_num_args().map_or(1, |n| n.min_values());
                    if takes_value {
                        all.extend(std::iter::repeat_n(value.as_str(), n_values.max(1)));
                    }
                    if *id == "percepts_wait" {
                        all.extend(["--percepts", "x"]);
                    }
                    // What it needs beside itself.
                    if *id == "record_cassette" {
                        all.extend(["--cassette", "x"]);
                    }
                    command.clone().try_get_matches_from(all).ok()
                });
                let given = tried.unwrap_or_else(|| panic!("{long} takes none of {values:?}"));
                let refusal = check(&command, &given).expect_err(&long).to_string();
                assert!(refusal.contains("has no effect"), "{long}: {refusal}");
            }
        }
    }
}
