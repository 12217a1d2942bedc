//! Environments end as the judge decides, and batches give the same on any number of threads.

use std::sync::Arc;

use regrasp::LoadedRobot;
use regrasp::api::{Pose, ToolServo};
use regrasp::bench::DrawnTask;
use regrasp::policy::PolicyTerms;
use regrasp::scene::{TaskInstance, builtin_task};
use regrasp_gym::{
    Autoreset, ControlMode, Env, EnvError, EnvOptions, Envs, ResetOptions, RewardMode,
};

fn options(control: ControlMode, max_steps: u64) -> EnvOptions {
    EnvOptions {
        control,
        reward: RewardMode::Dense,
        max_steps: Some(max_steps),
        ..EnvOptions::default()
    }
}

fn loaded() -> Arc<LoadedRobot> {
    Arc::new(LoadedRobot::panda().expect("the built-in robot"))
}

/// Returns the next action of a scripted pick: to the cube from above, close the gripper, lift.
fn next(env: &Env, seen: &[f32], n_closing: &mut u32) -> Vec<f64> {
    let names = &env.layout().state_names;
    let at = |name: &str| names.iter().position(|n| n.contains(name)).expect("a cube");
    let offset = seen[at("from tool x")..][..3].iter().map(|v| f64::from(*v));
    let offset: Vec<_> = offset.collect();
    let aside = offset[0].hypot(offset[1]);
    let mut action = vec![0.0; 7];
    action[6] = 1.0;
    if *n_closing > 0 || (aside < 0.01 && offset[2].abs() < 0.012) {
        *n_closing += 1;
        action[6] = -1.0;
        action[2] = if *n_closing > 15 { 0.5 } else { 0.0 };
    } else {
        let height = if aside < 0.02 {
            offset[2]
        } else {
            offset[2] + 0.1
        };
        action[0] = offset[0] / 0.05;
        action[1] = offset[1] / 0.05;
        action[2] = (height / 0.05).clamp(-0.6, 0.6);
    }
    action
}

#[test]
fn only_lifting_the_cube_completes_the_task() {
    let task = Arc::new(builtin_task("pick_cube").expect("a built-in task"));
    let mut env =
        Env::new(loaded(), task, options(ControlMode::EeDelta, 150)).expect("an environment");
    let (first, info) = env
        .reset(Some(0), &ResetOptions::default())
        .expect("a start");
    assert!(!info.success);
    let (mut seen, mut n_closing, mut best) = (first.numbers, 0, 0.0_f64);
    loop {
        let action = next(&env, &seen, &mut n_closing);
        let stepped = env.step(&action).expect("a step");
        assert!(!stepped.truncated, "truncated: {:?}", stepped.info);
        if stepped.terminated {
            assert!(stepped.info.success && stepped.reward == 1.0 && best < 1.0);
            let mut conditions = stepped.info.conditions.iter();
            assert!(conditions.all(|(_, found)| found.is_none()));
            break;
        }
        best = best.max(stepped.reward);
        seen = stepped.observed.numbers;
    }
    assert!(best > 0.5, "a held cube should give more than {best}");
    let over = env.step(&[0.0; 7]);
    assert!(matches!(over, Err(EnvError::NotRunning(_))));
}

#[test]
fn many_are_as_one_is_on_any_number_of_threads() {
    let loaded = loaded();
    let task: Arc<dyn DrawnTask> = Arc::new(builtin_task("stack_two").expect("a built-in task"));
    let options = options(ControlMode::JointDelta, 4);
    let run = |n_threads: usize| {
        let mode = Autoreset::NextStep;
        let envs = Envs::new(&loaded, &task, &options, 3, mode, Some(n_threads));
        let mut envs = envs.expect("environments");
        let seeds = [Some(3), Some(4), Some(5)];
        envs.reset(&seeds, &ResetOptions::default(), None)
            .expect("starts");
        for i in 0..7 {
            let actions = (0..24).map(|j| f64::from((i * 7 + j) % 5) * 0.4 - 0.8);
            let actions: Vec<_> = actions.collect();
            let actions: Vec<_> = actions.chunks(8).map(<[f64]>::to_vec).collect();
            envs.step(&actions).expect("a step");
        }
        let digests = (0..3).map(|i| envs.with(i, Env::state_digest).expect("one of three"));
        digests.collect::<Vec<_>>()
    };
    let digests = run(1);
    assert_eq!(digests, run(3));
    assert!(digests[0] != digests[1] && digests[0].is_some());
}

/// A task with the terms of another benchmark.
struct Foreign(regrasp::scene::Task);

impl DrawnTask for Foreign {
    fn name(&self) -> &str {
        "foreign"
    }

    fn draw(&self, seed: u64) -> Result<TaskInstance, String> {
        let mut instance = self.0.draw(seed)?;
        let still = loaded().info(&instance.scene.world_from_base).home;
        instance.scene.start_joints = Some(still);
        Ok(instance)
    }

    fn terms(&self, instance: &TaskInstance) -> Option<PolicyTerms> {
        let still = instance.scene.start_joints.clone()?;
        let n = still.len();
        Some(PolicyTerms {
            rate_hz: 20.0,
            n_settling: 2,
            max_steps: 7,
            step_m: 0.05,
            turn_rad: 0.5,
            servo: ToolServo {
                tool_from_point: Pose::translation(0.0, 0.0, -0.01),
                stiffness: 150.0,
                rest_stiffness: 10.0,
                rest: still,
                links: vec![],
                armature_kg_m2: vec![1.0; n],
                damping: vec![0.1; n],
                friction_n_m: vec![0.0; n],
                max_torque_n_m: vec![80.0; n],
            },
        })
    }
}

#[test]
fn a_foreign_controller_lags_and_its_episode_ends_after_its_steps() {
    let task = builtin_task("pick_cube").expect("a built-in task");
    let mut options = options(ControlMode::Osc, 1);
    options.max_steps = None;
    let own = Env::new(loaded(), Arc::new(task.clone()), options.clone());
    assert!(own.is_err(), "the task does not define a controller");
    let env = Env::new(loaded(), Arc::new(Foreign(task)), options);
    let mut env = env.expect("an environment");
    let (first, _) = env
        .reset(Some(0), &ResetOptions::default())
        .expect("a start");
    let names = &env.layout().state_names;
    let z = names.iter().position(|n| n == "pulled point z (m)");
    let z = z.expect("the point is in the state");
    let mut heights = vec![first.numbers[z]];
    loop {
        let up = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0];
        let stepped = env.step(&up).expect("a step");
        heights.push(stepped.observed.numbers[z]);
        if stepped.truncated {
            assert_eq!(stepped.info.n_steps, 7);
            break;
        }
    }
    let rises: Vec<_> = heights.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(rises[0] > 0.003 && rises[0] < 0.008, "{rises:?}");
    assert!(rises[6] > 0.009 && rises[6] < 0.016, "{rises:?}");
}
