//! Skills that each violate one rule, as the skill of a newcomer might, and one sound skill.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use regrasp::api::{Failure, GripperCommand, Kind, Literal, Operator, Reason, Success, Watch};
use regrasp::robot::{AnySkill, Robot, Skill};
use regrasp_conformance::{Report, Rule, check};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::common::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    None,
    MovesBeforeItMayStart,
    SaysNothing,
    SwallowsStops,
    PanicsAtEmptyText,
    Remembers,
    MovesUnwatched,
}

/// Skill that turns the first joint back and forth, with a defect.
struct Nod {
    defect: Defect,
    n_calls: AtomicU32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NodArgs {
    /// Person to nod to.
    to: String,
    /// Angle, rad.
    #[serde(default)]
    turn_rad: f64,
}

const MAX_TURN_RAD: f64 = 0.5;

impl Nod {
    fn turn(&self, robot: &mut Robot, turn_rad: f64) -> Result<(), Failure> {
        let mut joints = robot.observe()?.joint_positions;
        joints[0] += turn_rad;
        match robot.move_joints(&joints) {
            Err(_) if self.defect == Defect::SwallowsStops => robot.world.wait(0.2).map(drop),
            outcome => return outcome.map(drop),
        }
        .map_err(|diverged| Failure::new(Reason::SimDiverged, diverged.to_string()))
    }
}

impl Skill for Nod {
    type Args = NodArgs;
    type Task = f64;
    const NAME: &'static str = "nod";
    const DESCRIPTION: &'static str = "Turns to somebody and back.";

    fn precondition(&self, robot: &mut Robot, args: &NodArgs) -> Result<f64, Failure> {
        if self.defect == Defect::PanicsAtEmptyText {
            assert!(!args.to.is_empty(), "nobody is there");
        }
        if self.defect == Defect::MovesBeforeItMayStart {
            self.turn(robot, 0.05)?;
        }
        if args.turn_rad.abs() > MAX_TURN_RAD {
            let detail = match self.defect {
                Defect::SaysNothing => String::new(),
                _ => format!("{} rad is more than {MAX_TURN_RAD} rad", args.turn_rad),
            };
            return Err(Failure::new(Reason::BadArguments, detail));
        }
        Ok(robot.observe()?.joint_positions[0])
    }

    fn run(&self, robot: &mut Robot, args: &NodArgs, _: &mut f64) -> Result<(), Failure> {
        let n_earlier = self.n_calls.fetch_add(1, Ordering::Relaxed);
        let more_rad = match self.defect {
            Defect::Remembers => 0.01 * f64::from(n_earlier % 2),
            _ => 0.0,
        };
        if self.defect == Defect::MovesUnwatched {
            let open = GripperCommand::MoveTo {
                width_m: 0.05,
                speed_m_per_s: 0.1,
            };
            let watch = Watch {
                monitors: vec![],
                cancel: robot.cancel.clone(),
            };
            let _ = robot.world.command_gripper(open, &watch);
            return Ok(());
        }
        self.turn(robot, args.turn_rad + more_rad)?;
        self.turn(robot, -args.turn_rad)
    }

    fn verify(&self, robot: &mut Robot, _: &NodArgs, before: &f64) -> Result<Success, Failure> {
        let off_rad = (robot.observe()?.joint_positions[0] - before).abs();
        Success::verified(off_rad < 0.1, format!("back within {off_rad:.4} rad"))
    }
}

impl Nod {
    fn with(defect: Defect) -> Self {
        let n_calls = AtomicU32::new(0);
        Self { defect, n_calls }
    }
}

/// Checks the conformance of a skill in a scene with a red cube, with a call that should succeed.
fn checked(skill: &dyn AnySkill, call: Value) -> Report {
    let robot = || cell(&scene([cube("red_cube", 0.02, 0.4, 0.0)])).robot;
    check(skill, &robot, &[call])
}

fn report(defect: Defect) -> Report {
    checked(&Nod::with(defect), json!({"to": "you", "turn_rad": 0.2}))
}

#[test]
fn a_sound_skill_passes() {
    let report = report(Defect::None);
    assert!(report.is_conformant(), "{report}");
    assert!(report.n_stopped >= 2, "{report}");
}

#[test]
fn each_defect_is_caught_by_its_rule() {
    for (defect, rule) in [
        (Defect::MovesBeforeItMayStart, Rule::RefusesUntouched),
        (Defect::SaysNothing, Rule::SaysWhy),
        (Defect::SwallowsStops, Rule::Stops),
        (Defect::PanicsAtEmptyText, Rule::NeverPanics),
        (Defect::Remembers, Rule::Deterministic),
        (Defect::MovesUnwatched, Rule::MovesWatched),
    ] {
        let report = report(defect);
        let rules: BTreeSet<Rule> = report.findings.iter().map(|f| f.rule).collect();
        assert_eq!(rules, BTreeSet::from([rule]), "{defect:?}: {report}");
    }
}

/// [`Nod`] with a hyphen in its name, and with arguments that accept unknown fields.
struct Careless(Nod);

#[derive(Deserialize, JsonSchema)]
struct CarelessArgs {
    /// Person to nod to.
    to: String,
}

impl Skill for Careless {
    type Args = CarelessArgs;
    type Task = f64;
    const NAME: &'static str = "careless-nod";
    const DESCRIPTION: &'static str = "Nods.";

    fn precondition(&self, robot: &mut Robot, args: &CarelessArgs) -> Result<f64, Failure> {
        self.0.precondition(robot, &full(args))
    }

    fn run(&self, robot: &mut Robot, args: &CarelessArgs, work: &mut f64) -> Result<(), Failure> {
        self.0.run(robot, &full(args), work)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        args: &CarelessArgs,
        work: &f64,
    ) -> Result<Success, Failure> {
        self.0.verify(robot, &full(args), work)
    }
}

fn full(args: &CarelessArgs) -> NodArgs {
    NodArgs {
        to: args.to.clone(),
        turn_rad: 0.1,
    }
}

#[test]
fn a_misspelt_argument_that_is_ignored_is_caught_and_so_is_a_name_with_a_hyphen() {
    let careless = Careless(Nod::with(Defect::None));
    let report = checked(&careless, json!({"to": "you"}));
    let is_about_misspelling = |args: &Value| args.get("no_such_argument").is_some();
    let of_arguments =
        |f: &&regrasp_conformance::Finding| f.args.as_ref().is_some_and(is_about_misspelling);
    assert!(report.breaks(Rule::Described), "{report}");
    let n_found = report.findings.iter().filter(of_arguments).count();
    assert_eq!(n_found, 1, "{report}");
    assert!(report.to_string().contains("snake_case"), "{report}");
}

/// Skill that declares the effect of a pick, but does nothing.
struct Boast;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BoastArgs {
    /// Object to take.
    object: String,
}

impl Skill for Boast {
    type Args = BoastArgs;
    type Task = ();
    const NAME: &'static str = "boast";
    const DESCRIPTION: &'static str = "Says that it has taken something.";
    const OPERATORS: &'static [Operator] = &[Operator {
        parameters: &[("object", Kind::Movable)],
        needs: &[],
        brings: &[Literal::so("holding", &["object"])],
    }];

    fn precondition(&self, robot: &mut Robot, args: &BoastArgs) -> Result<(), Failure> {
        let percept = robot.perceive()?;
        robot.find(&percept, &args.object).map(drop)
    }

    fn run(&self, _: &mut Robot, _: &BoastArgs, _: &mut ()) -> Result<(), Failure> {
        Ok(())
    }

    fn verify(&self, _: &mut Robot, _: &BoastArgs, _: &()) -> Result<Success, Failure> {
        Ok(Success::new("it is in the hand, surely"))
    }
}

#[test]
fn what_is_declared_and_not_brought_about_is_found() {
    let report = checked(&Boast, of("red cube"));
    let found: Vec<Rule> = report.findings.iter().map(|f| f.rule).collect();
    assert_eq!(found, [Rule::BringsAbout], "{report}");
}
