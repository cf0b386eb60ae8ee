"""inkling where of requests that are posted through a binding, by a program with the situations `posted` and `started`.
Run as: python3 bindings.py BIN PROGRAM SOURCE [OPTION...]; OPTION: of mpiexec."""
import sys

import situations
from launching import main

SOURCE, OPTIONS = sys.argv[3], sys.argv[4:]


class Bindings(situations.Asking):
    def test_posted(self):
        self.assert_posted(SOURCE, *OPTIONS)

    def test_persistent(self):
        self.assert_started(SOURCE, *OPTIONS)


if __name__ == "__main__":
    main([])
