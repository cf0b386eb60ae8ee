"""INKLING_RULES, etc/inkling/rules.json, and inkling coll. rules.py BUILD STEPS: the commands of the build, and the program of
launch/steps.c."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, STEPS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
STAR = {"collective": "barrier", "algorithm": "star", "ranks": [2, 4]}


def run(*command, **env):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "INKLING_", "OMPI", "MPIEXEC"))}
    return subprocess.run(command, capture_output=True, text=True, timeout=50, env={**kept, **env}, check=False)


class Rules(unittest.TestCase):
    """An installation of its own: the commands and the library, without rules at first."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        for part in ("bin", "lib"):
            os.mkdir(os.path.join(self.root, part))
        for name in ("mpiexec", "inkling"):
            shutil.copy(os.path.join(BUILD, "bin", name), os.path.join(self.root, "bin", name))
        library = os.path.realpath(os.path.join(BUILD, "lib", "libmpi_abi.so"))
        shutil.copy(library, os.path.join(self.root, "lib", "libmpi_abi.so.1"))
        self.rules = os.path.join(self.root, "etc", "inkling", "rules.json")

    def write(self, path, *rules, **more):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"inkling_rules": 1, "machine": "a test's", "date": "2026-11-28", **more, "rules": rules}, out)
        return path

    def by_messages(self, ranks=2, **env):
        """How many of 20 barriers of each rank went by messages, and what was said besides."""
        result = run(os.path.join(self.root, "bin", "mpiexec"), "--stats", "-n", str(ranks), STEPS, "init", *["barrier"] * 20,
                     "finalize", LD_LIBRARY_PATH=os.path.join(self.root, "lib"), **env)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = re.search(r"collectives by messages +(\d+) ", result.stderr)
        return int(found.group(1)) // ranks if found else 0, result.stderr.partition("inkling stats")[0]

    def coll(self, *words, **env):
        return run(os.path.join(self.root, "bin", "inkling"), "coll", *words, **env)

    def test_setting(self):
        path = self.write(os.path.join(self.root, "mine.json"), STAR)
        self.assertLess(self.by_messages()[0], 10)
        self.assertEqual(self.by_messages(INKLING_RULES=path), (20, ""))

    def test_installation(self):
        self.write(self.rules, STAR)
        self.assertEqual(self.by_messages(), (20, ""))
        self.assertLess(self.by_messages(INKLING_RULES="built-in")[0], 10)

    def test_bad_files(self):
        """One line, and the built-in rules."""
        for text, said in (
                ('{"inkling_rules": 1,\n "rules": [{"collective": "barrier", "algorithm": "bush"}]}',
                 r'wrong.json:2:39: "algorithm" is "bush"; write one of mailbox,star,[a-z_,]+; the built-in rules are in force'),
                ('{"inkling_rules": 2, "rules": []}', r'wrong.json:1:3: "inkling_rules" is version 2, and this library reads version 1'),
                ('{"inkling_rules": 1, "rules": [}', r"wrong.json: line 1, column 32: '}' stands where there should be a value"),
                (None, r"wrong.json: cannot be read \(No such file or directory\); name a file that inkling tune has written")):
            path = os.path.join(self.root, "wrong.json")
            if text is None:
                os.unlink(path)
            else:
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text)
            count, warned = self.by_messages(INKLING_RULES=path)
            self.assertLess(count, 10)
            self.assertRegex(warned, r"\Ainkling: warning: [^\n]*" + said + r"[^\n]*\n\Z")

    def test_settings(self):
        """Those of the file are in force where the environment does not give them."""
        path = self.write(os.path.join(self.root, "mine.json"), settings={"inkling_eager_limit": "2K"})
        said = run(os.path.join(self.root, "bin", "inkling"), "vars", "inkling_eager_limit", INKLING_RULES=path).stdout
        self.assertRegex(said, r"inkling_eager_limit +2K ")
        said = run(os.path.join(self.root, "bin", "inkling"), "vars", "inkling_eager_limit", INKLING_RULES=path,
                   INKLING_EAGER_LIMIT="1K").stdout
        self.assertRegex(said, r"inkling_eager_limit +1K ")

    def test_command(self):
        """inkling coll says which rules are in force, and where each is from."""
        result = self.coll()
        self.assertIn("The rules are those that are built in", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^alltoall +unequal blocks +from 33 +any +hosts +built-in$")
        path = self.write(os.path.join(self.root, "mine.json"), STAR)
        for result in (self.coll(path), self.coll(INKLING_RULES=path)):
            self.assertIn(f"The file is {path} (a test's, 2026-11-28).", result.stdout)
            self.assertRegex(result.stdout, r"(?m)^barrier +any +2 to 4 +any +star +file$")
        rows = json.loads(self.coll(path, "--json").stdout)["rules"]
        self.assertEqual(rows[0], {"collective": "barrier", "algorithm": "star", "from_bytes": 0, "to_bytes": None,
                                   "from_ranks": 2, "to_ranks": 4, "from_hosts": 0, "to_hosts": None, "from": path})
        self.assertEqual({row["from"] for row in rows[1:]}, {"built-in"})
        self.write(self.rules, STAR)
        self.assertIn(f"The file is {self.rules} ", self.coll().stdout)
        result = self.coll("/nowhere.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nowhere.json: cannot be read", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
