"""sarif.py BIN: what `mpiexec --check=sarif:FILE` writes has what SARIF 2.1.0 requires, and nothing that it does not know.

The program's file has a name that is no URI as it stands.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

BIN = pathlib.Path(sys.argv[1]).resolve()
NAME = "a b%41#c?:é.c"
PROGRAM = """#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&number, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""

# of the schema: the members that an object must have, and those that it may
OBJECTS = {
    "sarifLog": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"results", "invocations"}),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, set()),
    "result": ({"message"}, {"ruleId", "level", "occurrenceCount", "locations", "relatedLocations"}),
    "message": ({"text"}, set()),
    "location": (set(), {"physicalLocation", "message"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": (set(), {"uri"}),
    "region": (set(), {"startLine"}),
}


class Sarif(unittest.TestCase):
    def members(self, kind, thing):
        must, may = OBJECTS[kind]
        self.assertIsInstance(thing, dict, kind)
        self.assertLessEqual(must, set(thing), kind)
        self.assertLessEqual(set(thing), must | may, kind)
        return thing

    def location(self, thing):
        """The file and the line."""
        place = self.members("physicalLocation", self.members("location", thing)["physicalLocation"])
        if "message" in thing:
            self.assertIsInstance(self.members("message", thing["message"])["text"], str)
        line = self.members("region", place["region"])["startLine"]
        self.assertGreaterEqual(line, 1)
        uri = self.members("artifactLocation", place["artifactLocation"])["uri"]
        self.assertRegex(uri, r"^(file:///)?([A-Za-z0-9/._~-]|%[0-9A-F]{2})*$")
        return urllib.parse.unquote(urllib.parse.urlsplit(uri).path), line

    def result(self, thing):
        self.members("result", thing)
        self.assertTrue(self.members("message", thing["message"])["text"])
        self.assertIn(thing["level"], ("none", "note", "warning", "error"))
        self.assertGreaterEqual(thing["occurrenceCount"], 1)
        return [self.location(place) for place in thing["locations"] + thing["relatedLocations"]]

    def test_report(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            source, report = folder / NAME, folder / "report.sarif"
            source.write_text(PROGRAM, encoding="utf-8")
            subprocess.run([BIN / "mpicc", "-g", source, "-o", folder / "program"], check=True)
            done = subprocess.run([BIN / "mpiexec", "-n", "2", f"--check=sarif:{report}", folder / "program"], cwd=folder, check=False,
                                  stdin=subprocess.DEVNULL)
            self.assertNotEqual(done.returncode, 0)
            log = self.members("sarifLog", json.loads(report.read_text(encoding="utf-8")))
            self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
            run = self.members("run", log["runs"][0])
            self.assertTrue(self.members("driver", self.members("tool", run["tool"])["driver"])["name"])
            self.assertEqual([result["ruleId"] for result in run["results"]], ["type-mismatch"])
            places = self.result(run["results"][0])
            message = run["results"][0]["message"]["text"].split("\n")
            self.assertRegex(message[1], r"^call: MPI_Recv\(buf=.*, datatype=MPI_FLOAT, ")
            self.assertEqual(message[2:], ["to mend: send and receive must have the same sequence of basic types"])
            for invocation in run["invocations"]:
                self.assertEqual(self.members("invocation", invocation)["toolExecutionNotifications"], [])
            self.assertEqual({os.path.realpath(file) for file, _ in places}, {os.path.realpath(source)})
            self.assertEqual(sorted(line for _, line in places), [8, 10])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
