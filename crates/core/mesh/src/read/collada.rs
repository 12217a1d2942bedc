//! COLLADA: the triangles of its scene, with the nodes' transforms, in metres.

use std::collections::HashMap;
use std::path::Path;

use nalgebra::{Matrix4, Point3, Unit, Vector3};
use roxmltree::Node;

use crate::triangles::{Corner, MAX_TRIANGLES, Mesh, ReadError, Result, Up, malformed};
use crate::xml::{xml_document, xml_text};

/// Largest number of nodes, where a node counts as often as it is shown: more indicate a cycle.
const MAX_NODES: usize = 100_000;
/// Largest depth of nested nodes.
const MAX_DEPTH: usize = 1_000;

type Element<'a> = Node<'a, 'a>;

/// Reads the scene that a file names, or else its first visual scene, or else every geometry.
pub(super) fn read(bytes: &[u8], _: &Path) -> Result<Mesh> {
    let text = xml_text(bytes);
    let document = xml_document(&text)
        .map_err(|(line, why)| ReadError::Refused(format!("line {line}: {why}")))?;
    let root = document.root_element();
    let asset = child(root, "asset");
    let unit = asset.and_then(|asset| child(asset, "unit")?.attribute("meter"));
    let unit = unit.map_or(Some(1.0), |unit| unit.trim().parse().ok());
    let unit = unit.filter(|metres: &f64| metres.is_finite() && *metres > 0.0);
    let unit = unit.ok_or_else(|| malformed("`meter` of its <unit> is not a positive number"))?;
    let up = asset.and_then(|asset| child(asset, "up_axis")?.text());
    let mut scene = Scene {
        by_id: root
            .descendants()
            .filter_map(|n| Some((n.attribute("id")?, n)))
            .collect(),
        mesh: Mesh {
            up: match up.map(str::trim) {
                Some("X_UP") => Up::X,
                Some("Z_UP") => Up::Z,
                // The format's default.
                Some("Y_UP") | None => Up::Y,
                Some(other) => {
                    let why = "not X_UP, Y_UP or Z_UP";
                    return Err(malformed(format!("its <up_axis> is `{other}`, {why}")));
                }
            },
            ..Mesh::default()
        },
    };
    scene.show_all(root, &Matrix4::new_scaling(unit))?;
    Ok(scene.mesh)
}

struct Scene<'a> {
    by_id: HashMap<&'a str, Element<'a>>,
    mesh: Mesh,
}

struct Values {
    list: Vec<f64>,
    first: usize,
    stride: usize,
    /// Offsets of the used values within each group of `stride` values.
    columns: Vec<usize>,
}

/// An input of a primitive: the offset of its index among those of a vertex, and its values.
struct Input {
    semantic: &'static str,
    offset: usize,
    values: Values,
}

impl<'a> Scene<'a> {
    fn show_all(&mut self, root: Element<'a>, file_from_scene: &Matrix4<f64>) -> Result<()> {
        let named = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        let first = || child(child(root, "library_visual_scenes")?, "visual_scene");
        let shown = match named {
            Some(instance) => Some(self.target(instance, "url")?),
            None => first(),
        };
        let Some(scene) = shown else {
            let mut all = named_elements(root.descendants(), "geometry");
            return all.try_for_each(|g| self.geometry(g, file_from_scene));
        };
        let mut n_nodes = 0;
        let mut left = vec![(scene, *file_from_scene, 0)];
        while let Some((node, file_from_parent, depth)) = left.pop() {
            n_nodes += 1;
            if n_nodes > MAX_NODES || depth > MAX_DEPTH {
                let problem = "its nodes refer to each other in a circle or are nested too deeply";
                return Err(malformed(problem));
            }
            let mut file_from_node = file_from_parent;
            for part in node.children().filter(Node::is_element) {
                file_from_node *= transform(part)?;
            }
            for part in node.children().filter(Node::is_element) {
                match part.tag_name().name() {
                    "node" => left.push((part, file_from_node, depth + 1)),
                    "instance_node" => {
                        left.push((self.target(part, "url")?, file_from_node, depth + 1));
                    }
                    "instance_geometry" => {
                        self.geometry(self.target(part, "url")?, &file_from_node)?;
                    }
                    "instance_controller" => {
                        // The shape of a skin before any deformation.
                        let Some(skin) = child(self.target(part, "url")?, "skin") else {
                            return Err(refused(
                                "it holds a morphing mesh; bake the shape before the export",
                            ));
                        };
                        let bind = child(skin, "bind_shape_matrix");
                        let bind = bind.map_or(Ok(Matrix4::identity()), matrix)?;
                        self.geometry(self.target(skin, "source")?, &(file_from_node * bind))?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Returns the element that an attribute refers to as `#id`.
    fn target(&self, element: Element<'a>, attribute: &str) -> Result<Element<'a>> {
        let url = element.attribute(attribute).unwrap_or_default();
        if url
            .split_once('#')
            .is_some_and(|(file, _)| !file.is_empty())
        {
            return Err(refused(&format!(
                "it refers to `{url}`, but references to other files are not supported"
            )));
        }
        let found = url.strip_prefix('#').and_then(|id| self.by_id.get(id));
        let tag = element.tag_name().name();
        let missing = || malformed(format_args!("<{tag}> needs `{url}`, which is missing"));
        found.copied().ok_or_else(missing)
    }

    fn geometry(&mut self, geometry: Element<'a>, file_from_here: &Matrix4<f64>) -> Result<()> {
        let Some(mesh) = child(geometry, "mesh") else {
            return Ok(());
        };
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = primitive.tag_name().name();
            if !["triangles", "polylist", "polygons", "trifans", "tristrips"].contains(&kind) {
                continue;
            }
            if child(primitive, "ph").is_some() {
                let why = "it holds polygons with holes; export it as triangles";
                return Err(refused(why));
            }
            let inputs = self.inputs(primitive)?;
            let n_offsets = inputs.iter().map(|(_, n)| n + 1).max().unwrap_or(1);
            let inputs: Vec<Input> = inputs.into_iter().filter_map(|(input, _)| input).collect();
            let vcount = child(primitive, "vcount").map_or(Ok(vec![]), numbers::<usize>)?;
            for p in named_elements(primitive.children(), "p") {
                let indices = numbers::<usize>(p)?;
                let corners: Vec<&[usize]> = indices.chunks_exact(n_offsets).collect();
                let triangles = triangles(kind, &vcount, corners.len())?;
                self.corners(&corners, &triangles, &inputs, file_from_here)?;
            }
        }
        Ok(())
    }

    /// Returns the offsets of all inputs of a primitive, each with the input if it is used.
    fn inputs(&self, primitive: Element<'a>) -> Result<Vec<(Option<Input>, usize)>> {
        let mut found: Vec<(Option<Input>, usize)> = vec![];
        for input in named_elements(primitive.children(), "input") {
            let offset = input.attribute("offset").unwrap_or("0").trim().parse().ok();
            let offset = offset.filter(|n| *n < 64);
            let wrong = || malformed("the `offset` of an <input> is not a number from 0 to 63");
            let offset = offset.ok_or_else(wrong)?;
            let source = self.target(input, "source")?;
            let own = match input.attribute("semantic") {
                Some("VERTEX") => named_elements(source.children(), "input").collect(),
                _ => vec![input],
            };
            found.push((None, offset));
            for input in own {
                let mut semantics = ["POSITION", "NORMAL", "TEXCOORD"].into_iter();
                let semantic = semantics.find(|s| input.attribute("semantic") == Some(s));
                let known: Vec<_> = found.iter().flat_map(|(f, _)| f).collect();
                // Only the first set of texture coordinates is used.
                let is_new = |s: &&str| !known.iter().any(|f| f.semantic == *s);
                if let Some(semantic) = semantic.filter(is_new) {
                    let values = self.values(self.target(input, "source")?)?;
                    let input = Input {
                        semantic,
                        offset,
                        values,
                    };
                    found.push((Some(input), offset));
                }
            }
        }
        Ok(found)
    }

    fn values(&self, source: Element<'a>) -> Result<Values> {
        let common = child(source, "technique_common");
        let accessor = common.and_then(|common| child(common, "accessor"));
        let number = |name, default| {
            let value = accessor.and_then(|a| a.attribute(name)?.trim().parse().ok());
            value.unwrap_or(default)
        };
        let array = match accessor {
            Some(accessor) => Some(self.target(accessor, "source")?),
            None => child(source, "float_array"),
        };
        // The format requires that values of a parameter without a name are skipped.
        let parameters = accessor.into_iter().flat_map(|a| a.children());
        let is_named = |(i, p): (usize, Element<'_>)| p.attribute("name").map(|_| i);
        let parameters = named_elements(parameters, "param").enumerate();
        let named: Vec<usize> = parameters.filter_map(is_named).collect();
        let stride = number("stride", 3);
        Ok(Values {
            list: array.map_or(Ok(vec![]), numbers)?,
            first: number("offset", 0),
            stride,
            columns: match named.is_empty() {
                true => (0..stride.min(3)).collect(),
                false => named,
            },
        })
    }

    fn corners(
        &mut self,
        corners: &[&[usize]],
        triangles: &[[usize; 3]],
        inputs: &[Input],
        file_from_here: &Matrix4<f64>,
    ) -> Result<()> {
        let turn = file_from_here.fixed_view::<3, 3>(0, 0).into_owned();
        let is_mirrored = turn.determinant() < 0.0;
        let across = turn.try_inverse().map(|inverse| inverse.transpose());
        let value = |semantic: &str, corner: usize| -> Option<Vector3<f64>> {
            let input = inputs.iter().find(|input| input.semantic == semantic)?;
            input.values.at(corners[corner][input.offset])
        };
        for triangle in triangles {
            let mut found = [Corner::default(); 3];
            for (own, corner) in found.iter_mut().zip(*triangle) {
                let p = value("POSITION", corner).ok_or(ReadError::MissingCorner)?;
                let normal = value("NORMAL", corner).zip(across);
                let normal = normal.and_then(|(n, across)| (across * n).try_normalize(1e-12));
                // In COLLADA, the second texture coordinate counts upwards from the lower edge.
                let texcoord = value("TEXCOORD", corner);
                *own = Corner {
                    position: file_from_here.transform_point(&Point3::from(p)).into(),
                    normal: normal.map(|n| n.map(|x| x as f32).into()),
                    texcoord: texcoord.map(|at| [at.x as f32, 1.0 - at.y as f32]),
                };
            }
            if is_mirrored {
                found.swap(1, 2);
            }
            self.mesh.add_flat(found)?;
        }
        Ok(())
    }
}

impl Values {
    fn at(&self, index: usize) -> Option<Vector3<f64>> {
        let start = index.checked_mul(self.stride)?.checked_add(self.first)?;
        let mut found = Vector3::zeros();
        for (own, column) in found.iter_mut().zip(&self.columns) {
            *own = *self.list.get(start.checked_add(*column)?)?;
        }
        Some(found)
    }
}

/// Indices of the vertices of a primitive's triangles; polygons are cut into fans.
fn triangles(kind: &str, vcount: &[usize], n_corners: usize) -> Result<Vec<[usize; 3]>> {
    let sizes = match kind {
        "triangles" => vec![3; n_corners / 3],
        "polylist" => vcount.to_vec(),
        _ => vec![n_corners],
    };
    let n_needed = sizes.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
    if n_needed.is_none_or(|n| n > n_corners) {
        return Err(malformed("its polygons have more corners than are listed"));
    }
    if n_corners > 3 * MAX_TRIANGLES {
        return Err(ReadError::TooManyTriangles);
    }
    let mut found = vec![];
    let mut first = 0;
    for n in sizes {
        found.extend((1..n.saturating_sub(1)).map(|i| match kind {
            "tristrips" if i % 2 == 0 => [i, i - 1, i + 1],
            "tristrips" => [i - 1, i, i + 1],
            _ => [first, first + i, first + i + 1],
        }));
        first += n;
    }
    Ok(found)
}

/// Transform in an element of a node; the identity for any other element.
fn transform(element: Element<'_>) -> Result<Matrix4<f64>> {
    let tag = element.tag_name().name();
    let wrong = || malformed(format_args!("a <{tag}> has too few numbers"));
    let three = |list: &[f64]| {
        let three = list.get(..3).map(Vector3::from_column_slice);
        three.ok_or_else(wrong)
    };
    Ok(match tag {
        "matrix" => matrix(element)?,
        "translate" => Matrix4::new_translation(&three(&numbers(element)?)?),
        "scale" => Matrix4::new_nonuniform_scaling(&three(&numbers(element)?)?),
        "rotate" => {
            let list: Vec<f64> = numbers(element)?;
            let angle = list.get(3).ok_or_else(wrong)?.to_radians();
            let axis = Unit::try_new(three(&list)?, 1e-12);
            axis.map_or_else(Matrix4::identity, |axis| {
                Matrix4::from_axis_angle(&axis, angle)
            })
        }
        name @ ("skew" | "lookat") => {
            return Err(refused(&format!(
                "a node uses <{name}>, which is not supported; bake transforms before the export"
            )));
        }
        _ => Matrix4::identity(),
    })
}

fn matrix(element: Element<'_>) -> Result<Matrix4<f64>> {
    let list: Vec<f64> = numbers(element)?;
    match list.len() {
        16 => Ok(Matrix4::from_row_slice(&list)),
        n => Err(malformed(format_args!(
            "a matrix has {n} numbers instead of 16"
        ))),
    }
}

fn numbers<T: std::str::FromStr>(element: Element<'_>) -> Result<Vec<T>> {
    let words = element.text().unwrap_or_default().split_ascii_whitespace();
    let number = |word: &str| {
        let name = element.tag_name().name();
        word.parse()
            .map_err(|_| malformed(format_args!("`{word}` in <{name}> is not a number")))
    };
    words.map(number).collect()
}

fn child<'a>(element: Element<'a>, name: &str) -> Option<Element<'a>> {
    named_elements(element.children(), name).next()
}

fn named_elements<'a>(
    all: impl Iterator<Item = Element<'a>>,
    name: &str,
) -> impl Iterator<Item = Element<'a>> {
    all.filter(move |n| n.is_element() && n.tag_name().name() == name)
}

fn refused(why: &str) -> ReadError {
    ReadError::Refused(why.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// COLLADA file with a tetrahedron `g`, which has a vertex at its origin and is drawn by
    /// `primitive`, and a larger one, `big`, in a scene that is not shown.
    fn file(asset: &str, primitive: &str, scene: &str, more: &str) -> String {
        let geometry = |id: &str, size: f64| {
            format!(
                r##"<geometry id="{id}"><mesh><source id="{id}p">
                <float_array id="{id}a" count="12">0 0 0 {size} 0 0 0 {size} 0 0 0 {size}</float_array>
                <technique_common><accessor source="#{id}a" count="4" stride="3"/></technique_common>
                </source><vertices id="{id}v"><input semantic="POSITION" source="#{id}p"/></vertices>
                {}</mesh></geometry>"##,
                primitive.replace(
                    "<p>",
                    &format!(r##"<input semantic="VERTEX" source="#{id}v" offset="0"/><p>"##)
                )
            )
        };
        format!(
            r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
            <asset>{asset}</asset><library_geometries>{}{}</library_geometries>{more}
            <library_visual_scenes><visual_scene id="other"><node><instance_geometry url="#big"/></node>
            </visual_scene><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
            <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##,
            geometry("g", 1.0),
            geometry("big", 100.0)
        )
    }

    const TRIANGLES: &str = "<triangles count='4'><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>";
    const Z_UP: &str = "<up_axis>Z_UP</up_axis>";
    const SHOWN: &str = "<instance_geometry url='#g'/>";

    fn corners(text: &str) -> Vec<[f64; 3]> {
        let mesh = read(text.as_bytes(), Path::new("")).unwrap();
        let mesh = mesh.with_z_up(None);
        let corners = mesh.triangles.iter().flatten();
        corners.map(|i| mesh.vertices[*i as usize]).collect()
    }

    #[track_caller]
    fn assert_shows(text: &str, places: &[Matrix4<f64>]) {
        let own = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let found = corners(text);
        assert_eq!(found.len(), 12 * places.len(), "{text}");
        for place in places {
            for corner in own {
                let wanted: [f64; 3] = place.transform_point(&corner.into()).into();
                let is_there = |p: &[f64; 3]| {
                    (0..3).all(|i| (p[i] - wanted[i]).abs() < 1e-9 * (1.0 + wanted[i].abs()))
                };
                assert!(
                    found.iter().any(is_there),
                    "{wanted:?} is not in {found:?}\n{text}"
                );
            }
        }
        // Faces look outwards, mirrored or not: no signed volume reduces the sum.
        let volumes = found.chunks(3).map(|t| {
            let [a, b, c] = [t[0], t[1], t[2]].map(Vector3::from);
            a.dot(&b.cross(&c))
        });
        let volume: f64 = volumes.sum();
        let sizes = places
            .iter()
            .map(|p| p.fixed_view::<3, 3>(0, 0).determinant());
        let wanted: f64 = sizes.map(f64::abs).sum();
        assert!(
            (volume - wanted).abs() < 1e-6 * (1.0 + wanted),
            "{volume} instead of {wanted}\n{text}"
        );
    }

    #[test]
    fn nodes_are_multiplied_from_the_scene_inwards_and_as_often_as_they_are_shown() {
        let mut state = 1u64;
        let mut draw = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for round in 0..200 {
            let unit = [1.0, 0.01, 0.0254, 0.001][round % 4];
            let up = ["X", "Y", "Z"][round % 3];
            let turn = match up {
                "X" => nalgebra::matrix![0., -1., 0.; 0., 0., -1.; 1., 0., 0.],
                "Y" => nalgebra::matrix![1., 0., 0.; 0., 0., -1.; 0., 1., 0.],
                _ => nalgebra::Matrix3::identity(),
            };
            let mut scene = String::new();
            let mut places = vec![];
            let mut open = vec![turn.to_homogeneous() * Matrix4::new_scaling(unit)];
            for _ in 0..6 + draw(10) {
                let mut here = *open.last().unwrap();
                scene.push_str("<node>");
                for _ in 0..draw(4) {
                    let [x, y, z] = [0; 3].map(|_| draw(7) as f64 - 3.0);
                    here *= match draw(4) {
                        0 => {
                            write!(scene, "<translate>{x} {y} {z}</translate>").unwrap();
                            Matrix4::new_translation(&Vector3::new(x, y, z))
                        }
                        1 => {
                            write!(scene, "<rotate>0 0 1 {}</rotate>", 30.0 * x).unwrap();
                            Matrix4::from_axis_angle(&Vector3::z_axis(), (30.0 * x).to_radians())
                        }
                        2 => {
                            let x = if x == 0.0 { 2.0 } else { x };
                            write!(scene, "<scale>{x} 1 0.5</scale>").unwrap();
                            Matrix4::new_nonuniform_scaling(&Vector3::new(x, 1.0, 0.5))
                        }
                        _ => {
                            let rows = format!("0 -1 0 {x} 1 0 0 {y} 0 0 1 {z} 0 0 0 1");
                            write!(scene, "<matrix>{rows}</matrix>").unwrap();
                            let numbers = rows.split(' ').map(|x| x.parse().unwrap());
                            Matrix4::from_row_iterator(numbers)
                        }
                    };
                }
                for _ in 0..draw(3) {
                    scene.push_str(SHOWN);
                    places.push(here);
                }
                if draw(2) == 0 {
                    scene.push_str("<instance_node url='#part'/>");
                    places.push(here * Matrix4::new_translation(&Vector3::new(0.0, 7.0, 0.0)));
                }
                open.push(here);
                while open.len() > 1 && draw(2) == 0 {
                    scene.push_str("</node>");
                    open.pop();
                }
            }
            scene.push_str(&"</node>".repeat(open.len() - 1));
            if places.is_empty() {
                continue;
            }
            let part = format!(
                "<library_nodes><node id='part'><translate>0 7 0</translate>{SHOWN}</node></library_nodes>"
            );
            let asset = format!("<unit meter='{unit}'/><up_axis>{up}_UP</up_axis>");
            assert_shows(&file(&asset, TRIANGLES, &scene, &part), &places);
        }
    }

    #[test]
    fn every_primitive_gives_the_same_triangles() {
        let scene = format!("<node>{SHOWN}</node>");
        for primitive in [
            TRIANGLES,
            "<polylist count='4'><vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 0 3 2 1 2 3</p></polylist>",
            "<polygons count='4'><p>0 2 1</p><p>0 1 3</p><p>0 3 2</p><p>1 2 3</p></polygons>",
            "<tristrips count='1'><p>1 0 2 3 1 0</p></tristrips>",
            "<trifans count='2'><p>0 2 1 3 2</p><p>1 2 3</p></trifans><lines count='1'><p>0 1</p></lines>",
        ] {
            assert_shows(&file(Z_UP, primitive, &scene, ""), &[Matrix4::identity()]);
        }
        let skin = "<library_controllers><controller id='c'><skin source='#g'>
            <bind_shape_matrix>2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>";
        // The first of each four values has no name and is skipped.
        let padded = |size: f64| format!("9 0 0 0 9 {size} 0 0 9 0 {size} 0 9 0 0 {size}");
        let named = "stride='4'><param type='float'/><param name='X'/><param name='Y'/><param name='Z'/></accessor>";
        let mut text = file(Z_UP, TRIANGLES, &scene, "").replace("stride=\"3\"/>", named);
        for size in [1.0, 100.0] {
            let plain = format!("0 0 0 {size} 0 0 0 {size} 0 0 0 {size}");
            text = text.replace(&plain, &padded(size));
        }
        assert_shows(&text, &[Matrix4::identity()]);
        let scene = "<node><instance_controller url='#c'/></node>";
        let twice = Matrix4::new_scaling(2.0);
        assert_shows(&file(Z_UP, TRIANGLES, scene, skin), &[twice]);
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        let check = |text: &str, part: &str| {
            let error = read(text.as_bytes(), Path::new("")).unwrap_err();
            let error = error.to_string();
            assert!(error.contains(part), "{error}");
        };
        let node = |inside: &str| file("", TRIANGLES, &format!("<node>{inside}</node>"), "");
        check(&node("<matrix>1 0 0</matrix>"), "3 numbers instead of 16");
        check(&node("<translate>1 a 0</translate>"), "`a` in <translate>");
        check(&node("<lookat>1 0 0 0 0 0 0 0 1</lookat>"), "<lookat>");
        let missing = node("<instance_geometry url='#x'/>");
        check(&missing, "`#x`, which is missing");
        let elsewhere = node("<instance_geometry url='other.dae#g'/>");
        check(&elsewhere, "`other.dae#g`, but references to other files");
        check(&file("<unit meter='0'/>", TRIANGLES, "", ""), "unit");
        let up = "<up_axis>z_up</up_axis>";
        check(&file(up, TRIANGLES, "", ""), "`z_up`, not X_UP");
        let endless =
            "<library_nodes><node id='n'><instance_node url='#n'/></node></library_nodes>";
        let inside = "<node id='n'><instance_node url='#n'/><instance_geometry url='#g'/></node>";
        for (nodes, library) in [("<instance_node url='#n'/>", endless), (inside, "")] {
            check(&file("", TRIANGLES, nodes, library), "in a circle");
        }
        let drawn = |primitive: &str| file("", primitive, &format!("<node>{SHOWN}</node>"), "");
        let beyond = "<triangles count='1'><p>0 1 9</p></triangles>";
        check(&drawn(beyond), "corner");
        let list = "<polylist count='1'><vcount>7</vcount><p>0 1 2</p></polylist>";
        check(&drawn(list), "more corners");
    }
}
