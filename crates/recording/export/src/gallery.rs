//! Contact sheets: the initial states of tasks in one picture.

use nalgebra::{Point3, Vector3};
use regrasp::{LoadedRobot, SceneView};
use regrasp_api::{Aabb, CameraView, Intrinsics, Pose};
use regrasp_ground_truth::GroundTruth;
use regrasp_ground_truth_perception::NoiseOptions;
use regrasp_render::{Detail, Ink, Letters, SoftwareRenderer};
use regrasp_scene::{Scene, TaskInstance};
use regrasp_sim::SimOptions;

use crate::ExportError;
use crate::sheet::{GAP, PAPER, PLAIN, Sheet, n_chars, wrapped};

/// Options of a gallery.
#[derive(Clone, Debug, PartialEq, smart_default::SmartDefault)]
pub struct GalleryOptions {
    /// Name of a camera that every scene has. With `None`, the default, a camera is placed such
    /// that all objects are in the picture.
    pub camera: Option<String>,
    /// Width and height of each picture in pixels. Default 400 x 300.
    #[default([400, 300])]
    pub size: [u32; 2],
    /// Maximum number of pictures per row. Default 6.
    #[default(6)]
    pub columns: usize,
}

/// Captioned pictures, arranged in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Gallery {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// RGB values, row by row.
    pub rgb: Vec<u8>,
}

/// Font sizes of the name and the text below, as fractions of a picture's width.
const NAME_PART: f32 = 1.0 / 21.0;
const TEXT_PART: f32 = 1.0 / 28.0;
const TEXT_LINES: usize = 2;
const DIM: Ink = Ink {
    letters: [158, 168, 182],
    band: PAPER,
    opacity: 255,
};

/// Direction from the objects to the overview camera, in Base: to the robot's right, back towards
/// the robot, and up. From there, shelves, drawers and both sides of a wall are visible.
const FROM: [f64; 3] = [-0.5, -0.8, 0.68];
const FOV_RAD: f64 = 0.55;
/// Ratio of the visible extent to the extent of the objects, for a margin.
const AROUND: f64 = 1.05;
/// Minimum visible distance around the centre of all objects, m. It leaves space to see the hand.
const LEAST_M: f64 = 0.1;
/// Visible length of the hand behind the tool point, m.
const HAND_M: f64 = 0.12;

/// Renders the initial state of each task, with its name and prompt.
///
/// # Errors
///
/// [`ExportError`] if a scene cannot be set up or has no such camera.
pub fn gallery(
    loaded: &LoadedRobot,
    tasks: &[TaskInstance],
    options: &GalleryOptions,
) -> Result<Gallery, ExportError> {
    let captions = Letters::new()?;
    let mut renderer = SoftwareRenderer::new(Detail::Fine);
    let [width, _] = options.size;
    let name_size = (NAME_PART * width as f32).max(10.0);
    let text_size = (TEXT_PART * width as f32).max(8.0);
    let text_rows = Sheet::rows_of(&[
        Letters::height(1, name_size),
        Letters::height(TEXT_LINES, text_size),
    ]);
    let mut sheet = Sheet::new(options.size, text_rows, options.columns, tasks.len(), GAP);
    for (idx, task) in tasks.iter().enumerate() {
        let name = captions.caption(&[&task.name], width as usize, name_size);
        let text = prompt(&task.prompt, n_chars(width, text_size));
        let text = captions.caption(&text, width as usize, text_size);
        let rgb = picture(loaded, &task.scene, options, &mut renderer)?;
        sheet.put(idx, &rgb, &[(name, PLAIN), (text, DIM)]);
    }
    Ok(Gallery {
        width: sheet.width as u32,
        height: sheet.height as u32,
        rgb: sheet.rgb,
    })
}

fn prompt(text: &str, n_chars: usize) -> Vec<String> {
    let mut lines = wrapped(text, n_chars);
    if lines.len() > TEXT_LINES {
        lines.truncate(TEXT_LINES);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines.resize(TEXT_LINES, String::new());
    lines
}

fn picture(
    loaded: &LoadedRobot,
    scene: &Scene,
    options: &GalleryOptions,
    renderer: &mut SoftwareRenderer,
) -> Result<Vec<u8>, ExportError> {
    let view = SceneView::new(loaded, scene)?;
    let cell = loaded.cell(scene, SimOptions::default(), NoiseOptions::default())?;
    let truth = cell.sim()?.truth.truth();
    let [width, height] = options.size;
    let camera = match &options.camera {
        None => overview(scene, &truth, options.size),
        Some(name) => {
            let mut camera = view.view(name, &truth.joint_positions, truth.gripper_width_m)?;
            camera.intrinsics = camera.intrinsics.resized(width, height);
            camera
        }
    };
    let mut pictures = renderer.render(&view.stage(&truth), &[camera]);
    let picture = pictures.pop().map(|picture| picture.rgb);
    Ok(picture.unwrap_or_default())
}

/// Camera placed as close as possible to the objects while it sees all of them. Large objects are
/// ignored.
fn overview(scene: &Scene, truth: &GroundTruth, [width, height]: [u32; 2]) -> CameraView {
    let intrinsics = Intrinsics::from_vertical_fov(width, height, FOV_RAD);
    let points = corners_to_see(truth);
    let back = scene.world_from_base.rotation * Vector3::from(FROM).normalize();
    let right = Vector3::z().cross(&back).normalize();
    let down = right.cross(&back);
    // Axes of the camera, which looks along `-back`, and coordinates along them from the origin of
    // World.
    let axes = nalgebra::Matrix3::from_columns(&[right, down, -back]);
    let seen = points.iter().map(|p| axes.transpose() * p.coords);
    let seen: Vec<Vector3<f64>> = seen.collect();
    let half = [width, height].map(|pixels| 0.5 * f64::from(pixels));
    let slope = [half[0] / intrinsics.fx, half[1] / intrinsics.fy];
    // A point (x, z) is in the view of a camera at (c, d) if |x - c| <= slope (z - d). The closest
    // camera has the outermost point of each side on the border of the view.
    let mut middle = [0.0; 2];
    let mut furthest_back = f64::INFINITY;
    for (i, slope) in slope.into_iter().enumerate() {
        let slope = slope / AROUND;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in &seen {
            low = low.min(p[i] + slope * p.z);
            high = high.max(p[i] - slope * p.z);
        }
        middle[i] = 0.5 * (low + high);
        furthest_back = furthest_back.min((low - high) / (2.0 * slope));
    }
    let eye = right * middle[0] + down * middle[1] - back * furthest_back;
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(axes);
    let rotation = nalgebra::UnitQuaternion::from_rotation_matrix(&rotation);
    CameraView {
        name: "overview".into(),
        intrinsics,
        world_from_camera: Pose::from_parts(eye.into(), rotation),
    }
}

fn corners_to_see(truth: &GroundTruth) -> Vec<Point3<f64>> {
    // Wider objects are supports such as tables.
    const LARGE_M: f64 = 1.0;
    let objects = truth.objects.iter();
    let boxes = objects.map(|o| o.shape.aabb(&o.world_from_object));
    let objects = boxes.filter(|b| b.size().x.max(b.size().y) < LARGE_M);
    let mut all: Vec<Point3<f64>> = objects.flat_map(|b| corners(&b)).collect();
    if all.is_empty() {
        let tool = truth.world_from_tool.translation.vector.into();
        return corners(&around(tool)).to_vec();
    }
    let bounds = Aabb::around(all.iter().map(|p| p.coords.into()));
    let mut middle = bounds.center();
    middle.z = bounds.min[2] + LEAST_M;
    all.extend(corners(&around(middle)));
    // Hand from the tool point towards the flange.
    let tool = truth.world_from_tool;
    all.push(tool * Point3::new(0.0, 0.0, -HAND_M));
    all.push(tool * Point3::origin());
    all
}

fn around(p: Point3<f64>) -> Aabb {
    Aabb {
        min: [0, 1, 2].map(|i| p[i] - LEAST_M),
        max: [0, 1, 2].map(|i| p[i] + LEAST_M),
    }
}

fn corners(b: &Aabb) -> [Point3<f64>; 8] {
    let ends = [b.min, b.max];
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| Point3::from([0, 1, 2].map(|axis| ends[i >> axis & 1][axis])))
}
