"""coll_rows.py SRC/COLL OUTPUT NAME...: copies the rows of the table of algorithms out of each collective's file.

Each src/coll/NAME.c ends with its rows, behind a comment that begins with START. The copies, OUTPUT/coll_NAME.c, have no builders, so
`inkling coll` can print the table without the library. OUTPUT/coll_words.h has the words of the algorithms, for the hint rows.
OUTPUT/coll_lists.c has the lists by collective, for who goes through all of them.
"""
import pathlib
import re
import sys

START = "/* The rows of the table"


def rows(path):
    """The end of the file, without builders."""
    before, found, tail = path.read_text(encoding="utf-8").partition(START)
    if not found:
        sys.exit(f'{path}: no line begins with "{START}"; the rows of the collective stand behind it')
    return re.sub(r"\.(build|plan|inter) = \w+", r".\1 = NULL", found + tail)


def words(path, text):
    found = re.findall(r'\[\w+\] = {\s*"(\w+)"', text)
    if not found:
        sys.exit(f'{path}: no row is like [WORD] = {{"word", ...}}')
    return ",".join(found)


def main(folder, output, *names):
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    lines = ["/* Made by gen/coll_rows.py: the words of the algorithms of each collective. */"]
    for name in names:
        path = pathlib.Path(folder) / f"{name}.c"
        text = rows(path)
        lines.append(f'#define {name.upper()}_WORDS "{words(path, text)}"')
        copy = f'/* Made by gen/coll_rows.py from {path.name}. */\n#include "coll/choice.h"\n\n#include <limits.h>\n#include <stddef.h>\n#include <stdint.h>\n\n'
        (output / f"coll_{name}.c").write_text(copy + text, encoding="utf-8")
    entries = "".join(f"    [COLL_{name.upper()}] = &{name}_list,\n" for name in names)
    (output / "coll_lists.c").write_text(
        '/* Made by gen/coll_rows.py. */\n#include "coll/choice.h"\n\n'
        f"const struct choice_list *const choice_lists[COLL_COUNT] = {{\n{entries}}};\n", encoding="utf-8")
    (output / "coll_words.h").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
