//! Faults of perception.

use nalgebra::Vector3;
use regrasp_api::{ObjectId, Observation, Percept, Perception, PerceptionError};
use regrasp_ground_truth::GroundTruth;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{FaultError, place_of};
use crate::fault::Fault;

/// Kinds of errors in the perception of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PerceptionTrouble {
    /// The object is not perceived.
    Missed,
    /// The object and another one are swapped.
    TakenFor {
        /// Object that is mistaken for the perceived one, and the reverse.
        other: ObjectId,
    },
    /// The object is perceived with an offset.
    Off {
        /// Offset in World, m.
        offset_m: [f64; 3],
    },
}

/// Error in the perception of one object, for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceptionDisturbance {
    /// Affected object.
    pub object: ObjectId,
    /// Kind of trouble.
    pub trouble: PerceptionTrouble,
    /// Simulated start time, s.
    pub from_secs: f64,
    /// Simulated end time, s; permanent if left out.
    pub until_secs: Option<f64>,
}

/// Perception with faults applied to the result of another one. It is stateless: the faults depend
/// on the simulated time alone.
struct DisturbedPerception {
    inner: Box<dyn Perception>,
    faults: Vec<PerceptionDisturbance>,
}

/// Adds disturbances to a perception; without any, returns the perception unchanged. They are
/// applied in order, each to the result of the previous one.
pub fn disturbed_perception(
    inner: Box<dyn Perception>,
    faults: Vec<PerceptionDisturbance>,
) -> Box<dyn Perception> {
    if faults.is_empty() {
        return inner;
    }
    Box::new(DisturbedPerception { inner, faults })
}

/// Returns the disturbance of perception for a fault that begins now; `None` for other faults.
///
/// # Errors
///
/// [`FaultError::UnknownObject`] if the fault names an unknown object.
pub fn perception_disturbance(
    now: &GroundTruth,
    fault: &Fault,
) -> Result<Option<PerceptionDisturbance>, FaultError> {
    let start_secs = now.time_secs;
    let (object, trouble, from_secs, for_secs) = match fault {
        Fault::SightMisses {
            object,
            from_secs,
            for_secs,
        } => (object, PerceptionTrouble::Missed, from_secs, for_secs),
        Fault::SightMislabels {
            object,
            other,
            from_secs,
            for_secs,
        } => {
            place_of(now, other)?;
            let other = other.clone();
            let taken_for = PerceptionTrouble::TakenFor { other };
            (object, taken_for, from_secs, for_secs)
        }
        Fault::SightIsOff {
            object,
            offset_m,
            from_secs,
            for_secs,
        } => {
            let offset_m = *offset_m;
            let off = PerceptionTrouble::Off { offset_m };
            (object, off, from_secs, for_secs)
        }
        _ => return Ok(None),
    };
    place_of(now, object)?;
    let from_secs = start_secs + from_secs;
    Ok(Some(PerceptionDisturbance {
        object: object.clone(),
        trouble,
        from_secs,
        until_secs: for_secs.map(|secs| from_secs + secs),
    }))
}

impl Perception for DisturbedPerception {
    delegate::delegate! {
        to self.inner {
            fn name(&self) -> &str;
            fn save(&self) -> Value;
            fn restore(&mut self, state: &Value);
        }
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let mut percept = self.inner.perceive(observation)?;
        let now_secs = observation.time_secs;
        let acts = |fault: &&PerceptionDisturbance| {
            now_secs >= fault.from_secs && fault.until_secs.is_none_or(|until| now_secs < until)
        };
        for fault in self.faults.iter().filter(acts) {
            disturb(&mut percept, fault);
        }
        Ok(percept)
    }
}

fn disturb(percept: &mut Percept, fault: &PerceptionDisturbance) {
    let objects = &mut percept.objects;
    match &fault.trouble {
        PerceptionTrouble::Missed => objects.retain(|o| o.id != fault.object),
        PerceptionTrouble::Off { offset_m } => {
            if let Some(object) = objects.iter_mut().find(|o| o.id == fault.object) {
                object.world_from_object.translation.vector += Vector3::from(*offset_m);
            }
        }
        PerceptionTrouble::TakenFor { other } => {
            let find = |id: &ObjectId| objects.iter().position(|o| &o.id == id);
            if let (Some(a), Some(b)) = (find(&fault.object), find(other))
                && a != b
            {
                // Swapping poses and shapes has the effect that names and looks are swapped.
                let (head, tail) = objects.split_at_mut(a.max(b));
                let (one, two) = (&mut head[a.min(b)], &mut tail[0]);
                std::mem::swap(&mut one.world_from_object, &mut two.world_from_object);
                std::mem::swap(&mut one.shape, &mut two.shape);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::{PerceivedObject, Shape};

    fn seen(id: &str, x: f64) -> PerceivedObject {
        regrasp_testkit::thing(id, "ball", Shape::Sphere { radius: x }, [x, 0.0, 0.0])
    }

    fn disturbed(trouble: PerceptionTrouble) -> Vec<(String, f64)> {
        let mut percept = regrasp_testkit::percept(vec![seen("a", 1.0), seen("b", 2.0)]);
        let fault = PerceptionDisturbance {
            object: ObjectId::new("a"),
            trouble,
            from_secs: 0.0,
            until_secs: None,
        };
        disturb(&mut percept, &fault);
        let of = |o: &PerceivedObject| (o.id.to_string(), o.position().x);
        percept.objects.iter().map(of).collect()
    }

    #[test]
    fn each_trouble_is_what_it_says() {
        let named = |list: &[(&str, f64)]| -> Vec<(String, f64)> {
            list.iter().map(|(id, x)| ((*id).to_owned(), *x)).collect()
        };
        assert_eq!(disturbed(PerceptionTrouble::Missed), named(&[("b", 2.0)]));
        let offset_m = [0.25, 0.0, 0.0];
        let off = PerceptionTrouble::Off { offset_m };
        assert_eq!(disturbed(off), named(&[("a", 1.25), ("b", 2.0)]));
        let other = ObjectId::new("b");
        let taken = PerceptionTrouble::TakenFor { other };
        assert_eq!(disturbed(taken), named(&[("a", 2.0), ("b", 1.0)]));
    }
}
