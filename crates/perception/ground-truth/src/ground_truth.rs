//! Perception from ground truth, with optional noise, misses and latency.

use std::sync::Arc;

use regrasp_api::{
    Known, Observation, PerceivedGroup, PerceivedObject, Percept, Perception, PerceptionError,
    Shape,
};
use regrasp_ground_truth::{GroundTruth, GroundTruthObject, GroundTruthSource};

use serde_json::Value;

use crate::noise::{Noise, NoiseError, NoiseOptions};

/// Perception that reports the true scene with the noise of its options.
///
/// Fixed objects (a table, a wall) are treated as known exactly: they are never missed or noisy.
pub struct GroundTruthPerception {
    source: Arc<dyn GroundTruthSource>,
    options: NoiseOptions,
    noise: Noise,
}

impl GroundTruthPerception {
    /// Makes a perception of `source` with noise.
    ///
    /// # Errors
    ///
    /// [`NoiseError`] for an invalid option.
    pub fn new(
        source: Arc<dyn GroundTruthSource>,
        options: NoiseOptions,
    ) -> Result<Self, NoiseError> {
        options.validate()?;
        Ok(Self {
            source,
            options,
            noise: Noise::new(options),
        })
    }

    /// Makes an exact perception of `source`, without latency.
    pub fn exact(source: Arc<dyn GroundTruthSource>) -> Self {
        let options = NoiseOptions::default();
        Self {
            source,
            options,
            noise: Noise::new(options),
        }
    }

    fn see(&mut self, object: GroundTruthObject) -> Option<PerceivedObject> {
        if !object.movable {
            return Some(reported(object));
        }
        Some(PerceivedObject {
            world_from_object: self.noise.disturb(&object.world_from_object)?,
            position_std_m: self.options.position_std_m,
            ..reported(object)
        })
    }
}

/// Report of an object exactly as it is.
fn reported(object: GroundTruthObject) -> PerceivedObject {
    PerceivedObject {
        id: object.id,
        category: object.category,
        color: object.color,
        shape: object.shape,
        world_from_object: object.world_from_object,
        position_std_m: 0.0,
        movable: object.movable,
    }
}

/// Returns the report of exact perception on a state.
pub fn exact_percept(truth: GroundTruth) -> Percept {
    percept(truth, |object| Some(reported(object)))
}

fn percept(
    truth: GroundTruth,
    see: impl FnMut(GroundTruthObject) -> Option<PerceivedObject>,
) -> Percept {
    let groups = groups(&truth.objects);
    let known = known(&truth.objects);
    let objects = truth.objects.into_iter().filter(|o| o.group.is_none());
    Percept {
        objects: objects.filter_map(see).collect(),
        joints: truth.joints,
        ports: truth.ports,
        known,
        groups,
        ..Percept::default()
    }
}

/// Prior knowledge of objects that can be moved, have named zones, or are parts of others.
fn known(objects: &[GroundTruthObject]) -> Vec<Known> {
    let seen = objects
        .iter()
        .filter(|o| (o.movable || !o.zones.is_empty() || o.part_of.is_some()) && o.group.is_none());
    seen.map(|o| Known {
        object: o.id.clone(),
        upright: o.upright,
        mass_kg: o.movable.then_some(o.mass_kg),
        mass_center: o.mass_center,
        zones: o.zones.clone(),
        part_of: o.part_of.clone(),
    })
    .collect()
}

/// Small objects by group. They are only counted, so they get no noise.
fn groups(objects: &[GroundTruthObject]) -> Vec<PerceivedGroup> {
    let mut groups: Vec<PerceivedGroup> = vec![];
    for object in objects {
        let (Some(id), Shape::Sphere { radius }) = (&object.group, &object.shape) else {
            continue;
        };
        let position = object.world_from_object.translation.vector.into();
        match groups.iter_mut().find(|group| &group.id == id) {
            Some(group) => group.positions.push(position),
            None => groups.push(PerceivedGroup {
                id: id.clone(),
                category: object.category.clone(),
                color: object.color.clone(),
                radius_m: *radius,
                positions: vec![position],
            }),
        }
    }
    groups
}

impl Perception for GroundTruthPerception {
    fn name(&self) -> &str {
        "ground_truth"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let truth = self.source.truth();
        Ok(Percept {
            time_secs: observation.time_secs,
            latency_secs: self.options.latency_secs,
            ..percept(truth, |object| self.see(object))
        })
    }
    fn save(&self) -> Value {
        Value::String(self.noise.position())
    }

    fn restore(&mut self, state: &Value) {
        if let Some(position) = state.as_str() {
            self.noise.seek(position);
        }
    }
}
