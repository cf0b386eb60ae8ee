"""inkling doctor: one line for each thing that it tried, with a fix for what is missing."""
import json
import os
import shlex
import shutil
import tempfile

from launching import BIN, Case, main, run

DOCTOR = [os.path.join(BIN, "inkling"), "doctor"]
FAKES = os.path.join(os.path.dirname(BIN), "tests/kinds/fake")
OLD = os.path.join(os.path.dirname(BIN), "tests/kinds/old")


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
                     "network devices", "several hosts, ofi", "several hosts, ucx", "memory kind system", "memory kind mpi", "memory kind cuda", "memory kind rocm",
                     "memory kind level_zero"):
            self.assertIn(found.get(what), ("ok", "--"), what)
        self.assertEqual(found["memory kind system"], "ok")
        self.assertNotIn("memory kind test", found)

    def test_choice_of_the_network(self):
        """Without a device: named, with the reason; libraries that cannot be opened are not taken."""
        if any(os.path.isdir(f"/sys/class/{kind}") for kind in ("infiniband", "cxi")):
            self.skipTest("this machine has a fabric")
        said = run(DOCTOR).out
        names = [name for name in ("ofi", "ucx") if findings(said)[f"several hosts, {name}"] == "ok"]
        for name in names[:1]:
            self.assertIn(f"auto takes {name}, of those that can be opened the one that trusts strangers least", said)
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/libfabric.so.1", "wb"):
                pass  # no library
            said = run(DOCTOR, LD_LIBRARY_PATH=folder).out
        self.assertEqual("auto takes ucx," in said, "ucx" in names, said)
        self.assertNotIn("auto takes ofi", said)

    def test_json(self):
        answer = json.loads(run([*DOCTOR, "--json"]).out)
        marks = {"ok": "ok", "slower": "--", "broken": "NO"}
        found = findings(run(DOCTOR).out.split("\n\n")[1])
        self.assertEqual({f["what"]: marks[f["verdict"]] for f in answer["findings"]}, found)
        self.assertTrue(answer["runs"])
        for finding in answer["findings"]:
            self.assertTrue(finding["verdict"] != "ok" or finding["fix"] is None, finding)

    def test_colours_on_a_terminal_alone(self):
        """script(1) makes one."""
        if not shutil.which("script"):
            self.skipTest("no script here (Debian: bsdutils)")
        words = ["script", "-qc", shlex.join(DOCTOR), "/dev/null"]
        self.assertIn("\x1b[32mok\x1b[0m", run(words, TERM="xterm", NO_COLOR="").out)
        self.assertNotIn("\x1b", run(words, TERM="xterm", NO_COLOR="1").out + run(words, TERM="dumb").out)
        self.assertNotIn("\x1b", run(DOCTOR, TERM="xterm", NO_COLOR="").out)

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
        """Below 40 MiB no two ranks start; below what all parts of the shared memory take, they have less of it."""
        for kib, mark, code in (1 << 10, "NO", 1), (10 << 20, "--", 0):
            done = run(["sh", "-c", f"ulimit -f {kib}; exec \"$@\"", "sh", *DOCTOR])
            self.assertEqual((done.code, findings(done.out)["size of files"]), (code, mark), done.err)
            self.assertIn("raise it: ulimit -f unlimited", done.out)

    def test_drivers_are_asked(self):
        result = run(DOCTOR, LD_LIBRARY_PATH=FAKES)
        for kind in ("cuda", "rocm", "level_zero"):
            self.assertEqual(findings(result.out)[f"memory kind {kind}"], "ok", result.out)

    def kinds(self, **environment):
        """What is told of each kind of a device."""
        result = run(DOCTOR, **environment)
        self.assertEqual((result.code, result.err), (0, ""))
        lines = [line for line in result.out.splitlines() if "memory kind" in line]
        return {line.split()[3]: (line[:2], line[28:].strip()) for line in lines}

    def test_drivers_without_a_device(self):
        found = self.kinds(LD_LIBRARY_PATH=FAKES, FAKE_DEVICES="0")
        self.assertEqual(found["cuda"], ("--", "libcuda.so.1 knows no device"))
        self.assertEqual(found["rocm"], ("--", "libamdhip64.so knows no device"))
        self.assertEqual(found["level_zero"], ("--", "libze_loader.so.1 knows no device that can be used"))

    def test_drivers_that_do_not_start(self):
        found = self.kinds(LD_LIBRARY_PATH=FAKES, FAKE_INIT="803")
        self.assertEqual(found["cuda"], ("--", "libcuda.so.1 does not start: error 803"))
        self.assertEqual(found["rocm"], ("--", "libamdhip64.so does not start: error 803"))
        self.assertEqual(found["level_zero"], ("--", "libze_loader.so.1 does not start: error 0x323"))

    def test_driver_of_another_version(self):
        found = self.kinds(LD_LIBRARY_PATH=OLD)
        self.assertEqual(found["cuda"],
                         ("--", "libcuda.so.1 has no cuPointerGetAttribute: it is of another version"))

    def test_library_that_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "libcuda.so.1"), "w", encoding="ascii") as file:
                file.write("no library")
            found = self.kinds(LD_LIBRARY_PATH=folder)
        self.assertEqual(found["cuda"][0], "--")
        self.assertIn("cannot be opened", found["cuda"][1])


if __name__ == "__main__":
    main()
