"""Runs the program on a folder of cases from users and prints its answers as a Markdown table.

    python3 scripts/cases.py target/debug/regrasp-tested [FOLDER]

The default FOLDER is `tests/outside/cases`, in which `case.yaml` files state the expected answers
(`docs/reporting.md`). Folders without `case.yaml` have their rows in `ROWS` below. Cases that need
a connection (a model server, a WebSocket, a hand) are covered by a test of the repository; the
script only checks that a test with that name exists.

A case is "told in words" if the program does something other than asked and says so. Exits with 1
if an answer is wrong or is the raw message of a parser.
"""

import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Signs of a raw message of a parser.
PARSER = re.compile(r"custom: |invalid float|missing field|valid UTF-8|expected newline|;;|KeyError|Reason:|panicked")
# Expected code of a case in which the program does something other than asked, and says so.
TOLD = "told"
TABLE = "{id: table, kind: table, size: [1.3, 1.2], top_z: 0.04, xy: [0.75, 0.0]}"


def scene_of(file, scale, kind="mesh", key="file"):
    """Writes a scene with one mesh, so that a failure cannot hide another one."""
    box = f"{{id: box, kind: {kind}, {key}: {file}, scale: {scale}, mass_kg: 0.1, on: table, xy: [0.4, 0.0]}}"
    text = f"name: zoo\narm: {{position: [-0.3, 0.0, 0.0]}}\nobjects:\n  - {TABLE}\n  - {box}\n"
    return lambda folder: (folder / "scene_of_one.yaml").write_text(text)


def variants(folder):
    """Writes the robot files of a case, which are variants of the repository's own."""
    run = [sys.executable, "variants.py", str(ROOT / "tests/data/ur5e"), "out"]
    subprocess.run(run, cwd=folder, check=True)


def model(file, *says, right=None):
    return (file, ["check", file], right or "; ".join(says), 0, says, None)


def zoo(file, size="40 x 40 x 60 mm, 96.0 cm³", scale=None):
    scale = scale or (0.001 if file.endswith(".stl") else 1)
    made = scene_of(file, scale)
    return (file, ["check", "scene_of_one.yaml"], size, 0, [size], made)


def refused(what, line, *says, code=12, made=None):
    return (what, line, "refused: " + " … ".join(says), code, says, made)


def robot(name, *says):
    """Row of a robot file that is accepted, or refused with these words."""
    line = ["check", f"out/{name}.yaml"]
    if says:
        return refused(name, line, *says, made=variants)
    return (name, line, "can be used", 0, ["robot `ur5e`"], variants)


def libero(name, *says, done=True):
    line = ["bench", "--tasks", f"root/bddl_files/own/{name}.bddl", "--libero", "root", "--seeds", "1"]
    if done:
        return (name, line, "done, or told: " + " … ".join(says), TOLD, says, None)
    return refused(name, line, ".bddl:", *says)


def goal(text, *says, code=10):
    right = " … ".join(says)
    return (f"goal `{text}`", ["run", "--goal", text, "--dry-run"], right, code, says, None)


def say(text, *says, code=0):
    right = " … ".join(says)
    return (f"`{text}`", ["run", text, "--dry-run"], right, code, says, None)


def edge(family, says):
    return (family, ["plan", "edges.json", "--only", family], says, 0, [says], None)


def wire(what, right, test):
    return (what, None, right, 0, [test], None)


AMBIGUOUS = "which is `the slab`"
ROWS = {
    "01_mjcf_box_fromto": [
        model("two_sizes.xml", "200 x 20 x 20 mm, 0.0400 kg"),
        model("bars.xml", "thin_bar: 1 solid(s), 1 drawn, 200 x 20 x 20 mm, 0.0400 kg", "wide_bar: 1 solid(s), 1 drawn, 200 x 20 x 20 mm, 0.0400 kg", "egg: 1 solid(s), 1 drawn, 40 x 40 x 60 mm, 0.0503 kg"),
    ],
    "02_mjcf_mesh_primitive": [
        model("fit.xml", "untyped: 1 solid(s), 1 drawn, 68 x 68 x 68 mm", "as_box: 1 solid(s), 1 drawn, 131 x 131 x 20 mm", "as_mesh: 1 solid(s), 1 drawn, 100 x 100 x 20 mm"),
    ],
    "03_mjcf_mesh_mass": [
        ("mass.xml: " + body, ["check", "mass.xml"], f"{kg} kg", 0, [f"{kg} kg", "ignored: nothing"], None)
        for body, kg in [("plain", "0.1143"), ("exact", "0.1020"), ("convex", "0.1510"), ("shell", "0.0364"), ("tin", "0.6000")]
    ],
    "04_mjcf_replicate_attach": [
        model("rack.xml", "world: 5 solid(s)", "block_0", "block_1", "block_2", "left_peg: 1 solid(s), 1 drawn, 20 x 20 x 110 mm", "unsupported: nothing"),
        ("import, then a task", ["import", "mjcf", "rack.xml", "-o", "rack.yaml"], "an arm's place is asked for or found", 0, ["block_2"], None),
    ],
    "05_mjcf_tendon_gripper": [
        model("hand.xml", "robot `hand`: the robot file gives the arm", right="the driven hand is left out"),
        model("hand.xml", "crate: 1 solid(s), 1 drawn, 100 x 100 x 100 mm, fixed", right="the welded crate is fixed"),
        model("hand.xml", "yaw: hinge", "pitch: hinge", right="the lamp has both joints"),
    ],
    "06_xml_leniency": [model("dashes.xml", "cube: 1 solid(s)"), model("bom.xml", "cube: 1 solid(s)")],
    "07_dae_units_and_nodes": [
        (f, ["check", "scene_of_one.yaml"], size, 0, [size, "box: reachable"], scene_of(f, 1, *more))
        for f, size, *more in [
            ("plain_cm.dae", "40 x 40 x 40 mm"), ("moved_cm.dae", "40 x 40 x 40 mm"), ("nested_cm.dae", "40 x 40 x 40 mm"),
            ("twice_cm.dae", "80 x 40 x 40 mm", "convex", "mesh"), ("unused_cm.dae", "40 x 40 x 20 mm", "convex", "mesh"), ("y_up.dae", "40 x 40 x 80 mm"),
        ]
    ],
    "08_urdf_as_exported": [
        robot("a_bom_crlf"), robot("b_xacro_prefix", "line 7", "xacro"), robot("c_xacro_value", "line 10", "xacro"),
        robot("d_no_velocity", "joint `shoulder_pan`", "max_velocity_rad_per_s"), robot("e_zero_inertia", "link `shoulder`", "0.4 m r²"),
        robot("f_massless_frame", "link `shoulder`", "mass of 0 kg"), robot("g_material_empty"), robot("h_extras"), robot("i_world_joint"),
        robot("j_safety"), robot("k_latin1"), robot("l_mesh_package", "link `base`", "package_paths"),
        robot("m_mimic_minus", "finger_slide_2", "same direction"),
    ],
    "09_urdf_rotating_fingers": [robot("one_jaw", "both fingers must slide"), robot("two_hinges", "fingers must slide")],
    "10_mesh_zoo": [
        *(zoo(f) for f in "solid_facet.stl solid_name.stl solid_spaces.stl trailing.stl wrong_count.stl colours.obj comment.obj negative.obj per_face.obj mirrored.glb".split()),
        zoo("nested.glb", "40 x 40 x 30 mm"), zoo("twice.glb", "2 convex parts"),
        refused("box.ply", ["check", "scene_of_one.yaml"], "only .obj, .stl", made=scene_of("box.ply", 1)),
        refused("draco.glb", ["check", "scene_of_one.yaml"], "without compression", made=scene_of("draco.glb", 1)),
        refused("millimetres", ["check", "scene_of_one.yaml"], "scale: 0.001", made=scene_of("solid_name.stl", 1)),
    ],
    "11_llm_index_zero": [
        wire("ollama_zero, zero_same_name, from_one", "2 calls", "calls_are_read_however_a_server_writes_them"),
        wire("twice_quoted", "2 calls", "calls_are_read_however_a_server_writes_them"),
        wire("streamed", "one answer", "an_answer_that_comes_word_by_word_is_put_together"),
    ],
    "12_llm_thinking_and_markup": [
        wire("think…, fences, Hermes, Qwen, bare array, prefixed names", "the plan", "calls_written_into_words_are_calls"),
        wire("the same wrong answer", "few requests", "the_same_wrong_answer_once_more_is_the_end"),
        wire("empty", "the thinking is told", "a_model_that_only_thinks_is_told_with_what_it_thought"),
    ],
    "13_mcp_strict_clients": [wire("$ref, $defs, $schema", "none", "strict_clients_take_every_schema")],
    "14_openpi_servers": [
        wire("roboarena", "its dialect", "roboarenas_servers_are_spoken_to_in_their_dialect"),
        wire("http.server", "not a WebSocket server", "it_does_not_shake_hands"),
        wire("pictures", "2 a request", "pictures_are_wanted_only_when_a_request_is_sent"),
        wire("batched, padded_32, one_action, short", "what was sent, and what is expected", "its_arrays_are_not_what_is_expected"),
        wire("two_replies", "no later chunk is shifted", "it_answers_twice"),
        wire("drops", "one sentence with the code", "it_gives_up"),
    ],
    "17_libero_files": [
        *(libero(n, AMBIGUOUS) for n in "capitals crlf_and_comments move_the_slab_to_the_left nested_and no_and not_placed".split()),
        libero("on_each_other", "goal as `tower", "judged: on(slab_1, slab_2)"),
        libero("prompt_with_brackets", "goal as `at(slab_1", "judged: on(slab_1, main_table_left)"),
        libero("empty_goal", "is empty", done=False), libero("holds_at_once", "already holds at the start", done=False),
        libero("grasped", "not a predicate (known:", done=False), libero("near", "not a predicate (known:", done=False),
        libero("not_on", "(known:", done=False), libero("or_goal", "(known:", done=False),
        libero("unknown_class", "no model of class", done=False), libero("unknown_object", "known: main_table", done=False),
        libero("unknown_region", "known: main_table", done=False),
    ],
    "18_plan_edges": [
        *(edge(f, "solved 1/1") for f in "start_is_goal almost_goal start_at_limit start_past_limit_by_a_microradian first_goal_bad_second_good turn_of_350_degrees".split()),
        edge("goal_past_limit", "panda_joint1 at 3.2000 is 0.3027 past its limit 2.8973"), edge("goal_in_box", "against b0, 0.1490 m deep"),
        edge("start_in_box_by_1_mm", "panda_hand touches b0 at the start, 0.0560 m deep"), edge("walled_in", "panda_link1 touches b4 at the start"),
        edge("flat_box", "panda_link4 against b0"),
    ],
    "19_recordings": [
        wire("cut at many lengths", "read as far as it goes", "a_video_has_a_frame_for_each_of_its_times_also_of_a_cut_recording"),
        wire("a changed byte of an attachment", "exit 12", "any_byte_of_an_attachment_that_changes_is_refused"),
    ],
    "20_franka_hand": [
        wire("20.1", "one retry on the measured width", "a_failed_grasp_is_repeated_at_the_width_of_the_object"),
        wire("20.2", "held, with the force of the first", "a_second_grasp_that_is_denied_leaves_the_force_of_the_first"),
        wire("20.3", "object_dropped", "fingers_that_open_by_themselves_end_the_motion"),
        wire("20.4", "not held", "a_grasp_that_the_hand_denies_is_not_held"),
        wire("20.5", "arm home-hand", "a_hand_that_was_never_homed_names_the_command"),
    ],
    "22_goals_and_words": [
        goal("(and (on red_cube green_cube) (on green_cube plate))", "this is PDDL"),
        goal("(:goal (and (on red_cube plate) (not (on green_cube plate))))", "this is PDDL"),
        goal("on red_cube plate", "this is PDDL"), goal("On(red_cube, plate)", "GOAL: on(red_cube, plate)", code=0),
        goal("on(red_cube,plate) & on(green_cube,plate)", "write `and`"), goal("forall(x, on(x, plate))", "quantifiers"),
        *(goal(f"{f}(red_cube, red_cube)", "relation to itself") for f in "on in beside against inserted swapped".split()),
        goal("on(red_cube, red_cube) and on(green_cube, plate)", "relation to itself"),
        goal("on(red_cube, plate) and not on(red_cube, plate)", "cannot hold at the same time"),
        goal("in(red_cube, bowl);", "GOAL: in(red_cube, bowl)", code=0), goal("", "is not a fact"),
        say("Could you please grab the crimson block and set it down on top of the emerald one?", "on(red_cube, green_cube)"),
        say("put the green cube on the plate and place the red cube on top", "on(green_cube, plate)", "on(red_cube, green_cube)"),
        say("put the red cube onto the plate \U0001f37d\ufe0f", "on(red_cube, plate)"), say("put the red cube onto the plate \U0001f37d", "on(red_cube, plate)"),
        say("put the red cube 2 inches to the left of the green cube", "at(red_cube"), say("put the red cube 5 cm to the left of the green cube", "at(red_cube"),
        say("put the red cube in the bowl, but do not touch the green cube", "untouched(green_cube)"),
        say("put the red cube on top of itself", "brought to itself", code=10), say("put the red cube on the red cube", "brought to itself", code=10),
        say("", "has no words", code=10), say("pick the red cube up and hold it there", "not understood", code=10),
        say("make a tower of the two cubes with the red one at the bottom", "GOAL: on(green_cube, red_cube)"),
    ],
}


def read_case(folder):
    """Reads a `case.yaml` in the form that `docs/reporting.md` shows; other YAML is not read."""
    values, key, path = {"says": [], "never_says": [], "writes": []}, None, None
    literal = lambda text: ast.literal_eval(text.replace("''", "’")) if text[0] in "'[{" else text
    for line in (folder / "case.yaml").read_text().splitlines():
        text = line.strip()
        if not line.startswith(" "):
            key, _, rest = line.partition(": ")
            key = key.rstrip(":")
            if rest.strip():
                values[key] = literal(rest.strip())
        elif text.startswith("- ") and key == "writes":
            values[key].append((path, literal(text[2:]).replace("’", "'")))
        elif text.startswith("- "):
            values[key].append(literal(text[2:]).replace("’", "'"))
        else:
            path = text.rstrip(":")
    return values


def answer(binary, folder, line, made):
    """Runs the program in a copy of a folder. Returns the copy, the exit code and the output."""
    copy = pathlib.Path(tempfile.mkdtemp()) / folder.name
    shutil.copytree(folder, copy)
    if made:
        made(copy)
    done = subprocess.run([binary, *line], cwd=copy, capture_output=True, timeout=600)
    return copy, done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def verdict(code, said, wanted, says):
    is_said = all(text in said for text in says)
    if wanted == TOLD:
        return "told in words" if code == 0 and is_said else "wrong"
    if code == wanted and is_said:
        return "right" if wanted == 0 else "refused in words"
    if code == 0 or code > 100 or code < 0:
        return "wrong"
    return "parser's words" if PARSER.search(said) or wanted else "refused though fine"


def short(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def first_words(said):
    lines = [line for line in said.splitlines() if line.strip() and " INFO " not in line]
    told = [line for line in lines if "error:" in line or "judged" in line or "not understood" in line]
    return short((told or lines[-1:] or [""])[0])[:160]


def tests():
    """Returns the names of all Rust tests of the repository."""
    texts = (path.read_text() for folder in ("crates", "tests") for path in (ROOT / folder).rglob("*.rs"))
    return {name for text in texts for name in re.findall(r"#\[(?:tokio::)?test[^\n]*\n(?:#\[[^\n]*\n)*(?:async )?fn (\w+)", text)}


def rows(binary, folder):
    """Yields the rows of a case: case, expected answer, answer, verdict."""
    if (folder / "case.yaml").exists():
        case = read_case(folder)
        copy, code, said = answer(binary, folder, case["run"], None)
        now = verdict(code, said, int(case["exit"]), case["says"])
        lacks = [t for p, t in case["writes"] if t not in (copy / p).read_text()] if code == 0 else []
        if lacks or any(text in said for text in case["never_says"]):
            now = "wrong"
        yield case["report"].replace("’", "'"), "; ".join(case["says"]), first_words(said), now
        return
    known = tests()
    answers = {}
    for what, line, right, code, says, made in ROWS.get(folder.name, []):
        if line is None:
            now = "right" if says[0] in known else "wrong"
            yield what, right, f"tested by `{says[0]}`" + ("" if now == "right" else ", which does not exist"), now
            continue
        key = (*line, id(made))
        if key not in answers:
            answers[key] = answer(binary, folder, line, made)
        _, is_code, said = answers[key]
        now = verdict(is_code, said, code, says)
        lines = (line for line in said.splitlines() if any(text in line for text in says))
        seen = next(lines, None) or first_words(said)
        yield what, right, short(seen)[:160], now


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "tests/outside/cases"
    print("| case | what | expected | answer | verdict |\n|---|---|---|---|---|")
    counts = {}
    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        found = list(rows(binary, case)) or [("", "", "no row states the expected answer", "not read")]
        for what, right, now, is_so in found:
            counts[is_so] = counts.get(is_so, 0) + 1
            print(f"| {case.name} | {short(what)} | {short(right)} | {now} | {is_so} |", flush=True)
    print("\n" + ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    sys.exit(1 if counts.keys() - {"right", "told in words", "refused in words"} else 0)


main()
