//! Writer of a data set.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow_array::ArrayRef;
use regrasp_video::{Encoded, Mp4File};
use serde_json::{Map, Value};

use crate::info::{CHUNK_FILES, VIDEO_MB};
use crate::stage::{
    EpisodeWriter, Pictures, Staged, read_json, staged_in, steps, video_options, write_json,
};
use crate::stats::Stats;
use crate::tables::{Table, boolean, float32, float64, int64, text, texts, vectors};
use crate::{DatasetError, DatasetSpec, ImageStats, column_stats, info};

const STAGE: &str = ".staged";
const ASSEMBLED: &str = "assembled";
const SPEC_FILE: &str = "spec.json";
const LOCK_FILE: &str = "lock";
/// Folders of a data set, in the order in which they get their final names. The last one marks the
/// data set as complete.
const PARTS: [&str; 3] = ["data", "videos", "meta"];

/// Writes a data set episode by episode.
pub struct DatasetWriter {
    dir: PathBuf,
    stage: PathBuf,
    spec: DatasetSpec,
    episodes: Vec<(usize, Staged)>,
    /// Locked file that keeps other processes out. The lock ends with the process.
    _lock: File,
}

/// Size of a finished data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Number of episodes.
    pub episodes: usize,
    /// Number of frames over all episodes.
    pub frames: usize,
    /// Number of different tasks.
    pub tasks: usize,
}

impl DatasetWriter {
    /// Creates a data set in a new or empty folder, or continues an unfinished one.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] if the folder is a finished data set, holds other files, was created with
    /// another `spec`, or is being written by another process.
    pub fn open(dir: &Path, spec: &DatasetSpec) -> Result<Self, DatasetError> {
        let path = || dir.to_owned();
        let failed = DatasetError::write(dir);
        if dir.join("meta/info.json").exists() {
            let why =
                "it is finished, and a finished data set is not changed; choose another folder";
            return Err(DatasetError::folder(dir, why));
        }
        fs::create_dir_all(dir).map_err(&failed)?;
        let stage = dir.join(STAGE);
        if let Some(found) = foreign(dir).map_err(&failed)? {
            let why =
                format!("the folder contains other files (`{found}`); choose an empty folder");
            return Err(DatasetError::folder(dir, why));
        }
        fs::create_dir_all(&stage).map_err(&failed)?;
        let lock = File::create(stage.join(LOCK_FILE)).map_err(&failed)?;
        if lock.try_lock().is_err() {
            return Err(DatasetError::Busy(path()));
        }
        let spec_path = stage.join(SPEC_FILE);
        if spec_path.exists() {
            let there: DatasetSpec = read_json(&spec_path)?;
            if let Some(what) = difference(&there, spec) {
                let dir = dir.display();
                return Err(DatasetError::Other(format!(
                    "continue the data set `{dir}`: its episodes differ in {what}; choose another \
                     folder"
                )));
            }
        } else {
            write_json(&spec_path, spec)?;
        }
        Ok(Self {
            dir: path(),
            episodes: staged_in(&stage)?,
            stage,
            spec: spec.clone(),
            _lock: lock,
        })
    }

    /// Returns true if the episode of this source has already been added.
    pub fn has(&self, source: &str) -> bool {
        self.episodes.iter().any(|(_, e)| e.source == source)
    }

    /// Starts an episode. [`EpisodeWriter::finish`] adds it to the data set; if the writer is
    /// dropped instead, the episode is discarded.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] if the episode's folder cannot be created.
    pub fn begin(&mut self, source: &str) -> Result<EpisodeWriter<'_>, DatasetError> {
        EpisodeWriter::begin(&mut self.episodes, &self.stage, &self.spec, source)
    }

    /// Joins the episodes into a data set.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] if there are no episodes or a file cannot be written. The staged episodes
    /// are kept, so that the data set can be finished later.
    pub fn finish(self) -> Result<Finished, DatasetError> {
        if self.episodes.is_empty() {
            return Err(DatasetError::Empty(self.dir.clone()));
        }
        let assembled = self.stage.join(ASSEMBLED);
        let failed = DatasetError::write(&assembled);
        if assembled.exists() {
            fs::remove_dir_all(&assembled).map_err(&failed)?;
        }
        fs::create_dir(&assembled).map_err(&failed)?;
        let finished = Assembly::new(&self, assembled.clone())?.write()?;
        for part in PARTS {
            let (from, to) = (assembled.join(part), self.dir.join(part));
            // A folder that exists was left by a process that was killed between two renames.
            if to.exists() {
                fs::remove_dir_all(&to).map_err(DatasetError::write(&to))?;
            }
            if from.exists() {
                fs::rename(&from, &to).map_err(DatasetError::write(&to))?;
            }
        }
        fs::remove_dir_all(&self.stage).map_err(DatasetError::write(&self.stage))?;
        Ok(finished)
    }
}

/// Finds an entry of the folder that was not written by this crate.
fn foreign(dir: &Path) -> std::io::Result<Option<String>> {
    let is_begun = dir.join(STAGE).is_dir();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_ours = name == STAGE || is_begun && PARTS.contains(&name.as_str());
        if !is_ours {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn difference(a: &DatasetSpec, b: &DatasetSpec) -> Option<&'static str> {
    let differs = [
        ("frames per second", a.fps != b.fps),
        ("robot", a.robot != b.robot),
        ("states", a.state_names != b.state_names),
        (
            "states of the environment",
            a.environment_names != b.environment_names,
        ),
        ("actions", a.action_names != b.action_names),
        ("cameras", a.cameras != b.cameras),
    ];
    differs.iter().find(|(_, is)| *is).map(|(what, _)| *what)
}

type ToColumn = fn(&[f64]) -> ArrayRef;

/// Scalar features with the functions that create their columns, in the order of the tables.
const SINGLES: [(&str, ToColumn); 7] = [
    ("next.done", booleans),
    ("success", booleans),
    ("timestamp", float32),
    ("frame_index", integers),
    ("episode_index", integers),
    ("index", integers),
    ("task_index", integers),
];

fn booleans(values: &[f64]) -> ArrayRef {
    boolean(values.iter().map(|value| *value != 0.0))
}

fn integers(values: &[f64]) -> ArrayRef {
    int64(values.iter().map(|value| *value as usize))
}

struct Assembly<'a> {
    dataset: &'a DatasetWriter,
    to: PathBuf,
    tasks: Vec<&'a str>,
    stats: Map<String, Value>,
}

/// Position of the pictures of one camera in one episode.
#[derive(Clone, Copy)]
struct Shot {
    file_idx: usize,
    from_frame: usize,
}

impl<'a> Assembly<'a> {
    fn new(dataset: &'a DatasetWriter, to: PathBuf) -> Result<Self, DatasetError> {
        let mut tasks: Vec<&str> = vec![];
        for (_, episode) in &dataset.episodes {
            let task = episode.ending.task.as_str();
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        Ok(Self {
            dataset,
            to,
            tasks,
            stats: Map::new(),
        })
    }

    fn write(mut self) -> Result<Finished, DatasetError> {
        let frames = self.data()?;
        let cameras = 0..self.dataset.spec.cameras.len();
        let shots = cameras.map(|idx| self.video(idx));
        let shots = shots.collect::<Result<Vec<_>, _>>()?;
        self.image_stats();
        self.task_table()?;
        self.episode_table(&shots)?;
        let stats = std::mem::take(&mut self.stats);
        write_json(&self.file("meta/stats.json")?, &stats)?;
        let (episodes, tasks) = (self.dataset.episodes.len(), self.tasks.len());
        let described = info(&self.dataset.spec, episodes, frames, tasks);
        write_json(&self.file("meta/info.json")?, &described)?;
        Ok(Finished {
            episodes,
            frames,
            tasks,
        })
    }

    fn file(&self, name: &str) -> Result<PathBuf, DatasetError> {
        let path = self.to.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(DatasetError::write(folder))?;
        }
        Ok(path)
    }

    fn task_idx(&self, episode: &Staged) -> usize {
        let is_it = |task: &&str| *task == episode.ending.task;
        self.tasks.iter().position(is_it).unwrap_or(0)
    }

    /// Writes states and actions. Returns the number of frames.
    fn data(&mut self) -> Result<usize, DatasetError> {
        let spec = &self.dataset.spec;
        let widths = spec.vectors().map(|(name, names)| (name, names.len()));
        let widths: Vec<_> = widths.collect();
        let n_numbers = widths.iter().map(|(_, width)| width).sum();
        let mut table = Table::new(&self.file("data/chunk-000/file-000.parquet")?);
        let mut columns: Vec<Vec<f64>> = vec![vec![]; n_numbers];
        let mut singles = SINGLES.map(|_| vec![]);
        let mut first = 0;
        for (idx, (number, episode)) in self.dataset.episodes.iter().enumerate() {
            let steps = steps(&self.dataset.stage, *number)?;
            let n = episode.length;
            let rows = steps.chunks_exact(n_numbers);
            for (column, values) in columns.iter_mut().enumerate() {
                values.extend(rows.clone().map(|row| f64::from(row[column])));
            }
            let task = self.task_idx(episode);
            let ending = &episode.ending;
            for k in 0..n {
                let values = [
                    f64::from(u8::from(k + 1 == n)),
                    f64::from(u8::from(ending.success)),
                    f64::from((k as f64 / f64::from(spec.fps)) as f32),
                    k as f64,
                    idx as f64,
                    (first + k) as f64,
                    task as f64,
                ];
                for (all, value) in singles.iter_mut().zip(values) {
                    all.push(value);
                }
            }
            let parts = SINGLES.iter().zip(&singles);
            let mut parts =
                parts.map(|((name, column), all)| ((*name).into(), column(&all[first..])));
            let mut row_group = split(&steps, n_numbers, &widths);
            row_group.push(("subtask".into(), text((0..n).map(|k| subtask(episode, k)))));
            row_group.extend(parts.by_ref().take(2));
            row_group.push(("reason".into(), text((0..n).map(|_| &ending.reason))));
            row_group.extend(parts);
            table.write(row_group)?;
            first += n;
        }
        table.finish()?;
        let of = |columns: Vec<Vec<f64>>| columns.into_iter().filter_map(Stats::of).collect();
        let mut columns = columns.into_iter();
        for (name, width) in &widths {
            let stats: Vec<_> = of(columns.by_ref().take(*width).collect());
            self.keep_stats(name, column_stats(&stats, first));
        }
        for ((name, _), values) in SINGLES.iter().zip(singles) {
            let stats: Vec<_> = of(vec![values]);
            self.keep_stats(name, column_stats(&stats, first));
        }
        Ok(first)
    }

    fn keep_stats(&mut self, name: &str, stats: Value) {
        self.stats.insert(name.to_owned(), stats);
    }

    /// Writes one camera's pictures into files of at most [`VIDEO_MB`], or of one longer episode.
    /// Returns where each episode begins.
    fn video(&self, camera_idx: usize) -> Result<Vec<Shot>, DatasetError> {
        let spec = &self.dataset.spec;
        let camera = &spec.cameras[camera_idx];
        let options = video_options(camera, spec.fps);
        let open = |file_idx: usize| {
            let name = file_name(&format!("videos/{}", camera.key()), file_idx, "mp4");
            Ok::<_, DatasetError>(Mp4File::create(&self.file(&name)?, &options)?)
        };
        let mut file_idx = 0;
        let mut file = open(file_idx)?;
        let mut n_bytes = 0;
        let mut shots = vec![];
        for (number, episode) in &self.dataset.episodes {
            let pictures = &episode.pictures[camera_idx];
            let more: usize = pictures.iter().map(|(n, _)| *n as usize).sum();
            if n_bytes > 0 && n_bytes + more > VIDEO_MB * 1_000_000 {
                file.finish()?;
                file_idx += 1;
                file = open(file_idx)?;
                n_bytes = 0;
            }
            n_bytes += more;
            shots.push(Shot {
                file_idx,
                from_frame: file.n_frames() as usize,
            });
            let mut stream = Pictures::open(&self.dataset.stage, *number, camera_idx)?;
            for (n, is_key) in pictures {
                let bits = stream.next(*n)?;
                file.push(Encoded {
                    bits,
                    is_key: *is_key,
                })?;
            }
        }
        file.finish()?;
        Ok(shots)
    }

    fn image_stats(&mut self) {
        for (idx, camera) in self.dataset.spec.cameras.iter().enumerate() {
            let mut sum = ImageStats::default();
            for (_, episode) in &self.dataset.episodes {
                sum.merge(&episode.image_stats[idx]);
            }
            if let Some(figures) = sum.figures() {
                self.stats.insert(camera.key(), figures);
            }
        }
    }

    fn task_table(&self) -> Result<(), DatasetError> {
        let columns = [("task_index", "int64"), ("task", "unicode")];
        let table = Table::new(&self.file("meta/tasks.parquet")?);
        let mut table = table.indexed_by("task", &columns);
        table.write(vec![
            ("task_index".into(), int64(0..self.tasks.len())),
            ("task".into(), text(&self.tasks)),
        ])?;
        table.finish()
    }

    fn episode_table(&self, shots: &[Vec<Shot>]) -> Result<(), DatasetError> {
        let episodes: Vec<_> = self.dataset.episodes.iter().map(|(_, e)| e).collect();
        let n = episodes.len();
        let lengths: Vec<usize> = episodes.iter().map(|e| e.length).collect();
        let ends = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        let ends: Vec<usize> = ends.collect();
        let starts = ends.iter().zip(&lengths).map(|(end, length)| end - length);
        let zeros = || int64(std::iter::repeat_n(0, n));
        let endings = || episodes.iter().map(|e| &e.ending);
        let mut columns = vec![
            ("episode_index".to_owned(), int64(0..n)),
            ("tasks".into(), texts(endings().map(|e| &e.task))),
            ("length".into(), int64(lengths.iter().copied())),
            ("success".into(), boolean(endings().map(|e| e.success))),
            ("reason".into(), text(endings().map(|e| &e.reason))),
            ("source".into(), text(episodes.iter().map(|e| &e.source))),
            ("data/chunk_index".into(), zeros()),
            ("data/file_index".into(), zeros()),
            ("dataset_from_index".into(), int64(starts)),
            ("dataset_to_index".into(), int64(ends.iter().copied())),
        ];
        let fps = f64::from(self.dataset.spec.fps);
        for (camera, shots) in self.dataset.spec.cameras.iter().zip(shots) {
            let key = format!("videos/{}", camera.key());
            let from = |shot: &Shot| shot.from_frame as f64 / fps;
            let to = |(shot, n): (&Shot, &usize)| (shot.from_frame + n) as f64 / fps;
            let starts = float64(shots.iter().map(from));
            let ends = shots.iter().zip(&lengths).map(to);
            let chunk = |shot: &Shot| shot.file_idx / CHUNK_FILES;
            let file = |shot: &Shot| shot.file_idx % CHUNK_FILES;
            columns.extend([
                (format!("{key}/chunk_index"), int64(shots.iter().map(chunk))),
                (format!("{key}/file_index"), int64(shots.iter().map(file))),
                (format!("{key}/from_timestamp"), starts),
                (format!("{key}/to_timestamp"), float64(ends)),
            ]);
        }
        columns.push(("meta/episodes/chunk_index".into(), zeros()));
        columns.push(("meta/episodes/file_index".into(), zeros()));
        let path = self.file("meta/episodes/chunk-000/file-000.parquet")?;
        let mut table = Table::new(&path);
        table.write(columns)?;
        table.finish()
    }
}

/// Splits the numbers of an episode, `n_numbers` per frame, into one column per feature. `widths`
/// are the names and dimensions of the features.
fn split(steps: &[f32], n_numbers: usize, widths: &[(&str, usize)]) -> Vec<(String, ArrayRef)> {
    let mut from = 0;
    let vectors = widths.iter().map(|(name, width)| {
        let part = from..from + width;
        from = part.end;
        let rows = steps.chunks_exact(n_numbers);
        let values = rows.flat_map(|row| row[part.clone()].iter().copied());
        ((*name).to_owned(), vectors(values.collect(), *width))
    });
    vectors.collect()
}

fn subtask(episode: &Staged, frame: usize) -> &str {
    let subtasks = episode.subtasks.iter();
    let begun = subtasks.take_while(|(from, _)| *from <= frame);
    begun.last().map_or("", |(_, subtask)| subtask.as_str())
}

fn file_name(folder: &str, file_idx: usize, extension: &str) -> String {
    let (chunk, file) = (file_idx / CHUNK_FILES, file_idx % CHUNK_FILES);
    format!("{folder}/chunk-{chunk:03}/file-{file:03}.{extension}")
}
