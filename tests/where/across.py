"""inkling where of jobs on several hosts. Run as: python3 across.py KIND BIN SITUATIONS [CHECK...]; KIND: hydra, orterun, prterun or srun-pmi2."""
import json
import os
import re
import select
import subprocess
import sys
import time

import apart
import page
from apart import hosts

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
import slurm  # noqa: E402

KIND = sys.argv[1]
BIN, SITUATIONS = map(os.path.abspath, sys.argv[2:4])
MPIEXEC, INKLING = os.path.join(BIN, "mpiexec"), os.path.join(BIN, "inkling")
COMMAND = {"hydra": "mpiexec.hydra", "orterun": "orterun", "prterun": "prterun"}.get(KIND, "srun")
NAMES = "host1:2,host2:2"
AROUND = ["salloc", "-Q", "-w", "host1,host2"] if COMMAND == "srun" else []
CIRCLE = "a circle: rank 0, which waits for 1, which waits for 2, which waits for 3, which waits for 0"
PATIENCE = 40


def expect(truth, what, said=""):
    if not truth and ("may not be looked at" in said or "cannot be told" in said):
        hosts.skip("ptrace is not permitted here, or elfutils (libdw) is missing")
    if not truth:
        print(f"across.py {KIND}: {what}\n{said}")
        sys.exit(1)


def ask(number, *words):
    """On a host."""
    done = subprocess.run([*apart.enter(number), INKLING, "where", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    return done.stdout, done.stderr


def ask_until(number, job, *patterns):
    """Asks until each pattern is a line of it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        said, why = ask(number, job)
        if all(re.search(f"(?m)^{pattern}$", said) for pattern in patterns):
            return said
        expect(time.monotonic() < deadline, f"{patterns} are not said on host{number} of {job}", said + why)
        time.sleep(0.3)


def ask_for_page(host, job):
    """Asks until each line of the page's example is said, of whichever ranks."""
    def forms(lines):
        return {re.sub(r"^ranks? [\d, -]+: |(?<=sleep)s$", "", line) for line in lines}
    deadline = time.monotonic() + PATIENCE
    while True:
        said, why = ask(host, job)
        if forms(page.on_hosts()) <= forms(map(page.form, said.splitlines())):
            return
        expect(time.monotonic() < deadline, f"the example of docs/WHERE.md is not said: {page.on_hosts()}", said + why)
        time.sleep(0.3)


def number_of(host, program):
    """Of the job with this program, as a host lists it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        said, why = ask(host)
        found = re.search(rf"(?m)^(\d+) .*{program}$", said)
        if found:
            return int(found[1])
        expect(time.monotonic() < deadline, f"host{host} lists no job", said + why)
        time.sleep(0.1)


def begin(host, *words):
    job = subprocess.Popen([*apart.enter(host), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(job.stdout.readline() == "ready\n", "the job starts", "")
    return job


def end(job):
    """Its mpiexec is below nsenter, and perhaps below salloc."""
    subprocess.run(["pkill", "-TERM", "-f", f"^{SITUATIONS}"], check=False)  # in these namespaces all are this test's
    out, err = job.communicate(timeout=PATIENCE)
    return out + err


def mpiexec(*options):
    return [*AROUND, MPIEXEC, "--launcher", COMMAND, "--hosts", NAMES, *options, "-n", "4", SITUATIONS]


def check_circle():
    """Seen from both hosts, and from one that has no rank; and on ^\\."""
    job = begin(3, *mpiexec(), "circle")
    number = number_of(1, "situations circle")
    receive = [rf"rank {r}: MPI_Recv from {(r + 1) % 4}, tag 3, on 'halo' at situations\.c:\d+, waits for rank {(r + 1) % 4}; since .*"
               for r in range(4)]
    for host in 1, 2, 3:
        print(ask_until(host, number, CIRCLE, *receive))
    view = json.loads(ask(1, number, "--json")[0])
    expect([r.get("host") for r in view["ranks"]] == [None, None, "host2", "host2"] and view["verdict"] == CIRCLE, "as JSON", str(view))
    expect([r["threads"][0]["waits_for"] for r in view["ranks"]] == [[1], [2], [3], [0]], "who waits for whom", str(view))
    subprocess.run([*apart.enter(3), "kill", "-QUIT", str(number)], check=True)
    said = ""
    while f"\n{CIRCLE}\n" not in f"\n{said}":
        more = job.stderr.readline()
        expect(more, "^\\ says it", said)
        said += more
    expect(job.poll() is None, "the job goes on after ^\\")
    end(job)


def check_late():
    job = begin(3, *mpiexec(), "late")
    number = number_of(2, "situations late")
    print(ask_until(2, number, r"ranks 0-2 wait for rank 3, which computes in smooth\(\) at situations\.c:\d+",
                    r"rank 3: computes in smooth\(\) at situations\.c:\d+", r"ranks? [0-2].*: MPI_Allreduce on 'halo' at .*"))
    ask_for_page(2, number)
    end(job)


def draw_screen(number, host, seconds, *patterns):
    """What --watch draws on a host until each pattern has been drawn, or for so long; then q is pressed."""
    ours, terminal = os.openpty()
    watch = subprocess.Popen([*apart.enter(host), "env", "TERM=xterm", "COLUMNS=150", "LINES=50", INKLING, "where", "--watch", str(number)],
                             stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    seen, deadline = "", time.monotonic() + seconds
    while not all(re.search(pattern, seen) for pattern in patterns) and time.monotonic() < deadline and watch.poll() is None:
        seen += os.read(ours, 4096).decode(errors="replace") if select.select([ours], [], [], 1)[0] else ""
    if "no headers of ncurses" in seen or "ncurses is not installed" in seen:
        hosts.skip("no ncurses here (Debian: libncurses-dev)")
    os.write(ours, b"q")
    while select.select([ours], [], [], PATIENCE)[0]:
        try:
            os.read(ours, 4096)
        except OSError:
            break
    expect(watch.wait(PATIENCE) == 0, "--watch ends on q", seen)
    os.close(ours)
    return seen


def see_screen(number, host, *patterns):
    """Only what changes is drawn again, so the patterns must be on the first screen; another --watch has another first one."""
    deadline = time.monotonic() + PATIENCE
    while True:
        seen = draw_screen(number, host, 8, *patterns)
        if all(re.search(pattern, seen) for pattern in patterns):
            return
        expect(time.monotonic() < deadline, f"{patterns} are drawn on host{host}", seen)


def check_watch():
    """Drawn on a host with ranks and on one without; afterwards no host goes on telling."""
    job = begin(3, *mpiexec(), "circle")
    number = number_of(1, "situations circle")
    see_screen(number, 1, "2 of 4 ranks here, 4 seen", CIRCLE, r"rank 3: MPI_Recv from 0, tag 3, on 'halo' at ", "(?s)host2.*host2")
    see_screen(number, 3, "0 of 4 ranks here, 4 seen", CIRCLE, "(?s)host1.*host1.*host2.*host2")
    deadline = time.monotonic() + PATIENCE
    while subprocess.run(["pgrep", "-f", f"^{INKLING} where --lines --watch"], stdout=subprocess.DEVNULL, check=False).returncode == 0:
        expect(time.monotonic() < deadline, "the other hosts tell no more")
        time.sleep(0.2)
    end(job)


def check_time():
    done = subprocess.run([*apart.enter(1), *mpiexec("--timeout", "10"), "circle"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    expect(done.returncode == 124 and f"\n{CIRCLE}\n" in done.stderr, f"before the end of the time, {done.returncode}", done.stderr)


def check_lost_host():
    """A host that does not answer is named, and the others are told of."""
    job = begin(1, *mpiexec(), "circle")
    number = number_of(1, "situations circle")
    ask_until(1, number, CIRCLE)
    os.environ["PATH"], kept = "/nonexistent", os.environ["PATH"]
    said, why = subprocess.run(["/usr/bin/nsenter", *apart.enter(1)[1:], INKLING, "where", str(number)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, check=False), ""
    os.environ["PATH"] = kept
    said, why = said.stdout, said.stderr
    expect("ranks 2, 3: not there: " in said and re.search(r"(?m)^rank 0: MPI_Recv from 1", said), "ranks of this host", said + why)
    expect(re.search(rf"(?m)^inkling: where: host2 could not be asked: {COMMAND} cannot", why) or COMMAND == "srun" and "could not" in why,
           "what is missing is said", why)
    end(job)


def check_slurm_alone():
    """srun has started the ranks without mpiexec: asked on the host of any rank, also with a screen."""
    job = begin(3, "srun", "--mpi=pmi2", "--overcommit", "-w", "host1,host2", "-N", "2", "-n", "4", SITUATIONS, "circle")
    for host in 1, 2:
        print(ask_until(host, number_of(host, "situations circle"), CIRCLE))
    see_screen(number_of(2, "situations circle"), 2, "2 of 4 ranks here, 4 seen", CIRCLE, "(?s)host1.*host1")
    end(job)


def main():
    hosts.enter(*hosts.TOOLS[KIND], "nsenter")
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    script = apart.build(3)
    hosts.launcher(script, 2, 2, 4, KIND)  # for what it sets in the environment
    if COMMAND == "srun":
        slurm.start(script, 3)
    checks = {check.__name__: check for check in (check_circle, check_late, check_watch, check_time, check_lost_host)}
    if COMMAND == "srun":
        checks["check_slurm_alone"] = check_slurm_alone
    for name in sys.argv[4:] or checks:
        begun = time.monotonic()
        checks[name]()
        print(f"{name}: {time.monotonic() - begun:.1f} s\n")


if __name__ == "__main__":
    main()
