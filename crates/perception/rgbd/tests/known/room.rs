//! A table with objects, two cameras above it, and models for the tests.

use std::sync::{Arc, Mutex};

use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp_api::{
    Aabb, CameraView, Cameras, Intrinsics, JointKind, JointRole, ObjectJoint, Observation, Part,
    PerceivedObject, Percept, Perception, PerceptionError, Pose, RgbdFrame, Shape, looking_at,
};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_render::{Body, Image, Look, Mesh, RobotLooks, SoftwareRenderer, Stage};
use regrasp_rgbd_perception::{
    Catalogue, Model, ModelJoint, ModelSurface, OwnBody, RgbdOptions, RgbdPerception,
};
use regrasp_testkit::{cuboid, fixed, observation, thing};

/// Height of the table, m.
pub(crate) const TABLE_Z: f64 = 0.1;

/// Objects on the table: their models, poses and openings.
pub(crate) type Things = Vec<(Arc<Model>, Pose, f64)>;

/// A room whose objects can be exchanged between looks.
#[derive(Clone, Default)]
pub(crate) struct Room {
    things: Arc<Mutex<Things>>,
    /// Standard deviation of depth at 1 m, m.
    noise_m: f64,
}

impl Room {
    pub(crate) fn new(things: Things) -> Self {
        let room = Self::default();
        room.set(things);
        room
    }

    pub(crate) fn noisy(self, noise_m: f64) -> Self {
        Self { noise_m, ..self }
    }

    pub(crate) fn set(&self, things: Things) {
        *self.things.lock().expect("no panic") = things;
    }

    fn stage(&self) -> Stage {
        let mut stage = Stage::default();
        let table = Mesh::from_shape(&cuboid([0.5, 0.6, 0.05]));
        let mut add = |mesh: &Arc<Mesh>, look: Look, world_from_body: Pose| {
            stage.bodies.push(Body {
                instance: 1,
                mesh: Arc::clone(mesh),
                look,
                world_from_body,
            });
        };
        let table_look = Look::plain([0.55, 0.57, 0.6]);
        let at = Pose::translation(0.4, 0.0, TABLE_Z - 0.05);
        add(&Arc::new(table), table_look, at);
        for (model, world_from_base, opening) in &*self.things.lock().expect("no panic") {
            for (object, surfaces) in model.objects.iter().zip(&model.surfaces) {
                let joint = model.joints.iter().find(|j| j.joint.child == object.id);
                let here = object.world_from_object;
                let here = joint.map_or(here, |j| j.joint.carried(&here, *opening));
                for surface in surfaces {
                    let pose = world_from_base * here * surface.object_from_surface;
                    add(&surface.mesh, surface.look, pose);
                }
            }
        }
        stage
    }

    /// Makes a perception whose catalogue has these models.
    pub(crate) fn perception(&self, models: &[Arc<Model>]) -> RgbdPerception {
        let urdf = r#"<robot name="post"><link name="arm"><visual><origin xyz="-0.5 0 0.2"/>
            <geometry><box size="0.05 0.05 0.1"/></geometry></visual></link></robot>"#;
        let robot = RobotModel::from_urdf_str(urdf, "", &MeshSearch::default());
        let looks = RobotLooks::new(&robot.expect("a robot"), "arm", &[], &[], 0.0);
        let body = OwnBody::new(looks.expect("its looks"), "arm").expect("its link");
        let options = RgbdOptions {
            workspace: Aabb::new([-0.2, -0.7, -0.1], [1.0, 0.7, 0.8]),
            seed: 1,
            latency_secs: 0.0,
        };
        let models = models.iter().map(|m| Model::clone(m)).collect();
        RgbdPerception::new(Box::new(self.clone()), body, options)
            .knowing(Arc::new(Catalogue::new(models)))
    }

    /// Percept of the first look.
    pub(crate) fn percept(&self, models: &[Arc<Model>]) -> Percept {
        look(&mut self.perception(models), 1.0)
    }
}

pub(crate) fn look(perception: &mut RgbdPerception, time_secs: f64) -> Percept {
    let now = Observation {
        time_secs,
        joint_positions: vec![],
        ..observation()
    };
    perception.perceive(&now).expect("a percept")
}

impl Cameras for Room {
    fn names(&self) -> Vec<String> {
        vec!["front".into(), "top".into()]
    }

    fn look(&mut self, observed: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        let target = Vector3::new(0.4, 0.0, TABLE_Z);
        let eyes = [("front", [1.3, 0.15, 0.85]), ("top", [0.15, -0.25, 0.7])];
        let views = eyes.map(|(name, eye)| CameraView {
            name: name.into(),
            intrinsics: Intrinsics::from_vertical_fov(256, 256, 0.8),
            world_from_camera: looking_at(&eye.into(), &target, &Vector3::z()).expect("apart"),
        });
        let pictures = SoftwareRenderer::default().render(&self.stage(), &views);
        let mut rng = ChaCha8Rng::seed_from_u64(observed.time_secs.to_bits());
        let frames = pictures.into_iter().map(|picture| {
            let mut frame = picture.into_frame();
            for depth in &mut frame.depth_m {
                // A sum of uniform numbers is nearly normal.
                let drawn = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                let square = f64::from(*depth * *depth);
                *depth += (self.noise_m * drawn * square) as f32;
            }
            frame
        });
        Ok(frames.collect())
    }
}

/// A model of one box with a picture on its sides; `paint` gives the colour at (0..1, 0..1).
pub(crate) fn boxed(name: &str, half: [f64; 3], paint: impl Fn(f32, f32) -> [u8; 3]) -> Arc<Model> {
    const PIXELS: u32 = 64;
    let part = |i: u32| (i as f32 + 0.5) / PIXELS as f32;
    let pixels = (0..PIXELS * PIXELS).flat_map(|i| paint(part(i % PIXELS), part(i / PIXELS)));
    let pixels: Vec<u8> = pixels.collect();
    let image = Image::new(PIXELS, PIXELS, &pixels, [1.0; 3]).expect("as many as pixels");
    let (mut positions, mut normals, mut texcoords) = (vec![], vec![], vec![]);
    let mut triangles = vec![];
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let first = positions.len() as u32;
            for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut at = [0.0; 3];
                at[axis] = sign;
                at[(axis + 1) % 3] = s * sign;
                at[(axis + 2) % 3] = t;
                positions.push([0, 1, 2].map(|i| (at[i] * half[i]) as f32));
                normals.push([0, 1, 2].map(|i| if i == axis { sign as f32 } else { 0.0 }));
                texcoords.push([0.5 + 0.5 * s as f32, 0.5 - 0.5 * t as f32]);
            }
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    let mesh = Mesh::with_normals(positions, normals, &triangles);
    let mesh = mesh.covered(texcoords, Arc::new(image));
    let object = thing(name, "box", cuboid(half), [0.0; 3]);
    model(name, vec![(object, mesh, [0.5; 3])], vec![])
}

pub(crate) fn plain(name: &str, shape: Shape, rgb: [f32; 3]) -> Arc<Model> {
    let mesh = Mesh::from_shape(&shape);
    let object = thing(name, name, shape, [0.0; 3]);
    model(name, vec![(object, mesh, rgb)], vec![])
}

fn model(
    name: &str,
    parts: Vec<(PerceivedObject, Mesh, [f32; 3])>,
    joints: Vec<ModelJoint>,
) -> Arc<Model> {
    let parts = parts.into_iter().map(|(object, mesh, rgb)| {
        let surface = ModelSurface {
            object_from_surface: Pose::identity(),
            mesh: Arc::new(mesh),
            look: Look::plain(rgb),
        };
        (object, vec![surface])
    });
    let (objects, surfaces) = parts.unzip();
    Arc::new(Model {
        name: name.into(),
        objects,
        joints,
        known: vec![],
        ports: vec![],
        surfaces,
    })
}

/// Five boards around a hollow that is open at the side `open`: an axis and the sign of its side.
fn tray([x, y, z]: [f64; 3], (axis, side): (usize, f64)) -> Shape {
    const BOARD_M: f64 = 0.005;
    let half = [x, y, z];
    let sides = (0..3).flat_map(|a| [-1.0, 1.0].map(|s| (a, s)));
    let boards = sides.filter(|board| *board != (axis, side)).map(|(a, s)| {
        let mut at = Vector3::zeros();
        at[a] = s * (half[a] - BOARD_M);
        let board = [0, 1, 2].map(|i| if i == a { BOARD_M } else { half[i] });
        Part::new(Pose::translation(at.x, at.y, at.z), cuboid(board))
    });
    Shape::compound(boards)
}

/// A chest, open to its -x side, with a drawer that slides out there.
pub(crate) fn chest() -> Arc<Model> {
    let shell = tray([0.1, 0.09, 0.06], (0, -1.0));
    let drawer = tray([0.09, 0.078, 0.04], (2, 1.0));
    let slide = ObjectJoint {
        id: "chest_slide".into(),
        parent: "chest".into(),
        child: "chest_drawer".into(),
        kind: JointKind::Prismatic,
        axis_in_world: [-1.0, 0.0, 0.0],
        point_in_world: [0.0; 3],
        opening: 0.0,
        opening_std: 0.0,
        travel: 0.15,
        position: 0.0,
        role: JointRole::Opens,
        open_from: None,
        closed_up_to: None,
        handle: None,
        presses: None,
    };
    let [of_shell, of_drawer] = [&shell, &drawer].map(Mesh::from_shape);
    let shell = fixed("chest", "chest", shell, [0.0; 3]);
    let drawer = thing("chest_drawer", "drawer", drawer, [-0.01, 0.0, 0.0]);
    let parts = vec![
        (shell, of_shell, [0.4, 0.25, 0.12]),
        (drawer, of_drawer, [0.8, 0.75, 0.6]),
    ];
    let joint = ModelJoint {
        joint: slide,
        openings: [0.0, 0.15],
        position_per_opening: 1.0,
    };
    model("chest", parts, vec![joint])
}
