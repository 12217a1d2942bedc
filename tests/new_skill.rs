//! `regrasp new skill` generates a working program: the command line with the new skill.
//!
//! This target includes the templates. `cargo test` starts it as a test, which starts it again as
//! the generated program.

extern crate self as new_skill;

#[expect(
    dead_code,
    unused_imports,
    reason = "the tests of the template are another target"
)]
#[path = "../crates/apps/cli/templates/skill/lib.rs"]
mod skill;

pub use skill::NewSkill;

use std::env;
use std::process::{Command, ExitCode, Output};

const AS_PROGRAM: &str = "TEST_AS_REGRASP";

mod program {
    include!("../crates/apps/cli/templates/skill/main.rs");

    pub(super) fn run() -> ExitCode {
        main()
    }
}

fn main() -> ExitCode {
    if env::var_os(AS_PROGRAM).is_some() {
        return program::run();
    }
    let listed = program(&["skills"]);
    let text = String::from_utf8_lossy(&listed.stdout);
    let is_listed = listed.status.success() && text.contains("new_skill(");
    assert!(is_listed, "{text}");
    assert!(text.contains("pick("), "`pick` is missing: {text}");
    // The new skill is known wherever skills are named, for example in faults.
    let fault = "skill_fails: {skill: new_skill, probability: 0.5}";
    let told = program(&["run", "--task", "pick_cube", "--json", "--fault", fault]);
    let error = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{error}");
    let again = program(&["new", "skill", "new_skill"]);
    let error = String::from_utf8_lossy(&again.stderr);
    assert!(error.contains("already"), "{error}");
    ExitCode::SUCCESS
}

fn program(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder for runs");
    let mut command = Command::new(env::current_exe().expect("this program"));
    let command = command.args(arguments).env(AS_PROGRAM, "1");
    let output = command.current_dir(folder.path()).output();
    output.expect("the program starts")
}
