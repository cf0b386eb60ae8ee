"""Jobs that meet. Run as: python3 meeting.py BIN MEET [TEST]..."""
import os
import re
import socket
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
# pylint: disable=wrong-import-position
from jobs import LIMIT, Jobs  # noqa: E402
from launching import MPIEXEC, STEPS as MEET, environment, main  # noqa: E402


class Meeting(Jobs):
    def start(self, ranks, *arguments, fds=(), **env):
        """A job of so many ranks; 0: a process without mpiexec."""
        launcher = [MPIEXEC, "-n", ranks] if ranks else []
        return self.start_command([*launcher, MEET, *arguments], environment(**env), fds)

    def pair(self, serving, calling, **env):
        self.start(serving, "serve", self.file, **env)
        self.start(calling, "call", self.file, **env)
        self.finish()

    def test_two_singletons(self):
        self.pair(0, 0)

    def test_singleton_and_job(self):
        self.pair(0, 2)

    def test_job_and_singleton(self):
        self.pair(2, 0)

    def test_two_jobs(self):
        self.pair(2, 3, NETWORK="no", WAY="shared")

    def test_without_cma(self):
        self.pair(2, 1, INKLING_CMA="false")

    def test_with_threads_that_make_progress(self):
        self.pair(2, 1, INKLING_PROGRESS_THREAD="true")

    def test_through_the_network(self):
        self.pair(2, 1, INKLING_TRANSPORT="ofi", NETWORK="yes", WAY="messages")

    def test_singletons_through_the_network(self):
        self.pair(0, 0, INKLING_TRANSPORT="ofi", NETWORK="yes")

    def test_one_through_the_network(self):
        """The jobs share a host, but one of them will not share memory."""
        self.start(2, "serve", self.file, INKLING_TRANSPORT="ofi", NETWORK="yes")
        self.start(2, "call", self.file, NETWORK="yes")
        self.finish()

    def test_one_without_a_network(self):
        """A caller that cannot open it is told so, and the next one is served."""
        server = self.start(2, "serve", self.file, INKLING_TRANSPORT="ofi", NETWORK="yes")
        caller = self.start(1, "call", self.file, INKLING_OFI_PROVIDER="none_of_this_name")
        said, _ = caller.communicate(timeout=LIMIT)
        self.assertNotEqual(caller.returncode, 0, said)
        self.assertIn("none_of_this_name", said)
        self.finish(server, self.start(2, "call", self.file, NETWORK="yes"))

    def test_different_settings(self):
        self.start(2, "serve", self.file, INKLING_RING_SIZE="4K", INKLING_STAGING_SIZE="64K")
        self.start(2, "call", self.file, INKLING_CMA="false", INKLING_EAGER_LIMIT="100")
        self.finish()

    def test_one_after_the_other(self):
        self.start(2, "serve", self.file, 3)
        for ranks in (1, 0, 2):
            self.finish(self.start(ranks, "call", self.file))
        self.finish()

    def test_twice(self):
        self.start(2, "serve", self.file, 2)
        self.start(1, "call", self.file, 2)
        self.finish()

    def test_callers_queue(self):
        self.start(1, "serve", self.file, 3)
        for _ in range(3):
            self.start(1, "call", self.file)
        self.finish()

    def test_three_jobs(self):
        for which in ("first", "second", "third"):
            self.start(2, "three", self.file, which)
            self.wait_for_port()
        self.finish()

    def test_a_thousand_times(self):
        self.start(1, "cycle", self.file, 1000, "serves")
        self.start(0, "cycle", self.file, 1000, "calls")
        self.finish()

    def test_many_callers(self):
        """What a caller leaves behind is given to the next."""
        calls = 30
        self.start(1, "cycle", self.file, calls, "serves")
        for _ in range(calls):
            self.finish(self.start(0, "cycle", self.file, 1, "calls"))
        self.finish()

    def test_join(self):
        ends = socket.socketpair()
        for end in ends:
            self.start(0, "join", "-", end.fileno(), fds=(end.fileno(),))
        for end in ends:
            end.close()
        self.finish()

    def test_join_over_tcp(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            one = socket.create_connection(server.getsockname())
            other, _ = server.accept()
        for end in (one, other):
            self.start(0, "join", "-", end.fileno(), fds=(end.fileno(),))
            end.close()
        self.finish()

    def test_refused(self):
        for ranks in (0, 2):
            self.start(ranks, "refused", self.file, INKLING_CONNECT_TIMEOUT="300ms")
        self.finish()

    def die_at(self, serving, merges, *leaves_child):
        server = self.start(serving, "outlive", self.file, merges)
        for _ in range(8):
            self.start(0, "die", self.file, merges, *leaves_child).wait(LIMIT)
        self.finish(server)

    def test_deaths(self):
        self.die_at(0, 0)

    def test_deaths_that_leave_children(self):
        """A child that was forked, and has all descriptors, does not hide that its parent has ended."""
        self.die_at(0, 0, "child")

    def test_deaths_in_a_merged_communicator(self):
        self.die_at(1, 1)

    def test_finalize_while_connected(self):
        self.start(2, "late", self.file, "serves")
        self.start(2, "late", self.file, "calls")
        self.finish()

    def test_garbage(self):
        """Strangers at the socket of a port, and at the door of a process, keep nobody out."""
        self.start(2, "serve", self.file, 2, INKLING_CONNECT_TIMEOUT="500ms")
        port = self.wait_for_port()
        number = port.split(":")[3]
        visitors = []
        for say in (b"", b"x" * 1000, b"inkling\0" + bytes(100), os.urandom(64), None):
            visitor = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            visitor.connect(f"\0inkling-{os.getuid()}-port-{number}")
            if say is not None:
                visitor.sendall(say)
                visitor.close()
            visitors.append(visitor)
        self.finish(self.start(1, "call", self.file))
        doors = self.doors()
        self.assertGreaterEqual(len(doors), 2, doors)  # of the two that serve
        for name in doors:
            for say in (b"x", b"inkling\0" + bytes(100), os.urandom(48), None):
                visitor = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                visitor.connect("\0" + name)
                visitors.append(visitor)
                if say is not None:
                    visitor.send(say)
                    self.assertTrue(self.is_turned_away(visitor), say)
        self.finish(self.start(1, "call", self.file))
        self.finish()
        for visitor in visitors:
            visitor.close()

    @staticmethod
    def is_turned_away(visitor):
        visitor.settimeout(10)
        try:
            return visitor.recv(100) == b""
        except ConnectionResetError:
            return True

    def test_another_version(self):
        """Who greets wrongly is told nothing but the greeting of who accepts."""
        self.start(2, "serve", self.file)
        number = self.wait_for_port().split(":")[3]
        for magic, version in (b"inkling\0", 1), (b"inkling\0", 6), (b"inkling\0", 8), (b"Inkling\0", 7):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visitor:
                visitor.settimeout(20)
                visitor.connect(f"\0inkling-{os.getuid()}-port-{number}")
                visitor.sendall(struct.pack("@8sIIQQ", magic, version, 0, 0, 4711))
                heard = b""
                while more := visitor.recv(1000):
                    heard += more
            self.assertEqual(heard[:12], struct.pack("@8sI", b"inkling\0", 7))
            self.assertEqual(len(heard), struct.calcsize("@8sIIQQ"))
        self.start(1, "call", self.file)
        self.finish()

    @staticmethod
    def doors():
        with open("/proc/net/unix", encoding="ascii", errors="replace") as file:
            return set(re.findall(rf"@(inkling-{os.getuid()}-attach-\S+)", file.read()))

    @staticmethod
    def be_a_stranger(name):
        """0: nobody talks to another user."""
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visitor:
            visitor.settimeout(20)
            visitor.connect(name)
            try:
                return len(visitor.recv(100))
            except OSError:
                return 0

    @unittest.skipUnless(os.getuid() == 0, "takes another user")
    def test_another_user(self):
        self.start(1, "serve", self.file, INKLING_CONNECT_TIMEOUT="500ms")
        number = self.wait_for_port().split(":")[3]
        child = os.fork()
        if child == 0:
            os._exit(self.be_a_stranger(f"\0inkling-0-port-{number}"))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.start(1, "call", self.file)
        self.finish()


if __name__ == "__main__":
    main()
