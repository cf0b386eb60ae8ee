#!/usr/bin/env python3
"""across.py BIN MEET PROGRAMS TEST: jobs that meet across hosts, and processes that spawn others there. MEET is the
program of tests/connect, PROGRAMS the folder of those of tests/spawn; hosts are those of hosts.py."""
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import hosts

for folder in "connect", "launch":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
# pylint: disable=wrong-import-position
from jobs import LIMIT, Jobs  # noqa: E402
from launching import main  # noqa: E402

BIN, MEET, PROGRAMS = (os.path.abspath(word) for word in sys.argv[1:4])
HOSTS = 4
SHELL = None  # starts a command on a host


def on(host, *command):
    """As a user's shell there would start it."""
    return [SHELL, f"host{host}", *command]


def alone(host):
    """A process without a launcher."""
    return on(host)


def local(host, ranks):
    """A job on one host."""
    return on(host, f"{BIN}/mpiexec", "-n", str(ranks))


def spread(*numbers, per_host=1):
    """A job on several hosts."""
    names = ",".join(f"{hosts.address(number)}:{per_host}" for number in numbers)
    return ["mpiexec.hydra", "-localhost", hosts.SWITCH, "-hosts", names, "-usize", "6", "-n", str(per_host * len(numbers))]


def by_open_mpi(*numbers):
    """The same, through PMIx."""
    names = ",".join(f"{hosts.address(number)}:1" for number in numbers)
    return ["orterun", "--oversubscribe", "--host", names, "-n", str(len(numbers))]


class AcrossHosts(Jobs):
    def start(self, job, *arguments, **env):
        words = [str(word) for word in (*job, *arguments)]
        if words[0] == SHELL:  # which cuts the words once more
            words[2:] = map(shlex.quote, words[2:])
        return self.start_command(words, dict(os.environ, **env))


class Meeting(AcrossHosts):
    def start(self, job, *arguments, **env):
        return super().start(job, MEET, *arguments, **env)

    def start_cycle(self, job, *arguments):
        """Who looks at its memory may not get a huge page when its heap happens to grow (hosts.enter)."""
        return self.start(job, "cycle", self.file, *arguments, GLIBC_TUNABLES="")

    def pair(self, serving, calling, **env):
        self.start(serving, "serve", self.file, **env)
        self.start(calling, "call", self.file, **env)
        self.finish()

    def test_two_singletons(self):
        self.pair(alone(1), alone(2))

    def test_two_jobs(self):
        self.pair(local(1, 2), local(2, 3))

    def test_job_and_singleton(self):
        self.pair(spread(1, 2), alone(3))

    def test_singleton_and_job(self):
        self.pair(alone(1), spread(2, 3))

    def test_jobs_on_the_same_hosts(self):
        """Some of the two share memory, and some do not."""
        self.pair(spread(1, 2), spread(2, 1))

    def test_four_hosts(self):
        self.pair(spread(1, 2), spread(3, 4))

    def test_another_fabric(self):
        self.pair(local(1, 2), spread(2, 3), INKLING_OFI_PROVIDER="sockets")

    def test_large_messages_in_pieces(self):
        self.pair(local(1, 1), local(2, 2), INKLING_OFI_RMA="false")

    def test_with_threads_that_make_progress(self):
        self.pair(local(1, 2), local(2, 1), INKLING_PROGRESS_THREAD="true")

    def test_three_jobs(self):
        for host, which in enumerate(("first", "second", "third"), 1):
            self.start(local(host, 2), "three", self.file, which)
            self.wait_for_port()
        self.finish()

    def test_one_after_the_other(self):
        """Some come over the network and some do not."""
        self.start(local(1, 2), "serve", self.file, 4)
        for job in (local(1, 1), alone(2), local(1, 2), spread(2, 3)):
            self.finish(self.start(job, "call", self.file))
        self.finish()

    def test_parting_and_meeting_again(self):
        self.start_cycle(local(1, 2), 50, "serves")
        self.start_cycle(local(2, 2), 50, "calls")
        self.finish()

    def test_many_callers(self):
        calls = 10
        self.start_cycle(local(1, 1), calls, "serves")
        for _ in range(calls):
            self.finish(self.start_cycle(alone(2), 1, "calls"))
        self.finish()

    def test_callers_queue(self):
        self.start(local(1, 1), "serve", self.file, 3)
        for host in (2, 3, 4):
            self.start(local(host, 1), "call", self.file)
        self.finish()

    def die_at(self, serving, merges):
        server = self.start(serving, "outlive", self.file, merges, INKLING_PEER_TIMEOUT="2s")
        for _ in range(8):
            self.start(alone(2), "die", self.file, merges).wait(LIMIT)
        self.finish(server)

    def test_deaths(self):
        self.die_at(alone(1), 0)

    def test_deaths_in_a_merged_communicator(self):
        self.die_at(local(1, 1), 1)

    def test_finalize_while_connected(self):
        self.start(local(1, 2), "late", self.file, "serves")
        self.start(local(2, 2), "late", self.file, "calls")
        self.finish()

    def test_memory_only(self):
        """Who is told to stay in memory says so, and the other goes on to wait for callers."""
        server = self.start(alone(1), "serve", self.file)
        refused = self.start(alone(2), "call", self.file, INKLING_TRANSPORT="shm")
        out, _ = refused.communicate(timeout=LIMIT)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("INKLING_TRANSPORT must not be shm", out)
        self.finish(self.start(alone(3), "call", self.file), server)

    def test_join(self):
        """Each makes its end of a TCP connection and becomes the program, which finds it as descriptor 3."""
        become = ("import os, socket, sys; s = {}; s.setblocking(True); os.dup2(s.detach(), 3); "
                  "os.set_inheritable(3, True); os.execv(sys.argv[1], sys.argv[1:])")
        listen = become.format(f"socket.create_server(('{hosts.address(1)}', 4711)).accept()[0]")
        connect = become.format(f"socket.create_connection(('{hosts.address(1)}', 4711), 10)")
        self.start(on(1, sys.executable, "-c", listen), "join", "-", 3)
        self.wait_for_sockets("-ltnH", bool)
        self.start(on(2, sys.executable, "-c", connect), "join", "-", 3)
        self.finish()

    def test_cut_off(self):
        """A port on a host that does not answer, and one that is closed, are errors in time."""
        self.finish(self.start(alone(1), "refused", self.file, INKLING_CONNECT_TIMEOUT="300ms"))
        server = self.start(alone(2), "serve", self.file, INKLING_PEER_TIMEOUT="2s", INKLING_CONNECT_TIMEOUT="2s")
        self.wait_for_port()
        hosts.cut(2)
        self.addCleanup(hosts.mend, 2)
        self.call_in_vain("connect")
        hosts.mend(2)
        self.finish(self.start(alone(3), "call", self.file), server)
        time.sleep(2)  # until host 1 has given up its question for host 2's address, which was lost
        self.call_in_vain("nobody has opened")

    def call_in_vain(self, reason):
        begin = time.monotonic()
        caller = self.start(alone(1), "call", self.file, INKLING_CONNECT_TIMEOUT="2s")
        out, _ = caller.communicate(timeout=LIMIT)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("MPI_ERR_PORT", out)
        self.assertIn(reason, out)

    def test_cut_off_while_connected(self):
        """Who waits for the other is told, and can meet others."""
        server = self.start(alone(1), "abandoned", self.file, 1, INKLING_PEER_TIMEOUT="2s")
        lost = self.start(alone(2), "abandoned", self.file, 0)
        self.wait_for(self.file + ".met")
        hosts.cut(2)
        self.addCleanup(hosts.mend, 2)
        self.finish(server, self.start(alone(3), "call", self.file))
        self.end(lost)

    def test_garbage(self):
        """Strangers at the port keep nobody out, nor does one who is silent or knows no more than the port's number."""
        self.start(local(1, 1), "serve", self.file, INKLING_CONNECT_TIMEOUT="2s")
        _, _, _, number, secret, tcp, address = self.wait_for_port().split(":")
        visitors = []
        for say in [b"", b"x" * 1000, bytes(16), bytes.fromhex(number), bytes.fromhex(secret)[:-1] + b"x",
                    bytes.fromhex(secret), bytes.fromhex(secret) + b"inkling\0" + bytes(100),
                    bytes.fromhex(secret) + os.urandom(500), *[None] * 60]:
            visitor = socket.create_connection((address, int(tcp)), 10)
            if say is not None:
                visitor.sendall(say)
                visitor.close()
            visitors.append(visitor)
        self.finish(self.start(alone(2), "call", self.file))
        self.finish(self.jobs[0])
        for visitor in visitors:
            visitor.close()

    def stop_server(self):
        """Stops the program that serves, while callers gather; returns what lets it go on."""
        pid, = programs()
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(subprocess.run, ["kill", "-CONT", str(pid)], stderr=subprocess.DEVNULL, check=False)
        return lambda: os.kill(pid, signal.SIGCONT)

    def test_crowd(self):
        """Who comes before forty silent strangers, and after forty, is heard."""
        self.start(local(1, 1), "serve", self.file, 2)
        _, _, _, _, _, tcp, address = self.wait_for_port().split(":")
        go_on = self.stop_server()
        first = self.start(alone(2), "call", self.file)
        self.wait_for_caller(2)
        crowd = [socket.create_connection((address, int(tcp)), 10) for _ in range(40)]
        second = self.start(alone(3), "call", self.file)
        self.wait_for_caller(3)
        crowd += [socket.create_connection((address, int(tcp)), 10) for _ in range(40)]
        go_on()
        self.finish(first, second, self.jobs[0])
        for stranger in crowd:
            stranger.close()

    def serve_at_once(self, calls, strangers):
        """Callers of three hosts come while the server is stopped, behind strangers who say nothing and whom it has let in."""
        server = self.start_cycle(local(1, 1), calls, "serves")
        _, _, _, _, _, tcp, address = self.wait_for_port().split(":")
        crowd = [socket.create_connection((address, int(tcp)), 10) for _ in range(strangers)]
        self.wait_for_sockets("-ltnH", lambda listening: all(line[1] == "0" for line in listening))
        go_on = self.stop_server()
        callers = [self.start_cycle(alone(2 + number % 3), 1, "calls") for number in range(calls)]
        for host in 2, 3, 4:
            self.wait_for_caller(host, len(range(host - 2, calls, 3)))
        go_on()
        self.finish(server, *callers)
        for stranger in crowd:
            stranger.close()

    def test_forty_callers_at_once(self):
        self.serve_at_once(40, 0)

    def test_forty_callers_behind_strangers(self):
        """Who fill all places, until their silence is over."""
        self.serve_at_once(40, 128)

    def wait_for_caller(self, number, count=1):
        """Until so many connections of this host to host 1 are there, whether they were accepted or not."""
        self.wait_for_sockets("-tnH", lambda connected: count <= len(
            [line for line in connected if line[1] != "0" and line[4].split(":")[-2].strip("[]") == hosts.address(number)]))

    def wait_for_sockets(self, option, are_there):
        """Until the TCP sockets of host 1 are so."""
        for _ in range(int(100 * LIMIT)):
            said = subprocess.run(["ip", "netns", "exec", "host1", "ss", option], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
            if are_there([line.split() for line in said.splitlines()]):
                return
            time.sleep(0.01)
        self.fail(f"sockets of host 1:\n{said}")

    def test_bridge_of_this_host(self):
        """Every host may have docker0, with the same address: it is not the port's."""
        for host in 1, 2:
            hosts.ip("-n", f"host{host}", "link", "add", "docker0", "type", "bridge")
            hosts.ip("-n", f"host{host}", "address", "add", "172.17.0.1/16", "dev", "docker0")
            hosts.ip("-n", f"host{host}", "link", "set", "docker0", "up")
            self.addCleanup(hosts.ip, "-n", f"host{host}", "link", "del", "docker0")
        self.start(local(1, 1), "serve", self.file)
        self.assertEqual(self.wait_for_port().strip().split(":")[-1], hosts.address(1))
        self.finish(self.start(alone(2), "call", self.file), self.jobs[0])

    def test_impostor(self):
        """Who only listens at one of the port's addresses learns nothing, and keeps nobody from the others."""
        self.start(local(1, 1), "serve", self.file)
        name = self.wait_for_port()
        *_, tcp, address = name.strip().split(":")
        heard = []
        with socket.create_server((hosts.SWITCH, int(tcp))) as listener:
            thread = threading.Thread(target=answer_wrongly, args=(listener, heard), daemon=True)
            thread.start()
            with open(self.file, "w", encoding="ascii") as file:
                file.write(name.replace(address, f"{hosts.SWITCH},{address},{hosts.SWITCH}"))
            self.finish(self.start(alone(2), "call", self.file), self.jobs[0])
            thread.join(LIMIT)
        self.assertEqual([len(words) for words in heard], [24, 24])
        self.assertNotIn(bytes.fromhex(name.split(":")[4]), heard)

    def relay_port(self, changes=()):
        """Passes callers of the port on, from an address of the name's at which it is not."""
        name = self.wait_for_port()
        *_, tcp, address = name.strip().split(":")
        relay = Relay(address, int(tcp), changes)
        self.addCleanup(relay.close)
        with open(self.file, "w", encoding="ascii") as file:
            file.write(name.replace(address, hosts.SWITCH))
        return name, relay

    def test_relay(self):
        """Who passes everything on between both ends learns no keys of theirs."""
        server = self.start(local(1, 1), "serve", self.file)
        name, relay = self.relay_port()
        caller = self.start(local(2, 1), "call", self.file)
        self.assertTrue(relay.has_passed.wait(LIMIT))
        pids = programs()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        keys = [keys_of(pid) for pid in pids]
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        self.finish(caller, server)
        self.assertEqual(len(keys), 2)
        self.assertGreaterEqual(len(keys[0] & keys[1]), 2)  # each knows its own and the other's
        for words in relay.heard:
            self.assertGreater(len(words), 200)
            self.assertNotIn(bytes.fromhex(name.split(":")[4]), words)
            for key in keys[0] | keys[1]:
                self.assertNotIn(key, words)

    def test_relay_that_changes(self):
        """A changed word is an error in time, and the next caller is served."""
        server = self.start(local(1, 1), "serve", self.file)
        changes = [(side, PROOF[side] + place) for side in (0, 1) for place in (0, CARD, CARD + CARD_SIZE)] + [(0, PROOF[0] + VERDICT)]
        name, relay = self.relay_port(changes)
        for side, place in changes:
            caller = self.start(alone(2), "call", self.file)
            out, _ = caller.communicate(timeout=30)
            self.assertNotEqual(caller.returncode, 0, (side, place))
            self.assertIn("MPI_ERR_PORT", out)
            if side == 1:
                self.assertIn("changed on its way", out)
        self.assertEqual(relay.changes, [])
        with open(self.file, "w", encoding="ascii") as file:
            file.write(name)
        self.finish(self.start(alone(3), "call", self.file), server)


# Where words begin in what a side sends: behind its part of the proof, and each with its MAC.
PROOF = 8 + 16 + 32, 16 + 32
CARD_SIZE, MAC_SIZE = 440, 32
CARD = 32 + MAC_SIZE
VERDICT = CARD + CARD_SIZE + MAC_SIZE


class Relay:
    """Passes all that callers and the listener send on, and keeps it. Of the n-th caller's connection it changes the byte
    changes[n] of the caller (0) or the listener (1)."""

    def __init__(self, address, tcp, changes):
        self.there, self.changes = (address, tcp), list(changes)
        self.heard = [bytearray(), bytearray()]
        self.has_passed = threading.Event()
        self.listener = socket.create_server((hosts.SWITCH, tcp))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                ends = [self.listener.accept()[0]]
            except OSError:
                return
            ends.append(socket.create_connection(self.there, 10))
            change = self.changes.pop(0) if self.changes else None
            threads = [threading.Thread(target=self.pass_on, args=(ends, side, change), daemon=True) for side in (0, 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.has_passed.set()
            for end in ends:
                end.close()

    def pass_on(self, ends, side, change):
        passed = 0
        try:
            while words := bytearray(ends[side].recv(1000)):
                if change and change[0] == side and passed <= change[1] < passed + len(words):
                    words[change[1] - passed] ^= 1
                passed += len(words)
                self.heard[side] += words
                ends[1 - side].sendall(words)
            ends[1 - side].shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def programs():
    return [int(pid) for pid in filter(str.isdigit, os.listdir("/proc")) if program_of(pid) == os.path.realpath(MEET)]


def keys_of(pid):
    """The keys on all cards (src/net/card.h) in the memory of a process."""
    provider, keys = b"tcp;ofi_rxm".ljust(40, b"\0"), set()
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            begin, end = (int(word, 16) for word in line.split()[0].split("-"))
            if line.split()[1].startswith("rw") and end - begin < 1 << 26 and "[v" not in line:
                memory.seek(begin)
                held = memory.read(end - begin)
                at = -1
                while (at := held.find(provider, at + 1)) >= 0:
                    keys.add(held[at + 56:at + 72])
    return {key for key in keys if len(key) == 16 and any(key)}


def answer_wrongly(listener, heard):
    """Says what a listener would, without the secret, to two callers at once."""
    callers = [listener.accept()[0] for _ in range(2)]
    for caller in callers:
        caller.settimeout(LIMIT)
        words = caller.recv(1000)
        try:
            caller.sendall(os.urandom(48))
            words += caller.recv(1000)
        except OSError:
            pass
        heard.append(words)


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


class Spawning(AcrossHosts):
    def run_program(self, job, program, *arguments, **env):
        self.finish(self.start(job, os.path.join(PROGRAMS, f"spawn_{program}"), *arguments, **env))

    def test_far(self):
        """Where the key host says; through whatever has started the parents."""
        for parents in (alone(1), local(1, 2), spread(1, 2)):
            self.run_program(parents, "far", "host3,host2", "host3", "host2", "host3")
        self.run_program(local(1, 1), "far", hosts.address(4), "host4")

    def test_far_by_default(self):
        """Dealt as the parents are."""
        self.run_program(spread(1, 2), "far", "-", "host1", "host2", "host1")
        self.run_program(spread(1, 2, per_host=2), "far", "-", "host1", "host1", "host2")

    @unittest.skipUnless(shutil.which("orterun"), "no orterun here (Debian: openmpi-bin)")
    def test_parents_of_open_mpi(self):
        self.run_program(by_open_mpi(1, 2), "far", "-", "host1", "host2", "host1")

    def test_deeds(self):
        for deed in ("merge", "subsets", "nested", "multiple", "arguments", "stay", "threads"):
            self.run_program(spread(1, 2), "spawn", deed)

    def test_info(self):
        self.run_program(spread(1, 2), "info")

    def test_refuse(self):
        self.run_program(spread(1, 2), "refuse", INKLING_CONNECT_TIMEOUT="8s")

    def folder_without_launchers(self):
        folder = os.path.dirname(self.file)
        for tool in ("sh", "ip", "unshare", "hostname", "env"):
            os.symlink(shutil.which(tool), os.path.join(folder, tool))
        return folder

    def test_no_launcher(self):
        job = self.start(on(1, f"{BIN}/mpiexec", "-n", "1"), os.path.join(PROGRAMS, "spawn_far"), "host2", "host2",
                         PATH=self.folder_without_launchers())
        out, _ = job.communicate(timeout=LIMIT)
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("no launcher that reaches other hosts is here", out)


if __name__ == "__main__":
    hosts.enter("mpiexec.hydra")
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    SHELL = hosts.build(HOSTS)
    hosts.launcher(SHELL, HOSTS, 1, HOSTS)
    main(sys.argv[4:])
