"""Loads a data set of Regrasp with LeRobot and checks its content.

    pip install "lerobot[dataset]==0.6.1"        # needs Python 3.12; or lerobot==0.4.4, from 3.10 on
    regrasp dataset record --tasks pick_cube_scrambled --episodes 20 -o demonstrations
    python scripts/check_lerobot.py demonstrations [pyav]

Pass `pyav` where FFmpeg's libraries are missing, which LeRobot's default video reader needs.

Reads every episode's first, middle and last frame with its pictures. Exits with an assertion if a
task has no text, a picture has a wrong shape, or a time is wrong.
"""

import pathlib
import sys

import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset


def main(path, video_backend=None):
    root = pathlib.Path(path)
    dataset = LeRobotDataset(f"local/{root.name}", root=root, video_backend=video_backend)
    meta = dataset.meta
    print(f"{meta.total_episodes} episodes, {meta.total_frames} frames, {meta.fps} Hz, features:")
    for name, feature in meta.features.items():
        print(f"  {name}: {feature['dtype']} {feature['shape']}")
    assert len(dataset) == meta.total_frames
    for episode in range(meta.total_episodes):
        row = meta.episodes[episode]
        first, end = row["dataset_from_index"], row["dataset_to_index"]
        for index in sorted({first, (first + end) // 2, end - 1}):
            item = dataset[index]
            assert isinstance(item["task"], str) and item["task"], f"frame {index} has the task {item['task']!r}"
            assert item["episode_index"].item() == episode
            time = (index - first) / meta.fps
            assert abs(item["timestamp"].item() - time) < 1e-4
            assert item["observation.state"].dtype == torch.float32
            assert item["next.done"].item() == (index == end - 1)
            for key in meta.video_keys:
                height, width, _ = meta.features[key]["shape"]
                assert item[key].shape == (3, height, width), item[key].shape
                assert 0.02 < item[key].mean().item() < 0.98, f"the picture {key} of frame {index} is black or white"
    item = dataset[0]
    print(f"task: {item['task']!r}, reason: {item['reason']!r}, subtask: {item['subtask']!r}")
    print(f"state: {item['observation.state'].tolist()}")
    print("everything agrees")


if __name__ == "__main__":
    main(*sys.argv[1:])
