#!/usr/bin/env python3
"""make mutants: puts small defects into src, one at a time, and says which of them no test notices.

Works on copies below a folder of its own; the working tree is only read. What is known of a mutant is kept there, so that
a run which was interrupted goes on, and a mutant that was judged is not judged again. See README.md of this folder.
"""
import argparse
import collections
import difflib
import hashlib
import json
import os
import pathlib
import random
import re
import sys
import time

import entries
import mapping
import operators
import tree

HERE = pathlib.Path(__file__).parent
SLOWNESS = 5  # of a build with sanitizers, as in tests/CMakeLists.txt
COUNTS = "counts"  # no sanitizer, but the build of make check-counts
LEAKS = ("mpi/no_memory", "mpi/errors_leave_nothing")  # the entries that notice what is left, and errors that get lost
NEW_SECONDS = 5  # what an entry may take of which nothing is known
EXPERTS = 2  # programs that know the file best: they run in the end, whatever they take
KILLED, TIMED_OUT, SURVIVED = "killed", "timeout", "survived"
EQUIVALENT, SAME_CODE, NOT_C, GONE = "equivalent", "same code", "does not compile", "gone"
TRIED = (KILLED, TIMED_OUT, SURVIVED, EQUIVALENT)
# Names of entries that belong to a folder of src besides those that hold its name.
KIN = {"boot": ("launch/", "connect/", "spawn/"), "cmd": ("launch/", "spawn/", "report/", "where/"), "comm": ("mpi/comm_", "mpi/inter"),
       "net": ("hosts/",), "object": ("mpi/err",), "op": ("coll/bits", "mpi/coll_ops"), "api": ("mpi/", "rows/"),
       "hint": ("rows/", "hints/"), "topo": ("mpi/cart", "mpi/graph", "mpi/dist_graph", "mpi/neighbor"), "datatype": ("mpi/type_", "types/"),
       "request": ("mpi/request_", "mpi/p2p_wait"), "memory": ("kinds/", "mpi/alloc_mem"), "base": ("launch/", "fault/"),
       "tool": ("mpi/mpit_",), "metric": ("mpi/mpit_", "report/"), "insight": ("check/", "advise/"), "dynamic": ("connect/", "spawn/"),
       "making": ("mpi/comm_", "mpi/group", "mpi/session", "mpi/inter"), "p2p": ("mpi/p2p_", "mpi/partitioned", "mpi/cancel"),
       "win": ("mpi/win_", "mpi/rma_", "onesided/"), "file": ("mpi/file_", "files/"), "plain": ("strangers/", "launch/", "where/")}


def folder_of(path):
    """The part that a source is counted with: a folder of src; insight, plain and cmd are one each."""
    top, name = path.split("/")[:2]
    return name if top == "src" else top


class Mutant:
    def __init__(self, path, number, operator, before, after, place, function=""):
        self.path, self.line, self.operator, self.before, self.after = path, number + 1, operator, before, after
        self.function = function
        self.key = hashlib.sha256(f"{path}\n{place}\n{before}\n{after}".encode()).hexdigest()[:16]

    def folder(self):
        return folder_of(self.path)

    def apply(self, text):
        lines = text.splitlines(keepends=True)
        lines[self.line - 1] = self.after + "\n"
        return "".join(lines)

    def diff(self, text):
        return "".join(difflib.unified_diff(text.splitlines(True), self.apply(text).splitlines(True), self.path, self.path))


def sequence(folder, paths, read, seed, wanted_operators=frozenset(operators.ALL)):
    """The mutants of a folder in the order that the seed gives: one of each line, an operator and a place by chance."""
    chance = random.Random(f"{seed}/{folder}")
    found = []
    for path in paths:
        text = read(path)
        lines = text.splitlines()
        for number, changes in operators.sites(text, path.endswith(".h")).items():
            if changes := {name: after for name, after in changes.items() if name in wanted_operators}:
                found.append((path, number, changes, lines))
    chance.shuffle(found)
    for path, number, changes, lines in found:
        operator = chance.choice(sorted(changes))
        after = chance.choice(changes[operator])
        place = "\n".join(lines[max(number - 2, 0):number])
        yield Mutant(path, number, operator, lines[number], after, place, operators.function_of("\n".join(lines), number + 1))


def argued(text):
    """{(path, function, before, after)} of the lines of README.md that say why a mutant changes nothing."""
    rows = re.findall(r"^- `([^`]+)`, `([^`]*)`: `([^`]+)` to `([^`]*)`: \S", text, re.M)
    return {(path, function, before.strip(), after.strip()) for path, function, before, after in rows}


class Results:
    """What is known of mutants, in a file with a row for each."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if path.exists():
            with open(path, encoding="utf-8") as file:
                self.rows = {row["key"]: row for row in map(json.loads, file)}

    def keep(self, mutant, verdict, **more):
        row = {"key": mutant.key, "folder": mutant.folder(), "path": mutant.path, "line": mutant.line,
               "function": mutant.function, "operator": mutant.operator, "before": mutant.before.strip(), "after": mutant.after.strip(),
               "verdict": verdict, **more}
        return self.write(row)

    def forget(self, row):
        """Of a mutant whose line is gone."""
        return self.write({**row, "verdict": GONE})

    def write(self, row):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.rows[row["key"]] = row
        return row


class Judge:
    """Builds mutants and runs the suite against them."""

    def __init__(self, folder, known, budget, sanitizers, pattern=""):
        self.tree, self.map, self.budget = tree.Tree(folder), known, budget
        self.slowness = SLOWNESS if sanitizers not in ("", COUNTS) else 1
        self.tree.refresh()
        self.tree.configure("-O1 -w", None, "-DCMAKE_BUILD_TYPE=None", "-DINKLING_COUNT_OBJECTS=ON" if sanitizers == COUNTS
                            else f"-DINKLING_SANITIZE={sanitizers}")
        self.entries = {entry.name: entry for entry in entries.entries(self.tree.build) if re.search(pattern, entry.name)}
        needed = self.tree.needs(*(entry.command for entry in self.entries.values()))
        built, output = self.tree.make(*([*self.tree.commands(), *needed] if pattern else []), keep_going=True)
        if not built:
            print(f"mutants: parts of the build failed:\n{output[-2000:]}", flush=True)
        self.release = tree.Release(self.tree)
        self.seconds = {}  # what entries took that passed, in this build
        self.unsound = set()  # names of entries that fail in it anyway
        self.acquit()

    def acquit(self):
        """Entries that failed in the traced build, too slow for them, may pass in this one."""
        for name in self.map.failing() & self.entries.keys():
            if entries.run(self.entries[name], mapping.PATIENCE)[0] == 0:
                self.map.keep({**self.map.rows[name], "code": 0})

    def read(self, path):
        return (self.tree.source / path).read_text(encoding="utf-8")

    def judge(self, mutant):
        """(verdict, what else is known of it)"""
        text, path = self.read(mutant.path), self.tree.source / mutant.path
        if verdict := {tree.SAME: SAME_CODE, tree.BROKEN: NOT_C}.get(self.release.compare(mutant.path, mutant.apply(text))):
            return verdict, {}
        try:
            path.write_text(mutant.apply(text), encoding="utf-8")
            start = time.monotonic()
            built, output = self.tree.make(*self.tree.commands())
            if not built:
                return NOT_C, {"output": output[-500:]}
            return self.test(mutant, text, time.monotonic() - start)
        finally:
            path.write_text(text, encoding="utf-8")

    def order(self, mutant, text):
        """(how many entries execute the line, those entries and behind them new ones and the folder's, those that must run)

        Declarations have no code: where none executes the line, those that execute its function come first."""
        names = self.map.executing(mutant.path, text, mutant.line)
        count = len(names)
        names = names or self.map.executing(mutant.path, text, mutant.line, is_near=True)
        sure = [entry for name, entry in self.entries.items() if name in names]
        words = ("/" + mutant.folder(), mutant.folder() + "/", *KIN.get(mutant.folder(), ()))
        own = [entry for name, entry in self.entries.items()
               if name not in names and self.map.knows(name) and any(word in name for word in words)]
        mapped = {entry.program() for name, entry in self.entries.items() if name in self.map.rows}
        new = [entry for entry in self.entries.values() if entry.program() not in mapped]
        familiar = self.familiar(sure, mutant.path)
        tests = self.in_turn([entry for _, entry in familiar], self.mixed(mapping.in_rounds(sure, self.usual), words)) + \
            mapping.in_rounds(new, self.usual) + mapping.in_rounds(own, self.usual)
        if not sure:
            tests.sort(key=lambda entry: not any(word in entry.name for word in words))
        tests.sort(key=lambda entry: not (entry.name in names and entry.name.startswith(LEAKS)))
        tests.sort(key=lambda entry: not (entry.name in names and entry.name.startswith("models/")))
        tests.sort(key=lambda entry: not entry.name.startswith(f"unit/{mutant.folder()}/"))
        if mutant.operator in ("lock dropped", "memory order"):
            tests.sort(key=lambda entry: "thread" not in entry.name.lower())
        experts = sorted(familiar, key=lambda pair: -pair[0])[:EXPERTS]
        return count, tests, [entry for _, entry in experts]

    def familiar(self, tests, path):
        """[(how well it knows the file, entry)]: of each program the entry that knows it best for its time, those that do so first."""
        weight = self.map.familiarity(path)
        best = {}
        for entry in sorted(tests, key=lambda entry: -weight.get(entry.name, 0) / (1 + self.usual(entry.name))):
            best.setdefault(entry.program(), (weight.get(entry.name, 0), entry))
        return list(best.values())

    @staticmethod
    def in_turn(first, second):
        """One of either in turn, each once, in the order of the second at the end."""
        pairs = (entry for pair in zip(first, second) for entry in pair)
        return list({entry.name: entry for entry in (*pairs, *second)}.values())

    @staticmethod
    def mixed(tests, words):
        """Four of the folder, then one of each other kind, by the first words of their names, in turn. Many that are alike would use
        up the time."""
        taken, turns = collections.Counter(), []
        for entry in tests:
            is_own = any(word in entry.name for word in words)
            kind = "" if is_own else entry.name.split("/")[0]
            taken[kind] += 1
            turns.append((taken[kind] / 4 if is_own else taken[kind], entry))
        return [entry for _, entry in sorted(turns, key=lambda turn: turn[0])]

    def usual(self, name):
        """The seconds that an entry takes: less than in the traced build, once it passed in this one."""
        return self.seconds.get(name) or self.map.seconds(name) or NEW_SECONDS

    def fails(self, entry):
        """None or the verdict: what fails once has to fail twice of three times, a timeout when given more time."""
        usual = self.slowness * self.usual(entry.name)
        limit = max(8.0, usual + min(3 * usual, 20))
        verdicts = []
        while True:
            code, seconds = entries.run(entry, limit)
            if code in (0, entries.SKIPPED):
                verdicts.append(None)
                self.seconds[entry.name] = min(seconds, self.usual(entry.name))
            elif code == entries.TIMED_OUT:
                verdicts.append(TIMED_OUT)
                limit *= 3
            else:
                verdicts.append(KILLED)
            if verdicts == [None] or verdicts.count(None) == 2:
                return None
            if len(verdicts) - verdicts.count(None) == 2:
                return verdicts[-1]

    def is_sound(self, entry, mutant, text):
        """Whether an entry that fails passes without the mutant; asked once."""
        if entry.name not in self.seconds and entry.name not in self.unsound:
            path = self.tree.source / mutant.path
            path.write_text(text, encoding="utf-8")
            self.tree.make(*self.tree.commands(), *self.tree.needs(entry.command))
            if self.fails(entry):
                self.unsound.add(entry.name)
                print(f"{entry.name} fails without a mutant: left out", flush=True)
            path.write_text(mutant.apply(text), encoding="utf-8")
            self.tree.make(*self.tree.commands())
        return entry.name not in self.unsound

    def test(self, mutant, text, built):
        covering, tests, experts = self.order(mutant, text)
        start, ran = time.monotonic(), []
        more = {"executing": covering, "built": round(built, 1)}
        for entry, must in [*((entry, False) for entry in tests), *((entry, True) for entry in experts)]:
            is_late = not must and time.monotonic() - start + self.usual(entry.name) > self.budget
            if entry.name in self.unsound or entry.name in ran or is_late:
                continue
            if needed := self.tree.needs(entry.command):
                built, output = self.tree.make(*needed)
                if not built:
                    return NOT_C, {**more, "output": output[-500:]}
            ran.append(entry.name)
            if (verdict := self.fails(entry)) and self.is_sound(entry, mutant, text):
                return verdict, {**more, "by": entry.name, "ran": len(ran), "seconds": round(time.monotonic() - start, 1)}
        return SURVIVED, {**more, "ran": ran, "seconds": round(time.monotonic() - start, 1), "diff": mutant.diff(text)}


def known(row, text):
    """The mutant of a row, in the file as it is; None: its line is gone."""
    lines = text.splitlines()
    places = [number for number, line in enumerate(lines) if line.strip() == row["before"]]
    if not places:
        return None
    number = min(places, key=lambda number: abs(number + 1 - row["line"]))
    mutant = Mutant(row["path"], number, row["operator"], lines[number], lines[number].replace(row["before"], row["after"]), "",
                    operators.function_of(text, number + 1))
    mutant.key = row["key"]
    return mutant


def try_again(results, verdicts, folders, judge, read, equivalent):
    """Judges those once more that got one of these verdicts, but those that are argued; yields their rows."""
    for row in list(results.rows.values()):
        if row["verdict"] in verdicts and row["folder"] in folders and weighed(row, equivalent)["verdict"] != EQUIVALENT:
            mutant = known(row, read(row["path"]))
            verdict, more = judge(mutant) if mutant else (GONE, {})
            yield results.keep(mutant, verdict, **more) if mutant else results.forget(row)


def sequences_of(by, files, read, seed, wanted_operators=frozenset(operators.ALL)):
    """A sequence of each folder, so that all have as many mutants; by line: one, in which larger folders have more."""
    parts = files.items() if by == "folder" else [(",".join(files), sum(files.values(), []))]
    return [sequence(name, paths, read, seed, wanted_operators) for name, paths in parts]


def wanted(count, sequences, results, judge):
    """Judges a mutant of each sequence in turn until there are `count`; yields the row of each."""
    sequences, tried = collections.deque(sequences), 0
    while sequences and tried < count:
        mutants = sequences.popleft()
        for mutant in mutants:
            row = results.rows.get(mutant.key)
            if not row:
                verdict, more = judge(mutant)
                row = results.keep(mutant, verdict, **more)
            yield row
            if row["verdict"] in TRIED:
                tried += 1
                sequences.append(mutants)
                break


def weighed(row, equivalent):
    """The row, which says that the mutant is equivalent where README.md argues so."""
    is_argued = row["verdict"] == SURVIVED and (row["path"], row["function"], row["before"], row["after"]) in equivalent
    return {**row, "verdict": EQUIVALENT} if is_argued else row


def line_of(row):
    more = f" by {row['by']} in {row['seconds']} s" if "by" in row else f" {row.get('executing', '')} entries execute it" \
        if row["verdict"] == SURVIVED else ""
    return f"{row['verdict']:16} {row['path']}:{row['line']}: {row['operator']}: {row['before']}  ->  {row['after']}{more}"


def tables(rows):
    """Markdown: what became of mutants of one place, and of realistic ones."""
    found = []
    for title, names in (("One place changed", operators.OPERATORS), ("Realistic", operators.REALISTIC)):
        if of_kind := [row for row in rows if row["operator"] in names]:
            found.append(f"{title}:\n\n{table(of_kind)}")
    return "\n\n".join(found)


def table(rows):
    """Markdown: of each folder how many were tried, and what became of them."""
    lines = ["| Folder | Tried | Killed | of these by a timeout | Equivalent | Survived | Killed of the others |",
             "|---|---|---|---|---|---|---|"]
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[row["folder"]][row["verdict"]] += 1
    for folder, count in [*sorted(counts.items()), ("all", sum(counts.values(), collections.Counter()))]:
        tried, killed = sum(count[verdict] for verdict in TRIED), count[KILLED] + count[TIMED_OUT]
        rest = tried - count[EQUIVALENT]
        lines.append(f"| {folder} | {tried} | {killed} | {count[TIMED_OUT]} | {count[EQUIVALENT]} | {count[SURVIVED]} | "
                     f"{f'{100 * killed / rest:.0f} %' if rest else '-'} |")
    return "\n".join(lines)


def broken(rows):
    """Lines that say of each folder how many mutants did not compile: where most do not, the build itself may be broken."""
    drawn, failed, output = collections.Counter(), collections.Counter(), {}
    for row in rows:
        drawn[row["folder"]] += row["verdict"] in (*TRIED, SAME_CODE, NOT_C)
        if row["verdict"] == NOT_C:
            failed[row["folder"]] += 1
            output[row["folder"]] = row.get("output", "")
    lines = [f"Do not compile in {folder}: {failed[folder]} of {drawn[folder]}" for folder in sorted(failed)]
    lines += [f"warning: most mutants of {folder} do not compile; is its build broken? {output[folder]}".strip()
              for folder in sorted(failed) if 2 * failed[folder] > drawn[folder]]
    return lines


def report(rows, folder, spent):
    left = [row for row in rows if row["verdict"] == SURVIVED]
    slow = [row for row in rows if row["verdict"] == TIMED_OUT]
    text = "".join(f"{line_of(row)}\n{row['diff']}ran: {' '.join(row['ran'])}\n\n" for row in left)
    (folder / "survivors.txt").write_text(text, encoding="utf-8")
    for row in left:
        print(f"\n{line_of(row)}\n{row['diff']}", end="")
    if slow:
        print("\nNoticed by a timeout only:", *(f"{row['path']}:{row['line']} {row['by']} {row['seconds']} s" for row in slow),
              sep="\n  ")
    same = sum(row["verdict"] == SAME_CODE for row in rows)
    print(f"\n{tables(rows)}\n\nLeft out: {same} that compile to the same code, and:", *(broken(rows) or ["none that does not compile"]), sep="\n")
    print(f"{spent:.0f} s; survivors in {folder / 'survivors.txt'}")


def arguments():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=50, help="how many mutants, spread over the folders")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--where", default="", help="folders of src, or insight, with commas; all when empty")
    parser.add_argument("--by", choices=("folder", "line"), default="folder", help="line: draw from all lines, so that large folders have more")
    parser.add_argument("--files", default="", help="a pattern: only lines of files of such names, as \\.h$")
    parser.add_argument("--operators", choices=("simple", "realistic", "all"), default="all", help="which kind of defects")
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for each")
    parser.add_argument("--again", default="", help="instead, those once more that survived, or: timeout, killed")
    parser.add_argument("--all", action="store_true", help="report on all that were ever judged")
    parser.add_argument("--sanitize", default="", help="sanitizers of the build, as address,undefined: leaks show; or counts: objects that are left show")
    parser.add_argument("--folder", type=pathlib.Path, default=cache / "inkling-mutants")
    parser.add_argument("--jobs", type=int, default=2, help="entries at once while the map is made")
    parser.add_argument("--tests", default="", help="a pattern: only entries of such names; a map that is not there is not made")
    parser.add_argument("--map", help="only complete the map; a pattern: trace entries of such names again; fresh: all")
    return parser.parse_args()


def main():
    args, start = arguments(), time.monotonic()
    entries.must_isolate()
    if args.map == "fresh":
        mapping.forget(args.folder / "map")
    if args.map or not (args.tests or (args.folder / "map" / "rows.jsonl").exists()):
        mapping.Map(args.folder / "map").complete(args.jobs, args.map if args.map not in ("1", "fresh") else None, args.tests)
        print(f"the map is made: {time.monotonic() - start:.0f} s", flush=True)
        if args.map:
            return
    build = "-".join(["mutants", *filter(None, args.sanitize.split(","))])
    judge = Judge(args.folder / build, mapping.Map(args.folder / "map"), args.budget, args.sanitize, args.tests)
    files = collections.defaultdict(list)
    for path in filter(re.compile(args.files).search, judge.release.files()):
        files[folder_of(path)].append(path)
    folders = args.where.split(",") if args.where else sorted(files)
    if unknown := set(folders) - set(files):
        sys.exit(f"mutants: src has no sources in {', '.join(sorted(unknown))}; there are: {' '.join(sorted(files))}")
    results = Results(args.folder / "results.jsonl")
    equivalent = argued((HERE / "README.md").read_text(encoding="utf-8"))
    if args.again:
        rows = try_again(results, args.again.split(","), folders, judge.judge, judge.read, equivalent)
    else:
        names = {"simple": operators.OPERATORS, "realistic": operators.REALISTIC, "all": operators.ALL}[args.operators]
        drawn = sequences_of(args.by, {folder: files[folder] for folder in folders}, judge.read, args.seed, names)
        rows = wanted(args.n, drawn, results, judge.judge)
    told = []
    for row in rows:
        told.append(weighed(row, equivalent))
        if row["verdict"] in TRIED:
            print(line_of(told[-1]), flush=True)
    if args.all:
        told = [weighed(row, equivalent) for row in results.rows.values() if row["folder"] in folders]
    report(told, args.folder, time.monotonic() - start)


if __name__ == "__main__":
    main()
