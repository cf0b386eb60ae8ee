"""What the lint checks share: where the project is, and its files."""
import pathlib
import re
import subprocess

COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)  # of C
TOPS = "src", "plain", "insight", "cmd"  # the folders of what is built for users, but for insight/tests
ROOT = pathlib.Path(__file__).resolve().parents[2]


def files(*patterns):
    """Files of the project, tracked or new, that match one of the git patterns; relative to ROOT, sorted."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({pathlib.Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()})


def built(*endings):
    """The files of TOPS with one of these endings."""
    return [path for path in files(*(f"{top}/*.{ending}" for top in TOPS for ending in endings)) if path.parts[:2] != ("insight", "tests")]


def unit_tests():
    """path -> the same as if it were beside what it tests: base/list_test.c, insight/call/tracked_test.c."""
    return {path: re.sub("^tests/unit/|(?<=^insight/)tests/unit/", "", path.as_posix()) for path in files("tests/unit/*.c", "insight/tests/unit/*.c")}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def code(path):
    """What a C file says without comments and text, line by line."""
    return COMMENT_OR_TEXT.sub(lambda part: "\n" * part[0].count("\n") or " ", text(path))
