#!/usr/bin/env python3
"""new.py BIN LANGUAGE: `inkling new-program` makes a program that its Makefile and its CMakeLists.txt compile and run, in a path with a space;
names and languages that are none are refused in a line, and nothing is overwritten."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN, LANGUAGE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}


class New(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "my code")
        self.folder.mkdir()

    def run_it(self, *words, code=0):
        done = subprocess.run(words, cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def test_make(self):
        said = self.run_it(BIN / "inkling", "new-program", "my-pi", "--language", LANGUAGE)
        self.assertIn("cd my-pi && make run", said)
        self.assertFalse([path for path in (self.folder / "my-pi").iterdir() if "@NAME@" in path.read_text(encoding="ascii")])
        self.assertIn("pi is about 3.141593, by 3 ranks", self.run_it("make", "-C", "my-pi", "run", "RANKS=3"))

    @unittest.skipUnless(shutil.which("cmake"), "there is no cmake")
    def test_cmake(self):
        self.run_it(BIN / "inkling", "new-program", f"--language={LANGUAGE}", "my-pi")
        self.run_it("cmake", "-S", "my-pi", "-B", "built")
        self.run_it("cmake", "--build", "built")
        self.assertRegex(self.run_it("ctest", "--test-dir", "built", "-V"), r"pi is about 3\.141593, by 4 ranks[^$]*100% tests passed")

    def test_refused(self):
        for words, wanted in {("2x",): "'2x' is no name of a program", ("a", "b"): "one name, not 'a' and 'b'", (): "a name is missing",
                              ("a/b",): "'a/b' is no name", ("a", "-l", "cobol"): "there is no program in 'cobol'; c, c\\+\\+, fortran and python",
                              ("a", "--lang"): "there is no option '--lang'"}.items():
            said = self.run_it(BIN / "inkling", "new-program", *words, code=1)
            self.assertTrue(re.match(f"inkling: new-program: {wanted}", said) and said.count("\n") == 1, said)
        self.run_it(BIN / "inkling", "new-program", "twice")
        self.assertIn("'twice' is there already", self.run_it(BIN / "inkling", "new-program", "twice", code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
