//! Draws one seed's instance of a task.

use std::hash::Hasher as _;

use fnv::FnvHasher;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use crate::defs::{SceneDef, Variation};
use crate::draws::{self, Draw as ValueDraw, Drawn};
use crate::fields::Field;
use crate::layout::lay_out;
use crate::placement::lerp;
use crate::scene_file;
use crate::task_file::{Task, TaskInstance};
use crate::{Problem, Result, Scene, SceneError, checks, task_file};

/// Largest number of draws: enough to find a placement whose objects fill half of their range.
const MAX_ATTEMPTS: usize = 1000;

struct InstanceDraw {
    variations: Vec<Variation>,
    joint_noise: Vec<f64>,
    goal: [f64; 3],
    values: Vec<Drawn>,
}

impl Task {
    /// Draws an instance: the same name and seed give the same instance on every machine.
    ///
    /// Seed 0 is the baseline: jitter is zero, every range at its middle, objects that share a
    /// range are spread evenly along it, and the joints have no noise. For other seeds, and if the
    /// baseline is invalid, values are drawn until nothing overlaps, separations and `room` hold,
    /// and the goal is not already reached.
    ///
    /// # Errors
    ///
    /// [`SceneError`] if objects overlap at the start, the goal already holds, or no draw fits.
    pub fn instantiate(&self, seed: u64) -> Result<TaskInstance, SceneError> {
        let mut rng = rng_for(&self.drawn_as, seed);
        let attempts = if self.is_random() { MAX_ATTEMPTS } else { 1 };
        let first = match seed {
            0 => self.baseline(),
            _ => self.draw(&mut rng),
        };
        let mut result = self.realize(seed, first);
        for _ in 1..attempts {
            if result.is_ok() {
                break;
            }
            result = self.realize(seed, self.draw(&mut rng));
        }
        result.map_err(|error| match error {
            SceneError::Invalid {
                file,
                line,
                problem,
            } if attempts > 1 && !matches!(*problem, Problem::AlreadyTrue { .. }) => {
                let problem = format!(
                    "none of {attempts} random placements for seed {seed} is valid; widen the \
                     ranges or lower the separation (last failure: {problem})"
                );
                Problem::from(problem).at(&file, line)
            }
            other => other,
        })
    }

    /// Returns true if instances may differ between seeds.
    pub fn is_random(&self) -> bool {
        let is_range = |[low, high]: &[f64; 2]| low < high;
        let random_goal = self.goal.is_some_and(|g| g.iter().any(is_range));
        !self.placements.is_empty()
            || random_goal
            || self.joint_noise_rad > 0.0
            || self.draws.iter().any(ValueDraw::is_random)
    }

    /// Builds the scene with these values; `None` if it does not depend on them.
    fn scene_of(&self, values: &[Drawn]) -> Result<Option<SceneDef>> {
        let Some((scene, source)) = &self.scene_template else {
            return Ok(None);
        };
        let node = draws::put_in(Field::new(&self.file, "scene", scene), values)?;
        let scene = scene_file::parse(source, &node, &self.robot)?;
        self.check_same_objects(&scene)?;
        Ok(Some(scene))
    }

    /// Checks that the objects are the same as in the baseline: placements refer to their indices.
    fn check_same_objects(&self, scene: &SceneDef) -> Result<()> {
        let ids = |scene: &SceneDef| -> Vec<String> {
            let objects = scene.objects.iter();
            objects.map(|o| o.body.id.to_string()).collect()
        };
        let (wanted, found) = (ids(&self.scene), ids(scene));
        if wanted == found {
            return Ok(());
        }
        let line = scene.objects.first().map_or(1, |object| object.line);
        let allowed = format!("the same for every draw: {}", wanted.join(", "));
        let problem = Problem::not_allowed("objects", found.join(", "), allowed);
        Err(problem.at(&self.file, line))
    }

    /// Reads every alternative of every choice once, so that all mistakes are found at load.
    pub(crate) fn check_choices(&self) -> Result<()> {
        for values in draws::baselines(&self.draws) {
            self.scene_of(&values)?;
            self.prompt_of(&values)?;
            self.success([0.0; 3], &values)?;
        }
        Ok(())
    }

    fn prompt_of(&self, values: &[Drawn]) -> Result<String> {
        let template = &self.prompt_template;
        task_file::prompt(&self.file, template, values, self.goal.is_some())
    }

    fn baseline(&self) -> InstanceDraw {
        let mut variations = vec![Variation::default(); self.scene.objects.len()];
        for placement in &self.placements {
            placement.baseline(&mut variations);
        }
        InstanceDraw {
            variations,
            joint_noise: vec![0.0; self.robot.home.len()],
            goal: (self.goal).map_or([0.0; 3], |g| g.map(|range| lerp(range, 0.5))),
            values: self.draws.iter().map(ValueDraw::baseline).collect(),
        }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> InstanceDraw {
        let mut variations = vec![Variation::default(); self.scene.objects.len()];
        for placement in &self.placements {
            placement.draw(rng, &mut variations);
        }
        let goal = self.goal.unwrap_or_default();
        let goal = goal.map(|range| lerp(range, rng.random::<f64>()));
        let joint_noise = match Normal::new(0.0, self.joint_noise_rad) {
            Ok(normal) => self.robot.home.iter().map(|_| normal.sample(rng)).collect(),
            Err(_) => vec![0.0; self.robot.home.len()],
        };
        // Drawn last: adding `draw` to a task does not change its other random values.
        let draws = self.draws.iter();
        let values = draws.map(|draw| draw.at(rng.random::<f64>())).collect();
        InstanceDraw {
            variations,
            joint_noise,
            goal,
            values,
        }
    }

    /// Builds the world of a draw, or returns the reason why it is not valid.
    fn realize(&self, seed: u64, draw: InstanceDraw) -> Result<TaskInstance> {
        let redrawn = self.scene_of(&draw.values)?;
        let def = redrawn.as_ref().unwrap_or(&self.scene);
        let mut scene = lay_out(def, &draw.variations)?;
        scene.faults.extend_from_slice(&self.faults);
        self.check_separation(&scene)?;
        checks::overlaps(def, &scene)?;
        if let Some(node) = &self.room {
            let room = draws::put_in(Field::new(&self.file, "room", node), &draw.values)?;
            checks::room(&self.file, &room, &scene)?;
        }
        if self.joint_noise_rad > 0.0 {
            let home = || self.robot.home.clone();
            let start = scene.start_joints.get_or_insert_with(home);
            for (q, noise) in start.iter_mut().zip(&draw.joint_noise) {
                *q += noise;
            }
        }
        let success = self.success(draw.goal, &draw.values)?;
        let truth = scene.initial_truth(&self.robot);
        if success.unmet(&truth, &truth).is_empty() {
            let condition = success.to_string();
            return Err(Problem::AlreadyTrue { condition }.at(&self.file, self.success.line));
        }
        let [x, y, z] = draw.goal;
        let goal_text = format!("{x:.3}, {y:.3}, {z:.3}");
        Ok(TaskInstance {
            name: self.name.clone(),
            prompt: self.prompt_of(&draw.values)?.replace("{goal}", &goal_text),
            scene,
            success,
            stricter: None,
            looked_at_hz: None,
            begins_as: None,
            expected_failure: self.expected_failure.clone(),
            goal: self.goal.map(|_| draw.goal),
            time_limit_s: self.time_limit_s,
            seed,
        })
    }

    fn check_separation(&self, scene: &Scene) -> Result<()> {
        for placement in &self.placements {
            let Some(min_m) = placement.min_separation_m else {
                continue;
            };
            // Definitions and scene objects are in the same order.
            let group = placement.objects.iter();
            let group: Vec<_> = group.filter_map(|&i| scene.objects.get(i)).collect();
            for (i, a) in group.iter().enumerate() {
                for b in &group[i + 1..] {
                    let apart = a.world_from_object.translation.vector
                        - b.world_from_object.translation.vector;
                    let distance_m = apart.xy().norm();
                    if distance_m < min_m {
                        let problem = format!(
                            "`{}` and `{}` are {distance_m:.4} m apart, but must be at least \
                             {min_m:.4} m",
                            a.id, b.id
                        );
                        return Err(Problem::from(problem).at(&self.file, placement.line));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns a generator that depends only on the task's name and the seed. Its hash (FNV-1a, RFC
/// 9923) is the same on every platform and version, unlike the standard library's.
fn rng_for(name: &str, seed: u64) -> ChaCha8Rng {
    let mut hash = FnvHasher::default();
    hash.write(name.as_bytes());
    let mut key = [0; 32];
    key[..8].copy_from_slice(&hash.finish().to_le_bytes());
    key[8..16].copy_from_slice(&seed.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}
