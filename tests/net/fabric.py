#!/usr/bin/env python3
"""fabric.py MPIEXEC PROGRAM: which network a job over several hosts takes, by the devices that sysfs shows (which the ranks replace here),
and what is said when a device or its network cannot be used, or --stats is given. PROGRAM runs well on two ranks."""
import json
import os
import subprocess
import sys
import tempfile

import hosts

MPIEXEC, PROGRAM = map(os.path.abspath, sys.argv[1:3])
# What is said of a device with a network.
MISSING = {("mlx5_0", "libucp"): "since UCX has no transport for it: is libuct_ib there",
           ("mlx5_0", "libfabric"): "its providers for it (verbs)",
           ("hfi1_0", "libfabric"): "its providers for it (opx, psm2 or psm3)"}


def run(script, folder, drivers, **settings):
    """With devices of these names: the libraries of networks that were loaded, and what was said."""
    lines = ["#!/bin/sh", f"kept={folder}/net.$$; cp -a /sys/class/net $kept", "mount -t tmpfs none /sys/class || exit 77",
             "cp -a $kept /sys/class/net"]
    for driver in drivers:
        ports = f"/sys/class/infiniband/{driver}/ports/1"
        lines += [f"mkdir -p {ports}", f"echo '4: ACTIVE' >{ports}/state", f"echo InfiniBand >{ports}/link_layer"]
    wrapper = os.path.join(folder, "rank")
    with open(wrapper, "w", encoding="ascii") as file:
        print(*lines, f"LD_DEBUG=files exec {PROGRAM} 2>&1", sep="\n", file=file)
    os.chmod(wrapper, 0o755)
    ended = subprocess.run([*hosts.launcher(script, 2, 1, 2), wrapper], env={**os.environ, **settings}, text=True, errors="replace",
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if ended.returncode == 77:
        hosts.skip("nothing can be mounted here")
    expect(ended.returncode == 0, f"{drivers} {settings}: the job fails with {ended.returncode}:\n{ended.stdout[-2000:]}")
    calls = [line for line in ended.stdout.splitlines() if "calling init" in line]
    said = [line for line in ended.stdout.splitlines() if "inkling" in line.lower() and "LD_" not in line]
    return {name for name in ("libfabric", "libucp") if any(name in line for line in calls)}, "\n".join(said)


def tell_choice(script, rules):
    """mpiexec --stats says which network was taken, and why."""
    hosts.launcher(script, 2, 1, 2)
    for settings, due in (({}, "ofi, since this host has no device"), ({"INKLING_NETWORK": "ucx"}, "ucx, as inkling_transport or"),
                          ({"INKLING_RULES": rules}, f"ucx, which {rules} names"),
                          ({"INKLING_RULES": rules, "INKLING_NETWORK": "ofi"}, "ofi, as inkling_transport or")):
        ended = subprocess.run([MPIEXEC, "--launcher", "mpiexec.hydra", "--hosts", "host1:1,host2:1", "--stats", "-n", "2", PROGRAM],
                               env={**os.environ, **settings}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               check=False)
        expect(ended.returncode == 0 and f"  network between hosts: {due}" in ended.stdout, f"--stats with {settings}:\n{ended.stdout}")
    ended = subprocess.run([MPIEXEC, "--stats", "-n", "2", PROGRAM], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, "LD_DEBUG": "files"}, check=False)
    expect(ended.returncode == 0 and "network between hosts" not in ended.stdout and "libfabric" not in ended.stdout and
           "libucp" not in ended.stdout, "a job of one host opens no network")


def follow_first(script, folder, rules):
    """All take what rank 0's file of rules names, although the other host has no file."""
    wrapper = os.path.join(folder, "some")
    with open(wrapper, "w", encoding="ascii") as file:
        print("#!/bin/sh", f"test $(hostname) = host2 || export INKLING_RULES={rules}", f"LD_DEBUG=files exec {PROGRAM} 2>&1", sep="\n", file=file)
    os.chmod(wrapper, 0o755)
    ended = subprocess.run([*hosts.launcher(script, 2, 1, 2), wrapper], text=True, errors="replace", stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    expect(ended.returncode == 0 and "libfabric" not in ended.stdout and "libucp" in ended.stdout,
           f"rules on one host:\n{ended.stdout[-2000:]}")


def tune(script, folder):
    """inkling tune measures both networks, and names the faster one."""
    hosts.launcher(script, 2, 1, 2)
    file = os.path.join(folder, "tuned.json")
    start = f"{MPIEXEC} --launcher mpiexec.hydra --hosts host1:1,host2:1 -n"
    command = [os.path.join(os.path.dirname(MPIEXEC), "inkling"), "tune", "--output", file, "--ranks", "2", "--sizes", "8", "--start", start]
    ended = subprocess.run([*command, "barrier"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    expect(ended.returncode == 0 and all(f"network {name} on 2 ranks" in ended.stderr for name in ("ofi", "ucx")), f"tune: {ended}")
    with open(file, encoding="utf-8") as written:
        taken = json.load(written)["settings"].get("inkling_network")
    expect(taken in (None, "ucx") and (taken is None) != ("us; taken" in ended.stdout), f"tune takes {taken}: {ended}")


def expect(truth, what):
    if not truth:
        print(f"fabric.py: {what}")
        sys.exit(1)


def main():
    hosts.enter("mpiexec.hydra")
    os.environ.setdefault("INKLING_SPIN_TIME", "20us")
    script = hosts.build(2)
    with tempfile.TemporaryDirectory(dir=hosts.FOLDER) as folder:
        os.chmod(folder, 0o755)
        for drivers, settings, due in (([], {}, "libfabric"), (["mlx5_0"], {}, "libucp"), (["hfi1_0"], {}, "libfabric"),
                                       (["mlx5_0"], {"INKLING_NETWORK": "ofi"}, "libfabric")):
            found, said = run(script, folder, drivers, **settings)
            expect(found == {due}, f"{drivers} {settings}: {found} loaded, not {due}")
            for driver in drivers:  # which no network has something for here
                expect(said.count(f"this host has {driver} (") == 2 and said.count(MISSING[driver, due]) == 2,
                       f"{drivers} {settings}: a warning of each host names device and lack:\n{said}")
            expect(drivers or "this host has" not in said, f"without a device it was said:\n{said}")
        _, said = run(script, folder, ["hfi1_0"], INKLING_OFI_PROVIDER="tcp;ofi_rxm")
        expect("this host has" not in said, f"although the user wants tcp, it was said:\n{said}")
        rules = os.path.join(folder, "rules.json")
        with open(rules, "w", encoding="ascii") as file:
            json.dump({"inkling_rules": 1, "settings": {"inkling_network": "ucx"}, "rules": []}, file)
        tell_choice(script, rules)
        follow_first(script, folder, rules)
        tune(script, folder)
        with open(os.path.join(folder, "libucp.so.0"), "wb"):
            pass  # no library
        found, said = run(script, folder, ["mlx5_0"], LD_LIBRARY_PATH=folder)
        expect(found == {"libfabric"}, f"without UCX: {found} loaded")
        expect("this host has mlx5_0 (InfiniBand)" in said and "libucp.so.0" in said, f"without UCX it was said:\n{said}")
        expect(said.count("this host has mlx5_0") == 1, f"more than once:\n{said}")
        found, said = run(script, folder, [], LD_LIBRARY_PATH=folder, INKLING_RULES=rules)
        expect(found == {"libfabric"} and said.count(f"{rules} names the network ucx, which cannot be used here") == 1,
               f"without UCX, which the rules name: {found} loaded:\n{said}")


if __name__ == "__main__":
    main()
