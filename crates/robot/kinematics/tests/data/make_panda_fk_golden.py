"""Write panda_fk_golden.json: forward kinematics of the Panda by Pinocchio.

The URDF is Franka's own model as the PyPI package `example-robot-data` ships it,
so neither the model nor the arithmetic is ours.

    pip install pin==4.1.0
    pip download --no-deps example-robot-data==6.0.0 && unzip example_robot_data-*.whl -d erd
    python make_panda_fk_golden.py \
        erd/cmeel.prefix/share/example-robot-data/robots/panda_description/urdf/panda.urdf \
        "PyPI example-robot-data 6.0.0" panda_fk_golden.json

Poses are [x, y, z, qx, qy, qz, qw] of the frame in the base link's frame
(metres); configurations are the arm's seven joints in radians, uniform within
their limits from a fixed seed. Numbers carry full double precision.
"""

import json
import sys

import numpy as np
import pinocchio as pin

SEED = 20190
N_CONFIGURATIONS = 1000
FRAMES = {"base_from_flange": "panda_link8", "base_from_hand": "panda_hand"}


def pose(placement):
    quaternion = pin.Quaternion(placement.rotation).normalized()
    return [*placement.translation.tolist(), *quaternion.coeffs().tolist()]


def main(urdf_path, urdf_source, out_path):
    model = pin.buildModelFromUrdf(urdf_path)
    data = model.createData()
    rng = np.random.default_rng(SEED)
    rows = []
    for _ in range(N_CONFIGURATIONS):
        q = pin.neutral(model)
        q[:7] = rng.uniform(model.lowerPositionLimit[:7], model.upperPositionLimit[:7])
        pin.framesForwardKinematics(model, data, q)
        row = {"q": q[:7].tolist()}
        for key, frame in FRAMES.items():
            row[key] = pose(data.oMf[model.getFrameId(frame)])
        rows.append(row)
    header = {
        "made_with": f"pinocchio {pin.__version__}",
        "urdf": urdf_source,
        "pose_layout": "x y z qx qy qz qw",
        "seed": SEED,
    }
    with open(out_path, "w", encoding="utf-8") as file:
        file.write("{\n")
        for key, value in header.items():
            file.write(f" {json.dumps(key)}: {json.dumps(value)},\n")
        file.write(' "configurations": [\n  ')
        file.write(",\n  ".join(json.dumps(row, separators=(",", ":")) for row in rows))
        file.write("\n ]\n}\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
