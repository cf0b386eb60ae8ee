"""Asking a job beside random traffic: nothing wrong is said, and no rank is disturbed. Run as:
python3 traffic.py BIN SITUATIONS ASKING [ROUNDS [TIMES [PAUSE [EACH [PAIRS]]]]]. EACH: one in so many reads is torn
(torn.h). PAIRS: runs with and without askings, in turn; 0: one run, which ends after the last asking. With UNTRACED in the environment
who asks may not trace, so the ranks are asked (told.py)."""
import os
import re
import subprocess
import sys
from statistics import median

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import LIMIT, MPIEXEC, SLOWNESS, STEPS as SITUATIONS, environment, run, wait_for  # noqa: E402

INKLING = os.path.join(os.path.dirname(MPIEXEC), "inkling")
ASKING = sys.argv[3]
ROUNDS, TIMES, PAUSE, EACH, PAIRS = (sys.argv[4:] + ["30000", "200", "5", "0", "1"][len(sys.argv) - 4:])[:5]
RANKS = 3

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "situations.c"), encoding="utf-8") as source:
    TEXT = source.read().split("static void exchange(int round)")
MAKERS = [str(TEXT[0].count("\n") + 1 + TEXT[1][:TEXT[1].index(call)].count("\n")) for call in ("MPI_Irecv(", "MPI_Isend(")]
RANK = r"[0-2]"
LIST = r"[0-2](, [0-2]|-[0-2])*"
PLACE = r" (at (situations\.c:\d+|0x[0-9a-f]+[^,;]*)|in [\w+.]+\(\)(\+0x[0-9a-f]+)?)"
RECEIVE, SEND = (rf"(at situations\.c:{line}|in exchange\(\)\+0x[0-9a-f]+|at 0x[0-9a-f]+ of situations)" for line in MAKERS)
OPEN = rf"\d+ (receive( posted {RECEIVE})?|send( posted {SEND})?)"
TAIL = (rf"(; \d+ requests? (is|are) open \({OPEN}(, {OPEN})*\))?"
        r"(; since \d+(\.\d)? s)?(; (sleeps?|polls?|\d+ sleep, \d+ polls?))?")
ON = r" on '(halo|MPI_COMM_WORLD)'"
UNEXPECTED = rf"(; a message from {RANK} with tag 1[0-9]{{3}}( on 'halo')? is unexpected there)*"
UNTRACED = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "untraced.py")] if "UNTRACED" in os.environ else []
REFUSED = "may not be looked at by this user; no answer: in the program, or in a call that makes no progress"
# All that may be said while these rounds go on.
PHRASES = [
    rf"MPI_(Waitall|Allreduce|Irecv|Isend|Barrier|Wtime|Finalize)(,? in the collective \w+,)?({ON})?({PLACE})?"
    rf"(, waits for ranks? {LIST}( through others)?)?{TAIL}",
    rf"MPI_Waitall for a receive from {RANK}, tag 1[0-9]{{3}},{ON}({PLACE})?, waits for rank {RANK}{UNEXPECTED}(; posted {RECEIVE})?{TAIL}",
    rf"MPI_Waitall for a send to {RANK}(, tag 1[0-9]{{3}})?, \d{{1,5}} bytes,{ON}({PLACE})?(, waits for rank {RANK})?(; posted {SEND})?{TAIL}",
    rf"computes? (in [\w.]+\(\))?{PLACE}?( \(in \w+\))?",
    r"computes? at 0x[0-9a-f]+.*",
    r"outside MPI, as far as can be told",
]
LINES = [rf"^ranks? {LIST}: ({p})$" for p in PHRASES]
LINES += [rf"^ranks? {LIST} waits? for rank {RANK}, which (is in )?({p})$" for p in PHRASES]
if UNTRACED:
    LINES += [rf"^ranks? {LIST}: {REFUSED}$", rf"^ranks? {LIST} waits? for rank {RANK}, which {REFUSED}$"]
LINES += [r"^asked \d+ times$"]  # and no circle: ranks that wait for each other do so for a moment


def ask(job):
    pid = next(int(p) for p in open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii").read().split()
               if open(f"/proc/{p}/comm", encoding="utf-8").read().strip() == "situations")
    asked = subprocess.run([*UNTRACED, ASKING, TIMES, PAUSE, str(pid), EACH], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           timeout=LIMIT + int(TIMES), check=False)
    assert asked.returncode == 0, asked.stderr
    return asked.stdout


def traffic(asks):
    """Seconds of the rounds, and what was said meanwhile."""
    with subprocess.Popen([MPIEXEC, "-n", str(RANKS), SITUATIONS, "traffic", ROUNDS], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()) as job:
        assert job.stdout.readline() == "ready\n"
        said = ""
        if asks:
            said = ask(job)
        if PAIRS == "0":
            job.terminate()
            err = job.communicate(timeout=LIMIT)[1]
            assert "wrong" not in err and f"asked {TIMES} times" in said, err + said[-200:]
            return 0.0, said
        out, err = job.communicate(timeout=LIMIT * 20)
        assert job.returncode == 0, err
        return float(re.search(r"seconds (\S+)", out).group(1)), said


def main():
    if "names no calls" in run([INKLING, "status"]).out:
        print("skipped: this build has no elfutils' headers (Debian: libdw-dev)")
        sys.exit(77)
    if UNTRACED and run([*UNTRACED, "true"]).code:
        print("skipped: no filters of system calls here")
        sys.exit(77)
    alone, asked, said = [], [], ""
    for _ in range(max(int(PAIRS), 1)):
        alone.append(traffic(False)[0] if PAIRS != "0" else 0.0)
        seconds, more = traffic(True)
        asked.append(seconds)
        said += more
    if not UNTRACED and "may not be looked at" in said or "cannot be told" in said:
        print("skipped: ptrace is not permitted here, or elfutils (libdw) is missing")
        sys.exit(77)
    wrong = sorted({line for line in said.splitlines() if not any(re.match(p, line) for p in LINES)})
    for line in wrong[:20]:
        print("wrong:", line)
    times = sum(int(number) for number in re.findall(r"asked (\d+) times", said))
    kinds = len({re.sub(r"\d+", "N", line) for line in said.splitlines()})
    print(f"{times} times asked, {len(said.splitlines())} lines of {kinds} kinds, {len(wrong)} wrong")
    if PAIRS != "0":
        print(f"the rounds took {median(asked):.2f} s, without {median(alone):.2f} s, the shortest {min(asked):.2f} s and {min(alone):.2f} s")
    sys.exit(1 if wrong or times < 10 else 0)


if __name__ == "__main__":
    main()
