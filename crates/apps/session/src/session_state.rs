//! State of a session that observers read.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use regrasp::SceneView;
use regrasp_ground_truth::{Frame, GroundTruth};
use regrasp_render::Stage;
use tokio::sync::watch;

use crate::disturb::SimDisturb;
use crate::shot::{NOWHERE, node_pose};
use crate::{Entry, Hardware, History, LogEntry, Shot, Status};

/// Maximum number of log entries: far more than a run of fifty steps has.
const MAX_ENTRIES: usize = 20_000;
/// Maximum number of runs whose folders are remembered.
const MAX_RUNS: usize = 1000;

/// State that the simulating thread writes and all others read.
pub(crate) struct SessionState {
    contents: Mutex<Contents>,
    news: watch::Sender<u64>,
}

#[derive(Clone)]
pub(crate) struct KeptRun {
    pub(crate) run: u64,
    pub(crate) folder: PathBuf,
    pub(crate) recording: Option<PathBuf>,
}

pub(crate) struct Scenery {
    pub(crate) world: u64,
    /// Stage when the world began: nothing is removed from it.
    pub(crate) stage: Stage,
    pub(crate) view: Arc<SceneView>,
    pub(crate) disturb: Option<Arc<SimDisturb>>,
    pub(crate) hardware: Option<Arc<dyn Hardware>>,
    pub(crate) first: GroundTruth,
}

#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) status: Status,
    pub(crate) n_status: u64,
    log: VecDeque<Arc<LogEntry>>,
    next_entry: u64,
    pub(crate) shot: Option<Arc<Shot>>,
    pub(crate) n_shots: u64,
    pub(crate) history: History,
    pub(crate) scenery: Option<Arc<Scenery>>,
    pub(crate) frame: Frame,
    runs: VecDeque<KeptRun>,
    pub(crate) closed: bool,
}

impl SessionState {
    pub(crate) fn new(status: Status) -> Self {
        Self {
            contents: Mutex::new(Contents {
                status,
                n_status: 1,
                ..Contents::default()
            }),
            news: watch::channel(0).0,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn notify(&self) {
        self.news.send_modify(|n| *n = n.wrapping_add(1));
    }

    pub(crate) fn hardware(&self) -> Option<Arc<dyn Hardware>> {
        self.lock().scenery.as_ref()?.hardware.clone()
    }

    pub(crate) fn status(&self) -> Status {
        self.lock().status.clone()
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut Status)) {
        {
            let state = &mut *self.lock();
            let before = state.status.clone();
            change(&mut state.status);
            if before == state.status {
                return;
            }
            state.n_status += 1;
        }
        self.notify();
    }

    pub(crate) fn log(&self, entry: Entry) {
        {
            let state = &mut *self.lock();
            let sim_secs = match &entry {
                Entry::Event { event } => event.sim_secs,
                _ => state.shot.as_ref().map_or(0.0, |shot| shot.sim_secs),
            };
            let n = state.next_entry;
            state.next_entry += 1;
            if state.log.len() >= MAX_ENTRIES {
                state.log.pop_front();
            }
            state
                .log
                .push_back(Arc::new(LogEntry { n, sim_secs, entry }));
        }
        self.notify();
    }

    /// Starts a new world and drops the log and the positions of the last one.
    pub(crate) fn reset(&self, scenery: Scenery, change: impl FnOnce(&mut Status)) {
        let (scene, seed) = {
            let state = &mut *self.lock();
            state.status.world = scenery.world;
            change(&mut state.status);
            state.n_status += 1;
            state.log.clear();
            state.history.clear();
            state.shot = None;
            state.scenery = Some(Arc::new(scenery));
            (state.status.scene.clone(), state.status.seed)
        };
        self.log(Entry::Reset { scene, seed });
    }

    /// Shows the poses of a frame.
    pub(crate) fn show(&self, frame: &Frame) {
        let Some(scenery) = self.lock().scenery.clone() else {
            return;
        };
        let shot = Arc::new(scenery.shot(frame));
        {
            let state = &mut *self.lock();
            state.status.sim_secs = frame.time_secs;
            state.frame.clone_from(frame);
            let last = state.shot.as_ref();
            let is_new = last.is_none_or(|last| last.sim_secs < shot.sim_secs);
            // A second frame of the same instant is not added to the history.
            if is_new {
                state.history.push(Arc::clone(&shot));
            }
            state.shot = Some(shot);
            state.n_shots += 1;
        }
        self.notify();
    }

    pub(crate) fn keep_run(&self, kept: KeptRun) {
        let state = &mut *self.lock();
        if state.runs.len() >= MAX_RUNS {
            state.runs.pop_front();
        }
        state.runs.push_back(kept);
    }

    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.notify();
    }
}

impl Contents {
    /// Up to `at_most` entries from number `n` on, and the number of requested entries that the log
    /// has dropped.
    pub(crate) fn entries_from(&self, n: u64, at_most: usize) -> (Vec<Arc<LogEntry>>, u64) {
        let first = self.log.front().map_or(self.next_entry, |entry| entry.n);
        let skip = n.saturating_sub(first) as usize;
        let entries = self.log.iter().skip(skip).take(at_most);
        (entries.cloned().collect(), first.saturating_sub(n))
    }

    pub(crate) fn run(&self, run: u64) -> Option<&KeptRun> {
        self.runs.iter().find(|kept| kept.run == run)
    }
}

impl Scenery {
    fn shot(&self, frame: &Frame) -> Shot {
        let stage = self.view.stage_from_frame(frame);
        let mut poses = vec![NOWHERE; self.stage.instances.len()];
        for body in &stage.bodies {
            // Matched by name, because the removal of an object shifts the numbers after it.
            let name = stage.name_of(body.instance);
            let mut instances = self.stage.instances.iter();
            let node = instances.position(|n| Some(n.as_str()) == name);
            if let Some(pose) = node.and_then(|node| poses.get_mut(node)) {
                *pose = node_pose(&body.world_from_body);
            }
        }
        Shot {
            world: self.world,
            sim_secs: frame.time_secs,
            joint_positions: frame.joints.position.clone(),
            gripper_width_m: frame.gripper.width_m,
            poses: poses.into(),
        }
    }
}
