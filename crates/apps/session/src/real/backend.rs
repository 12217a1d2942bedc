//! Backend that connects a session to a real arm, for the live page, MCP and ROS.
//!
//! There is one scene: the cell as it is. A reset reconnects and perceives again.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp::{LoadedRobot, SceneView};
use regrasp_api::{Percept, World};
use regrasp_franka::{Approval, FirstMotion, FrankaArm};

use super::connection::{Connection, approved};
use super::error::RealArmError;
use super::eyes::{EyeSource, Eyes};
use super::hardware::{FirstConsent, RealArm};
use super::recording::{LastPercept, StoringPerception, scene};
use super::show::{RATE_HZ, Sight, show};
use crate::options::{StationOptions, perception_of};
use crate::run_store::{RunRecorder, SceneSetup};
use crate::{Backend, Catalogue, LoadedScene, Prepared, Repeated, SetupFailure};

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
    loaded: Arc<LoadedRobot>,
    real: RealOptions,
    options: Arc<StationOptions>,
    /// Connected arm that no scene uses yet.
    arm: Option<(FrankaArm, FirstConsent)>,
    /// Display of the present scene, once somebody listens.
    show: Arc<Mutex<Option<Repeated>>>,
}

impl RealBackend {
    /// Connects to the arm; nothing moves.
    pub fn open(
        loaded: &LoadedRobot,
        real: RealOptions,
        options: StationOptions,
    ) -> Result<Self, RealArmError> {
        // Detects an invalid file before connecting.
        Eyes::open(&real.eyes, loaded, real.seed)?;
        let mut this = Self {
            loaded: Arc::new(loaded.clone()),
            real,
            options: Arc::new(options),
            arm: None,
            show: Arc::default(),
        };
        let (arm, consent) = this.connect()?;
        let robot = this.real.connection.robot_for(arm.report().kind, loaded)?;
        this.loaded = Arc::new(robot);
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
    Box::new(move |motion: &FirstMotion| {
        let consent = consent.lock();
        consent.as_ref().is_some_and(|ask| ask(&motion.to_string()))
    })
}

impl Backend for RealBackend {
    fn catalogue(&self) -> Catalogue {
        Catalogue {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenes: vec![CELL.to_owned()],
            tasks: vec![],
            planners: self.options.planner_names(),
            perceptions: vec![self.real.eyes.name().to_owned()],
            skills: (self.options.skills)().specs(),
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
        // The display of the last scene ends before a new connection is made.
        *self.show.lock() = None;
        let connected = self.arm.take().map_or_else(|| self.connect(), Ok);
        let (mut arm, consent) = connected.map_err(SetupFailure::of)?;
        let (loaded, real) = (&self.loaded, &self.real);
        let mut eyes = Eyes::open(&real.eyes, loaded, real.seed).map_err(SetupFailure::of)?;
        let now = arm.observe().map_err(SetupFailure::of)?;
        let percept = eyes.perception.perceive(&now).unwrap_or_else(|error| {
            (real.connection.notify)(&format!("failed to {error}; reset the scene to retry"));
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
        let setup = Arc::new(SceneSetup {
            loaded: Arc::clone(&self.loaded),
            options: Arc::clone(&self.options),
            name: None,
            seed: real.seed,
            scene,
        });
        let recorder = RunRecorder::default();
        let runs = setup.runs(&recorder, RATE_HZ);
        let (present, shown) = (Arc::clone(&self.show), sight.clone());
        let eyes = real.eyes.name();
        Ok(LoadedScene {
            prompt: None,
            robot,
            truth: Arc::new(sight),
            listen: Box::new(move |listener| {
                let begun = show(shown, recorder, listener.sink).map_err(SetupFailure::of)?;
                *present.lock() = Some(begun);
                Ok(())
            }),
            view: Arc::new(view),
            disturb: None,
            hardware: Some(Arc::new(hardware)),
            skills: Arc::new((self.options.skills)()),
            approval: self.options.approval(self.loaded.file()),
            prepare: Box::new(move |_, order, _| {
                let options = &setup.options;
                Ok(Prepared {
                    perception: perception_of(order, &[eyes])?,
                    planner: options.planner(order.planner.as_deref())?,
                    skills: (options.skills)(),
                    agent: options.agent_of(setup.seed, setup.loaded.file()),
                })
            }),
            runs,
            judge: None,
        })
    }
}
