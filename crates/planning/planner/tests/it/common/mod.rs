//! Hand-made percepts, and plans as short texts.

#![allow(dead_code, reason = "each test uses a part of it")]

use regrasp_api::{
    Aabb, CompletedStep, Failure, HandUse, Held, ObjectId, Observation, PerceivedObject, Percept,
    Plan, PlanRequest, Planner, PlannerError, Pose, PriorAttempt, Reason, RobotInfo, SkillCall,
    SkillResult, SkillSpec,
};
use regrasp_planner::FeedbackPlanner;
use regrasp_testkit as testkit;
use serde_json::{Value, json};

/// Height of the table, m. It is not zero, so that a test cannot pass by ignoring it.
pub(crate) const TABLE_Z: f64 = 0.04;
/// Half the edge of every cube, m.
pub(crate) const HALF_M: f64 = 0.02;

/// A plan request that tests can modify.
pub(crate) struct Scene {
    pub(crate) percept: Percept,
    pub(crate) held: Option<Held>,
    pub(crate) attempts: Vec<PriorAttempt>,
    pub(crate) completed: Vec<CompletedStep>,
    pub(crate) observation: Observation,
    pub(crate) robot: RobotInfo,
    pub(crate) skills: Vec<SkillSpec>,
}

impl Scene {
    /// Creates a table with cubes at x and y, each `level` cubes above the table.
    pub(crate) fn new(cubes: &[(&str, f64, f64, usize)]) -> Self {
        let mut objects = vec![table()];
        for (id, x, y, level) in cubes {
            let z = TABLE_Z + HALF_M * (1.0 + 2.0 * *level as f64);
            objects.push(cube(id, *x, *y, z));
        }
        Self {
            percept: testkit::percept(objects),
            held: None,
            attempts: vec![],
            completed: vec![],
            observation: Observation {
                world_from_base: Pose::translation(-0.2, 0.03, 0.0),
                ..testkit::observation()
            },
            robot: RobotInfo {
                reach_m: 0.855,
                workspace: Aabb::new([-0.8, -0.9, -0.1], [1.5, 0.9, 1.2]),
                ..testkit::robot_info()
            },
            skills: "pick place_on place_beside place_at place_aside carry_to home push pull tap"
                .split(' ')
                .map(spec)
                .collect(),
        }
    }

    pub(crate) fn object_mut(&mut self, id: &str) -> &mut PerceivedObject {
        let mut objects = self.percept.objects.iter_mut();
        objects
            .find(|o| o.id.as_str() == id)
            .expect("the object exists")
    }

    pub(crate) fn hold(&mut self, id: &str) {
        let object = self.object_mut(id);
        object.world_from_object = Pose::translation(0.4, 0.0, 0.5);
        let held = Held::of(object, Pose::translation(0.0, 0.0, 0.01), 0.04);
        self.held = Some(held);
    }

    /// Adds a `slide` along x, or a `hinge` or `lever` about z, with its opening and travel.
    pub(crate) fn add_joint(&mut self, ids: [&str; 2], how: &str, [opening, travel]: [f64; 2]) {
        let (kind, axis_in_world, role) = match how {
            "slide" => ("prismatic", [1.0, 0.0, 0.0], "opens"),
            "hinge" => ("revolute", [0.0, 0.0, 1.0], "opens"),
            _ => ("revolute", [0.0, 0.0, 1.0], "sets"),
        };
        let joint = json!({
            "id": how, "parent": ids[0], "child": ids[1], "kind": kind, "role": role,
            "axis_in_world": axis_in_world, "opening": opening, "travel": travel,
        });
        let joint = serde_json::from_value(joint).expect("a joint");
        self.percept.joints.push(joint);
    }

    /// Makes the green cube a lever on the table.
    pub(crate) fn with_lever(mut self) -> Self {
        self.object_mut("green_cube").category = "lever".to_owned();
        self.add_joint(["table", "green_cube"], "lever", [0.1, 2.0]);
        self.skills.push(spec("turn"));
        self
    }

    /// Adds an event: `hold cube`, `cube at 0.4 0 0.06`, a successful call such as `pick cube` or
    /// `place_beside mug left`, or a failed one, `pick cube: object_covered: mug`.
    pub(crate) fn happens(&mut self, event: &str) {
        let parts: Vec<&str> = event.split(':').map(str::trim).collect();
        let words: Vec<&str> = parts[0].split_whitespace().collect();
        let args = match words[..] {
            ["hold", id] => return self.hold(id),
            [id, "at", x, y, z] => {
                let [x, y, z] = [x, y, z].map(|m| m.parse().expect("metres"));
                self.object_mut(id).world_from_object = Pose::translation(x, y, z);
                return;
            }
            [] | [_] => json!({}),
            ["pick", id] => object(id),
            [_, id] => target(id),
            [_, id, side, ..] => json!({"target": id, "side": side}),
        };
        let skill = words.first().copied().unwrap_or_default();
        match parts[..] {
            [_, reason, entities] => {
                let entities: Vec<&str> = entities.split_whitespace().collect();
                self.failed(skill, args, Reason::from_slug(reason), &entities);
            }
            _ => self.did(skill, args),
        }
    }

    pub(crate) fn failed(&mut self, skill: &str, args: Value, reason: Reason, entities: &[&str]) {
        let named = entities.iter().map(|id| ObjectId::new(*id));
        let failure = Failure::new(reason, "as measured").about(named);
        let result = SkillResult {
            world_changed: true,
            ..failure.into()
        };
        let step_idx = self.attempts.len() + self.completed.len();
        let attempt = PriorAttempt::new(step_idx, SkillCall::new(skill, args), result);
        self.attempts.push(attempt);
    }

    pub(crate) fn pick_failed(&mut self, id: &str, reason: Reason, entities: &[&str]) {
        self.failed("pick", object(id), reason, entities);
    }

    pub(crate) fn did(&mut self, skill: &str, args: Value) {
        let result = testkit::succeeded();
        let call = SkillCall::new(skill, args);
        let step_idx = self.attempts.len() + self.completed.len();
        self.completed.push(CompletedStep {
            step_idx,
            call,
            result,
        });
    }

    pub(crate) fn try_plan(&self, by: &mut dyn Planner, task: &str) -> Result<Plan, PlannerError> {
        let (percept, now) = (&self.percept, &self.observation);
        let request = PlanRequest {
            held: self.held.as_ref(),
            attempts: &self.attempts,
            completed: &self.completed,
            ..testkit::request(task, percept, now, &self.skills, &self.robot)
        };
        pollster::block_on(by.plan(&request))
    }

    pub(crate) fn plan(&self, by: &mut dyn Planner, task: &str) -> Plan {
        self.try_plan(by, task).expect("the text is understood")
    }

    /// Returns the plan of a new feedback planner.
    pub(crate) fn planned(&self, task: &str) -> Plan {
        self.plan(&mut feedback(), task)
    }

    pub(crate) fn add(&mut self, object: PerceivedObject) {
        self.percept.objects.push(object);
    }
}

/// Formats calls as "pick a, place_on b, place_at"; points are checked separately.
pub(crate) fn short(plan: &Plan) -> String {
    let short = |call: &SkillCall| {
        let name = call.args.get("object").or(call.args.get("target"));
        match name.and_then(Value::as_str) {
            Some(name) => format!("{} {name}", call.skill),
            None => call.skill.clone(),
        }
    };
    let calls: Vec<_> = plan.steps.iter().map(|step| short(&step.call)).collect();
    calls.join(", ")
}

pub(crate) fn points(plan: &Plan) -> Vec<[f64; 2]> {
    let calls = plan.steps.iter().map(|step| &step.call);
    let placements = calls.filter(|call| call.skill == "place_at");
    let coordinate = |call: &SkillCall, key: &str| call.args.get(key).and_then(Value::as_f64);
    placements
        .filter_map(|call| Some([coordinate(call, "x")?, coordinate(call, "y")?]))
        .collect()
}

pub(crate) fn object(name: &str) -> Value {
    json!({ "object": name })
}

pub(crate) fn target(name: &str) -> Value {
    json!({ "target": name })
}

pub(crate) fn cube(id: &str, x: f64, y: f64, z: f64) -> PerceivedObject {
    PerceivedObject {
        color: id.split('_').next().map(str::to_owned),
        ..testkit::cube(id, HALF_M, [x, y, z])
    }
}

fn table() -> PerceivedObject {
    let at = [0.4, 0.0, TABLE_Z - 0.02];
    testkit::fixed("table", "table", testkit::cuboid([0.5, 0.6, 0.02]), at)
}

/// Declaration of a standard skill; empty for any other name.
pub(crate) fn spec(name: &str) -> SkillSpec {
    let standard = regrasp_skills::standard().specs();
    let known = standard.into_iter().find(|spec| spec.name == name);
    known.unwrap_or_else(|| testkit::skill_spec(name, HandUse::Any))
}

pub(crate) fn feedback() -> FeedbackPlanner {
    FeedbackPlanner::new()
}

#[track_caller]
pub(crate) fn check_steps(scene: &Scene, task: &str, expected: &str) -> Plan {
    check_plan(scene, &mut feedback(), task, expected)
}

#[track_caller]
pub(crate) fn check_plan(scene: &Scene, by: &mut dyn Planner, task: &str, expected: &str) -> Plan {
    let plan = scene.plan(by, task);
    assert!(plan.achievable, "{task}: {:?}", plan.explanation);
    assert_eq!(short(&plan), expected, "{task}: {}", plan.reasoning);
    plan
}

#[track_caller]
pub(crate) fn check_infeasible(scene: &Scene, task: &str, words: &[&str]) {
    let plan = scene.planned(task);
    assert!(plan.steps.is_empty() && !plan.achievable);
    let why = plan
        .explanation
        .expect("an infeasible plan has an explanation");
    testkit::says(&why, words);
}

pub(crate) fn red_and_green() -> Scene {
    Scene::new(&[("red_cube", 0.35, -0.1, 0), ("green_cube", 0.35, 0.1, 0)])
}

/// A blue cube on a red one, and a green cube as the target.
pub(crate) fn covered() -> Scene {
    Scene::new(&[
        ("red_cube", 0.35, -0.1, 0),
        ("blue_cube", 0.35, -0.1, 1),
        ("green_cube", 0.35, 0.1, 0),
    ])
}
