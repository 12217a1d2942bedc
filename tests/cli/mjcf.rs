//! MuJoCo models on the command line.

use std::fs;
use std::path::PathBuf;

use crate::Shell;

fn cell() -> PathBuf {
    regrasp_assets::workspace_root().join("tests/data/mjcf/cell.xml")
}

#[test]
fn a_model_is_checked_imported_drawn_and_worked_in() {
    let shell = Shell::new();
    let cell = cell();
    let cell = cell.display();
    let words = "red_cube; slide; robot `other_arm`; geom solref; parts.xml:4";
    shell.check(&format!("check '{cell}'"), 0, words);
    let import = format!("import mjcf '{cell}' -o cell.yaml");
    shell.check(&import, 0, "scene: cell.yaml");
    shell.check("check cell.yaml", 0, "scene `cell`; red_cube: reachable");
    let render = "render cell.yaml --camera front --size 64 64 --out cell.png";
    shell.check(render, 0, "cell.png");
    assert!(shell.bytes("cell.png").len() > 500);
    let run = "run 'put the red cube on the plate' --scene cell.yaml";
    shell.check(run, 0, "GOAL: holds");
    // The import left out nothing of this model. If a scene file lists omissions, a run repeats
    // them.
    let scene = shell.read("cell.yaml");
    assert!(!scene.contains("not_kept"), "{scene}");
    let not_kept = "not_kept: [\"option wind: there is none\"]\n";
    shell.write("cell.yaml", scene + not_kept);
    let words = "GOAL: holds; not kept in `cell.yaml`: option wind: there is none";
    shell.check("run 'open the drawer' --scene cell.yaml", 0, words);
}

#[test]
fn a_folder_of_models_is_one_table_with_the_broken_ones() {
    let shell = Shell::new();
    shell.check("check .", 12, "no file name ends in .xml");
    let cell = cell();
    let folder = cell.parent().unwrap();
    for name in ["models/meshes", "models/images"] {
        fs::create_dir_all(shell.path().join(name)).unwrap();
    }
    for name in "cell.xml parts.xml meshes/label.msh images/label.png".split(' ') {
        fs::copy(folder.join(name), shell.path().join("models").join(name)).unwrap();
    }
    let words = "1 of 1 models; 1 file(s) only as part of others";
    shell.check("check models", 0, words);
    let mesh = shell.bytes("models/meshes/label.msh");
    shell.write("models/meshes/label.msh", &mesh[..50]);
    shell.check("check models/cell.xml", 12, "cell.xml:5; truncated");
    let import = "import mjcf models/cell.xml -o a.yaml";
    shell.check(import, 12, "truncated");
    assert!(!shell.has("a.yaml"));
    let words = "0 of 1 models; cell.xml: failed to load";
    shell.check("check models", 12, words);
}
