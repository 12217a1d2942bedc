//! Backend that connects a session to a real arm, for the live page and MCP.
//!
//! There is one scene: the cell as it is. A reset reconnects and perceives again.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp::{LoadedRobot, SceneView};
use regrasp_api::{ApprovalPolicy, Percept, World};
use regrasp_faults::Fault;
use regrasp_franka::{Approval, FirstMotion, FrankaArm};
use regrasp_robot::{Robot, SkillSet};
use regrasp_session::{
    Backend, Catalogue, LoadedScene, Prepared, RunOrder, RunOutput, SetupFailure,
};

use super::connection::{Connection, approved};
use super::error::RealArmError;
use super::eyes::{EyeSource, Eyes};
use super::hardware::{FirstConsent, RealArm};
use super::recording::{LastPercept, StoringPerception, scene};
use super::show::{RATE_HZ, Show, Sight};
use crate::options::StationOptions;
use crate::run_store::{RunStore, Setting};
use crate::view::ShownScene;

/// Name of the only scene.
pub const CELL: &str = "real cell";

/// Options for a real arm and its perception.
pub struct RealOptions {
    /// Settings of the connection.
    pub connection: Connection,
    /// True if the first motion is approved in advance; otherwise the session is asked.
    pub approve_motion: bool,
    /// Source of the cell's objects.
    pub eyes: EyeSource,
    /// Seed of everything random.
    pub seed: u64,
}

/// Backend for a real arm.
pub struct RealBackend {
    loaded: LoadedRobot,
    real: RealOptions,
    options: StationOptions,
    /// Connected arm that is in no scene yet.
    arm: Option<(FrankaArm, FirstConsent)>,
    current: Option<CurrentScene>,
}

struct CurrentScene {
    runs: RunStore,
    _show: Arc<Mutex<Option<Show>>>,
}

impl RealBackend {
    /// Connects to the arm; nothing moves.
    ///
    /// # Errors
    ///
    /// [`RealArmError`].
    pub fn open(
        loaded: &LoadedRobot,
        real: RealOptions,
        options: StationOptions,
    ) -> Result<Self, RealArmError> {
        // Detects an invalid file before connecting.
        Eyes::open(&real.eyes, loaded, real.seed)?;
        let mut this = Self {
            loaded: loaded.clone(),
            real,
            options,
            arm: None,
            current: None,
        };
        let (arm, consent) = this.connect()?;
        this.loaded = this.real.connection.robot_for(arm.report().kind, loaded)?;
        this.arm = Some((arm, consent));
        Ok(this)
    }

    fn connect(&self) -> Result<(FrankaArm, FirstConsent), RealArmError> {
        let consent = FirstConsent::default();
        let connection = &self.real.connection;
        let approval = match self.real.approve_motion {
            true => approved(connection.notify),
            false => ask(&consent),
        };
        Ok((connection.open(&self.loaded, approval)?, consent))
    }
}

fn ask(consent: &FirstConsent) -> Approval {
    let consent = Arc::clone(consent);
    Approval::Ask(Box::new(move |motion: &FirstMotion| {
        let consent = consent.lock();
        consent.as_ref().is_some_and(|ask| ask(&motion.to_string()))
    }))
}

impl Backend for RealBackend {
    fn catalogue(&self) -> Catalogue {
        Catalogue {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenes: vec![CELL.to_owned()],
            tasks: vec![],
            planners: self.options.planner_names(),
            perceptions: vec![self.real.eyes.name().to_owned()],
            skills: self.skills().specs(),
            joints: self.loaded.file().arm_joints.clone(),
            exports: self.options.exports.clone(),
        }
    }

    fn load(&mut self, name: &str, _: u64) -> Result<LoadedScene, SetupFailure> {
        if name != CELL {
            return Err(SetupFailure(format!(
                "find the scene `{name}`: a real arm has only one scene (`{CELL}`)"
            )));
        }
        // Close the last connection first.
        self.current = None;
        let connected = self.arm.take().map_or_else(|| self.connect(), Ok);
        let (mut arm, consent) = connected.map_err(SetupFailure::of)?;
        let (loaded, real) = (&self.loaded, &self.real);
        let mut eyes = Eyes::open(&real.eyes, loaded, real.seed).map_err(SetupFailure::of)?;
        let now = arm.observe().map_err(SetupFailure::of)?;
        let percept = eyes.perception.perceive(&now).unwrap_or_else(|error| {
            (real.connection.notify)(&format!(
                "perception failed: {error}; reset the scene to retry"
            ));
            Percept::default()
        });
        let scene = scene(&now, &percept);
        let view = SceneView::new(loaded, &scene).map_err(SetupFailure::of)?;
        let seen: LastPercept = Arc::new(Mutex::new(percept));
        let sight = Sight::new(arm.glance(), seen.clone(), loaded);
        let hardware = RealArm::new(&arm, &real.connection.address.host, consent);
        let perception = StoringPerception {
            inner: eyes.perception,
            seen,
        };
        let cell = loaded.cell_with(regrasp::Backend {
            world: Box::new(arm),
            perception: Box::new(perception),
            motion: None,
        });
        let mut robot = cell.map_err(SetupFailure::of)?.robot;
        robot.info.tool_from_wrist_camera = eyes.tool_from_camera;
        let runs = RunStore::of(Setting {
            name: None,
            seed: real.seed,
            scene,
            rate_hz: RATE_HZ,
        });
        let show = Arc::new(Mutex::new(None));
        let recorder = runs.recorder.clone();
        self.current = Some(CurrentScene {
            runs,
            _show: Arc::clone(&show),
        });
        let shown = sight.clone();
        Ok(LoadedScene {
            prompt: None,
            robot,
            truth: Arc::new(sight),
            listen: Box::new(move |listener| {
                let begun = Show::begin(shown, recorder, listener).map_err(SetupFailure::of)?;
                *show.lock() = Some(begun);
                Ok(())
            }),
            view: Arc::new(ShownScene(view)),
            disturb: None,
            hardware: Some(Arc::new(hardware)),
        })
    }

    fn prepare(
        &mut self,
        _: &mut Robot,
        order: &RunOrder,
        _: &[Fault],
    ) -> Result<Prepared, SetupFailure> {
        let name = self.real.eyes.name();
        if let Some(wanted) = order.perception.as_deref().filter(|wanted| *wanted != name) {
            return Err(SetupFailure(format!(
                "find the perception `{wanted}` (perceptions: {name})"
            )));
        }
        Ok(Prepared {
            planner: self.options.planner(order.planner.as_deref())?,
            skills: self.skills(),
            agent: self.options.agent_of(self.real.seed, self.loaded.file()),
            perception: name.to_owned(),
        })
    }

    fn open_output(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<Option<RunOutput>, SetupFailure> {
        let current = self.current.as_mut().ok_or_else(nowhere)?;
        let here = (&self.loaded, &self.options);
        current.runs.open(here, (order, prepared), record)
    }

    fn close_output(&mut self) -> Result<(), SetupFailure> {
        let current = self.current.as_mut();
        current.map_or(Ok(()), |current| current.runs.close())
    }

    fn skills(&self) -> SkillSet {
        (self.options.skills)()
    }

    fn approval(&self) -> ApprovalPolicy {
        self.options.approval(self.loaded.file())
    }
}

fn nowhere() -> SetupFailure {
    SetupFailure("find the robot: it is not connected; reset the scene".into())
}
