"""page.py BIN PROGRAM: the page of mpiexec --advise, in a browser without a screen, light and dark."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BIN, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def browse(folder, *words):
    return subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,2400",
                           f"--user-data-dir={folder}/browser", *words, f"file://{folder}/advice.html"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50)


def main(folder):
    subprocess.run([BIN / "mpiexec", f"--advise={folder}", "-n", "3", PROGRAM, folder], check=True, capture_output=True, timeout=60)
    page = (folder / "advice.html").read_text()
    assert not re.search(r'(src|href)=|https?://(?!www\.w3\.org)|@import', page), "the page needs the network"
    dom = browse(folder, "--dump-dom").stdout
    assert 'data-drawn="yes"' in dom, "the page's script did not come to its end"
    assert len(re.findall("<rect", dom)) > 10, "bars"
    assert len(re.findall('class="advice"', dom)) >= 11, "advice"
    assert dom.count("mpi_assert_no_any_source=true@MPI_Comm_dup") == 1, "lines to paste"
    sizes = []
    for scheme in ("0", "1"): # dark, light
        picture = folder / f"{scheme}.png"
        browse(folder, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={picture}")
        sizes.append(picture.read_bytes())
    assert min(map(len, sizes)) > 30000 and sizes[0] != sizes[1], "pictures, light and dark"


if not BROWSER:
    print("skipped: no chromium")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
