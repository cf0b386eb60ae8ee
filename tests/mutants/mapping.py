"""Which entries of the suite execute a line of src: asked of a traced build once, kept, and completed when entries are new.

The rows lie in map/rows.jsonl below the tool's folder, one per entry: its exit code, its seconds, and of each source file
the digest and the lines, as bits of a number. The sources that rows speak of lie beside them by digest, so that a row
remains of use when its file is changed: a line is looked for in the file as it was.
"""
import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

import entries
import operators
import tree

TRACER = pathlib.Path(__file__).with_name("trace.c")
PATIENCE = 300  # seconds for an entry of the traced build
PLACE = re.compile(r"(/\S+):(\d+)(?: \(discriminator \d+\))?$")
INSTRUCTION = re.compile(r"\s+([0-9a-f]+):\t(\S*)")
JUMP = re.compile(r"j|b$|b\.|cb|tb")  # of x86 and of ARM


def blocks(module, source):
    """{offset that a basic block's call returns to: {(path, line)}} of a traced program or library.

    A block lasts to the next call. The line of that call is the next block's, and so are instructions of the same line
    behind this block's jump.
    """
    dump = tree.must(["objdump", "-d", "-l", "--no-show-raw-insn", str(module)], source)
    found, here, block, behind, returns = {}, None, set(), None, False
    prefix = str(source) + "/"
    for line in dump.splitlines():
        if line.startswith("/"):
            place = PLACE.match(line)
            if place:
                path = os.path.normpath(place.group(1))  # ccache may have made it relative to the build
                here = (path[len(prefix):], int(place.group(2))) if path.startswith(tuple(f"{prefix}{top}/" for top in tree.TOPS)) else None
        elif instruction := INSTRUCTION.match(line):
            if returns:
                block, behind = found.setdefault(int(instruction.group(1), 16), set()), None
            returns = line.endswith("<__sanitizer_cov_trace_pc>")
            if returns:
                block -= (behind or set()) & {here}
            elif here and here not in block:
                block.add(here)
                if behind is not None:
                    behind.add(here)
            if JUMP.match(instruction.group(2)):
                behind = set()
        elif line.endswith(">:"):
            block, behind, returns = set(), None, False
    return found


def executed(data, of):
    """{path: bits of lines} that a module's trace says."""
    found = {}
    for place in re.finditer(b"\1", data):
        for path, line in of.get(place.start(), ()):
            found[path] = found.get(path, 0) | 1 << line
    return found


class Tracer:
    """The traced build, and what entries execute in it."""

    def __init__(self, folder, names):
        self.tree, self.modules = tree.Tree(folder), {}
        folder.mkdir(parents=True, exist_ok=True)
        self.tree.refresh()
        tracer = folder / "trace.o"
        tree.must(["cc", "-O2", "-fPIC", "-D_GNU_SOURCE", "-c", str(TRACER), "-o", str(tracer)], folder)
        self.tree.configure("-O0 -g1 -DNDEBUG -w -fsanitize-coverage=trace-pc", None, "-DCMAKE_BUILD_TYPE=None",
                            *(f"-DCMAKE_{kind}_LINKER_FLAGS={tracer}" for kind in ("EXE", "SHARED", "MODULE")))
        self.entries = [entry for entry in entries.entries(self.tree.build) if re.search(names, entry.name)]
        needed = self.tree.needs(*(entry.command for entry in self.entries))
        built, output = self.tree.make(*([*self.tree.commands(), *needed] if names else []), keep_going=True)
        if not built:
            print(f"mutants: parts of the traced build failed:\n{output[-2000:]}", flush=True)

    def lines_of(self, name):
        """The blocks of a module of this name; of none that has no line of src."""
        if name not in self.modules:
            paths = [self.tree.build / part / name for part in ("lib", "bin", "tests")]
            module = next((path for path in paths if path.is_file()), None)
            self.modules[name] = blocks(module, self.tree.source) if module else {}
        return self.modules[name]

    def trace(self, entry):
        """The entry's row."""
        with tempfile.TemporaryDirectory() as folder:
            code, seconds = entries.run(entry, PATIENCE, TRACE_FOLDER=folder)
            found = {}
            for path in pathlib.Path(folder).iterdir():
                for name, bits in executed(path.read_bytes(), self.lines_of(path.name)).items():
                    found[name] = found.get(name, 0) | bits
        return {"name": entry.name, "code": code, "seconds": round(seconds, 2),
                "files": {name: [self.digests[name], f"{bits:x}"] for name, bits in found.items()}}

    def keep_sources(self, folder):
        """Copies of the sources by their digests."""
        folder.mkdir(exist_ok=True)
        self.digests = {}
        for path in [p for folder in tree.TOPS for p in (self.tree.source / folder).rglob("*.[ch]")]:
            data = path.read_bytes()
            self.digests[str(path.relative_to(self.tree.source))] = tree.digest(data)
            (folder / tree.digest(data)).write_bytes(data)


def in_rounds(found, seconds):
    """Each program's fastest entry, fastest first; then each one's second fastest, and so on. One rank comes last."""
    taken, rounds = {}, []
    for entry in sorted(found, key=lambda entry: (entry.is_alone(), seconds(entry.name))):
        taken[entry.program()] = turn = taken.get(entry.program(), 0) + 1
        rounds.append((turn, entry))
    return [entry for _, entry in sorted(rounds, key=lambda pair: pair[0])]


class Map:
    """What is known so far."""

    def __init__(self, folder):
        self.folder, self.rows, self.moves = folder, {}, {}
        self.path = folder / "rows.jsonl"
        if self.path.exists():
            with open(self.path, encoding="ascii") as file:
                self.rows = {row["name"]: row for row in map(json.loads, file)}

    def keep(self, row):
        with open(self.path, "a", encoding="ascii") as file:
            file.write(json.dumps(row) + "\n")
        self.rows[row["name"]] = row

    def failing(self):
        """The names of entries that failed and were not skipped."""
        return {name for name, row in self.rows.items() if row["code"] not in (0, entries.SKIPPED)}

    def complete(self, jobs, pattern, names=""):
        """Traces the entries that have no row yet, or whose names match, programs that differ before the same with other
        settings. `names`, a pattern, leaves out all others."""
        tracer = Tracer(self.folder, names)
        tracer.keep_sources(self.folder / "sources")
        missing = in_rounds([entry for entry in tracer.entries
                             if entry.name not in self.rows or pattern and re.search(pattern, entry.name)], lambda name: 0)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            traced = [pool.submit(tracer.trace, entry) for entry in missing]
            for count, done in enumerate(concurrent.futures.as_completed(traced), 1):
                self.keep(done.result())
                if sys.stdout.isatty() or count % 50 == 0:
                    print(f"mapped {count} of {len(missing)} entries", flush=True)

    def moved(self, path, digest, text):
        """{line now: line then} of the lines, from 1, that the file shares with the one of that digest."""
        key = path, digest
        if key not in self.moves:
            then = (self.folder / "sources" / digest).read_text(encoding="utf-8").splitlines()
            matcher = difflib.SequenceMatcher(None, then, text.splitlines(), autojunk=False)
            self.moves[key] = {b + i + 1: a + i + 1 for a, b, size in matcher.get_matching_blocks() for i in range(size)}
        return self.moves[key]

    def knows(self, name):
        """Whether the entry passed in the traced build."""
        return name in self.rows and self.rows[name]["code"] == 0

    def seconds(self, name):
        """What the entry took; None: it was not mapped."""
        return self.rows[name]["seconds"] if name in self.rows else None

    def executing(self, path, text, line, is_near=False):
        """The names of the entries that execute a line, from 1 (is_near: its function); of any line of the file when it lies
        in no function."""
        bodies = operators.bodies(operators.blanked(text))
        body = next((body for body in bodies if line - 1 in body), None)
        found = set()
        for name, row in self.rows.items():
            if row["code"] or path not in row["files"]:
                continue
            digest, bits = row["files"][path]
            then, bits = self.moved(path, digest, text), int(bits, 16)
            if not body or self.has(then, bits, text.splitlines(), line, body) or is_near and self.touches(then, bits, body):
                found.add(name)
        return found

    def familiarity(self, path):
        """{name: how well the entry knows the file}: of each line that it executes the share that it has among all who do. Who reaches
        lines that few reach was written for what the file does."""
        rows = {name: row["files"][path] for name, row in self.rows.items() if not row["code"] and path in row["files"]}
        lines = {name: [(digest, place) for place, bit in enumerate(reversed(f"{int(bits, 16):b}")) if bit == "1"]
                 for name, (digest, bits) in rows.items()}
        users = collections.Counter(line for each in lines.values() for line in each)
        return {name: sum(1 / users[line] for line in each) for name, each in lines.items()}

    @staticmethod
    def touches(then, bits, body):
        return any(bits >> then[near + 1] & 1 for near in body if near + 1 in then)

    @staticmethod
    def has(then, bits, lines, line, body):
        """Of a statement's later lines, which may have no code of their own, the nearest one above that is executed counts;
        of a line that is new, any of the function."""
        if line not in then:
            return Map.touches(then, bits, body)
        for above in range(line, max(line - 4, 0), -1):
            if above < line and lines[above - 1].endswith((";", "{", "}", "*/")):
                return False
            if above in then and bits >> then[above] & 1:
                return True
        return False


def forget(folder):
    shutil.rmtree(folder, ignore_errors=True)
