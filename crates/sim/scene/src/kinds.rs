//! The kinds of objects of a scene file.

use regrasp_api::{HeightField, JointKind, ObjectId, Part, Pose, Shape, solids};

use crate::defs::Solid;
use crate::fields::{Field, Fields, Sign};
use crate::keys::{bad_shape, from_file};
use crate::source::Source;
use crate::yaml::Value;
use crate::{Problem, Result, SceneJoint, Spring, formats, keys, mesh, shapes};

#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// One rigid body.
    Solid(Solid),
    /// A table; `center_z` is the height of its origin that puts the top where the file says, m.
    Table { shape: Shape, center_z: f64 },
    /// A fixed housing, and the part that slides in it.
    Housed(Box<Housed>),
    /// The base of an object whose other bodies move on joints.
    Articulated(Solid),
}

/// A fixed housing `<id>_<category>`, and the part that slides in it, which has the object's id.
#[derive(Debug, Clone)]
pub(crate) struct Housed {
    pub(crate) kind: &'static str,
    pub(crate) moving: Shape,
    pub(crate) category: &'static str,
    pub(crate) housing: Shape,
    pub(crate) housing_from_moving: Pose,
    /// The joint, still without parent and child; its id lacks the prefix of the object.
    pub(crate) joint: SceneJoint,
}

/// A slide on which a part travels in its housing.
fn slide(word: &str, axis: [f64; 3], travel_m: f64) -> SceneJoint {
    let ends = [ObjectId::new(""), ObjectId::new("")];
    let range = [0.0, travel_m];
    SceneJoint::new(ObjectId::new(word), ends, JointKind::Prismatic, axis, range)
}

pub(crate) fn body(kind: &str, object: &Fields<'_>, source: &Source) -> Result<Body> {
    let shape = match kind {
        "box" | "cube" | "block" => Shape::cuboid(half_extents(object)?),
        "sphere" | "ball" => Shape::Sphere {
            radius: object.number("radius", Sign::Length)?,
        },
        "cylinder" => Shape::cylinder(
            object.number("radius", Sign::Length)?,
            0.5 * object.number("height", Sign::Length)?,
        ),
        "capsule" => capsule(object)?,
        "convex" => return convex(object, source).map(Body::Solid),
        "decomposition" => return mesh::decomposition(object, source).map(Body::Solid),
        "mug" => mug(object)?,
        "bowl" => {
            let radius = object.number("radius", Sign::Length)?;
            let height = object.number("height", Sign::Length)?;
            solids::bowl(radius, height, wall(object, 0.25 * radius.min(height))?)
        }
        "tray" => {
            let size = object.need("size")?.array::<2>(Sign::Length)?;
            let height = object.number("height", Sign::Length)?;
            let thickest = 0.25 * size[0].min(size[1]).min(2.0 * height);
            solids::tray(size, height, wall(object, thickest)?)
        }
        "plate" => solids::plate(
            object.number("radius", Sign::Length)?,
            object.number_or("thickness", Sign::Length, 0.008)?,
            object.number_or("rim", Sign::NotNegative, 0.0)?.min(1.0),
        ),
        "height_field" => height_field(object, source)?,
        "point_cloud" => point_cloud(object, source)?,
        "compound" => return compound(object, source).map(Body::Solid),
        "articulated" => return compound(object, source).map(Body::Articulated),
        "mesh" => return mesh::object(object, source).map(Body::Solid),
        "extrusion" => return mesh::extrusion(object).map(Body::Solid),
        "lathe" => return mesh::lathe(object).map(Body::Solid),
        "torus" => return mesh::torus(object).map(Body::Solid),
        "table" => return table(object),
        "button" => return button(object),
        _ => return drawer(object),
    };
    Ok(Body::Solid(shape.into()))
}

/// Reads a compound. Its surface is a mesh if every part has one.
pub(crate) fn compound(object: &Fields<'_>, source: &Source) -> Result<Solid> {
    let field = object.need("parts")?;
    let (mut parts, mut surfaces, mut n) = (vec![], vec![], 0);
    for item in field.items()? {
        let (object_from_part, body) = part(&item, source)?;
        n += 1;
        let Body::Solid(own) = body else { continue };
        match own.mesh {
            None => parts.push(Part::new(object_from_part, own.shape)),
            Some(mesh) => {
                parts.extend(pieces(object_from_part, own.shape));
                surfaces.push((object_from_part, mesh));
            }
        }
    }
    if parts.is_empty() {
        return Err(field.not_allowed("empty", "a list of at least one part"));
    }
    if surfaces.len() < n {
        return Ok(Shape::Compound { parts }.into());
    }
    mesh::joined(&field, &surfaces, parts)
}

/// Splits a part into convex parts in the frame of the object.
fn pieces(object_from_part: Pose, shape: Shape) -> Vec<Part> {
    let inner = match shape {
        Shape::Compound { parts } => parts,
        shape => vec![Part::new(Pose::identity(), shape)],
    };
    let placed = |part: Part| Part {
        object_from_part: object_from_part * part.object_from_part,
        shape: part.shape,
    };
    inner.into_iter().map(placed).collect()
}

fn part(item: &Field<'_>, source: &Source) -> Result<(Pose, Body)> {
    let entries: Vec<Field<'_>> = item.entries()?.collect();
    let kind = entries.iter().find(|entry| entry.key == "kind");
    let kind = kind.map(Field::text).transpose()?.unwrap_or("box");
    let known = formats::part_kinds();
    if !known.contains(&kind) {
        let known = known.iter().copied();
        return Err(item.error(Problem::unknown_word("kind of part", kind, known)));
    }
    let own = formats::kinds().iter().find(|known| known.name == kind);
    let own = own.into_iter().flat_map(|known| &known.keys);
    let allowed: Vec<&str> = formats::keys("part").iter().chain(own).copied().collect();
    let part = item.fields(&allowed)?;
    Ok((keys::posed(&part)?, body(kind, &part, source)?))
}

pub(crate) fn half_extents(object: &Fields<'_>) -> Result<[f64; 3]> {
    let field = object.just_one_of(&["size", "half_extents"])?;
    // One number is the edge of a cube.
    let edges = match field.node.value {
        Value::List(_) => field.array(Sign::Length)?,
        _ => [field.number(Sign::Length)?; 3],
    };
    Ok(match field.key {
        "size" => edges.map(|edge| 0.5 * edge),
        _ => edges,
    })
}

fn capsule(object: &Fields<'_>) -> Result<Shape> {
    let radius = object.number("radius", Sign::Length)?;
    let height = object.need("height")?;
    let half_height = 0.5 * height.number(Sign::Length)? - radius;
    if half_height <= 0.0 {
        let allowed = format!(
            "more than twice the radius ({}), caps included",
            2.0 * radius
        );
        return Err(height.not_allowed(2.0 * (half_height + radius), allowed));
    }
    Ok(Shape::capsule(radius, half_height))
}

fn convex(object: &Fields<'_>, source: &Source) -> Result<Solid> {
    let field = object.just_one_of(&["points", "mesh"])?;
    if field.key == "mesh" {
        return mesh::hull(object, source);
    }
    let points = field.items()?.map(|p| p.array::<3>(Sign::Coordinate));
    let points: Vec<_> = points.collect::<Result<_, _>>()?;
    let hull = regrasp_mesh::hull(&points);
    let hull = hull.map_err(|message| bad_shape(&field, "the convex hull", message))?;
    Ok(hull.into())
}

fn mug(object: &Fields<'_>) -> Result<Shape> {
    let height = object.number("height", Sign::Length)?;
    let diameter = object.number("diameter", Sign::Length)?;
    let wall = wall(object, 0.25 * diameter.min(height))?;
    // A third of the diameter leaves room for a person's finger.
    let (usual, most) = (diameter / 3.0, 2.0 * diameter);
    let allowed = format!("from 0 (no handle) to {most}, the distance by which it stands out");
    let handle = object.number_in("handle", Sign::NotNegative, usual, ..=most, allowed)?;
    Ok(solids::mug(height, diameter, wall, handle))
}

/// Reads `wall`. The default of 4 mm is about the thinnest wall that nothing penetrates at the
/// speeds of a hand in the contact solver.
fn wall(object: &Fields<'_>, thickest: f64) -> Result<f64> {
    let usual = 0.004_f64.min(thickest);
    let allowed = format!("at most {thickest:.4} for these dimensions");
    object.number_in("wall", Sign::Length, usual, ..=thickest, allowed)
}

fn table(object: &Fields<'_>) -> Result<Body> {
    let [x, y] = object.need("size")?.array::<2>(Sign::Length)?;
    let top_z = object.number("top_z", Sign::Coordinate)?;
    let thickness = object.number_or("thickness", Sign::Length, 0.04)?;
    Ok(Body::Table {
        shape: Shape::cuboid([0.5 * x, 0.5 * y, 0.5 * thickness]),
        center_z: top_z - 0.5 * thickness,
    })
}

fn drawer(object: &Fields<'_>) -> Result<Body> {
    let size_field = object.need("size")?;
    let size = size_field.array::<3>(Sign::Length)?;
    let smallest = size.iter().copied().fold(f64::INFINITY, f64::min);
    if smallest < 0.03 {
        return Err(size_field.not_allowed(format!("{size:?}"), "at least 0.03 m along every edge"));
    }
    let wall = wall(object, 0.2 * smallest)?;
    let width = size[1] - 2.0 * wall;
    let allowed = format!("at most {width:.4}, the drawer's width");
    let handle = object.number_in("handle", Sign::Length, 0.5 * width, ..=width, allowed)?;
    let up_to = |key, sign, usual, most: f64| {
        object.number_in(key, sign, usual, ..=most, format_args!("at most {most}"))
    };
    let travel_m = up_to("travel", Sign::Length, 0.8 * size[0], size[0])?;
    let open_m = up_to("open", Sign::NotNegative, 0.0, travel_m)?;
    let ([cabinet, drawer], handle) = shapes::drawer(size, wall, handle);
    Ok(Body::Housed(Box::new(Housed {
        kind: "drawer",
        moving: drawer,
        category: "cabinet",
        housing: cabinet,
        housing_from_moving: Pose::translation(open_m, 0.0, 0.0),
        joint: SceneJoint {
            start: open_m,
            // A wooden slide: 0.1 m/s takes about 0.5 N.
            damping: 5.0,
            handle: Some(handle),
            ..slide("slide", [1.0, 0.0, 0.0], travel_m)
        },
    })))
}

fn button(object: &Fields<'_>) -> Result<Body> {
    let radius = object.number("radius", Sign::Length)?;
    let height = object.number_or("height", Sign::Length, 0.04)?;
    let (usual, most) = (0.2 * height, 0.5 * height);
    let allowed = format!("at most {most}, half of its height");
    let travel_m = object.number_in("travel", Sign::Length, usual, ..=most, allowed)?;
    let (usual, most) = (0.6 * travel_m, 0.9 * travel_m);
    let allowed = format!("at most {most:.4}, nine tenths of its travel");
    let press_at_m = object.number_in("press_at", Sign::Length, usual, ..=most, allowed)?;
    let ([housing, cap], cap_z) = shapes::button(radius, height, travel_m);
    let force_n = object.number_or("force_n", Sign::Positive, 5.0)?;
    Ok(Body::Housed(Box::new(Housed {
        kind: "button",
        moving: cap,
        category: "housing",
        housing,
        housing_from_moving: Pose::translation(0.0, 0.0, cap_z),
        joint: SceneJoint {
            // A released cap comes to rest within a few hundredths of a second.
            damping: 2.0,
            spring: Some(spring(force_n, travel_m, press_at_m)),
            ..slide("plunger", [0.0, 0.0, -1.0], travel_m)
        },
    })))
}

/// Spring of a button: it reaches its force at the end of the travel and holds the cap up with a
/// fifth of it.
fn spring(force_n: f64, travel_m: f64, press_at: f64) -> Spring {
    const PRELOAD: f64 = 0.2;
    let stiffness = (1.0 - PRELOAD) * force_n / travel_m;
    Spring {
        stiffness,
        rest: -PRELOAD * force_n / stiffness,
        press_at,
    }
}

/// Default thickness of the ground below its lowest point, m.
const THICKNESS_M: f64 = 0.02;

fn height_field(object: &Fields<'_>, source: &Source) -> Result<Shape> {
    let size = object.need("size")?.array::<2>(Sign::Length)?;
    let field = object.need("heights")?;
    let heights = heights(&field, source)?;
    let n: usize = heights.iter().map(Vec::len).sum();
    if n > regrasp_mesh::MAX_POINTS {
        let allowed = format!("at most {} heights", regrasp_mesh::MAX_POINTS);
        return Err(field.not_allowed(format!("{n} heights"), allowed));
    }
    let lowest = heights.iter().flatten().copied().reduce(f64::min);
    let default = lowest.map_or(0.0, |lowest| lowest - THICKNESS_M);
    let solid = HeightField {
        size,
        heights,
        bottom: object.number_or("bottom", Sign::Coordinate, default)?,
    };
    match solid.flaw() {
        None => Ok(Shape::HeightField(solid)),
        Some(flaw) => Err(bad_shape(&field, "the height field", flaw)),
    }
}

/// Reads rows of heights from the field itself, or from the file that it names.
fn heights(field: &Field<'_>, source: &Source) -> Result<Vec<Vec<f64>>> {
    if let Value::Text(_) = field.node.value {
        return from_file(field, source, "the file of heights", |path| {
            regrasp_mesh::read_rows(path)
        });
    }
    let mut rows: Vec<Vec<f64>> = vec![];
    for row in field.items()? {
        let heights = row.numbers(Sign::Coordinate)?;
        let n = rows.first().map_or(heights.len(), Vec::len);
        if heights.len() != n {
            let got = format!("a row of {}", heights.len());
            return Err(row.not_allowed(got, format!("{n} heights, like the first row")));
        }
        rows.push(heights);
    }
    Ok(rows)
}

fn point_cloud(object: &Fields<'_>, source: &Source) -> Result<Shape> {
    let field = object.just_one_of(&["points", "file"])?;
    let scale = object.number_or("scale", Sign::Positive, 1.0)?;
    let radius = object.number("radius", Sign::Length)?;
    if field.key == "file" {
        let points = from_file(&field, source, "the file of points", |path| {
            regrasp_mesh::read_points(path, scale)
        })?;
        return Ok(Shape::PointCloud { points, radius });
    }
    let each = field.items()?.map(|p| p.array::<3>(Sign::Coordinate));
    let inline: Vec<[f64; 3]> = each.collect::<Result<_, _>>()?;
    let inline: Vec<_> = inline.iter().map(|p| p.map(|x| x * scale)).collect();
    regrasp_mesh::check_points(&inline)
        .map_err(|flaw| bad_shape(&field, "the point cloud", flaw))?;
    Ok(Shape::PointCloud {
        points: inline,
        radius,
    })
}
