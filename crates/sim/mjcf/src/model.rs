//! A model as plain values: classes are applied, files are read, angles are in radians.

use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Matrix3, Vector3};
use regrasp_api::{Pose, Shape};
use regrasp_mesh::Surface;
use regrasp_scene::Texture;

use crate::{Ledger, SourceLine};

/// A model file with everything that it refers to.
#[derive(Clone, Debug)]
pub struct Model {
    /// Path of the model file.
    pub path: PathBuf,
    /// Name of the model; empty if it has none.
    pub name: String,
    /// The world, with everything in it.
    pub world: Body,
    /// First and last group of the geoms that contribute to a body's mass.
    pub inertia_groups: [i64; 2],
    /// Source of the bodies' masses.
    pub inertia_from: InertiaFrom,
    /// All drives and constraints.
    pub couplings: Vec<Coupling>,
    /// Treatment of everything in the file.
    pub ledger: Ledger,
}

/// An actuator, a tendon or a constraint.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    /// Section and element, such as `actuator motor`.
    pub what: String,
    /// True for an actuator.
    pub drives: bool,
    /// Names of the joints, sites and bodies that the element acts on.
    pub parts: [Vec<String>; 3],
    /// The two joints that the element couples, if it is a gear.
    pub gear: Option<Gearing>,
    /// Source line of the element.
    pub place: SourceLine,
}

/// Two coupled joints, with positions relative to the initial pose.
#[derive(Clone, Debug)]
pub struct Gearing {
    /// Names of the follower and of the leader.
    pub joints: [String; 2],
    /// Factor on the leader's position.
    pub ratio: f64,
    /// Position of the follower when the leader is at 0, m or rad.
    pub offset: f64,
}

/// Source of the bodies' masses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InertiaFrom {
    /// `<inertial>` if present, else the geoms.
    Auto,
    /// The geoms.
    Geoms,
    /// `<inertial>`.
    Inertial,
}

/// A body with its child bodies.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Name, unique in the model.
    pub name: Option<String>,
    /// Pose in the frame of the body's parent.
    pub parent_from_body: Pose,
    /// Mass given by `<inertial>`.
    pub(crate) inertial: Option<Mass>,
    /// Joints to the parent; empty if the body is fixed to it.
    pub joints: Vec<Joint>,
    /// Collision and visual geoms.
    pub geoms: Vec<Geom>,
    /// Sites of the body.
    pub sites: Vec<Site>,
    /// Cameras on the body.
    pub cameras: Vec<Camera>,
    /// Child bodies.
    pub bodies: Vec<Body>,
    /// Source line of the body's element.
    pub place: SourceLine,
}

impl Body {
    pub(crate) fn new(name: Option<String>, parent_from_body: Pose, place: &SourceLine) -> Self {
        Self {
            name,
            parent_from_body,
            place: place.clone(),
            ..Self::default()
        }
    }

    /// The body and all its descendants, each before its children.
    pub(crate) fn all(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        let inner = self.bodies.iter().flat_map(Self::all);
        Box::new(std::iter::once(self).chain(inner))
    }

    /// Returns the body of that name: this one or a descendant.
    pub fn find(&self, name: &str) -> Option<&Self> {
        self.all().find(|body| body.name.as_deref() == Some(name))
    }

    /// The hinge and slide joints.
    pub(crate) fn jointed(&self) -> impl Iterator<Item = &Joint> {
        self.joints.iter().filter(|joint| joint.is_kept())
    }

    /// Returns true if the body or a descendant has a joint.
    pub(crate) fn moves(&self) -> bool {
        self.all().any(|body| !body.joints.is_empty())
    }
}

/// Kind of motion that a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Rotation about the joint's axis.
    Hinge,
    /// Translation along the joint's axis.
    Slide,
    /// Rotation about a point.
    Ball,
    /// Free motion.
    Free,
}

/// A joint between a body and its parent.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name, unique in the model.
    pub name: Option<String>,
    /// Kind of motion.
    pub motion: Motion,
    /// A point of the axis in the body's frame, m.
    pub position: [f64; 3],
    /// Axis in the body's frame, unit length.
    pub axis: [f64; 3],
    /// Smallest and largest position, m or rad; `None` without limits.
    pub range: Option<[f64; 2]>,
    /// Position in the initial pose, m or rad.
    pub reference: f64,
    /// Damping, N s/m or N m s/rad.
    pub damping: f64,
    /// Dry friction, N or N m.
    pub friction: f64,
    /// Added inertia, kg or kg m².
    pub armature: f64,
    /// Stiffness of the joint's spring, N/m or N m/rad.
    pub stiffness: f64,
    /// Position at which the spring is slack, m or rad.
    pub slack_at: f64,
    /// Source line of the joint's element.
    pub place: SourceLine,
}

impl Joint {
    /// Returns true for a hinge or slide, which scenes support.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self.motion, Motion::Hinge | Motion::Slide)
    }
}

/// A solid or drawn part of a body.
#[derive(Clone, Debug)]
pub struct Geom {
    /// Name, unique in the model.
    pub name: Option<String>,
    /// Pose in the frame of the geom's body.
    pub body_from_geom: Pose,
    /// Geometric form.
    pub form: GeomForm,
    /// Group by which MuJoCo shows or hides the geom.
    pub group: i64,
    /// `contype` and `conaffinity`: two geoms collide if the first number of either shares a bit
    /// with the second number of the other.
    pub touches: [i64; 2],
    /// Mass, kg; `None` if it follows from the density.
    pub mass_kg: Option<f64>,
    /// Density, kg/m³; kg/m² for a shell.
    pub density: f64,
    /// Set if the geom's mass is on its surface.
    pub is_shell: bool,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Colour: the geom's own, or else that of its material.
    pub rgba: [f32; 4],
    /// Material of the geom's surface.
    pub material: Option<Arc<Material>>,
    /// Source line of the geom's element.
    pub place: SourceLine,
}

impl Geom {
    /// Returns true if the geom can collide with anything.
    pub fn is_solid(&self) -> bool {
        self.touches != [0, 0]
    }

    /// Returns true if the two geoms can collide in MuJoCo.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let meet = |a: &Self, b: &Self| a.touches[0] & b.touches[1] != 0;
        meet(self, other) || meet(other, self)
    }
}

/// The form of a geom; lengths in metres.
#[derive(Clone, Debug)]
pub enum GeomForm {
    /// An infinite plane, drawn at a finite size.
    Plane {
        /// Half size along x and y, m; 0 for an infinite plane.
        half: [f64; 2],
    },
    /// A box, sphere, cylinder or capsule.
    Solid(Shape),
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes, m.
        radii: [f64; 3],
    },
    /// A mesh, which collides with its convex hull.
    Mesh(Arc<MeshAsset>),
}

impl GeomForm {
    /// Makes a primitive from MuJoCo's three sizes; `None` for a mesh or an unknown kind.
    pub(crate) fn of(kind: &str, size: [f64; 3]) -> Option<Self> {
        let [radius, half_height, _] = size;
        Some(match kind {
            "plane" => Self::Plane {
                half: [size[0], size[1]],
            },
            "ellipsoid" => Self::Ellipsoid { radii: size },
            "sphere" => Self::Solid(Shape::Sphere { radius }),
            "capsule" => Self::Solid(Shape::capsule(radius, half_height)),
            "cylinder" => Self::Solid(Shape::cylinder(radius, half_height)),
            "box" => Self::Solid(Shape::Box { half_extents: size }),
            _ => return None,
        })
    }
}

/// A mesh of a model, read from a file or given in an element.
#[derive(Clone, Debug)]
pub struct MeshAsset {
    /// Name in the model.
    pub name: String,
    /// File of the mesh, if the vertices in it have the same frame as in the model.
    pub file: Option<PathBuf>,
    /// Factors by which the lengths in the file are multiplied.
    pub scale: [f64; 3],
    /// Triangles in metres.
    pub surface: Arc<Surface>,
    /// Distribution of the mesh's mass.
    pub inertia: MeshInertia,
}

/// Distribution of a mesh's mass, with MuJoCo's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshInertia {
    /// Mass of pyramids between the faces and their common centre, all counted as positive.
    Legacy,
    /// Mass inside the surface.
    Exact,
    /// Mass inside the convex hull.
    Convex,
    /// Mass on the faces.
    Shell,
}

/// Material of a geom's surface.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name in the model.
    pub name: String,
    /// Colour, with which the image is tinted.
    pub rgba: [f32; 4],
    /// Brightness of highlights, 0 to 1.
    pub specular: f64,
    /// Image on surfaces of this material.
    pub texture: Option<Arc<TextureAsset>>,
    /// Number of repetitions of the image.
    pub repeat: [f64; 2],
    /// Set if the repetitions are per length instead of per object.
    pub uniform: bool,
}

/// An image of a model.
#[derive(Clone, Debug)]
pub struct TextureAsset {
    /// Name in the model.
    pub name: String,
    /// Image file; `None` for a computed image.
    pub file: Option<PathBuf>,
    /// True if the image is projected outwards from the object's centre, alike on all six sides.
    pub is_cube: bool,
    /// Pixels.
    pub image: Arc<Texture>,
}

/// A named place on a body, with a size.
#[derive(Clone, Debug)]
pub struct Site {
    /// Name, unique in the model.
    pub name: Option<String>,
    /// Pose in the frame of the site's body.
    pub body_from_site: Pose,
    /// Geometric form.
    pub form: GeomForm,
    /// MuJoCo's three sizes: half edges of a box, radius and half height of a cylinder or capsule,
    /// half axes of an ellipsoid, radius of a sphere first; m.
    pub size: [f64; 3],
    /// Colour; most sites are invisible.
    pub rgba: [f32; 4],
    /// Source line of the site's element.
    pub place: SourceLine,
}

/// A camera on a body.
#[derive(Clone, Debug)]
pub struct Camera {
    /// Name, unique in the model.
    pub name: Option<String>,
    /// Pose in the frame of the camera's body: z forward, x right, y down in the image.
    pub body_from_camera: Pose,
    /// Vertical field of view, rad.
    pub fov_rad: f64,
    /// Columns and rows, if the model gives them.
    pub size: Option<[u32; 2]>,
    /// Source line of the camera's element.
    pub place: SourceLine,
}

/// Mass, centre of mass and moments of inertia, in the frame of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Mass {
    pub(crate) kg: f64,
    /// Centre of mass, m.
    pub(crate) center: Vector3<f64>,
    /// Moments of inertia about the centre, kg m².
    pub(crate) moments: Matrix3<f64>,
}
