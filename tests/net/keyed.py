#!/usr/bin/env python3
"""keyed.py BIN MEET SPAWN FOLDER LIBRARY: the auth_key of a provider that has one. FOLDER has strict.c as libfabric.so.1,
which pretends that the provider has a key of STRICT_KEY bytes, and tells what key each domain was opened with."""
import os
import re
import shutil
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "connect"), os.path.join(HERE, "..", "launch")]
# pylint: disable=wrong-import-position
from jobs import Jobs  # noqa: E402
from launching import MPIEXEC, environment, main  # noqa: E402

MEET, SPAWN, FOLDER, LIBRARY = sys.argv[2:6]
DEFAULT = "d4"  # each byte of the provider's own key


class Keyed(Jobs):
    def start(self, ranks, *command, size=16, launcher=(MPIEXEC,), **env):
        folders = [FOLDER, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        env = environment(LD_LIBRARY_PATH=":".join(folders), STRICT_LIBRARY=LIBRARY, STRICT_KEY=str(size),
                          STRICT_TELL="1", INKLING_TRANSPORT="ofi", **env)
        return self.start_command([*launcher, "-n", ranks, *command], env)

    def keys(self, ranks, *command, **settings):
        """The keys of the processes' domains, each once."""
        out, = self.finish(self.start(ranks, *command, **settings))
        told = re.findall(r"strict: key ([0-9a-f]+)", out)
        self.assertGreaterEqual(len(told), ranks, out)
        return set(told)

    def test_a_job_has_a_key_of_its_own(self):
        one, other = (self.keys(2, SPAWN, "merge") for _ in range(2))
        self.assertEqual([len(one), len(other)], [1, 1], "ranks, and the jobs that they spawn, share it")
        self.assertNotEqual(one, other)
        self.assertEqual([len(key) for key in one | other], [32, 32])

    @unittest.skipUnless(shutil.which("mpiexec.hydra"), "no mpiexec.hydra here (Debian: mpich)")
    def test_by_pmi(self):
        self.assertEqual(len(self.keys(2, SPAWN, "merge", launcher=["mpiexec.hydra"])), 1)

    @unittest.skipUnless(shutil.which("orterun"), "no orterun here (Debian: openmpi-bin)")
    def test_by_pmix(self):
        orterun = ["orterun", "--allow-run-as-root", "--oversubscribe"]
        self.assertEqual(len(self.keys(2, SPAWN, "merge", launcher=orterun)), 1)

    def test_a_longer_key_is_filled(self):
        key, = self.keys(1, SPAWN, "merge", size=40)
        self.assertEqual((len(key), key[64:]), (80, "0" * 16))
        self.assertNotIn("00000000", key[:64])

    def test_what_is_not_chosen_stays(self):
        self.assertEqual(self.keys(1, SPAWN, "merge", size=8), {DEFAULT * 8})
        self.assertEqual(self.keys(1, SPAWN, "merge", INKLING_OFI_AUTH_KEY="provider"), {DEFAULT * 16})

    def test_jobs_of_different_keys_do_not_meet(self):
        self.start(1, MEET, "serve", self.file)
        caller = self.start(1, MEET, "call", self.file)
        out, _ = caller.communicate(timeout=60)
        self.assertNotEqual(caller.returncode, 0)
        self.assertIn("INKLING_OFI_AUTH_KEY=provider", out)

    def test_jobs_of_the_providers_key_meet(self):
        self.start(1, MEET, "serve", self.file, INKLING_OFI_AUTH_KEY="provider")
        self.start(1, MEET, "call", self.file, INKLING_OFI_AUTH_KEY="provider")
        self.finish()


if __name__ == "__main__":
    main(sys.argv[6:])
