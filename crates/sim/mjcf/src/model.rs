//! A model as plain values: classes are applied, files are read, angles are radians.

use std::path::PathBuf;
use std::sync::Arc;

use regrasp_api::{Pose, Shape};
use regrasp_mesh::Surface;
use regrasp_scene::Texture;

use crate::{Ledger, SourceLine};

/// A model file, and all that it names.
#[derive(Clone, Debug)]
pub struct Model {
    /// The file.
    pub path: PathBuf,
    /// The model's name; empty if it has none.
    pub name: String,
    /// The world, with everything in it.
    pub world: Body,
    /// Of which groups geoms count for a body's mass: the first and the last of them.
    pub inertia_groups: [i64; 2],
    /// What becomes of `<inertial>`.
    pub inertia_from: InertiaFrom,
    /// Everything that drives its parts, or ties them to each other.
    pub couplings: Vec<Coupling>,
    /// What became of everything in the file.
    pub ledger: Ledger,
}

/// An actuator, a tendon or a constraint.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    /// Its element, such as `actuator motor`.
    pub what: String,
    /// It drives what it is on.
    pub drives: bool,
    /// The joints, sites and bodies that it is on.
    pub parts: [Vec<String>; 3],
    /// Two joints that it gears to each other.
    pub gear: Option<Gearing>,
    /// Line of its element.
    pub place: Option<SourceLine>,
}

/// Two joints of which one follows the other, counted from where the model begins.
#[derive(Clone, Debug)]
pub struct Gearing {
    /// The one that follows, and the one that it follows.
    pub joints: [String; 2],
    /// What the position of the other is multiplied by.
    pub ratio: f64,
    /// What is added to that, m or rad.
    pub offset: f64,
}

/// Where the mass of bodies is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InertiaFrom {
    /// As `<inertial>` says, else from the geoms.
    Auto,
    /// From the geoms.
    Geoms,
    /// As `<inertial>` says.
    Inertial,
}

/// A body, and the bodies that hang on it.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique in the model, if it has one.
    pub name: Option<String>,
    /// Where it is on the body around it.
    pub parent_from_body: Pose,
    /// Its mass, if it is told.
    pub inertial: Option<Inertial>,
    /// How it moves on the body around it; not at all without any.
    pub joints: Vec<Joint>,
    /// What it is made of and looks like.
    pub geoms: Vec<Geom>,
    /// Its places.
    pub sites: Vec<Site>,
    /// What sees from it.
    pub cameras: Vec<Camera>,
    /// What hangs on it.
    pub bodies: Vec<Body>,
    /// Where it stands.
    pub place: SourceLine,
}

impl Body {
    /// The joints about or along an axis.
    pub(crate) fn jointed(&self) -> impl Iterator<Item = &Joint> {
        self.joints.iter().filter(|joint| joint.is_kept())
    }
}

/// The mass of a body as a model tells it.
#[derive(Clone, Debug)]
pub struct Inertial {
    /// Where the centre of mass is, turned so that the moments are about its axes.
    pub body_from_center: Pose,
    /// kg.
    pub mass_kg: f64,
    /// Moments of inertia, kg m²: the rows of a symmetric matrix.
    pub moments: [[f64; 3]; 3],
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Turns about its axis.
    Hinge,
    /// Slides along its axis.
    Slide,
    /// Turns about a point.
    Ball,
    /// As it likes.
    Free,
}

/// A joint of a body with the body around it.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Unique in the model, if it has one.
    pub name: Option<String>,
    /// How it moves.
    pub motion: Motion,
    /// A point of the axis in the body's frame, m.
    pub position: [f64; 3],
    /// The axis in the body's frame, of unit length.
    pub axis: [f64; 3],
    /// Smallest and largest position, m or rad; `None` without limits.
    pub range: Option<[f64; 2]>,
    /// The position in which the body stands as the file places it, m or rad.
    pub reference: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
    /// N or N m.
    pub friction: f64,
    /// Added inertia, kg or kg m².
    pub armature: f64,
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// The position at which the spring is slack, m or rad.
    pub slack_at: f64,
    /// Where it stands.
    pub place: SourceLine,
}

impl Joint {
    /// Returns true if it is about or along an axis.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self.motion, Motion::Hinge | Motion::Slide)
    }
}

/// A solid or drawn part of a body.
#[derive(Clone, Debug)]
pub struct Geom {
    /// Unique in the model, if it has one.
    pub name: Option<String>,
    /// Where it is on its body.
    pub body_from_geom: Pose,
    /// Its form.
    pub form: GeomForm,
    /// Its group, by which MuJoCo shows and hides.
    pub group: i64,
    /// `contype` and `conaffinity`: of two geoms that touch, one has a bit of its first number in the
    /// other's second.
    pub touches: [i64; 2],
    /// kg; `None` if it follows from the density.
    pub mass_kg: Option<f64>,
    /// kg/m³; kg/m² of a shell.
    pub density: f64,
    /// Its mass is on its surface.
    pub is_shell: bool,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Its own colour, else that of its material.
    pub rgba: [f32; 4],
    /// What it is covered with.
    pub material: Option<Arc<Material>>,
    /// Where it stands.
    pub place: SourceLine,
}

impl Body {
    /// Returns true if it has a joint, or something that hangs on it has.
    pub(crate) fn moves(&self) -> bool {
        !self.joints.is_empty() || self.bodies.iter().any(Self::moves)
    }
}

impl Geom {
    /// Returns true if anything can touch it.
    pub fn is_solid(&self) -> bool {
        self.touches != [0, 0]
    }

    /// Returns true if the two can touch each other in MuJoCo.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let meet = |a: &Self, b: &Self| a.touches[0] & b.touches[1] != 0;
        meet(self, other) || meet(other, self)
    }
}

/// The form of a geom; lengths in metres.
#[derive(Clone, Debug)]
pub enum GeomForm {
    /// A plane without end, of which this much is drawn: half along x and y.
    Plane {
        /// 0 for all of it.
        half: [f64; 2],
    },
    /// A box, ball, cylinder or capsule.
    Solid(Shape),
    /// A stretched ball.
    Ellipsoid {
        /// Half axes.
        radii: [f64; 3],
    },
    /// A mesh; what touches it touches its convex hull.
    Mesh(Arc<MeshAsset>),
}

impl GeomForm {
    /// The form of a kind that is no mesh's, of a size as MuJoCo writes it.
    pub(crate) fn of(kind: &str, size: [f64; 3]) -> Option<Self> {
        let [radius, half_height, _] = size;
        Some(match kind {
            "plane" => Self::Plane {
                half: [size[0], size[1]],
            },
            "ellipsoid" => Self::Ellipsoid { radii: size },
            "sphere" => Self::Solid(Shape::Sphere { radius }),
            "capsule" => Self::Solid(Shape::Capsule {
                radius,
                half_height,
            }),
            "cylinder" => Self::Solid(Shape::Cylinder {
                radius,
                half_height,
            }),
            "box" => Self::Solid(Shape::Box { half_extents: size }),
            _ => return None,
        })
    }
}

/// A mesh.
#[derive(Clone, Debug)]
pub struct MeshAsset {
    /// Its name in the model.
    pub name: String,
    /// The file that has it, if it lies there as in the model.
    pub file: Option<PathBuf>,
    /// What the lengths of the file are multiplied by.
    pub scale: [f64; 3],
    /// Its triangles in metres.
    pub surface: Arc<Surface>,
    /// Distribution of its mass.
    pub inertia: MeshInertia,
}

/// Distribution of the mass of a mesh, as MuJoCo calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshInertia {
    /// Between the faces and their common middle, nothing of which counts as negative.
    Legacy,
    /// Inside.
    Exact,
    /// Inside the convex hull.
    Convex,
    /// On the faces.
    Shell,
}

/// What covers a geom.
#[derive(Clone, Debug)]
pub struct Material {
    /// Its name in the model.
    pub name: String,
    /// Its colour, which tints its image.
    pub rgba: [f32; 4],
    /// How bright its highlight is, 0 to 1.
    pub specular: f64,
    /// The image on it.
    pub texture: Option<Arc<TextureAsset>>,
    /// How often the image is repeated.
    pub repeat: [f64; 2],
    /// By length instead of by object.
    pub uniform: bool,
}

/// An image of a model.
#[derive(Clone, Debug)]
pub struct TextureAsset {
    /// Its name in the model.
    pub name: String,
    /// The file, unless the image is computed.
    pub file: Option<PathBuf>,
    /// True if it is seen from a middle outwards, the same on all six sides.
    pub is_cube: bool,
    /// Its pixels.
    pub image: Arc<Texture>,
}

/// A place of a body, with a size.
#[derive(Clone, Debug)]
pub struct Site {
    /// Unique in the model, if it has one.
    pub name: Option<String>,
    /// Where it is on its body.
    pub body_from_site: Pose,
    /// Its form.
    pub form: GeomForm,
    /// Its size as MuJoCo keeps it: half edges of a box, radius and half height of a cylinder
    /// or capsule, half axes of an ellipsoid, the radius of a ball first; m.
    pub size: [f64; 3],
    /// Its colour; most are not to be seen.
    pub rgba: [f32; 4],
    /// Where it stands.
    pub place: SourceLine,
}

/// What sees from a body.
#[derive(Clone, Debug)]
pub struct Camera {
    /// Unique in the model, if it has one.
    pub name: Option<String>,
    /// Where it is on its body: looking along z, with x to the right and y down in the image.
    pub body_from_camera: Pose,
    /// From the upper to the lower edge of the image, rad.
    pub fov_rad: f64,
    /// Columns and rows, if the model says so.
    pub size: Option<[u32; 2]>,
    /// Where it stands.
    pub place: SourceLine,
}
