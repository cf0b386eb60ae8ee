"""One program of others: how its file in programs/ is read, built and run.

A file in programs/ has

    PACKAGE         the Debian source package; None where the sources are in this folder
    TOOLS           commands that building and testing need, beside make and the compilers for C; "mpifort" is the library's
    HEADERS         headers of others' libraries that it needs; may be left out
    build(site)     makes the program out of site.source, below site.folder; raises Failed
    cases(site)     yields Case: what to run, once it is built
"""
import dataclasses
import hashlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import time

from sources import Absent

HERE = pathlib.Path(__file__).resolve().parent
RUN = HERE.parent / "run.py"
PROGRAMS = HERE / "programs"


class Failed(Exception):
    """A build that failed; the text says how."""


@dataclasses.dataclass
class Case:
    """One run: a command that exits with 0 when all is well, and ends within `limit` seconds."""
    name: str
    command: list
    folder: pathlib.Path
    limit: int = 120


class Site:
    """What a file in programs/ gets: the sources, a folder of its own, the library and a way to run commands."""

    def __init__(self, library, source, folder, jobs):
        self.library, self.source, self.folder, self.jobs = library, source, folder, jobs
        self.mpicc, self.mpicxx, self.mpifort, self.mpiexec = library.mpicc, library.mpicxx, library.mpifort, library.mpiexec
        self.log = folder / "build.log"

    def run(self, *command, folder=None, **environment):
        with open(self.log, "a", encoding="utf-8") as log:
            print("$", *command, file=log, flush=True)
            done = subprocess.run(
                [str(word) for word in command], cwd=folder or self.folder, env=self.library.environment | environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise Failed(f"{' '.join(map(str, command))[:100]}: exit code {done.returncode}, see {self.log}")

    def make(self, *words, folder=None):
        self.run("make", f"-j{self.jobs}", *words, folder=folder)

    def copy(self, part="."):
        """A copy of a folder of the sources, for programs that can only be built where they lie."""
        to = self.folder / "tree"
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.source / part, to, symlinks=True)
        return to


def names():
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


class Program:
    """A file in programs/, and what became of it."""

    def __init__(self, name, work, library, jobs):
        path = PROGRAMS / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"programs.{name}", path)
        self.recipe = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.recipe)
        self.name, self.text, self.work, self.library, self.jobs = name, path.read_bytes(), work, library, jobs
        self.folder = work / library.name / name
        self.version = None

    def summary(self):
        return self.recipe.__doc__.splitlines()[0]

    def needs(self):
        """Raises Absent for the first thing that is not here."""
        for tool in ("make", "c++", *self.recipe.TOOLS):
            if not shutil.which(getattr(self.library, tool, tool)):
                raise Absent(f"there is no {tool}")
        for header in getattr(self.recipe, "HEADERS", ()):
            done = subprocess.run(["cc", "-E", "-x", "c", "-"], input=f"#include <{header}>\n", text=True, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode:
                raise Absent(f"there is no header {header}")
        if any(letter.isspace() for letter in str(self.work)):
            raise Absent(f"makefiles of others cannot work in a path with a space, such as '{self.work}'; --work takes another")

    def stamp(self):
        """What a build depends on: as long as it says the same, nothing is built again."""
        if self.library.name == "inkling":
            shown = subprocess.run([self.library.mpicxx, "-show"], check=False, capture_output=True).stdout
            include = pathlib.Path(self.library.mpicc).parent.parent / "generated" / "include"
            header = b"".join(path.read_bytes() for path in sorted(include.glob("*.h")))
        else:
            shown = header = b""
        parts = [self.text, str(self.version).encode(), shown, header]
        if self.recipe.PACKAGE is None:
            parts += [path.read_bytes() for path in sorted((HERE / self.name).glob("*"))]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def build(self, store, only_built=False):
        """Fetches and builds what is not built yet, unless only_built; returns the site."""
        self.needs()
        if only_built and not (self.folder / "built").is_file():
            raise Absent("it is not built; `make check-real` does that")
        if self.recipe.PACKAGE is None:
            self.version, source = "ours", HERE / self.name
        else:
            self.version, source = store.unpack(self.recipe.PACKAGE)
        site = Site(self.library, source, self.folder, self.jobs)
        built = self.folder / "built"
        stamp = self.stamp()
        if not built.is_file() or built.read_text(encoding="utf-8") != stamp:
            if only_built:
                raise Absent("what is built is not up to date; `make check-real` builds it again")
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.recipe.build(site)
            built.write_text(stamp, encoding="utf-8")
        return site

    def cases(self, site):
        return list(self.recipe.cases(site))

    def run(self, case, slowness):
        """(passed, seconds, log) of one case."""
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        log = logs / (case.name.replace("/", "-") + ".log")
        began = time.monotonic()
        limit = case.limit * slowness
        command = [sys.executable, "-B", RUN, "--timeout", limit, "--", *case.command]
        with open(log, "wb") as out:
            out.write(f"$ {' '.join(map(str, case.command))}\n".encode())
            out.flush()
            done = subprocess.run([str(word) for word in command], cwd=case.folder, env=self.library.environment,
                                  stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, check=False)
        return done.returncode == 0, time.monotonic() - began, log


def jobs():
    return len(os.sched_getaffinity(0))
