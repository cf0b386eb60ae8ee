"""striping_factor and striping_unit, on a file system that is said to be Lustre. striping.py MPIEXEC PROGRAM PRELOAD"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM, PRELOAD = map(os.path.abspath, sys.argv[1:4])
MIB = 1 << 20


class Striping(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file, self.record = (os.path.join(folder.name, name) for name in ("file", "record"))
        self.preload = shutil.copy(PRELOAD, folder.name)  # LD_PRELOAD takes no path with a space

    def run_job(self, factor, unit, preload=True, **env):
        """Layouts and writes that were asked for, and what the hints report says of the two hints."""
        if preload:
            env.update(LD_PRELOAD=self.preload, PRETENDED_LUSTRE=self.record)
        command = [MPIEXEC, "--hints-report", "-n", "2"]
        for name, value in env.items():
            command += ["--env", name, value]
        result = subprocess.run([*command, PROGRAM, self.file, factor, unit], capture_output=True, text=True, timeout=50, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = []
        if os.path.exists(self.record):
            with open(self.record, encoding="ascii") as file:
                lines = [line.split() for line in file]
            os.unlink(self.record)
        said = {name: line for line in result.stderr.splitlines()
                for name in ("striping_factor", "striping_unit") if f" {name} " in line}
        return ([line[1:] for line in lines if line[0] == "layout"],
                [(int(line[1]), int(line[2])) for line in lines if line[0] == "write"], said)

    def test_layout(self):
        """The rank that creates the file asks for them before the first byte, and windows are stripes."""
        layouts, writes, said = self.run_job("4", str(2 * MIB))
        self.assertEqual(layouts, [["bd10bd0", "1", str(2 * MIB), "4", "ffff", "delayed"]])
        self.assertEqual(sorted(writes), [(at, 2 * MIB) for at in range(0, 8 * MIB, 2 * MIB)])
        self.assertIn("active", said["striping_factor"])

    def test_units(self):
        """Lustre takes multiples of 64 KiB; a hint that is left out is 0, the file system's default."""
        self.assertEqual(self.run_job("-", "100000")[0], [["bd10bd0", "1", "131072", "0", "ffff", "delayed"]])
        self.assertEqual(self.run_job("3", "-")[0], [["bd10bd0", "1", "0", "3", "ffff", "delayed"]])
        self.assertEqual(self.run_job("-", "-")[0], [])

    def test_refused(self):
        """A file that is there keeps its layout; the access works all the same, and the report says why."""
        layouts, writes, said = self.run_job("4", str(2 * MIB), PRETENDED_REFUSAL="17")
        self.assertEqual(len(layouts), 1)
        self.assertEqual(len(writes), 8)
        self.assertIn("no effect: the file was there before", said["striping_factor"])

    def test_elsewhere(self):
        layouts, _, said = self.run_job("4", str(2 * MIB), preload=False)
        self.assertEqual(layouts, [])
        self.assertIn("no effect: no file system that stripes", said["striping_unit"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
