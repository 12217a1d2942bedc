"""Writes MuJoCo's results for small models, as references for the tests of `regrasp-mjcf`.

    pip install mujoco && python3 scripts/mujoco_figures.py crates/sim/mjcf/tests/data/mujoco.json

`cases`: every kind of geom by size, by two points and fitted to a mesh, every mode of a mesh's
inertia, copies and attached models. `chains`: positions of sites on bodies with several joints.
`unchanged`: attributes that change nothing that a scene takes from a model, so that an importer may
ignore them. `ranges`: limits of joints.
"""
import json, os, sys, tempfile
import mujoco

# Outline of an L, whose centre of mass differs from the mean of its corners. Its mesh is written
# closed, and without the lid.
PLAN = [(0, 0), (0.09, 0), (0.09, 0.02), (0.03, 0.02), (0.03, 0.07), (0, 0.07)]
TOP = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]


def angle(lid):
    lines = [f"v {x} {y} {z}" for z in (0, 0.025) for x, y in PLAN]
    faces = [(c, b, a) for a, b, c in TOP] + ([(a + 6, b + 6, c + 6) for a, b, c in TOP] if lid else [])
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    return "\n".join(lines + ["f " + " ".join(str(i + 1) for i in face) for face in faces]) + "\n"


PEG = """<mujoco model="peg"><compiler angle="radian"/><default><geom density="500"/></default><worldbody>
<body name="peg" pos="0.01 0.02 0.03" euler="0 0 1"><freejoint name="free"/><geom type="box" size="0.01 0.02 0.03"/></body>
<body name="pin" pos="0.1 0.2 0.3"><freejoint/><geom size="0.02" pos="0.01 0 0"/></body></worldbody></mujoco>"""
FILES = {"angle.obj": angle(True), "open.obj": angle(False), "peg.xml": PEG}
FOLDER = tempfile.mkdtemp()
for name, text in FILES.items():
    with open(os.path.join(FOLDER, name), "w") as file:
        file.write(text)


def compiled(text):
    path = os.path.join(FOLDER, "model.xml")
    with open(path, "w") as file:
        file.write(text)
    return mujoco.MjModel.from_xml_path(path)


def listed(array):
    return [round(float(x), 12) for x in array]


cases = []


def case(name, text):
    """Adds a case with masses and poses of all bodies, or with None if MuJoCo refuses the model."""
    try:
        model = compiled(text)
    except ValueError:
        cases.append({"name": name, "xml": text, "bodies": None})
        return
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies = []
    for i in range(1, model.nbody):
        body = {"name": model.body(i).name, "pos": listed(data.xpos[i]), "quat": listed(data.xquat[i]),
                "mass": float(model.body_mass[i]), "moments": sorted(listed(model.body_inertia[i])),
                "center": listed(model.body_ipos[i])}
        for g in range(model.ngeom):
            if model.geom_bodyid[g] == i and "kind" not in body:
                body["kind"] = mujoco.mjtGeom(model.geom_type[g]).name.removeprefix("mjGEOM_").lower()
                body["size"] = listed(model.geom_size[g])
        bodies.append(body)
    cases.append({"name": name, "xml": text, "bodies": bodies})


def of_geom(name, geom, mesh="", compiler=""):
    asset = f'<asset><mesh name="l" file="{"open" if "open" in name else "angle"}.obj" {mesh}/></asset>'
    case(name, f'<mujoco><compiler {compiler}/>{asset}<worldbody><body name="it" pos="0.1 0.2 0.3" euler="0 30 0">'
               f'<freejoint/><geom {geom}/></body></worldbody></mujoco>')


KINDS = ["sphere", "capsule", "cylinder", "ellipsoid", "box"]
PLACE = 'pos="0.02 0 0.01" euler="20 0 40"'
for kind in KINDS:
    for size in ["0.03", "0.03 0.05", "0.03 0.05 0.07"]:
        of_geom(f"{kind} {size}", f'type="{kind}" size="{size}" {PLACE}')
        of_geom(f"{kind} {size} fromto", f'type="{kind}" size="{size}" fromto="0 0 0 0.1 0.05 0.02"')
    of_geom(f"{kind} shell", f'type="{kind}" size="0.03 0.05 0.07" shellinertia="true" density="3" {PLACE}')
    of_geom(f"{kind} shell fromto", f'type="{kind}" size="0.03" fromto="0 0 0 0.1 0.05 0.02" shellinertia="true" density="3"')
    of_geom(f"{kind} weighed", f'type="{kind}" size="0.03 0.05 0.07" mass="0.2" {PLACE}')
    of_geom(f"{kind} mesh fromto", f'type="{kind}" mesh="l" fromto="0 0 0 0.1 0.05 0.02"')
for kind in KINDS + ["mesh"]:
    for mode in ["", "legacy", "exact", "convex", "shell"]:
        mesh = mode and f'inertia="{mode}"'
        of_geom(f"{kind} mesh {mode}", f'type="{kind}" mesh="l" {PLACE}', mesh)
        if mode != "exact":
            of_geom(f"{kind} open mesh {mode}", f'type="{kind}" mesh="l" {PLACE}', mesh)
    of_geom(f"{kind} mesh of a box", f'type="{kind}" mesh="l" {PLACE}', "", 'fitaabb="true"')
    of_geom(f"{kind} mesh scaled", f'type="{kind}" mesh="l" fitscale="1.5" mass="0.1" {PLACE}', 'scale="1 -2 1.5"')
    of_geom(f"{kind} mesh moved", f'type="{kind}" mesh="l" {PLACE}', 'refpos="0.01 0.02 0.03" refquat="0.8 0 0.6 0"')
    of_geom(f"{kind} mesh moved and scaled", f'type="{kind}" mesh="l" {PLACE}',
            'refpos="0.01 0.02 0.03" refquat="0.8 0.1 0.6 0.2" scale="1 -2 1.5"')
    if kind != "mesh":
        of_geom(f"{kind} mesh shell geom", f'type="{kind}" mesh="l" shellinertia="true" {PLACE}')
CORNERS = 'vertex="0 0 0 0.1 0 0 0 0.08 0 0 0 0.06 0.02 0.02 0.01"'
for name, mesh in [("corners", CORNERS), ("corners and faces", CORNERS + ' face="0 2 1 0 1 3 0 3 2 1 2 3"'),
                   ("corners scaled", CORNERS + ' scale="2 1 1" refpos="0.1 0 0"'),
                   ("half a corner", 'vertex="0 0 0 0.1 0 0 0 0.08 0 0 0 0.06 1"'), ("no such corner", CORNERS + ' face="0 1 7"')]:
    case(name, f'<mujoco><asset><mesh name="l" {mesh}/></asset><worldbody><body name="it" pos="0.1 0.2 0.3"><freejoint/>'
               '<geom type="mesh" mesh="l"/></body></worldbody></mujoco>')
for moments in ["1e-4 2e-4 2.5e-4", "1e-4 1e-4 9e-4"]:
    for balanced in ["true", "false"]:
        case(f"moments {moments}, balanced {balanced}", f'<mujoco><compiler balanceinertia="{balanced}"/><worldbody><body name="it" pos="0.1 0.2 0.3">'
             f'<freejoint/><inertial pos="0 0 0.01" mass="0.2" diaginertia="{moments}"/><geom type="box" size="0.02 0.03 0.04"/></body></worldbody></mujoco>')
of_geom("untyped", 'size="0.03"')
of_geom("untyped mesh", 'mesh="l"')
of_geom("untyped fromto", 'size="0.03" fromto="0 0 0 0 0 1"')

# Classes of defaults: an element takes missing attributes, and missing parts of them, from its class.
def of_class(name, default, geom, compiler="", around=""):
    case(f"class: {name}", f'<mujoco><compiler {compiler}/><default>{default}</default><worldbody><body name="it" pos="0.1 0.2 0.3" {around}>'
                           f'<freejoint/>{geom}</body></worldbody></mujoco>')


for kind in KINDS:
    sized = f'<geom type="{kind}" size="0.03 0.05 0.07"/>'
    for size in ["", 'size="0.04"', 'size="0.04 0.06"', 'size=""']:
        of_class(f"{kind} {size}", sized, f"<geom {size} {PLACE}/>")
        of_class(f"{kind} {size} fromto", sized, f'<geom {size} fromto="0 0 0 0.1 0.05 0.02"/>')
    of_class(f"{kind} nested", f'{sized}<default class="flat"><geom size="0.02" density="300"/></default>', '<geom class="flat"/>')
    of_class(f"{kind} ends", f'<geom type="{kind}" size="0.02" fromto="0 0 0 0 0 0.2"/>', "<geom/>")
TURNS = ['quat="0.5 0.1 0.2 0.3"', 'euler="10 20 30"', 'axisangle="1 2 3 40"', 'xyaxes="1 0.1 0 0 2 1"', 'zaxis="1 2 -0.5"', 'zaxis="0 0 -1"']
for own in TURNS:
    of_class(f"turned {own}", "", f'<geom type="box" size="0.01 0.02 0.03" {own}/>', 'eulerseq="zXy"')
    for other in TURNS[:5]:
        of_class(f"turned {own} over {other}", f'<geom type="box" size="0.01 0.02 0.03" {other}/>', f"<geom {own}/>")
of_class("two turns", "", f'<geom size="0.01" {TURNS[0]} {TURNS[1]}/>')
for seq in ["xyz", "zyx", "XYZ", "ZYX", "zxz", "xYz"]:
    of_class(f"eulerseq {seq}", "", '<geom type="box" size="0.01 0.02 0.03" pos="0.1 0 0"/>', f'eulerseq="{seq}"', 'euler="10 20 30"')
of_class("radian", "", '<geom type="box" size="0.01 0.02 0.03" axisangle="1 2 3 0.4"/>', 'angle="radian"', 'euler="0.1 0.2 0.3"')
for name in ["pos", "quat", "mass", "density", "mesh", "fromto"]:
    of_class(f"empty {name}", "", f'<geom size="0.02" {name}=""/>')
CHILD = '<geom density="500" type="box" size="0.01 0.02 0.03"/><default class="light"><geom density="100"/></default>'
of_class("childclass", CHILD, "<geom/>", "", 'childclass="light"')
of_class("childclass and class", CHILD, '<geom/><frame childclass="main" pos="0 0 1"><geom/></frame><geom class="main"/>', "", 'childclass="light"')
of_class("mass over density", '<geom mass="2" size="0.1"/>', '<geom density="5"/>')

# Explicit masses, and groups of geoms that count towards the mass.
SOLID = '<geom type="box" size="0.02 0.03 0.04"/><geom size="0.02" pos="0.1 0 0" group="3"/>'
for compiler in ["", 'inertiafromgeom="true"', 'inertiafromgeom="false"', 'inertiagrouprange="0 2"', 'inertiagrouprange="3 3"',
                 'inertiafromgeom="true" inertiagrouprange="3 5"']:
    of_class(f"inertial {compiler}", "", '<inertial pos="0 0 0.01" euler="0 30 0" mass="0.2" diaginertia="1e-4 2e-4 2.5e-4"/>' + SOLID, compiler)
    if "false" not in compiler:
        of_class(f"geoms {compiler}", "", SOLID, compiler)
of_class("fullinertia", "", '<inertial pos="0 0 0.01" mass="0.2" fullinertia="1e-4 2e-4 2.5e-4 1e-5 2e-5 3e-5"/>' + SOLID)
of_class("no moments", "", '<inertial pos="0 0 0.01" mass="0.2"/>' + SOLID)
of_class("massless geom", "", '<geom size="0.01" mass="0"/><geom size="0.02" pos="0 0 0.1"/>')

BLOCK = '<body name="b" pos="0.5 0 0.1" euler="0 0 10"><freejoint name="j"/><geom type="box" size="0.02 0.03 0.04"/></body>'
PIN = '<asset><model name="p" file="peg.xml"/></asset>'


def of_world(name, inside, asset=""):
    case(name, f"<mujoco>{asset}<worldbody>{inside}</worldbody></mujoco>")


for count in [0, 1, 2, 10, 11]:
    of_world(f"replicate {count}", f'<replicate count="{count}" offset="0.1 0 0.02" euler="0 0 30">{BLOCK}</replicate>')
of_world("replicate in replicate", '<replicate count="2" offset="1 0 0" sep="_"><replicate count="3" euler="0 0 90" sep="-">'
         f"{BLOCK}</replicate></replicate>")
of_world("replicate in frames", f'<frame pos="1 0 0" euler="0 0 90"><replicate count="2" offset="0 1 0"><frame pos="0 0 1">{BLOCK}'
         "</frame></replicate></frame>")
ATTACH = '<attach model="p" body="peg" prefix="l_"/>'
of_world("attach", ATTACH, PIN)
of_world("attach in frames", f'<frame pos="0 0 1" euler="0 0 90"><frame euler="0 40 0">{ATTACH}</frame></frame>', PIN)
of_world("attach all", '<frame pos="0 0 1" euler="0 0 90"><attach model="p" prefix="l_"/></frame>', PIN)
of_world("attach copies", f'<replicate count="3" offset="0 1 0" sep="_">{ATTACH}</replicate>', PIN)
of_world("attach two", ATTACH + '<frame pos="1 1 1"><attach model="p" body="pin" prefix="r_"/></frame>', PIN)

of_world("replicate bodies in a body", '<body name="a" pos="1 0 0"><freejoint/><geom size="0.1"/><replicate count="3" offset="0 0.3 0" euler="0 0 20">'
         '<geom type="box" size="0.01 0.02 0.03" pos="0.2 0 0"/></replicate></body>')
of_world("replicate turned about x and z", f'<replicate count="4" offset="0 0.1 0.05" euler="15 0 30" sep="_">{BLOCK}</replicate>')
of_world("replicate from one corner", f'<replicate count="3" offset="0.1 0 0"><replicate count="2" offset="0 0.1 0">{BLOCK}</replicate></replicate>')
of_world("a frame with a class", f'<frame pos="0 0 1" childclass="c">{BLOCK}</frame>', '<default><default class="c"><geom density="50"/></default></default>')
of_world("attach with an empty prefix", '<frame pos="0 0 1"><attach model="p" body="pin" prefix=""/></frame>', PIN)
of_world("a free joint of a limited class", '<body name="it"><joint type="free"/><geom size="0.1"/></body>', '<default><joint limited="true" damping="1"/></default>')
of_world("names that are empty", '<body name="it"><freejoint name=""/><geom name="" material="" size="0.1"/><geom name="" size="0.2"/></body>')
of_world("attach in a copy", '<replicate count="2" offset="0 0 1"><frame euler="0 90 0"><attach model="p" body="peg" prefix="q_"/></frame></replicate>', PIN)
of_world("attach what is not there", '<attach model="p" body="nail" prefix="q_"/>', PIN)

# Attributes, each with a value that differs from its default.
MAYBE = {
    "compiler": {"usethread": "false", "fusestatic": "true", "alignfree": "true", "saveinertial": "true",
                 "discardvisual": "true", "boundmass": "100", "boundinertia": "2", "settotalmass": "5"},
    "option": {"timestep": "0.01", "impratio": "2", "tolerance": "0.1", "ls_tolerance": "0.1", "noslip_tolerance": "0.1",
               "ccd_tolerance": "0.1", "o_margin": "1", "o_solref": "1 1", "o_solimp": "0.1 0.2 0.3", "o_friction": "1 1 1 1 1",
               "integrator": "RK4", "cone": "elliptic", "jacobian": "dense", "solver": "PGS", "iterations": "5", "ls_iterations": "5",
               "noslip_iterations": "5", "ccd_iterations": "5", "sdf_iterations": "5", "sdf_initpoints": "5",
               "actuatorgroupdisable": "1", "magnetic": "1 1 1", "density": "1", "viscosity": "1", "wind": "1 1 1", "gravity": "0 0 0"},
    "body": {"user": "1", "sleep": "never", "gravcomp": "1"},
    "joint": {"solreflimit": "1 1", "solimplimit": "0.1 0.2 0.3", "solreffriction": "1 1", "solimpfriction": "0.1 0.2 0.3",
              "margin": "0.01", "group": "3", "user": "1", "actuatorfrclimited": "false", "actuatorfrcrange": "-1 1",
              "actuatorgravcomp": "true", "springdamper": "1 1"},
    "freejoint": {"group": "3", "align": "true"},
    "geom": {"solref": "1 1", "solimp": "0.1 0.2 0.3", "solmix": "2", "margin": "0.01", "gap": "0.01", "priority": "1",
             "condim": "1", "user": "1"},
    "site": {"user": "1"},
    "camera": {"ipd": "0.1", "user": "1", "output": "rgb depth"},
    "mesh": {"smoothnormal": "true", "maxhullvert": "5", "octree_maxdepth": "3"},
    "texture": {"width": "8", "height": "8", "mark": "edge", "markrgb": "1 0 0", "random": "0.1", "nchannel": "3", "colorspace": "sRGB"},
    "material": {"reflectance": "0.3", "shininess": "0.1", "emission": "0.2", "metallic": "0.3", "roughness": "0.3"},
}
TAKEN = ["body_mass", "body_inertia", "body_gravcomp", "geom_type", "geom_size",
         "geom_friction", "geom_contype", "geom_conaffinity", "geom_condim", "geom_priority", "geom_rgba", "geom_group",
         "jnt_type", "jnt_axis", "jnt_pos", "jnt_range", "jnt_stiffness", "dof_damping", "dof_frictionloss", "dof_armature",
         "site_pos", "site_size", "cam_pos", "cam_fovy", "mat_rgba", "mat_texrepeat", "mat_specular"]
PLACED = ["xipos", "geom_xpos", "geom_xmat", "site_xpos", "cam_xpos", "xaxis"]
TAKEN_OPTIONS = ["gravity", "density", "viscosity", "wind"]


def taken(tag, attribute):
    def has(of):
        return attribute if tag == of else ""
    return compiled(f"""<mujoco><compiler {has("compiler")}/><option {has("option")}/><asset>
        <mesh name="l" file="angle.obj" {has("mesh")}/><texture name="t" type="2d" builtin="checker" rgb1="1 0 0" {has("texture")}
        {"" if "width" in attribute else 'width="4"'} {"" if "height" in attribute else 'height="4"'}/>
        <material name="m" texture="t" {has("material")}/></asset><worldbody>
        <body name="a" {has("body")}><joint axis="0 1 0" range="-90 90" stiffness="1" {has("joint")}/>
        <geom type="mesh" mesh="l" material="m" {has("geom")}/><geom type="box" size="0.1 0.1 0.2" pos="1 0 0"/>
        <site pos="0 0 1" {has("site")}/><camera pos="0 0 1" {has("camera")}/></body>
        <body name="b" pos="1 2 3"><freejoint {has("freejoint")}/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/></body>
        </worldbody></mujoco>""")


def placed(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {x: getattr(data, x).round(9).tolist() for x in PLACED}


base, unchanged = taken("", ""), []
for tag, attributes in MAYBE.items():
    for name, value in attributes.items():
        try:
            model = taken(tag, f'{name}="{value}"')
        except ValueError as error:
            print(f"{tag} {name}: {str(error).splitlines()[0]}")
            continue
        differ = [x for x in TAKEN if getattr(model, x).tolist() != getattr(base, x).tolist()]
        differ += [x for x in PLACED if placed(model)[x] != placed(base)[x]]
        differ += [x for x in TAKEN_OPTIONS if str(getattr(model.opt, x)) != str(getattr(base.opt, x))]
        if differ:
            print(f"{tag} {name} changes {', '.join(differ)}")
        else:
            unchanged.append(f"{tag} {name}")

# Bodies with several joints: the position of a site, with the joints at given positions.
CHAINS = {
    "two hinges": ['type="hinge" axis="0 0 1" pos="0.01 0.02 0.03"', 'type="hinge" axis="0 1 0" pos="-0.02 0 0.01"'],
    "a slide, then a hinge": ['type="slide" axis="1 1 0"', 'type="hinge" axis="1 0 0" pos="0 0.05 0"'],
    "a hinge, then a slide": ['type="hinge" axis="1 0 2" pos="0 0.05 0"', 'type="slide" axis="0 1 0"'],
    "three slides and a hinge": ['type="slide" axis="1 0 0"', 'type="slide" axis="0 1 0"', 'type="slide" axis="0 0 1"', 'type="hinge" axis="1 2 3" pos="0.1 0 0"'],
    "with a reference": ['type="hinge" axis="0 0 1" ref="20"', 'type="hinge" axis="0 1 0" pos="0.03 0 0" ref="-10"'],
}
AT = [0.3, -0.2, 0.15, 0.4]
chains = []
for name, joints in CHAINS.items():
    elements = "".join(f'<joint name="j{i}" range="-1 1" {joint}/>' for i, joint in enumerate(joints)).replace('range="-1 1" type="hinge"', 'range="-50 50" type="hinge"')
    text = f"""<mujoco><worldbody><body name="post" pos="0.5 0.1 0.2" euler="10 20 30"><geom size="0.02"/>
        <body name="it" pos="0 0.1 0.2" euler="0 0 40">{elements}<geom type="box" size="0.1 0.05 0.02" pos="0.05 0 0"/>
        <site name="mark" type="box" size="0.01 0.01 0.01" pos="0.1 0.2 0.3"/></body></body></worldbody></mujoco>"""
    model = compiled(text)
    data = mujoco.MjData(model)
    data.qpos[:] = AT[:len(joints)]
    mujoco.mj_forward(model, data)
    chains.append({"name": name, "xml": text, "at": AT[:len(joints)], "pos": listed(data.site_xpos[0])})

# Limits of joints: `None` if MuJoCo refuses the model.
ranges = []
for kind in ["hinge", "slide"]:
    for limits in ["", 'range="-30 30"', 'range="30 -30"', 'range="0 0"', 'range="20 20"', 'range=""']:
        for limited in ["", 'limited="auto"', 'limited="true"', 'limited="false"']:
            for compiler in ["", 'autolimits="false"', 'angle="radian"']:
                text = (f'<mujoco><compiler {compiler}/><worldbody><body name="a"><geom size="0.1"/><body name="it"><joint name="j" type="{kind}" {limits} {limited}/>'
                        '<geom size="0.1"/></body></body></worldbody></mujoco>')
                try:
                    model = compiled(text)
                    found = listed(model.jnt_range[0]) if model.jnt_limited[0] else []
                except ValueError:
                    found = None
                ranges.append({"xml": text, "range": found})

with open(sys.argv[1], "w") as file:
    lines = ",\n".join(json.dumps(one) for one in cases)
    file.write(f'{{"mujoco": {json.dumps(mujoco.__version__)}, "files": {json.dumps(FILES)},\n"unchanged": {json.dumps(unchanged)}, "chains": {json.dumps(chains)},\n"ranges": {json.dumps(ranges)},\n'
               f'"cases": [\n{lines}\n]}}\n')
