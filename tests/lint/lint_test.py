#!/usr/bin/env python3
"""The lint checks find what they are there to find: each is shown a project that breaks its rule."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import atomics
import circles
import layers
import lengths
import names
import prose
import references
import source

LAYERS = "base:\ncomm: base\np2p: comm\ntopo: base\n"


class Lint(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(setattr, source, "ROOT", source.ROOT)
        source.ROOT = self.folder
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)
        self.write("src/LAYERS", LAYERS)
        self.write("src/base/list.h", "")
        self.write("src/comm/comm.h", '#include "base/list.h"\n')
        for folder in "p2p", "topo":
            (self.folder / "src" / folder).mkdir()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def finds(self, check, *words):
        problems, _ = check()
        self.assertEqual(len(problems), 1 if words else 0, problems)
        for word in words:
            self.assertIn(word, problems[0])

    def test_layers_lends_what_a_row_lends(self):
        self.write("src/p2p/match.c", '#include "base/list.h"\n#include "comm/comm.h"\n#include <mpi.h>\n')
        self.finds(layers.check)

    def test_layers_upwards(self):
        self.write("src/base/clock.c", '  #  include "comm/comm.h"\n')
        self.finds(layers.check, "src/base/clock.c:1", "base may not include comm")

    def test_layers_sideways(self):
        self.write("src/topo/cart.c", '\n#include "comm/comm.h"\n')
        self.finds(layers.check, "src/topo/cart.c:2", "topo may not include comm")

    def test_layers_plain_is_beside_src(self):
        self.write("src/LAYERS", LAYERS.replace("base:", "plain:\nbase: plain", 1))
        self.write("plain/json.h", "")
        self.write("plain/json.c", '#include "plain/json.h"\n')
        self.write("src/p2p/match.c", '#include "plain/json.h"\n')
        self.finds(layers.check)
        self.write("plain/clock.c", '#include "base/list.h"\n')
        self.finds(layers.check, "plain/clock.c:1", "plain may not include base")

    def test_layers_calls_by_the_table_of_checks(self):
        self.write("insight/LAYERS", "insight/low:\ninsight/high: insight/low\n")
        self.write("insight/wrap/checks.txt", "SEND  Send\n    before high_check low_check\n")
        self.write("insight/high/high.c", "#include <insight/checks.h>\nvoid high_check(void)\n{\n    low_check();\n}\n")
        self.write("insight/low/low.c", "#include <insight/checks.h>\nvoid low_check(void)\n{\n}\n")
        self.finds(layers.check)
        self.write("insight/low/low.c", "#include <insight/checks.h>\n/* high_check() */\nvoid low_check(void)\n{\n    high_check();\n}\n")
        self.finds(layers.check, "insight/low/low.c:5", "insight/low may not call high_check", "insight/high/high.c")

    def test_layers_folder_without_a_row(self):
        self.write("src/new/new.c", "")
        self.finds(layers.check, "src/new/new.c", "no row")

    def test_layers_rooms(self):
        self.write("src/comm/room/dup.c", '#include "comm/comm.h"\n#include "base/list.h"\n')
        self.finds(layers.check)
        self.write("src/LAYERS", LAYERS + "comm/room: p2p\n")
        self.write("src/comm/room/dup.h", '#include "p2p/p2p.h"\n')
        self.write("src/p2p/p2p.h", "")
        self.finds(layers.check)
        self.write("src/comm/free.c", '#include "comm/room/dup.h"\n')
        self.finds(layers.check, "src/comm/free.c:1", "comm may not include comm/room")

    def test_layers_have_no_rows_for_files(self):
        self.write("src/LAYERS", LAYERS + "comm/comm: p2p\n")
        self.finds(layers.check, "src/LAYERS:5", "comm/comm is no folder")

    def test_layers_header_without_its_folder(self):
        self.write("src/comm/name.c", '#include "comm.h"\n')
        self.finds(layers.check, 'write "comm/comm.h"')

    def test_layers_unit_tests(self):
        self.write("tests/unit/base/list_test.c", '#include "unit.h"\n#include "base/list.h"\n')
        self.write("insight/LAYERS", "insight/call: base\n")
        self.write("insight/call/call.h", "")
        self.write("insight/tests/unit/call/call_test.c", '#include "unit.h"\n#include "base/list.h"\n')
        self.finds(layers.check)
        self.write("tests/unit/base/list_test.c", '#include "comm/comm.h"\n')
        self.finds(layers.check, "tests/unit/base/list_test.c:1", "base may not include comm")
        self.write("tests/unit/base/list_test.c", "")
        self.write("src/base/list.c", '#include "unit.h"\n')
        self.finds(layers.check, "src/base/list.c:1")

    def test_layers_row_above(self):
        self.write("src/LAYERS", "base: comm\ncomm: base\n")
        self.finds(layers.check, "src/LAYERS:1", "base lists comm")

    def ring(self, count):
        """Files of comm, each of which uses the next one, and the last the first."""
        for i in range(count):
            self.write(f"src/comm/ring{i}.c", f"int ring{i}_turn(void)\n{{\n    return ring{(i + 1) % count}_turn();\n}}\n")

    def test_circles_of_files(self):
        self.ring(4)
        self.finds(circles.check)
        self.ring(5)
        self.finds(circles.check, "5 files", "src/comm/ring0 src/comm/ring1")

    def test_circles_by_tables_and_inline_functions(self):
        self.ring(4)
        self.write("src/comm/ring3.c", "int ring3_turn(void)\n{\n    return ring4_table.turn();\n}\n")
        self.write("src/comm/ring4.h", "extern const struct table ring4_table;\n")
        self.write("src/comm/ring4.c", "const struct table ring4_table = {ring5_turn};\n")
        self.write("src/comm/ring5.h", "static inline int ring5_turn(void)\n{\n    return ring0_turn();\n}\n")
        self.finds(circles.check, "6 files")

    def test_circles_are_not_made_by_what_only_looks_alike(self):
        self.ring(5)
        for text in "int ring0_turn;\n    return ring0_turn;", "/* ring0_turn */", "return a.ring0_turn;", 'return "ring0_turn";':
            self.write("src/comm/ring4.c", f"int ring4_turn(void)\n{{\n    {text}\n}}\n")
            self.finds(circles.check)
        self.write("src/comm/ring4.h", "int ring0_turn(void);\n")
        self.finds(circles.check)

    def test_circles_of_folders(self):
        self.write("src/p2p/p2p.h", '#include "comm/comm.h"\n')
        self.write("src/comm/room/dup.h", '#include "p2p/p2p.h"\n')
        self.finds(circles.check, "the folders comm p2p", "src/comm/room/dup.h:1 has comm include p2p")
    def test_layers_of_insight(self):
        self.write("insight/LAYERS", "insight/call: base\ninsight/wrap: insight/call\ntopo: insight/call\n")
        self.write("insight/call/call.h", '#include "base/list.h"\n')
        self.write("insight/wrap/wrap.c", '#include "insight/call/call.h"\n')
        self.write("src/topo/cart.c", '#include "insight/call/call.h"\n#include "base/list.h"\n')
        self.finds(layers.check)
        self.write("insight/tests/check/leak.c", '#include "program.h"\n')
        self.finds(layers.check)
        self.write("insight/call/call.c", '#include "comm/comm.h"\n')
        self.finds(layers.check, "insight/call/call.c:1", "insight/call may not include comm")
        self.write("insight/call/call.c", '#include "insight/call/none.h"\n')
        self.finds(layers.check, "is not a file under src/, plain/, insight/ or cmd/")
        self.write("insight/call/call.c", "")
        self.write("src/p2p/match.c", '#include "insight/call/call.h"\n')
        self.finds(layers.check, "src/p2p/match.c:1", "p2p may not include insight/call")

    def test_names(self):
        self.finds(names.check)
        self.write("src/base/score.c", "")
        self.finds(names.check)
        self.write("src/base/string_utils.c", "")
        self.finds(names.check, "string_utils.c", "'utils'")

    def test_names_twice(self):
        self.write("src/comm/name.c", "static int find(void)\n{\n    return 0;\n}\n")
        self.write("src/comm/name.h", "struct comm_name {\n    int length;\n};\n")
        self.finds(names.check)
        self.write("src/base/other.c", "static int find(void)\n{\n    return 1;\n}\n")
        self.finds(names.check, "src/comm/name.c:1", "src/base/other.c:1", "the function find")
        self.write("src/base/other.c", "struct comm_name {\n    long length;\n};\n")
        self.finds(names.check, "src/comm/name.h:1", "src/base/other.c:1", "struct comm_name")
        self.write("src/base/other.c", "")
        self.write("src/base/name.h", "")
        self.finds(names.check, "src/comm/name.h", "src/base/name.h", "the name name")

    def test_names_of_libraries_that_are_absent(self):
        self.write("src/comm/name.c", "int comm_find(void)\n{\n    return 0;\n}\n")
        self.write("src/comm/name_absent.c", "int comm_find(void)\n{\n    return 1;\n}\n")
        self.finds(names.check)

    def test_names_of_what_others_call(self):
        self.write("src/comm/rank_table.c", "".join(f"int {name}(void)\n{{\n    return 0;\n}}\n" for name in (
            "comm_find", "comms_find", "rank_table_find", "rank_find", "comm")))
        self.finds(names.check)
        self.write("src/base/list.c", "int find_list(void)\n{\n    return 0;\n}\n")
        self.finds(names.check, "src/base/list.c:1", "find_list begins neither")
        self.write("src/base/list.c", "")
        self.write("src/base/list.h", "static inline int listing(void)\n{\n    return 0;\n}\n")
        self.finds(names.check, "src/base/list.h:1", "listing begins neither")

    def test_atomics(self):
        self.write("src/base/list.c", "/* atomic_load(&x) */\nint list_look(void)\n{\n    atomic_thread_fence(memory_order_seq_cst);\n"
                                      "    return atomic_load_explicit(&x, memory_order_relaxed);\n}\n")
        self.write("tests/unit/base/list_test.c", "int main(void)\n{\n    return atomic_load(&x);\n}\n")
        self.finds(atomics.check)
        self.write("src/base/list.c", "\nint list_look(void)\n{\n    return atomic_fetch_add(&x, 1);\n}\n")
        self.finds(atomics.check, "src/base/list.c:4", "atomic_fetch_add")

    def test_references(self):
        self.write("src/comm/name.c", "/* as comm_find, in list.h and base/list.h, of src/base */\nint comm_find(void)\n{\n    return 0;\n}\n")
        self.finds(references.check)
        for text, word in (("comm_lose", "comm_lose"), ("lists.h", "lists.h"), ("comm/list.h", "comm/list.h"), ("src/bases", "src/bases"),
                           ("what has been (comm/name.c, find)", "no find"), ("(comm/name.c: comm_find and comm_lost)", "no comm_lost")):
            self.write("src/base/list.h", f"\n/* {text} */\n")
            problems, _ = references.check()
            self.assertIn(f"src/base/list.h:2: ", problems[0])
            self.assertIn(word, " ".join(problems))

    def test_references_to_what_the_folder_cannot_know(self):
        self.write("src/p2p/match.h", "")
        self.write("src/comm/name.c", "/* match.h */\n")
        self.finds(references.check, "src/comm/name.c:1", "no file match.h")
        self.write("src/comm/name.c", "/* p2p/match.h */\n")
        self.finds(references.check)

    def test_references_to_ends_of_names(self):
        self.write("src/comm/name.c", "int comm_find_context(void);\n/* find_context */\n")
        self.finds(references.check)

    def test_references_of_fields(self):
        self.write("src/comm/name.h", "struct name {\n    int length; /* name.c: of it */\n};\n")
        self.write("src/comm/name.c", "int name_length(struct name *n)\n{\n    return n->length;\n}\n")
        self.finds(references.check)
        self.write("src/comm/name.c", "")
        self.finds(references.check, "src/comm/name.h:2", "does not use length")

    def test_references_of_pages(self):
        self.write("docs/PAGE.md", "`comm_lose` in [it](../src/comm/list.h)\n- `src/comm/comm.h`, `find`: gone\n")
        problems, _ = references.check()
        self.assertEqual([problem.split(": ")[0] for problem in problems], ["docs/PAGE.md:1", "docs/PAGE.md:1", "docs/PAGE.md:2"])

    def function(self, name, lines):
        return f"int {name}(void)\n{{\n" + "    ;\n" * (lines - 3) + "}\n"

    def test_lengths_of_functions(self):
        self.write("src/base/a.c", "".join(self.function(f"f{i}", 39) for i in range(9)) + self.function("g", 100))
        self.finds(lengths.check)
        self.write("src/base/b.c", self.function("h", 101) + "".join(self.function(f"k{i}", 3) for i in range(9)))
        self.finds(lengths.check, "src/base/b.c:1", "h has 101 lines")

    def test_lengths_nine_of_ten(self):
        self.write("src/base/a.c", "".join(self.function(f"f{i}", 10) for i in range(8)) + self.function("g", 40))
        problems, _ = lengths.check()
        self.assertIn("1 of 9 functions", problems[0])

    def test_lengths_of_files(self):
        self.write("src/base/a.h", "\n" * 800)
        self.finds(lengths.check, "src/base/a.h", "800 lines")

    def test_prose_plain(self):
        self.write("docs/CHECK.md", "The report names the rank.\n")
        self.write("docs/man/NOTES.md", "Whoever reads this reads no page.\n")
        self.finds(prose.check)

    def test_prose_odd(self):
        self.write("docs/CHECK.md", "The report tells\nof the rank.\n")
        self.finds(prose.check, "docs/CHECK.md", "tells of")

    def test_prose_files(self):
        self.write("docs/TOUR.md", "[The check](CHECK.md#what) looks at src/base/list.h, comm/comm.h and build/x/page.md.\n")
        self.write("docs/CHECK.md", "See https://example.org/a/b.h and (tests/NAME)\n")
        self.finds(prose.check)
        self.write("docs/CHECK.md", "See `src/base/lists.h`.\n")
        self.finds(prose.check, "docs/CHECK.md", "src/base/lists.h")
        self.write("docs/CHECK.md", "[The tour](TOURS.md)\n")
        self.finds(prose.check, "docs/CHECK.md", "docs/TOURS.md")

    def test_prose_moved(self):
        self.write("tests/unit/base/list_test.c", "")
        self.write("src/comm/comm.c", "int comm_size(void)\n")
        self.write("docs/TOUR.md", "`comm_size`\n(comm.h) is tested by `unit/base/list`.\n")
        self.finds(prose.check)
        self.write("docs/TOUR.md", "`comm_rank`\n(comm.c)\n")
        self.finds(prose.check, "docs/TOUR.md", "comm_rank")
        self.write("docs/TOUR.md", "`unit/comm/list`\n")
        self.finds(prose.check, "docs/TOUR.md", "unit/comm/list")

    def test_prose_long(self):
        self.write("README.md", "word " * 20000 + "\n")
        self.write("docs/TOUR.md", "| " + "cell " * 9000 + "|\n" + "word " * (prose.WORDS - 20000) + "\n")
        self.finds(prose.check)
        self.write("CHANGES.md", "word\n")
        self.finds(prose.check, f"{prose.WORDS + 1} words")


if __name__ == "__main__":
    for tool in "git", "ctags":
        if not shutil.which(tool):
            print(f"skipped: no {tool} here (make lint installs it)")
            sys.exit(77)
    unittest.main()
