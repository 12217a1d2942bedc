//! The skill `new_skill`: raises the hand straight up, with whatever it holds.
//!
//! Change `Args` to the arguments of your skill, then the three functions. `cargo test` checks that
//! the skill keeps the rules that all skills keep.
//!
//! ```
//! let skills = regrasp::skills::standard().with(new_skill::NewSkill);
//! # assert!(skills.specs().iter().any(|skill| skill.name == "new_skill"));
//! ```

use regrasp::api::{Failure, MotionGoal, Pose, Reason, Success};
use regrasp::robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

/// Least and greatest height to raise the hand by, m.
const HEIGHT_M: [f64; 2] = [0.01, 0.3];

/// Greatest distance of the hand from its target at the end, m.
const TOLERANCE_M: f64 = 0.003;

/// Raises the hand straight up.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewSkill;

/// Arguments of the skill.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSkillArgs {
    /// Height to raise the hand, in metres (0.01 to 0.3).
    #[schemars(range(min = 0.01, max = 0.3))]
    pub height_m: f64,
}

impl Skill for NewSkill {
    type Args = NewSkillArgs;
    /// Final pose of the tool in World.
    type Task = Pose;
    const NAME: &'static str = "new_skill";
    const DESCRIPTION: &'static str =
        "Raises the hand straight up by height_m. What is in the hand stays in the hand.";

    fn precondition(&self, robot: &mut Robot, args: &NewSkillArgs) -> Result<Pose, Failure> {
        let [lowest, highest] = HEIGHT_M;
        if !(lowest..=highest).contains(&args.height_m) {
            let text = format!("height_m is {} (from {lowest} to {highest})", args.height_m);
            return Err(Failure::new(Reason::BadArguments, text));
        }
        let mut world_from_goal = robot.world_from_tool()?;
        world_from_goal.translation.vector.z += args.height_m;
        Ok(world_from_goal)
    }

    fn run(&self, robot: &mut Robot, _: &NewSkillArgs, goal: &mut Pose) -> Result<(), Failure> {
        robot.begin("raise");
        let percept = robot.perceive()?;
        let scene = robot.planning_scene(&percept);
        let speed = robot.usual_speed();
        robot.go(MotionGoal::Line(*goal), &scene, speed)?;
        Ok(())
    }

    fn verify(&self, robot: &mut Robot, _: &NewSkillArgs, goal: &Pose) -> Result<Success, Failure> {
        let tool = robot.world_from_tool()?.translation.vector;
        let off_m = (tool - goal.translation.vector).norm();
        let found = format!("the hand is {:.1} mm from its goal", 1e3 * off_m);
        let verified = Success::verified(off_m <= TOLERANCE_M, found)?;
        Ok(verified.measured("distance", off_m, Some(TOLERANCE_M), "m"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp::LoadedRobot;
    use regrasp::api::SkillCall;
    use regrasp::ground_truth_perception::NoiseOptions;
    use regrasp::scene::builtin_scene;
    use regrasp::sim::SimOptions;
    use regrasp_conformance::check;
    use serde_json::json;

    /// A Panda at a table with a few objects.
    fn robot() -> Robot {
        let scene = builtin_scene("tabletop").expect("it is built in");
        let loaded = LoadedRobot::panda().expect("it is built in");
        let cell = loaded.cell(&scene, SimOptions::default(), NoiseOptions::default());
        cell.expect("the scene can be simulated").robot
    }

    /// Height of the tool, m.
    fn height(robot: &mut Robot) -> f64 {
        let world_from_tool = robot.world_from_tool().expect("the robot answers");
        world_from_tool.translation.vector.z
    }

    #[test]
    fn the_hand_rises_as_far_as_asked() {
        let mut robot = robot();
        let before = height(&mut robot);
        let skills = regrasp::skills::standard().with(NewSkill);
        let call = SkillCall::new("new_skill", json!({"height_m": 0.1}));
        let result = skills.call(&mut robot, &call);
        assert!(result.success, "{}", result.reason_detail);
        let rise = height(&mut robot) - before;
        assert!((rise - 0.1).abs() < TOLERANCE_M, "it rose by {rise:.4} m");
    }

    #[test]
    fn too_high_is_refused_with_the_limits() {
        let call = SkillCall::new("new_skill", json!({"height_m": 9}));
        let skills = regrasp::skills::standard().with(NewSkill);
        let result = skills.call(&mut robot(), &call);
        assert_eq!(result.reason, Some(Reason::BadArguments));
        assert!(result.reason_detail.contains("0.3"), "{result:?}");
    }

    #[test]
    fn it_keeps_the_rules_that_every_skill_keeps() {
        let report = check(&NewSkill, &robot, &[json!({"height_m": 0.05})]);
        assert!(report.is_conformant(), "{report}");
    }
}
