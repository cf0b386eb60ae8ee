#!/usr/bin/env python3
"""forged.py VICTIM STRANGER [WHAT...]: a job of two hosts is attacked from a third one, by a user who knows the port of a rank and
the job's number. Its messages, offers and byes must not be believed, its packets must not fill memory, and it must read nothing
by keys that it guesses. Then it gets the right key, which must work: else the guesses would have shown nothing. Without WHAT all
attacks are tried."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))
import hosts  # noqa: E402

VICTIM, STRANGER = map(os.path.abspath, sys.argv[1:3])
SECONDS = 6 + float(os.environ.get("TEST_SLACK", "4"))
NOBODY = 65534
TRIES = 3
PATIENCE_MS = "5000"
ATTACKS = set(sys.argv[3:] or ["read", "messages", "offer", "bye"])


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


def attack(job, *words):
    """At each port. Returns what the stranger says."""
    said = ""
    for port in listening(1):
        command = [STRANGER, hosts.address(1), str(port), job, *words]
        try:
            ended = subprocess.run(on(3, *as_stranger(command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, check=False, timeout=SECONDS)
            said += f"{port} {' '.join(words)}: {ended.stdout.strip()}\n"
        except subprocess.TimeoutExpired as late:
            said += f"{port} {' '.join(words)}: {(late.stdout or b'').decode()} (no end)\n"
    print(said, end="", flush=True)
    return said


def attack_all(job, key):
    for guess in range(4) if "read" in ATTACKS else []:
        if "read what" in attack(job, "read", str(guess)):
            fail("a stranger read memory of a rank")
    for what in sorted(ATTACKS - {"read"}):
        if not re.search("sent [1-9]", attack(job, what)):
            fail("the attack did not reach the rank, so this tests nothing")
    # On a busy machine it may take long to be connected.
    if not any("begins with 53" in attack(job, "read", key, PATIENCE_MS) for _ in range(TRIES)):
        fail("the right key opens nothing, so wrong ones show nothing")


def main():
    if os.getuid():
        hosts.skip("attacks by another user take root, who can be both")
    hosts.enter("mpiexec.hydra", "setpriv")
    os.environ["INKLING_SPIN_TIME"] = "20us"
    os.environ["INKLING_OFI_PROVIDER"] = "tcp;ofi_rxm"
    script = hosts.build(3)
    over = f"{hosts.FOLDER}/over"
    with subprocess.Popen([*hosts.launcher(script, 2, 1, 2), VICTIM, over], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as job:
        first = job.stdout.readline().split()
        if first[:1] != ["ready"]:
            fail("the program does not start", " ".join(first))
        try:
            attack_all(*first[1:3])
        finally:
            with open(over, "w", encoding="ascii"):
                pass
        try:
            said, _ = job.communicate(timeout=3 * SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            fail("the job hangs")
    if job.returncode or "unharmed" not in said:
        fail(f"the job ended with {job.returncode}", said)


if __name__ == "__main__":
    main()
