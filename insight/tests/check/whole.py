"""whole.py BUILD [PATTERN...]: the programs of the tests, those whose test's name has a PATTERN in it, under mpiexec --check.

They do what the standard allows and handle the errors that they make, so none may be blamed but those below, and each ends as
it does without --check. Tolerances, and sends that need a buffer, are notes and blame nobody.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from every_program import checked, judged, of_tests, start  # noqa: E402

NOTES = {"tolerance", "buffering", "accumulate-order"}
CODE_FOUND = 66  # of a job in which something was found

# What a program does wrong on purpose, in the words of its test's name: the classes that it may be blamed for.
ON_PURPOSE = {
    "another_order_is_found": {"hint", "operation-mismatch"},  # breaks mpi_assert_strict_persistent_collective_ordering
    "r29_set_info_is_in_force_when_it_returns": {"hint", "buffer"},  # breaks hints; two receives into one buffer
    "r32_each_rank_has_its_own": {"hint"},  # one rank breaks what another asserts
    "r37_violations_are_errors": {"hint"},
    "r39_probes_use_wildcards_too": {"hint"},
    "r41_files_are_accessed_as_asked": {"file-conflict"},  # ranks write to one place
    "r47_intercommunicators_have_their_own": {"hint"},
    "r36_windows_give_the_same_results": {"buffer"},  # leaves the function whose variable an accumulate under way reads
    "replacements_take_no_lock": {"buffer"},  # changes what an accumulate under way reads
    "session_intercomm": {"hint"},  # breaks what the info of its creator asserts
    "arguments_coll": {"buffer"},  # gives one buffer twice
    "coll_errors": {"count-mismatch", "buffer"},  # ranks give different counts, and one buffer twice
    "error_handlers": {"request", "buffer"},  # frees requests of collectives under way; leaves receives that nobody sends to
    "errors_leave_nothing": {"request", "buffer"},  # likewise
    "file_limit": {"file-conflict"},  # ranks write beyond the limit at one place, which is refused
    "file_modes": {"file-conflict"},  # ranks write to one place
    "file_request_errors": {"file-conflict"},  # likewise, to what is refused
    "file_open_refused": {"argument"},  # ranks open with different arguments
    "file_refused": {"argument"},  # ranks set different sizes
    "file_view_refused": {"argument"},  # ranks set different views
    "handle_integers": {"buffer"},  # a thousand receives into one buffer
    "memory_gone": {"rma-conflict", "buffer"},  # does all to the same bytes, which are gone, and without a flush
    "no_memory_agents": {"rma-conflict", "buffer"},  # moves the same bytes often, without a flush
    "one_array": {"type-mismatch", "buffer"},  # exchanges what is refused on one rank; gives one buffer twice
    "p2p_request_free": {"request"},  # frees receives under way
    "p2p_truncate": {"buffer", "request"},  # leaves receives behind, in one buffer
    "persistent": {"buffer", "request", "leak"},  # starts and frees what it may not
    "rma_refused": {"rma-conflict", "buffer", "type-mismatch"},  # looks at what is refused, not at bytes or types; flushes nothing
    "session_leftovers": {"leak"},  # leaves objects to MPI_Session_finalize
    "win_flush_order": {"rma-conflict"},  # loads what another rank may put meanwhile
    "win_create": {"buffer"},  # looks whether a receive under way has taken what is a window's
}

# Programs that look at their own memory or threads, of which the checks have some, too, at how fast they are, or at what inkling_cma does.
ENDS_OTHERWISE = {"calls_refused", "comm_split_type", "errors_leave_nothing", "first_session", "memory_gone", "no_memory",
                  "no_memory_requests", "no_memory_windows", "replacements_take_no_lock", "request_many_memory"}

# Programs that have the library in themselves: no check comes between.
NOT_CHECKED = {"every_file_row", "every_row", "every_win_row", "thread_level"}


def judge(build, program):
    """What is wrong; "": nothing."""
    with tempfile.TemporaryDirectory() as folder:
        found, code, output = checked(build, program, pathlib.Path(folder))
    name = program.name.split("/")[1]
    blamed = set(found) - NOTES - ON_PURPOSE.get(name, set())
    if not blamed and (code == 0 or (code == CODE_FOUND and set(found) - NOTES) or name in ENDS_OTHERWISE):
        return ""
    code_without, _ = start(build, program)
    if not blamed and code == code_without:
        return ""
    return f"found {dict(found)}, exit code {code}, without --check {code_without}\n{output[-1500:]}"


def main(build, *patterns):
    build = pathlib.Path(build).resolve()
    programs = [p for p in of_tests(build) if p.name.split("/")[1] not in NOT_CHECKED
                and (not patterns or any(w in p.name for w in patterns))]
    wrong = 0
    for program, verdict in judged(programs, lambda p: judge(build, p)):
        wrong += bool(verdict)
        if verdict:
            print(f"{program.name}: {verdict}", flush=True)
    print(f"{len(programs)} runs under --check: {wrong} blamed or broken")
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
