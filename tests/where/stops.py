"""What it costs a rank to be asked: for how long it is stopped, and how much less work it does. Run as:
python3 stops.py BIN STOPS ASKING [SECONDS]. A job is asked 25 times in a second, and not in the next, and so on."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import LIMIT, MPIEXEC, STEPS as STOPS, environment, run  # noqa: E402

INKLING = os.path.join(os.path.dirname(MPIEXEC), "inkling")
ASKING = sys.argv[3]
SECONDS = int((sys.argv[4:] or ["16"])[0])
TIMES, PAUSE_MS = 25, 30
A_SECOND = 1000  # milliseconds: the job is asked so often by --watch, and by who repeats the command
MOST_MS = 20


def main():
    if "names no calls" in run([INKLING, "status"]).out:
        print("skipped: this build has no elfutils' headers (Debian: libdw-dev)")
        sys.exit(77)
    with subprocess.Popen([MPIEXEC, "-n", "2", STOPS, str(SECONDS)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          env=environment()) as job:
        assert job.stdout.readline() == "ready\n"
        with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as children:
            pid = next(p for p in children.read().split() if open(f"/proc/{p}/comm", encoding="ascii").read().strip() == os.path.basename(STOPS))
        asked, begin, spent = 0, time.monotonic(), 0.0
        while time.monotonic() - begin < SECONDS - 3:
            ask = time.monotonic()
            done = run([ASKING, str(TIMES), str(PAUSE_MS), pid])
            assert done.code == 0, done.err
            if "may not be looked at" in done.out or "cannot be told" in done.out:
                job.kill()
                print("skipped: ptrace is not permitted here, or elfutils (libdw) is missing")
                sys.exit(77)
            spent += time.monotonic() - ask
            asked += TIMES
            time.sleep(1)
        seen = json.loads(job.communicate(timeout=LIMIT)[0])
        assert job.returncode == 0
    rate = asked / spent
    core, clock = (100 * (1 - seen[what][0] / seen[what][1]) for what in ("core", "clock"))
    stopped = 100 * seen["stops"] * seen["mean_ms"] / asked / A_SECOND
    print(f"{asked} times asked, {rate:.0f} in a second: {seen['stops']} stops of {seen['median_ms']:.3f} ms, 99 % below {seen['p99_ms']:.3f} ms, "
          f"at most {seen['most_ms']:.3f} ms; of {seen['asked_slots']} pieces of 0.1 s with stops and {seen['other_slots']} without, the work in a "
          f"second of the core is {core:.2f} % less, in a second of the clock {clock:.2f} %. Asked once in a second: {stopped:.3f} % stopped, "
          f"{core / rate:.3f} % less work of the core, {clock / rate:.3f} % of the clock")
    assert seen["stops"] > 0.9 * asked, "each asking stops it once; what happens between two pieces is not counted"
    assert seen["asked_slots"] >= 20 and seen["other_slots"] >= 20
    assert seen["median_ms"] < 2 and seen["p99_ms"] < MOST_MS, "stops are short"
    assert stopped + max(core / rate, 0) < 1, "at most 1 %"


if __name__ == "__main__":
    main()
