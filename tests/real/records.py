#!/usr/bin/env python3
"""records.json: what became of the programs of others, a record for each and each system, and docs/REAL.md, which is made of it. `make check-real REAL=--record` and
`make check-installed REAL=--record` write both; `python3 tests/real/records.py` writes the page again. A record of another version of Inkling
than this one's is shown with that version."""
import ast
import datetime
import json
import pathlib
import platform
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "tests/real/records.json"
PAGE = ROOT / "docs/REAL.md"
LACKING = ROOT / "tests/real/lacking.txt"  # "program: why", of what nothing here runs
HEAD = """# Programs of others

`make check-real` builds programs of others from Debian's sources, as they are, and runs their own tests of MPI. `make check-installed` runs programs that
Debian built for Open MPI or MPICH; each runs plain, under `mpiexec --check` and under `--advise`. With `REAL=--record` both write this page; do not edit it.
"""


def release():
    return re.search(r"project\(inkling VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def commit():
    """The last that changed what is run."""
    if not shutil.which("git"):
        return "unknown"
    done = subprocess.run(["git", "log", "-1", "--format=%h", "--abbrev=8", "--", "src", "plain", "api", "foreign", "fortran", "insight", "cmd"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def system():
    return f"{platform.freedesktop_os_release()['PRETTY_NAME'].split(' (')[0]}, {platform.machine()}"


def load():
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def write(kind, name, version, passed, failed, note=""):
    """Keeps what became of a program, `kind` being "source" or "package", and makes the page of it."""
    records = load()
    records.setdefault(f"{kind} {name}", {})[system()] = {"version": version, "passed": passed, "failed": failed, "note": note, "release": release(),
                                                          "commit": commit(), "date": datetime.date.today().isoformat()}
    FILE.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


def sources():
    """What is built from sources: (name, what is tested)."""
    for path in sorted((ROOT / "tests/real/programs").glob("*.py")):
        yield path.stem, ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()[0].split(": ", 1)[-1].rstrip(".")


def packages():
    """The installed packages that packages.py knows, in its order."""
    text = (ROOT / "tests/real/packages.py").read_text(encoding="utf-8")
    named = re.findall(r'(?:Case|python|compiled|measured)\(f?"([\w{}-]+)", ', text)
    return list(dict.fromkeys(name.replace("{mpi}", mpi) for name in named for mpi in ("openmpi", "mpich")))


def rows(title, key, records):
    """The rows of a program, one for each system."""
    found = sorted(records.get(key, {}).items())
    for system_name, r in found:
        note = f" ({r['note']})" if r["note"] else ""
        older = f" of {r['release']}" if r["release"] != release() else ""
        yield f"| {title} | {r['version']} | {r['passed']} | {r['failed']}{note} | {r['date']}, {r['commit']}{older} | {system_name} |"
    if not found:
        yield f"| {title} | not run | | | |"


def page():
    records = load()
    lines = [HEAD, f"Of Inkling {release()}, where a row names no other version:", "", "## Built from sources", "", "| program | its tests | version | passed | failed | run on, of commit | system |",
             "|---|---|---|---|---|---|---|"]
    lines += [row for name, tested in sources() for row in rows(f"{name} | {tested}", f"source {name}", records)]
    lines += ["", "## Installed from Debian", "", "| package | version | passed | failed | run on, of commit | system |", "|---|---|---|---|---|---|"]
    lines += [row for name in packages() for row in rows(name, f"package {name}", records)]
    lines += ["", "## Not tried", "", "| program | why |", "|---|---|"]
    lines += ["| " + line.replace(": ", " | ", 1) + " |" for line in LACKING.read_text(encoding="utf-8").splitlines() if line]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
