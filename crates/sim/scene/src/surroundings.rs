//! Static surroundings: height fields and point clouds.

use regrasp_api::{HeightField, Shape};

use crate::SceneError;
use crate::fields::{Field, Fields, Sign};
use crate::keys::{bad_shape, from_file};
use crate::source::Source;
use crate::yaml::Value;

/// Default thickness of the ground below its lowest point, m.
const THICKNESS_M: f64 = 0.02;

pub(crate) fn height_field(object: &Fields<'_>, source: &Source) -> Result<Shape, SceneError> {
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

/// Reads rows in the file itself, each with its own line, or the name of a file of rows.
fn heights(field: &Field<'_>, source: &Source) -> Result<Vec<Vec<f64>>, SceneError> {
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

pub(crate) fn point_cloud(object: &Fields<'_>, source: &Source) -> Result<Shape, SceneError> {
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
