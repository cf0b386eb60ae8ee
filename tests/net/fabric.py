#!/usr/bin/env python3
"""fabric.py PROGRAM: which network a job over several hosts takes, by the devices that sysfs shows (which the ranks replace here),
and what is said when the network of a device cannot be used. PROGRAM runs well on two ranks."""
import os
import subprocess
import sys
import tempfile

import hosts

PROGRAM = os.path.abspath(sys.argv[1])


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
            found, _ = run(script, folder, drivers, **settings)
            expect(found == {due}, f"{drivers} {settings}: {found} loaded, not {due}")
        with open(os.path.join(folder, "libucp.so.0"), "wb"):
            pass  # no library
        found, said = run(script, folder, ["mlx5_0"], LD_LIBRARY_PATH=folder)
        expect(found == {"libfabric"}, f"without UCX: {found} loaded")
        expect("this host has mlx5_0 (InfiniBand)" in said and "libucp.so.0" in said, f"without UCX it was said:\n{said}")
        expect(said.count("this host has mlx5_0") == 1, f"more than once:\n{said}")


if __name__ == "__main__":
    main()
