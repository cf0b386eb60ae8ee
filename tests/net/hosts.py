#!/usr/bin/env python3
"""Runs a program on several hosts: hosts.py --hosts N --per-host K [--size RANKS] -- PROGRAM [ARGUMENT...]

A host is a network namespace with one interface, eth0, at 10.77.0.<number>; a bridge joins them. All of it
lives in namespaces of this test alone and goes with it, whatever happens: nothing has to be cleaned up. It
takes root, or a system that lets users make namespaces; else the test is skipped (77) and says why.

Hydra starts the ranks, as on a real cluster; instead of ssh it calls a script that enters the namespace.
"""
import argparse
import os
import shutil
import subprocess
import sys

SKIPPED = 77
INSIDE = "TEST_HOSTS_INSIDE"  # set once this program runs in namespaces of its own
FOLDER = "/run/netns"
SWITCH = "10.77.0.254"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def enter():
    """Starts this very program again, in a network and a mount namespace of its own."""
    if INSIDE in os.environ:
        del os.environ[INSIDE]
        return
    for tool in "unshare", "ip", "mpiexec.hydra":
        if not shutil.which(tool):
            skip(f"no {tool} here (Debian: util-linux, iproute2, mpich)")
    unshare = ["unshare", "--net", "--mount"] + (["--user", "--map-root-user"] if os.getuid() else [])
    tried = subprocess.run([*unshare, "sh", "-c", f"mkdir -p {FOLDER} && mount -t tmpfs none {FOLDER} && "
                            "ip netns add try && ip link add br0 type bridge"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if tried.returncode:
        skip(f"no network namespaces here: {tried.stdout.strip()}")
    os.environ[INSIDE] = "1"
    os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True)


def address(number):
    return f"10.77.0.{number}"


def build(count):
    """Hosts 1 to count, and a script that starts a command on one of them; returns the script's path."""
    os.makedirs(FOLDER, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", FOLDER], check=True)
    ip("link", "set", "lo", "up")
    ip("link", "add", "br0", "type", "bridge")
    ip("address", "add", f"{SWITCH}/24", "dev", "br0")
    ip("link", "set", "br0", "up")
    for number in range(1, count + 1):
        host = f"host{number}"
        ip("netns", "add", host)
        ip("link", "add", f"port{number}", "type", "veth", "peer", "name", "eth0", "netns", host)
        ip("link", "set", f"port{number}", "master", "br0", "up")
        ip("-n", host, "address", "add", f"{address(number)}/24", "dev", "eth0")
        ip("-n", host, "link", "set", "lo", "up")
        ip("-n", host, "link", "set", "eth0", "up")
    script = f"{FOLDER}/remote_shell"
    with open(script, "w", encoding="ascii") as file:
        file.write('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=${1##*.}\nshift\n'
                   'exec ip netns exec host$host sh -c "$*"\n')
    os.chmod(script, 0o755)
    return script


def launcher(script, hosts, per_host, size):
    """The command that starts `size` ranks, to be followed by the program."""
    os.environ.update(HYDRA_LAUNCHER="ssh", HYDRA_LAUNCHER_EXEC=script)
    names = ",".join(address(number) for number in range(1, hosts + 1))
    return ["mpiexec.hydra", "-localhost", SWITCH, "-hosts", names, "-ppn", str(per_host), "-n", str(size)]


def cut(number):
    """Takes a host off the network."""
    ip("link", "set", f"port{number}", "down")


def mend(number):
    ip("link", "set", f"port{number}", "up")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--per-host", type=int, default=1)
    parser.add_argument("--size", type=int)
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    enter()
    # All hosts share the cores of this one, which no rank can know: waits must not spin.
    os.environ.setdefault("INKLING_SPIN_TIME", "20us")
    command = launcher(build(args.hosts), args.hosts, args.per_host, args.size or args.hosts * args.per_host)
    sys.exit(subprocess.run([*command, *args.program], check=False).returncode)


if __name__ == "__main__":
    main()
