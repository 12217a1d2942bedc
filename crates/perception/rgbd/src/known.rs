//! Tracking of catalogue objects from look to look, and their reports in the percept.

use regrasp_api::{CameraView, Known, ObjectId, ObjectJoint, ObjectPort, Percept, Pose};

use crate::catalogue::Catalogue;
use crate::cloud::Cloud;
use crate::detection::Detection;
use crate::memory::{Instance, Memory, STD_HIDDEN_M, Track};
use crate::scan::Scan;
use crate::search::{Followed, Search};
use crate::template::Template;

/// Finds catalogue objects: first those that are known already, near their last poses, then others
/// among the remaining pixels. Returns the pixels of each picture that they explain.
pub(crate) fn recognise(
    memory: &mut Memory,
    catalogue: &Catalogue,
    views: &[CameraView],
    clouds: &[Cloud],
) -> Vec<Vec<usize>> {
    let Some(table) = memory
        .table
        .as_ref()
        .filter(|_| catalogue.models().len() > 0)
    else {
        return vec![];
    };
    let plane = table.plane;
    let mut search = Search::new(Scan::new(views, clouds, &plane), catalogue, &plane);
    let (followed, mut lost) = follow_known(memory, catalogue, &mut search);
    search.run();
    for idx in followed {
        if !search.found.iter().any(|found| found.track == Some(idx)) {
            // Other objects explain the pixels that seemed to show this object.
            lose(&mut memory.tracks[idx]);
            lost.push((idx, f64::INFINITY));
        }
    }
    for found in &search.found {
        if let Some(idx) = found.track {
            follow(&mut memory.tracks[idx], found);
            continue;
        }
        let template = &catalogue.templates[found.model];
        let far = |idx: &usize| {
            let off = memory.tracks[*idx].world_from_object.translation.vector
                - found.world_from_base.translation.vector;
            off.norm()
        };
        let is_it = |(idx, within_m): &&(usize, f64)| {
            let known = memory.tracks[*idx].known.as_ref();
            known.is_some_and(|known| known.model == found.model) && far(idx) < *within_m
        };
        let nearest = lost.iter().filter(is_it).map(|(idx, _)| *idx);
        let nearest = nearest.min_by(|a, b| far(a).total_cmp(&far(b)));
        match nearest {
            Some(idx) => {
                lost.retain(|(other, _)| *other != idx);
                follow(&mut memory.tracks[idx], found);
            }
            None => {
                let track = track(memory, template, found);
                memory.tracks.push(track);
            }
        }
    }
    search.explained()
}

/// Looks for objects that were found before near their last poses, held ones first. Returns those
/// that are seen, and those that may be elsewhere, with the distance to search, m.
fn follow_known(
    memory: &mut Memory,
    catalogue: &Catalogue,
    search: &mut Search<'_>,
) -> (Vec<usize>, Vec<(usize, f64)>) {
    let (mut followed, mut lost) = (Vec::new(), Vec::new());
    let mut order: Vec<usize> = (0..memory.tracks.len()).collect();
    order.sort_by_key(|idx| memory.tracks[*idx].tool_from_object.is_none());
    for idx in order {
        let track = &mut memory.tracks[idx];
        let Some(known) = &track.known else { continue };
        let model = known.model;
        // A state may have been saved with another catalogue.
        if model >= catalogue.templates.len() {
            continue;
        }
        if track.is_gone {
            lost.push((idx, f64::INFINITY));
            continue;
        }
        let (pose, is_held) = (track.world_from_object, track.tool_from_object.is_some());
        let found = Detection::again(model, pose, &known.openings, idx, is_held);
        match search.follow(found) {
            Followed::There => followed.push(idx),
            Followed::Hidden => {
                track.is_hidden = true;
                // If the model is found again within its radius, it is this object: two objects
                // cannot be in one place.
                lost.push((idx, catalogue.templates[model].radius_m));
                track.position_std_m = STD_HIDDEN_M;
            }
            Followed::Gone => {
                lose(track);
                lost.push((idx, f64::INFINITY));
            }
        }
    }
    (followed, lost)
}

fn lose(track: &mut Track) {
    track.is_gone = true;
    track.tool_from_object = None;
}

/// Updates an object that is seen.
fn follow(track: &mut Track, found: &Detection) {
    if let Some(tool_from_object) = &mut track.tool_from_object {
        // The correction applies to the object, not to the hand.
        let world_from_tool = track.world_from_object * tool_from_object.inverse();
        *tool_from_object = world_from_tool.inverse() * found.world_from_base;
    }
    track.world_from_object = found.world_from_base;
    track.is_gone = false;
    track.is_hidden = false;
    track.position_std_m = found.position_std_m();
    if let Some(known) = &mut track.known {
        known.openings.clone_from(&found.openings);
        known.opening_stds.clone_from(&found.opening_stds);
    }
}

fn track(memory: &Memory, template: &Template, found: &Detection) -> Track {
    let base = &template.model.objects[0];
    Track {
        id: memory.new_id(template.model.name.clone()),
        category: base.category.clone(),
        color: base.color.clone().unwrap_or_default(),
        rgb: template.samples[0].first().map_or([0.0; 3], |s| s.rgb),
        shape: base.shape.clone(),
        world_from_object: found.world_from_base,
        position_std_m: found.position_std_m(),
        is_whole: true,
        tool_from_object: None,
        is_gone: false,
        is_hidden: false,
        known: Some(Instance {
            model: found.model,
            is_movable: base.movable,
            openings: found.openings.clone(),
            opening_stds: found.opening_stds.clone(),
        }),
    }
}

/// Percept of the table and of all objects that are believed to be present.
pub(crate) fn reported(memory: &Memory, catalogue: &Catalogue, floor_z: f64) -> Percept {
    let mut percept = Percept::default();
    let table = memory.table.iter().map(|t| t.object(floor_z));
    percept.objects.extend(table);
    for track in memory.tracks.iter().filter(|t| !t.is_gone) {
        let before = percept.objects.len();
        let known = track.known.as_ref();
        match known.and_then(|known| Some((known, catalogue.templates.get(known.model)?))) {
            Some((known, template)) => report(&mut percept, track, known, template),
            None => percept.objects.push(track.object()),
        }
        if track.is_hidden {
            let ids = percept.objects[before..].iter().map(|o| o.id.clone());
            percept.hidden.extend(ids);
        }
    }
    percept
}

/// Adds an instance of a model to a percept.
fn report(percept: &mut Percept, track: &Track, state: &Instance, template: &Template) {
    let Template { model, .. } = template;
    let base_id = &model.objects[0].id;
    let renamed = |id: &ObjectId| match id.as_str().strip_prefix(base_id.as_str()) {
        Some(rest) => ObjectId::new(format!("{}{rest}", track.id.as_str())),
        None => ObjectId::new(format!("{}_{}", track.id.as_str(), id.as_str())),
    };
    let poses = template.placed(&track.world_from_object, &state.openings);
    for (object, pose) in model.objects.iter().zip(poses) {
        percept.objects.push(regrasp_api::PerceivedObject {
            id: renamed(&object.id),
            world_from_object: pose,
            position_std_m: track.position_std_m,
            ..object.clone()
        });
    }
    for (idx, declared) in model.joints.iter().enumerate() {
        let joint = &declared.joint;
        let child = model.objects.iter().position(|o| o.id == joint.child);
        let before = child.map_or(&[][..], |child| {
            let all = &template.moved_by[child];
            &all[..all.len().saturating_sub(1)]
        });
        let world_from_joint: Pose =
            track.world_from_object * template.moved(before, &state.openings);
        let by = state.openings[idx] - joint.opening;
        let point = world_from_joint * nalgebra::Point3::from(joint.point_in_world);
        let axis = world_from_joint.rotation * joint.axis();
        let slid = match joint.kind {
            regrasp_api::JointKind::Prismatic => by * axis,
            regrasp_api::JointKind::Revolute => nalgebra::Vector3::zeros(),
        };
        percept.joints.push(ObjectJoint {
            id: renamed(&joint.id),
            parent: renamed(&joint.parent),
            child: renamed(&joint.child),
            axis_in_world: axis.into(),
            point_in_world: (point + slid).coords.into(),
            opening: state.openings[idx],
            opening_std: state.opening_stds[idx],
            position: joint.position + declared.position_per_opening * by,
            ..joint.clone()
        });
    }
    percept.known.extend(model.known.iter().map(|known| Known {
        object: renamed(&known.object),
        part_of: known.part_of.as_ref().map(renamed),
        ..known.clone()
    }));
    percept
        .ports
        .extend(model.ports.iter().map(|port| ObjectPort {
            object: renamed(&port.object),
            ..port.clone()
        }));
}
