#!/usr/bin/env python3
"""Compiles and runs an example, in C or Fortran, of Debian's package mpich-doc, unmodified, and checks what it prints.

The sources are taken from where the package installs them. Where they are not (systems that leave out
documentation), the package is downloaded with apt-get and unpacked below the build folder; nothing is installed.
"""
import argparse
import pathlib
import re
import subprocess
import sys

INSTALLED = pathlib.Path("/usr/share/doc/mpich/examples")
RANKS = 4


def hellow(out, _err):
    wanted = [f"Hello world from process {rank} of {RANKS}" for rank in range(RANKS)]
    assert sorted(out.splitlines()) == wanted, "every rank says hello once"


def pi_is_near(out, times):
    errors = [float(error) for error in re.findall(r"pi is approximately 3\.14\d+, Error is (\d\.\d+)", out)]
    assert len(errors) == times, f"pi is printed {times} times"
    assert all(error < 1e-4 for error in errors), "pi is near"


def cpi(out, _err):
    pi_is_near(out, 1)
    assert sorted(map(int, re.findall(r"Process (\d+) of 4 is on \S+", out))) == list(range(RANKS))


def icpi(out, _err):
    pi_is_near(out, 2)
    assert out.count("Enter the number of intervals") == 3, "rank 0 reads three numbers from stdin"


def srtest(out, err):
    for rank in range(RANKS):
        assert f"{rank} received 'hello there'" in out, f"rank {rank} gets the message"
        assert re.search(rf"^Process {rank} on \S+$", err, re.MULTILINE), f"rank {rank} names its host"


def alive(out, _err):
    assert sorted(map(int, re.findall(r"Process +(\d+) +of +4 +is alive", out))) == list(range(RANKS)), "every rank is alive"


def fortran_pi(out, err):
    alive(out, err)
    errors = [float(error) for error in re.findall(r"pi is approximately: 3\.14\d+ +Error is: (\d\.\d+)", out)]
    assert len(errors) == 2 and all(error < 1e-4 for error in errors), "pi is near, twice"
    assert out.count("Enter the number of intervals") == 3, "rank 0 reads three numbers from stdin"


# path -> (check of stdout and stderr, stdin)
THRICE = "100\n10000\n0\n"
PROGRAMS = {"hellow.c": (hellow, ""), "cpi.c": (cpi, ""), "icpi.c": (icpi, THRICE), "srtest.c": (srtest, ""),
            "f77/hellow.f": (alive, ""), "f77/fpi.f": (fortran_pi, THRICE), "f90/pi3f90.f90": (fortran_pi, THRICE)}


def source(name, build):
    """The example's path, or None and why not."""
    unpacked = build / "mpich-doc"
    for folder in (INSTALLED, unpacked / INSTALLED.relative_to("/")):
        if (folder / name).is_file():
            return folder / name, None
    print("downloading the Debian package mpich-doc with apt-get, to unpack below the build folder", flush=True)
    unpacked.mkdir(parents=True, exist_ok=True)
    try:
        for stale in unpacked.glob("*.deb"):
            stale.unlink()
        subprocess.run("apt-get download mpich-doc || { apt-get update && apt-get download mpich-doc; }",
                       shell=True, cwd=unpacked, check=True, capture_output=True, text=True)
        package = next(unpacked.glob("mpich-doc_*.deb"))
        subprocess.run(["dpkg", "-x", package, unpacked], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError, StopIteration) as error:
        return None, f"mpich-doc cannot be had: {error}"
    found = unpacked / INSTALLED.relative_to("/") / name
    return (found, None) if found.is_file() else (None, f"mpich-doc does not hold {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--flags", default="")
    args = parser.parse_args()
    path, why = source(args.program, args.build)
    if not path:
        print(f"skipped: {why}")
        return 77
    check, stdin = PROGRAMS[args.program]
    binary = args.build / args.program.replace("/", "_").replace(".", "_")
    subprocess.run([args.compiler, *args.flags.split(";"), "-o", binary, path, "-lm"], check=True)
    done = subprocess.run([args.mpiexec, "-n", str(RANKS), binary], input=stdin, capture_output=True, text=True,
                          check=False)
    print(done.stdout, done.stderr, sep="\n", flush=True)
    assert done.returncode == 0, f"exit code {done.returncode}"
    check(done.stdout, done.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
