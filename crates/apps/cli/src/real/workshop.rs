//! A real arm for interactive sessions: the live page and MCP show and command it.
//!
//! There is one scene: the cell as it is. A reset connects again and looks anew.

use std::sync::{Arc, Mutex, PoisonError};

use regrasp::api::{ApprovalPolicy, CameraView, EventSink, ObjectId, Percept, Pose, World};
use regrasp::faults::Fault;
use regrasp::ground_truth::{Frame, WorldTruth};
use regrasp::record::{EpisodeInfo, Recorder, RecordingInfo, RunFolder};
use regrasp::render::Stage;
use regrasp::robot::{Robot, SkillSet};
use regrasp::{Backend, Kit, SceneView};
use regrasp_franka::{Approval, FirstMotion, FrankaArm};
use regrasp_record::RECORDING_FILE;
use regrasp_session::{
    Catalogue, Disturb, Disturbed, Judge, Place, Prepared, RunOrder, RunOutput, SetupTrouble, View,
    Workshop,
};
use regrasp_station::LiveOptions;

use super::arguments::approved;
use super::eyes::Eyes;
use super::hardware::RealArm;
use super::recording::{Noted, Seen, scene};
use super::show::{Camera, RATE_HZ, Show, Sight};
use super::{BoundArguments, ConnectionArguments, EyeArguments, MotionArguments, Target};
use crate::error::CliError;
use crate::output::complain;

/// What the one scene is called.
pub(crate) const CELL: &str = "real cell";

/// Who is asked before the first motion, once a session says so.
pub(super) type Asked = Arc<Mutex<Option<regrasp_session::Consent>>>;

/// How to get at an arm and its eyes.
pub(crate) struct RealArguments {
    pub(crate) target: Target,
    pub(crate) connection: ConnectionArguments,
    pub(crate) bounds: BoundArguments,
    pub(crate) eyes: EyeArguments,
    pub(crate) seed: u64,
}

/// Puts a session before a real arm.
pub(crate) struct RealWorkshop {
    kit: Kit,
    arguments: RealArguments,
    options: LiveOptions,
    /// Connected, and not yet placed.
    arm: Option<(FrankaArm, Asked)>,
    here: Option<Here>,
}

struct Here {
    scene: regrasp::scene::Scene,
    folder: Option<RunFolder>,
    camera: Camera,
    _show: Arc<Mutex<Option<Show>>>,
}

impl RealWorkshop {
    /// Connects; nothing moves.
    pub(crate) fn open(
        kit: &Kit,
        arguments: RealArguments,
        options: LiveOptions,
    ) -> Result<Self, CliError> {
        // A wrong file ends it before anybody connects.
        Eyes::open(&arguments.eyes, kit, arguments.seed)?;
        let mut this = Self {
            kit: kit.clone(),
            arguments,
            options,
            arm: None,
            here: None,
        };
        let (arm, asked) = this.connect()?;
        let motion = this.motion();
        let kind = arm.report().kind;
        this.kit = this.arguments.connection.kit_for(kind, kit, &motion)?;
        this.arm = Some((arm, asked));
        Ok(this)
    }

    fn motion(&self) -> MotionArguments {
        MotionArguments {
            speed: None,
            bounds: self.arguments.bounds.clone(),
        }
    }

    fn connect(&self) -> Result<(FrankaArm, Asked), CliError> {
        let asked = Asked::default();
        let approval = match self.arguments.bounds.approve_motion {
            true => approved(),
            false => ask(&asked),
        };
        let (connection, target) = (&self.arguments.connection, &self.arguments.target);
        let arm = connection.link(target, Some(&self.motion()), &self.kit, approval)?;
        Ok((arm, asked))
    }
}

/// Whoever sits at the session approves the first motion.
fn ask(asked: &Asked) -> Approval {
    let asked = Arc::clone(asked);
    Approval::Ask(Box::new(move |motion: &FirstMotion| {
        let asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.as_ref().is_some_and(|ask| ask(&motion.to_string()))
    }))
}

impl Workshop for RealWorkshop {
    fn catalogue(&self) -> Catalogue {
        let planners = self.options.planners.iter().map(|(name, _)| name.clone());
        Catalogue {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenes: vec![CELL.to_owned()],
            tasks: vec![],
            planners: planners.collect(),
            perceptions: vec![self.arguments.eyes.name().to_owned()],
            skills: self.skills().specs(),
            joints: self.kit.file().arm_joints.clone(),
            exports: self.options.exports.clone(),
        }
    }

    fn place(&mut self, name: &str, _: u64) -> Result<Place, SetupTrouble> {
        if name != CELL {
            return Err(SetupTrouble(format!(
                "find the scene `{name}`: a real arm is in one (`{CELL}`)"
            )));
        }
        // The last connection has to be gone.
        self.here = None;
        let connected = self.arm.take().map_or_else(|| self.connect(), Ok);
        let (mut arm, asked) = connected.map_err(trouble)?;
        let (kit, arguments) = (&self.kit, &self.arguments);
        let mut eyes = Eyes::open(&arguments.eyes, kit, arguments.seed).map_err(trouble)?;
        let now = arm.observe().map_err(trouble)?;
        let percept = eyes.perception.perceive(&now).unwrap_or_else(|error| {
            complain(&format!("nothing is seen: {error}; a reset looks again"));
            Percept::default()
        });
        let scene = scene(&now, &percept);
        let view = SceneView::new(kit, &scene).map_err(trouble)?;
        let seen = Seen::begin(percept);
        let sight = Sight::new(arm.glance(), seen.clone(), kit);
        let hardware = RealArm::new(&arm, &arguments.target.host, asked);
        let cell = kit.cell_with(Backend {
            world: Box::new(arm),
            perception: Box::new(Noted::new(eyes.perception, &seen)),
            motion: None,
        });
        let mut robot = cell.map_err(trouble)?.robot;
        robot.info.tool_from_wrist_camera = eyes.tool_from_camera;
        let (camera, show) = (Camera::default(), Arc::new(Mutex::new(None)));
        self.here = Some(Here {
            scene,
            folder: None,
            camera: Arc::clone(&camera),
            _show: Arc::clone(&show),
        });
        let shown = sight.clone();
        Ok(Place {
            prompt: None,
            robot,
            truth: Arc::new(sight),
            listen: Box::new(move |listener| {
                let begun = Show::begin(shown, camera, listener).map_err(trouble)?;
                *show.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun);
                Ok(())
            }),
            view: Arc::new(CellView(view)),
            disturb: Arc::new(Undisturbed),
            hardware: Some(Arc::new(hardware)),
        })
    }

    fn prepare(
        &mut self,
        _: &mut Robot,
        order: &RunOrder,
        _: &[Fault],
    ) -> Result<Prepared, SetupTrouble> {
        let name = self.arguments.eyes.name();
        if let Some(wanted) = order.perception.as_deref().filter(|wanted| *wanted != name) {
            return Err(SetupTrouble(format!(
                "find the perception `{wanted}` (perceptions: {name})"
            )));
        }
        Ok(Prepared {
            planner: self.options.planner(order.planner.as_deref())?,
            skills: self.skills(),
            agent: self.options.agent_of(self.arguments.seed, self.kit.file()),
            perception: name.to_owned(),
        })
    }

    fn keep(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<Option<RunOutput>, SetupTrouble> {
        let Some(runs_dir) = &self.options.runs_dir else {
            return Ok(None);
        };
        let here = self.here.as_mut().ok_or_else(nowhere)?;
        let info = EpisodeInfo {
            task: order.text.clone(),
            scene: None,
            seed: self.arguments.seed,
            planner: prepared.planner.name().to_owned(),
            version: env!("CARGO_PKG_VERSION").into(),
            args: self.options.args.clone(),
            settings: serde_json::to_value(&prepared.agent).ok(),
        };
        let folder = RunFolder::create(runs_dir, &info).map_err(trouble)?;
        let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
        let mut recording = None;
        if record {
            let info = RecordingInfo {
                episode: info,
                rate_hz: RATE_HZ,
                scene: here.scene.clone(),
                robot: self.kit.file(),
            };
            let path = folder.path().join(RECORDING_FILE);
            let recorder = Recorder::create(&path, &info, &[]).map_err(trouble)?;
            sinks.push(Box::new(recorder.clone()));
            *here.camera.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorder);
            recording = Some(path);
        }
        let output = RunOutput {
            sink: Box::new(sinks),
            folder: folder.path().to_owned(),
            recording,
        };
        here.folder = Some(folder);
        Ok(Some(output))
    }

    fn kept(&mut self) -> Result<(), SetupTrouble> {
        let Some(here) = &mut self.here else {
            return Ok(());
        };
        let recorder = here
            .camera
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let recorded = recorder.map_or(Ok(()), |recorder| recorder.finish());
        let error = here.folder.take().and_then(|folder| folder.take_error());
        recorded.map_err(trouble)?;
        error.map_or(Ok(()), |error| Err(trouble(error)))
    }

    fn skills(&self) -> SkillSet {
        (self.options.skills)()
    }

    fn approval(&self) -> ApprovalPolicy {
        self.options.approval(self.kit.file())
    }

    fn judge(&self, _: &RunOrder) -> Option<Box<dyn Judge>> {
        // Nobody knows a real cell's truth.
        None
    }
}

/// The cell as it is drawn.
struct CellView(SceneView);

impl View for CellView {
    fn stage(&self, frame: &Frame) -> Stage {
        self.0.stage_from_frame(frame)
    }

    fn cameras(&self, joint_positions: &[f64], gripper_width_m: f64) -> Vec<CameraView> {
        self.0.views(joint_positions, gripper_width_m)
    }
}

/// A session refuses to disturb a real robot before it asks this.
struct Undisturbed;

const UNDISTURBED: &str = "this robot is no simulation";

impl Disturb for Undisturbed {
    fn fault(&self, _: &Fault, _: &WorldTruth) -> Result<Disturbed, String> {
        Err(UNDISTURBED.into())
    }

    fn put(&self, _: &ObjectId, _: Pose) -> Result<(), String> {
        Err(UNDISTURBED.into())
    }

    fn repair(&self) {}
}

fn trouble(error: impl std::fmt::Display) -> SetupTrouble {
    SetupTrouble(error.to_string())
}

fn nowhere() -> SetupTrouble {
    SetupTrouble("find the robot: it is not connected; reset the scene".into())
}
