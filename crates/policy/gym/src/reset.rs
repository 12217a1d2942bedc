//! Start of an episode.

use std::sync::Arc;

use nalgebra::Translation3;
use regrasp::api::{GripperAction, ObjectId};
use regrasp::faults::Fault;
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::policy::{PolicyTerms, ServoGoal, Steering};
use regrasp::render::SoftwareRenderer;
use regrasp::scene::TaskInstance;
use regrasp::sim::SimOptions;
use regrasp::{Cell, EpisodeOptions, SceneView};

use crate::episode::Episode;
use crate::{ControlMode, Env, EnvError, Info, ObsMode, Observed, Result};

/// Options of the next episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResetOptions {
    /// Seed of the instance, instead of the next one in the sequence.
    pub instance: Option<u64>,
    /// Initial joint positions, chain order, rad.
    pub joints: Option<Vec<f64>>,
    /// Initial positions of objects' origins in World, m. Orientations are kept.
    pub objects: Vec<(String, [f64; 3])>,
}

impl Env {
    /// Starts an episode. A seed selects an instance and restarts the sequence; without one, the
    /// next instance of the sequence is used. [`ResetOptions::instance`] overrides both.
    ///
    /// # Errors
    ///
    /// [`EnvError`] if the task cannot be drawn or simulated, or an option is invalid.
    pub fn reset(
        &mut self,
        seed: Option<u64>,
        options: &ResetOptions,
    ) -> Result<(Observed, Info), EnvError> {
        if let Some(seed) = seed {
            (self.seed, self.n_drawn) = (seed, 0);
        }
        let drawn = match (options.instance, self.n_drawn) {
            (Some(instance), _) => instance,
            (None, 0) => self.seed,
            (None, n) => mixed(self.seed, n),
        };
        self.n_drawn += 1;
        let mut instance = self.task.draw(drawn).map_err(EnvError::Other)?;
        // The terms are determined before the requested start is applied, which must not change the
        // controller's rest posture.
        let terms = self.task.terms(&instance);
        let terms = terms.filter(|_| self.options.control == ControlMode::Osc);
        put(&mut instance, options)?;
        let episode = self.begin(instance, terms)?;
        let episode = self.episode.insert(episode);
        let observed = episode.observed(&self.layout, &self.options)?;
        let truth = episode.truth.truth();
        let mut info = episode.info(&truth, false);
        let sim = episode.cell.sim.as_ref();
        if let Some(unrest) = sim.and_then(|sim| sim.unrest.as_ref()) {
            info.reason = Some("scene_not_at_rest".to_owned());
            info.detail = unrest.to_string();
        }
        Ok((observed, info))
    }

    fn begin(&self, instance: TaskInstance, terms: Option<PolicyTerms>) -> Result<Episode> {
        let scene = &instance.scene;
        let noise = NoiseOptions::seeded(instance.seed);
        let mut cell = self.loaded.cell(scene, SimOptions::default(), noise)?;
        let faults: Vec<_> = scene.faults.iter().filter(|f| is_of_world(f)).collect();
        if !faults.is_empty() {
            let faults: Vec<Fault> = faults.into_iter().cloned().collect();
            let options = EpisodeOptions {
                seed: instance.seed,
                ..EpisodeOptions::default()
            };
            let options = options.with_faults(&faults);
            let options = options.map_err(regrasp::SetupError::from)?;
            if let Some(prepare) = options.prepare {
                cell = prepare(&self.loaded, scene, cell)?;
            }
        }
        let truth = Arc::clone(&cell.sim()?.truth);
        let mut steering = Steering::new(&mut cell.robot)?;
        let servo_goal = terms.map(|terms| {
            let servo_goal = settle(&mut cell, &mut steering, &terms)?;
            Ok::<_, EnvError>((servo_goal, terms))
        });
        let servo_goal = servo_goal.transpose()?;
        let own_limit = match &servo_goal {
            Some((_, terms)) => terms.max_steps,
            None => (instance.time_limit_s * self.options.rate_hz).ceil() as u64,
        };
        let view = match self.options.obs {
            ObsMode::State => None,
            _ => Some(SceneView::new(&self.loaded, scene)?),
        };
        Ok(Episode {
            first: truth.truth(),
            cell,
            truth,
            steering,
            servo_goal,
            since: vec![],
            n_steps: 0,
            max_steps: self.options.max_steps.unwrap_or(own_limit).max(1),
            is_over: false,
            view,
            renderer: SoftwareRenderer::default(),
            instance,
        })
    }
}

/// Lets the robot settle under another benchmark's terms: the tool holds its pose, and the gripper
/// opens.
fn settle(cell: &mut Cell, steering: &mut Steering, terms: &PolicyTerms) -> Result<ServoGoal> {
    let robot = &mut cell.robot;
    let open = GripperAction::WidthM(robot.info.gripper.max_width_m);
    let opened = steering.grip(robot, open);
    opened.map_err(|error| EnvError::Robot(error.detail))??;
    let servo_goal = ServoGoal::new(robot, terms.servo.clone())?;
    servo_goal.advance(robot, terms.n_settling as f64 / terms.rate_hz)?;
    Ok(servo_goal)
}

/// Returns true for faults of the world. An environment has no planner, skills or store.
fn is_of_world(fault: &Fault) -> bool {
    !matches!(
        fault,
        Fault::Planner { .. } | Fault::SkillFails { .. } | Fault::Store { .. }
    )
}

fn put(instance: &mut TaskInstance, options: &ResetOptions) -> Result<()> {
    if let Some(joints) = &options.joints {
        if joints.iter().any(|q| !q.is_finite()) {
            let why = "expected finite numbers".to_owned();
            return Err(EnvError::BadOption("joints", why));
        }
        instance.scene.start_joints = Some(joints.clone());
    }
    for (name, [x, y, z]) in &options.objects {
        let id = ObjectId::new(name);
        let movable = instance.scene.objects.iter_mut();
        let mut movable: Vec<_> = movable.filter(|o| o.is_movable()).collect();
        let known: Vec<_> = movable.iter().map(|o| o.id.to_string()).collect();
        let Some(object) = movable.iter_mut().find(|o| o.id == id) else {
            let known = known.join(", ");
            let why = format!("there is no movable object `{name}` (known: {known})");
            return Err(EnvError::BadOption("objects", why));
        };
        if ![x, y, z].iter().all(|v| v.is_finite()) {
            let why = format!("the position of `{name}` is not finite");
            return Err(EnvError::BadOption("objects", why));
        }
        object.world_from_object.translation = Translation3::new(*x, *y, *z);
    }
    Ok(())
}

/// Returns the upper 32 bits of seed number `n` of a sequence (SplitMix64), which fit the integers
/// of all languages.
fn mixed(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 32
}
