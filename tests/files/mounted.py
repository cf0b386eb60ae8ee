#!/usr/bin/env python3
"""Runs a command with a file system of FUSE: mounted.py COMMAND [ARGUMENT...]

bindfs shows a folder in memory at another place, which FILES_IN names to the command. All of it lives in namespaces of this
test alone and goes with it. It takes /dev/fuse and the right to mount; else the test is skipped (77) and says why.
"""
import os
import shutil
import subprocess
import sys

SKIPPED = 77
MOUNT = "mount -t tmpfs none /mnt && mkdir /mnt/stored /mnt/shown && bindfs --multithreaded /mnt/stored /mnt/shown && exec \"$@\""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def main():
    if not shutil.which("bindfs"):
        skip("no bindfs here (Debian: bindfs)")
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
             *(["--user", "--map-root-user"] if os.getuid() else []), "sh", "-c", MOUNT, "sh"]
    tried = subprocess.run([*words, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, check=False)
    if tried.returncode:
        skip(f"no mount of FUSE here: {tried.stdout.strip()}")
    os.execvpe("unshare", [*words, *sys.argv[1:]], {**os.environ, "FILES_IN": "/mnt/shown"})


main()
