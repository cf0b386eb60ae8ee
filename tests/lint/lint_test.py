#!/usr/bin/env python3
"""The lint checks find what they are there to find: each is shown a project that breaks its rule."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import layers
import lengths
import names
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

    def test_layers_folder_without_a_row(self):
        self.write("src/new/new.c", "")
        self.finds(layers.check, "src/new/new.c", "no row")

    def test_layers_folder_in_a_folder(self):
        self.write("src/comm/make/dup.c", '#include "comm/comm.h"\n#include "base/list.h"\n')
        self.finds(layers.check)
        self.write("src/LAYERS", LAYERS + "comm/make: p2p\ncomm/name: topo\n")
        self.write("src/comm/make/dup.h", '#include "p2p/p2p.h"\n')
        self.write("src/p2p/p2p.h", "")
        self.write("src/topo/topo.h", "")
        self.write("src/comm/name.c", '#include "topo/topo.h"\n')
        self.finds(layers.check)
        self.write("src/comm/free.c", '#include "comm/make/dup.h"\n')
        self.finds(layers.check, "src/comm/free.c:1", "comm may not include comm/make")

    def test_layers_header_without_its_folder(self):
        self.write("src/comm/name.c", '#include "comm.h"\n')
        self.finds(layers.check, 'write "comm/comm.h"')

    def test_layers_unit_tests(self):
        self.write("src/base/list_test.c", '#include "unit.h"\n#include "base/list.h"\n')
        self.finds(layers.check)
        self.write("src/base/list.c", '#include "unit.h"\n')
        self.finds(layers.check, "src/base/list.c:1")

    def test_layers_row_above(self):
        self.write("src/LAYERS", "base: comm\ncomm: base\n")
        self.finds(layers.check, "src/LAYERS:1", "base lists comm")

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
        self.finds(layers.check, "is not a file under src/ or insight/")
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


if __name__ == "__main__":
    for tool in "git", "ctags":
        if not shutil.which(tool):
            print(f"skipped: no {tool} here (make lint installs it)")
            sys.exit(77)
    unittest.main()
