#!/usr/bin/env python3
"""forged.py VICTIM STRANGER: a job of two hosts is attacked from a third one, by a user who knows the port of a rank and the
job's number. Its messages must not be believed, its packets must not fill memory, and it must read nothing."""
import itertools
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))
import hosts  # noqa: E402

VICTIM, STRANGER = map(os.path.abspath, sys.argv[1:3])
SECONDS = 6 + float(os.environ.get("TEST_SLACK", "4"))
NOBODY = 65534


def fail(what, said=""):
    print(f"forged.py: {what}\n{said}")
    sys.exit(1)


def on(number, *command):
    return ["ip", "netns", "exec", f"host{number}", *command]


def listening(number):
    """The TCP ports that a stranger would find by trying them all."""
    said = subprocess.run(on(number, "cat", "/proc/net/tcp"), stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [row.split() for row in said.splitlines()[1:]]
    return sorted({int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A"})


def as_stranger(command):
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]


def attack(job):
    """Each port: reads with the first keys, and packets of this version of the library and of one without proofs."""
    said = ""
    for port, words in itertools.product(listening(1), [["3"], ["0"], *(["3", str(key)] for key in range(4)),
                                                        *(["0", str(key)] for key in range(4))][::-1]):
        command = [STRANGER, hosts.address(1), str(port), job, *words]
        try:
            ended = subprocess.run(on(3, *as_stranger(command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, check=False, timeout=SECONDS)
            said += f"{port} {words}: {ended.stdout.strip()}\n"
        except subprocess.TimeoutExpired as late:
            said += f"{port} {words}: {(late.stdout or b'').decode()} (no end)\n"
    return said


def main():
    if os.getuid():
        hosts.skip("attacks by another user take root, who can be both")
    hosts.enter("mpiexec.hydra", "setpriv")
    os.environ["INKLING_SPIN_TIME"] = "20us"
    os.environ["INKLING_OFI_PROVIDER"] = "tcp;ofi_rxm"
    script = hosts.build(3)
    command = [*hosts.launcher(script, 2, 1, 2), VICTIM, str(SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
        first = job.stdout.readline().split()
        if first[:1] != ["ready"]:
            fail("the program does not start", " ".join(first))
        begin = time.monotonic()
        attacked = attack(first[1])
        took = time.monotonic() - begin
        try:
            said, _ = job.communicate(timeout=3 * SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            fail("the job hangs", attacked)
    if not re.search("sent [1-9]", attacked):
        fail("the attack did not reach the rank, so this tested nothing", attacked)
    if "read what" in attacked:
        fail("a stranger read memory of a rank", attacked)
    if job.returncode or "unharmed" not in said:
        fail(f"the job ended with {job.returncode} after an attack of {took:.1f} s", said + attacked)
    print(attacked, f"{took:.1f} s", sep="")


if __name__ == "__main__":
    main()
