"""HDF5: the tests of its parallel library (testpar): files of many ranks, shapes, filters, caches; and h5dump of what they leave."""
from program import Case

PACKAGE = "hdf5"
TOOLS = ["perl"]
HEADERS = ["zlib.h"]
# Name, ranks, seconds. t_cache takes its ranks from the launcher and wants at least 2.
TESTS = (("t_mpi", 4, 120), ("testphdf5", 4, 400), ("t_cache", 4, 400), ("t_cache_image", 4, 1200), ("t_span_tree", 4, 120),
         ("t_pread", 6, 120), ("t_init_term", 4, 60), ("t_shapesame", 4, 600), ("t_filters_parallel", 4, 300), ("t_ph5basic", 4, 60),
         ("t_bigio", 3, 600), ("t_pshutdown", 4, 60), ("t_prestart", 4, 60))  # the last one reads what t_pshutdown left open


def build(site):
    site.run(site.source / "configure", "--enable-parallel", "--disable-shared", "--disable-hl", "--enable-build-mode=production",
             "--with-default-api-version=v110", f"CC={site.mpicc}", f"RUNPARALLEL={site.mpiexec} -n $${{NPROCS:=4}}")
    site.make()
    # `make check` there would run them, too.
    (site.folder / "testpar" / "Programs").write_text("include Makefile\nprograms: $(check_PROGRAMS)\n", encoding="utf-8")
    site.make("-f", "Programs", "programs", folder=site.folder / "testpar")


def cases(site):
    tests = site.folder / "testpar"
    dump = site.folder / "tools" / "src" / "h5dump" / "h5dump"
    for name, ranks, limit in TESTS:
        if (tests / name).is_file():
            yield Case(f"{name}-{ranks}", ["env", "HDF5_NOCLEANUP=1", "HDF5TestExpress=3", site.mpiexec, "-n", ranks, f"./{name}"],
                       tests, limit)
    # What was flushed is there after ranks that end without MPI_Finalize, which fails the first job (testpflush.sh).
    yield Case("t_pflush-4", ["sh", "-c", f"{site.mpiexec} -n 4 ./t_pflush1; {site.mpiexec} -n 4 ./t_pflush2"], tests, 120)
    # What four ranks have written can be read by others.
    command = f"{site.mpiexec} -n 4 ./t_pshutdown && {dump} shutdown.h5 >dumped && grep -q 'DATASET \"Dataset\"' dumped"
    yield Case("h5dump", ["sh", "-c", command], tests, 120)
