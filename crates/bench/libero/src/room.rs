//! Visuals of a room: floor, walls, furniture without collision, and the table.

use std::sync::Arc;

use regrasp_api::Pose;
use regrasp_mesh::{Mapping, Surface as Drawn, cuboid, cylinder};
use regrasp_mjcf::{Body, Options, scene};
use regrasp_scene::{Texture, Visual, read_texture};

use crate::arena::{Arena, Room, Surface};
use crate::assets::Assets;
use crate::error::LiberoError;

/// Names of images in the rooms' files. LIBERO's code replaces the images of floor and walls.
const FLOOR: &str = "texplane";
const WALL: &str = "tex-wall";
const TABLE: &str = "tex-table";
/// Radius of the legs of box tables, m.
const LEG_RADIUS_M: f64 = 0.025;
/// Distances of the legs from the centre of the table along x and y, m.
const LEGS_M: [f64; 2] = [0.4, 0.5];

impl Assets {
    pub(crate) fn room(&self, arena: &Arena) -> Result<Arc<Room>, LiberoError> {
        self.rooms
            .of(&self.scene(&arena.style), || room(arena, self))
    }
}

/// Reads the visuals of an arena. Returns none if their file does not exist.
///
/// # Errors
///
/// [`LiberoError`] if the file or an image cannot be used.
fn room(arena: &Arena, assets: &Assets) -> Result<Room, LiberoError> {
    let Some(path) = assets.scene_path(&arena.style) else {
        return Ok(Room::default());
    };
    let model = assets.model(&path)?;
    let pieces = scene(&model, &Options::default())?;
    let floor = image(&model.world, FLOOR);
    let is_floor = |visual: &Visual| is_of(visual, floor.as_ref());
    let solid = pieces.objects.iter().flat_map(|object| {
        let placed = object.visuals.iter().cloned().map(|mut visual| {
            visual.frame_from_visual = object.world_from_object * visual.frame_from_visual;
            visual
        });
        placed.collect::<Vec<_>>()
    });
    let mut scenery: Vec<Visual> = solid.filter(|visual| is_floor(visual)).collect();
    scenery.extend(pieces.scenery.iter().cloned());
    let mut room = Room {
        scenery,
        table: vec![],
        _model: Some(Arc::clone(&model)),
    };
    if let Surface::Box { center, .. } = arena.surface
        && arena.workspace == "floor"
    {
        let [x, y, z] = center;
        // The floor is drawn once, as the work surface.
        let floors = room.scenery.extract_if(.., |visual| is_floor(visual));
        room.table = floors.collect();
        for visual in &mut room.table {
            visual.frame_from_visual = Pose::translation(-x, -y, -z) * visual.frame_from_visual;
        }
    } else if let Surface::Box { center, half } = arena.surface {
        let wood = image(&model.world, TABLE);
        room.table = vec![wooden(cuboid(half), Pose::identity(), wood.as_ref())];
        room.scenery.extend(legs(center, half, wood.as_ref()));
    }
    for (old, name) in [(FLOOR, &arena.floor), (WALL, &arena.wall)] {
        let old = image(&model.world, old);
        let Some(new) = replaced(assets, name)? else {
            continue;
        };
        let all = room.scenery.iter_mut().chain(&mut room.table);
        for visual in all.filter(|v| is_of(v, old.as_ref())) {
            visual.texture = Some(Arc::clone(&new));
        }
    }
    Ok(room)
}

fn image(body: &Body, name: &str) -> Option<Arc<Texture>> {
    let own = body.geoms.iter().filter_map(|geom| {
        let texture = geom.material.as_ref()?.texture.as_ref()?;
        (texture.name == name).then(|| Arc::clone(&texture.image))
    });
    let mut own = own;
    own.next()
        .or_else(|| body.bodies.iter().find_map(|inner| image(inner, name)))
}

fn is_of(visual: &Visual, image: Option<&Arc<Texture>>) -> bool {
    let pair = visual.texture.as_ref().zip(image);
    pair.is_some_and(|(own, other)| Arc::ptr_eq(own, other))
}

/// Reads the image that LIBERO's code substitutes for an image of the room's file, if it exists.
fn replaced(assets: &Assets, name: &str) -> Result<Option<Arc<Texture>>, LiberoError> {
    let path = assets.texture(name);
    if !path.is_file() {
        return Ok(None);
    }
    match read_texture(&path) {
        Ok(image) => Ok(Some(Arc::new(image))),
        Err(message) => Err(LiberoError::unreadable(&path, message)),
    }
}

fn wooden(of: Drawn, world_from_form: Pose, wood: Option<&Arc<Texture>>) -> Visual {
    Visual {
        frame_from_visual: world_from_form,
        surface: Arc::new(of.mapped(Mapping::Cube { stretched: true })),
        rgba: [1.0; 4],
        texture: wood.cloned(),
        gloss: 0.06,
    }
}

fn legs(center: [f64; 3], half: [f64; 3], wood: Option<&Arc<Texture>>) -> Vec<Visual> {
    let under = center[2] - half[2];
    let leg = cylinder(LEG_RADIUS_M, 0.5 * under);
    let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let placed = corners.map(|[x, y]| {
        let (x, y) = (center[0] + x * LEGS_M[0], center[1] + y * LEGS_M[1]);
        wooden(leg.clone(), Pose::translation(x, y, 0.5 * under), wood)
    });
    placed.into()
}
