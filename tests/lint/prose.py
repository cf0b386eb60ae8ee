"""Prose: the pages that people read are in plain English, and short enough to be read."""
import re

import source

# What plain English says in other words.
ODD = {"tells of": "say what it reports", "told of": "say who reports what", "its kin": "name the others", "their kin": "name the others",
       "whoever": "name the subject"}
WORDS = 25000  # of all pages together, without tables


def pages():
    return [path for path in source.files("*.md") if path.parent.name in ("", "docs")]


def odd_phrases(path):
    text = re.sub(r"\s+", " ", source.text(path)).lower()
    return [f"{path}: '{phrase}': {instead}" for phrase, instead in ODD.items() if re.search(rf"\b{phrase}\b", text)]


def words(path):
    return sum(len(line.split()) for line in source.text(path).splitlines() if not line.startswith("|"))


def check():
    paths = pages()
    problems = [problem for path in paths for problem in odd_phrases(path)]
    total = sum(words(path) for path in paths)
    if total > WORDS:
        problems.append(f"the pages have {total} words without tables; {WORDS} are the limit")
    return problems, f"{len(paths)} pages, {total} words"
