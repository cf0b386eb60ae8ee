#!/usr/bin/env python3
"""alone.py NETWORK PROGRAM: one of two hosts has no interface that the network can use, or none that leads to the other. The job ends,
with a line that says so."""
import os
import subprocess
import sys

import hosts

NETWORK, PROGRAM = sys.argv[1], os.path.abspath(sys.argv[2])
SETTING = {"ucx": "UCX_NET_DEVICES", "ofi": "INKLING_OFI_INTERFACE"}[NETWORK]
CASES = {"ucx": (("nosuch", "finds no network interface here"), ("lo", "UCX finds no way to process")),
         "ofi": (("nosuch", "is not an interface here"),)}[NETWORK]


def main():
    hosts.enter("mpiexec.hydra")
    script = hosts.build(2)
    command = hosts.launcher(script, 2, 1, 2)
    environment = dict(os.environ, INKLING_NETWORK=NETWORK, INKLING_SPIN_TIME="20us")
    for interface, due in CASES:
        lonely = f'if [ $(hostname) = host2 ]; then export {SETTING}={interface}; fi; exec "$0"'
        try:
            ended = subprocess.run([*command, "sh", "-c", lonely, PROGRAM], env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=20)
        except subprocess.TimeoutExpired as hung:
            sys.exit(f"alone.py: with {interface} on one host the job hangs:\n{hung.stdout}")
        if ended.returncode == 0 or due not in ended.stdout:
            sys.exit(f"alone.py: with {interface} on one host the job ends with {ended.returncode}, and says:\n{ended.stdout}")


if __name__ == "__main__":
    main()
