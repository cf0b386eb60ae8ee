"""page.py PAGE.html OUTPUT.c: makes a C text of the page of mpiexec --advise (insight/advise/page.html)."""

import sys


def main(page, output):
    with open(page, encoding="utf-8") as text:
        lines = text.read().split("\n")
    quoted = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    with open(output, "w", encoding="utf-8") as out:
        out.write("/* Made by gen/page.py. */\nextern const char page_text[];\n\nconst char page_text[] =\n")
        out.write("\n".join(f'    "{line}\\n"' for line in quoted) + ";\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
