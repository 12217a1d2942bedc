"""Rigid transforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Pose:
    """A rigid transform; a pose in World unless stated otherwise."""

    position: npt.NDArray[np.float64]
    """Shape (3,), m."""
    quat_xyzw: npt.NDArray[np.float64]
    """Shape (4,), unit length: x, y, z, w."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> Pose:
        """Parses the JSON form that run folders have."""
        return Pose(
            np.asarray(told["translation"], dtype=np.float64),
            np.asarray(told["rotation"], dtype=np.float64),
        )

    def matrix(self) -> npt.NDArray[np.float64]:
        """The homogeneous matrix, shape (4, 4)."""
        x, y, z, w = self.quat_xyzw
        matrix = np.eye(4)
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, 3] = self.position
        return matrix
