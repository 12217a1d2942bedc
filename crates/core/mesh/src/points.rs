//! Files of points and of heights: PLY (text or binary) by `ply-rs-bw`, and plain text with a point
//! or a row of heights on each line.

use std::fs;
use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

use crate::read::read_text;

/// Largest number of points, so that a wrong file does not take minutes. Scenes need far fewer.
pub const MAX_POINTS: usize = 200_000;
/// Largest coordinate of a point, m. Larger ones indicate another unit.
const FURTHEST_M: f64 = 100.0;

/// Reads the points of a file, times `scale`: PLY by its extension, otherwise three numbers on each
/// line, separated by blanks, commas or semicolons. Further numbers (a colour, for example), empty
/// lines and everything after `#` are ignored.
///
/// # Errors
///
/// One sentence with the mistake, and its line if a line of a text file cannot be parsed.
pub fn read_points(path: &Path, scale: f64) -> Result<Vec<[f64; 3]>, String> {
    let is_ply = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("ply"));
    let points = if is_ply { ply(path)? } else { plain(path)? };
    let points: Vec<_> = points.into_iter().map(|p| p.map(|x| x * scale)).collect();
    check_points(&points)?;
    Ok(points)
}

/// Checks that there are points, not too many, and none far away. An error is one sentence with the
/// mistake.
pub fn check_points(points: &[[f64; 3]]) -> Result<(), String> {
    let is_far = |p: &&[f64; 3]| p.iter().any(|x| !x.is_finite() || x.abs() > FURTHEST_M);
    if points.is_empty() {
        return Err("it holds no points".to_owned());
    }
    if points.len() > MAX_POINTS {
        return Err(format!(
            "it holds {} points, more than {MAX_POINTS}",
            points.len()
        ));
    }
    match points.iter().find(is_far) {
        None => Ok(()),
        Some([x, y, z]) => Err(format!(
            "the point ({x:.3}, {y:.3}, {z:.3}) is more than {FURTHEST_M} m from the origin; if \
             the file is in millimetres, multiply its `scale` by 0.001"
        )),
    }
}

/// Reads rows of numbers. An error is one sentence, with the line if something is not a number.
pub fn read_rows(path: &Path) -> Result<Vec<Vec<f64>>, String> {
    let lines = numbers(path)?;
    Ok(lines.into_iter().map(|(_, row)| row).collect())
}

fn plain(path: &Path) -> Result<Vec<[f64; 3]>, String> {
    let lines = numbers(path)?;
    let point = |(line, row): (usize, Vec<f64>)| match row[..] {
        [x, y, z, ..] => Ok([x, y, z]),
        _ => Err(format!(
            "line {line}: expected x, y and z, found {} numbers",
            row.len()
        )),
    };
    lines.into_iter().map(point).collect()
}

/// Returns the line number and the numbers of each line that has any.
fn numbers(path: &Path) -> Result<Vec<(usize, Vec<f64>)>, String> {
    let text = read_text(path).map_err(|error| error.to_string())?;
    let parted = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let mut rows = vec![];
    for (line, text) in (1..).zip(text.lines()) {
        let words = text.split('#').next().unwrap_or_default().split(parted);
        let words = words.filter(|word| !word.is_empty());
        let row: Result<Vec<f64>, _> = words
            .map(|word| match word.parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(x),
                _ => Err(format!("line {line}: `{word}` is not a number")),
            })
            .collect();
        let row = row?;
        if !row.is_empty() {
            rows.push((line, row));
        }
    }
    Ok(rows)
}

struct Vertex([Option<f64>; 3]);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([None; 3])
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let Some(axis) = ["x", "y", "z"].iter().position(|axis| *axis == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[axis] = match property {
            Property::Float(x) => Some(f64::from(x)),
            Property::Double(x) => Some(x),
            Property::Int(x) => Some(f64::from(x)),
            Property::Short(x) => Some(f64::from(x)),
            _ => return PropertyAccessResult::Ignored,
        };
        PropertyAccessResult::Set
    }
}

fn ply(path: &Path) -> Result<Vec<[f64; 3]>, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let mut file = BufReader::new(file);
    // A panic of the reader must not end the program.
    let read = catch_unwind(AssertUnwindSafe(|| {
        Parser::<Vertex>::new().read_ply(&mut file)
    }));
    let ply = read
        .map_err(|_| "this is not a valid PLY file".to_owned())?
        .map_err(|error| error.to_string())?;
    let Some(vertices) = ply.payload.get("vertex") else {
        return Err("the PLY file has no element `vertex`".to_owned());
    };
    let point = |(i, Vertex(at)): (usize, &Vertex)| match at {
        [Some(x), Some(y), Some(z)] => Ok([*x, *y, *z]),
        _ => Err(format!("vertex {i} lacks x, y or z")),
    };
    vertices.iter().enumerate().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &str) -> Result<Vec<[f64; 3]>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        read_points(&path, 0.001)
    }

    #[test]
    fn text_and_ply_give_the_same_points() {
        let points = vec![[0.1, 0.2, 0.3], [-0.1, 0.0, 0.5]];
        let text = "# a cloud\n100 200 300 255 0 0\n\n-100; 0, 500\n";
        assert_eq!(read("c.xyz", text).unwrap(), points);
        let ply = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
                   property float z\nproperty uchar red\nend_header\n100 200 300 7\n-100 0 500 8\n";
        let read = read("c.PLY", ply).unwrap();
        assert_eq!(read.len(), 2);
        for (a, b) in read.iter().flatten().zip(points.iter().flatten()) {
            assert!((a - b).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        let cut = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n1\n";
        let flat = cut.replace("vertex 2", "vertex 1");
        for (name, content, part) in [
            ("c.xyz", "1 2 3\n4 5\n", "line 2"),
            ("c.csv", "1,2,three\n", "`three`"),
            ("c.xyz", "# nothing\n", "no points"),
            ("c.xyz", "1e9 0 0", "`scale` by 0.001"),
            // A vertex is missing.
            ("c.ply", cut, ""),
            ("c.ply", &flat, "lacks x, y or z"),
        ] {
            let why = read(name, content).unwrap_err();
            assert!(why.contains(part), "{content}: {why}");
        }
    }
}
