//! Cameras whose images are in files or behind URLs.

use std::fs;
use std::path::{Path, PathBuf};

use regrasp_api::{CameraView, Cameras, Observation, PerceptionError, Pose, RgbdFrame};

use crate::clock::{Clock, SystemClock};
use crate::http::Client;
use crate::numbered::{Pair, pairs};
use crate::picture;
use crate::placement::Mount;
use crate::rig::{self, CameraEntry, RigError, RigFile};

/// Computes the pose of the tool point in World from the robot's own sensors.
pub type WorldFromTool = dyn Fn(&Observation) -> Pose + Send;

/// Colours of all pixels, red, green and blue each, and their depths, m.
type Taken = (Vec<u8>, Vec<f32>);

/// Timeout for a server, s.
const ANSWER_SECS: f64 = 2.0;
/// Period at which a waiting look tries again, s.
const EVERY_SECS: f64 = 0.02;

/// Cameras whose images another program takes.
///
/// A look returns images that were taken after the look began, unless the images are a recording.
pub struct FrameCameras {
    path: PathBuf,
    rig: RigFile,
    /// Mount of each camera.
    mounted: Vec<Mount>,
    world_from_tool: Box<WorldFromTool>,
    clock: Box<dyn Clock>,
    client: Client,
    n_looks: usize,
}

impl FrameCameras {
    /// Reads a file of cameras ([`crate::RigFile`]) but no images yet. `world_from_tool` is only
    /// called for cameras mounted on the hand.
    ///
    /// # Errors
    ///
    /// [`RigError`] if the file, or a calibration to which it refers, cannot be used.
    pub fn open(path: &Path, world_from_tool: Box<WorldFromTool>) -> Result<Self, RigError> {
        Self::with_clock(path, world_from_tool, Box::new(SystemClock))
    }

    /// Reads a file of cameras, with another clock.
    ///
    /// # Errors
    ///
    /// The errors of [`FrameCameras::open`].
    pub fn with_clock(
        path: &Path,
        world_from_tool: Box<WorldFromTool>,
        clock: Box<dyn Clock>,
    ) -> Result<Self, RigError> {
        let (rig, mounted) = rig::load(path)?;
        Ok(Self {
            path: path.to_owned(),
            rig,
            mounted,
            world_from_tool,
            clock,
            client: Client::new(ANSWER_SECS),
            n_looks: 0,
        })
    }

    /// Pose of the first camera mounted on the hand, if there is one.
    pub fn tool_from_camera(&self) -> Option<Pose> {
        self.mounted.iter().find_map(|mount| match mount {
            Mount::Tool(tool_from_camera) => Some(*tool_from_camera),
            Mount::Base(_) | Mount::World(_) => None,
        })
    }

    fn world_from_camera(&self, mount: Mount, observation: &Observation) -> Pose {
        match mount {
            Mount::World(world_from_camera) => world_from_camera,
            Mount::Base(base_from_camera) => observation.world_from_base * base_from_camera,
            Mount::Tool(tool_from_camera) => (self.world_from_tool)(observation) * tool_from_camera,
        }
    }

    /// Returns colour and depth of one camera, taken after the look began. An error is a sentence.
    fn take(&self, camera: &CameraEntry, began_secs: f64) -> Result<Taken, String> {
        if self.rig.recorded {
            return decode(camera, &recorded(camera, self.n_looks)?);
        }
        if rig::is_url(&camera.color) {
            return self.fetch(camera, began_secs);
        }
        let newest = pairs(&camera.color, &camera.depth)?.pop();
        let pair = newest.ok_or_else(|| nothing(camera))?;
        let after_secs = pair.written_secs()? - began_secs;
        if after_secs < self.rig.latency_s {
            return Err(format!(
                "the newest pictures (number {}) are stale: they were written {after_secs:+.2} s \
                 after the look began, but must be written at least {:+.2} s after it \
                 (`latency_s`)",
                pair.number, self.rig.latency_s
            ));
        }
        decode(camera, &pair)
    }

    fn fetch(&self, camera: &CameraEntry, began_secs: f64) -> Result<Taken, String> {
        let early_secs = began_secs + self.rig.latency_s - self.clock.unix_secs();
        if early_secs > 0.0 {
            self.clock.pause(early_secs);
        }
        let color = self.client.get(&camera.color)?;
        let depth = self.client.get(&camera.depth)?;
        read(camera, (&camera.color, &color), (&camera.depth, &depth))
    }

    /// Tries until images from after the beginning of the look are available, or the time is up.
    fn wait_for(&self, camera: &CameraEntry, began_secs: f64) -> Result<Taken, PerceptionError> {
        loop {
            let why = match self.take(camera, began_secs) {
                Ok(taken) => return Ok(taken),
                Err(why) => why,
            };
            let is_late = self.clock.unix_secs() - began_secs >= self.rig.wait_s;
            if is_late || self.rig.recorded {
                let (name, file) = (&camera.name, self.path.display());
                let detail = format!("look through camera `{name}` of {file}: {why}");
                return Err(PerceptionError::Unavailable { detail });
            }
            self.clock.pause(EVERY_SECS);
        }
    }
}

fn nothing(camera: &CameraEntry) -> String {
    let (color, depth) = (&camera.color, &camera.depth);
    format!("there is no number for which both {color} and {depth} exist")
}

/// Returns the pair of images for a look.
fn recorded(camera: &CameraEntry, look_idx: usize) -> Result<Pair, String> {
    let all = pairs(&camera.color, &camera.depth)?;
    let over = match all.len() {
        0 => nothing(camera),
        n => format!("the recording is over: it has pictures for {n} looks"),
    };
    all.into_iter().nth(look_idx).ok_or(over)
}

fn decode(camera: &CameraEntry, pair: &Pair) -> Result<Taken, String> {
    let bytes = |path: &Path| fs::read(path).map_err(|e| format!("read {}: {e}", path.display()));
    let (color, depth) = (bytes(&pair.color)?, bytes(&pair.depth)?);
    let [first, second] = [&pair.color, &pair.depth].map(|path| path.display().to_string());
    read(camera, (&first, &color), (&second, &depth))
}

/// Decodes colour and depth; each comes with its name for messages.
fn read(camera: &CameraEntry, color: (&str, &[u8]), depth: (&str, &[u8])) -> Result<Taken, String> {
    let size = [camera.intrinsics.width, camera.intrinsics.height];
    let rgb = picture::color(color.1, size).map_err(|e| format!("decode {}: {e}", color.0))?;
    let depth_m = picture::depth(depth.1, size, camera.depth_scale_m);
    let depth_m = depth_m.map_err(|e| format!("decode {}: {e}", depth.0))?;
    Ok((rgb, depth_m))
}

impl Cameras for FrameCameras {
    fn names(&self) -> Vec<String> {
        self.rig.cameras.iter().map(|c| c.name.clone()).collect()
    }

    fn look(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let began_secs = self.clock.unix_secs();
        let mut frames = Vec::new();
        for (camera, mount) in self.rig.cameras.iter().zip(&self.mounted) {
            let (rgb, depth_m) = self.wait_for(camera, began_secs)?;
            frames.push(RgbdFrame {
                view: CameraView {
                    name: camera.name.clone(),
                    intrinsics: camera.intrinsics,
                    world_from_camera: self.world_from_camera(*mount, observation),
                },
                rgb,
                depth_m,
            });
        }
        self.n_looks += 1;
        Ok(frames)
    }
}
