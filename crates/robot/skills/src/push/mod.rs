//! `push`: pushes an object along its support with the closed hand, from behind. If the arm has no
//! room there, it presses on a flat object from above and slides it along.

mod along;
mod contacts;
mod plan;
mod press_slide;
mod response;

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Failure, HandUse, Kind, Literal, MotionGoal, Operator, Phase, Reason, Success};
use regrasp_robot::{Result, Robot, Skill};

use crate::aim::{Aim, SlideArgs, aim};
use crate::hold::{if_possible, open, out_of_contact};
use crate::moved::{STUCK_M, check_upright, explain, to_point, verify};
use crate::params::{
    APPROACH_M, BACK_M, DESCENT_SPEED, MOST_FORCE_N, N_STROKES, ON_TARGET_M, REST_SECS,
};
use crate::sight;
use along::take_along;
use contacts::PushSide;
pub(crate) use contacts::turns;
use plan::{Stance, if_cleared, select};

/// Pushes an object in a straight line along its support.
#[derive(Clone, Copy, Debug, Default)]
pub struct Push;

const BESIDE: (&str, Kind) = ("beside", Kind::Thing);
const ASIDE: (&str, Kind) = ("aside", Kind::Flag(true));
const CLEAR: &[Literal] = &[Literal::so("clear", &["object"])];

impl Skill for Push {
    type Args = SlideArgs;
    type Task = Aim;
    const NAME: &'static str = "push";
    const DESCRIPTION: &'static str = "Pushes an object over its support with the closed, empty \
         hand. In a straight line: in a direction, towards or beside another object, or to a \
         point. Nothing may rest on it.";
    const HAND: HandUse = HandUse::Empty;
    const GRIPS: bool = false;
    const REMEDIES: &'static [Reason] = &[Reason::NoGraspFound];
    const OPERATORS: &'static [Operator] = &[
        Operator::new(
            &[Operator::OBJECT, ("point", Kind::LevelPoint)],
            &[Literal::so("at", &["object", "point"])],
        )
        .needing(CLEAR),
        Operator::new(
            &[Operator::OBJECT, BESIDE],
            &[Literal::so("beside", &["object", "beside"])],
        )
        .needing(CLEAR),
        Operator::new(
            &[Operator::OBJECT, BESIDE, ("side", Kind::Side)],
            &[Literal::so("beside", &["object", "beside", "side"])],
        )
        .needing(CLEAR),
        Operator::new(
            &[Operator::OBJECT, ASIDE],
            &[Literal::so("aside", &["object"])],
        )
        .needing(CLEAR),
    ];

    fn precondition(&self, robot: &mut Robot, args: &SlideArgs) -> Result<Aim> {
        aim(robot, args, |robot, percept, aim| {
            if_cleared(robot, percept, aim).err()
        })
    }

    fn run(&self, robot: &mut Robot, args: &SlideArgs, task: &mut Aim) -> Result<()> {
        let max_force_n = args.force_n();
        for _ in 0..N_STROKES {
            if task.is_there() {
                break;
            }
            let from = task.object.clone();
            once(robot, task, max_force_n).map_err(|f| advise(f, task, max_force_n))?;
            robot.settle(REST_SECS)?;
            task.object = sight::see_again(robot, &from.id)?;
            check_upright(&from, &task.object, "pushed")?;
            let moved_m = (task.object.position() - from.position()).norm();
            if moved_m < STUCK_M + 3.0 * task.object.position_std_m {
                return Err(missed(task, moved_m));
            }
        }
        Ok(())
    }

    fn verify(&self, robot: &mut Robot, _: &SlideArgs, task: &Aim) -> Result<Success> {
        verify(robot, task, "pushed")
    }
}

fn once(robot: &mut Robot, aim: &mut Aim, max_force_n: f64) -> Result<()> {
    robot.begin("approach");
    let percept = robot.perceive()?;
    let push = select(robot, &percept, aim)?;
    open(robot, push.contact.opening_m)?;
    robot.follow(&push.stroke.travel)?;
    robot.begin("lower");
    let down = MotionGoal::Line(push.contact.approach.world_from_tool);
    robot.go(down, &push.scenes.touching, DESCENT_SPEED)?;
    let from = sight::see_again(robot, &aim.object.id)?;
    if (from.position() - aim.object.position()).norm() > ON_TARGET_M {
        aim.object = from;
        // Nothing was pushed yet, so the next attempt starts from the current state.
        return back_off(robot, &push, aim);
    }
    aim.least_m = None;
    robot.begin("push");
    let pushed = take_along(robot, aim, &from, &push, max_force_n);
    let explained = pushed.map_err(|failure| explain(robot, aim, &from, failure));
    // The hand must leave the object, whatever failed.
    let left = back_off(robot, &push, aim);
    explained.and(left)
}

fn back_off(robot: &mut Robot, push: &Stance, aim: &Aim) -> Result<()> {
    robot.begin("back_off");
    let mut scene = sight::scene(robot)?.touching(aim.object.id.clone());
    let touched = &push.scenes.touching.may_touch;
    scene.may_touch.extend(touched.iter().cloned());
    let up = Vector3::z() * APPROACH_M;
    let steps = match push.contact.touch {
        PushSide::Beside => vec![-aim.direction() * BACK_M, up],
        PushSide::Atop => vec![up],
    };
    for step in steps {
        let there = Translation3::from(step) * robot.world_from_tool()?;
        let line = MotionGoal::Line(there);
        // The pushed object presses back at first.
        let press = |robot: &mut Robot, scene: &_| {
            robot.press(line.clone(), scene, DESCENT_SPEED, MOST_FORCE_N)
        };
        if_possible(out_of_contact(robot, &scene, press))?;
    }
    Ok(())
}

/// Suggests more force for an object that resists: the maximum if it did not move at all.
fn advise(mut failure: Failure, aim: &Aim, max_force_n: f64) -> Failure {
    let more_n = match failure.reason {
        Reason::PushNoMotion => MOST_FORCE_N,
        Reason::PushDeviated => (2.0 * max_force_n).min(MOST_FORCE_N),
        _ => return failure,
    };
    let text = format!(
        "{}; the force was limited to {max_force_n:.0} N (`max_force_n` may be up to \
         {MOST_FORCE_N:.0} N)",
        failure.detail
    );
    failure.detail = text.into_boxed_str();
    let failure = failure.measured("max_force", max_force_n, Some(MOST_FORCE_N), "N");
    if max_force_n >= MOST_FORCE_N {
        return failure;
    }
    let mut changes = to_point(aim);
    changes["max_force_n"] = more_n.into();
    failure.retry_with(changes)
}

fn missed(aim: &Aim, moved_m: f64) -> Failure {
    let id = &aim.object.id;
    let text = format!("the hand completed its path, but {id} moved only {moved_m:.4} m");
    Failure::new(Reason::PushNoMotion, text)
        .in_phase(Phase::Execute)
        .about([id.clone()])
        .measured("moved", moved_m, Some(STUCK_M), "m")
        .retry_with(to_point(aim))
}
