//! `pour`: pours the contents of the held container into another.

mod motions;
mod path;
mod selection;
mod task;

use regrasp_api::{Failure, Goal, HandUse, Literal, ObjectId, Operator, Reason, Success};
use regrasp_robot::{Result, Robot, Skill};

use crate::hold::tighten;
use crate::lookahead::PourArgs;
use crate::params::{FALLEN_RAD, REST_SECS, SAME_TURN_RAD};
use crate::sight;
pub(crate) use path::{PLANNED_OFF_M, PourPath, Scenery};
pub(crate) use selection::plan_to_path;
pub use task::PourTask;
use task::{Contents, UPRIGHT_RAD, lean_rad};

/// Pours the contents of the held container into another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pour;

impl Skill for Pour {
    type Args = PourArgs;
    type Task = PourTask;
    const NAME: &'static str = "pour";
    const DESCRIPTION: &'static str = "Pours the contents of the held container into another. \
         Tilts it until nothing more comes out, and turns it upright again. The container stays \
         in the hand.";
    const HAND: HandUse = HandUse::Keeps;
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::TARGET],
        &[Literal::so("poured", &["object", "target"])],
    )];

    fn precondition(&self, robot: &mut Robot, args: &PourArgs) -> Result<PourTask> {
        if let Some(part) = args.at_least.filter(|part| !(0.0..=1.0).contains(part)) {
            let text = format!("argument `at_least`: {part}, expected a fraction from 0 to 1");
            return Err(Failure::new(Reason::BadArguments, text));
        }
        let never = "cannot be poured into";
        let (held, percept, target) = sight::held_and_target(robot, &args.target, never)?;
        let id = &target.id;
        if target.shape.cavity().is_none() {
            let text = format!("argument `target`: {id} is not a container");
            return Err(Failure::new(Reason::BadArguments, text).about([id.clone()]));
        }
        let target_lean_rad = lean_rad(&target.world_from_object);
        if target_lean_rad > FALLEN_RAD {
            let text = format!(
                "{id} is tilted by {target_lean_rad:.2} rad and would not hold the contents"
            );
            return Err(Failure::new(Reason::ContainerClosed, text)
                .about([id.clone()])
                .measured("lean", target_lean_rad, Some(FALLEN_RAD), "rad"));
        }
        sight::check_uncovered(&percept, &target, Some(&held.id))?;
        let container = sight::see_again(robot, &held.id)?;
        let before = Contents::of(&percept, &container);
        let fault = match container.shape.cavity() {
            None => Some("is not a container"),
            Some(_) => (before.count() == 0).then_some("seems to be empty"),
        };
        if let Some(fault) = fault {
            let text = format!("{} {fault}: there is nothing to pour", held.id);
            return Err(Failure::new(Reason::NothingToPour, text).about([held.id]));
        }
        Ok(PourTask {
            held,
            target_lean_rad,
            target: target.id,
            before,
        })
    }

    fn run(&self, robot: &mut Robot, _: &PourArgs, task: &mut PourTask) -> Result<()> {
        motions::pour(robot, task).map_err(|failure| tighten(robot, failure))
    }

    fn verify(&self, robot: &mut Robot, args: &PourArgs, task: &PourTask) -> Result<Success> {
        // Poured objects may roll in the target for long, so they are counted even if they move.
        let percept = robot.settle(REST_SECS)?.percept;
        let seen = |id: &ObjectId| percept.object(id).cloned();
        let count = |id: &ObjectId| seen(id).map_or(0, |o| task.before.count_in(&percept, &o));
        let all = task.before.count();
        let (arrived, left) = (count(&task.target), count(&task.held.id));
        let spilled = all - (arrived + left).min(all);
        let part = arrived as f64 / all as f64;
        let least = args.at_least.unwrap_or(Goal::ENOUGH_POURED);
        let text = format!(
            "of the contents of {} ({}), {arrived} are in {} now, {left} are left and {spilled} \
             were spilled",
            task.held.id,
            task.before.described(),
            task.target
        );
        let ids = [task.held.id.clone(), task.target.clone()];
        let tipped_rad = seen(&task.target).map_or(0.0, |o| lean_rad(&o.world_from_object));
        let upright_rad = task.target_lean_rad + SAME_TURN_RAD;
        if tipped_rad > upright_rad {
            let text = format!("{} was tipped by {tipped_rad:.2} rad; {text}", task.target);
            return Err(Failure::new(Reason::VerificationFailed, text)
                .about(ids)
                .measured("tipped", tipped_rad, Some(upright_rad), "rad"));
        }
        if part >= least {
            let lean_rad = seen(&task.held.id).map_or(0.0, |o| lean_rad(&o.world_from_object));
            return Ok(Success::new(text)
                .about(ids)
                .measured("poured", part, Some(least), "")
                .measured("spilled", spilled as f64, None, "")
                .measured("lean", lean_rad, Some(UPRIGHT_RAD), "rad"));
        }
        let reason = match spilled as f64 > (1.0 - least) * all as f64 {
            true => Reason::Spilled,
            false => Reason::VerificationFailed,
        };
        Err(Failure::new(reason, text)
            .about(ids)
            .measured("poured", part, Some(least), "")
            .measured("spilled", spilled as f64, None, ""))
    }
}
