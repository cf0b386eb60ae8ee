/* ranks: 1 2  timeout: 60 */
/* What the hints of files change: how often the system is called, what the kernel is told, and a new file's
 * permissions. */
#include "hints.h"
#include "mpi/files/calls.h"
#include "mpi/files/files.h"

enum {
    RUNS = 64,
    RUN = 2, /* ints; as many are not seen */
    NARROW_GAPS = RUN
};

static int advice, cores_asked;

long __sysconf(int name); /* the C library's own */

/* Before the system's, for the library too. */
#pragma GCC visibility push(default)

int posix_fadvise(int fd, off_t at, off_t bytes, int what)
{
    (void)fd, (void)at, (void)bytes;
    advice = what;
    return 0;
}

long sysconf(int name)
{
    cores_asked += name == _SC_NPROCESSORS_ONLN;
    return __sysconf(name);
}

#pragma GCC visibility pop

static MPI_File open_with(const char *key, const char *value, int amode)
{
    MPI_Info info = info_with(key, value);
    MPI_File file;

    advice = -1;
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | amode, info, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return file;
}

/* A view of RUNS runs of ints, with gaps of so many. */
static void see_runs(MPI_File file, int gap)
{
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_vector(RUNS, RUN, RUN + gap, MPI_INT, &type), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

static int reads_of(const char *key, const char *value, int gap)
{
    int ints[RUN * RUNS];
    MPI_File file = open_with(key, value, 0);

    for (int i = 0; i < RUN * RUNS; i++)
        ints[i] = i + gap;
    see_runs(file, gap);
    CHECK_EQ(MPI_File_write_at(file, 0, ints, RUN * RUNS, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    memset(ints, 0, sizeof ints);
    preads = largest = 0;
    CHECK_EQ(MPI_File_read_at(file, 0, ints, RUN * RUNS, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < RUN * RUNS; i++)
        CHECK_EQ(ints[i], i + gap);
    close_file(&file);
    return preads;
}

static void reads_are_sieved(void)
{
    CHECK_EQ(reads_of("romio_ds_read", "disable", NARROW_GAPS), RUNS);
    CHECK_EQ(reads_of("romio_ds_read", "automatic", NARROW_GAPS), 1);
    CHECK_EQ(reads_of("romio_ds_read", "enable", NARROW_GAPS), 1);
    CHECK_EQ(reads_of("romio_ds_read", "automatic", 16384), RUNS); /* each gap costs more than a call */
    CHECK(reads_of("romio_ds_read", "enable", 16384) <= 10);
    CHECK_EQ(reads_of("access_style", "random", NARROW_GAPS), 1); /* runs of one access are known */
    CHECK_EQ(reads_of("access_style", "random", 16384), RUNS);
    CHECK(reads_of("ind_rd_buffer_size", "4096", 1024) >= RUNS * 1024 / 1024);
    CHECK(largest <= 4096);
    CHECK_EQ(reads_of("ind_rd_buffer_size", "4112", 1024),
             RUNS / 2); /* which two runs and their gap just fill */
    CHECK_EQ(reads_of("ind_rd_buffer_size", "4111", 1024), RUNS);
}

/* Fills the gaps first: what lies there stays. */
static int writes_of(const char *key, const char *value, int amode)
{
    int ints[RUN * RUNS] = {0}, all[2 * RUN * RUNS - RUN];
    MPI_File file = open_with(key, value, amode);

    memset(all, -1, sizeof all);
    CHECK_EQ(MPI_File_write_at(file, 0, all, sizeof all, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    see_runs(file, NARROW_GAPS);
    pwrites = largest = 0;
    CHECK_EQ(MPI_File_write_at(file, 0, ints, RUN * RUNS, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at(file, 0, all, sizeof all, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 2 * RUN * RUNS - RUN; i++)
        CHECK_EQ(all[i], i / RUN % 2 ? -1 : 0);
    close_file(&file);
    return pwrites;
}

static void writes_are_sieved(void)
{
    CHECK_EQ(writes_of("romio_ds_write", "disable", 0), RUNS);
    CHECK_EQ(writes_of("romio_ds_write", "disable", MPI_MODE_UNIQUE_OPEN), RUNS);
    CHECK_EQ(writes_of("romio_ds_write", "automatic", 0), 1);
    CHECK_EQ(writes_of("romio_ds_write", "automatic", MPI_MODE_UNIQUE_OPEN), 1);
    CHECK_EQ(writes_of("romio_ds_write", "enable", 0), 1);
}

/* From memory with gaps a run of the file is written through a buffer. */
static void writes_take_the_buffer(void)
{
    static char bytes[3 * 8192];
    MPI_File file = open_with("ind_wr_buffer_size", "4096", 0);
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_vector(8192, 1, 3, MPI_CHAR, &type), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
    pwrites = largest = 0;
    CHECK_EQ(MPI_File_write_at(file, 0, bytes, 1, type, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(largest, 4096);
    CHECK_EQ(pwrites, 2);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    close_file(&file);
}

static void the_kernel_is_told(void)
{
    MPI_File file = open_with("access_style", "sequential,read_mostly", 0);
    MPI_Info info = info_with("access_style", "random");

    CHECK_EQ(advice, POSIX_FADV_SEQUENTIAL);
    CHECK_EQ(MPI_File_set_info(file, info), MPI_SUCCESS);
    CHECK_EQ(advice, POSIX_FADV_RANDOM);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    close_file(&file);
    file = open_with("access_style", "none", 0);
    CHECK_EQ(advice, -1);
    close_file(&file);
}

/* How many cores there are, which the system tells in a file, only the choice of aggregators must know. */
static void cores_are_counted_once(void)
{
    MPI_File file = open_with("collective_buffering", "true", 0);

    cores_asked = 0;
    for (int i = 0; i < 3; i++)
        CHECK_EQ(MPI_File_write_at_all(file, rank, &i, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(cores_asked, size > 1);
    close_file(&file);
}

/* The file does not exist before. */
static int mode_with(const char *value)
{
    struct stat status;
    MPI_File file;

    remove_file();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    file = open_with("file_perm", value, 0);
    CHECK_EQ(stat(path, &status), 0);
    close_file(&file);
    return (int)(status.st_mode & 07777);
}

static void files_have_permissions(void)
{
    umask(022);
    CHECK_EQ(mode_with("600"), 0600);
    CHECK_EQ(mode_with("0666"), 0644);
    CHECK_EQ(mode_with("rw-rw-rw-"), 0644);
    CHECK_EQ(mode_with("99"), 0644);
    CHECK_EQ(mode_with("10000"), 0644);
    CHECK_EQ(mode_with("1666"), 01644);
}

static void the_name_is_told(void)
{
    MPI_File file = open_with("filename", "another", 0);
    char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, found;
    MPI_Info info;

    CHECK_EQ(MPI_File_get_info(file, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, "filename", &length, value, &found), MPI_SUCCESS);
    CHECK(found);
    CHECK_STR(value, path);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    close_file(&file);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("hints");
    reads_are_sieved();
    writes_are_sieved();
    writes_take_the_buffer();
    the_kernel_is_told();
    cores_are_counted_once();
    files_have_permissions();
    the_name_is_told();
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
