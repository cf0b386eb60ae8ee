#!/usr/bin/env python3
"""figures.py COUNTS CHECK.md: what check.py has counted of each kind of fault, added up: at most REPORTS reports for each fault that was
found, over all of them. The numbers of programs that docs/CHECK.md tells are those of the folders, and the limit is this one.
"""
import json
import pathlib
import re
import sys

REPORTS = 1.2  # at most, for each fault that is found
HERE = pathlib.Path(__file__).parent


def main(folder, document):
    wrong = []
    counts = [json.loads(path.read_text(encoding="utf-8")) for path in pathlib.Path(folder).glob("*.json")]
    faults, found, strict, reports = (sum(c[key] for c in counts) for key in ("faults", "found", "strict", "reports"))
    programs = [len(list((HERE / kind).glob("*.c"))) for kind in ("faults", "clean")]
    print(f"{found} of {faults} found ({found / max(faults, 1):.1%}), {strict} of them with class and line, "
          f"{reports / max(found, 1):.2f} reports for each")
    if faults != programs[0]:
        wrong.append(f"{faults} of {programs[0]} faults were run")
    if reports > REPORTS * found:
        wrong.append(f"{reports} reports for {found} faults: more than {REPORTS} for each")
    text = " ".join(pathlib.Path(document).read_text(encoding="utf-8").split())
    for told in (f"has {programs[0]} programs with one seeded fault each and {programs[1]} without any", f"more than {REPORTS} reports are made for each"):
        if told not in text:
            wrong.append(f"{document} does not say: {told}")
    if not re.search(rf"found [0-9]+ of {programs[0]} ", text):
        wrong.append(f"{document} tells of a last run with other programs than these {programs[0]}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
