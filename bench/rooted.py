"""make bench BENCH="--root SUITE": the same measurement on a bare system of that Debian suite, beside the peers that it packages.

The system is made once, below build/roots, and kept with the build in it; the tree is copied there before each run. It needs root, as
debootstrap and namespaces do.
"""
import os
import pathlib
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAKER = ROOT / ".ci/root"
PLACE = "root/inkling"  # where the tree is, in the system


def refusal(suite):
    """Why no system of this suite can be used here, or None."""
    if os.geteuid():
        return "it makes a system of its own, which takes root"
    if not suite.isalpha():
        return f"'{suite}' is no suite of Debian's; bookworm and trixie are"
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed"
    return None


def make(folder):
    """A bare system in this folder; one that was made only in part is made again."""
    unfinished = folder.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    print(f"making a bare {folder.name} in {folder}", flush=True)
    subprocess.run([MAKER, "new", folder.name, unfinished], check=True)
    unfinished.rename(folder)


def copy_tree(folder):
    """The files that git knows or would add, as they are now; what was built there before stays."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout.split(b"\0")
    there = b"\0".join(name for name in names if name and (ROOT / os.fsdecode(name)).exists())
    target = folder / PLACE
    target.mkdir(parents=True, exist_ok=True)
    subprocess.run(["sh", "-c", 'tar -c --null -T - | tar -x -C "$1"', "sh", target], cwd=ROOT, input=there, check=True)


def run(suite, arguments):
    """The exit code of `make bench` there; its results come back into bench/results."""
    why = refusal(suite)
    if why:
        print(f"bench --root {suite}: {why}")
        return 1
    folder = ROOT / "build/roots" / suite
    if not (folder / "etc/debian_version").exists():
        make(folder)
    copy_tree(folder)
    command = f"cd /{PLACE} && make bench BENCH={shlex.quote(shlex.join(arguments))}"
    status = subprocess.run([MAKER, "in", folder, "root", command], check=False).returncode
    made = folder / PLACE / "bench/results"
    for result in made.glob(f"{suite}*"):
        shutil.copy(result, ROOT / "bench/results" / result.name)
    return status
