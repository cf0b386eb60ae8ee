#!/usr/bin/env python3
"""firewall.py PROGRAM: nothing passes between the two hosts of a job, as between two whose firewalls drop packets, or refuse them, from the start.
The launcher reaches both. The error comes in time, and asks for the firewalls; `inkling doctor` is for a host alone."""
import os
import subprocess
import sys
import time

import hosts

TIMEOUT = 3.0
SLACK = float(os.environ.get("TEST_SLACK", "10"))


def drop():
    """Frames between ports that are isolated are dropped, others pass."""
    macs = {number: hosts.on(number, "ip", "-br", "link", "show", "eth0").split()[2] for number in (1, 2)}
    for here, there in ((1, 2), (2, 1)):
        hosts.on(here, "ip", "neigh", "replace", hosts.address(there), "lladdr", macs[there], "dev", "eth0")
        hosts.ip("link", "set", f"port{here}", "type", "bridge_slave", "isolated", "on")


def refuse():
    for number in (1, 2):
        hosts.ip("link", "set", f"port{number}", "type", "bridge_slave", "isolated", "off")
        hosts.on(number, "ip", "rule", "add", "priority", "0", "to", hosts.address(3 - number), "prohibit")


def expect(truth, what, said):
    if not truth:
        sys.exit(f"firewall.py: {what}:\n{said}")


def main():
    hosts.enter("mpiexec.hydra")
    script = hosts.build(2)
    command = hosts.launcher(script, 2, 1, 2)
    os.environ.update(INKLING_PEER_TIMEOUT=f"{TIMEOUT:g}s", INKLING_SPIN_TIME="20us")
    for bar in drop, refuse:
        bar()
        begin = time.monotonic()
        done = subprocess.run([*command, sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        took, name = time.monotonic() - begin, bar.__name__
        expect(done.returncode, f"{name}: the job ends well", done.stdout)
        expect(took < TIMEOUT + SLACK, f"{name}: it took {took:.1f} s", done.stdout)
        lines = [line for line in done.stdout.splitlines() if "on another host, is out of reach" in line]
        expect(lines and all(line.endswith("; do the hosts' firewalls let TCP and UDP pass?") for line in lines), f"{name}: the mending is not told", done.stdout)
        print(f"{name}: told after {took:.1f} s: {lines[0].strip()}")


if __name__ == "__main__":
    main()
