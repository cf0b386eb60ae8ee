#!/usr/bin/env python3
"""told.py KIND MPIEXEC GIVE STEPS FAR: mpiexec --stats and --hints-report of ranks on two hosts, which a real launcher (hydra, orterun,
srun-pmi2) starts for mpiexec --hosts. They are what they are on one host (tests/report, tests/launch)."""
import glob
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

import hosts
import slurm

KIND = sys.argv[1]
MPIEXEC, GIVE, STEPS, FAR = map(os.path.abspath, sys.argv[2:6])
COMMAND = {"hydra": "mpiexec.hydra", "orterun": "orterun"}.get(KIND, "srun")
AROUND = ["salloc", "-Q", "-w", "host1,host2"] if COMMAND == "srun" else []
ASKED = [*AROUND, MPIEXEC, "--launcher", COMMAND, "--hosts", "host1:2,host2:2"]
REPORT = f"{hosts.FOLDER}/report.json"
KEYS = ["kind", "objects", "ranks", "ended", "key", "value", "state", "why", "given_by", "counted", "counts"]
WORD = 256  # of plain/port_lines.h


def expect(truth, what, said):
    if not truth:
        print(f"told.py {KIND}: {what}:\n{said}")
        sys.exit(1)


def run(*words, given=None, **settings):
    ended = subprocess.run([*ASKED, *map(str, words)], input=given, stdin=None if given else subprocess.DEVNULL, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=hosts.FOLDER, env={**os.environ, **settings}, check=False)
    return ended.returncode, ended.stdout


def hints(said):
    return [line for line in said.splitlines() if line.startswith("inkling: hints: ")]


def row(said, name):
    """total, least, average, most of a row of --stats."""
    found = re.search(rf"^  {name} +(\d+) +(\d+) +(\S+) +(\d+) +\(rank \d+\)$", said, re.MULTILINE)
    expect(found, f"--stats has {name}", said)
    return [float(number) for number in found.groups()]


def text():
    code, said = run("--stats", "--hints-report", "-n", "4", GIVE)
    expect(code == 0 and "inkling stats: 4 of 4 ranks have ended MPI" in said, "all ranks are counted", said)
    expect(row(said, "eager messages") == [4, 1, 1, 1], "messages of both hosts are summed up", said)
    source = [line for line in hints(said) if "mpi_assert_no_any_source" in line]
    expect(len(source) == 1 and source[0].startswith("inkling: hints: halo of 4 ranks: ")
           and source[0].endswith("proof: 8 receives or probes named MPI_ANY_SOURCE; ranks 0-3"), "one line of a hint, of all ranks", said)
    world = [line for line in hints(said) if "MPI_COMM_WORLD of 4 ranks: mpi_assert_no_any_tag" in line]
    expect(len(world) == 2 and {line.rpartition("; ")[2] for line in world} == {"rank 0", "ranks 1-3"}, "ranks that differ have two", said)
    expect("lacks" not in said, "nothing is missing", said)
    code, said = run("-n", "4", GIVE, "none", INKLING_HINTS_REPORT="first")
    expect(code == 0 and len(hints(said)) == 1 and "settings: inkling_spin_time" in said, "the setting of all ranks is said once", said)


def each():
    code, said = run("--hints-report=all", "-n", "4", GIVE)
    source = sorted(line for line in hints(said) if "mpi_assert_no_any_source" in line)
    expect(code == 0 and len(source) == 4 and all(
        line.startswith(f"inkling: hints: halo of 4 ranks, rank {rank}: ") and "proof: 2 receives" in line
        for rank, line in enumerate(source)), "a line of each rank", said)


def as_json():
    code, said = run("--hints-report=json:report.json", "-n", "4", GIVE)
    expect(code == 0 and not hints(said), "what is written is not said", said)
    with open(REPORT, encoding="utf-8") as file:
        lines = json.load(file)
    expect(all(list(line) == KEYS for line in lines), "the keys are those of one host", lines)
    source = [line for line in lines if line["key"] == "mpi_assert_no_any_source"]
    expect(len(source) == 1 and source[0]["ranks"] == "0-3" and source[0]["objects"] == ["halo of 4 ranks"]
           and source[0]["counts"] == [8, 0, 0] and source[0]["ended"], "one object of a hint, of all ranks", lines)


def same():
    """What two ranks tell is the same on one host and on two."""
    for how in "slips", "left", "kinds":
        told = []
        for asked in [MPIEXEC], [*ASKED[:-1], "host1:1,host2:1"]:
            ended = subprocess.run([*asked, "--hints-report", "-n", "2", GIVE, how], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            expect(ended.returncode == 0 and hints(ended.stdout), "the program runs, and hints are told of", ended.stdout)
            told.append(sorted(hints(ended.stdout)))
        expect(told[0] == told[1], f"{how}: hosts make no difference", told)


def ended_badly():
    """What ranks have told before is not lost, whoever ends them."""
    for how in "abort", "killed":
        code, said = run("--hints-report", "--stats", "-n", "4", GIVE, how)
        expect(code == 3 if how == "abort" and KIND != "srun-pmi2" else code != 0, f"the code is {code}", said)
        window = [line for line in hints(said) if "a window of 4 ranks: no_locks" in line]
        expect(window and all(': no_locks = "true", active: ' in line for line in window), f"{how}: a window is told of", said)
        told = ", ".join(line.rpartition("; rank")[2].lstrip("s ") for line in window)
        # a launcher may end a host's ranks before they have set all hints
        expect("lacks" in said or sorted(ranks_of(told)) == [0, 1, 2, 3], f"{how}: all ranks have told, or are named", said)
        expect(how == "killed" or "inkling stats: " in said, f"{how}: who aborts has counted", said)


def cut_off():
    """One host leaves the network while all ranks wait for each other: the job ends, and what was told is reported."""
    asked = [*ASKED, "--stats", f"--hints-report=json:{REPORT}", "-n", "4", GIVE, "waits"]
    with subprocess.Popen(asked, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=hosts.FOLDER,
                          env={**os.environ, "INKLING_PEER_TIMEOUT": "2s"}) as job:
        at_last = threading.Timer(40, job.kill)
        at_last.start()
        said = ""
        for line in job.stdout:
            said += line
            if line == "waits\n":
                hosts.cut(2)
        code = job.wait()
        at_last.cancel()
    hosts.mend(2)
    expect(code > 0, f"the code is {code}", said)
    expect("out of reach" in said and ("process 2" in said or "process 3" in said), "a line says which process is lost", said)
    lacking = re.findall("the report lacks what ranks (.*) of 4 told last, or all of it", said)
    expect(lacking in ([], ["2-3"]), "one line names who could not tell", said)
    with open(REPORT, encoding="utf-8") as file:
        lines = json.load(file)
    os.remove(REPORT)
    expect(any(line["key"] == "no_locks" and line["state"] == "active" and "0" in line["ranks"] for line in lines),
           "what was told before is in the report", lines)
    expect(re.search(r"inkling stats: [1-4] of 4 ranks", said), "and so is what the others counted", said)


def ranks_of(text_of_list):
    found = []
    for part in text_of_list.split(", "):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def missing():
    """Ranks that cannot reach mpiexec, or are not believed."""
    first = '[ "$PMI_RANK" -lt 2 ] || '
    code, said = run("--stats", "-n", "4", "sh", "-c", f"{first}unset INKLING_JOB_REPORT; exec {STEPS} init barrier finalize")
    expect(code == 0 and "inkling stats: 2 of 4 ranks" in said and "lacks what ranks 2-3 of 4 told" in said, "who is missing is named", said)
    other = 'INKLING_JOB_REPORT=$(echo "$INKLING_JOB_REPORT" | sed "s/:[0-9a-f]\\{32\\}:/:00000000000000000000000000000000:/"); '
    code, said = run("--stats", "--hints-report", "-n", "4", "sh", "-c", f"{first}{other} exec {GIVE} none")
    expect(code == 0 and "inkling stats: 2 of 4 ranks" in said and "lacks what ranks 2-3 of 4 told" in said, "a wrong secret is refused", said)
    expect("cannot tell mpiexec what it is to report: who answers at port" in said, "and the rank says so", said)


def port_of_mpiexec():
    """As its launcher has it in its environment."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    found = re.search(rb"(?:^|\0)INKLING_JOB_REPORT=(inkling-port:[^\0]+)", file.read())
            except OSError:
                continue
            if found:
                return found[1].decode()
        time.sleep(0.05)
    sys.exit(f"told.py {KIND}: no process has the port's name")


def command_lines():
    said = b""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                said += file.read()
        except OSError:
            pass
    return said


LINES = ["cmd=rank rank=4\n", "cmd=rank rank=-1\n", "cmd=rank\n", "cmd=hint text=x\n", "rank\n", "\n", "cmd=rank rank=0\ncmd=abort exitcode=9\n",
         "cmd=rank rank=0\ncmd=stats text=1%202\n", "cmd=rank rank=0\ncmd=hint text=nothing\n", "cmd=rank rank=0\ncmd=hint\n",
         "cmd=rank rank=0\ncmd=hint text=1%201%200%200%204%200%200%200%09a%09b\n", "x" * 9000 + "\n"]


def malformed(number):
    """By who is of this host and user, so that he is believed; the switch is mpiexec's host."""
    for line in LINES + [os.urandom(WORD).hex(), "x"]:
        size = len(line) if line == "x" else -(-len(line) // WORD) * WORD
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
            caller.settimeout(10)
            caller.connect(f"\0inkling-{os.getuid()}-port-{number}")
            try:
                caller.sendall(line.encode().ljust(size, b"\0"))
                caller.shutdown(socket.SHUT_WR)
                expect(caller.recv(1) == b"", "it is disconnected", line)
            except (BrokenPipeError, ConnectionResetError):
                pass


def strangers():
    """Silent ones in all places for callers, and those who say something else."""
    with subprocess.Popen([*ASKED, "--stats", "-n", "4", "sh", "-c", f"sleep 3; exec {STEPS} init barrier finalize"], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
        _, _, _, number, secret, tcp, _ = port_of_mpiexec().split(":", 6)
        expect(secret.encode() not in command_lines(), "the port's secret is on no command line", secret)
        malformed(number)
        crowd = [socket.create_connection((hosts.SWITCH, int(tcp))) for _ in range(170)]
        for caller in crowd[:20]:
            caller.sendall(os.urandom(300))
        said = job.communicate()[0]
        for caller in crowd:
            caller.close()
    expect(job.returncode == 0 and "inkling stats: 4 of 4 ranks have ended MPI" in said and "lacks" not in said, "all ranks are heard", said)


def spawned():
    """A job that a process spawns on other hosts has an mpiexec of its own."""
    code, said = run("--stats", "-n", "1", FAR, "host1,host2", "host1", "host2")
    expect(code == 0 and "inkling stats: 1 of 1 ranks" in said and "inkling stats: 2 of 2 ranks" in said, "each job is counted", said)


def others():
    """mpiexec stays, and still passes on what it passed on."""
    code, said = run("--stats", "-n", "2", "sh", "-c", "exit 5")
    expect(code == 5 or KIND == "srun-pmi2" and code, f"the code is {code}", said)
    expect("stats" not in said and "lacks" not in said, "a program without MPI has nothing to tell", said)
    if KIND != "srun-pmi2":  # which gets no input
        code, said = run("--stats", "-n", "1", "cat", given="a line\n")
        expect(code == 0 and said.endswith("a line\n"), "input goes to rank 0", said)


def main():
    hosts.enter(*hosts.TOOLS[KIND])
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    script = hosts.build(2)
    hosts.launcher(script, 2, 2, 4, KIND)
    if COMMAND == "srun":
        slurm.start(script, 2)
    text()
    each()
    as_json()
    same()
    ended_badly()
    if KIND == "hydra":  # what follows does not depend on the launcher, or takes several programs
        missing()
        strangers()
        spawned()
        cut_off()
    others()


if __name__ == "__main__":
    main()
