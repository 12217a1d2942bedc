//! Policies in this process and in separate ones.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use nalgebra::{UnitQuaternion, Vector3};
use regrasp::api::{
    Action, CancelToken, FinalReason, GripperAction, MotionPlanner, ObjectId, Policy,
    PolicyDeadlines, PolicyError, PolicyInput, Pose, Reason, ToolTarget,
};
use regrasp::bench::{Verdict, judge};
use regrasp::ground_truth::{Frame, FrameListener};
use regrasp::policy::{DriveOptions, ProcessPolicies, ReplayPolicy};
use regrasp::scene::TaskInstance;
use regrasp::{Episode, EpisodeOptions, LoadedRobot, PolicyOptions};
use regrasp_testkit::says;

use crate::common::{instance, played};

fn options(policy: impl Policy + 'static, drive: DriveOptions) -> EpisodeOptions {
    EpisodeOptions {
        policy: Some(PolicyOptions {
            policy: Box::new(policy),
            drive,
            cameras: vec![],
        }),
        ..EpisodeOptions::default()
    }
}

fn run_for(task: &TaskInstance, policy: impl Policy + 'static, drive: DriveOptions) -> Episode {
    played(&task.scene, &task.prompt, options(policy, drive))
}

fn run(task: &TaskInstance, policy: impl Policy + 'static) -> Episode {
    run_for(task, policy, DriveOptions::default())
}

fn verdict(task: &TaskInstance, episode: &Episode) -> Verdict {
    judge(task, episode)
}

type Move = (Vec<f64>, Option<GripperAction>, u64);

/// Policy that moves to one target after the other, each for a number of actions.
struct Script {
    moves: Vec<Move>,
    n_in_this: u64,
    told: Vec<Reason>,
}

impl Script {
    fn of(moves: Vec<Move>) -> Self {
        Self {
            moves,
            n_in_this: 0,
            told: vec![],
        }
    }
}

impl Policy for Script {
    fn name(&self) -> String {
        "script".into()
    }

    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError> {
        self.told
            .extend(input.stopped.as_ref().map(|f| f.reason.clone()));
        if matches!(self.moves.first(), Some(first) if first.2 == self.n_in_this) {
            self.moves.remove(0);
            self.n_in_this = 0;
        }
        let Some((target, gripper, _)) = self.moves.first() else {
            let why = format!("{:?}", self.told);
            return Ok(Some(match self.told.is_empty() {
                true => Action::Done,
                false => Action::GiveUp { why },
            }));
        };
        self.n_in_this += 1;
        Ok(Some(Action::Move {
            joint_positions: Some(target.clone()),
            gripper: *gripper,
        }))
    }
}

/// Joint positions with the hand pointing down, 12 cm and `dz` m above an object's origin.
fn above_and_at(loaded: &LoadedRobot, task: &TaskInstance, id: &str, dz: f64) -> [Vec<f64>; 2] {
    let base = task.scene.world_from_base;
    let things = &task.scene.objects;
    let thing = things.iter().find(|o| o.id == ObjectId::new(id)).unwrap();
    let at = thing.world_from_object.translation.vector;
    let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let joints = |z: f64| {
        let pose = Pose::from_parts(Vector3::new(at.x, at.y, at.z + z).into(), down);
        let (arm, seed) = (loaded.arm_planner(), &loaded.file().home);
        let inverse = arm.inverse(&base, &ToolTarget::Pose(pose), seed);
        inverse.unwrap()
    };
    [joints(0.12), joints(dz)]
}

fn picks(loaded: &LoadedRobot, task: &TaskInstance) -> Script {
    let [above, at] = above_and_at(loaded, task, "red_cube", 0.0);
    let open = Some(GripperAction::WidthM(0.08));
    let close = Some(GripperAction::ForceN(15.0));
    Script::of(vec![
        (above.clone(), open, 40),
        (at.clone(), None, 25),
        (at, close, 15),
        (above, None, 30),
    ])
}

#[test]
fn a_policy_picks_and_the_judge_agrees_twice_alike() {
    let (loaded, task) = (LoadedRobot::panda().unwrap(), instance("pick_cube", 0));
    let episodes = [0, 1].map(|_| run(&task, picks(&loaded, &task)));
    for episode in &episodes {
        assert_eq!(episode.result.final_reason, FinalReason::PlanComplete);
        assert_eq!(verdict(&task, episode), Verdict::Success);
    }
    let [first, second] = episodes.map(|episode| episode.result.state_digest);
    assert_eq!(first, second);
}

/// Checks that the recorded commands give the same result in the same scene.
#[test]
fn what_was_recorded_can_be_played_again() {
    let (loaded, task) = (LoadedRobot::panda().unwrap(), instance("pick_cube", 0));
    let frames = Arc::new(Mutex::new(Vec::<Frame>::new()));
    let options = EpisodeOptions {
        listeners: vec![FrameListener::usual(Arc::clone(&frames))],
        ..EpisodeOptions::default()
    };
    let first = loaded.episode(&task.scene, &task.prompt, options).unwrap();
    assert!(first.result.success);
    let frames = std::mem::take(&mut *frames.lock().unwrap());
    let replay = ReplayPolicy::new("replay:first", frames.clone()).unwrap();
    let again = run(&task, replay);
    assert_eq!(again.result.final_reason, FinalReason::PlanComplete);
    assert_eq!(verdict(&task, &again), Verdict::Success);

    let backwards = frames.into_iter().rev().collect();
    assert!(ReplayPolicy::new("backwards", backwards).is_err());
    assert!(ReplayPolicy::new("nothing", vec![]).is_err());
}

#[test]
fn a_claim_that_is_not_true_is_a_false_success() {
    let task = instance("pick_cube", 0);
    let episode = run(&task, Script::of(vec![]));
    let Verdict::Failure { false_success, .. } = verdict(&task, &episode) else {
        panic!("an episode without a motion was judged a success");
    };
    assert!(false_success);
}

#[test]
fn a_hand_that_hits_the_table_stops_and_the_policy_gets_the_reason() {
    let (loaded, task) = (LoadedRobot::panda().unwrap(), instance("pick_cube", 0));
    let [above, deep] = above_and_at(&loaded, &task, "red_cube", -0.08);
    let closed = Some(GripperAction::WidthM(0.0));
    let crash = Script::of(vec![(above, closed, 30), (deep, None, 30)]);
    let result = run(&task, crash).result;
    assert_eq!(result.final_reason, FinalReason::GaveUp, "{result:?}");
    says(&result.final_detail, &["PathBlocked"]);
}

#[test]
fn a_policy_ends_with_its_time_and_with_a_stop() {
    let (loaded, task) = (LoadedRobot::panda().unwrap(), instance("pick_cube", 0));
    let short = DriveOptions {
        max_sim_secs: 0.5,
        ..DriveOptions::default()
    };
    let episode = run_for(&task, picks(&loaded, &task), short);
    assert_eq!(episode.result.final_reason, FinalReason::Timeout);
    assert!(episode.result.sim_s < 2.5, "{:?}", episode.result);

    let cancel = CancelToken::new();
    cancel.cancel();
    let options = EpisodeOptions {
        cancel,
        ..options(picks(&loaded, &task), DriveOptions::default())
    };
    let episode = loaded.episode(&task.scene, &task.prompt, options).unwrap();
    assert_eq!(episode.result.final_reason, FinalReason::Cancelled);
    assert_eq!(episode.result.planner_calls, 0);
}

/// An episode whose policy is a shell script.
fn shell(script: &str, deadlines: PolicyDeadlines) -> Episode {
    let quoted = shlex_quoted(script);
    let policies = ProcessPolicies::new(&format!("sh -c {quoted}"), deadlines).unwrap();
    let (task, policy) = (instance("pick_cube", 0), policies.policy());
    run(&task, policy)
}

fn shlex_quoted(script: &str) -> String {
    format!("'{}'", script.replace('\'', r"'\''"))
}

fn quick() -> PolicyDeadlines {
    PolicyDeadlines {
        deadline: Duration::from_millis(100),
        first_deadline: Duration::from_secs(20),
        max_late: 3,
    }
}

const READY: &str = r#"read l; echo '{"type":"ready"}'; "#;

#[test]
fn a_process_drives_and_says_that_it_is_done() {
    let script = format!(
        r#"{READY} n=0; while [ $n -lt 5 ]; do read l; echo "{{\"type\":\"move\",\"step\":$n,\"gripper\":{{\"width_m\":0.03}}}}"; n=$((n+1)); done; read l; echo '{{"type":"done","step":5}}'; read l"#
    );
    let patient = PolicyDeadlines {
        deadline: Duration::from_secs(20),
        ..quick()
    };
    let result = shell(&script, patient).result;
    assert_eq!(result.final_reason, FinalReason::PlanComplete, "{result:?}");
    assert_eq!(result.planner_calls, 6);
}

#[test]
fn every_failure_of_a_process_ends_with_one_reason_and_its_detail() {
    let move_text = r#"{"type":"move","step":0,"joint_positions":[0,0]}"#;
    let ready = |then: &str| format!("{READY} {then}");
    let answers = |line: &str| ready(&format!("read l; echo '{line}'; read l"));
    let joints = "2 target positions for 7 joints";
    let late = "did not answer 3 times in a row";
    let zeros = r"head -c 3000000 /dev/zero | tr '\0' x; read l";
    let cases = [
        ("exit 3".to_owned(), "its output ended"),
        ("read l; echo hello; read l".into(), "expected value"),
        (answers(r#"{"type":"dance"}"#), "dance"),
        (answers(move_text), joints),
        (answers(r#"{"type":"done","step":7}"#), "`step` is 7"),
        (answers(r#"{"type":"ready"}"#), "expected an action"),
        (ready("read l"), "its output ended"),
        (ready("while read l; do :; done"), late),
        (ready("sleep 30"), late),
        (zeros.into(), "longer than"),
    ];
    for (script, told) in cases {
        let result = shell(&script, quick()).result;
        let end = FinalReason::PolicyUnavailable;
        assert_eq!(result.final_reason, end, "{script}");
        assert!(result.final_reason.is_infrastructure());
        says(&result.final_detail, &[told]);
    }
}

#[test]
fn a_process_that_cannot_be_started_or_never_is_ready_says_so() {
    let policies = ProcessPolicies::new("/no/such/program", quick()).unwrap();
    let result = run(&instance("pick_cube", 0), policies.policy()).result;
    says(&result.final_detail, &["cannot be started"]);
    let never = PolicyDeadlines {
        first_deadline: Duration::from_millis(100),
        ..quick()
    };
    let detail = shell("sleep 30", never).result.final_detail;
    says(&detail, &["did not send `ready`"]);
    assert!(ProcessPolicies::new("python3 'open", quick()).is_err());
}

#[test]
fn one_process_serves_many_episodes() {
    let script = r#"e=0; while read l; do case "$l" in *'"reset"'*) e=$((e+1)); echo '{"type":"ready"}';; *) echo "{\"type\":\"give_up\",\"step\":0,\"why\":\"episode $e\"}";; esac; done"#;
    let command = format!("sh -c {}", shlex_quoted(script));
    let policies = ProcessPolicies::new(&command, quick()).unwrap();
    let patient = instance("pick_cube", 0);
    for k in 1..=2 {
        let result = run(&patient, policies.policy()).result;
        assert_eq!(result.final_reason, FinalReason::GaveUp);
        assert_eq!(result.final_detail, format!("episode {k}"));
    }
}
