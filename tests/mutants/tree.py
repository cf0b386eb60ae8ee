"""Copies of the working tree that may be changed, their builds, and what a change makes of a source file."""
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = "src", "plain", "insight", "cmd", "fortran"  # the folders whose sources get defects
JOBS = "-j2"
SAME, CHANGED, BROKEN = "same", "changed", "broken"  # what becomes of object code
GENERATED = "generated", "generated_insight", "fortran_generated"  # the targets of sources that are made


def said(command, folder, **options):
    """(whether the command succeeded, what it wrote)"""
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          **options)
    return done.returncode == 0, done.stdout


def must(command, folder):
    succeeded, output = said(command, folder)
    if not succeeded:
        sys.exit(f"mutants: {shlex.join(map(str, command))} failed in {folder}:\n{output[-4000:]}")
    return output


def listed():
    """The files of the working tree, as git knows them."""
    names = must(["git", "ls-files", "-co", "--exclude-standard"], ROOT).splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Tree:
    """A copy of the working tree in folder/source, with a build of it in folder/build."""

    def __init__(self, folder):
        self.folder, self.source, self.build = folder, folder / "source", folder / "build"
        self.rules = {}

    def refresh(self):
        """Makes the copy what the working tree is; touches only what differs, so that little is compiled again."""
        names = listed()
        for name in names:
            data, target = (ROOT / name).read_bytes(), self.source / name
            if not target.is_file() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                target.chmod((ROOT / name).stat().st_mode)
        for path in self.source.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and str(path.relative_to(self.source)) not in set(names):
                path.unlink()

    def configure(self, flags, build=None, *settings):
        # The tests' Python by its own path: a wrapper before it costs each test a tenth of a second.
        must(["cmake", "-G", "Ninja", "-S", self.source, "-B", build or self.build, "-DINKLING_TESTS=ON",
              f"-DCMAKE_C_FLAGS={flags}", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON", "-DFUZZ_CLANG=OFF",
              f"-DPython3_EXECUTABLE={sys.executable}", *settings], self.folder)

    def make(self, *targets, keep_going=False):
        """(whether the targets were built, what the compiler said)"""
        return said(["ninja", JOBS, *(["-k0"] if keep_going else []), *targets], self.build)

    def targets(self):
        """{file that the build makes, or target: its rule}, asked once."""
        if not self.rules:
            lines = must(["ninja", "-t", "targets", "all"], self.build).splitlines()
            self.rules = dict(line.rsplit(": ", 1) for line in lines)
        return self.rules

    def linked(self):
        """The programs and libraries that the build makes."""
        return [name for name, rule in self.targets().items() if "_LINKER_" in rule or "SYMLINK" in rule]

    def commands(self):
        """Those of them that are no tests."""
        return [name for name in self.linked() if not name.startswith("tests/")]

    def includes(self):
        """{source: the headers that its object depends on} of what was built, as the compiler told ninja; paths of this copy."""
        found, paths = {}, []
        for line in must(["ninja", "-t", "deps"], self.build).splitlines():
            if not line.startswith(" "):
                paths = []
                continue
            path = pathlib.Path(os.path.normpath(self.build / line.strip()))  # ccache may have made it relative to the build
            if path.is_relative_to(self.source):
                paths.append(str(path.relative_to(self.source)))
                found.setdefault(paths[0], set()).update(paths[1:])
        return found

    def needs(self, *commands):
        """The programs of tests that commands of entries run: those in a command, and those that a script in it names."""
        programs = {os.path.basename(name): name for name in self.linked() if name.startswith("tests/")}
        found = set()
        for word in {word for command in commands for word in command}:
            path = pathlib.Path(word)
            if path.is_relative_to(self.build / "tests"):
                found |= {str(path.relative_to(self.build))} & set(programs.values())
            elif path.suffix in (".py", ".sh") and path.is_relative_to(self.source):
                found |= {programs[name] for name in re.findall(r"\w[\w.]*", path.read_text(encoding="utf-8")) if name in programs}
        return sorted(found)


# What only warnings say is no C here: arguments of other types, functions that return nothing.
STRICT = ("-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-Werror=return-type")


class Release:
    """What the compiler makes of source files in the release build, without optimization at link time."""

    def __init__(self, tree):
        self.tree, self.folder, self.known = tree, tree.folder / "release", {}
        tree.configure("", self.folder, "-DCMAKE_BUILD_TYPE=Release")
        must(["ninja", *(name for name in GENERATED if name in tree.targets())], self.folder)
        rows = json.loads((self.folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.commands = {}
        for row in rows:
            path = pathlib.Path(row["file"])
            if any(path.is_relative_to(tree.source / top) for top in TOPS):
                self.commands.setdefault(str(path.relative_to(tree.source)), row)
        self.users = self.find_users(tree.includes())

    def sources(self):
        """The sources of the library and the commands."""
        return sorted(path for path in self.commands if not path.startswith("insight/tests/"))

    def find_users(self, includes):
        """{header: the sources that include it}, those of its folder first: they are the likeliest to use it."""
        users = {}
        for source in self.sources():
            for header in includes.get(source, ()):
                if header.startswith(tuple(f"{top}/" for top in TOPS)) and header.endswith(".h"):
                    users.setdefault(header, []).append(source)
        for header, found in users.items():
            found.sort(key=lambda source, folder=os.path.dirname(header): not source.startswith(folder + "/"))
        return users

    def files(self):
        """The sources, and the headers that they include."""
        return sorted([*self.sources(), *self.users])

    def compare(self, path, text):
        """What becomes of the object code with this text of the file, which is then as it was: SAME, CHANGED or BROKEN. Of a
        header each source that includes it is asked, until one differs."""
        file = self.tree.source / path
        before, status = file.read_text(encoding="utf-8"), file.stat()
        for source in self.users.get(path, [path]):
            original = self.original(source)
            try:
                file.write_text(text, encoding="utf-8")
                changed = self.object(source)
            finally:
                file.write_text(before, encoding="utf-8")
                os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # so that nothing is built again
            if changed != original or not changed:
                return CHANGED if changed else BROKEN
        return SAME

    def object(self, path):
        """A digest of the file's object code; None: it does not compile."""
        row = self.commands[path]
        words = [word for word in shlex.split(row["command"]) if word != "-g" and "lto" not in word]
        output = self.tree.folder / "one.o"
        words[words.index("-o") + 1] = str(output)
        if "-MF" in words:
            words[words.index("-MF") + 1] = str(output) + ".d"
        succeeded, _ = said([*words, *STRICT], row["directory"])
        return digest(output.read_bytes()) if succeeded else None

    def original(self, path):
        """The same of the file as it is, compiled once."""
        text = digest((self.tree.source / path).read_bytes())
        if self.known.get(path, ("", ""))[0] != text:
            self.known[path] = text, self.object(path)
        return self.known[path][1]
