//! Models of a scene's objects, for perception from pixels.

use regrasp_ground_truth_perception::exact_percept;
use regrasp_rgbd_perception::{Catalogue, Model, ModelJoint, ModelSurface};
use regrasp_scene::{Assembly, RobotFile, SceneJoint};

use crate::drawn::{Drawn, Painter};

/// Makes models of objects. Objects that differ only in their names share one model, named like the
/// first without its number.
pub fn catalogue(things: &[Assembly], robot: &RobotFile) -> Catalogue {
    let mut painter = Painter::default();
    let mut models = vec![];
    for (i, thing) in things.iter().enumerate() {
        if things[..i].iter().any(|earlier| earlier.is_like(thing)) {
            continue;
        }
        let mut model = model(thing, robot, &mut painter);
        if things[i + 1..].iter().any(|later| later.is_like(thing)) {
            model.name = without_number(&model.name).to_owned();
        }
        models.push(model);
    }
    Catalogue::new(models)
}

/// Makes a model that reports the object as ground-truth perception does.
fn model(thing: &Assembly, robot: &RobotFile, painter: &mut Painter) -> Model {
    let percept = exact_percept(thing.alone().initial_truth(robot));
    let joints = percept.joints.into_iter().filter_map(|joint| {
        let mut declared = thing.joints.iter();
        let declared = declared.find(|declared| declared.id == joint.id)?;
        Some(ModelJoint {
            openings: openings(declared),
            position_per_opening: declared.sign(),
            joint,
        })
    });
    let drawn = thing.objects.iter().map(|object| painter.object(object));
    let surfaces = drawn.map(|of| of.iter().map(Drawn::surface).collect());
    Model {
        name: thing.name().to_string(),
        objects: percept.objects,
        joints: joints.collect(),
        known: percept.known,
        ports: percept.ports,
        surfaces: surfaces.collect::<Vec<Vec<ModelSurface>>>(),
    }
}

/// Smallest and largest opening of a joint, m or rad.
fn openings(joint: &SceneJoint) -> [f64; 2] {
    let opening = |position: f64| joint.sign() * (position - joint.closed());
    let ends = [joint.lower, joint.upper].map(opening);
    [ends[0].min(ends[1]), ends[0].max(ends[1])]
}

fn without_number(name: &str) -> &str {
    let (rest, number) = name.rsplit_once('_').unwrap_or((name, ""));
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    if is_number { rest } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_scene::{builtin_robot, builtin_scene, builtin_scene_names};
    use regrasp_testkit::{near, within};

    #[test]
    fn every_thing_of_a_scene_becomes_a_model_that_reports_it() {
        let robot = builtin_robot().expect("it is built in");
        for name in builtin_scene_names() {
            let scene = builtin_scene(name).expect("it is built in");
            let things = scene.assemblies();
            let catalogue = catalogue(&things, &robot);
            assert!(catalogue.models().len() <= things.len());
            for model in catalogue.models() {
                let n_surfaces = model.surfaces.len();
                assert_eq!(model.objects.len(), n_surfaces, "{name}: {}", model.name);
                for of in &model.joints {
                    let ([low, high], joint) = (of.openings, &of.joint);
                    let what = format!("{name}: {}", joint.id);
                    within(&what, joint.opening, low..=high);
                    near(&what, high, joint.travel, 1e-9);
                }
            }
            let again = [things.clone(), things].concat();
            let n_again = super::catalogue(&again, &robot).models().len();
            assert_eq!(n_again, catalogue.models().len());
        }
    }
}
