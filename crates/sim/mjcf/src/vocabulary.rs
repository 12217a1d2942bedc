//! Every attribute of the elements that are looked at, and what becomes of it.

use crate::ledger::{Fate, Ledger};
use crate::xml::Element;

const CONTACT: &str = "contacts are solved by this simulator's own rules";
const DRAWING: &str = "only for drawing in MuJoCo";
const OWN_SOLVER: &str = "the simulator steps and solves in its own way";
const NO_USE: &str = "nothing here uses it";

/// Attributes that are read, by element.
const READ: [(&str, &str); 14] = [
    ("mujoco", "model"),
    (
        "compiler",
        "angle eulerseq meshdir texturedir assetdir autolimits inertiafromgeom inertiagrouprange \
         strippath coordinate",
    ),
    ("option", "gravity"),
    (
        "body",
        "name pos quat axisangle euler xyaxes zaxis childclass",
    ),
    (
        "frame",
        "name pos quat axisangle euler xyaxes zaxis childclass",
    ),
    (
        "inertial",
        "pos quat axisangle euler xyaxes zaxis mass diaginertia fullinertia",
    ),
    (
        "joint",
        "name class type pos axis range limited damping stiffness frictionloss armature \
         springref ref",
    ),
    ("freejoint", "name"),
    (
        "geom",
        "name class type size pos quat axisangle euler xyaxes zaxis fromto mass density friction \
         contype conaffinity group mesh material rgba",
    ),
    (
        "site",
        "name class type size pos quat axisangle euler xyaxes zaxis fromto rgba material group",
    ),
    (
        "camera",
        "name class mode pos quat axisangle euler xyaxes zaxis fovy resolution",
    ),
    ("mesh", "name class file scale refpos refquat"),
    ("texture", "name type file builtin rgb1 rgb2"),
    (
        "material",
        "name class texture texrepeat texuniform rgba specular",
    ),
];

/// Attributes that are known and change nothing that matters here, by element, with the reason.
const IGNORED: [(&str, &str, &str); 14] = [
    (
        "compiler",
        OWN_SOLVER,
        "balanceinertia boundmass boundinertia fitaabb discardvisual usethread fusestatic \
         exactmeshinertia alignfree convexhull saveinertial",
    ),
    (
        "option",
        OWN_SOLVER,
        "timestep apirate impratio tolerance noslip_tolerance mpr_tolerance ccd_tolerance \
         o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations \
         noslip_iterations mpr_iterations ccd_iterations sdf_iterations sdf_initpoints \
         actuatorgroupdisable collision magnetic density viscosity wind ls_iterations \
         ls_tolerance",
    ),
    ("body", NO_USE, "user sleep"),
    (
        "joint",
        CONTACT,
        "solreflimit solimplimit solreffriction solimpfriction margin",
    ),
    (
        "joint",
        NO_USE,
        "group user actuatorfrclimited actuatorfrcrange actuatorgravcomp",
    ),
    ("freejoint", NO_USE, "group align"),
    (
        "geom",
        CONTACT,
        "solref solimp solmix margin gap priority condim",
    ),
    ("geom", NO_USE, "user"),
    ("site", NO_USE, "user"),
    ("camera", DRAWING, "ipd user output"),
    ("mesh", DRAWING, "smoothnormal"),
    ("mesh", OWN_SOLVER, "inertia maxhullvert octree_maxdepth"),
    (
        "texture",
        DRAWING,
        "width height mark markrgb random nchannel colorspace",
    ),
    (
        "material",
        DRAWING,
        "reflectance shininess emission metallic roughness",
    ),
];

/// Writes down what becomes of an element that is read, and of each of its attributes.
pub(crate) fn note(ledger: &mut Ledger, element: &Element) {
    ledger.read(&element.tag, &element.place);
    note_attributes(ledger, element);
}

/// The same of its attributes alone.
pub(crate) fn note_attributes(ledger: &mut Ledger, element: &Element) {
    let tag = element.tag.as_str();
    for attribute in &element.attributes {
        let name = attribute.name.as_str();
        let is_in = |names: &str| names.split_whitespace().any(|known| known == name);
        if READ.iter().any(|(of, names)| *of == tag && is_in(names)) {
            continue;
        }
        let what = format!("{tag} {name}");
        let mut ignored = IGNORED.iter().filter(|(of, ..)| *of == tag);
        match ignored.find(|(.., names)| is_in(names)) {
            Some((_, why, _)) => ledger.note(Fate::Ignored, &what, why, &attribute.place),
            None => ledger.note(
                Fate::Unsupported,
                &what,
                "nothing is known of this attribute",
                &attribute.place,
            ),
        }
    }
}

/// What becomes of the elements of a model outside its bodies and assets that are not read.
pub(crate) fn section(tag: &str) -> (Fate, &'static str) {
    match tag {
        "size" => (Fate::Ignored, "memory is taken as it is needed"),
        "visual" | "statistic" => (Fate::Ignored, DRAWING),
        "custom" | "extension" => (Fate::Ignored, NO_USE),
        "keyframe" => (Fate::Ignored, "everything starts where its body says"),
        "sensor" => (Fate::Ignored, "what is sensed is the robot's matter"),
        "equality" => (
            Fate::Unsupported,
            "parts are not held together by constraints",
        ),
        "tendon" => (Fate::Unsupported, "there are no tendons"),
        "contact" => (
            Fate::Unsupported,
            "what touches what follows from contype and conaffinity",
        ),
        "deformable" => (Fate::Unsupported, "everything is rigid"),
        "actuator" => (
            Fate::Ignored,
            "the arm is the robot file's, and nothing else is driven",
        ),
        _ => (Fate::Unsupported, "nothing is known of this element"),
    }
}

/// What becomes of the elements inside a body that are not read.
pub(crate) fn inside_body(tag: &str) -> (Fate, &'static str) {
    match tag {
        "light" => (
            Fate::Ignored,
            "pictures have one sun and a sky of their own",
        ),
        "plugin" => (Fate::Unsupported, "there are no plugins"),
        "composite" | "flexcomp" | "flex" => (Fate::Unsupported, "everything is rigid"),
        "attach" | "replicate" => (Fate::Unsupported, "write the bodies out"),
        _ => (Fate::Unsupported, "nothing is known of this element"),
    }
}
