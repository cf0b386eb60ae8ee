"""inkling where and containers: namespaces as podman makes them. Run as: python3 container.py BIN SITUATIONS [NAME...]."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import LIMIT, MPIEXEC, STEPS as SITUATIONS, Case, environment, main, run, wait_for  # noqa: E402

INKLING = os.path.join(os.path.dirname(MPIEXEC), "inkling")
SPACES = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net", "--ipc", "--uts", "--cgroup"]
CIRCLE = "a circle: rank 0, which waits for 1, which waits for 0"
RECEIVE = r"(?m)^rank 1: MPI_Recv from 0, tag 3, on 'halo' at situations\.c:\d+, waits for rank 0; since "
# In a container of its own, whose folder /mnt nobody outside sees; the program lies there.
BEGIN = """ip link set lo up 2>/dev/null; hostname container; mount -t tmpfs none /mnt && cp "$SITUATIONS" /mnt/hanging && cd /mnt
"$MPIEXEC" -n 2 /mnt/hanging circle 2>/mnt/complaints & job=$!
"""
# What is asked in there, until it is said.
ASK = BEGIN + """
until "$INKLING" where "$job" >/mnt/said 2>&1 && grep -q '^a circle' /mnt/said; do
    turn=$((turn + 1)); [ $turn -lt 150 ] || break; sleep 0.2
done
cat /mnt/said
echo "list: $("$INKLING" where | tail -1)"
echo "json: $("$INKLING" where --json "$job")"
echo "of a rank: $("$INKLING" where "$(pgrep -o -f '^/mnt/hanging')" | head -1)"
kill -QUIT $job; sleep 3
echo "on the signal: $(head -1 /mnt/complaints)"
kill $job; wait
"""


class Containers(Case):
    def setUp(self):
        if "names no calls" in run([INKLING, "status"]).out:
            self.skipTest("this build has no elfutils' headers (Debian: libdw-dev)")
        if not shutil.which("unshare") or run([*SPACES, "sh", "-c", "mount -t tmpfs none /mnt"]).code:
            self.skipTest("no user namespaces here, or unshare (Debian: util-linux) is missing")
        self.names = environment(MPIEXEC=os.path.abspath(MPIEXEC), INKLING=os.path.abspath(INKLING), SITUATIONS=os.path.abspath(SITUATIONS))

    def test_asked_inside(self):
        if not shutil.which("pgrep"):
            self.skipTest("no pgrep here (Debian: procps)")
        done = subprocess.run([*SPACES, "sh", "-c", ASK], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.names, timeout=LIMIT, check=False)
        if "may not be looked at" in done.stdout or "cannot be told" in done.stdout:
            self.skipTest("ptrace is not permitted here, or elfutils (libdw) is missing")
        self.assertRegex(done.stdout, f"(?m)^{CIRCLE}$")
        self.assertRegex(done.stdout, RECEIVE)
        self.assertRegex(done.stdout, r"(?m)^list: \d{1,3} +2 .* /mnt/hanging circle$")  # a number of this container
        view = json.loads(re.search("(?m)^json: (.*)$", done.stdout)[1])
        self.assertEqual(([r["threads"][0]["waits_for"] for r in view["ranks"]], view["verdict"]), ([[1], [0]], CIRCLE))
        self.assertLess(view["ranks"][0]["pid"], 1000)
        self.assertRegex(done.stdout, f"(?m)^of a rank: {CIRCLE}$")
        self.assertRegex(done.stdout, f"(?m)^on the signal: {CIRCLE}$")

    def ask_from_outside(self, around):
        """A job in a container, asked of outside it: where `around` runs it."""
        with subprocess.Popen([*around, *SPACES, "sh", "-c", BEGIN + "wait"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.names) as job:
            self.assertEqual(job.stdout.readline(), "ready\n")
            ranks, said = [], None

            def is_said():
                nonlocal ranks, said
                listed = json.loads(run([INKLING, "where", "--json"]).out)["jobs"]
                ranks = [j for j in listed if j["program"] == "/mnt/hanging circle"]
                found = [run([INKLING, "where", str(pid)]) for pid in pids_of("/mnt/hanging")]
                said = next((f for f in found if f.out.startswith(CIRCLE)), None)
                return ranks and said

            found = wait_for(is_said, 30)
            job.send_signal(signal.SIGKILL)  # unshare --kill-child ends the rest
            self.assertIsNotNone(found, f"{ranks} {said}")
        self.assertFalse(os.path.exists("/mnt/hanging"))
        self.assertRegex(said.out, RECEIVE)
        self.assertEqual([(j["ranks"], j["here"]) for j in ranks], [(2, 2)])

    def test_asked_from_the_host(self):
        self.ask_from_outside([])

    def test_container_in_a_container(self):
        self.ask_from_outside(SPACES)

    def test_host_is_not_seen_inside(self):
        with tempfile.TemporaryDirectory() as folder:
            program = shutil.copy(SITUATIONS, os.path.join(folder, "outside"))
            with subprocess.Popen([MPIEXEC, "-n", "2", program, "circle"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, env=environment()) as job:
                self.assertEqual(job.stdout.readline(), "ready\n")
                inside = run([*SPACES, INKLING, "where"])
                of_number = run([*SPACES, INKLING, "where", str(job.pid)])
                job.terminate()
        self.assertEqual((inside.code, inside.out), (0, "no MPI job of this user runs on this host with this library\n"))
        self.assertEqual(of_number.code, 1)
        self.assert_one_line(of_number.err, f"there is no job or process '{job.pid}'")


def pids_of(program):
    """Of the processes that run a file of this name, as they see it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as line:
                if line.read().split("\0")[0] == program:
                    found.append(int(pid))
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()
