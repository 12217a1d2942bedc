//! Staging of episodes, one folder each, until the data set is finished.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use regrasp_video::{H264Encoder, VideoOptions};
use serde::{Deserialize, Serialize};

use crate::{Camera, DatasetError, DatasetSpec, Ending, ImageStats};

const EPISODE_FILE: &str = "episode.json";
const STEPS_FILE: &str = "steps.f32";
/// Interval of the pictures that are sampled for the statistics, in pictures.
const EVERY_IMAGE: usize = 10;
/// Interval of key frames, in pictures. It is short because training reads random single frames.
const KEYFRAME_EVERY: u32 = 10;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Staged {
    pub(crate) source: String,
    pub(crate) ending: Ending,
    pub(crate) length: usize,
    /// First frame and name of each subtask.
    pub(crate) subtasks: Vec<(usize, String)>,
    /// For each camera, the length in bytes of each encoded picture, and true for key frames.
    pub(crate) pictures: Vec<Vec<(u32, bool)>>,
    pub(crate) image_stats: Vec<ImageStats>,
}

/// Writes the frames of one episode.
pub struct EpisodeWriter<'a> {
    episodes: &'a mut Vec<(usize, Staged)>,
    number: usize,
    part: PathBuf,
    path: PathBuf,
    spec: &'a DatasetSpec,
    steps: BufWriter<File>,
    cameras: Vec<Stream>,
    staged: Staged,
}

struct Stream {
    encoder: H264Encoder,
    file: BufWriter<File>,
}

pub(crate) fn video_options(camera: &Camera, fps: u32) -> VideoOptions {
    VideoOptions {
        width: camera.width,
        height: camera.height,
        fps,
        keyframe_every: KEYFRAME_EVERY,
        ..VideoOptions::default()
    }
}

impl<'a> EpisodeWriter<'a> {
    pub(crate) fn begin(
        episodes: &'a mut Vec<(usize, Staged)>,
        stage: &Path,
        spec: &'a DatasetSpec,
        source: &str,
    ) -> Result<Self, DatasetError> {
        let number = episodes.last().map_or(0, |(number, _)| number + 1);
        let part = stage.join(format!("part-{number:06}"));
        if part.exists() {
            fs::remove_dir_all(&part).map_err(DatasetError::write(&part))?;
        }
        fs::create_dir(&part).map_err(DatasetError::write(&part))?;
        let create = |name: &str| {
            let path = part.join(name);
            let file = File::create(&path).map_err(DatasetError::write(&path))?;
            Ok::<_, DatasetError>(BufWriter::new(file))
        };
        let streams = spec.cameras.iter().enumerate().map(|(idx, camera)| {
            Ok(Stream {
                encoder: H264Encoder::new(video_options(camera, spec.fps))?,
                file: create(&stream_file(idx))?,
            })
        });
        let cameras = streams.collect::<Result<Vec<_>, DatasetError>>()?;
        Ok(Self {
            steps: create(STEPS_FILE)?,
            path: stage.join(format!("{number:06}")),
            episodes,
            number,
            spec,
            staged: Staged {
                source: source.to_owned(),
                ending: Ending::default(),
                length: 0,
                subtasks: vec![],
                pictures: vec![vec![]; cameras.len()],
                image_stats: vec![ImageStats::default(); cameras.len()],
            },
            cameras,
            part,
        })
    }

    /// Adds a frame: state of the robot and of its environment, the action that follows, a picture
    /// of each camera as RGB values, and the name of the subtask.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] if a size does not match or a file cannot be written.
    pub fn push(
        &mut self,
        state: &[f32],
        environment: &[f32],
        action: &[f32],
        pictures: &[&[u8]],
        subtask: &str,
    ) -> Result<(), DatasetError> {
        check("the state", state.len(), self.spec.state_names.len())?;
        let n_environment = self.spec.environment_names.len();
        check("the environment's state", environment.len(), n_environment)?;
        check("the action", action.len(), self.spec.action_names.len())?;
        check("the list of pictures", pictures.len(), self.cameras.len())?;
        let path = &self.part;
        for value in state.iter().chain(environment).chain(action) {
            let written = self.steps.write_all(&value.to_le_bytes());
            written.map_err(DatasetError::write(path))?;
        }
        let staged = &mut self.staged;
        for (idx, (stream, rgb)) in self.cameras.iter_mut().zip(pictures).enumerate() {
            let encoded = stream.encoder.encode(rgb)?;
            let written = stream.file.write_all(encoded.bits);
            written.map_err(DatasetError::write(path))?;
            staged.pictures[idx].push((encoded.bits.len() as u32, encoded.is_key));
            if staged.length.is_multiple_of(EVERY_IMAGE) {
                staged.image_stats[idx].add(rgb);
            }
        }
        let is_other = |(_, last): &(usize, String)| last != subtask;
        if staged.subtasks.last().is_none_or(is_other) {
            staged.subtasks.push((staged.length, subtask.to_owned()));
        }
        staged.length += 1;
        Ok(())
    }

    /// Ends the episode and adds it to the data set. The episode's folder gets its final name once
    /// all its data is on the disk.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] if it cannot be written.
    pub fn finish(mut self, ending: Ending) -> Result<(), DatasetError> {
        self.staged.ending = ending;
        let path = self.part.clone();
        let failed = DatasetError::write(&path);
        let sync =
            |file: BufWriter<File>| file.into_inner().map_err(|e| e.into_error())?.sync_all();
        sync(self.steps).map_err(&failed)?;
        for stream in self.cameras {
            sync(stream.file).map_err(&failed)?;
        }
        write_json(&path.join(EPISODE_FILE), &self.staged)?;
        fs::rename(&path, &self.path).map_err(&failed)?;
        self.episodes.push((self.number, self.staged));
        Ok(())
    }
}

fn check(what: &str, got: usize, expected: usize) -> Result<(), DatasetError> {
    match got == expected {
        true => Ok(()),
        false => Err(DatasetError::Other(format!(
            "add a frame to a data set: {what} has {got} values, expected {expected}"
        ))),
    }
}

fn stream_file(camera_idx: usize) -> String {
    format!("camera-{camera_idx}.h264")
}

/// Staged episodes of a folder, in order.
pub(crate) fn staged_in(stage: &Path) -> Result<Vec<(usize, Staged)>, DatasetError> {
    let failed = DatasetError::read(stage);
    let mut numbers = vec![];
    for entry in fs::read_dir(stage).map_err(&failed)? {
        let name = entry.map_err(&failed)?.file_name();
        numbers.extend(name.to_str().and_then(|name| name.parse::<usize>().ok()));
    }
    numbers.sort_unstable();
    let read = |number: usize| {
        let path = stage.join(format!("{number:06}")).join(EPISODE_FILE);
        Ok((number, read_json(&path)?))
    };
    numbers.into_iter().map(read).collect()
}

/// Numbers of a staged episode: all vectors of the first frame, then those of the second, …
pub(crate) fn steps(stage: &Path, number: usize) -> Result<Vec<f32>, DatasetError> {
    let path = stage.join(format!("{number:06}")).join(STEPS_FILE);
    let bytes = fs::read(&path).map_err(DatasetError::read(&path))?;
    let (values, _) = bytes.as_chunks::<4>();
    let values = values.iter().map(|bytes| f32::from_le_bytes(*bytes));
    Ok(values.collect())
}

pub(crate) struct Pictures {
    path: PathBuf,
    file: BufReader<File>,
    bits: Vec<u8>,
}

impl Pictures {
    pub(crate) fn open(
        stage: &Path,
        number: usize,
        camera_idx: usize,
    ) -> Result<Self, DatasetError> {
        let episode = stage.join(format!("{number:06}"));
        let path = episode.join(stream_file(camera_idx));
        let file = File::open(&path).map_err(DatasetError::read(&path))?;
        Ok(Self {
            path,
            file: BufReader::new(file),
            bits: vec![],
        })
    }

    pub(crate) fn next(&mut self, n_bytes: u32) -> Result<&[u8], DatasetError> {
        self.bits.resize(n_bytes as usize, 0);
        let read = self.file.read_exact(&mut self.bits);
        read.map_err(DatasetError::read(&self.path))?;
        Ok(&self.bits)
    }
}

pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), DatasetError> {
    let text = serde_json::to_vec_pretty(value).map_err(|e| DatasetError::decode(path, e))?;
    let part = path.with_extension("part");
    let write = || {
        let mut file = File::create(&part)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().map_err(DatasetError::write(path))
}

pub(crate) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, DatasetError> {
    let text = fs::read(path).map_err(DatasetError::read(path))?;
    serde_json::from_slice(&text).map_err(|error| DatasetError::decode(path, error))
}
