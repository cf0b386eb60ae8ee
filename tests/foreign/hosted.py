"""hosted.py MPIEXEC HOST MODULE ABI LIBRARY: programs whose library of MPI mpiexec cannot see: a module that a script's program loads."""
import os
import subprocess
import sys
import tempfile

MPIEXEC, HOST, MODULE, ABI, LIBRARY = sys.argv[1:]


def run(*words):
    return subprocess.run([MPIEXEC, *words], capture_output=True, text=True, timeout=100, check=False)


def expect(is_so, what, done):
    if not is_so:
        sys.exit(f"{what}: code {done.returncode}\n{done.stdout}{done.stderr}")


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{text}\n")
    os.chmod(path, 0o755)
    return path


def main(folder):
    start = script(folder, "start", f"exec '{HOST}' '{MODULE}'")
    done = run("-n", "3", start)
    expect(done.returncode == 0, "the names of each ABI are offered", done)
    done = run("--check", "-n", "3", start)
    expect(done.returncode != 0 and f"add --abi {ABI} to --check" in done.stderr, "the checks want to know the ABI", done)
    done = run("--abi", ABI, "--check", "-n", "3", start)
    expect(done.returncode == 0 and "nothing was found" in done.stderr, "with it they check", done)
    if " " in os.path.dirname(MPIEXEC):
        return  # a path with a space cannot be preloaded
    tool = os.path.join(folder, "tool.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", tool], input=b"int MPI_Init(void) { return 0; }", check=True)
    starts = script(folder, "tool", f"LD_PRELOAD='{tool}':$LD_PRELOAD exec '{HOST}' '{MODULE}'")
    done = run("--check", "-n", "2", starts)
    expect(done.returncode != 0 and f"add --abi {ABI} to --check" in done.stderr, "a tool before them hides nothing", done)
    theirs = os.path.join(folder, LIBRARY)
    subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", f"-Wl,-soname,{LIBRARY}", "-o", theirs], check=True)
    changes = script(folder, "changes", f"LD_LIBRARY_PATH='{folder}':$LD_LIBRARY_PATH\nexport LD_LIBRARY_PATH\nexec '{HOST}' '{MODULE}'")
    done = run("-n", "3", changes)
    expect(done.returncode != 0, "another library comes first", done)
    done = run("--abi", ABI, "-n", "3", changes)
    expect(done.returncode == 0, "what --abi names comes before it", done)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(made)
