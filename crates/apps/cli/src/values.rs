//! Values of options: kinds, numbers, paths, and options that many commands share.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use regrasp::api::Viewpoint;
use regrasp::faults::Fault;
use regrasp::scene::{
    BUILTIN_ROBOTS, RobotFile, builtin_robot, builtin_robot_named, fault_from_text, load_robot,
};
use regrasp::{CameraNoise, PerceptionKind, SightOptions};

use crate::catalogue::catalogue;
use crate::scope;
use crate::{CliError, LiberoArguments, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PerceptionArgument {
    /// Ground truth from the simulator.
    GroundTruth,
    /// Objects from colour and depth pictures, without ground truth.
    Rgbd,
    /// Objects from colour and depth pictures, and a model that resolves phrases: that of the
    /// planner, or of --pointer.
    Pointer,
}

impl From<PerceptionArgument> for PerceptionKind {
    fn from(argument: PerceptionArgument) -> Self {
        match argument {
            PerceptionArgument::GroundTruth => Self::GroundTruth,
            // The model that points refines the result of perception from cameras.
            PerceptionArgument::Rgbd | PerceptionArgument::Pointer => Self::Rgbd,
        }
    }
}

impl PerceptionArgument {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::GroundTruth | Self::Rgbd => PerceptionKind::from(self).name(),
            Self::Pointer => "pointer",
        }
    }
}

/// Perception of a simulated world.
#[derive(Args, Clone, Debug)]
pub(super) struct SenseArguments {
    /// Source of the objects that the robot perceives.
    #[arg(
        long,
        value_enum,
        default_value_t = PerceptionArgument::GroundTruth,
        group = scope::SENSES
    )]
    pub(super) perception: PerceptionArgument,
    #[command(flatten)]
    pub(super) cameras: CameraArguments,
}

/// Cameras of a perception that uses them, and its models.
#[derive(Args, Clone, Debug)]
pub(super) struct CameraArguments {
    /// Standard deviation of the cameras' depth at 1 m, metres; it grows with the square of the
    /// depth.
    #[arg(long, value_name = "M", default_value_t = 0.0, value_parser = not_negative)]
    depth_noise: f64,
    /// Noise of the cameras: `none`, or `real` for depth noise, holes, wrong colours and an inexact
    /// calibration, as real cameras have them.
    #[arg(long, value_enum, conflicts_with = "depth_noise", default_value_t = NoiseArgument::None)]
    camera_noise: NoiseArgument,
    /// A file with models of objects that may be in the scene, for perception to recognise them;
    /// `regrasp models-of` prints one.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NoiseArgument {
    /// Exact cameras.
    None,
    /// Noise like that of a real depth camera.
    Real,
}

impl SenseArguments {
    /// Options of perception from cameras. Returns an error if such options are given for a
    /// perception without cameras.
    pub(super) fn sight(&self, libero: &LiberoArguments) -> Result<SightOptions> {
        let cameras = &self.cameras;
        if self.perception == PerceptionArgument::GroundTruth {
            let given = [
                ("depth-noise", cameras.depth_noise > 0.0),
                ("camera-noise", cameras.camera_noise == NoiseArgument::Real),
                ("models", cameras.models.is_some()),
            ];
            if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) {
                return Err(CliError::usage(format_args!(
                    "use --{option}: it needs a perception that uses cameras, such as --perception \
                     rgbd"
                )));
            }
        }
        cameras.sight(libero)
    }

    /// Name of the perception, with its noise and models.
    pub(super) fn described(&self) -> String {
        let cameras = &self.cameras;
        let mut text = self.perception.name().to_owned();
        if cameras.depth_noise > 0.0 {
            text += &format!(", depth noise {} m at 1 m", cameras.depth_noise);
        }
        if cameras.camera_noise == NoiseArgument::Real {
            text += ", camera noise real";
        }
        if let Some(models) = &cameras.models {
            text += &format!(", models {}", models.display());
        }
        text
    }
}

impl CameraArguments {
    /// Reads the models, and returns the options of a perception from pixels.
    pub(super) fn sight(&self, libero: &LiberoArguments) -> Result<SightOptions> {
        let noise = match self.camera_noise {
            NoiseArgument::Real => CameraNoise::real(),
            NoiseArgument::None => CameraNoise {
                std_at_1_m: self.depth_noise,
                ..CameraNoise::default()
            },
        };
        let models = self.models.as_ref().map(|path| catalogue(path, libero));
        Ok(SightOptions {
            noise,
            models: Arc::new(models.transpose()?.unwrap_or_default()),
        })
    }
}

/// Default target of a viewpoint in World, m: the middle of the table in front of the robot.
const USUALLY_LOOKED_AT: [f64; 2] = [0.5, 0.0];

pub(super) fn viewpoint(text: &str) -> Result<Viewpoint, String> {
    if text == "robot" {
        return Ok(Viewpoint::Robot);
    }
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x, y]) => Ok(Viewpoint::From {
            position: [*x, *y],
            look_at: USUALLY_LOOKED_AT,
        }),
        Ok([x, y, look_x, look_y]) => Ok(Viewpoint::From {
            position: [*x, *y],
            look_at: [*look_x, *look_y],
        }),
        _ => Err("expected `robot`, `X,Y` or `X,Y,LOOK_X,LOOK_Y`".to_owned()),
    }
}

pub(super) fn not_negative(text: &str) -> Result<f64, String> {
    number(text, "a number that is 0 or greater", |x| x >= 0.0)
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    number(text, "a number", |_| true)
}

/// Parses a finite number that fulfils a condition.
pub(super) fn number(
    text: &str,
    expected: &str,
    is_right: impl Fn(f64) -> bool,
) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|x: &f64| x.is_finite() && is_right(*x));
    number.ok_or_else(|| format!("expected {expected}"))
}

/// Parser of numbers in a range, ends included.
pub(super) fn number_in(
    range: RangeInclusive<f64>,
) -> impl Fn(&str) -> Result<f64, String> + Clone {
    let expected = format!("a number from {} to {}", range.start(), range.end());
    move |text| number(text, &expected, |x| range.contains(&x))
}

/// Parser of paths to a file with one of these extensions.
pub(super) fn path_to(
    endings: &'static [&'static str],
) -> impl Fn(&str) -> Result<PathBuf, String> + Clone {
    move |text| {
        let path = PathBuf::from(text);
        let ending = path.extension().unwrap_or_default();
        let mut known = endings.iter();
        let is_known = known.any(|known| ending.eq_ignore_ascii_case(known));
        let expected = || format!("expected a name that ends in .{}", endings.join(" or ."));
        is_known.then_some(path).ok_or_else(expected)
    }
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| *s > 0.0);
    let duration = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.ok_or_else(|| "expected a number of seconds greater than 0".into())
}

/// Parses the width or height of a video, pixels. It has to be even, because H.264 halves the
/// resolution of colours in both directions.
pub(super) fn mp4_size(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(n) if (16..=2160).contains(&n) && n % 2 == 0 => Ok(n),
        _ => Err("expected an even number from 16 to 2160".into()),
    }
}

#[derive(Args, Debug)]
pub(super) struct FaultArguments {
    /// Inject a fault, such as `nudged: {object: red_cube, distance_m: 0.05}`; may be given several
    /// times.
    #[arg(long, value_name = "SPEC", value_parser = fault_from_text)]
    pub(super) fault: Vec<Fault>,
}

#[derive(Args, Debug)]
pub(super) struct RobotArguments {
    /// A robot file, or a built-in robot by name: `panda` (default) or `fr3`. `run`, `serve`, `mcp`
    /// and `ros` also accept a real arm, franka:HOST (needs the feature `franka`); `run` also
    /// accepts an arm behind ROS controllers, ros2:FILE (needs the feature `ros2`).
    #[arg(long = "robot", value_name = "FILE")]
    pub(super) robot_file: Option<PathBuf>,
}

/// Prefixes of robots that are real arms, not files.
const REAL: [&str; 2] = ["franka:", "ros2:"];

pub(super) fn is_real(robot: &str) -> bool {
    REAL.iter().any(|prefix| robot.starts_with(prefix))
}

impl RobotArguments {
    pub(super) fn load(&self) -> Result<RobotFile> {
        if let Some(name) = self.real() {
            let can_drive = cfg!(all(feature = "franka", target_os = "linux"));
            let how = if can_drive {
                ""
            } else {
                "; this build has no real arms: build with --features franka or ros2"
            };
            return Err(CliError::usage(format_args!(
                "use the robot `{name}`: it is a real arm, which only `run`, `serve`, `mcp`, `ros` \
                 and `arm` accept{how}"
            )));
        }
        let named = self.robot_file.as_ref().and_then(|path| path.to_str());
        if let Some(name) = named.filter(|name| BUILTIN_ROBOTS.contains(name)) {
            return Ok(builtin_robot_named(name)?);
        }
        Ok(match &self.robot_file {
            Some(path) => load_robot(path)?,
            None => builtin_robot()?,
        })
    }

    pub(super) fn real(&self) -> Option<&str> {
        let name = self.robot_file.as_ref()?.to_str()?;
        is_real(name).then_some(name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ApproveArgument {
    /// Every step.
    Always,
    /// No step.
    Never,
    /// Steps that the robot file or the settings declare critical.
    Critical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PlannerArgument {
    /// A grammar; ignores earlier failures.
    Stub,
    /// A grammar, a search for the order of calls, and remedies for earlier failures.
    Feedback,
    /// A model at OpenAI; needs --model, and the key in OPENAI_API_KEY.
    Openai,
    /// A model in Ollama on this machine; needs --model.
    Ollama,
    /// A model at Anthropic; needs --model, and the key in ANTHROPIC_API_KEY.
    Anthropic,
    /// A model behind any server with OpenAI's chat-completions API (vLLM, llama.cpp, OpenRouter
    /// …); needs --base-url and --model.
    Custom,
}

pub(super) fn text_of(file: &str) -> Result<String, String> {
    let text = regrasp::mesh::read_text(Path::new(file)).map_err(|error| error.to_string())?;
    match text.trim() {
        "" => Err("the file is empty".into()),
        text => Ok(text.to_owned()),
    }
}
