"""The command `regrasp`: the program that cargo builds, with options for Python and Ray.

Every command takes ``--python-skill MODULE:NAME`` (any number) and ``--python-planner MODULE:NAME``
with ``--python-planner-version TEXT``, and ``regrasp bench`` takes ``--ray``. :func:`regrasp.bench`
passes pickled planners by ``--python-planner-file``.
"""

import signal
import sys
from pathlib import Path

from ._regrasp import main as _main
from .errors import SetupError
from .skills import Skill
from .sources import PlannerSource, find, source_of, unpack

_SKILL = "--python-skill"
_PLANNER = "--python-planner"
_FILE = "--python-planner-file"
_VERSION = "--python-planner-version"


def _skill(place: str) -> Skill:
    """The skill that ``MODULE:NAME`` names; a class is instantiated."""
    found = find(place, "skill")
    skill = found() if isinstance(found, type) else found
    if not isinstance(skill, Skill):
        raise SetupError(f"load the skill `{place}`: expected a `regrasp.Skill`, not {skill!r}")
    return skill


def _planner(given: dict[str, list[str]], rest: list[str]) -> PlannerSource | None:
    """The planner that the options name, if any."""
    places, files, versions = given[_PLANNER], given[_FILE], given[_VERSION]
    if len(places) + len(files) > 1 or len(versions) > 1:
        raise SetupError(f"choose a planner: {_PLANNER} and {_VERSION} may be given only once")
    if not places and not files:
        if versions:
            raise SetupError(f"use {_VERSION}: it needs {_PLANNER}")
        return None
    if any(word.split("=")[0] == "--policy" for word in rest):
        raise SetupError(f"use {_PLANNER} with --policy: a policy uses no planner")
    version = versions[0] if versions else None
    if places:
        return source_of(places[0], version)
    try:
        packed = Path(files[0]).read_bytes()
    except OSError as error:
        raise SetupError(f"read the planner {files[0]}: {error}") from error
    return unpack(packed, version)


def _own(arguments: list[str]) -> tuple[list[str], list[Skill], PlannerSource | None]:
    """Removes the options of the Python package from a command line."""
    rest: list[str] = []
    given: dict[str, list[str]] = {flag: [] for flag in (_SKILL, _PLANNER, _FILE, _VERSION)}
    words = iter(arguments)
    for word in words:
        flag, equals, value = word.partition("=")
        if flag not in given:
            rest.append(word)
            continue
        if not equals:
            value = next(words, "")
        given[flag].append(value)
    return rest, [_skill(place) for place in given[_SKILL]], _planner(given, rest)


def _bench_on_ray(arguments: list[str]) -> int:
    """Runs `regrasp bench … --ray ADDRESS [--ray-shards N] --out DIR`."""
    import argparse

    from .errors import RegraspError
    from .on_ray import bench_on_ray

    parser = argparse.ArgumentParser(prog="regrasp bench", add_help=False, allow_abbrev=False)
    parser.add_argument("--ray", required=True, metavar="ADDRESS")
    parser.add_argument("--ray-shards", type=int, default=16, metavar="N")
    parser.add_argument("--out", required=True, metavar="DIR")
    given, rest = parser.parse_known_args(arguments)
    try:
        merged = bench_on_ray(rest, given.out, address=given.ray, shards=given.ray_shards)
    except RegraspError as error:
        print(f"error: failed to {error}", file=sys.stderr)
        return 12
    print(f"the run is in {merged}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Carries out a command line (default: the process's own) and returns its exit code."""
    if arguments is None:
        arguments = sys.argv[1:]
    if arguments[:1] == ["bench"] and any(word.split("=")[0] == "--ray" for word in arguments):
        return _bench_on_ray(arguments[1:])
    try:
        arguments, skills, planner = _own(arguments)
    except SetupError as error:
        print(f"error: failed to {error}", file=sys.stderr)
        return 2
    # While Rust runs, Python would only record Ctrl-C and not act on it. Commands that have to stop
    # cleanly install their own handlers.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _main(["regrasp", *arguments], skills, planner)
