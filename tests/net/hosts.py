#!/usr/bin/env python3
"""Runs a program on several hosts: hosts.py --hosts N --per-host K [--size RANKS] [--launcher NAME] -- PROGRAM [ARGUMENT...]

A host is a network namespace with one interface, eth0, at 10.77.0.<number>, and a name of its own, host<number>; a
bridge joins them. All of it lives in namespaces of this test alone and goes with it, whatever happens: nothing has to
be cleaned up. It takes root, or a system that lets users make namespaces; else the test is skipped (77) and says why.

--launcher says who starts the ranks, as on a real cluster. Hydra and Open MPI's launcher call, instead of ssh, a
script that enters the namespace; for Slurm see slurm.py.
"""
import argparse
import os
import shutil
import subprocess
import sys

import slurm

SKIPPED = 77
PLAIN = ["-E", "-S", "-B"]  # looks for no packages, which takes a third of Python's start
INSIDE = "TEST_HOSTS_INSIDE"  # set once this program runs in namespaces of its own
FOLDER = "/run/netns"
SWITCH = "10.77.0.254"
PACKAGES = {"unshare": "util-linux", "ip": "iproute2", "mpiexec.hydra": "mpich", "orterun": "openmpi-bin",
            "prterun": "openmpi-bin, version 5",
            "srun": "slurm-client", "slurmctld": "slurmctld", "slurmd": "slurmd", "munged": "munge"}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def enter(*tools):
    """Starts this very program again, in namespaces of its own. Its processes end with it."""
    if INSIDE in os.environ:
        del os.environ[INSIDE]
        os.environ["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"  # as in tests/CMakeLists.txt
        return
    for tool in ("unshare", "ip", "hostname", *tools):
        if not shutil.which(tool):
            skip(f"no {tool} here (Debian: {PACKAGES.get(tool, tool)})")
    unshare = ["unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
    unshare += ["--user", "--map-root-user"] if os.getuid() else []
    tried = subprocess.run([*unshare, "sh", "-c", f"mkdir -p {FOLDER} && mount -t tmpfs none {FOLDER} && "
                            "ip netns add try && ip link add eth0 type bridge"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if tried.returncode:
        skip(f"no network namespaces here: {tried.stdout.strip()}")
    os.environ[INSIDE] = "1"
    os.execvp("unshare", [*unshare, sys.executable, *PLAIN, *sys.argv])


def show_to_all(folder):
    """Lets every user reach the folder, here in these namespaces, although one above it may be closed to them."""
    above = [os.sep]
    for name in folder.split(os.sep)[1:]:
        above.append(os.path.join(above[-1], name))
    closed = next((path for path in above if not os.stat(path).st_mode & 0o001), None)
    if not closed:
        return
    os.chdir(os.sep)
    subprocess.run(["mount", "--bind", folder, "/mnt"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", closed], check=True)
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["mount", "--bind", "/mnt", folder], check=True)


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True)


def ip_each(lines, *options):
    """Several commands in one process: to start one for each takes most of the time."""
    subprocess.run(["ip", *options, "-batch", "-"], input="\n".join(lines), text=True, check=True)


def address(number):
    return f"10.77.0.{number}"


def build(count):
    """Hosts 1 to count, and a script that starts a command on one of them; returns the script's path."""
    os.makedirs(FOLDER, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", FOLDER], check=True)
    lines = ["link set lo up", "link add eth0 type bridge", f"address add {SWITCH}/24 dev eth0", "link set eth0 up"]
    for number in range(1, count + 1):
        lines += [f"netns add host{number}", f"link add port{number} type veth peer name eth0 netns host{number}",
                  f"link set port{number} master eth0 up"]
    ip_each(lines)
    for number in range(1, count + 1):
        ip_each([f"address add {address(number)}/24 dev eth0", "link set lo up", "link set eth0 up"], "-n", f"host{number}")
    name_all(count)
    hide_kernel_names()
    script = f"{FOLDER}/remote_shell"
    with open(script, "w", encoding="ascii") as file:
        file.write('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=${1##*.}\nhost=${host#host}\nshift\n'
                   'exec ip netns exec host$host unshare --uts sh -c "hostname host$host; $*"\n')
    os.chmod(script, 0o755)
    return script


def name_all(count):
    """What DNS does elsewhere."""
    with open(f"{FOLDER}/names", "w", encoding="ascii") as file:
        print("127.0.0.1 localhost", f"{SWITCH} switch", sep="\n", file=file)
        for number in range(1, count + 1):
            print(address(number), f"host{number}", file=file)
    subprocess.run(["mount", "--bind", f"{FOLDER}/names", "/etc/hosts"], check=True)
    subprocess.run(["hostname", "switch"], check=True)


def hide_kernel_names():
    """libfabric's verbs reads all names of the kernel, twice, whenever it is loaded: a tenth of what a small test of four ranks takes."""
    subprocess.run(["mount", "--bind", os.devnull, "/proc/kallsyms"], check=False, stderr=subprocess.DEVNULL)


TOOLS = {"hydra": ["mpiexec.hydra"], "orterun": ["orterun"], "prterun": ["prterun"],
         "srun-pmix": ["srun", "slurmctld", "slurmd", "munged"],
         "srun-pmi2": ["srun", "slurmctld", "slurmd", "munged"]}


def launcher(script, hosts, per_host, size, kind="hydra", first=1):
    """The command that starts `size` ranks, to be followed by the program. `first` is the first of its hosts (not with srun)."""
    names = [f"{address(number)}:{per_host}" for number in range(first, first + hosts)]
    os.environ.update(HYDRA_LAUNCHER="ssh", HYDRA_LAUNCHER_EXEC=script, HYDRA_IFACE="eth0")
    os.environ.update(OMPI_MCA_plm_rsh_agent=script, OMPI_MCA_plm_rsh_no_tree_spawn="1",
                      OMPI_MCA_oob_tcp_if_include="10.77.0.0/24", OMPI_ALLOW_RUN_AS_ROOT="1",
                      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if kind == "prterun":
        os.environ.update(PRTE_MCA_plm_ssh_agent=script, PRTE_MCA_plm_ssh_no_tree_spawn="1",
                          PRTE_MCA_prte_if_include="10.77.0.0/24", PRTE_ALLOW_RUN_AS_ROOT="1",
                          PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        return ["prterun", "--map-by", "slot:OVERSUBSCRIBE", "--host", ",".join(names), "-n", str(size)]
    if kind == "orterun":
        return ["orterun", "--oversubscribe", "--host", ",".join(names), "-n", str(size)]
    if kind.startswith("srun-"):
        return ["srun", f"--mpi={kind[5:]}", "--overcommit", "--kill-on-bad-exit=1", "-w",
                ",".join(f"host{number}" for number in range(1, hosts + 1)), "-N", str(hosts), "-n", str(size)]
    return ["mpiexec.hydra", "-localhost", SWITCH, "-hosts", ",".join(names), "-n", str(size)]


def on(number, *command):
    """Runs it on a host; what it says."""
    return subprocess.run(["ip", "netns", "exec", f"host{number}", *map(str, command)], stdout=subprocess.PIPE, text=True,
                          check=False).stdout


def answer_at_once(count):
    """Lets hosts say as often as asked that a process is no more: a kernel tells a peer so once a second, and here ranks die job after job."""
    for number in range(1, count + 1):
        on(number, "sh", "-c", "echo 0 >/proc/sys/net/ipv4/icmp_ratelimit")


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
    parser.add_argument("--launcher", choices=TOOLS, default="hydra")
    parser.add_argument("program", nargs="+")
    args = parser.parse_args()
    enter(*TOOLS[args.launcher])
    # All hosts share the cores of this one, which no rank can know: waits must not spin.
    os.environ.setdefault("INKLING_SPIN_TIME", "20us")
    script = build(args.hosts)
    if args.launcher.startswith("srun-"):
        slurm.start(script, args.hosts)
    command = launcher(script, args.hosts, args.per_host, args.size or args.hosts * args.per_host, args.launcher)
    sys.exit(subprocess.run([*command, *args.program], check=False).returncode)


if __name__ == "__main__":
    main()
