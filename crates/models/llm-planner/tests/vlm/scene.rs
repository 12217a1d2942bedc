//! The standard scene of these tests: a blue cube on a red one, and a plate.

use regrasp_api::{
    Aabb, CompletedStep, HandUse, Literal, Observation, Operator, PastCase, PerceivedObject,
    Percept, PlanRequest, PriorAttempt, RepairPlan, RobotInfo, SkillSpec, Trigger,
};
use regrasp_testkit as testkit;
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

const PICK: &[Operator] = &[Operator::new(
    &[Operator::OBJECT],
    &[Literal::so("holding", &["object"])],
)];
const PLACE_ON: &[Operator] = &[Operator::new(
    &[Operator::OBJECT, Operator::TARGET],
    &[Literal::so("on", &["object", "target"])],
)];

pub(crate) struct Situation {
    pub(crate) task: String,
    pub(crate) trigger: Trigger,
    pub(crate) percept: Percept,
    pub(crate) attempts: Vec<PriorAttempt>,
    pub(crate) completed: Vec<CompletedStep>,
    pub(crate) past_cases: Vec<PastCase>,
    pub(crate) answers: Vec<(String, String)>,
    pub(crate) repair: Option<RepairPlan>,
    pub(crate) correction: Option<String>,
    pub(crate) tokens_left: Option<u64>,
    pub(crate) skills: Vec<SkillSpec>,
    observation: Observation,
    robot: RobotInfo,
}

pub(crate) fn object(id: &str, category: &str, half: [f64; 3], at: [f64; 3]) -> PerceivedObject {
    PerceivedObject {
        color: Some("red".into()),
        movable: category != "table",
        ..testkit::thing(id, category, testkit::cuboid(half), at)
    }
}

fn skill(
    name: &str,
    description: &str,
    hand: HandUse,
    args_schema: serde_json::Value,
    operators: &'static [Operator],
) -> SkillSpec {
    SkillSpec {
        description: description.into(),
        args_schema,
        operators,
        ..testkit::skill_spec(name, hand)
    }
}

impl Situation {
    pub(crate) fn new() -> Self {
        let cube = |id, z| object(id, "cube", [0.02; 3], [0.4, 0.1, z]);
        let percept = testkit::percept(vec![
            object("table", "table", [0.6, 0.6, 0.02], [0.5, 0.0, -0.02]),
            cube("red_cube", 0.02),
            cube("blue_cube", 0.06),
            object("plate", "plate", [0.08, 0.08, 0.01], [0.5, -0.2, 0.01]),
        ]);
        let schemas = [
            schema_for!(PickArgs).to_value(),
            schema_for!(PlaceOnArgs).to_value(),
            schema_for!(HomeArgs).to_value(),
        ];
        let [pick, place_on, home] = schemas;
        let puts = "Puts what is held on an object.";
        Self {
            task: "put the blue cube on the plate".into(),
            trigger: Trigger::Start,
            percept,
            attempts: vec![],
            completed: vec![],
            past_cases: vec![],
            answers: vec![],
            repair: None,
            correction: None,
            tokens_left: None,
            skills: vec![
                skill("pick", "Picks an object up.", HandUse::Takes, pick, PICK),
                skill("place_on", puts, HandUse::Releases, place_on, PLACE_ON),
                skill("home", "Moves the arm home.", HandUse::Any, home, &[]),
            ],
            observation: Observation {
                time_secs: 0.0,
                ..testkit::observation()
            },
            robot: RobotInfo {
                workspace: Aabb::new([0.0, -0.6, 0.0], [0.9, 0.6, 1.0]),
                ..testkit::robot_info()
            },
        }
    }

    pub(crate) fn request(&self) -> PlanRequest<'_> {
        let (percept, now) = (&self.percept, &self.observation);
        PlanRequest {
            trigger: &self.trigger,
            attempts: &self.attempts,
            completed: &self.completed,
            past_cases: &self.past_cases,
            answers: &self.answers,
            repair: self.repair.as_ref(),
            correction: self.correction.as_deref(),
            tokens_left: self.tokens_left,
            ..testkit::request(&self.task, percept, now, &self.skills, &self.robot)
        }
    }
}
