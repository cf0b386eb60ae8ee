"""inkling where in an installed tree, whose path has a space, of a program that the installed mpicc has compiled: what situations.py tests there,
and what is said where libdw or ncurses is missing. Run as: python3 installed.py CMAKE BUILD."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CMAKE, BUILD = sys.argv[1:3]
TESTS = ["test_wrong_tag", "test_late_rank_in_a_collective", "test_circle", "test_quit_at_mpiexec", "test_end_of_the_time",
         "test_json_and_short_stops", "test_screen", "test_lists_jobs_and_takes_ranks"]


def install(folder):
    subprocess.run([CMAKE, "--install", BUILD, "--prefix", f"{folder}/first"], stdout=subprocess.DEVNULL, check=True)
    tree = f"{folder}/the tree"
    os.rename(f"{folder}/first", tree)
    subprocess.run([f"{tree}/bin/mpicc", "-g", "-O1", "-pthread", f"{HERE}/situations.c", f"{HERE}/requests.c", "-o", f"{tree}/situations"], check=True)
    return tree


def hide(folder, *names):
    """A folder for LD_LIBRARY_PATH with libraries of these names that have nothing in them."""
    os.makedirs(f"{folder}/hidden", exist_ok=True)
    for name in names:
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", f"{folder}/hidden/{name}"], check=True)
    return f"{folder}/hidden"


def check(tree, folder):
    needed = subprocess.run(["readelf", "-d", f"{tree}/bin/inkling"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for name in "libdw", "curses":
        assert not re.search(rf"NEEDED.*{name}", needed), f"{name} is loaded when it is needed\n{needed}"
    sys.argv = [sys.argv[0], f"{tree}/bin", f"{tree}/situations"]
    import situations  # which takes them from there
    assert situations.INKLING == f"{tree}/bin/inkling"
    hidden = hide(folder, "libdw.so.1")
    with situations.Hanging("circle", 2) as job:
        assert job.ready == "ready\n"
        said = situations.run([situations.INKLING, "where", str(job.process.pid)], LD_LIBRARY_PATH=hidden)
        assert "which calls the ranks are in cannot be told: libdw.so.1 of elfutils is not installed (apt install libdw1)\n" in said.out, said.out + said.err
        hide(folder, "libncursesw.so.6", "libncurses.so.6")
        watch = subprocess.run([shutil.which("script"), "-qec", f"'{situations.INKLING}' where --watch {job.process.pid}", "/dev/null"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=30, check=False,
                               env=situations.environment(LD_LIBRARY_PATH=hidden, TERM="xterm")) if shutil.which("script") else None
        assert not watch or "inkling: where --watch: ncurses is not installed (apt install libncursesw6)" in watch.stdout, watch.stdout
    return subprocess.run([sys.executable, "-B", f"{HERE}/situations.py", *sys.argv[1:], *(f"Situations.{test}" for test in TESTS)],
                          check=False).returncode


def main():
    tools = [tool for tool in ("cc", "readelf") if not shutil.which(tool)]
    if tools:
        print(f"skipped: there is no {tools[0]}")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="where installed ") as folder:
        tree = install(folder)
        status = subprocess.run([f"{tree}/bin/inkling", "status"], stdout=subprocess.PIPE, text=True, check=True).stdout
        if "names no calls" in status:
            print("skipped: this build has no elfutils' headers (Debian: libdw-dev)")
            sys.exit(77)
        sys.path.insert(0, HERE)
        sys.exit(check(tree, folder))


if __name__ == "__main__":
    main()
