"""Exceptions."""

from __future__ import annotations

import json
from typing import Any

from .results import Figure


class RegraspError(Exception):
    """Base class of the errors of this package."""


class SetupError(RegraspError):
    """A file, a name or an option is invalid; the message states the expected value."""


class RobotFailure(RegraspError):
    """The robot could not carry out a command.

    A skill of yours raises it, too: ``raise RobotFailure("too_heavy", "it weighs 3.2 kg", ...)``.
    """

    reason: str
    """Reason, such as ``unreachable``."""
    detail: str
    """Detail, one sentence with figures."""
    figures: dict[str, Figure]
    """Measured values by name, with limit and unit."""
    entities: list[str]
    """Involved objects, such as a blocker or candidates."""
    hints: list[str]
    """Suggested remedies."""

    def __init__(
        self,
        reason: str,
        detail: str | None = None,
        *,
        figures: dict[str, float | Figure] | None = None,
        entities: list[str] | None = None,
        hints: list[str] | None = None,
    ) -> None:
        if detail is None:
            # The extension passes a whole result, as JSON, in the place of the reason.
            told: dict[str, Any] = json.loads(reason)
            self.reason = str(told["reason"])
            self.detail = str(told["reason_detail"])
            self.figures = {f["name"]: Figure.from_json(f) for f in told["measured"]}
            self.entities = list(told["entities"])
            self.hints = list(told["hints"])
        else:
            self.reason = reason
            self.detail = detail
            given = (figures or {}).items()
            self.figures = {
                name: f if isinstance(f, Figure) else Figure(float(f)) for name, f in given
            }
            self.entities = list(entities or [])
            self.hints = list(hints or [])
        super().__init__(f"{self.reason} - {self.detail}")

    def to_json(self) -> dict[str, Any]:
        """JSON form for the extension."""
        return {
            "reason": self.reason,
            "detail": self.detail,
            "entities": self.entities,
            "hints": self.hints,
            "measured": [f.to_json(name) for name, f in self.figures.items()],
        }
