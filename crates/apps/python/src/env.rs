//! Learning environments behind `regrasp.envs`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use regrasp::bench::DrawnTask;
use regrasp::scene::{RobotFile, builtin_task_names, find_task};
use regrasp_gym::{
    Batch, Env, EnvError, EnvOptions, Envs, Info, ObsMode, Observed, ResetOptions, mode,
};

use regrasp_libero::{Assets, LiberoError, LiberoTask, Starts};

use crate::errors::setup;
use crate::scenes;

/// The names of the built-in tasks.
#[pyfunction]
pub(crate) fn task_names() -> Vec<&'static str> {
    builtin_task_names()
}

/// One or many environments of a task, stepped on threads.
#[pyclass(module = "regrasp._regrasp")]
pub(crate) struct RawEnvs {
    envs: Mutex<Envs>,
    options: EnvOptions,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked {
    obs_mode: String,
    control_mode: String,
    reward_mode: String,
    rate_hz: f64,
    max_episode_steps: Option<u64>,
    cameras: Vec<String>,
    picture_size: [u32; 2],
    /// Folder of LIBERO, for its problem files.
    libero: Option<PathBuf>,
    /// Initial states of LIBERO's problems: `auto`, `drawn` or a folder.
    init_states: Option<String>,
}

impl Asked {
    fn starts(&self) -> Starts {
        match &self.init_states {
            Some(text) => text.parse().unwrap_or_default(),
            None => Starts::Auto,
        }
    }

    fn options(self) -> Result<EnvOptions, EnvError> {
        Ok(EnvOptions {
            obs: mode("obs_mode", &self.obs_mode)?,
            control: mode("control_mode", &self.control_mode)?,
            reward: mode("reward_mode", &self.reward_mode)?,
            rate_hz: self.rate_hz,
            max_steps: self.max_episode_steps,
            cameras: self.cameras,
            picture_size: self.picture_size,
        })
    }
}

#[derive(Default, FromPyObject)]
#[pyo3(from_item_all)]
struct AskedReset {
    instance: Option<u64>,
    joints: Option<Vec<f64>>,
    objects: Vec<(String, [f64; 3])>,
}

impl From<AskedReset> for ResetOptions {
    fn from(asked: AskedReset) -> Self {
        Self {
            instance: asked.instance,
            joints: asked.joints,
            objects: asked.objects,
        }
    }
}

/// Constant facts of an environment: bounds and names of actions, names of observed numbers.
fn facts<'py>(py: Python<'py>, env: &Env) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    let space = env.space();
    facts.set_item("low", space.low.clone().into_pyarray(py))?;
    facts.set_item("high", space.high.clone().into_pyarray(py))?;
    facts.set_item("action_names", &space.names)?;
    let layout = env.layout();
    let numbers = match env.options().obs {
        ObsMode::State | ObsMode::StateRgb => &layout.state_names,
        _ => &layout.agent_names,
    };
    facts.set_item("names", numbers)?;
    facts.set_item("task", env.task().name())?;
    facts.set_item("description", env.task().description())?;
    Ok(facts)
}

fn info_dict<'py>(py: Python<'py>, info: &Info) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("success", info.success)?;
    dict.set_item("is_success", info.success)?;
    let conditions = PyDict::new(py);
    for (condition, found) in &info.conditions {
        conditions.set_item(condition, found.as_deref().unwrap_or(""))?;
    }
    dict.set_item("unmet", conditions)?;
    dict.set_item("reason", info.reason.as_deref())?;
    dict.set_item("detail", &info.detail)?;
    dict.set_item("instance", info.instance)?;
    dict.set_item("prompt", &info.prompt)?;
    dict.set_item("time_s", info.time_secs)?;
    dict.set_item("n_steps", info.n_steps)?;
    Ok(dict)
}

/// Stacks n observations: numbers (n x m), and for each camera colours (n x rows x columns x 3)
/// and in the mode `rgbd` depth (n x rows x columns x 1), m.
fn stacked<'py>(
    py: Python<'py>,
    all: Vec<Observed>,
    options: &EnvOptions,
) -> PyResult<Bound<'py, PyList>> {
    let n = all.len();
    let width = all.first().map_or(0, |one| one.numbers.len());
    let [columns, rows] = options.picture_size.map(|n| n as usize);
    let n_cameras = all.first().map_or(0, |one| one.pictures.len());
    let mut numbers = Vec::with_capacity(n * width);
    let empty = || Vec::with_capacity(n);
    let mut rgb: Vec<Vec<Vec<u8>>> = (0..n_cameras).map(|_| empty()).collect();
    let mut depth: Vec<Vec<f32>> = vec![vec![]; n_cameras];
    for one in all {
        numbers.extend(one.numbers);
        for (i, picture) in one.pictures.into_iter().enumerate() {
            rgb[i].push(picture.rgb);
            depth[i].extend(picture.depth_m);
        }
    }
    let list = PyList::empty(py);
    list.append(PyArray1::from_vec(py, numbers).reshape([n, width])?)?;
    for (pictures, depth) in rgb.into_iter().zip(depth) {
        let colours = PyArray1::from_vec(py, pictures.concat());
        list.append(colours.reshape([n, rows, columns, 3])?)?;
        if options.obs == ObsMode::Rgbd {
            list.append(PyArray1::from_vec(py, depth).reshape([n, rows, columns, 1])?)?;
        }
    }
    Ok(list)
}

/// Finds a built-in task, or reads a task file or a problem file of LIBERO.
fn drawn(
    task: &str,
    libero: Option<&Path>,
    starts: &Starts,
    robot: &RobotFile,
) -> Result<Arc<dyn DrawnTask>, EnvError> {
    let path = Path::new(task);
    if path.extension().is_none_or(|e| e != "bddl") {
        return Ok(Arc::new(find_task(task, robot)?));
    }
    let other = |error: LiberoError| EnvError::Other(error.to_string());
    let assets = Assets::find(libero).map_err(other)?;
    let task = LiberoTask::load(path, &Arc::new(assets), robot, starts);
    Ok(Arc::new(task.map_err(other)?))
}

fn render<'py>(
    py: Python<'py>,
    env: &mut Env,
    camera: &str,
    size: [u32; 2],
) -> PyResult<Bound<'py, numpy::PyArray3<u8>>> {
    let picture = py.detach(|| env.render(camera, size)).map_err(setup)?;
    let [columns, rows] = size.map(|n| n as usize);
    PyArray1::from_vec(py, picture.rgb).reshape([rows, columns, 3])
}

type Reset<'py> = (Option<Bound<'py, PyList>>, Bound<'py, PyList>);
type Step<'py> = (
    Bound<'py, PyList>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyList>,
    Bound<'py, PyList>,
);

#[pymethods]
impl RawEnvs {
    /// Creates `n` environments of one task.
    #[new]
    fn new(
        py: Python<'_>,
        task: &str,
        options: Asked,
        n: usize,
        autoreset: &str,
        n_threads: Option<usize>,
    ) -> PyResult<Self> {
        let made = py.detach(|| -> Result<_, EnvError> {
            let (libero, starts) = (options.libero.clone(), options.starts());
            let options = options.options()?;
            let autoreset = mode("autoreset mode", autoreset)?;
            let loaded = scenes::loaded(None)?;
            let task = drawn(task, libero.as_deref(), &starts, loaded.file())?;
            let envs = Envs::new(&loaded, &task, &options, n, autoreset, n_threads)?;
            let envs = Mutex::new(envs);
            Ok(Self { envs, options })
        });
        made.map_err(setup)
    }

    /// Constant facts: bounds and names of actions and observed numbers.
    fn facts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = self.envs.get_mut().with(0, |env| facts(py, env));
        facts.map_err(setup)?
    }

    /// Begins episodes in the chosen environments. Returns their arrays and infos.
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        seeds: Vec<Option<u64>>,
        options: AskedReset,
        chosen: Option<Vec<bool>>,
    ) -> PyResult<Reset<'py>> {
        let options = options.into();
        let envs = self.envs.get_mut();
        let done = py.detach(|| envs.reset(&seeds, &options, chosen.as_deref()));
        let done = done.map_err(setup)?;
        let infos = PyList::empty(py);
        let mut all = vec![];
        for (observed, info) in done.into_iter().flatten() {
            infos.append(info_dict(py, &info)?)?;
            all.push(observed);
        }
        let seen = match all.is_empty() {
            true => None,
            false => Some(stacked(py, all, &self.options)?),
        };
        Ok((seen, infos))
    }

    /// Makes a step in each environment. Returns arrays (n x …), rewards, terminated, truncated,
    /// infos, and the last observations of episodes that ended and were reset.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Step<'py>> {
        let n = self.envs.get_mut().len();
        if actions.shape()[0] != n {
            let got = actions.shape()[0];
            let why = format!("step with {got} actions: expected {n}, one per environment");
            return Err(setup(why));
        }
        let actions: Vec<_> = actions
            .as_array()
            .outer_iter()
            .map(|a| a.to_vec())
            .collect();
        let envs = self.envs.get_mut();
        let Batch { stepped, finals } = py.detach(|| envs.step(&actions)).map_err(setup)?;
        let rewards = stepped.iter().map(|one| one.reward).collect();
        let terminated = stepped.iter().map(|one| one.terminated).collect();
        let truncated = stepped.iter().map(|one| one.truncated).collect();
        let infos = PyList::empty(py);
        for one in &stepped {
            infos.append(info_dict(py, &one.info)?)?;
        }
        let lasts = PyList::empty(py);
        for last in finals {
            match last {
                None => lasts.append(py.None())?,
                Some((observed, info)) => {
                    let seen = stacked(py, vec![observed], &self.options)?;
                    lasts.append((seen, info_dict(py, &info)?))?;
                }
            }
        }
        let all = stepped.into_iter().map(|one| one.observed).collect();
        Ok((
            stacked(py, all, &self.options)?,
            PyArray1::from_vec(py, rewards),
            PyArray1::from_vec(py, terminated),
            PyArray1::from_vec(py, truncated),
            infos,
            lasts,
        ))
    }

    /// A picture of any camera of one environment: colours (rows x columns x 3).
    fn render<'py>(
        &mut self,
        py: Python<'py>,
        idx: usize,
        camera: &str,
        size: [u32; 2],
    ) -> PyResult<Bound<'py, numpy::PyArray3<u8>>> {
        let envs = self.envs.get_mut();
        let rendered = envs.with(idx, |env| render(py, env, camera, size));
        rendered.map_err(setup)?
    }

    /// A hash over the exact bits of each world's state; empty before the first reset.
    fn digests(&mut self) -> PyResult<Vec<String>> {
        let envs = self.envs.get_mut();
        let digests = (0..envs.len()).map(|idx| {
            let digest = envs.with(idx, Env::state_digest)?;
            Ok(digest.map_or_else(String::new, |digest| format!("{digest:016x}")))
        });
        digests.collect::<Result<_, EnvError>>().map_err(setup)
    }
}
