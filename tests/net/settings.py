#!/usr/bin/env python3
"""settings.py MPIEXEC PROGRAM ucx|none: what INKLING_TRANSPORT, INKLING_NETWORK, INKLING_OFI_PROVIDER and INKLING_OFI_INTERFACE
do, and what is said when they cannot be obeyed. PROGRAM runs well on two ranks over any transport."""
import os
import subprocess
import sys
from shlex import quote

MPIEXEC, PROGRAM = sys.argv[1:3]
HAS_UCX = sys.argv[3] == "ucx"


def libraries_of_a_run(**settings):
    """The libraries of networks that the ranks loaded, and how the run ended."""
    command = [MPIEXEC, "-n", "2", "sh", "-c", f"LD_DEBUG=files exec {quote(PROGRAM)} 2>&1"]
    ended = subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace", check=False)
    return {name for name in ("libfabric", "libucp") if name in ended.stdout}, ended.returncode


def refusal(**settings):
    ended = subprocess.run([MPIEXEC, "-n", "2", PROGRAM], env={**os.environ, **settings}, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    expect(ended.returncode != 0, f"{settings} should not work")
    return ended.stdout


def expect(truth, what):
    if not truth:
        print(f"settings.py: {what}")
        sys.exit(1)


def main():
    for transport, network, loaded in (("auto", "auto", set()), ("auto", "ofi", set()), ("shm", "auto", set()),
                                       ("ofi", "auto", {"libfabric"}), ("ofi", "ucx", {"libfabric"}),
                                       *[("ucx", "auto", {"libucp"})] * HAS_UCX):
        found, code = libraries_of_a_run(INKLING_TRANSPORT=transport, INKLING_NETWORK=network)
        expect(code == 0, f"INKLING_TRANSPORT={transport} INKLING_NETWORK={network} fails with {code}")
        expect(found == loaded, f"INKLING_TRANSPORT={transport} INKLING_NETWORK={network} loads {found}")
    ofi = {"INKLING_TRANSPORT": "ofi"}
    for provider in "sockets", "tcp;ofi_rxm":
        expect(libraries_of_a_run(**ofi, INKLING_OFI_PROVIDER=provider)[1] == 0, f"{provider} fails")
    expect(libraries_of_a_run(**ofi, INKLING_OFI_INTERFACE="lo")[1] == 0, "the interface lo fails")
    said = refusal(**ofi, INKLING_OFI_PROVIDER="nonesuch")
    expect("no provider 'nonesuch'" in said, f"a provider that is not there is not named:\n{said}")
    said = refusal(**ofi, INKLING_OFI_PROVIDER="shm")
    expect("INKLING_OFI_PROVIDER='shm' reaches this host alone" in said, f"libfabric's shm is not refused:\n{said}")
    said = refusal(**ofi, INKLING_OFI_INTERFACE="nonesuch7")
    expect("'nonesuch7' is not an interface" in said and "lo" in said, f"the interfaces are not named:\n{said}")


if __name__ == "__main__":
    main()
