"""Atomic operations name their memory order: none of <stdatomic.h>'s functions without `_explicit`.

Loads, stores and additions without a function, which have no order either, are clang's to find: -Watomic-implicit-seq-cst of
`lint.py clang`.
"""
import re
import sys

import source

OPERATION = re.compile(r"\batomic_(?:flag_test_and_set|flag_clear|load|store|exchange|compare_exchange_(?:weak|strong)|"
                       r"fetch_(?:add|sub|or|xor|and)|thread_fence)\s*\((?!\s*memory_order_)")


def check():
    problems, paths = [], source.built("c", "h")
    for path in paths:
        text = source.code(path)
        for found in OPERATION.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            problems.append(f"{path}:{line}: {found[0]}...) names no memory order; write the _explicit form, and say what it pairs with")
    return problems, f"{len(paths)} files"


if __name__ == "__main__":
    complaints, _ = check()
    print(*complaints, sep="\n")
    sys.exit(bool(complaints))
