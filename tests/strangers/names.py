#!/usr/bin/env python3
"""names.py NAMES: another user takes the names of the directories in which a user's published names would be. The user's
jobs must find each other all the same, alone, and leave nothing behind."""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "net"))
import hosts  # noqa: E402

NAMES = os.path.abspath(sys.argv[1])
NOBODY = 65534
USER = 54000 + os.getpid() % 1000
FIRST = f"/tmp/inkling-{USER}"
LIMIT = 40


def check(found, wanted, what):
    if found != wanted:
        sys.exit(f"names.py: {what}: {found}, not {wanted}")


def become(user):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


def ask(*steps):
    ended = subprocess.run([*become(USER), NAMES, *steps], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False)
    return ended.stdout.splitlines()


def places():
    """The user's directories of names, with their modes."""
    roots = [f"/tmp/{name}" for name in os.listdir("/tmp") if name.startswith(f"inkling-{USER}")]
    roots += [f"/run/user/{USER}/inkling"]
    return [(path, os.lstat(path).st_mode & 0o777) for path in roots if os.path.isdir(path) and os.lstat(path).st_uid == USER]


def serve_and_ask(folder, within):
    """One job publishes; others look, and may not publish the same."""
    ready, go = f"{folder}/ready", f"{folder}/go"
    with subprocess.Popen([*become(USER), NAMES, "publish", "ocean", "port", "ready", ready, "await", go],
                          stdout=subprocess.PIPE, text=True) as server:
        try:
            end = time.monotonic() + LIMIT
            while not os.path.exists(ready) and server.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
            found = places()
            answers = ask("lookup", "ocean", "publish", "ocean", "other", "publish", "sea", "p", "lookup", "sea")
        finally:
            with open(go, "w", encoding="ascii"):
                pass
        check(server.communicate(timeout=LIMIT)[0], "ocean: port\n", "the server's name")
    os.unlink(ready)
    os.unlink(go)
    check(answers, ["ocean: port", "ocean: MPI_ERR_SERVICE", "sea: p", "sea: p"], "what another job is told")
    check(len(found), 1, f"how many directories of {found}")
    check(found[0][0].startswith(within), True, f"whether {found[0][0]} is in {within}")
    check(found[0][1], 0o700, f"the mode of {found[0][0]}")
    check(places(), [], "what is left")


def squat(folder):
    """The first name is taken, and of those behind it some: one by a directory that is open to all, the others by links
    to a directory of the user's."""
    script = ('mkdir -m 777 "$0" "$0-abcdef" && for end in 000000 zzzzzz; do ln -s "$1" "$0-$end" || exit 1; done')
    subprocess.run([*become(NOBODY), "sh", "-c", script, FIRST, folder], check=True)


def main():
    if os.getuid():
        hosts.skip("attacks by another user take root, who can be both")
    hosts.enter("setpriv")
    hosts.show_to_all(os.path.dirname(os.path.dirname(NAMES)))
    os.environ.pop("INKLING_NAME_DIRECTORY", None)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/run"], check=True)
    os.mkdir("/run/user")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, USER, USER)
        serve_and_ask(folder, FIRST)
        try:
            squat(folder)
            serve_and_ask(folder, f"{FIRST}-")
            os.mkdir(f"/run/user/{USER}", 0o700)
            os.chown(f"/run/user/{USER}", USER, USER)
            serve_and_ask(folder, f"/run/user/{USER}/inkling")
            check(os.listdir(folder), [], "what was left where the links point")
        finally:
            subprocess.run(f"rm -rf {FIRST} {FIRST}-*", shell=True, check=True)


if __name__ == "__main__":
    main()
