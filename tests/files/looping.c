/* looping WHAT FILE: ranks that write to a file again and again, until one is killed; and what then must be there.
 *
 *     collective, strided, shared   round after round, with MPI_File_sync after each. Then rank 0 writes down, in the
 *                                   file's first bytes and with fsync, how many rounds are safe. For ever, or until a
 *                                   rank gets an error: it prints `told` with the error, and ends the job with 7
 *     check-WHAT                    the rounds that were safe are there; the file can be opened, the shared pointer works
 *     spawned, accepts, connects    collective, through buffers, together with another job, which was spawned or comes by the
 *                                   port in FILE.port
 *     half-0, half-1                some rounds of writing every other block of 100 bytes
 *     check-half                    both halves are there */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

enum {
    HEAD = 4096,
    RECORD = 100, /* bytes */
    RECORDS = 64, /* of a rank in a round */
    HALF_ROUNDS = 50
};

static int rank, size, is_joined;
static MPI_Comm all; /* the world's, or that of two jobs */
static MPI_File fh;
static unsigned char mine[RECORD * RECORDS];

static void fill(unsigned char *at, int round, int of)
{
    memset(at, (round * 7 + of * 31) % 251 + 1, RECORD);
}

/* Record i of a round lies after all of the rounds before. */
static off_t place_of(int round, int of, int i)
{
    return HEAD + (((off_t)round * RECORDS + i) * size + of) * RECORD;
}

static int set_view(int round)
{
    MPI_Datatype record, filetype;
    int code;

    OK(MPI_Type_contiguous(RECORD, MPI_BYTE, &record));
    OK(MPI_Type_create_resized(record, 0, (MPI_Aint)RECORD * size, &filetype));
    OK(MPI_Type_commit(&filetype));
    code = MPI_File_set_view(fh, place_of(round, rank, 0), MPI_BYTE, filetype, "native", MPI_INFO_NULL);
    OK(MPI_Type_free(&filetype));
    OK(MPI_Type_free(&record));
    return code;
}

static void write_down(int rounds, const char *path)
{
    int fd = open(path, O_WRONLY);

    CHECK(fd >= 0);
    CHECK_EQ(pwrite(fd, &rounds, sizeof rounds, 0), sizeof rounds);
    CHECK_EQ(fsync(fd), 0);
    close(fd);
}

static int write_round(const char *what)
{
    int code = MPI_SUCCESS;

    if (strcmp(what, "collective") == 0)
        return MPI_File_write_all(fh, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE);
    if (strcmp(what, "strided") == 0)
        return MPI_File_write(fh, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < RECORDS && !code; i++)
        code = MPI_File_write_shared(fh, mine, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
    return code;
}

static void tell(int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(code, text, &length);
    printf("told: rank %d: %s\n", rank, text);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 7);
}

static void loop(const char *what, const char *path)
{
    int is_shared = strcmp(what, "shared") == 0, code = MPI_SUCCESS;

    OK(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN));
    if (is_shared) {
        OK(MPI_File_set_view(fh, HEAD, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        OK(MPI_Barrier(all));
    }
    for (int round = 0; !code; round++) {
        for (int i = 0; i < RECORDS; i++)
            fill(mine + i * RECORD, is_shared ? 0 : round, rank);
        code = is_shared ? MPI_SUCCESS : set_view(round);
        if (!code)
            code = write_round(what);
        if (!code)
            code = MPI_File_sync(fh);
        if (!code)
            code = MPI_Barrier(all);
        if (!code && rank == 0)
            write_down(round + 1, path);
    }
    tell(code);
}

static void check_record(int fd, off_t at, int round, int of)
{
    unsigned char found[RECORD], wanted[RECORD];

    fill(wanted, round, of);
    CHECK_EQ(pread(fd, found, RECORD, at), RECORD);
    CHECK_EQ(memcmp(found, wanted, RECORD), 0);
}

/* Every record is some rank's, whole; each rank has at least as many as are safe. */
static void check_shared(int fd, int rounds)
{
    int found[16] = {0};
    unsigned char bytes[RECORD];

    for (off_t at = HEAD; pread(fd, bytes, RECORD, at) == RECORD; at += RECORD)
        for (int r = 0; r < size; r++)
            if (bytes[0] == r * 31 % 251 + 1 && bytes[RECORD - 1] == bytes[0])
                found[r]++;
    for (int r = 0; r < size; r++)
        CHECK(found[r] >= rounds * RECORDS);
}

static void check_rounds(const char *what, const char *path)
{
    int fd = open(path, O_RDONLY), rounds = 0;
    MPI_Offset at;

    CHECK(fd >= 0);
    CHECK_EQ(pread(fd, &rounds, sizeof rounds, 0), sizeof rounds);
    CHECK(rounds > 0);
    if (strcmp(what, "shared") == 0)
        check_shared(fd, rounds);
    for (int round = 0; strcmp(what, "shared") != 0 && round < rounds; round++)
        for (int i = 0; i < RECORDS; i++)
            check_record(fd, place_of(round, rank, i), round, rank);
    close(fd);
    OK(MPI_File_write_ordered(fh, mine, RECORD, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_get_position_shared(fh, &at));
    CHECK_EQ(at, RECORD * size);
}

/* Blocks 0, 2, 4 ... are of half 0; of these each rank has every `size`-th. */
static off_t half_place(int half, int r, int i)
{
    return (((off_t)i * size + r) * 2 + half) * RECORD;
}

static void write_half(int half)
{
    MPI_Datatype filetype;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_ds_write", "enable")); /* each reads what lies between, and writes it */
    OK(MPI_Type_vector(RECORDS, RECORD, RECORD * 2 * size, MPI_BYTE, &filetype));
    OK(MPI_Type_commit(&filetype));
    OK(MPI_File_set_view(fh, half_place(half, rank, 0), MPI_BYTE, filetype, "native", info));
    OK(MPI_Type_free(&filetype));
    OK(MPI_Info_free(&info));
    for (int round = 0; round < HALF_ROUNDS; round++) {
        for (int i = 0; i < RECORDS; i++)
            fill(mine + i * RECORD, round, half * 2 + rank);
        if (round % 2)
            OK(MPI_File_write_at(fh, 0, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE));
        else
            OK(MPI_File_write_at_all(fh, 0, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE));
    }
}

static void check_halves(const char *path)
{
    int fd = open(path, O_RDONLY);

    CHECK(fd >= 0);
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < RECORDS; i++)
            check_record(fd, half_place(half, rank, i), HALF_ROUNDS - 1, half * 2 + rank);
    close(fd);
}

/* The port's name appears whole. */
static void tell_port(const char *path, const char *port)
{
    char draft[500], final[500];
    FILE *to;

    snprintf(final, sizeof final, "%s.port", path);
    snprintf(draft, sizeof draft, "%s.draft", path);
    to = fopen(draft, "w");
    CHECK(to && fputs(port, to) >= 0 && fclose(to) == 0);
    CHECK_EQ(rename(draft, final), 0);
}

static void learn_port(const char *path, char *port)
{
    char final[500];
    FILE *from;

    snprintf(final, sizeof final, "%s.port", path);
    while (!(from = fopen(final, "r")))
        usleep(1000);
    CHECK(fgets(port, MPI_MAX_PORT_NAME, from) && fclose(from) == 0);
    CHECK_EQ(unlink(final), 0);
}

/* Another job of as many ranks, by what the program is asked to do. */
static MPI_Comm meet(const char *what, const char *path, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter = MPI_COMM_NULL;

    OK(MPI_Comm_get_parent(&inter));
    if (strcmp(what, "spawned") == 0 && inter == MPI_COMM_NULL)
        OK(MPI_Comm_spawn(argv[0], argv + 1, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE));
    if (strcmp(what, "accepts") == 0) {
        if (rank == 0) {
            OK(MPI_Open_port(MPI_INFO_NULL, port));
            tell_port(path, port);
        }
        OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    }
    if (strcmp(what, "connects") == 0) {
        if (rank == 0)
            learn_port(path, port);
        OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    }
    return inter;
}

/* The ranks of both jobs; the other one's are the higher ones. */
static void join_jobs(const char *what, const char *path, char **argv)
{
    MPI_Comm inter, parent;

    inter = meet(what, path, argv);
    OK(MPI_Comm_get_parent(&parent));
    OK(MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL || strcmp(what, "connects") == 0, &all));
    OK(MPI_Comm_rank(all, &rank));
    OK(MPI_Comm_size(all, &size));
    is_joined = 1;
}

static void open_file(const char *path)
{
    MPI_Info info;

    OK(MPI_Info_create(&info));
    if (is_joined)
        OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_File_open(all, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *path = argc > 2 ? argv[2] : "";

    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    all = MPI_COMM_WORLD;
    if (strcmp(what, "spawned") == 0 || strcmp(what, "accepts") == 0 || strcmp(what, "connects") == 0)
        join_jobs(what, path, argv);
    open_file(path);
    if (is_joined)
        loop("collective", path);
    else if (strncmp(what, "half-", 5) == 0)
        write_half(what[5] - '0');
    else if (strcmp(what, "check-half") == 0)
        check_halves(path);
    else if (strncmp(what, "check-", 6) == 0)
        check_rounds(what + 6, path);
    else
        loop(what, path);
    OK(MPI_File_close(&fh));
    MPI_Finalize();
    return 0;
}
