//! The planning scene with the held object and its contents.

use nalgebra::Vector3;

use crate::Robot;
use regrasp_api::{Attachment, KeepUp, Part, PerceivedObject, Percept, PlanningScene, Pose, Shape};
use regrasp_relations::{count_in, objects_in};

impl Robot {
    /// Returns the obstacles for motion planning: all perceived objects, with the held object and
    /// its contents attached to the hand. An open container with contents has to stay upright.
    pub fn planning_scene(&self, percept: &Percept) -> PlanningScene {
        let Some(held) = &self.held else {
            return PlanningScene::from_percept(percept, None);
        };
        let mut scene = PlanningScene::from_percept(percept, Some(&held.id));
        let seen = percept.object(&held.id);
        let contents = seen.map_or_else(Vec::new, |container| objects_in(percept, container));
        scene
            .obstacles
            .retain(|o| contents.iter().all(|inner| inner.id != o.id));
        scene.attached = Some(Attachment {
            id: held.id.clone(),
            shape: match seen {
                Some(container) if !contents.is_empty() => filled(container, &contents),
                _ => held.shape.clone(),
            },
            tool_from_object: held.tool_from_object,
        });
        scene.keep_up = seen
            .filter(|container| !contents.is_empty() || count_in(percept, container) > 0)
            .map(|container| KeepUp::carried(up_in_tool(container, &held.tool_from_object)));
        scene
    }
}

/// Current up direction of World in the tool frame, for this pose of the container in the hand.
fn up_in_tool(container: &PerceivedObject, tool_from_object: &Pose) -> [f64; 3] {
    let up_in_object = container.world_from_object.rotation.inverse() * Vector3::z();
    (tool_from_object.rotation * up_in_object).into()
}

/// Merges a container and its contents into one solid, in the container's frame.
fn filled(container: &PerceivedObject, contents: &[&PerceivedObject]) -> Shape {
    let mut parts = parts_at(&container.shape, &Pose::identity());
    for inner in contents {
        let container_from_inner = container.world_from_object.inverse() * inner.world_from_object;
        parts.extend(parts_at(&inner.shape, &container_from_inner));
    }
    Shape::Compound { parts }
}

fn parts_at(shape: &Shape, frame_from_object: &Pose) -> Vec<Part> {
    match shape {
        Shape::Compound { parts } => parts
            .iter()
            .map(|part| Part {
                object_from_part: frame_from_object * part.object_from_part,
                shape: part.shape.clone(),
            })
            .collect(),
        solid => vec![Part {
            object_from_part: *frame_from_object,
            shape: solid.clone(),
        }],
    }
}
