"""Comments and pages speak of what there is: a function, a file or a folder that they name exists.

A name is a word of lower-case parts with an underscore between them, in a comment of C or between backticks in a page. It exists
where any code of the project has it, as it is or as the end of a longer one (`set_errhandler`). What is said of a file, as
`send.c, detach` or "field; /* send.c: ... */", must be in that file.
"""
import collections
import re
import sys

import layers
import source

PART = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(/\*.*?\*/|//[^\n]*)', re.S)
WORD = re.compile(r"(?<![\w/.-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b(?![.]\w)(?!_)")
FILE = re.compile(r"(?<![\w<./-])(?:[\w-]+/)*[\w-]+\.[ch]\b(?!:\d)")
PATH = re.compile(r"(?<![\w./-])(?:src|tests|gen|fortran|insight|plain|cmd)/[\w./-]*\w")
FIELD = re.compile(r"(\w+)(?:\[[^]]*\])?;\s*/\*\s*((?:\w+/)*\w+\.c)[:;]")
SAID = re.compile(r"\((?:see )?((?:\w+/)*\w+\.[ch])[,:] ([a-z_]+)(?: and ([a-z_]+))?\)")
ROW = re.compile(r"^- `((?:src|insight|plain|cmd)/[^`]*)`, `(\w+)`:", re.M)


class Project:
    def __init__(self):
        self.paths = [path for path in source.files() if path.suffix not in (".png", ".pdf", ".gz")]
        self.texts = {path: self.text(path) for path in self.paths}
        self.code, self.comments = {}, []
        for path, text in self.texts.items():
            self.code[path] = PART.sub(lambda part, at=path: self.keep(at, part), text) if path.suffix in (".c", ".h") else text
        written = "\n".join(code for path, code in self.code.items() if path.suffix != ".md")
        self.words = set(re.findall(r"[a-z]\w*", written.lower()))
        self.words |= {word[i + 1:] for word in self.words for i, letter in enumerate(word) if letter == "_"}
        self.words |= {path.stem for path in self.paths}
        self.files_written = set(re.findall(r"[\w./-]+\.[ch]\b", written)) | {"ISO_Fortran_binding.h"}  # of the compiler
        self.by_name = collections.defaultdict(list)
        for path in self.paths:
            self.by_name[path.name].append(path)
        self.lends, _ = layers.all_laws()

    @staticmethod
    def text(path):
        try:
            return source.text(path)
        except UnicodeDecodeError:
            return ""

    def keep(self, path, part):
        if not part[1]:
            return part[0]
        self.comments.append((path, self.texts[path].count("\n", 0, part.start()) + 1, part[1]))
        return " "

    def row(self, path):
        return layers.row_of("/".join(path.parts[1:]), self.lends) if path.parts[0] == "src" else None

    def find(self, name, user):
        """The files that a comment in `user` may mean by this name: one without its folder is of a folder that user knows."""
        found = [path for path in self.by_name[name.rsplit("/", 1)[-1]] if f"/{path.as_posix()}".endswith("/" + name)]
        row = self.row(user)
        if "/" in name or row is None:
            return found
        return [path for path in found if path.parts[0] != "src" or self.row(path) in self.lends[row]]


def at(path, line, text, start):
    return f"{path}:{line + text.count(chr(10), 0, start)}"


def in_text(project, path, line, text):
    for found in WORD.finditer(text):
        if found[0] not in project.words:
            yield f"{at(path, line, text, found.start())}: {found[0]} is not there"
    for found in FILE.finditer(text):
        if not project.find(found[0], path) and found[0] not in project.files_written:
            yield f"{at(path, line, text, found.start())}: there is no file {found[0]}"
    for found in PATH.finditer(text):
        name = found[0]
        names = (name, "src/" + name)  # insight/board.h, as #include has it
        if not any(f"{other}/".startswith(one + "/") or other.with_suffix("").as_posix() == one for other in project.paths for one in names):
            yield f"{at(path, line, text, found.start())}: there is no {name}"
    for found in SAID.finditer(text):
        files = project.find(found[1], path)
        for word in filter(None, found.group(2, 3)):
            if files and not any(re.search(rf"\b{word}\b", project.code[file]) for file in files):
                yield f"{at(path, line, text, found.start())}: {found[1]} has no {word}"


def of_fields(project, path):
    text = project.texts[path]
    for found in FIELD.finditer(text):
        files = project.find(found[2], path)
        if files and not any(re.search(rf"\b{found[1]}\b", project.code[file]) for file in files):
            yield f"{at(path, 1, text, found.start())}: {found[2]} does not use {found[1]}"


def in_page(project, path):
    text = project.texts[path].replace("../", "")
    for quoted in re.finditer(r"`([^`\n]+)`", text):
        for found in WORD.finditer(quoted[1]):
            if found[0] not in project.words:
                yield f"{at(path, 1, text, quoted.start())}: {found[0]} is not there"
    for found in FILE.finditer(text):
        if "/" in found[0] and not found[0].startswith("build/") and not project.find(found[0], path) and found[0] not in project.files_written:
            yield f"{at(path, 1, text, found.start())}: there is no file {found[0]}"
    for found in ROW.finditer(text):
        files = project.find(found[1], path)
        if not any(re.search(rf"\b{found[2]}\b", project.code[file]) for file in files):
            yield f"{at(path, 1, text, found.start())}: {found[1]} has no {found[2]}"


def check():
    project, problems = Project(), []
    for path, line, text in project.comments:
        problems += in_text(project, path, line, text)
    for path in project.paths:
        if path.suffix == ".h":
            problems += of_fields(project, path)
        if path.suffix == ".md":
            problems += in_page(project, path)
    return problems, f"{len(project.comments)} comments, {len(project.words)} names"


if __name__ == "__main__":
    complaints, _ = check()
    print(*complaints, sep="\n")
    sys.exit(bool(complaints))
