#!/usr/bin/env python3
"""launchers.py KIND MPIEXEC PLACES TELLS STEPS FAR: a real launcher (hydra, orterun, prterun, srun-pmix, srun-pmi2) starts ranks on two
hosts, by itself and for mpiexec --hosts; what the ranks know, which transports they use, and how they end with it."""
import os
import re
import signal
import subprocess
import sys
import time

import hosts
import slurm

KIND = sys.argv[1]
MPIEXEC, PLACES, TELLS, STEPS, FAR = map(os.path.abspath, sys.argv[2:7])
COMMAND = {"hydra": "mpiexec.hydra", "orterun": "orterun", "prterun": "prterun"}.get(KIND, "srun")
KINDS = "mpi,system"
PATIENCE = float(os.environ.get("TEST_SLACK", "15"))


def expect(truth, what, said=""):
    if not truth:
        print(f"launchers.py {KIND}: {what}\n{said}")
        sys.exit(1)


def run(*words):
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           check=False)
    return ended.returncode, ended.stdout


def told(said):
    """The lines of TELLS, by rank: what stands before `info` as words, and the info as pairs."""
    ranks = {}
    for line in said.splitlines():
        if line.startswith("rank "):
            words, _, info = line.partition(" info ")
            words = words.split()
            pairs = dict(pair.split("=", 1) for pair in info.split(";") if pair)
            ranks[int(words[1].split("/")[0])] = dict(zip(words[::2], words[1::2])), pairs
    return ranks


def check_ranks(said, **pairs):
    ranks = told(said)
    expect(sorted(ranks) == [0, 1, 2, 3], "four ranks speak", said)
    for rank, (word, info) in ranks.items():
        expect(word["host"] == f"host{rank // 2 + 1}" and word["near"] == "2", f"rank {rank} is where it should be", said)
        expect(word["global"] == "0" and word["host_rank"] == "-3", f"clocks differ, and there is no MPI_HOST: {word}", said)
        expect(word["appnum"] in ("0", "-1") and int(word["universe"]) in (-1, *range(4, 100)), f"numbers: {word}", said)
        if "host" in pairs or KIND != "prterun":  # which does not tell its processes how many they are
            expect(info.get("maxprocs") == "4", f"MPI_INFO_ENV has maxprocs={info.get('maxprocs')}", said)
        for key, value in dict(argv="a b", wdir=os.getcwd(), **pairs).items():
            expect(info.get(key) == value, f"MPI_INFO_ENV has {key}={info.get(key)}, not {value}", said)
        expect(info.get("command") == TELLS, f"MPI_INFO_ENV has command={info.get('command')}", said)
        expect(set(info) <= {"argv", "command", "maxprocs", "mpi_memory_alloc_kinds", "wdir", *pairs}, f"MPI_INFO_ENV says more: {info}", said)
    return ranks


def processes(name):
    """Living ones; all that this test sees are its own."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                before, _, after = file.read().rpartition(")")
        except OSError:
            continue
        if before.partition("(")[2] == name and after.split()[0] not in "ZX":
            found.append(int(pid))
    return found


def wait_for_end(what):
    deadline = time.monotonic() + PATIENCE
    while processes("launch_steps"):
        expect(time.monotonic() < deadline, f"{what}: ranks are left", str(processes("launch_steps")))
        time.sleep(0.05)


def check_faults(start):
    code, said = run(*start, STEPS, "init", "barrier", "@1", "abort", "7", "sleep", "60000")
    expect(code == 7 or KIND.startswith("srun") and code != 0, f"the code of MPI_Abort is {code}", said)
    expect("MPI_Abort(MPI_COMM_WORLD, 7)" in said, "MPI_Abort is told", said)
    wait_for_end("MPI_Abort")
    code, said = run(*start, STEPS, "init", "barrier", "@3", "die", "9", "sleep", "60000")
    expect(code != 0, "a rank died, and all seems well", said)
    wait_for_end("a rank died")
    with subprocess.Popen([*start, STEPS, "init", "barrier", "sleep", "60000"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
        deadline = time.monotonic() + PATIENCE
        while len(processes("launch_steps")) < 4:
            expect(time.monotonic() < deadline, "the ranks do not start")
            time.sleep(0.05)
        time.sleep(0.5)
        job.send_signal(signal.SIGTERM if KIND.startswith("srun") else signal.SIGKILL)
        job.communicate()
    wait_for_end("the launcher was ended")


def check_mpiexec():
    """mpiexec --hosts, in an allocation for Slurm."""
    names = "host1:2,host2:2"
    around = ["salloc", "-Q", "-w", "host1,host2"] if COMMAND == "srun" else []
    asked = [*around, MPIEXEC, "--launcher", COMMAND, "--hosts", names]
    code, said = run(*asked, "-n", "4", PLACES)
    expect(code == 0 and "4 ranks, 2 on a host" in said, "four ranks on two hosts", said)
    expect(f"mpiexec: {COMMAND} starts 4 ranks on {names.replace(',', ' ')}" in said, "the launcher is named", said)
    if COMMAND == "srun":
        asked[-1] = "host2:1,host1:3"  # slots that differ take an arbitrary distribution
        code, said = run(*asked, "-n", "4", TELLS)
        near = [told(said)[rank][0]["near"] for rank in range(4)]
        expect(code == 0 and near == ["1", "3", "3", "3"], "slots are kept", said)
        asked[-1] = names
    code, said = run(*asked, "--memory-alloc-kinds", KINDS, "-n", "4", TELLS, "a", "b")
    expect(code == 0, "the program runs", said)
    for word, _ in check_ranks(said, host=names, mpi_memory_alloc_kinds=KINDS).values():
        expect(word["kinds"] == KINDS, f"the memory kinds asked for are supported: {word}", said)
    os.environ["TEST_COLOUR"] = "a;b,c"
    code, said = run(*asked, "-n", "2", "--genv", "SHADE", "deep 'blue'; x=$y", "--wdir", "/", "sh", "-c",
                     'echo "$SHADE|$TEST_COLOUR|$(pwd)"; sleep 1; exit 3')  # so that who ends first does not silence the other
    expect(code == 3 and said.count("deep 'blue'; x=$y|a;b,c|/\n") == 2, "environment, directory and exit code come through",
           said)
    check_privacy(asked)


def read_all(what):
    """A file of each process, with blanks for NUL."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/{what}", "rb") as file:
                found.append(file.read().replace(b"\0", b" "))
        except OSError:
            pass
    return b"\n".join(found)


def watch(command, **environment):
    """Runs it. What it says, and what could be read of processes meanwhile: command lines and environments."""
    lines = variables = b""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, **environment)) as job:
        while job.poll() is None:
            lines += read_all("cmdline")
            variables += read_all("environ")
        said = job.stdout.read()
    return said, lines, variables


def expect_private(value, lines, what):
    expect(value not in lines, f"{what} is on a command line",
           "\n".join({line.decode(errors="replace") for line in lines.splitlines() if value in line}))


def check_privacy(asked):
    """Everybody on a host can read command lines, so none has the environment."""
    secret = os.urandom(8).hex()
    said, lines, _ = watch([*asked, "-n", "2", "sh", "-c", 'sleep 1; echo "got $TEST_SECRET"'], TEST_SECRET=secret)
    expect(said.count(f"got {secret}") == 2, "the environment comes through", said)
    expect(COMMAND.encode() in lines, "command lines were read")
    expect_private(secret.encode(), lines, "the environment")


def path_without(*commands):
    """Commands for PATH, but for these."""
    folder = f"{hosts.FOLDER}/commands"
    os.mkdir(folder)
    for place in os.environ["PATH"].split(":")[::-1]:
        for name in set(os.listdir(place) if os.path.isdir(place) else []) - set(commands):
            if os.path.lexists(f"{folder}/{name}"):
                os.remove(f"{folder}/{name}")
            os.symlink(f"{place}/{name}", f"{folder}/{name}")
    return folder


def check_spawning():
    """The same of a job that a process without a launcher spawns on other hosts, and of the secret that its ranks get."""
    secret = os.urandom(8).hex()
    around = ["salloc", "-Q", "-w", "host1,host2"] if COMMAND == "srun" else []
    path = path_without("prterun", "mpiexec.hydra") if COMMAND == "orterun" else os.environ["PATH"]
    said, lines, variables = watch([*around, FAR, "host1,host2", "host1", "host2"], TEST_SECRET=secret, PATH=path)
    expect(said.count(f"got {secret} {secret} $x 'y'\n") == 2, "children are spawned, with the environment", said)
    expect(f"mpiexec: {COMMAND} starts 2 ranks" in said or COMMAND.encode() in lines, "it starts them", said)
    own = set(re.findall(rb"INKLING_JOB_(?:SECRET|PARENT)=(\S+)", variables))
    expect(own, "no process has the secret of the job")
    for value in {secret.encode()} | own:
        expect_private(value, lines, "a spawned job's environment")


def main():
    hosts.enter(*hosts.TOOLS[KIND])
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    script = hosts.build(3)
    if COMMAND == "srun":
        slurm.start(script, 3)
    code, said = run(*hosts.launcher(script, 2, 2, 4, KIND), PLACES)
    expect(code == 0 and "4 ranks, 2 on a host" in said, "shared memory on a host, libfabric between", said)
    code, said = run(*hosts.launcher(script, 3, 2, 6, KIND), PLACES, "3")
    expect(code == 0 and "6 ranks, 2 on a host" in said, "the same on three hosts", said)
    code, said = run(*hosts.launcher(script, 1, 3, 3, KIND), PLACES, "1")
    expect(code == 0 and "3 ranks, 3 on a host" in said, "one host takes shared memory only", said)
    code, said = run(*hosts.launcher(script, 2, 2, 4, KIND), TELLS, "a", "b")
    expect(code == 0, "the program runs", said)
    check_ranks(said)
    check_mpiexec()
    check_spawning()
    check_faults(hosts.launcher(script, 2, 2, 4, KIND))


if __name__ == "__main__":
    main()
