"""System calls that fail, as in containers and under old kernels: everything works all the same."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import MPIEXEC, SANITIZER, STEPS, Case, main, run  # noqa: E402

TESTS = os.path.dirname(STEPS)
REFUSE = os.path.join(TESTS, "fault_refuse")
WOKEN = os.path.join(TESTS, "fault_woken")
SINGLE_COPY = ["process_vm_readv=EPERM", "process_vm_writev=EPERM"]
# what a strict container refuses, all at once
CONTAINER = SINGLE_COPY + ["membarrier=EPERM", "memfd_create=EPERM", "sched_getaffinity=EPERM",
                           "sched_setaffinity=EPERM", "getrandom=ENOSYS", "close_range=ENOSYS", "clone3=ENOSYS"]


class Refused(Case):
    def refuse(self, calls, ranks, program, *arguments, **environment):
        result = run([REFUSE, *calls, "--", MPIEXEC, "-n", str(ranks), os.path.join(TESTS, program), *arguments],
                     **environment)
        if result.code == 77:
            self.skipTest(result.err.strip())
        self.assertEqual((result.code, result.err), (0, ""), (calls, ranks, program))
        return result

    def everything(self, *calls):
        for ranks, program in ((2, "mpi_coll_alltoall"), (8, "mpi_coll_reduce"), (8, "mpi_comm_split"),
                               (4, "mpi_comm_split_type")):
            self.refuse(calls, ranks, program)
        self.refuse(calls, 2, WOKEN)

    def test_single_copy(self):
        self.everything(*SINGLE_COPY)

    def test_messages_without_single_copy(self):
        for program in ("mpi_p2p_reference", "mpi_p2p_sizes", "mpi_p2p_order", "mpi_p2p_truncate", "mpi_p2p_request_free",
                        "mpi_persistent", "mpi_partitioned", "mpi_buffered", "mpi_type_messages"):
            if program == "mpi_persistent" and not os.path.exists(os.path.join(TESTS, program)):
                continue  # a build that counts objects leaves it out
            self.refuse(SINGLE_COPY, 2, program)
            self.refuse(SINGLE_COPY, 2, program, INKLING_STAGING_SIZE="64K")
        self.refuse(SINGLE_COPY, 8, "mpi_p2p_reference", INKLING_STAGING_SIZE="64K")

    def test_single_copy_while_asleep(self):
        self.refuse(SINGLE_COPY, 2, WOKEN, "5000000")

    def test_membarrier(self):
        self.everything("membarrier=EPERM")
        self.refuse(["membarrier=ENOSYS"], 2, WOKEN)
        self.refuse(["membarrier=ENOSYS"], 3, WOKEN)

    def test_membarrier_without_single_copy(self):
        self.refuse([*SINGLE_COPY, "membarrier=ENOSYS"], 2, WOKEN, "5000000")

    def test_memory_file(self):
        self.everything("memfd_create=ENOSYS")
        self.refuse(["memfd_create=EPERM"], 8, "mpi_coll_reduce", INKLING_RING_SIZE="64K")

    def test_no_memory_file_at_all(self):
        result = run([REFUSE, "memfd_create=EPERM", "--", MPIEXEC, "-n", "2000", "true"], INKLING_RING_SIZE="16M")
        self.assertEqual(result.code, 1)
        self.assert_one_line(result.err, "mpiexec: no shared memory: memfd_create: Operation not permitted",
                             "KiB free")

    def test_affinity(self):
        self.everything("sched_getaffinity=EPERM", "sched_setaffinity=EPERM")

    def test_random(self):
        self.refuse(["getrandom=ENOSYS"], 8, "mpi_coll_reduce")
        self.refuse(["getrandom=EPERM"], 2, "mpi_coll_alltoall")
        self.refuse(["getrandom=EPERM"], 2, "spawn_spawn", "merge")  # through a port

    def test_process_control(self):
        calls = ["prctl=EPERM", "close_range=ENOSYS", "setpgid=EPERM", "clone3=ENOSYS", "sched_yield=EPERM"]
        if not SANITIZER:  # which asks for limits itself
            calls.append("prlimit64=EPERM")
        for call in calls:
            self.refuse([call], 8, "mpi_coll_reduce")

    def test_each_call_of_a_spawn(self):
        """Each call of the parent once; the child may die of it."""
        program = os.path.join(TESTS, "mpi_calls_refused")
        if not os.path.exists(program):
            self.skipTest("a sanitizer has an allocator of its own")
        result = run([MPIEXEC, "--timeout", "60", "-n", "1", program, "spawn"])
        self.assertRegex(result.out, r"spawn: [1-9]\d calls refused\n", result.err)
        self.assertNotIn("CHECK", result.err)

    def test_no_sockets_to_spawn(self):
        """A process that was started alone needs one pair, to hear of its children."""
        result = run([REFUSE, "socketpair=EACCES", "--", os.path.join(TESTS, "spawn_fate"), "part"])
        if result.code == 77:
            self.skipTest(result.err.strip())
        self.assertNotEqual(result.code, 0)
        self.assertIn("no socket to spawn processes: Permission denied", result.err)

    def test_nothing_to_wait_with(self):
        for call in ("epoll_create1", "epoll_ctl", "epoll_wait", "signalfd4"):
            result = run([REFUSE, f"{call}=EPERM", "--", MPIEXEC, "--timeout", "20", "-n", "2", "sleep", "30"])
            if result.code == 77:
                self.skipTest(result.err.strip())
            self.assertEqual(result.code, 1)
            self.assert_one_line(result.err, "mpiexec cannot wait for its ranks", call.rstrip("4"), "not permitted")

    def test_strict_container(self):
        self.everything(*CONTAINER)


if __name__ == "__main__":
    main()
