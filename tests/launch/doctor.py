"""inkling doctor: one line for each thing that it tried, with a fix for what is missing."""
import os
import resource
import subprocess

from launching import BIN, Case, main, run

DOCTOR = [os.path.join(BIN, "inkling"), "doctor"]
FAKES = os.path.join(os.path.dirname(BIN), "tests/kinds/fake")


def findings(text):
    """What was looked at -> its mark. Fixes are indented."""
    lines = [line for line in text.splitlines() if line and not line.startswith(" ") and "see NO above" not in line]
    return {line[4:28].strip(): line[:2] for line in lines}


class Doctor(Case):
    def test_all_is_looked_at(self):
        result = run(DOCTOR)
        self.assertEqual((result.code, result.err), (0, ""))
        found = findings(result.out)
        for what in ("settings", "shared memory", "cores", "memory", "process_vm_readv", "membarrier", "large pages",
                     "several hosts", "memory kind system", "memory kind mpi", "memory kind cuda", "memory kind rocm",
                     "memory kind level_zero"):
            self.assertIn(found.get(what), ("ok", "--"), what)
        self.assertEqual(found["memory kind system"], "ok")
        self.assertNotIn("memory kind test", found)

    def test_whatever_is_missing_has_a_fix(self):
        lines = run(DOCTOR).out.splitlines()
        for line, after in zip(lines, lines[1:] + [""]):
            if line.startswith("--") and "on this system" not in line:
                self.assertTrue(after.startswith("     "), line)

    def test_bad_setting(self):
        result = run(DOCTOR, INKLING_EAGER_LIMIT="lots")
        self.assertEqual(result.code, 1)
        self.assertEqual(findings(result.out)["settings"], "NO")
        self.assertIn("INKLING_EAGER_LIMIT=lots", result.out)

    def test_limits(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        done = subprocess.run(DOCTOR, preexec_fn=limited, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(findings(done.stdout)["size of files"], "NO")
        self.assertIn("ulimit -f unlimited", done.stdout)

    def test_drivers_are_asked(self):
        result = run(DOCTOR, LD_LIBRARY_PATH=FAKES)
        for kind in ("cuda", "rocm", "level_zero"):
            self.assertEqual(findings(result.out)[f"memory kind {kind}"], "ok", result.out)
        result = run(DOCTOR, LD_LIBRARY_PATH=FAKES, FAKE_DEVICES="0")
        self.assertEqual(findings(result.out)["memory kind cuda"], "--")
        self.assertIn("no device answers", result.out)


if __name__ == "__main__":
    main()
