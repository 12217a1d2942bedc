//! Tests of initial states, with files written byte by byte as `torch.save` does.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{at, file, object, root};
use regrasp_bench::DrawnTask;
use regrasp_libero::{Assets, LiberoError, LiberoTask, Starts};
use regrasp_scene::{TaskInstance, builtin_robot};
use regrasp_testkit::{near, says, within};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

/// Length of a row for the problem in `common`: time; positions of 9 joints of arm and fingers, two
/// bricks, a drawer; their velocities.
const N: usize = 1 + (9 + 2 * 7 + 1) + (9 + 2 * 6 + 1);
/// Index of the first brick's pose in a row; the second's and the drawer follow.
const BRICK: usize = 1 + 9;
const DRAWER: usize = BRICK + 14;
const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

fn row(i: usize) -> Vec<f64> {
    let shift = 0.01 * i as f64;
    let mut row = vec![0.0; N];
    for (j, q) in [0.1, -0.2, 0.3, -2.0, 0.05, 2.2, 0.7].iter().enumerate() {
        row[1 + j] = q + shift;
    }
    let first = [-0.05 + shift, -0.02, 0.97, HALF, 0.0, 0.0, HALF];
    row[BRICK..BRICK + 7].copy_from_slice(&first);
    row[BRICK + 7..DRAWER].copy_from_slice(&[0.1, 0.12, 0.97, 1.0, 0.0, 0.0, 0.0]);
    row[DRAWER] = -0.19 + shift;
    row
}

fn rows(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(row).collect()
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.push(b'X');
    out.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    out.extend(text.as_bytes());
}

/// The array as `NumPy` pickles it with protocol 2.
fn pickled(rows: &[Vec<f64>]) -> Vec<u8> {
    let mut out =
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01".to_vec();
    out.extend(b"K\x00\x85q\x02c_codecs\nencode\nq\x03");
    text(&mut out, "b");
    out.extend(b"q\x04");
    text(&mut out, "latin1");
    out.extend(b"q\x05\x86q\x06Rq\x07\x87q\x08Rq\x09(K\x01");
    for n in [rows.len(), rows[0].len()] {
        out.push(b'M');
        out.extend(u16::try_from(n).unwrap().to_le_bytes());
    }
    out.extend(b"\x86q\x0acnumpy\ndtype\nq\x0b");
    text(&mut out, "f8");
    out.extend(b"q\x0c\x89\x88\x87q\x0dRq\x0e(K\x03");
    text(&mut out, "<");
    out.extend(b"q\x0fNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x10b\x89h\x03");
    let numbers = rows.iter().flatten();
    let bytes = numbers.flat_map(|number| number.to_le_bytes());
    let latin1: String = bytes.map(char::from).collect();
    text(&mut out, &latin1);
    out.extend(b"q\x11h\x05\x86q\x12Rq\x13tq\x14b.");
    out
}

fn archived(pickle: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(vec![]));
    let plain = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in [("archive/data.pkl", pickle), ("archive/version", b"3\n")] {
        archive.start_file(name, plain).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn kept(root: &TempDir) -> PathBuf {
    let path = root.path().join("init_files/own");
    fs::create_dir_all(&path).unwrap();
    path.join("STUDY_SCENE2_move_the_brick.pruned_init")
}

fn load(root: &TempDir, starts: &Starts) -> Result<LiberoTask, LiberoError> {
    let assets = Arc::new(Assets::open(root.path()).unwrap());
    LiberoTask::load(&file(root), &assets, &builtin_robot().unwrap(), starts)
}

fn drawn(root: &TempDir, starts: &Starts, seed: u64) -> TaskInstance {
    load(root, starts).unwrap().instantiate(seed).unwrap()
}

fn check_begins_as_row(root: &TempDir, starts: &Starts, seed: u64, i: usize) {
    let task = load(root, starts).unwrap();
    let instance = task.instantiate(seed).unwrap();
    let scene = &instance.scene;
    let row = row(i);
    assert_eq!(scene.start_joints.as_deref(), Some(&row[1..8]), "the arm");
    let terms = task.terms(&instance).unwrap();
    let rest = terms.servo.rest;
    assert_eq!(rest, row[1..8], "the controller's rest position");
    let [x, y, z] = at(scene, "brick_1");
    near("x", x, row[BRICK], 1e-12);
    near("y", y, row[BRICK + 1], 1e-12);
    near("z of an object at rest on the table", z, 0.911, 1e-6);
    let brick = object(scene, "brick_1").world_from_object;
    let (.., yaw) = brick.rotation.euler_angles();
    near("yaw", yaw, std::f64::consts::FRAC_PI_2, 1e-9);
    assert_eq!(scene.joints[0].start.to_bits(), row[DRAWER].to_bits());
    // Half a turn maps -y to +y.
    let ahead = at(scene, "chest_1_tray")[1] - at(scene, "chest_1")[1];
    near("y of the drawer", ahead, -row[DRAWER], 1e-9);
    let chest_x = at(scene, "chest_1")[0];
    within("x of a fixture, which is drawn", chest_x, 0.2..=0.22);
    let begins_as = instance.begins_as.as_ref().unwrap();
    assert_eq!(begins_as.row, i);
    let name = "init_files/own/STUDY_SCENE2_move_the_brick.pruned_init";
    assert_eq!(Path::new(&begins_as.file), Path::new(name));
}

#[test]
fn a_seed_begins_as_its_row_of_the_file_beside_the_problems() {
    let root = root();
    fs::write(kept(&root), archived(&pickled(&rows(3)))).unwrap();
    for (seed, i) in [(0, 0), (2, 2), (4, 1)] {
        check_begins_as_row(&root, &Starts::Auto, seed, i);
    }
    let [a, b] = [0, 3].map(|seed| at(&drawn(&root, &Starts::Auto, seed).scene, "chest_1"));
    assert_ne!(a, b, "one row, two draws of a fixture");
}

#[test]
fn a_file_in_another_folder_and_a_bare_pickle_are_read() {
    let root = root();
    let other = tempfile::tempdir().unwrap();
    let states = other.path().join("init_files/own");
    fs::create_dir_all(&states).unwrap();
    let states = states.join("STUDY_SCENE2_move_the_brick.pruned_init");
    fs::write(states, pickled(&rows(2))).unwrap();
    let folder = Starts::Folder(other.path().join("init_files"));
    check_begins_as_row(&root, &folder, 1, 1);
}

#[test]
fn without_a_file_or_by_wish_starts_are_drawn() {
    let root = root();
    let without = drawn(&root, &Starts::Auto, 1);
    fs::write(kept(&root), archived(&pickled(&rows(1)))).unwrap();
    let wished = drawn(&root, &Starts::Drawn, 1);
    assert_eq!(without, wished);
    assert_eq!(wished.begins_as, None);
    assert_ne!(drawn(&root, &Starts::Auto, 1).scene, wished.scene);
}

#[track_caller]
fn check_refused(bytes: &[u8], parts: &str) {
    let root = root();
    fs::write(kept(&root), bytes).unwrap();
    let message = load(&root, &Starts::Auto).unwrap_err().to_string();
    says(&message, &["own/STUDY_SCENE2_move_the_brick.pruned_init"]);
    says(&message, &parts.split("; ").collect::<Vec<_>>());
}

fn with(i: usize, number: f64) -> Vec<u8> {
    let mut rows = rows(2);
    rows[1][i] = number;
    archived(&pickled(&rows))
}

#[test]
fn what_is_wrong_in_a_file_is_reported_with_what_would_be_right() {
    let short: Vec<_> = rows(2).iter().map(|row| row[..N - 1].to_vec()).collect();
    let parts = "46 numbers, expected 47; brick_1, brick_2; chest_1_slide";
    check_refused(&archived(&pickled(&short)), parts);
    check_refused(&with(3, f64::NAN), "row 1; number 3 is NaN; finite");
    let parts = "row 1; quaternion of `brick_2`; numbers 20 to 23; length 0.500";
    check_refused(&with(BRICK + 10, 0.5), parts);
    let parts = "chest_1_slide; number 24; 0.3000; -0.2 to 0.01";
    check_refused(&with(DRAWER, 0.3), parts);
    check_refused(b"", "truncated");
    let whole = archived(&pickled(&rows(2)));
    check_refused(&whole[..whole.len() / 2], "archive");
    let pickle = pickled(&rows(2));
    check_refused(&pickle[..pickle.len() / 2], "at byte; truncated");
    let command = archived(b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.");
    check_refused(&command, "its `data.pkl`: at byte 2; `os.system`; no code");
}

#[test]
fn a_folder_without_the_file_is_reported() {
    let root = root();
    let other = tempfile::tempdir().unwrap();
    let folder = Starts::Folder(other.path().to_owned());
    let message = load(&root, &folder).unwrap_err().to_string();
    says(&message, &["STUDY_SCENE2_move_the_brick.pruned_init"]);
    says(&message, &["--init-states drawn"]);
}
