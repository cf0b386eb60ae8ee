"""foreign.py BIN PROGRAMS: the checks and the advice need nothing but the standard's ABI.

The library under them is made to look like one of another maker: it says so, no key of Inkling's is in the info of its objects, and
MPI_T does not open, or has no variable and no event. No mpiexec that knows of checks starts the ranks.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check import HERE, judge_fault  # noqa: E402

BIN, PROGRAMS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
LIBRARY = BIN.parent / "lib" / "libinkling_insight.so"
LOADED = "libinkling_insight.so", "libforeign.so"
FOREIGN = """#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int PMPI_Get_library_version(char *version, int *length)
{
    strcpy(version, "Another MPI 1.0");
    *length = (int)strlen(version);
    return MPI_SUCCESS;
}
int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info *info) { return PMPI_Info_create(info); }
int PMPI_Win_get_info(MPI_Win win, MPI_Info *info) { return PMPI_Info_create(info); }
int PMPI_File_get_info(MPI_File file, MPI_Info *info) { return PMPI_Info_create(info); }
int MPI_Get_library_version(char *version, int *length) { return PMPI_Get_library_version(version, length); }
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info) { return PMPI_Comm_get_info(comm, info); }
int MPI_Win_get_info(MPI_Win win, MPI_Info *info) { return PMPI_Win_get_info(win, info); }
int MPI_File_get_info(MPI_File file, MPI_Info *info) { return PMPI_File_get_info(file, info); }
int MPI_T_init_thread(int required, int *provided) { return getenv("CLOSED") ? MPI_T_ERR_CANNOT_INIT : MPI_SUCCESS; }
int MPI_T_finalize(void) { return MPI_SUCCESS; }
int MPI_T_pvar_get_num(int *count) { return *count = 0; }
int MPI_T_cvar_get_num(int *count) { return *count = 0; }
int MPI_T_event_get_num(int *count) { return *count = 0; }
int MPI_T_pvar_get_index(const char *name, int of, int *index) { return MPI_T_ERR_INVALID_NAME; }
int MPI_T_pvar_session_create(MPI_T_pvar_session *session) { abort(); }
int MPI_T_pvar_handle_alloc(MPI_T_pvar_session s, int index, void *of, MPI_T_pvar_handle *h, int *count) { abort(); }
"""
CODE_FOUND = 66
# Each needs something else of the library.
FAULTS = ["coll_barrier_bcast", "count_bcast", "dead_recv_recv", "epoch_put_after_complete", "hint_any_tag", "hint_acc_ops",
          "hint_kinds_not_mpi", "hint_style_reverse", "inter_allreduce_op", "leak_comm", "lost_message", "op_reduce",
          "req_never_completed", "root_bcast", "type_p2p", "win_put_put_fence"]


class Foreign(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="tested_foreign.")  # LD_PRELOAD takes no path with a space
        cls.folder = pathlib.Path(cls.place.name)
        (cls.folder / "foreign.c").write_text(FOREIGN, encoding="utf-8")
        (cls.folder / "libinkling_insight.so").symlink_to(LIBRARY)
        subprocess.run([BIN / "mpicc", "-w", "-shared", "-fPIC", "foreign.c", "-o", "libforeign.so"], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def run_program(self, name, setting, closed, **settings):
        source = next(HERE.glob(f"*/{name}.c"))
        ranks = re.search(r"ranks: (\d+)", source.read_text(encoding="utf-8")).group(1)
        command = [BIN / "mpiexec", "-n", ranks, "--timeout", "60", "env",
                   "LD_PRELOAD=" + ":".join(f"{self.folder}/{name}" for name in LOADED), setting, *["CLOSED=1"] * closed, PROGRAMS, name]
        done = subprocess.run(command, cwd=self.folder, text=True, check=False, stdin=subprocess.DEVNULL, capture_output=True,
                              env={**os.environ, **settings})
        return source, done

    @staticmethod
    def is_written(report):
        return report.exists() and report.read_text(encoding="utf-8").endswith("}\n")

    def findings(self, name, closed, **settings):
        report = self.folder / "report.json"
        source, done = self.run_program(name, f"INKLING_CHECK=json:{report}", closed, **settings)
        end = time.monotonic() + 20
        while not self.is_written(report) and time.monotonic() < end:
            time.sleep(0.05)  # of ranks that were killed another process tells, which waits for them
        found = json.loads(report.read_text(encoding="utf-8"))["findings"]
        report.unlink()
        return source, found, done

    def test_needs_no_other_library(self):
        needed = subprocess.run(["readelf", "-d", LIBRARY], check=True, capture_output=True, text=True).stdout
        self.assertEqual([name for name in re.findall(r"NEEDED.*\[(.*)\]", needed) if not name.startswith(("libc.", "ld-"))], [])
        undefined = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
        self.assertEqual([name for name in undefined.split() if "MPI_" in name or "inkling" in name], [])

    def test_faults_are_found(self):
        for i, name in enumerate(FAULTS):
            with self.subTest(name):
                source, found, done = self.findings(name, i % 2)
                self.assertEqual(judge_fault(source, found, done.returncode), "", done)

    def test_each_process_of_sessions_tells(self):
        source, done = self.run_program("session_leak", "INKLING_CHECK=1", False)
        line = next(n for n, text in enumerate(source.read_text(encoding="utf-8").splitlines(), 1) if "FAULT" in text)
        self.assertIn("leak: a datatype of MPI_Type_contiguous was never freed\n", done.stderr)
        self.assertIn(f"at session_leak.c:{line} ", done.stderr)  # another process may have told between the two

    def test_who_tells_is_killed(self):
        """One rank is about to tell when the other ends the job."""
        slow = self.folder / "addr2line"
        slow.write_text(f'#!/bin/sh\nsleep 1\nexec {shutil.which("addr2line")} "$@"\n', encoding="utf-8")
        slow.chmod(0o755)
        source, found, done = self.findings("coll_barrier_bcast", False, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(judge_fault(source, found, done.returncode), "", done)

    def test_a_clean_program_is_not_blamed(self):
        for name in sorted(source.stem for source in (HERE / "clean").glob("*.c"))[::40]:
            with self.subTest(name):
                _, found, done = self.findings(name, False)
                self.assertEqual((found, done.returncode), ([], 0), done)

    def test_advice(self):
        for closed in False, True:
            _, done = self.run_program("ok_halo", f"INKLING_JOB_ADVISE={self.folder}/advice", closed)
            self.assertEqual(done.returncode, 0, done)
            said = subprocess.run([BIN / "inkling", "advise", self.folder / "advice"], check=True, capture_output=True, text=True).stdout
            self.assertRegex(said, "inkling advise: .*check_programs")
            self.assertEqual(json.loads((self.folder / "advice/advice.json").read_text(encoding="utf-8"))["library"], "Another MPI 1.0")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
