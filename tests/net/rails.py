#!/usr/bin/env python3
"""rails.py PROGRAM NETWORK: two hosts with two networks between them, eth0 and eth1. Counts what PROGRAM (rails.c) sends over each. A rank takes
one of them: the other one, if sysfs, which the ranks pretend, says that the first is near other cores. Over UCX it takes both for a large
message, if it is asked to, and never for packets."""
import os
import subprocess
import sys
import tempfile

import hosts

PROGRAM, NETWORK = os.path.abspath(sys.argv[1]), sys.argv[2]
BYTES = 8 * 16 << 20  # that PROGRAM sends


def expect(truth, what):
    if not truth:
        print(f"rails.py: {what}")
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
    """What parts of the messages went over eth0 and eth1. far: belongs to cores that no rank may run on."""
    lines = ["#!/bin/sh"]
    if far:
        shown = f"/sys/class/net/{far}"
        lines += [f"kept={folder}/net.$$; cp -a /sys/class/net $kept", "mount -t tmpfs none /sys/class || exit 77",
                  "cp -a $kept /sys/class/net", f"rm {shown}", f"mkdir -p {shown}/device",
                  f"ln -s /sys/devices/virtual/net/{far}/* {shown}", f"echo 1000-1007 >{shown}/device/local_cpulist"]
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
    print(f"far: {far} {settings}: {parts}")
    return parts


def check_near(script, folder):
    first = shares(script, folder, None)
    expect(max(first) >= 1 and min(first) < 0.1, f"one of them carries all: {first}")
    far = f"eth{first.index(max(first))}"
    near = shares(script, folder, far)
    expect(max(near) >= 1 and near[first.index(max(first))] < 0.1, f"the near one carries all: {near}")
    named = shares(script, folder, far, INKLING_OFI_INTERFACE=far)
    expect(named[first.index(max(first))] >= 1, f"the interface that is named carries all: {named}")


def check_both(script, folder):
    one = shares(script, folder, None)
    expect(max(one) >= 1 and min(one) < 0.1, f"one of them carries all: {one}")
    both = shares(script, folder, None, UCX_MAX_EAGER_RAILS="2")
    expect(min(both) > 0.4, f"each carries half: {both}")
    packets = shares(script, folder, None, UCX_MAX_EAGER_RAILS="2", RAILS_WORDS="8192")
    expect(min(packets) < 0.1, f"one of them carries all packets: {packets}")


def main():
    hosts.enter("mpiexec.hydra")
    os.environ.setdefault("INKLING_SPIN_TIME", "20us")
    script = hosts.build(2)
    join_again()
    with tempfile.TemporaryDirectory(dir=hosts.FOLDER) as folder:
        os.chmod(folder, 0o755)
        (check_both if NETWORK == "ucx" else check_near)(script, folder)


if __name__ == "__main__":
    main()
