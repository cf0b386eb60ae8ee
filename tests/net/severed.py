#!/usr/bin/env python3
"""severed.py SEVERED: connections between two live ranks are cut while messages are under way. What was lost must be told:
nobody may wait for ever, or take a later message for the lost one."""
import os
import subprocess
import sys

import hosts

LIMIT = 20 + 5 * float(os.environ.get("TEST_SLACK", "4"))


def main():
    hosts.enter("mpiexec.hydra")
    os.environ.update(INKLING_SPIN_TIME="20us", INKLING_PEER_TIMEOUT="2s", INKLING_OFI_PROVIDER="tcp;ofi_rxm")
    script = hosts.build(2)
    for stops in "0", "1":
        with subprocess.Popen([*hosts.launcher(script, 2, 1, 2), os.path.abspath(sys.argv[1]), stops], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
            try:
                said, _ = job.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                job.kill()
                sys.exit(f"severed.py: {stops}: nobody is told that messages were lost")
        if job.returncode != 7 or "CHECK failed" in said or not ("told after" in said or "all arrived" in said):
            sys.exit(f"severed.py: {stops}: exit code {job.returncode}\n{said}")
        print(stops, said.splitlines()[0])


if __name__ == "__main__":
    main()
