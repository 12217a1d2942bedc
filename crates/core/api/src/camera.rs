//! Cameras: poses, projection and images.

use std::collections::BTreeMap;
use std::ops::Range;

use nalgebra::{Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::{ObjectId, Observation, Percept, PerceptionError, Pose};

/// Pinhole camera without distortion.
///
/// OpenCV's convention: in the Camera frame +z points forward, +x right, +y down. A point projects
/// to `u = fx x / z + cx`, `v = fy y / z + cy`, in pixels, and the *centre* of the upper left pixel
/// is (0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intrinsics {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Focal length along the rows, pixels.
    pub fx: f64,
    /// Focal length along the columns, pixels.
    pub fy: f64,
    /// Column of the optical axis.
    pub cx: f64,
    /// Row of the optical axis.
    pub cy: f64,
}

impl Intrinsics {
    /// Creates a camera with square pixels and a centred optical axis, where `fov_y_rad` is the
    /// angle from the upper to the lower edge of the image.
    pub fn from_vertical_fov(width: u32, height: u32, fov_y_rad: f64) -> Self {
        let f = 0.5 * f64::from(height) / (0.5 * fov_y_rad).tan();
        Self {
            width,
            height,
            fx: f,
            fy: f,
            cx: 0.5 * (f64::from(width) - 1.0),
            cy: 0.5 * (f64::from(height) - 1.0),
        }
    }

    /// Number of pixels.
    pub fn n_pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the point in Camera, m, seen at a pixel at a depth along the optical axis.
    pub fn point_in_camera(&self, u: f64, v: f64, depth_m: f64) -> Point3<f64> {
        let x = (u - self.cx) / self.fx;
        let y = (v - self.cy) / self.fy;
        Point3::new(x * depth_m, y * depth_m, depth_m)
    }

    /// Returns the pixel (column, row) of a point in Camera, inside or outside the image; `None` if
    /// the point is not in front of the camera.
    pub fn project(&self, point_in_camera: &Point3<f64>) -> Option<[f64; 2]> {
        let p = point_in_camera;
        (p.z > 1e-6).then(|| [self.fx * p.x / p.z + self.cx, self.fy * p.y / p.z + self.cy])
    }

    /// Returns a view with another image size and the same vertical angle. A wider image shows more
    /// on both sides.
    pub fn resized(&self, width: u32, height: u32) -> Self {
        let factor = f64::from(height) / f64::from(self.height);
        let same = self.scaled(factor);
        let wider = 0.5 * (f64::from(width) - f64::from(self.width) * factor);
        Self {
            width,
            height,
            cx: same.cx + wider,
            ..same
        }
    }

    /// Returns the same view with `factor` times as many columns and rows.
    pub fn scaled(&self, factor: f64) -> Self {
        // Coordinates count from the first pixel's centre, half a pixel inside the image's edge.
        let moved = |c: f64| (c + 0.5) * factor - 0.5;
        Self {
            width: (f64::from(self.width) * factor).round() as u32,
            height: (f64::from(self.height) * factor).round() as u32,
            fx: self.fx * factor,
            fy: self.fy * factor,
            cx: moved(self.cx),
            cy: moved(self.cy),
        }
    }
}

/// Camera at one instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameraView {
    /// Name of the camera (`scene`, `top`, `wrist`).
    pub name: String,
    /// Projection.
    pub intrinsics: Intrinsics,
    /// Pose in World.
    pub world_from_camera: Pose,
}

impl CameraView {
    /// Returns the point in World, m, seen at a pixel at a depth along the optical axis.
    pub fn point_in_world(&self, u: f64, v: f64, depth_m: f64) -> Point3<f64> {
        self.world_from_camera * self.intrinsics.point_in_camera(u, v, depth_m)
    }

    /// Returns the pixel (column, row) and depth, m, of a point in World; the pixel may lie outside
    /// the image. `None` if the point is behind the camera.
    pub fn project(&self, point_in_world: &Point3<f64>) -> Option<([f64; 2], f64)> {
        let in_camera = self
            .world_from_camera
            .inverse_transform_point(point_in_world);
        let pixel = self.intrinsics.project(&in_camera)?;
        Some((pixel, in_camera.z))
    }
}

/// Image of one camera with a depth sensor at one instant, row by row from the upper left.
#[derive(Clone, Debug, PartialEq)]
pub struct RgbdFrame {
    /// Camera, with its projection and its pose.
    pub view: CameraView,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
    /// Depth of each pixel along the optical axis, m; 0 where none was measured.
    pub depth_m: Vec<f32>,
}

/// Cameras that a robot can look through.
pub trait Cameras: Send {
    /// Returns the names of all cameras.
    fn names(&self) -> Vec<String>;

    /// Takes one picture with each camera.
    ///
    /// # Errors
    ///
    /// [`PerceptionError`] if a camera gives no picture.
    fn look(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError>;

    /// Takes pictures like [`Cameras::look`], but may leave out the colours, which
    /// [`Cameras::colour`] then adds where they are needed: rendering them takes time. Default:
    /// includes the colours.
    ///
    /// # Errors
    ///
    /// [`PerceptionError`] if a camera gives no picture.
    fn measure(&mut self, observation: &Observation) -> Result<Vec<RgbdFrame>, PerceptionError> {
        self.look(observation)
    }

    /// Writes the colours of some pixels of a picture to `rgb`, which has room for all its pixels.
    /// `picture_idx` is its index in the last [`Cameras::measure`]; `pixels` are ranges of pixel
    /// numbers, row by row from the upper left. Default: does nothing.
    fn colour(&mut self, picture_idx: usize, pixels: &[Range<usize>], rgb: &mut [u8]) {
        let _ = (picture_idx, pixels, rgb);
    }
}

/// Returns the pose of a camera at `from` that looks at `to`, with the direction `up` upwards in
/// its image. If the camera looks along `up`, the x axis is upwards instead. All vectors are in one
/// frame, in which the pose is returned. `None` if both points are the same, or if `up` and the
/// view are both along x.
pub fn looking_at(from: &Vector3<f64>, to: &Vector3<f64>, up: &Vector3<f64>) -> Option<Pose> {
    let forward = (to - from).try_normalize(1e-9)?;
    let is_along = forward.cross(up).norm() < 1e-6;
    let up = if is_along { Vector3::x() } else { *up };
    let right = forward.cross(&up).try_normalize(1e-9)?;
    let down = forward.cross(&right);
    let rotation = Rotation3::from_basis_unchecked(&[right, down, forward]);
    Some(Pose::from_parts(
        Translation3::from(*from),
        UnitQuaternion::from_rotation_matrix(&rotation),
    ))
}

/// Picture of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneImage {
    /// Camera that took the picture: name (`scene`, `top`, `wrist`), projection and pose.
    pub view: CameraView,
    /// Picture encoded as PNG.
    pub png: Vec<u8>,
    /// Object for each number drawn in the picture. An object has the same number in all pictures
    /// of one call.
    pub marks: BTreeMap<u32, ObjectId>,
}

/// Source of pictures of the scene. Pictures are taken on request only.
pub trait ImageSource: Send {
    /// Takes pictures of the present scene, in a stable order, with the perceived objects marked.
    ///
    /// # Errors
    ///
    /// [`PerceptionError`] if no picture could be taken.
    fn images(
        &mut self,
        observation: &Observation,
        percept: &Percept,
    ) -> Result<Vec<SceneImage>, PerceptionError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_sees_what_it_looks_at_in_the_middle_and_the_right_way_up() {
        let (from, to) = (Vector3::new(1.2, -0.4, 0.9), Vector3::new(0.4, 0.1, 0.05));
        let world_from_camera = looking_at(&from, &to, &Vector3::z()).expect("two points");
        let view = CameraView {
            name: "scene".into(),
            intrinsics: Intrinsics::from_vertical_fov(640, 480, 0.8),
            world_from_camera,
        };
        let (pixel, depth_m) = view.project(&to.into()).expect("in front");
        assert!((pixel[0] - 319.5).abs() < 1e-9 && (pixel[1] - 239.5).abs() < 1e-9);
        assert!((depth_m - (to - from).norm()).abs() < 1e-12);
        let higher = to + Vector3::z() * 0.1;
        let (above, _) = view.project(&higher.into()).expect("in front");
        assert!(above[1] < pixel[1], "a higher point is lower in the image");
        let back = view.point_in_world(pixel[0], pixel[1], depth_m);
        assert!((back.coords - to).norm() < 1e-9);
    }

    #[test]
    fn a_camera_that_looks_straight_down_has_forward_upwards_and_left_on_the_left() {
        let from = Vector3::new(0.4, 0.0, 1.0);
        let down = looking_at(&from, &Vector3::new(0.4, 0.0, 0.0), &Vector3::z());
        let down = down.expect("two points");
        let view = CameraView {
            name: "top".into(),
            intrinsics: Intrinsics::from_vertical_fov(64, 48, 1.0),
            world_from_camera: down,
        };
        let ([u, v], _) = view.project(&Point3::new(0.5, 0.1, 0.0)).expect("seen");
        assert!(
            v < 23.5 && u < 31.5,
            "a point ahead on the left is at column {u}, row {v}, not in the upper left"
        );
    }

    #[test]
    fn the_edge_of_the_view_stays_when_it_is_scaled() {
        let small = Intrinsics::from_vertical_fov(64, 48, 0.7);
        let large = small.scaled(3.0);
        let edge = |i: &Intrinsics| (f64::from(i.height) - 0.5 - i.cy) / i.fy;
        assert!((edge(&small) - edge(&large)).abs() < 1e-12);
        assert!((edge(&small) - 0.35_f64.tan()).abs() < 1e-12);
    }
}
