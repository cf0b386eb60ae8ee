#!/usr/bin/env python3
"""gains.py SOURCE GENERATED BIN: what bench/results/gains.json has measured, HINTS.md, DESIGN.md and `inkling hints` say alike.

The commands read the file beside them. Without it they say that nothing was measured, and a malformed one is an error in one line.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, GENERATED, BIN = (pathlib.Path(word) for word in sys.argv[1:])
LEAST = 1.05  # as in src/hint/gains.c
failed = []


def expect(truth, what):
    if not truth:
        failed.append(what)
        print("FAILED:", what)


def hints(command, *words):
    return subprocess.run([command, "hints", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=True)


def check_page(data, gains):
    page = (GENERATED / "HINTS.md").read_text()
    expect(f"measured on {data['machine']}, on {data['date']}" in page, "HINTS.md has the machine and the date")
    sections = dict(reversed(re.findall(r"^### `(.+?)`\n(.*?)(?=^###? |\Z)", page, re.M | re.S)))  # other keys come last
    for key, section in sections.items():
        said = re.findall(r"^- \*\*Gain\*\*: (.*)\.$", section, re.M)
        if key in gains:
            gain = gains[key]
            wanted = ("no measured effect: " if gain["ratio"] < LEAST else "") + gain["text"]
            expect(said == [wanted], f"HINTS.md says of {key}: {said}, not {wanted}")
        else:
            expect(said in ([], ["not measured here"]), f"HINTS.md says of {key}, which is not measured: {said}")
    expect(set(gains) <= set(sections), f"measured and no hint: {set(gains) - set(sections)}")


def check_design(useless):
    design = (SOURCE / "docs/DESIGN.md").read_text()
    named = set(re.findall(r"`(\w+)`", re.search(r"measured no effect.*?\. *\n", design, re.S).group()))
    expect(named == useless, f"DESIGN.md names {sorted(named)} as without measured effect, and it is {sorted(useless)}")


def check_list(useless):
    rows = json.loads(hints(BIN / "inkling", "--json").stdout)
    idle = {row["key"] for row in rows if row.get("state") == "idle"}
    listed = {line.split()[0] for line in hints(BIN / "inkling").stdout.splitlines() if line.endswith("no measured effect")}
    expect(listed == useless - idle, f"inkling hints lists {sorted(listed)} without measured effect")


def check_files(data, key, text):
    """The file lies beside the commands, wherever these are."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "bin").mkdir()
        (root / "share/inkling").mkdir(parents=True)
        command, file = root / "bin/inkling", root / "share/inkling/gains.json"
        shutil.copy(BIN / "inkling", command)
        said = hints(command, key)
        expect("  gain     not measured here\n" in said.stdout and not said.stderr, f"without the file: {said.stdout}{said.stderr}")
        file.write_text(json.dumps({**data, "machine": "another one", "date": "2027-01-01"}))
        said = hints(command, key).stdout
        expect(f"  gain     {text} (another one, 2027-01-01)\n" in said, f"another file: {said}")
        file.write_text("{")
        said = hints(command, key)
        expect("  gain     not measured here\n" in said.stdout, f"beside a malformed file: {said.stdout}")
        expect(str(file) in said.stderr and said.stderr.count("\n") == 1, f"a malformed file: {said.stderr}")


def main():
    data = json.loads((SOURCE / "bench/results/gains.json").read_text())
    gains = {row["key"]: row for row in data["gains"]}
    useless = {key for key, row in gains.items() if row["ratio"] < LEAST}
    best = max(gains.values(), key=lambda row: row["ratio"])
    check_page(data, gains)
    check_design(useless)
    check_list(useless)
    check_files(data, best["key"], best["text"])
    sys.exit(bool(failed))


main()
