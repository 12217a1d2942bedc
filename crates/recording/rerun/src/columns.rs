//! Conversion of plain data to the viewer's columns.

use regrasp_api::{Intrinsics, Pose, RemarkLevel};
use rerun::{
    AsComponents, EncodedImage, EntityPathPart, LineStrips3D, Mesh3D, Pinhole, Points3D, Scalars,
    SerializationResult, SerializedComponentColumn, SeriesLines, TextDocument, TextLog,
    TextLogLevel, TimeColumn, Transform3D, components::MediaType,
};

use crate::row::{Fixture, Line, Point, Row, Surface};
use crate::{EntityPath, Stamp};

pub(crate) const SIM_TIME: &str = "sim_time";
pub(crate) const STEP: &str = "step";

/// Distance in front of a camera at which its picture is shown in 3D, m.
const PICTURE_AT_M: f32 = 0.1;

type Columns = Vec<SerializedComponentColumn>;

pub(crate) fn entity_path(path: &EntityPath) -> rerun::EntityPath {
    let parts = path.parts().iter();
    let parts = parts.map(|part| EntityPathPart::new(part.as_str()));
    rerun::EntityPath::new(parts.collect())
}

/// Both timelines of rows.
pub(crate) fn times(stamps: &[Stamp]) -> [TimeColumn; 2] {
    [
        TimeColumn::new_duration_nanos(SIM_TIME, stamps.iter().map(|stamp| stamp.time_ns)),
        TimeColumn::new_sequence(STEP, stamps.iter().map(|stamp| stamp.step)),
    ]
}

/// Converts rows of one type. Rows whose type differs from that of the first row are left out.
pub(crate) fn of_rows(rows: &[Row]) -> SerializationResult<Columns> {
    macro_rules! all {
        ($kind:ident) => {
            rows.iter().filter_map(|row| match row {
                Row::$kind(it) => Some(it),
                _ => None,
            })
        };
    }
    Ok(match rows.first() {
        None => vec![],
        Some(Row::Pose(_)) => poses(all!(Pose))?,
        Some(Row::Numbers(_)) => {
            let lengths: Vec<_> = all!(Numbers).map(Vec::len).collect();
            let scalars = Scalars::new(all!(Numbers).flatten().copied());
            scalars.columns(lengths)?.collect()
        }
        Some(Row::Lines(_)) => lines(&all!(Lines).map(Vec::as_slice).collect::<Vec<_>>())?,
        Some(Row::Points(_)) => points(&all!(Points).map(Vec::as_slice).collect::<Vec<_>>())?,
        Some(Row::Document(_)) => {
            let texts = all!(Document).map(String::as_str);
            let markdown = std::iter::repeat_n(MediaType::markdown(), rows.len());
            let documents = TextDocument::update_fields().with_many_text(texts);
            let documents = documents.with_many_media_type(markdown);
            documents.columns_of_unit_batches()?.collect()
        }
        Some(Row::Remark(_)) => {
            let texts = all!(Remark).map(|remark| remark.text.as_str());
            let levels = all!(Remark).map(|remark| level(remark.level));
            let log = TextLog::update_fields().with_many_text(texts);
            let log = log.with_many_level(levels);
            log.columns_of_unit_batches()?.collect()
        }
        Some(Row::Picture(_)) => {
            let blobs = all!(Picture).map(Vec::as_slice);
            let png = std::iter::repeat_n(MediaType::png(), rows.len());
            let pictures = EncodedImage::update_fields().with_many_blob(blobs);
            let pictures = pictures.with_many_media_type(png);
            pictures.columns_of_unit_batches()?.collect()
        }
    })
}

fn level(level: RemarkLevel) -> &'static str {
    match level {
        RemarkLevel::Detail => TextLogLevel::DEBUG,
        RemarkLevel::Usual => TextLogLevel::INFO,
        RemarkLevel::Change => TextLogLevel::WARN,
        RemarkLevel::Wrong => TextLogLevel::ERROR,
    }
}

fn poses<'a>(poses: impl Iterator<Item = &'a Pose> + Clone) -> SerializationResult<Columns> {
    let translations = poses.clone().map(translation);
    let transforms = Transform3D::update_fields()
        .with_many_translation(translations)
        .with_many_quaternion(poses.map(quaternion));
    Ok(transforms.columns_of_unit_batches()?.collect())
}

fn translation(pose: &Pose) -> [f32; 3] {
    let t = pose.translation.vector;
    [t.x, t.y, t.z].map(|v| v as f32)
}

fn quaternion(pose: &Pose) -> rerun::Quaternion {
    let q = pose.rotation.coords;
    rerun::Quaternion([q.x, q.y, q.z, q.w].map(|v| v as f32))
}

fn lines(rows: &[&[Line]]) -> SerializationResult<Columns> {
    let all = || rows.iter().copied().flatten();
    let strips = LineStrips3D::new(all().map(|line| line.points.iter()))
        .with_colors(all().map(|line| line.rgb))
        .with_radii(all().map(|line| line.radius_m));
    Ok(strips.columns(rows.iter().map(|row| row.len()))?.collect())
}

fn points(rows: &[&[Point]]) -> SerializationResult<Columns> {
    let all = || rows.iter().copied().flatten();
    let points = Points3D::new(all().map(|point| point.at))
        .with_colors(all().map(|point| point.rgb))
        .with_radii(all().map(|point| point.radius_m))
        .with_labels(all().map(|point| point.label.as_str()));
    Ok(points.columns(rows.iter().map(|row| row.len()))?.collect())
}

/// Converts a static value to a single row.
pub(crate) fn of_fixture(fixture: &Fixture) -> SerializationResult<Columns> {
    match fixture {
        Fixture::Mesh(surface) => one_row(&mesh(surface)),
        Fixture::Camera(intrinsics) => one_row(&pinhole(intrinsics)),
        Fixture::Pose(pose) => one_row(&Transform3D::from_translation_rotation(
            translation(pose),
            quaternion(pose),
        )),
        Fixture::Signals(signals) => one_row(
            &SeriesLines::new()
                .with_names(signals.iter().map(|(name, _)| name.as_str()))
                .with_colors(signals.iter().map(|(_, rgb)| *rgb)),
        ),
        Fixture::NoLabels => one_row(&Points3D::update_fields().with_show_labels(false)),
    }
}

pub(crate) fn one_row(components: &dyn AsComponents) -> SerializationResult<Columns> {
    let batches = components.as_serialized_batches().into_iter();
    let column = |batch: rerun::SerializedComponentBatch| {
        let n = batch.array.len();
        batch.partitioned([n])
    };
    batches.map(column).collect()
}

fn mesh(surface: &Surface) -> Mesh3D {
    Mesh3D::new(surface.positions.iter())
        .with_vertex_normals(surface.normals.iter())
        .with_triangle_indices(surface.triangles.iter())
        .with_albedo_factor(surface.rgb)
}

/// Converts a camera. The origin of pixel coordinates is the corner of the first pixel in the
/// viewer, but its centre in [`Intrinsics`].
fn pinhole(intrinsics: &Intrinsics) -> Pinhole {
    let Intrinsics {
        width,
        height,
        fx,
        fy,
        cx,
        cy,
    } = *intrinsics;
    let columns = [[fx, 0.0, 0.0], [0.0, fy, 0.0], [cx + 0.5, cy + 0.5, 1.0]];
    Pinhole::new(columns.map(|column| column.map(|v| v as f32)))
        .with_resolution([width as f32, height as f32])
        .with_camera_xyz(Pinhole::DEFAULT_CAMERA_XYZ)
        .with_image_plane_distance(PICTURE_AT_M)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n_rows(columns: &Columns) -> Vec<usize> {
        let lists = columns.iter().map(|column| &column.list_array);
        lists.map(|list| list.value_offsets().len() - 1).collect()
    }

    #[test]
    fn every_kind_of_row_becomes_as_many_rows() -> Result<(), rerun::SerializationError> {
        let line = Line {
            points: vec![[0.0; 3], [1.0; 3]],
            rgb: [1, 2, 3],
            radius_m: 0.1,
        };
        let point = Point {
            at: [0.0; 3],
            rgb: [1, 2, 3],
            radius_m: 0.1,
            label: "it".into(),
        };
        let remark = regrasp_api::Remark {
            level: RemarkLevel::Wrong,
            text: "it".into(),
        };
        let kinds = [
            [
                Row::Pose(Pose::identity()),
                Row::Pose(Pose::translation(1.0, 2.0, 3.0)),
            ],
            [Row::Numbers(vec![1.0, 2.0]), Row::Numbers(vec![3.0, 4.0])],
            [Row::Lines(vec![line.clone(), line]), Row::Lines(vec![])],
            [Row::Points(vec![]), Row::Points(vec![point])],
            [Row::Document("# it".into()), Row::Document(String::new())],
            [Row::Remark(remark.clone()), Row::Remark(remark)],
            [Row::Picture(vec![1, 2, 3]), Row::Picture(vec![])],
        ];
        for rows in &kinds {
            let columns = of_rows(rows)?;
            assert!(!columns.is_empty());
            assert!(n_rows(&columns).iter().all(|n| *n == 2), "{rows:?}");
        }
        Ok(())
    }
}
