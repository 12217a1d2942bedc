//! `regrasp policy-server`: the scripted skills as a policy behind a WebSocket.
//!
//! The server has its own simulated world. For a task, prompt and seed it runs one episode there
//! with planner and skills, and then sends the client's arm along the same path; see
//! `regrasp_openpi::Track`. This succeeds if the client's world begins in the same state and
//! behaves in the same way: the server gets no other information about it.
//!
//! In many mappings actions are relative to the measured state of the client's arm. That arm lags
//! behind the path, because it gets one target per step. Therefore the server first drives its own
//! simulated arm as the client will, and computes the actions relative to the states of that arm.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use clap::Args;
use regrasp::api::{
    Action, EpisodeResult, GripperAction, MotionPlanner as _, Policy, PolicyError, PolicyInput,
};
use regrasp::ground_truth::{Frame, FrameListener};
use regrasp::policy::DriveOptions;
use regrasp::scene::{Scene, find_task};
use regrasp::{EpisodeOptions, LoadedRobot, PolicyOptions};
use regrasp_openpi::{Body, Mapping, PolicyServer, Sensed, ServeOptions, Tick, Track, Value};

use crate::policy::key;
use crate::{ExitCode, Result, RobotArguments, complain, find_scene, number_in, say};

/// Number of cached episodes at which the cache is cleared.
const KEPT: usize = 64;

/// Accepted fractions of the original speed.
const PARTS: std::ops::RangeInclusive<f64> = 0.05..=1.0;

#[derive(Args, Debug)]
pub(super) struct PolicyServerArguments {
    /// The command if an observation has no prompt. Default with --task: the text of the task.
    text: Option<String>,
    /// A built-in task by name, or a task file.
    #[arg(long, conflicts_with = "scene")]
    task: Option<String>,
    /// A built-in scene or task by name, or a file of either. Without --task and --scene, a
    /// table with a few objects on it.
    #[arg(long)]
    scene: Option<String>,
    /// Seed of the world if an observation has none.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Names and layout of observations and actions: `joints`, `droid`, `libero`, or a YAML file
    /// (`regrasp schema policy-mapping`). Pictures are ignored.
    #[arg(long, value_name = "NAME|FILE", default_value = "joints")]
    mapping: String,
    /// Speed at which the trajectory is sent, as a fraction of its original speed. A slower arm
    /// follows it more closely.
    #[arg(long, value_name = "FRACTION", default_value_t = 1.0, value_parser = number_in(PARTS))]
    speed: f64,
    /// Address and port to listen on; port 0 lets the system choose. Anything but loopback needs
    /// a key.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    /// The environment variable with the key that clients must send, as `Authorization: Api-Key
    /// KEY`.
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    #[command(flatten)]
    robot: RobotArguments,
}

pub(super) fn serve(arguments: &PolicyServerArguments) -> Result<ExitCode> {
    let file = arguments.robot.load()?;
    let mapping = Mapping::load(&arguments.mapping)?;
    let named = arguments.task.as_ref().or(arguments.scene.as_ref());
    let script = Script {
        name: named.map_or_else(|| "tabletop".into(), String::clone),
        is_task: arguments.task.is_some(),
        loaded: LoadedRobot::new(file)?,
        mapping: mapping.clone(),
        text: arguments.text.clone(),
        seed: arguments.seed,
        speed: arguments.speed,
        played: Mutex::default(),
    };
    // Fails if the task or the scene does not exist.
    script.begin(arguments.seed)?;
    // Reports an impossible task before a client connects.
    let track = script.track(None, None);
    match &track {
        Ok(track) => complain(&format!(
            "the episode of seed {} has {} steps at {} Hz",
            arguments.seed,
            track.len(),
            mapping.rate_hz
        )),
        Err(why) => complain(&format!(
            "the episode of seed {} cannot be served: {why}",
            arguments.seed
        )),
    }
    let options = ServeOptions {
        listen: arguments.listen,
        key: arguments.key_env.as_deref().map(key).transpose()?,
        mapping,
        metadata: vec![
            (
                "regrasp_version".into(),
                Value::text(env!("CARGO_PKG_VERSION")),
            ),
            ("seed".into(), Value::Int(arguments.seed.into())),
        ],
    };
    let (stop, stopped) = mpsc::channel();
    ctrlc::set_handler(move || {
        // The receiver is gone only if the server has stopped.
        let _ = stop.send(());
    })?;
    let server = PolicyServer::start(
        options,
        Box::new(move |prompt, seed| script.track(prompt, seed)),
    )?;
    say(&format!("serving a policy on ws://{}", server.address()));
    // Waits for Ctrl-C; an error ends the server as well.
    let _ = stopped.recv();
    Ok(ExitCode::Ok)
}

/// Runs episodes and caches their tracks.
struct Script {
    /// Name of the task or the scene.
    name: String,
    is_task: bool,
    loaded: LoadedRobot,
    mapping: Mapping,
    text: Option<String>,
    seed: u64,
    speed: f64,
    played: Mutex<BTreeMap<(String, u64), Played>>,
}

type Played = Result<Arc<Track>, String>;

impl Script {
    /// Episode of a prompt and a seed, by default those of the command line.
    fn track(&self, prompt: Option<&str>, seed: Option<u64>) -> Played {
        let seed = seed.unwrap_or(self.seed);
        let (scene, its_text) = self.begin(seed).map_err(|e| e.to_string())?;
        let text = prompt.or(self.text.as_deref()).or(its_text.as_deref());
        let text = text.ok_or(
            "there is no command: the observation has no prompt, and the server has no default",
        )?;
        // Episodes run one at a time: a second request for the same one finds it in the cache.
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (text.to_owned(), seed);
        if let Some(played) = played.get(&key) {
            return played.clone();
        }
        if played.len() >= KEPT {
            played.clear();
        }
        let track = self.play(&scene, text, seed).map(Arc::new);
        played.insert(key, track.clone());
        track
    }
    /// Scene, and the text of its task.
    fn begin(&self, seed: u64) -> Result<(Scene, Option<String>)> {
        let robot = self.loaded.file();
        if self.is_task {
            let task = find_task(&self.name, robot)?.instantiate(seed)?;
            return Ok((task.scene, Some(task.prompt)));
        }
        Ok((find_scene(&self.name, robot, seed)?, None))
    }

    fn play(&self, scene: &Scene, text: &str, seed: u64) -> Result<Track, String> {
        let options = EpisodeOptions {
            seed,
            skills: crate::skills::skills(),
            ..EpisodeOptions::default()
        };
        // One frame per step of the client's loop.
        let rate_hz = self.mapping.rate_hz / self.speed;
        let (result, frames) = self.watched(scene, text, rate_hz, options)?;
        if !result.success {
            return Err(format!(
                "the scripted skills fail at \"{text}\" with seed {seed}: {} ({})",
                result.final_reason, result.final_detail
            ));
        }
        if frames
            .windows(2)
            .any(|pair| pair[1].time_secs < pair[0].time_secs)
        {
            return Err(
                "the times of its frames decrease, because the world was restored during the run"
                    .into(),
            );
        }
        let info = self.loaded.info(&scene.world_from_base);
        let body = Body {
            world_from_base: scene.world_from_base,
            n_joints: info.joint_names.len(),
            width_m: [info.gripper.min_width_m, info.gripper.max_width_m],
            force_n: info.gripper.default_force_n,
        };
        let frames = Arc::new(frames);
        let rehearsed = self.rehearsed(scene, text, seed, &frames)?;
        let pairs = frames.iter().zip(rehearsed);
        let ticks = pairs.map(|(wanted, frame)| self.tick(scene, wanted, frame));
        Track::new(self.mapping.clone(), body, ticks.collect())
    }

    /// Runs an episode. Returns its result and its frames.
    fn watched(
        &self,
        scene: &Scene,
        text: &str,
        rate_hz: f64,
        mut options: EpisodeOptions,
    ) -> Result<(EpisodeResult, Vec<Frame>), String> {
        let frames = Arc::new(Mutex::new(Vec::<Frame>::new()));
        options.listeners.push(FrameListener {
            rate_hz,
            sink: Box::new(Arc::clone(&frames)),
        });
        let episode = self.loaded.episode(scene, text, options);
        let result = episode.map_err(|e| format!("failed to {e}"))?.result;
        let frames = std::mem::take(&mut *frames.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((result, frames))
    }

    /// Frames of an arm that gets the commands of `frames` as targets, one per step.
    fn rehearsed(
        &self,
        scene: &Scene,
        text: &str,
        seed: u64,
        frames: &Arc<Vec<Frame>>,
    ) -> Result<Vec<Frame>, String> {
        let rate_hz = self.mapping.rate_hz;
        let options = EpisodeOptions {
            seed,
            policy: Some(PolicyOptions {
                policy: Box::new(Rehearsal(Arc::clone(frames))),
                drive: DriveOptions {
                    rate_hz,
                    max_sim_secs: f64::INFINITY,
                    ..DriveOptions::default()
                },
                cameras: vec![],
            }),
            ..EpisodeOptions::default()
        };
        let (result, rehearsed) = self.watched(scene, text, rate_hz, options)?;
        match result.success {
            true => Ok(rehearsed),
            false => Err(format!(
                "the path of \"{text}\" with seed {seed} cannot be followed at {rate_hz} Hz: {} ({})",
                result.final_reason, result.final_detail
            )),
        }
    }

    fn tick(&self, scene: &Scene, wanted: &Frame, frame: Frame) -> Tick {
        let to_joints = wanted.joints.commanded_position.clone();
        let base_to_tool = self.loaded.arm_planner().base_from_tool(&to_joints);
        Tick {
            world_to_tool: scene.world_from_base * base_to_tool,
            to_joints,
            gripper: gripper(wanted),
            sensed: Sensed {
                joints: frame.joints.position,
                velocities: frame.joints.velocity,
                world_from_tool: frame.world_from_tool,
                width_m: frame.gripper.width_m,
                finger_contact: frame.gripper.finger_contact,
            },
        }
    }
}

fn gripper(wanted: &Frame) -> GripperAction {
    match wanted.gripper.grip_force_n > 0.0 {
        true => GripperAction::ForceN(wanted.gripper.grip_force_n),
        false => GripperAction::WidthM(wanted.gripper.commanded_width_m),
    }
}

/// Policy that sends the commands of frames, one per step.
struct Rehearsal(Arc<Vec<Frame>>);

impl Policy for Rehearsal {
    fn name(&self) -> String {
        "rehearsal".into()
    }

    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError> {
        let step = usize::try_from(input.step).unwrap_or(usize::MAX);
        let next = self.0.get(step.saturating_add(1));
        Ok(Some(next.map_or(Action::Done, |next| Action::Move {
            joint_positions: Some(next.joints.commanded_position.clone()),
            gripper: Some(gripper(next)),
        })))
    }
}
