"""advise.py BIN PROGRAM: what mpiexec --advise advises of a program, and what it does not.

The program's calls make 12 hints true, of which some would gain nothing: these are told by --all only. Each fault makes some of them
false by one call of one rank, and just these are no longer advised.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

BIN, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
COMM, SPLIT, WIN, FILE = "MPI_Comm_dup", "MPI_Comm_split", "MPI_Win_allocate", "MPI_File_open"
TRUE = {
    f"mpi_assert_no_any_source=true@{COMM}", f"mpi_assert_no_any_tag=true@{COMM}", f"mpi_assert_exact_length=true@{COMM}",
    f"mpi_assert_allow_overtaking=true@{COMM}", f"mpi_assert_memory_alloc_kinds=mpi@{COMM}",
    f"mpi_assert_strict_persistent_collective_ordering=true@{SPLIT}", f"no_locks=true@{WIN}", f"same_size=true@{WIN}",
    f"same_disp_unit=true@{WIN}", f"accumulate_ops=same_op@{WIN}", f"accumulate_ordering=none@{WIN}",
    f"access_style=sequential@{FILE}"}
FAULTS = {
    "any_source": {"mpi_assert_no_any_source"},
    "any_tag": {"mpi_assert_no_any_tag", "mpi_assert_allow_overtaking"},
    "probe": {"mpi_assert_no_any_tag", "mpi_assert_allow_overtaking"},
    "short": {"mpi_assert_exact_length"},
    "repeated": {"mpi_assert_allow_overtaking"},
    "malloc": {"mpi_assert_memory_alloc_kinds"},
    "order": {"mpi_assert_strict_persistent_collective_ordering"},
    "lock": {"no_locks"},
    "size": {"same_size"},
    "unit": {"same_disp_unit"},
    "op": {"accumulate_ops", "accumulate_ordering"},
    "fetch": {"accumulate_ordering"},
    "replace": {"accumulate_ordering"},
    "elsewhere": {"access_style"},
}
IDLE = {hint for hint in TRUE if hint.split("=")[0] in {"mpi_assert_allow_overtaking", "no_locks", "accumulate_ops", "accumulate_ordering",
                                                        "access_style"}}
failed = []


def expect(truth, what):
    if not truth:
        failed.append(what)
        print("FAILED:", what)


def run(folder, *words, ranks=3, code=0):
    result = subprocess.run([BIN / "mpiexec", "--timeout", "30", f"--advise={folder}", "-n", str(ranks), PROGRAM, folder, *words],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    expect(result.returncode == code, f"{words}: code {result.returncode}, not {code}: {result.stderr}")
    return result.stderr


def hints(folder):
    return {line for line in (folder / "hints.txt").read_text().splitlines() if not line.startswith("#")}


def all_hints(folder):
    """Also those that gain nothing; what is told."""
    result = subprocess.run([BIN / "inkling", "advise", "--all", folder], capture_output=True, text=True, timeout=60)
    expect(result.returncode == 0, f"inkling advise --all: {result.stderr}")
    return hints(folder), result.stdout


def data_of(folder):
    return json.loads((folder / "advice.json").read_text())


def check_true(folder):
    text = run(folder)
    expect(hints(folder) == TRUE - IDLE, f"advised: {hints(folder) ^ (TRUE - IDLE)} differs")
    expect(f"{len(IDLE)} more hints would have been true and would gain nothing: inkling advise --all " in text, "how many gain nothing: " + text)
    expect("\nThe gains were measured on " in text and data_of(folder)["gains_measured_at"] in text, "machine and date: " + text)
    expect("no_locks=true" not in text and "gain: none" not in text, "hints that gain nothing: " + text)
    expect("none of 60 receives and 0 probes, on 3 ranks, names MPI_ANY_SOURCE" in text, "the evidence: " + text)
    data = json.loads((folder / "advice.json").read_text())
    expect(data["messages"] == [[0, 20, 0], [0, 0, 20], [20, 0, 0]], f"the matrix: {data['messages']}")
    expect(data["bytes"][0][1] == 20 << 17, f"the bytes: {data['bytes']}")
    expect(data["objects"][2]["sizes"][18] == 60, "the histogram of sizes")
    site = next(s for s in data["sites"] if s["call"] == "MPI_Waitall" and s["calls"] == 60)
    expect(site["place"].startswith("program.c:"), f"the place of a call: {site['place']}")
    for lane in data["lanes"]:
        expect(abs(sum(lane["ns"]) - data["ns"]) < 0.2 * data["ns"] + 5e7, f"times do not add up: {lane['ns']} of {data['ns']}")
    lines = next(a for a in data["advice"] if a.get("key") == "same_size")["lines"]
    expect("/* pass info to MPI_Win_allocate */" in lines["C"], "same_size counts at creation only")
    expect(all(a["lines"][language] for a in data["advice"] if a["kind"] == "hint" for language in ("C", "Fortran", "mpi4py")),
           "lines to paste")
    gains = {a["key"]: a["gain"] for a in data["advice"] if a["kind"] == "hint"}
    expect(all(gains.values()), f"what each is worth: {gains}")
    expect("for making and freeing a window" in gains["same_size"], f"the gain of same_size: {gains['same_size']}")
    for key, words in (("no_locks", "none in time: "), ("accumulate_ops", "none: it pays for MPI_REPLACE"),
                       ("accumulate_ordering", "none by Inkling: "), ("access_style", "none: it pays for reads")):
        expect(gains[key].startswith(words), f"the gain of {key}: {gains[key]}")
    again = subprocess.run([BIN / "inkling", "advise", folder], capture_output=True, text=True, timeout=60)
    expect(again.returncode == 0 and again.stdout == text, "inkling advise says the same again")
    everything, told = all_hints(folder)
    expect(everything == TRUE, f"advised by --all: {everything ^ TRUE} differs")
    first, _, behind = told.partition("These would have been true, and would gain nothing:")
    expect("same_size=true" in first and "no_locks=true" in behind and "gain: none" not in first, "hints that gain nothing come last: " + told)
    gaining = {a["key"] for a in data["advice"] if a["kind"] == "hint" and a["gains"]}
    expect(gaining == {hint.split("=")[0] for hint in TRUE - IDLE}, f"what gains: {gaining}")
    wrong = subprocess.run([BIN / "inkling", "status", "--all"], capture_output=True, text=True, timeout=60)
    expect(wrong.returncode == 1 and "inkling advise --all" in wrong.stderr, "--all of another verb")


def check_applied(folder):
    """What was advised, given from outside to the same program, is true: no check finds anything."""
    result = subprocess.run([BIN / "mpiexec", "--check", "--hints", folder / "hints.txt", "--hints-report", "-n", "3", PROGRAM, folder],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    expect(result.returncode == 0 and "inkling check: nothing was found" in result.stderr, "hints applied: " + result.stderr)
    expect('mpi_assert_exact_length = "true", active' in result.stderr, "the hints are in force: " + result.stderr)
    result = subprocess.run([BIN / "mpiexec", "--hints", folder / "hints.txt", "-n", "3", PROGRAM, folder, "any_source"],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    expect(result.returncode != 0 and "mpi_assert_no_any_source" in result.stderr, "a broken promise: " + result.stderr)


def check_faults(folder):
    for fault, lost in FAULTS.items():
        run(folder, fault)
        gaining = hints(folder)
        everything, _ = all_hints(folder)
        missing = {line.split("=")[0] for line in TRUE - everything}
        expect(missing == lost and not everything - TRUE, f"{fault}: {missing} not advised, not {lost}; {everything - TRUE}")
        if fault == "replace":
            expect(f"accumulate_ops=same_op@{WIN}" in gaining, "same_op gains for MPI_REPLACE")
            advice = json.loads((folder / "advice.json").read_text())["advice"]
            gain = next(a["gain"] for a in advice if a.get("key") == "accumulate_ops")
            expect("with MPI_REPLACE by both ranks" in gain, f"the gain of same_op: {gain}")


def check_threads(folder):
    run(folder, "threads")
    expect(f"mpi_assert_allow_overtaking=true@{COMM}" in hints(folder), f"threads gain from overtaking: {hints(folder)}")


def check_given(folder):
    run(folder, "given")
    advice = json.loads((folder / "advice.json").read_text())["advice"]
    unknown = [a for a in advice if a["kind"] == "unknown-key"]
    expect([a["key"] for a in unknown] == ["mpi_assert_no_any_sorce"] and "mpi_assert_no_any_source?" in unknown[0]["evidence"],
           f"unknown key: {unknown}")
    useless = {a["key"]: a["evidence"] for a in advice if a["kind"] == "no-effect"}
    expect(set(useless) == {"mpi_assert_allow_overtaking", "mpi_assert_strict_persistent_collective_ordering"}, f"without effect: {useless}")
    expect("no persistent collective was started" in useless["mpi_assert_strict_persistent_collective_ordering"], f"why: {useless}")
    given = [a["key"] for a in advice if a["kind"] == "hint" and a["given"]]
    expect(given == ["mpi_assert_exact_length"], f"given and true: {given}")
    expect(not any("exact_length" in line for line in hints(folder)), "a hint that is given is not in the file")


def check_places(folder):
    """Three communicators of MPI_Comm_dup, two of one line: the first is told by its line, the others get none in the file."""
    run(folder, "lines")
    places = {line.split("@")[1] for line in hints(folder) if line.startswith("mpi_assert_no")}
    expect(len(places) == 1 and places.pop().startswith("program.c:"), f"told apart: {hints(folder)}")
    expect("# mpi_assert_no_any_tag=true cannot be said of this object alone" in (folder / "hints.txt").read_text(), "the others")


def check_unexpected(folder):
    run(folder, "unexpected")
    data = json.loads((folder / "advice.json").read_text())
    # the last one may find its receive
    sent = data["messages"]
    expect((sent[0][0], sent[0][2]) == (0, 5), f"ranks of MPI_COMM_WORLD: {sent}")
    expect([lane["unexpected"] >= 49 for lane in data["lanes"]] == [False, True, False], f"queues: {data['lanes'][1]['unexpected']}")


def check_rooms(folder):
    """What moves counts, not what there is room for."""
    large = "buffers of at least 64 KiB"
    expect(large not in run(folder, "rooms", "8"), "small messages into large rooms")
    text = run(folder, "rooms", str(1 << 17))
    expect(f"20 {large} (2.62 MB) were not in memory of MPI_Alloc_mem" in text, "large messages into memory not of MPI: " + text)


def check_long(folder):
    """The timeline begins with room for a tenth of a second."""
    run(folder, "pause")
    data = json.loads((folder / "advice.json").read_text())
    expect(all_hints(folder)[0] == TRUE, f"after a pause: {hints(folder) ^ TRUE} differs")
    expect(data["ns"] >= 3e8, f"a pause of 0.3 s: {data['ns']} ns")
    expect(data["lanes"][1]["ns"][0] >= 3e8, f"of rank 1, outside of MPI: {data['lanes'][1]['ns']}")


def check_abort(folder):
    text = run(folder, "abort", code=4)
    expect("MPI_Finalize writes it" in text, "advice after half a run: " + text)


def check_refused():
    result = subprocess.run([BIN / "inkling", "advise", "/nonexistent"], capture_output=True, text=True, timeout=60)
    expect(result.returncode == 1 and "there is no /nonexistent/profile" in result.stderr, "inkling advise of nothing")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "profile").write_bytes(b"inkadv1\0" + bytes(100))
        result = subprocess.run([BIN / "inkling", "advise", folder], capture_output=True, text=True, timeout=60)
        expect(result.returncode == 1 and "is not a profile" in result.stderr, "a profile cut short")


with tempfile.TemporaryDirectory() as name:
    for check in (check_true, check_applied, check_faults, check_threads, check_given, check_places, check_unexpected, check_rooms,
                  check_long, check_abort):
        check(pathlib.Path(name))
check_refused()
sys.exit(bool(failed))
