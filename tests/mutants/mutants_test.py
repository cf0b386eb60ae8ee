#!/usr/bin/env python3
"""What make mutants changes on a line, what it leaves out, which entries it runs first, and that it goes on where it was."""
import pathlib
import shutil
import tempfile
import types
import unittest

import mapping
import mutants
import operators
import tree


def changes(line, *context):
    """{operator: [what becomes of the line]} without the white space around it"""
    found = operators.changes(line, operators.blanked(line).rstrip(), operators.Context(*context))
    return {name: [after.strip() for after in lines] for name, lines in found.items()}


class Operators(unittest.TestCase):
    def becomes(self, line, operator, *after, context=()):
        self.assertEqual(changes(line, *context).get(operator, []), list(after))

    def test_relations(self):
        self.becomes("    if (a < b || p->c >= 3)", "relation", "if (a <= b || p->c >= 3)", "if (a < b || p->c > 3)")
        self.becomes("    x = a == b;", "relation", "x = a != b;")
        self.becomes("    x = 1 << 3;", "relation")

    def test_off_by_one(self):
        self.becomes("    n = size - 1;", "off by one", "n = size;")
        self.becomes("    for (int i = 0; i < n; i++)", "off by one", "for (int i = 0; i < n - 1; i++)")
        self.becomes("    n = a[i] + b[3];", "off by one", "n = a[i + 1] + b[3];")

    def test_conditions(self):
        self.becomes("    if (f(a) && b)", "condition", "if (!(f(a) && b))", "if (f(a) || b)")
        self.becomes("    if (f(a) &&", "condition", "if (f(a) ||")

    def test_statements_dropped(self):
        self.becomes("    wake(door);", "call dropped", ";")
        self.becomes("    n = wake(door);", "call dropped")
        self.becomes("    free(door);", "call dropped")
        self.becomes("    lock_release(&l); /* why */", "lock dropped", "; /* why */")
        self.becomes("    lock_release(&l);", "call dropped")
        self.becomes("    d->word = 0;", "reset dropped", ";")
        self.becomes("    bool word = false;", "reset dropped")

    def test_orders(self):
        self.becomes("    x = load(&a, memory_order_acquire);", "memory order", "x = load(&a, memory_order_relaxed);")
        self.becomes("    x = load(&a, memory_order_relaxed);", "memory order")

    def test_returns(self):
        self.becomes("    return true;", "return value", "return false;")
        self.becomes("    return MPI_SUCCESS;", "return value", "return MPI_ERR_OTHER;")
        self.becomes('    return fail(MPI_ERR_ARG, "%d", 1);', "return value", "return MPI_SUCCESS;")
        self.becomes("    return size + 1;", "return value", "return 0;")

    def test_constants(self):
        self.becomes("    x = f(0, 7, true);", "constant", "x = f(1, 7, true);", "x = f(0, 8, true);", "x = f(0, 7, false);")
        self.becomes("    x = 4096 + 0x10 + 1.5;", "constant")

    def test_arrays_get_smaller(self):
        self.becomes("    struct iovec piece[PIECES], x;", "off by one", "struct iovec piece[PIECES - 1], x;")
        self.becomes("    char bytes[64];", "constant", "char bytes[63];")
        self.becomes("    return bytes[at];", "off by one", "return bytes[at + 1];")

    def test_stores_dropped(self):
        self.becomes("    call->sum += n;", "store dropped", ";")
        self.becomes("    *found = a[i];", "store dropped", ";")
        self.becomes("    left--;", "store dropped", ";")
        self.becomes("    int sum = n;", "store dropped")
        self.becomes("    call->sum = 0;", "store dropped")

    def test_parts_dropped(self):
        self.becomes("    if (a == b && f(c, d))", "part dropped", "if (a == b)", "if (f(c, d))")
        self.becomes("    return a == b && c || !d;", "part dropped", "return a == b || !d;", "return c || !d;", "return a == b && c;",
                     "return a == b && !d;")
        self.becomes("    if (a <= b &&", "part dropped")
        self.becomes("    x = a != b || c;", "part dropped", "x = a != b;", "x = c;")

    def test_arguments_swapped(self):
        self.becomes("    f(a, b->c, g(d), 3);", "arguments swapped", "f(b->c, a, g(d), 3);")
        self.becomes("    x = f(a, a) + g(&b, c);", "arguments swapped", "x = f(a, a) + g(c, &b);")
        self.becomes("    if (a, b)", "arguments swapped")
        self.becomes("    if (strcmp(a, b) == 0)", "arguments swapped")
        self.becomes("    x = strcmp(a, b) < 0;", "arguments swapped", "x = strcmp(b, a) < 0;")
        self.becomes("    if (memcmp(a, b, n) != 0)", "arguments swapped", "if (memcmp(a, n, b) != 0)")

    def test_similar_names(self):
        names = frozenset(("local_size", "remote_size", "size"))
        self.becomes("    n = c->local_size;", "similar name", "n = c->remote_size;", context=(names,))
        self.becomes("    n = c->send_size;", "similar name", context=(names,))

    def test_early_returns(self):
        self.becomes("    free(a);", "early return", "return;")
        self.becomes("    comm_unref(a);", "early return", "return 0;", context=(frozenset(), False))
        self.becomes("    wake(a);", "early return")
        text = "static void f(int a)\n{\n    free(a);\n}\nint g(int a,\n      int b)\n{\n    free(a);\n}\n"
        self.assertEqual([found["early return"] for found in operators.sites(text).values()], [["    return;"], ["    return 0;"]])

    def test_what_is_only_said_is_left_out(self):
        for line in ("    /* a < b */", '    char *x = "a < b";', "    assert(a < b);", "#if A < 3", '    log_warn("%d", a + 1);',
                     '    _Static_assert(sizeof(int) == 4, "4");'):
            self.assertEqual(changes(line), {}, line)
        self.assertEqual(set(changes('    return fail(MPI_ERR_ARG, "%d", a + 1);')), {"return value"})

    def test_comments_of_several_lines_are_left_out(self):
        self.assertEqual(list(operators.sites("/* a\n   b < c\n*/\nint f(void)\n{\n    return 0;\n}\n")), [5])

    def test_of_headers_only_what_functions_do_is_changed(self):
        text = "enum {\n    A = 3\n};\nstatic inline int f(int a)\n{\n    return a + 1;\n}\nstruct s {\n    int b[4];\n};\n"
        self.assertEqual(list(operators.sites(text, is_header=True)), [5])
        found = mutants.sequence("a", ["src/a/f.h"], lambda path: text, "1")
        self.assertEqual([(mutant.folder(), mutant.line, mutant.function) for mutant in found], [("a", 6, "f")])

    def test_insight_and_plain_are_a_folder_each(self):
        self.assertEqual([mutants.folder_of(path) for path in ("src/net/ofi/tx.c", "plain/port.c", "insight/wrap/hang.c")],
                         ["net", "plain", "insight"])

    def test_bodies(self):
        self.assertEqual(operators.bodies("enum {\n    A = 3\n};\nint f(void)\n{\n    return A;\n}\n"), [range(5, 6)])


class SameCode(unittest.TestCase):
    def test_objects_tell_what_changes_nothing(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        release = object.__new__(tree.Release)
        release.tree, release.known = types.SimpleNamespace(folder=folder, source=folder), {}
        release.commands = {"a.c": {"directory": str(folder), "command": "cc -g -O2 -flto -o x -c a.c"}}

        def compiled(text):
            (folder / "a.c").write_text(text, encoding="ascii")
            return release.object("a.c")
        original = compiled("int f(unsigned a)\n{\n    return a > 0;\n}\n")
        self.assertEqual(compiled("int f(unsigned a)\n{\n    return a != 0;\n}\n"), original)
        self.assertNotEqual(compiled("int f(unsigned a)\n{\n    return a >= 0;\n}\n"), original)
        self.assertIsNone(compiled("int f(unsigned a)\n{\n    return b;\n}\n"))


class Programs(unittest.TestCase):
    """Of a build with a library, a command, and two programs of tests of which a script looks up one."""
    RULES = {"lib/liba.so.1": "C_SHARED_LIBRARY_LINKER__a", "lib/liba.so": "CMAKE_SYMLINK_LIBRARY", "bin/run": "C_EXECUTABLE_LINKER__run",
             "tests/launch_sets": "C_EXECUTABLE_LINKER__launch_sets", "tests/steps": "C_EXECUTABLE_LINKER__steps", "tests/all": "phony",
             "src/a.o": "C_COMPILER__a"}

    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        self.copy = tree.Tree(folder)
        self.copy.rules = self.RULES
        self.script = self.copy.source / "pmix.py"
        self.script.parent.mkdir()
        self.script.write_text('launcher = os.path.join(folder, "launch_sets")\nall = steps_of(launcher)\n', encoding="ascii")

    def test_commands_are_what_is_linked_but_tests(self):
        self.assertEqual(self.copy.commands(), ["lib/liba.so.1", "lib/liba.so", "bin/run"])

    def test_programs_of_an_entry_are_needed(self):
        self.assertEqual(self.copy.needs(["run", str(self.copy.build / "tests/steps"), str(self.copy.build / "bin/run")]), ["tests/steps"])

    def test_programs_that_a_script_looks_up_are_needed(self):
        self.assertEqual(self.copy.needs(["python3", str(self.script)]), ["tests/launch_sets"])


class Headers(unittest.TestCase):
    """A header that two sources include, of which one uses its function."""
    FILES = {"src/a/f.h": "static inline int f(int a)\n{\n    return a < 3;\n}\n",
             "src/a/a.c": '#include "f.h"\nint a(int n)\n{\n    return n;\n}\n',
             "src/b/b.c": '#include "../a/f.h"\nint b(int n)\n{\n    return f(n);\n}\n',
             "insight/tests/unit/b_test.c": '#include "../../../src/a/f.h"\nint t(int n)\n{\n    return f(n + 1);\n}\n'}
    RULES = "rule cc\n  command = cc -MD -MF $out.d -c $in -o $out\n  deps = gcc\n  depfile = $out.d\n"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        copy = tree.Tree(self.folder)
        for name, text in self.FILES.items():
            (copy.source / name).parent.mkdir(parents=True, exist_ok=True)
            (copy.source / name).write_text(text, encoding="ascii")
        sources = [name for name in self.FILES if name.endswith(".c")]
        copy.build.mkdir()
        (copy.build / "build.ninja").write_text(
            self.RULES + "".join(f"build {name}.o: cc ../source/{name}\n" for name in sources), encoding="ascii")
        self.assertTrue(copy.make()[0])
        self.release = object.__new__(tree.Release)
        self.release.tree, self.release.known = copy, {}
        self.release.commands = {name: {"directory": str(copy.source), "command": f"cc -O2 -o x -c {name}"} for name in sources}
        self.release.users = self.release.find_users(copy.includes())
        self.copy, self.header = copy, copy.source / "src/a/f.h"

    def compare(self, after):
        return self.release.compare("src/a/f.h", self.FILES["src/a/f.h"].replace("a < 3", after))

    def test_dependencies_say_who_includes_it(self):
        self.assertEqual(self.release.users, {"src/a/f.h": ["src/a/a.c", "src/b/b.c"]})
        self.assertEqual(self.release.files(), ["src/a/a.c", "src/a/f.h", "src/b/b.c"])

    def test_tests_are_no_sources(self):
        self.release.commands = dict.fromkeys(["src/a.c", "insight/a.c", "insight/tests/check/a.c"])
        self.assertEqual(self.release.sources(), ["insight/a.c", "src/a.c"])

    def test_the_object_of_who_uses_it_tells(self):
        self.assertEqual(self.compare("a <= 3"), tree.CHANGED)
        self.assertEqual(self.compare("3 > a"), tree.SAME)
        self.assertEqual(self.compare("c < 3"), tree.BROKEN)

    def test_the_header_is_then_as_it_was(self):
        before = self.header.stat().st_mtime_ns
        self.compare("a <= 3")
        self.assertEqual((self.header.read_text(encoding="ascii"), self.header.stat().st_mtime_ns), (self.FILES["src/a/f.h"], before))
        self.assertIn("no work to do", tree.said(["ninja"], self.copy.build)[1])


class Mapping(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.then = "int f(int a)\n{\n    int b = a;\n    return g(a,\n             b);\n}\n"
        (self.folder / "sources").mkdir()
        (self.folder / "sources" / "then").write_text(self.then, encoding="ascii")
        self.map = mapping.Map(self.folder)
        self.map.rows = {"mpi/a/1": {"code": 0, "seconds": 3, "files": {"f.c": ("then", "10")}},
                         "mpi/b/1": {"code": 0, "seconds": 1, "files": {"f.c": ("then", "8")}},
                         "mpi/c/1": {"code": 1, "seconds": 1, "files": {"f.c": ("then", "10")}}}

    def test_entries_that_execute_a_line(self):
        self.assertEqual(self.map.executing("f.c", self.then, 4), {"mpi/a/1"})
        self.assertEqual(self.map.executing("f.c", self.then, 3), {"mpi/b/1"})

    def test_a_later_line_of_a_statement(self):
        self.assertEqual(self.map.executing("f.c", self.then, 5), {"mpi/a/1"})

    def test_lines_that_moved(self):
        self.assertEqual(self.map.executing("f.c", "/* new */\n" + self.then, 5), {"mpi/a/1"})

    def test_of_a_function(self):
        self.assertEqual(self.map.executing("f.c", self.then, 3, is_near=True), {"mpi/a/1", "mpi/b/1"})

    def test_new_lines_are_the_functions(self):
        text = self.then.replace("int b = a;", "int b = a + 1;")
        self.assertEqual(self.map.executing("f.c", text, 3), {"mpi/a/1"})

    def test_outside_functions_each_entry_of_the_file(self):
        self.assertEqual(self.map.executing("f.c", "int n = 3;\n" + self.then, 1), {"mpi/a/1", "mpi/b/1"})

    def test_who_reaches_rare_lines_knows_the_file(self):
        self.map.rows = {"a": {"code": 0, "files": {"f.c": ("then", "18")}}, "b": {"code": 0, "files": {"f.c": ("then", "8")}},
                         "c": {"code": 0, "files": {"g.c": ("then", "18")}}, "d": {"code": 1, "files": {"f.c": ("then", "10")}}}
        self.assertEqual(self.map.familiarity("f.c"), {"a": 1.5, "b": 0.5})

    def test_programs_that_differ_come_first(self):
        seconds = {"mpi/a/1": 1, "mpi/a/2": 2, "mpi/a/3": 5, "mpi/b/2": 3, "mpi/b/4": 4}
        found = mapping.in_rounds([mapping.entries.Entry(name, ["--", name[:-2], "-n", name[-1]], {}, "") for name in seconds],
                                  seconds.get)
        self.assertEqual([each.name for each in found], ["mpi/a/2", "mpi/b/2", "mpi/b/4", "mpi/a/3", "mpi/a/1"])

    def test_who_knows_the_file_takes_turns_with_all_kinds(self):
        judge = object.__new__(mutants.Judge)
        judge.map, judge.seconds = self.map, {}
        self.map.rows = {name: {"code": 0, "seconds": seconds, "files": {"f.c": ("then", bits)}}
                         for name, seconds, bits in (("a/1", 1, "8"), ("b/1", 1, "8"), ("b/2", 1, "c"), ("c/1", 80, "3"))}
        found = [mapping.entries.Entry(name, ["--", name[0], "-n", name[-1]], {}, "") for name in self.map.rows]
        known = judge.familiar(found, "f.c")
        self.assertEqual([(weight, each.name) for weight, each in known], [(1 + 1 / 3, "b/2"), (1 / 3, "a/1"), (2, "c/1")])
        self.assertEqual([each.name for each in judge.in_turn([each for _, each in known], found)], ["b/2", "a/1", "b/1", "c/1"])

    def test_who_knows_the_file_best_runs_in_the_end_although_it_takes_long(self):
        ran = []
        judge = object.__new__(mutants.Judge)
        judge.map, judge.seconds, judge.unsound, judge.budget = self.map, {}, {"e/1"}, 10
        judge.tree = types.SimpleNamespace(needs=lambda command: [])
        judge.fails = lambda entry: ran.append(entry.name)
        times = {"a/1": 1, "b/1": 99, "c/1": 99, "e/1": 1}
        self.map.rows = {name: {"code": 0, "seconds": seconds, "files": {"f.c": ("then", "8")}} for name, seconds in times.items()}
        a, b, c, e = (mapping.entries.Entry(name, [], {}, "") for name in times)
        judge.order = lambda mutant, text: (3, [a, b, c, e], [a, c, e])
        mutant = mutants.Mutant("f.c", 2, "store dropped", "    int b = a;", ";", "")
        verdict, more = judge.test(mutant, self.then, 0)
        self.assertEqual((verdict, ran, more["ran"]), (mutants.SURVIVED, ["a/1", "c/1"], ["a/1", "c/1"]))

    def test_kinds_of_entries_in_turn(self):
        names = [f"mpi/p2p_{letter}/2" for letter in "abcdef"] + ["spawn/a/1", "spawn/b/1", "mpi/win/2"]
        found = mutants.Judge.mixed([mapping.entries.Entry(name, [], {}, "") for name in names], ("mpi/p2p_",))
        self.assertEqual([each.name for each in found], ["mpi/p2p_a/2", "mpi/p2p_b/2", "mpi/p2p_c/2", "mpi/p2p_d/2", "spawn/a/1", "mpi/win/2",
                                                         "mpi/p2p_e/2", "mpi/p2p_f/2", "spawn/b/1"])


class Judging(unittest.TestCase):
    SOURCE = "int f(int a)\n{\n    wake(a);\n    if (a < 3)\n        return 1;\n    return a + 1;\n}\n"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.judged = []

    def judge_as(self, verdict):
        def judge(mutant):
            self.judged.append(mutant.key)
            return verdict, {"diff": mutant.diff(self.SOURCE), "ran": []}
        return judge

    def run_them(self, count, seed="1", verdict=mutants.SURVIVED):
        sequences = [mutants.sequence(folder, [f"src/{folder}/f.c"], lambda path: self.SOURCE, seed) for folder in "ab"]
        results = mutants.Results(self.folder / "results.jsonl")
        return list(mutants.wanted(count, sequences, results, self.judge_as(verdict)))

    def run_again(self, source, equivalent=()):
        results = mutants.Results(self.folder / "results.jsonl")
        return list(mutants.try_again(results, [mutants.SURVIVED], "ab", self.judge_as(mutants.KILLED), lambda path: source,
                                      set(equivalent)))

    def test_folders_take_turns(self):
        self.assertEqual([row["folder"] for row in self.run_them(4)], ["a", "b", "a", "b"])

    def test_by_line_larger_folders_have_more(self):
        text = {"src/a/f.c": self.SOURCE, "src/b/f.c": 20 * self.SOURCE}
        drawn = mutants.sequences_of("line", {"a": ["src/a/f.c"], "b": ["src/b/f.c"]}, text.get, "1")
        folders = [mutant.folder() for each in drawn for mutant in each]
        self.assertEqual((len(drawn), folders.count("b")), (1, 20 * folders.count("a")))
        self.assertGreater(folders[:40].count("b"), 30)

    def test_a_seed_draws_the_same(self):
        first = [row["after"] for row in self.run_them(4)]
        self.assertEqual([row["after"] for row in self.run_them(4)], first)
        self.assertNotEqual([[row["after"] for row in self.run_them(4, seed=str(n))] for n in range(9)], [first] * 9)

    def test_it_goes_on_where_it_was(self):
        self.run_them(2)
        self.run_them(4)
        self.assertEqual(len(self.judged), 4)

    def test_survivors_are_tried_again(self):
        first = self.run_them(2)
        rows = self.run_again("/* new */\n" + self.SOURCE)
        self.assertEqual([row["line"] for row in rows], [row["line"] + 1 for row in first])
        self.assertEqual([row["after"] for row in rows], [row["after"] for row in first])
        self.assertEqual({row["verdict"] for row in self.run_them(2)}, {mutants.KILLED})
        self.assertEqual(self.run_again(self.SOURCE), [])

    def test_argued_survivors_are_left_alone(self):
        row = self.run_them(1)[0]
        self.assertEqual(self.run_again(self.SOURCE, [(row["path"], row["function"], row["before"], row["after"])]), [])

    def test_survivors_whose_line_is_gone_are_forgotten(self):
        self.run_them(2)
        self.assertEqual({row["verdict"] for row in self.run_again("")}, {mutants.GONE})

    def test_those_that_change_nothing_do_not_count(self):
        rows = self.run_them(4, verdict=mutants.SAME_CODE)
        self.assertEqual(len(rows), 8)  # all lines of both

    def test_argued_ones_are_equivalent(self):
        row = self.run_them(1)[0]
        equivalent = mutants.argued(f"- `{row['path']}`, `{row['function']}`: `{row['before']}` to `{row['after']}`: nobody can tell.\n")
        self.assertEqual(mutants.weighed(row, equivalent)["verdict"], mutants.EQUIVALENT)
        self.assertEqual(mutants.weighed({**row, "after": "x"}, equivalent)["verdict"], mutants.SURVIVED)
        self.assertEqual(mutants.weighed({**row, "function": "another"}, equivalent)["verdict"], mutants.SURVIVED)

    def test_a_line_has_its_function(self):
        text = "static int one(int a)\n{\n    return a;\n}\n\nint two(int a,\n        int b)\n{\n    return one(b);\n}\nint c = 2;\n"
        self.assertEqual([operators.function_of(text, line) for line in (3, 9, 11)], ["one", "two", ""])

    def test_builds_that_fail_are_told(self):
        rows = [{"folder": folder, "verdict": verdict}
                for folder, verdicts in (("a", [mutants.NOT_C, mutants.KILLED]), ("b", [mutants.KILLED, mutants.SAME_CODE]),
                                         ("c", [mutants.NOT_C, mutants.NOT_C, mutants.SURVIVED, mutants.GONE]))
                for verdict in verdicts]
        rows[5]["output"] = "no rule"
        self.assertEqual(mutants.broken(rows), ["Do not compile in a: 1 of 2", "Do not compile in c: 2 of 3",
                                                "warning: most mutants of c do not compile; is its build broken? no rule"])
        self.assertEqual(mutants.broken(rows[2:4]), [])

    def test_the_table_counts(self):
        rows = [{"folder": "a", "verdict": verdict} for verdict in
                [mutants.KILLED] * 6 + [mutants.TIMED_OUT, mutants.EQUIVALENT, mutants.SURVIVED, mutants.SAME_CODE]]
        self.assertIn("| a | 9 | 7 | 1 | 1 | 1 | 88 % |", mutants.table(rows))


if __name__ == "__main__":
    unittest.main()
