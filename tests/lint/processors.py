"""What is written for each processor by itself compiles for one that nobody here has: riscv64, by Debian's cross compiler."""
import concurrent.futures
import re
import subprocess

import source

BUILD = source.ROOT / "build/gcc"
FOLDERS = ("src/*.c", "plain/*.c", "insight/*.c", "cmd/*.c", "foreign/*.c")
OF_PROCESSORS = re.compile(r"__x86_64__|__aarch64__|__riscv|<sys/user\.h>|<ucontext\.h>")
# What is not of a processor comes from this machine, behind the cross compiler's own.
COMMAND = ["riscv64-linux-gnu-gcc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", "-Isrc",
           f"-I{BUILD}/generated", f"-I{BUILD}/generated/include", "-idirafter", "/usr/include"]


def compiles(path):
    done = subprocess.run([*COMMAND, path], cwd=source.ROOT, text=True, capture_output=True, check=False)
    return None if done.returncode == 0 else f"{path}: does not compile for riscv64\n{done.stderr}"


def check():
    paths = [path for path in source.files(*FOLDERS) if OF_PROCESSORS.search(source.text(path))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = list(filter(None, pool.map(compiles, paths)))
    return problems, f"{len(paths)} files, for riscv64"
