"""The command `regrasp`: the same program as the one that cargo builds, and two flags of its own.

Every command takes ``--python-skill MODULE:NAME``, and ``regrasp bench`` takes ``--ray``.
"""

import importlib
import signal
import sys

from ._regrasp import main as _main
from .errors import SetupError
from .skills import Skill

_OWN_SKILL = "--python-skill"


def _own_skill(place: str) -> Skill:
    """The skill that ``MODULE:NAME`` names: one, or a class of which one is made."""
    module, _, name = place.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SetupError(f"load the skill `{place}` (expected MODULE:NAME): {error}") from error
    skill = found() if isinstance(found, type) else found
    if not isinstance(skill, Skill):
        raise SetupError(f"load the skill `{place}`: expected a `regrasp.Skill`, not {skill!r}")
    return skill


def _own_skills(arguments: list[str]) -> tuple[list[str], list[Skill]]:
    """Takes every ``--python-skill MODULE:NAME`` out of a command line."""
    rest: list[str] = []
    skills: list[Skill] = []
    words = iter(arguments)
    for word in words:
        flag, equals, place = word.partition("=")
        if flag != _OWN_SKILL:
            rest.append(word)
            continue
        if not equals:
            place = next(words, "")
        skills.append(_own_skill(place))
    return rest, skills


def _bench_on_ray(arguments: list[str]) -> int:
    """`regrasp bench … --ray ADDRESS [--ray-shards N] --out DIR`: only this package knows Ray."""
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
        arguments, skills = _own_skills(arguments)
    except SetupError as error:
        print(f"error: failed to {error}", file=sys.stderr)
        return 2
    # Python would only note Ctrl-C while Rust works. Commands that stop softly listen themselves.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _main(["regrasp", *arguments], skills)
