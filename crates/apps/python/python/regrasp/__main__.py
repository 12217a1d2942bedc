"""`python -m regrasp` is the command `regrasp`."""

from .cli import main

raise SystemExit(main())
