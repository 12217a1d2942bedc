//! Runs tasks with the fakes and checks their results.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use regrasp_agent::{Agent, AgentOptions, Budgets};
use regrasp_api::{
    Approval, ApprovalRequest, CancelToken, EpisodeResult, Event, FinalReason, Goal, Person, Plan,
    PlanStep, Planner, PlannerError, Route, SkillCall, StampedEvent, Trigger,
};
use regrasp_robot::{Robot, SkillSet};
use serde_json::{Value, json};

pub(crate) use crate::fakes::cube;
use crate::fakes::{
    Act, Asked, FakeClock, FakePerception, FakeWorld, NoMotion, Scene, Scripted, See,
};

pub(crate) type Answer = Result<Plan, PlannerError>;

pub(crate) type Shared<T> = Arc<Mutex<T>>;

pub(crate) fn lock<T>(shared: &Shared<T>) -> std::sync::MutexGuard<'_, T> {
    shared
        .lock()
        .expect("no test panics while it holds the lock")
}

/// Set-up of a run, and its records.
pub(crate) struct Rig {
    pub(crate) scene: Shared<Scene>,
    pub(crate) asked: Shared<Vec<Asked>>,
    pub(crate) events: Shared<Vec<StampedEvent>>,
    pub(crate) options: AgentOptions,
    pub(crate) thinks_secs: f64,
    /// Time until which the hand holds an object, s. Runs begin at 1.5 s.
    pub(crate) grips_until_secs: f64,
    pub(crate) clock: Shared<Duration>,
}

impl Rig {
    /// A red and a green cube beside each other, and a budget of two replans.
    pub(crate) fn new() -> Self {
        let scene = Scene {
            objects: vec![
                cube("red_cube", 0.4, -0.1, 0.02),
                cube("green_cube", 0.4, 0.1, 0.02),
            ],
            ..Scene::default()
        };
        Self {
            scene: Arc::new(Mutex::new(scene)),
            asked: Arc::default(),
            events: Arc::default(),
            clock: Arc::default(),
            thinks_secs: 0.0,
            grips_until_secs: 0.0,
            options: AgentOptions {
                budgets: Budgets {
                    max_replans: 2,
                    ..Budgets::default()
                },
                seed: 11,
                version: "test".into(),
                ..AgentOptions::default()
            },
        }
    }

    pub(crate) fn agent(&self, answers: impl IntoIterator<Item = Answer>) -> Agent {
        let planner = Scripted {
            answers: answers.into_iter().collect(),
            asked: Arc::clone(&self.asked),
            thinks_secs: self.thinks_secs,
            clock: Arc::clone(&self.clock),
        };
        self.planned_by(|_| Box::new(planner))
    }

    /// Creates an agent with a planner that gets the robot's cancel token.
    pub(crate) fn planned_by(
        &self,
        planner: impl FnOnce(&CancelToken) -> Box<dyn Planner>,
    ) -> Agent {
        let mut robot = Robot::new(
            Box::new(FakeWorld {
                time_secs: 1.5,
                grips_until_secs: self.grips_until_secs,
            }),
            Box::new(FakePerception(Arc::clone(&self.scene))),
            Box::new(NoMotion),
            regrasp_testkit::robot_info(),
        );
        robot.set_sink(Box::new(Arc::clone(&self.events)));
        let planner = planner(&robot.cancel);
        let act = Act(Arc::clone(&self.scene));
        let skills = SkillSet::new().with(act).with(See);
        Agent::new(robot, skills, planner, self.options.clone())
            .with_clock(Box::new(FakeClock(Arc::clone(&self.clock))))
    }

    pub(crate) fn run(&self, answers: impl IntoIterator<Item = Answer>) -> EpisodeResult {
        self.agent(answers).run("stack the cubes")
    }

    pub(crate) fn event_names(&self) -> Vec<String> {
        let tag = |e: &StampedEvent| {
            let event = serde_json::to_value(&e.event).expect("plain data");
            event["event"]
                .as_str()
                .expect("an event has a tag")
                .to_owned()
        };
        lock(&self.events).iter().map(tag).collect()
    }
}

pub(crate) fn on(object: &str, target: &str) -> Goal {
    Goal::On {
        object: object.into(),
        target: target.into(),
    }
}

/// A plan with the standard goal: red on green.
pub(crate) fn plan(steps: impl IntoIterator<Item = impl Into<PlanStep>>) -> Answer {
    let goals = vec![on("red_cube", "green_cube")];
    Ok(Plan::complete(steps, "stacked").with_goals(goals))
}

/// A call with arguments, on the red cube if they name no object.
pub(crate) fn act(mut args: Value) -> SkillCall {
    let fields = args.as_object_mut().expect("named arguments");
    fields.entry("object").or_insert("red_cube".into());
    SkillCall::new("act", args)
}

/// A call that achieves the standard goal.
pub(crate) fn stack() -> SkillCall {
    act(json!({"to": [0.4, 0.1, 0.06]}))
}

/// A call that succeeds and changes nothing.
pub(crate) fn idle() -> SkillCall {
    act(json!({}))
}

pub(crate) fn fails(slug: &str) -> SkillCall {
    act(json!({"fails": slug}))
}

pub(crate) fn unusable() -> Answer {
    Err(PlannerError::Unusable {
        detail: "it is prose".into(),
    })
}

#[track_caller]
pub(crate) fn check(
    rig: &Rig,
    answers: impl IntoIterator<Item = Answer>,
    reason: FinalReason,
) -> EpisodeResult {
    let result = rig.run(answers);
    assert_eq!(result.final_reason, reason, "{}", result.final_detail);
    result
}

/// Decisions about failed steps, in order.
pub(crate) fn routes(rig: &Rig) -> Vec<Route> {
    let events = lock(&rig.events);
    let routes = events.iter().filter_map(|e| match &e.event {
        Event::Decided { decision, .. } => Some(decision.route),
        _ => None,
    });
    routes.collect()
}

/// Number, trigger and number of steps of each plan version.
pub(crate) fn versions(rig: &Rig) -> Vec<(usize, Trigger, usize)> {
    let events = lock(&rig.events);
    let versions = events.iter().filter_map(|e| match &e.event {
        Event::PlanRevised { version: v } => Some((v.version, v.trigger.clone(), v.steps.len())),
        _ => None,
    });
    versions.collect()
}

pub(crate) struct Nodder;

impl Person for Nodder {
    fn approve(&mut self, _: &ApprovalRequest) -> Approval {
        Approval::Granted
    }

    fn answer(&mut self, _: &str) -> Option<String> {
        Some("yes".into())
    }
}
