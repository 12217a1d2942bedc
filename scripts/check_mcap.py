"""Reads a recording with the official MCAP package, validates it and prints its content.

    pip install mcap jsonschema
    npm install --prefix /tmp/foxglove @foxglove/schemas@2.1.0
    cd /tmp/foxglove && node -p 'const all = require("@foxglove/schemas/jsonschema");
        JSON.stringify(Object.fromEntries(Object.entries(all).map(([k, v]) => ["foxglove." + k, v])))' > schemas.json
    python scripts/check_mcap.py runs/covered-seed0-000/recording.mcap /tmp/foxglove/schemas.json

Without `schemas.json`, messages are validated only by the schemas in the recording.

Exits with an assertion if a message is not valid by the schema in the recording or by the one that
Foxglove publishes under this name, if Foxglove publishes none, if an entity's frame has no chain of
transforms to `world`, or if the index has a wrong number of messages.
"""

import base64
import collections
import json
import sys

from jsonschema import Draft202012Validator
from mcap.reader import make_reader


def world_of(transforms, frame):
    """Returns the number of transforms between `world` and a frame."""
    parents = {t["child_frame_id"]: t["parent_frame_id"] for t in transforms}
    n = 0
    while frame != "world":
        frame, n = parents[frame], n + 1
        assert n <= len(parents), f"the transforms above {frame} form a cycle"
    return n


def main(path, published=None):
    published = json.load(open(published)) if published else {}
    counts, sizes, names, last = collections.Counter(), collections.Counter(), {}, 0
    validators, entities, transforms = {}, {}, []
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            value = json.loads(message.data)
            if schema.id not in validators:
                found = [json.loads(schema.data)]
                if published and schema.name.startswith("foxglove."):
                    found.append(published[schema.name])
                validators[schema.id] = [Draft202012Validator(schema) for schema in found]
            for validator in validators[schema.id]:
                validator.validate(value)
            if schema.name == "foxglove.SceneUpdate":
                if any(deletion["type"] == 1 for deletion in value["deletions"]):
                    entities.clear()
                entities.update({entity["id"]: entity for entity in value["entities"]})
            elif schema.name == "foxglove.FrameTransforms":
                transforms = value["transforms"]
            elif schema.name == "foxglove.CompressedImage":
                assert base64.b64decode(value["data"]).startswith(b"\x89PNG"), "not a PNG file"
            counts[channel.topic] += 1
            sizes[channel.topic] += len(message.data)
            names[channel.topic] = schema.name
            last = max(last, message.log_time)
        attachments = [a.name for a in reader.iter_attachments()]
        summary = reader.get_summary()
    if summary and summary.statistics:
        told = summary.statistics.message_count
        assert told == sum(counts.values()), f"the index has {told} messages, the file has {sum(counts.values())}"
    for topic, n in sorted(counts.items()):
        by = "recording and Foxglove" if names[topic] in published else "recording"
        kb = sizes[topic] / 1e3
        print(f"{topic:16} {names[topic]:25} {n:6} messages, {kb:8.1f} kB, valid by {by}")
    chains = [world_of(transforms, entity["frame_id"]) for entity in entities.values()]
    triangles = [len(t["indices"]) // 3 for e in entities.values() for t in e["triangles"]]
    print(
        f"{len(entities)} entities with {sum(triangles)} triangles on {len(transforms)} frames, "
        f"chains of up to {max(chains, default=0)} transforms"
    )
    print(f"{last / 1e9:.2f} s simulated, attachments: {', '.join(attachments)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
