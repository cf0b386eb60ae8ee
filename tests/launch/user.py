"""The commands of docs/USER.md run, as they stand there and in their order, by somebody who has Inkling in the path."""
import os
import re
import tempfile

from launching import BIN, Case, main, run

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/USER.md")


class User(Case):
    def test_commands(self):
        with open(PAGE, encoding="utf-8") as page:
            commands = [line.strip() for line in page if re.match(r"    \S", line)]
        self.assertGreater(len(commands), 10)
        path = f"{BIN}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory(prefix="my code ") as folder:
            for command in commands:
                if not self.has_insight(command):
                    continue
                result = run(["sh", "-c", command], cwd=folder, PATH=path)
                self.assertEqual(result.code, 0, f"{command}: {result.out}{result.err}")
                if re.match("mpiexec .*[.]/program", command):
                    self.assertIn("pi is about 3.141593, by 4 ranks", result.out, command)

    def has_insight(self, command):
        """--check and --advise are not in the preset library."""
        return os.path.exists(os.path.join(BIN, "../lib/libinkling_insight.so")) or not re.search("--(check|advise)", command)


if __name__ == "__main__":
    main()
