//! All attributes of the elements that are read, with their treatment.

use crate::ledger::Fate::{self, Ignored, Unsupported};
use crate::ledger::Ledger;
use crate::xml::Element;

const CONTACT: &str = "contacts are solved by this simulator's own rules";
const DRAWING: &str = "only for drawing in MuJoCo";
pub(crate) const OWN_SOLVER: &str = "the simulator has its own time step and solver";
const NO_USE: &str = "nothing here uses it";

/// Attributes that are read: on each line an element and its attributes.
const READ: &str = "
    mujoco: model
    compiler: angle eulerseq meshdir texturedir assetdir autolimits inertiafromgeom inertiagrouprange
    compiler: strippath coordinate fitaabb exactmeshinertia balanceinertia
    option: gravity
    worldbody: childclass
    body: name pos quat axisangle euler xyaxes zaxis childclass
    frame: name pos quat axisangle euler xyaxes zaxis childclass
    replicate: count sep offset euler
    attach: model body prefix
    model: name file
    inertial: pos quat axisangle euler xyaxes zaxis mass diaginertia fullinertia
    joint: name class type pos axis range limited damping stiffness frictionloss armature springref ref
    freejoint: name
    geom: name class type size pos quat axisangle euler xyaxes zaxis fromto mass density friction
    geom: contype conaffinity group mesh material rgba fitscale shellinertia
    site: name class type size pos quat axisangle euler xyaxes zaxis fromto rgba material group
    camera: name class mode pos quat axisangle euler xyaxes zaxis fovy resolution
    mesh: name class file scale refpos refquat inertia vertex face
    texture: name type file builtin rgb1 rgb2
    material: name class texture texrepeat texuniform rgba specular
";

/// Known attributes that are not read, with the reason: on each line an element and its attributes.
const NOT_READ: [(Fate, &str, &str); 14] = [
    (
        Ignored,
        OWN_SOLVER,
        "compiler: usethread fusestatic alignfree saveinertial
         option: timestep apirate impratio tolerance noslip_tolerance mpr_tolerance ccd_tolerance
         option: o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations
         option: noslip_iterations mpr_iterations ccd_iterations sdf_iterations sdf_initpoints
         option: actuatorgroupdisable magnetic ls_iterations ls_tolerance
         mesh: maxhullvert",
    ),
    (
        Ignored,
        CONTACT,
        "joint: solreflimit solimplimit solreffriction solimpfriction margin
         geom: solref solimp solmix margin gap",
    ),
    (
        Ignored,
        NO_USE,
        "body: user sleep
         joint: group user actuatorfrclimited actuatorfrcrange actuatorgravcomp
         freejoint: group align
         geom: user
         site: user",
    ),
    (
        Ignored,
        DRAWING,
        "camera: ipd user output
         mesh: smoothnormal
         texture: width height mark markrgb random nchannel colorspace
         material: reflectance shininess emission metallic roughness",
    ),
    (
        Unsupported,
        "masses and moments of inertia are those of the bodies and geoms",
        "compiler: boundmass boundinertia settotalmass",
    ),
    (
        Unsupported,
        "visual geoms are kept, and meshes collide by their convex hulls",
        "compiler: discardvisual convexhull",
    ),
    (
        Unsupported,
        "springs and dampers follow only from `stiffness` and `damping`",
        "joint: springdamper",
    ),
    (
        Unsupported,
        "there is neither air nor wind",
        "option: density viscosity wind",
    ),
    (
        Unsupported,
        "the world body does not move",
        "worldbody: name pos quat axisangle euler xyaxes zaxis",
    ),
    (Unsupported, "a mocap body does not move", "body: mocap"),
    (
        Unsupported,
        "gravity acts on every moving body",
        "body: gravcomp",
    ),
    (
        Unsupported,
        "every solid geom collides with every other",
        "option: collision",
    ),
    (
        Unsupported,
        "a contact has the larger friction of its two geoms, which resists only sliding",
        "geom: priority condim",
    ),
    (
        Unsupported,
        "of an inline mesh only vertices and triangles are read",
        "mesh: normal texcoord builtin params",
    ),
];

/// Attributes without an effect at their default value.
const USUAL: [(&str, &str); 13] = [
    ("geom condim", "3"),
    ("geom priority", "0"),
    ("option density", "0"),
    ("option viscosity", "0"),
    ("option wind", "0 0 0"),
    ("option collision", "all"),
    ("body gravcomp", "0"),
    ("body mocap", "false"),
    ("compiler boundmass", "0"),
    ("compiler boundinertia", "0"),
    ("compiler settotalmass", "-1"),
    ("compiler discardvisual", "false"),
    ("compiler convexhull", "true"),
];

/// Adds an element that is read, and each of its attributes, to the ledger.
pub(crate) fn note(ledger: &mut Ledger, element: &Element) {
    ledger.read(&element.tag, &element.place);
    note_attributes(ledger, element);
}

/// Adds the attributes of an element to the ledger.
pub(crate) fn note_attributes(ledger: &mut Ledger, element: &Element) {
    let tag = element.tag.as_str();
    for attribute in &element.attributes {
        let name = attribute.name.as_str();
        let is_in = |list| attributes(list).any(|known| known == (tag, name));
        if is_in(READ) {
            continue;
        }
        let what = format!("{tag} {name}");
        if USUAL.contains(&(what.as_str(), attribute.value.trim())) {
            continue;
        }
        let known = NOT_READ.into_iter().find(|(.., list)| is_in(list));
        let known = known.map(|(fate, why, _)| (fate, why));
        let (fate, why) = known.unwrap_or((Unsupported, "unknown attribute"));
        ledger.note(fate, &what, why, &attribute.place);
    }
}

fn attributes(list: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = list.lines().filter_map(|line| line.trim().split_once(": "));
    lines.flat_map(|(tag, names)| names.split(' ').map(move |name| (tag, name)))
}

/// Treatment of sections that are not read, outside bodies and assets.
pub(crate) fn section(tag: &str) -> (Fate, &'static str) {
    match tag {
        "size" => (Fate::Ignored, "memory is allocated as needed"),
        "visual" | "statistic" => (Fate::Ignored, DRAWING),
        "custom" | "extension" => (Fate::Ignored, NO_USE),
        "keyframe" => (Fate::Ignored, "every body starts at its own pose"),
        "sensor" => (Fate::Ignored, "the robot file gives the sensors"),
        "contact" => (
            Fate::Unsupported,
            "contype and conaffinity decide what collides",
        ),
        "deformable" => (Fate::Unsupported, "everything is rigid"),
        _ => (Fate::Unsupported, "unknown element"),
    }
}

/// Treatment of elements inside a body that are not read.
pub(crate) fn inside_body(tag: &str) -> (Fate, &'static str) {
    match tag {
        "light" => (Fate::Ignored, "rendered images have their own sun and sky"),
        "plugin" => (Fate::Unsupported, "plugins are not supported"),
        "composite" | "flexcomp" | "flex" => (Fate::Unsupported, "everything is rigid"),
        _ => (Fate::Unsupported, "unknown element"),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    /// Attributes that today's MuJoCo no longer knows; they affected only the solver.
    const GONE: [&str; 3] = [
        "option apirate",
        "option mpr_tolerance",
        "option mpr_iterations",
    ];

    /// Each attribute was tested in MuJoCo: it changes nothing that a scene contains.
    #[test]
    fn what_is_ignored_changes_nothing() {
        let figures = include_str!("../tests/data/mujoco.json");
        let figures: serde_json::Value = serde_json::from_str(figures).unwrap();
        let unchanged: Vec<&str> = figures["unchanged"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|v| v.as_str())
            .collect();
        assert!(unchanged.len() > 50, "{}", unchanged.len());
        for (.., list) in NOT_READ.iter().filter(|(fate, ..)| *fate == Ignored) {
            for name in attributes(list).map(|(tag, name)| format!("{tag} {name}")) {
                let is_proven = unchanged.contains(&name.as_str()) || GONE.contains(&name.as_str());
                assert!(is_proven, "nothing shows that `{name}` changes nothing");
            }
        }
    }
}
