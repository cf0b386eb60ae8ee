"""Circles: at most four files use each other in one, and no folders of src include each other in one.

A file and its header are one. It uses another where it names a function or an extern variable that the other defines, as `nm`
would show: no two functions of src have one name (names.py), so the sources tell, and nothing need be built.
"""
import collections
import pathlib
import re
import sys

import layers
import names
import source

MOST = 4
DECLARATION = re.compile(r"^[A-Za-z][^;{}=]*;", re.M)


def law(paths):
    """Whether a pair may include another at all: what only looks like a name of that one is none."""
    lends, _ = layers.all_laws()
    row = {names.pair(path): layers.row_of(path.as_posix().removeprefix("src/"), lends) for path in paths}
    return lambda user, other: row[user] == row[other] or row[other] in lends.get(row[user], ())


def users(paths):
    """pair -> {pair: a function or a variable of that one, which this one names}."""
    owner, own_words = {}, collections.defaultdict(set)
    declared = {(path.parent, name) for path in paths if path.suffix == ".h" for line in re.findall(r"\bextern\b[^;(]*;", source.code(path))
                for name in re.findall(r"(\w+)\s*(?=\[[^]]*\]|,|;)", line)}
    for tag in names.definitions(paths, "fslmzv"):
        path = pathlib.Path(tag["path"])
        is_shared = "file" not in tag or tag["path"].endswith(".h")
        if is_shared and (tag["kind"] == "function" or tag["kind"] == "variable" and any((folder, tag["name"]) in declared for folder in path.parents)):
            owner[tag["name"]] = names.pair(tag["path"])
        else:
            own_words[tag["path"]].add(tag["name"])
    graph = collections.defaultdict(dict)
    may_use = law(paths)
    for path in paths:
        user = names.pair(path)
        for word, call in re.findall(r"(?<![.>\w])([a-z]\w+)(\s*\()?", DECLARATION.sub("", source.code(path))):
            is_other = owner.get(word, user) != user and may_use(user, owner[word])
            if is_other and (call or word not in own_words[str(path)]):
                graph[user].setdefault(owner[word], word)
    return graph


def circles(graph):
    """The strongly connected components of more than one node, by Tarjan's algorithm without recursion."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, others = work[-1]
            other = next(others, None)
            if other is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    circle, stack[at:] = stack[at:], []
                    on_stack.difference_update(circle)
                    if len(circle) > 1:
                        found.append(sorted(circle))
            elif other not in index:
                index[other] = low[other] = len(index)
                stack.append(other)
                on_stack.add(other)
                work.append((other, iter(sorted(graph.get(other, ())))))
            elif other in on_stack:
                low[node] = min(low[node], index[other])
    return sorted(found)


def folder(pair):
    """The folder that a pair is in; rooms belong to it."""
    parts = pair.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def among_folders(paths):
    """folder -> {folder whose header it includes: by whom}."""
    graph = collections.defaultdict(dict)
    for path in paths:
        for number, included in layers.includes(path):
            top = "" if included.split("/")[0] in source.TOPS else "src/"
            user, other = folder(str(path)), folder(top + included)
            if "/" in included and user != other:
                graph[user].setdefault(other, f"{path}:{number}")
    return graph


def check():
    paths = [p for p in source.built("c", "h") if len(p.parts) > (2 if p.parts[0] == "src" else 1)]
    problems, found = [], circles(users(paths))
    for circle in found:
        if len(circle) > MOST:
            problems.append(f"{len(circle)} files use each other in a circle, at most {MOST} may: {' '.join(circle)}")
    includes = among_folders(paths)
    for circle in circles(includes):
        whom = [f"{includes[one][other]} has {one} include {other}"
                for one in circle for other in circle if other in includes[one]]
        problems.append(f"the folders {' '.join(circle)} include each other: {'; '.join(whom)}")
    return problems, f"{len(paths)} files, {len(found)} circles"


if __name__ == "__main__":
    complaints, _ = check()
    print(*complaints, sep="\n")
    sys.exit(bool(complaints))
