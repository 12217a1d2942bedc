//! What a planner is asked in these tests: a blue cube on a red one, and a plate.

use std::collections::BTreeMap;

use regrasp_api::{
    Aabb, CompletedStep, GripperInfo, GripperState, HandUse, Observation, PastCase,
    PerceivedObject, Percept, PlanRequest, Pose, PriorAttempt, RobotInfo, Scope, Shape, SkillSpec,
    Trigger, WayOut,
};
use schemars::{JsonSchema, schema_for};

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema matters")]
struct PickArgs {
    #[schemars(extend("x-names-object" = true))]
    object: String,
    #[schemars(range(min = 1.0))]
    force_n: Option<f64>,
    then: Option<Then>,
}

#[derive(JsonSchema)]
#[schemars(tag = "skill", rename_all = "snake_case", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema matters")]
enum Then {
    PlaceOn {
        #[schemars(extend("x-names-object" = true))]
        target: String,
    },
    PlaceAt {
        x: f64,
        y: f64,
    },
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema matters")]
struct PlaceOnArgs {
    #[schemars(extend("x-names-object" = true))]
    target: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct HomeArgs {}

/// Everything that a request borrows.
pub(crate) struct Situation {
    pub(crate) task: String,
    pub(crate) trigger: Trigger,
    pub(crate) percept: Percept,
    pub(crate) attempts: Vec<PriorAttempt>,
    pub(crate) completed: Vec<CompletedStep>,
    pub(crate) past_cases: Vec<PastCase>,
    pub(crate) answers: Vec<(String, String)>,
    pub(crate) way_out: Option<WayOut>,
    pub(crate) correction: Option<String>,
    pub(crate) tokens_left: Option<u64>,
    pub(crate) skills: Vec<SkillSpec>,
    observation: Observation,
    robot: RobotInfo,
}

pub(crate) fn object(id: &str, category: &str, half: [f64; 3], at: [f64; 3]) -> PerceivedObject {
    PerceivedObject {
        id: id.into(),
        category: category.into(),
        color: Some("red".into()),
        shape: Shape::Box { half_extents: half },
        world_from_object: Pose::translation(at[0], at[1], at[2]),
        position_std_m: 0.0,
        movable: category != "table",
    }
}

fn skill(
    name: &str,
    description: &str,
    hand: HandUse,
    args_schema: serde_json::Value,
) -> SkillSpec {
    SkillSpec {
        name: name.into(),
        description: description.into(),
        args_schema,
        claims: vec![],
        hand,
        mends: vec![],
        operators: &[],
    }
}

impl Situation {
    pub(crate) fn new() -> Self {
        let cube = |id, z| object(id, "cube", [0.02; 3], [0.4, 0.1, z]);
        let percept = Percept {
            objects: vec![
                object("table", "table", [0.6, 0.6, 0.02], [0.5, 0.0, -0.02]),
                cube("red_cube", 0.02),
                cube("blue_cube", 0.06),
                object("plate", "plate", [0.08, 0.08, 0.01], [0.5, -0.2, 0.01]),
            ],
            ..Percept::default()
        };
        let schemas = [
            schema_for!(PickArgs).to_value(),
            schema_for!(PlaceOnArgs).to_value(),
            schema_for!(HomeArgs).to_value(),
        ];
        let [pick, place_on, home] = schemas;
        Self {
            task: "put the blue cube on the plate".into(),
            trigger: Trigger::Start,
            percept,
            attempts: vec![],
            completed: vec![],
            past_cases: vec![],
            answers: vec![],
            way_out: None,
            correction: None,
            tokens_left: None,
            skills: vec![
                skill("pick", "Picks an object up.", HandUse::Takes, pick),
                skill(
                    "place_on",
                    "Puts what is held on an object.",
                    HandUse::Releases,
                    place_on,
                ),
                skill("home", "Moves the arm home.", HandUse::Any, home),
            ],
            observation: observation(),
            robot: robot(),
        }
    }

    pub(crate) fn request(&self) -> PlanRequest<'_> {
        PlanRequest {
            task: &self.task,
            trigger: &self.trigger,
            scope: Scope::Rest,
            remaining: &[],
            observation: &self.observation,
            percept: &self.percept,
            viewpoint: regrasp_api::Viewpoint::Robot,
            held: None,
            attempts: &self.attempts,
            completed: &self.completed,
            past_cases: &self.past_cases,
            answers: &self.answers,
            way_out: self.way_out.as_ref(),
            correction: self.correction.as_deref(),
            tokens_left: self.tokens_left,
            skills: &self.skills,
            robot: &self.robot,
        }
    }
}

fn observation() -> Observation {
    Observation {
        time_secs: 0.0,
        world_from_base: Pose::translation(-0.3, 0.1, 0.0),
        joint_positions: vec![0.5],
        joint_velocities: vec![0.0],
        joint_efforts: vec![0.0],
        gripper: GripperState {
            width_m: 0.08,
            speed_m_per_s: 0.0,
            grip_force_n: 0.0,
            finger_contact: Some([false; 2]),
            slip_m: None,
        },
        contacts: vec![],
    }
}

fn robot() -> RobotInfo {
    RobotInfo {
        name: "one joint".into(),
        joint_names: vec!["j".into()],
        home: vec![0.0],
        named_poses: BTreeMap::new(),
        gripper: GripperInfo {
            min_width_m: 0.0,
            max_width_m: 0.08,
            default_force_n: 40.0,
            pad_friction: 1.0,
            max_force_n: 70.0,
            default_speed_m_per_s: 0.05,
            finger_links: vec![],
            fingertip_beyond_tool_m: 0.0,
            finger_length_m: 0.05,
            pad_width_m: 0.02,
            hand: vec![],
            fingers: vec![],
        },
        monitors: Default::default(),
        reach_m: 0.85,
        workspace: Aabb {
            min: [0.0, -0.6, 0.0],
            max: [0.9, 0.6, 1.0],
        },
        tool_from_wrist_camera: None,
    }
}
