//! MuJoCo's models on the command line.

use std::fs;
use std::path::Path;

use super::check;
use crate::argv;

fn cell() -> String {
    let path = regrasp_assets::workspace_root().join("tests/data/mjcf/cell.xml");
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_model_is_checked_imported_drawn_and_worked_in() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let said = check(
        dir,
        &["check", &cell()],
        0,
        &["red_cube", "slide", "robot `other_arm`"],
    );
    assert!(
        said.contains("geom solref") && said.contains("parts.xml:4"),
        "{said}"
    );
    check(
        dir,
        &["import", "mjcf", &cell(), "-o", "cell.yaml"],
        0,
        &["scene: cell.yaml"],
    );
    check(
        dir,
        &["check", "cell.yaml"],
        0,
        &["scene `cell`", "red_cube: reachable"],
    );
    check(
        dir,
        &argv("render cell.yaml --camera front --size 64 64 --out cell.png"),
        0,
        &["cell.png"],
    );
    assert!(fs::metadata(dir.join("cell.png")).unwrap().len() > 500);
    let goal = [
        "run",
        "put the red cube on the plate",
        "--scene",
        "cell.yaml",
    ];
    check(dir, &goal, 0, &["GOAL: holds"]);
    // Of this model everything was kept; of others, a run says again what was not.
    let mut scene = fs::read_to_string(dir.join("cell.yaml")).unwrap();
    assert!(!scene.contains("not_kept"), "{scene}");
    scene += "not_kept: [\"option wind: there is none\"]\n";
    fs::write(dir.join("cell.yaml"), scene).unwrap();
    let open = ["run", "open the drawer", "--scene", "cell.yaml"];
    let words = [
        "GOAL: holds",
        "not kept in `cell.yaml`: option wind: there is none",
    ];
    check(dir, &open, 0, &words);
}

#[test]
fn a_folder_of_models_is_one_table_and_what_is_broken_in_it_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    check(dir, &["check", "."], 12, &["no file that ends in .xml"]);
    let cell = cell();
    let folder = Path::new(&cell).parent().unwrap();
    fs::create_dir_all(dir.join("models/meshes")).unwrap();
    fs::create_dir_all(dir.join("models/images")).unwrap();
    for name in [
        "cell.xml",
        "parts.xml",
        "meshes/label.msh",
        "images/label.png",
    ] {
        fs::copy(folder.join(name), dir.join("models").join(name)).unwrap();
    }
    let words = ["1 of 1 models", "1 file(s) only for others to include"];
    check(dir, &["check", "models"], 0, &words);
    let mesh = fs::read(dir.join("models/meshes/label.msh")).unwrap();
    fs::write(dir.join("models/meshes/label.msh"), &mesh[..50]).unwrap();
    check(
        dir,
        &["check", "models/cell.xml"],
        12,
        &["cell.xml:5", "truncated"],
    );
    check(
        dir,
        &["import", "mjcf", "models/cell.xml", "-o", "a.yaml"],
        12,
        &["truncated"],
    );
    assert!(!dir.join("a.yaml").exists());
    let words = ["0 of 1 models", "cell.xml: failed to load"];
    check(dir, &["check", "models"], 12, &words);
}
