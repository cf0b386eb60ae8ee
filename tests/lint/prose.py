"""Prose: the pages that people read are in plain English, short enough to be read, and name files, functions and tests that exist."""
import os
import re

import source

# What plain English says in other words.
ODD = {"tells of": "say what it reports", "told of": "say who reports what", "its kin": "name the others", "their kin": "name the others",
       "whoever": "name the subject"}
WORDS = 27000  # of all pages together, without tables


def pages():
    return [path for path in source.files("*.md") if path.parent.name in ("", "docs")]


def odd_phrases(path):
    text = re.sub(r"\s+", " ", source.text(path)).lower()
    return [f"{path}: '{phrase}': {instead}" for phrase, instead in ODD.items() if re.search(rf"\b{phrase}\b", text)]


def missing_files(path, names):
    """What the page links to, or names with its folder, and is nowhere in the project. Pages may leave out src/ and the folders above."""
    text = source.text(path)
    links = {(path.parent / link).as_posix() for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)}
    links = {os.path.normpath(link) for link in links if not link.startswith("http")}
    named = set(re.findall(r"(?<![\w/.<*=-])(?:\w[\w-]*/)+[\w-]+\.(?:c|h|py|md|cmake)\b", text))
    named = {name for name in named if not name.startswith(("build/", "share/"))}
    wrong = {link for link in links if not (source.ROOT / link).exists()}
    wrong |= {name for name in named if f"/{name}" not in names and not any(known.endswith(f"/{name}") for known in names)}
    return [f"{path}: names {name}, which is not there" for name in sorted(wrong)]


def places(name, names):
    """The files of that name, each with its pair: a .c and its .h."""
    found = {known[1:] for known in names if known.endswith(f"/{name}")}
    return found | {pair for known in found for pair in (known[:-1] + "c", known[:-1] + "h") if f"/{pair}" in names}


def moved(path, names):
    """What the page places in a file that does not have it: functions, `NAME` (FILE.c), and unit tests."""
    text = re.sub(r"\s+", " ", source.text(path))
    for name, file in sorted(set(re.findall(r"`(\w+)` \(([\w/]+\.[ch])\b", text))):
        if not any(re.search(rf"\b{name}\b", source.text(source.ROOT / place)) for place in places(file, names)):
            yield f"{path}: {file} has no {name}"
    for test in sorted(set(re.findall(r"`unit/([\w/]+)`", text))):
        if f"/tests/unit/{test}_test.c" not in names:
            yield f"{path}: there is no unit/{test}"


def words(path):
    return sum(len(line.split()) for line in source.text(path).splitlines() if not line.startswith("|"))


def check():
    paths = pages()
    names = {f"/{name}" for name in source.files()}
    problems = [problem for path in paths for problem in [*odd_phrases(path), *missing_files(path, names), *moved(path, names)]]
    total = sum(words(path) for path in paths if path.as_posix() != "docs/REAL.md")  # tables, which a program writes
    if total > WORDS:
        problems.append(f"the pages have {total} words without tables; {WORDS} are the limit")
    return problems, f"{len(paths)} pages, {total} words"
