#!/usr/bin/env python3
"""choosing.py MPIEXEC: which launcher mpiexec --hosts takes, of those in PATH: srun inside an allocation, prterun,
mpiexec.hydra, orterun, in this order. The launchers are scripts of the test's own, which say what they were asked."""
import os
import subprocess
import sys
import tempfile

MPIEXEC = os.path.abspath(sys.argv[1])
ALL = ["srun", "prterun", "mpiexec.hydra", "orterun"]


def expect(truth, what, said):
    if not truth:
        print(f"choosing.py: {what}:\n{said}")
        sys.exit(1)


def run(there, *options, allocation=False, hosts="192.0.2.201:2,192.0.2.202:2", program=("/bin/true", "one")):
    """mpiexec where these launchers are installed: exit code, and what it and the launcher said."""
    with tempfile.TemporaryDirectory() as folder:
        for name in there:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="ascii") as file:
                file.write('#!/bin/sh\necho "asked: ${0##*/} $*"\nexit 9\n')
            os.chmod(path, 0o755)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        environment.update(PATH=folder, **({"SLURM_JOB_ID": "7"} if allocation else {}))
        ended = subprocess.run([MPIEXEC, *options, "--hosts", hosts, "-n", "3", *program],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False)
        return ended.returncode, ended.stdout


def check_taken(due, there, *options, allocation=False):
    code, said = run(there, *options, allocation=allocation)
    what = f"of {there}, allocation {allocation}, {options}: {due} is taken"
    expect(code == 9, f"{what}, and its exit code is the job's ({code})", said)
    expect(f"mpiexec: {due} starts 3 ranks on 192.0.2.201:2 192.0.2.202:2\n" in said, f"{what} and named", said)
    asked = [line for line in said.splitlines() if line.startswith("asked: ")]
    expect(len(asked) == 1 and asked[0].split()[1] == due and asked[0].endswith(" /bin/true one"), what, said)
    expect("192.0.2.201" in asked[0] and "-n 3" in asked[0], f"{what}: hosts and ranks are handed on", said)


OPEN_RTE = ["--allow-run-as-root"] * (os.geteuid() == 0)
LABEL = ["--label", "--bind-to", "core", "--wdir", "/usr"]
# Launcher: what it is asked for by default, and with LABEL.
DUE = {
    "srun": (["--mpi=pmi2", "--export=ALL", "--overlap", "--overcommit", "--kill-on-bad-exit=1", "--input=0",
              "--distribution=plane=2", "-N", "2", "-w", "192.0.2.201,192.0.2.202", "-n", "3"],
             ["--label", "--cpu-bind=cores", "--chdir", "/usr"]),
    "prterun": (["--map-by", "slot:OVERSUBSCRIBE", *OPEN_RTE, "--host", "192.0.2.201:2,192.0.2.202:2", "-n", "3"],
                ["--output", "tag", "--bind-to", "core", "--wdir", "/usr"]),
    "mpiexec.hydra": (["-hosts", "192.0.2.201:2,192.0.2.202:2", "-n", "3"],
                      ["-prepend-rank", "-bind-to", "core", "-wdir", "/usr"]),
    "orterun": (["--oversubscribe", *OPEN_RTE, "--host", "192.0.2.201:2,192.0.2.202:2", "-n", "3"],
                ["--tag-output", "--bind-to", "core", "--wdir", "/usr"]),
}


def without_environment(words):
    """Without -x NAME, how Open MPI's launchers are given the environment: by names, since all can read command lines."""
    names = [words.index("-x", at) + 1 for at, word in enumerate(words) if word == "-x"]
    expect(all("=" not in words[at] for at in names), "variables are given by their names alone", words)
    return [word for at, word in enumerate(words) if word != "-x" and at not in names]


def words_asked(launcher, *options, **more):
    """What precedes the environment on the launcher's command line."""
    _, said = run([launcher], "--launcher", launcher, *options, **more)
    asked = [line.split()[2:] for line in said.splitlines() if line.startswith("asked: ")]
    expect(len(asked) == 1 and "env" in asked[0], f"{launcher} is asked once", said)
    words = asked[0][:asked[0].index("env")]
    names = words.count("-x")
    expect((names > 0) == (launcher in ("prterun", "orterun")), f"{launcher} gets {names} names of the environment", words)
    return without_environment(words)


def check_words(launcher):
    plain, more = DUE[launcher]
    asked = words_asked(launcher)
    expect(asked == plain, f"{launcher} is asked for {plain}", asked)
    asked = words_asked(launcher, *LABEL)
    expect(sorted(asked) == sorted(plain + more), f"{launcher} is asked for {plain} and {more}", asked)
    for name, value in zip(more, more[1:]):
        if not value.startswith("-"):
            expect(asked[asked.index(name) + 1] == value, f"{launcher}: {name} {value}", asked)


def check_slots():
    """srun deals the ranks itself over hosts with equal slots, and is told each rank's host otherwise."""
    asked = words_asked("srun", hosts="192.0.2.201:1,192.0.2.202:2,192.0.2.203:5")
    expect(asked[6:9] == ["--distribution=arbitrary", "-w", "192.0.2.201,192.0.2.202,192.0.2.202"], "unequal slots", asked)
    asked = words_asked("srun", hosts="192.0.2.201:3,192.0.2.202:3")
    expect(asked[6:11] == ["--distribution=plane=3", "-N", "1", "-w", "192.0.2.201"], "one host is enough", asked)
    asked = words_asked("srun", hosts="192.0.2.201:1,192.0.2.202:1")
    expect(asked[6:11] == ["--distribution=plane=1", "-N", "2", "-w", "192.0.2.201,192.0.2.202"], "too few slots", asked)


def check_output():
    """Open MPI's launcher has files of its own, and is told whether they lie in a folder of the job."""
    for folder in ("out", "out:nojobid"):
        asked = words_asked("orterun", "--output-filename", folder)
        expect(asked[asked.index("--output-filename") + 1] == folder, f"orterun: --output-filename {folder}", asked)


def check_refusals():
    hosts = "192.0.2.201:2,192.0.2.202:2"
    program = ["/bin/true", ":", "--hosts", hosts, "-n", "1", "/bin/true"]
    code, said = run(["srun"], "--launcher", "srun", hosts=hosts, program=program)
    expect(code == 1 and "asked: " not in said and "not 2" in said, f"srun: {program}", said)


def main():
    for launcher in DUE:
        check_words(launcher)
    check_slots()
    check_output()
    check_refusals()
    check_taken("srun", ALL, allocation=True)
    check_taken("prterun", ALL)
    for first in range(1, len(ALL)):
        check_taken(ALL[first], ALL[first:])
        check_taken(ALL[first], ["srun", *ALL[first:]])
        check_taken(ALL[first], ALL[first:], allocation=True)
    check_taken("orterun", ALL, "--launcher", "orterun", allocation=True)
    for there in [], ["srun"]:
        code, said = run(there)
        expect(code == 1 and "apt install mpich" in said and said.count("\n") == 1, f"{there}: what to install", said)
    code, said = run(["orterun"], "--launcher", "prterun")
    expect(code == 1 and "cannot run the launcher prterun" in said, "the launcher asked for is not there", said)


if __name__ == "__main__":
    main()
