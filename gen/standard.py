"""Reads api/*.txt: the standard as data. Writes what is made of it."""

import glob
import os
import re

from kinds import Parameter

ROW = re.compile(r"^(?:(?P<returns>\w+) )?(?P<name>\w+)\((?P<params>.*?)\)(?P<flags>[^>]*?)(?:-> (?P<body>.+))?$")


def named(prefix, name):
    """The name of a row behind MPI_ or PMPI_; X_NAME is an extension, MPIX_NAME."""
    return prefix.rstrip("_") + name if name.startswith("X_") else prefix + name


class Procedure:
    """One exported procedure: the int or the _c form of a row."""

    def __init__(self, row, large, chapter):
        self.base = named("MPI_", row["name"])
        self.name = self.base + ("_c" if large else "")
        self.returns = row["returns"] or "int"
        self.large = large
        self.chapter = chapter
        flags = row["flags"].split()
        self.any_time = "any" in flags
        self.raw = "raw" in flags
        self.deprecated = next((f.split("=")[1] for f in flags if f.startswith("deprecated=")), None)
        unknown = [f for f in flags if f not in ("c", "any", "raw") and not f.startswith("deprecated=")]
        if unknown:
            raise ValueError(f"{self.name}: unknown flag {unknown[0]}")
        self.parameters = []
        for text in filter(None, row["params"].split(", ")):
            name, _, kind = text.partition(":")
            if text == "...":
                name, kind = "", "..."
            self.parameters.append(Parameter(name, kind, large, chapter.number == 6, self.raw))
        self.body, self.body_arguments = None, None
        if row["body"]:
            bodies = row["body"].strip().split(" / ")
            body = bodies[large and len(bodies) > 1]
            self.body, _, arguments = body.rstrip(")").partition("(")
            self.body_arguments = arguments.split() if "(" in body else None

    def is_extension(self):
        return self.name.startswith("MPIX_")

    def is_tool(self):
        return self.name.startswith("MPI_T_")

    def prototype(self, prefix=""):
        parameters = ", ".join(p.declaration() for p in self.parameters) or "void"
        space = "" if self.returns.endswith("*") else " "
        return f"{self.returns}{space}{prefix}{self.name}({parameters})"


class Chapter:
    """One file of api/: a chapter of the standard, or a part of one."""

    def __init__(self, path):
        self.file = os.path.splitext(os.path.basename(path))[0]
        self.number, self.title, self.includes, self.procedures = 0, "", [], []
        self.next = []  # extensions that the next version of the standard has, without MPIX_
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            line = line.split("#")[0].strip()
            if line:
                try:
                    self._read(line)
                except ValueError as error:
                    raise SystemExit(f"{path}:{number}: {error}") from error

    def _read(self, line):
        word, _, rest = line.partition(" ")
        if word == "chapter":
            number, _, self.title = rest.partition(" ")
            self.number = int(number)
        elif word == "include":
            self.includes.append(rest)
        elif word == "next":
            self.next += rest.split()
        else:
            row = ROW.match(line)
            if not row:
                raise ValueError("not a row: NAME(PARAMETER:KIND, ...) FLAGS -> BODY")
            self.procedures.append(Procedure(row, False, self))
            if "c" in row["flags"].split():
                self.procedures.append(Procedure(row, True, self))


class Constants:
    """api/constants.txt: groups of (name, value), each with a form and a C type."""

    def __init__(self, path):
        self.groups = []  # (form, type, [(name, value)])
        for line in open(path, encoding="utf-8"):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] in ("handle", "enum", "macro", "pointer", "callback"):
                self.groups.append((words[0], " ".join(words[1:]), []))
            else:
                self.groups[-1][2].append((words[0], words[-1]))

    def all(self):
        for form, ctype, members in self.groups:
            for name, value in members:
                yield form, ctype, name, value


class Standard:
    """Everything under api/."""

    def __init__(self, folder):
        special = ("constants", "types", "removed")
        paths = sorted(glob.glob(os.path.join(folder, "*.txt")))
        self.chapters = [Chapter(p) for p in paths if os.path.splitext(os.path.basename(p))[0] not in special]
        self.chapters.sort(key=lambda c: (c.number, c.file))
        self.constants = Constants(os.path.join(folder, "constants.txt"))
        self.types = self._lines(os.path.join(folder, "types.txt"))
        self.removed = self._lines(os.path.join(folder, "removed.txt"))

    @staticmethod
    def _lines(path):
        with open(path, encoding="utf-8") as lines:
            return [l.strip() for l in lines if l.strip() and not l.startswith("#")]

    def procedures(self):
        return [p for c in self.chapters for p in c.procedures]

    def next(self):
        """Extensions that the next version of the standard has, without MPIX_."""
        return [name for c in self.chapters for name in c.next]


def write(folder, name, text):
    """Leaves an unchanged file alone, so that nothing that includes it is rebuilt."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as old:
            if old.read() == text:
                return
    with open(path, "w", encoding="utf-8") as new:
        new.write(text)
