//! Spheres of robots that were found before, in the user's cache folder.

use parry3d_f64::math::Vector;
use regrasp_cache::{Key, kept_or};

use super::cover::Cover;
use crate::collision::{LinkSolid, RobotGeometry};

/// To be raised whenever the same shapes are covered in another way than before.
const VERSION: u32 = 2;

/// Centre, radius and inner radius, m.
type Numbers = [f64; 5];

/// The spheres of each solid: as they were kept, or as `find` finds them.
pub(super) fn or(
    geometry: &RobotGeometry,
    solids: &[(&LinkSolid, bool)],
    find: impl FnOnce() -> Vec<Vec<Cover>>,
) -> Vec<Vec<Cover>> {
    let folder = regrasp_cache::folder();
    let is_sound = |kept: &Vec<Vec<Numbers>>| {
        let all = || kept.iter().flatten().flatten();
        kept.len() == solids.len() && all().all(|x| x.is_finite())
    };
    let key = key(geometry, solids);
    let find = || -> Result<Vec<Vec<Numbers>>, std::convert::Infallible> {
        let numbers = |s: &Cover| [s.centre.x, s.centre.y, s.centre.z, s.radius, s.inner];
        let solid = |spheres: Vec<Cover>| spheres.iter().map(numbers).collect();
        Ok(find().into_iter().map(solid).collect())
    };
    let Ok(kept) = kept_or(folder.as_deref(), "spheres", &key, is_sound, find);
    let cover = |[x, y, z, radius, inner]: Numbers| Cover {
        centre: Vector::new(x, y, z),
        radius,
        inner,
    };
    let solid = |spheres: Vec<Numbers>| spheres.into_iter().map(cover).collect();
    kept.into_iter().map(solid).collect()
}

/// Of every shape and where it sits, to the last bit: that is how numbers are written here.
fn key(geometry: &RobotGeometry, solids: &[(&LinkSolid, bool)]) -> Key {
    let mut key = Key::new("spheres of a robot", VERSION);
    for link in geometry.model().links() {
        for collision in &link.collisions {
            key.text(&format!("{:?}", collision.geometry));
        }
    }
    for (solid, moves) in solids {
        key.indices([solid.link_idx as u32, u32::from(*moves)]);
        key.text(&format!("{:?}", solid.link_from_solid));
    }
    key
}
