"""inkling tune: measures, goes on where it was stopped, and writes a file that the library takes. tune.py BUILD"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1])
INKLING = os.path.join(BUILD, "bin", "inkling")


def run(*command, **env):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PMI", "INKLING_", "OMPI", "MPIEXEC"))}
    return subprocess.run(command, capture_output=True, text=True, timeout=250, env={**kept, **env}, check=False)


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.rules = os.path.join(folder.name, "rules.json")

    def tune(self, *words):
        return run(INKLING, "tune", "--output", self.rules, "--ranks", "2", "--sizes", "8,65536", *words)

    def test_file(self):
        """The file is taken by the library, and has what simulate needs."""
        result = self.tune("barrier", "bcast")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[3/3] bcast on 2 ranks", result.stderr)
        with open(self.rules, encoding="utf-8") as file:
            written = json.load(file)
        self.assertEqual(written["inkling_rules"], 1)
        self.assertRegex(written["machine"], r"^\d+ cores of ")
        self.assertRegex(written["date"], r"^20\d\d-\d\d-\d\d$")
        near = written["model"]["near"]
        self.assertTrue(0 < near["latency"] < 1e-2 and 0 < near["byte"] < 1e-6 and written["model"]["reduce"] > 0, near)
        shown = run(INKLING, "coll", self.rules)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn(written["machine"], shown.stdout)
        for rule in written["rules"]:
            self.assertRegex(shown.stdout, rf"(?m)^{rule['collective']} .* {rule['algorithm']} +file$")
        simulated = run(INKLING, "simulate", "--model", self.rules, "--ranks", "2", "--hosts", "1", "--json", "bcast")
        self.assertEqual(json.loads(simulated.stdout)["measured"], True)
        self.assertFalse(os.path.exists(self.rules + ".part"))

    def test_goes_on(self):
        """What has been measured is not measured again."""
        result = self.tune("--minutes", "0.00001", "barrier")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("are over. Run the same command again to go on", result.stderr)
        with open(self.rules + ".part", "a", encoding="ascii") as part:
            part.write("job 2\nhosts 1\npoint barrier 8 star 2e-6 1e-6 0.5 0.5 0.5\n")  # of a job that was stopped
        result = self.tune("barrier")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[2/2] barrier on 2 ranks", result.stderr)

    def test_network(self):
        """The faster one is named, where it is another than the usual one and faster by more than a twentieth."""
        for ucx, due in (("network ucx 5e-6 2e-4", "ucx"), ("network ucx 9.8e-6 4.1e-4", None), ("network ucx 5e-6 9e-4", None), ("", None)):
            with open(self.rules + ".part", "w", encoding="ascii") as part:
                part.write("job 2\nhosts 2\nlink far 8e-6 1e-6 1e-7 4e-10\ndone 2 links\njob 2\nnetwork ofi 1e-5 4e-4\ndone 2 network ofi\n"
                           f"job 2\n{ucx}\ndone 2 network ucx\n")
            result = self.tune("barrier")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.rules, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["settings"].get("inkling_network"), due, ucx)
            self.assertEqual("network ucx      8 bytes 5.0 us, a MiB 200 us; taken" in result.stdout, due == "ucx", result.stdout)

    def test_words(self):
        for words, said in ((("--ranks", "1"), "--ranks is '1'; give numbers from 2 on"),
                            (("--sizes", "64,8"), "--sizes is '64,8'; give growing numbers"),
                            (("--minutes", "soon"), "--minutes is 'soon'; give a number above 0"),
                            (("gatherv",), "there is no collective 'gatherv'"),
                            (("--start", "nowhere -n", "barrier"), "there is no command 'nowhere'")):
            result = run(INKLING, "tune", "--output", self.rules, *words)
            self.assertEqual(result.returncode, 1, words)
            self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
