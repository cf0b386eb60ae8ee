#!/usr/bin/env python3
"""privileged.py MPIEXEC PROGRAM: an ordinary user starts an MPI program that has the rights of a group of its own. The
environment must not lead it, and it must not become a rank. The same with a capability of its own; one that the user has
and hands on is no right of the program."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))
import hosts  # noqa: E402

MPIEXEC, PROGRAM = map(os.path.abspath, sys.argv[1:3])
NOBODY, GROUP = 65534, 54321
NET_RAW = struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0)  # CAP_NET_RAW, effective: struct vfs_cap_data


def run(*command, **env):
    return run_with([], *command, **env)


def run_with(options, *command, **env):
    user = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    ended = subprocess.run(["setpriv", *user, *options, *command], text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                           timeout=50, env={**os.environ, **env})
    return ended.returncode, ended.stdout


def check(found, wanted):
    if found != wanted:
        sys.exit(f"privileged.py: {found}, not {wanted}")


def check_capabilities(program):
    os.chmod(program, 0o755)
    os.setxattr(program, "security.capability", NET_RAW)
    check(run(program, INKLING_SPIN_TIME="nonsense"), (0, "raised 1 - - -\n"))
    code, said = run(MPIEXEC, "-n", "2", program)
    check((code != 0, "can be no rank of that user's job" in said, "raised" in said), (True, True, False))
    handed_on = ["--inh-caps=+net_raw", "--ambient-caps=+net_raw"]
    check(run_with(handed_on, MPIEXEC, "-n", "2", PROGRAM), (0, "plain 2 - - -\n" * 2))


def check_stack(program, wanted):
    """Whether what PATH has as addr2line is asked for the lines of the stack."""
    folder = os.path.join(os.path.dirname(program), "planted")
    os.makedirs(folder, exist_ok=True)
    for name in ["addr2line", "eu-addr2line"]:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\necho planted\necho /planted.c:7\n")
        os.chmod(out.name, 0o755)
    code, said = run(program, "fails", PATH=f"{folder}:{os.environ['PATH']}")
    check((code != 0, "    at " in said, "at planted at /planted.c:7" in said), (True, True, wanted))


def main():
    if os.getuid() or os.environ.get("SANITIZER"):
        hosts.skip("programs with rights of their own take root, who makes them, and no sanitizer")
    hosts.enter("setpriv")
    hosts.show_to_all(os.path.dirname(os.path.dirname(PROGRAM)))
    with tempfile.TemporaryDirectory(dir=os.path.dirname(PROGRAM)) as folder:
        program = os.path.join(folder, "privileged")
        os.chmod(folder, 0o755)
        shutil.copy(PROGRAM, program)
        os.chown(program, 0, GROUP)
        os.chmod(program, 0o2755)
        env = {"HWLOC_PLUGINS_PATH": "/nowhere", "OF_THE_PROGRAM": "kept"}
        if run(program)[1].startswith("plain"):
            hosts.skip("this file system gives programs no rights")
        check(run(PROGRAM, INKLING_SPIN_TIME="1us", **env), (0, "plain 1 1us /nowhere kept\n"))
        check(run(program, INKLING_SPIN_TIME="nonsense", **env), (0, "raised 1 - - kept\n"))
        code, said = run(MPIEXEC, "-n", "2", program)
        check((code != 0, "can be no rank of that user's job" in said, "raised" in said), (True, True, False))
        shutil.copy(PROGRAM, os.path.join(folder, "plain"))
        check_stack(os.path.join(folder, "plain"), True)
        check_stack(program, False)
        check_capabilities(program)


if __name__ == "__main__":
    main()
