#!/usr/bin/env python3
"""rails.py NETWORK PROGRAM: two hosts with two networks between them, eth0 and eth1. Counts what PROGRAM (rails.c) sends over each.
Over UCX large messages take both. Over libfabric a rank takes one, of which the near one where sysfs, which the ranks pretend, says so."""
import os
import subprocess
import sys
import tempfile

import hosts

NETWORK, PROGRAM = sys.argv[1], os.path.abspath(sys.argv[2])
BYTES = 8 * 16 << 20  # that PROGRAM sends
FAR = "/sys/devices/virtual/net/eth0"


def expect(truth, what):
    if not truth:
        print(f"rails.py {NETWORK}: {what}")
        sys.exit(1)


def join_again():
    """A second network, of eth1 on both hosts."""
    hosts.ip_each(["link add rails type bridge", "link set rails up",
                   *[line for n in (1, 2) for line in (f"link add rail{n} type veth peer name eth1 netns host{n}",
                                                       f"link set rail{n} master rails up")]])
    for n in (1, 2):
        hosts.ip_each([f"address add 10.78.0.{n}/24 dev eth1", "link set eth1 up"], "-n", f"host{n}")


def sent():
    """Bytes that the first host has sent over each."""
    return [int(hosts.on(1, "cat", f"/sys/class/net/eth{i}/statistics/tx_bytes")) for i in (0, 1)]


def shares(script, folder, far, **settings):
    """What parts of the messages went over eth0 and eth1. far: eth0 belongs to cores that no rank may run on."""
    lines = ["#!/bin/sh"]
    if far:
        lines += [f"kept={folder}/net.$$; cp -a /sys/class/net $kept", "mount -t tmpfs none /sys/class || exit 77",
                  "cp -a $kept /sys/class/net", "rm /sys/class/net/eth0", "mkdir -p /sys/class/net/eth0/device",
                  f"ln -s {FAR}/* /sys/class/net/eth0", "echo 1000-1007 >/sys/class/net/eth0/device/local_cpulist"]
    wrapper = os.path.join(folder, "rank")
    with open(wrapper, "w", encoding="ascii") as file:
        print(*lines, f"exec {PROGRAM}", sep="\n", file=file)
    os.chmod(wrapper, 0o755)
    before = sent()
    ended = subprocess.run([*hosts.launcher(script, 2, 1, 2), wrapper], env={**os.environ, "INKLING_NETWORK": NETWORK, **settings}, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if ended.returncode == 77:
        hosts.skip("nothing can be mounted here")
    expect(ended.returncode == 0, f"the job fails with {ended.returncode}:\n{ended.stdout[-2000:]}")
    parts = [round((now - then) / BYTES, 2) for now, then in zip(sent(), before)]
    print(f"{NETWORK}, {'eth0 is far' if far else 'both alike'} {settings}: {parts}")
    return parts


def main():
    hosts.enter("mpiexec.hydra")
    os.environ.setdefault("INKLING_SPIN_TIME", "20us")
    script = hosts.build(2)
    join_again()
    with tempfile.TemporaryDirectory(dir=hosts.FOLDER) as folder:
        os.chmod(folder, 0o755)
        if NETWORK == "ucx":
            both = shares(script, folder, False)
            expect(min(both) > 0.25, f"both devices carry large messages: {both}")
            one = shares(script, folder, False, INKLING_OFI_INTERFACE="eth1")
            expect(one[1] >= 1 and one[0] < 0.1, f"the interface that is named carries all: {one}")
            return
        one = shares(script, folder, False)
        expect(max(one) >= 1 and min(one) < 0.1, f"one device carries all: {one}")
        near = shares(script, folder, True)
        expect(near[1] >= 1 and near[0] < 0.1, f"the near device carries all: {near}")
        named = shares(script, folder, True, INKLING_OFI_INTERFACE="eth0")
        expect(named[0] >= 1 and named[1] < 0.1, f"the interface that is named carries all: {named}")


if __name__ == "__main__":
    main()
