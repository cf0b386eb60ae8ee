"""docs/WHERE.md: its examples are what the commands print, but for numbers."""
import os
import re

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "WHERE.md"), encoding="utf-8") as page:
    PAGE = page.read()


def form(line):
    """Without what differs from run to run: numbers of lines, times, whether a rank polls still."""
    line = re.sub(r":\d+\b", ":LINE", line)
    return re.sub(r"since [\d.]+ s; (sleep|poll)(s?)$", r"since TIME; sleep\2", line)


def examples():
    """The forms of the first table."""
    table = PAGE[PAGE.index("| of `inkling where"):].split("\n\n")[0]
    return [form(text) for row in table.splitlines()[2:] for text in re.findall("`([^`]*)`", row)]


def on_hosts():
    """The forms of the lines of the job on several hosts."""
    block = PAGE[PAGE.index("Of `mpiexec --hosts"):].split("\n\n")[1]
    return [form(line.strip()) for line in block.splitlines()]
