"""valgrind.py BIN SUPPRESSIONS PROGRAM: valgrind finds nothing definitely or possibly lost in a job that has ended what it made."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN, SUPPRESSIONS, PROGRAM = (os.path.abspath(word) for word in sys.argv[1:4])
LOST = 23  # what valgrind exits with
WORDS = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,possible", "--show-leak-kinds=definite,possible",
         f"--error-exitcode={LOST}", "--num-callers=30", f"--suppressions={SUPPRESSIONS}"]


def job(*words, program=(), **settings):
    """The exit code of a job under valgrind, and what valgrind and the job say."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([f"{BIN}/mpiexec", *words, *WORDS, "--log-file=log.%p", PROGRAM, *program], cwd=folder, timeout=150,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, **settings}, check=False)
        logs = [log.read_text() for log in pathlib.Path(folder).glob("log.*")]
    return done.returncode, "".join(logs) + done.stdout + done.stderr


class Valgrind(unittest.TestCase):
    def check(self, *words, **more):
        code, said = job(*words, **more)
        self.assertEqual(code, 0, said)
        self.assertNotIn("lost in loss record", said)

    def test_init_and_finalize(self):
        for ranks in "1", "2":
            with self.subTest(ranks=ranks):
                self.check("-n", ranks, program=["nothing"])

    def test_all_kinds_of_objects(self):
        for ranks in "1", "2":
            with self.subTest(ranks=ranks):
                self.check("-n", ranks)

    def test_under_check(self):
        """The checks look at memory that the program has not set, too; nothing touches what is nobody's."""
        said = job("--check", "-n", "2")[1]
        self.assertIn("nothing was found", said)
        self.assertNotIn("lost in loss record", said)
        self.assertNotIn("Invalid", said)

    def test_network(self):
        """libfabric's memory is not ours."""
        if "libfabric" not in subprocess.run([f"{BIN}/inkling", "doctor"], capture_output=True, text=True, check=False).stdout:
            self.skipTest("no libfabric")
        self.check("-n", "2", INKLING_TRANSPORT="ofi")

    def test_what_the_program_loses_is_told(self):
        code, said = job("-n", "1", program=["lose"])
        self.assertEqual(code, LOST, said)
        self.assertRegex(said, r"77 bytes in 1 blocks are definitely lost")

    def test_suppressions_are_found(self):
        said = subprocess.run([f"{BIN}/inkling", "info"], capture_output=True, text=True, check=True).stdout
        self.assertTrue(os.path.samefile(re.search(r"^valgrind +(.*)$", said, re.M)[1], SUPPRESSIONS))


if __name__ == "__main__":
    if not shutil.which("valgrind"):
        print("skipped: no valgrind here (Debian: valgrind)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
