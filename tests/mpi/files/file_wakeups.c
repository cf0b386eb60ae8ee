/* ranks: 1 2 timeout: 20 env: INKLING_SPIN_TIME=0 */
/* Ranks that begin accesses to a file and sleep at once, over and over. What the threads that move these do falls
 * before, into and after the moment in which a rank goes to sleep. Only such a thread wakes the rank, and only the rank
 * wakes the thread, so a lost wake-up, once in some ten thousand times, hangs. */
#include "wakeups.h"

#include "file.h"

enum {
    LARGE = 200000,
    SEVERAL = 6 /* more than there are threads */
};

static unsigned seed;
static unsigned char data[SEVERAL][LARGE];

/* A place of this rank's own. */
static MPI_Offset place_of(int access)
{
    return (MPI_Offset)(rank * SEVERAL + access) * LARGE;
}

static void begin(MPI_File fh, bool is_write, int access, int bytes, MPI_Request *request)
{
    if (is_write)
        OK(MPI_File_iwrite_at(fh, place_of(access), data[access], bytes, MPI_BYTE, request));
    else
        OK(MPI_File_iread_at(fh, place_of(access), data[access], bytes, MPI_BYTE, request));
}

/* What a read finds was written in the round before. */
static void one_access(MPI_File fh, int bytes)
{
    double end = now_us() + SECTION_MS * 1e3;

    for (unsigned round = 0; now_us() < end; round++) {
        bool is_write = round % 2 == 0;
        unsigned char mark = (unsigned char)(round / 2);
        MPI_Request request;
        MPI_Status status;

        data[0][bytes - 1] = is_write ? mark : (unsigned char)~mark;
        begin(fh, is_write, 0, bytes, &request);
        linger(&seed, RANK_US);
        OK(MPI_Wait(&request, &status));
        CHECK_EQ(count_of(&status, MPI_BYTE), bytes);
        CHECK_EQ(data[0][bytes - 1], mark);
        linger(&seed, RANK_US);
    }
}

static void several_at_once(MPI_File fh)
{
    double end = now_us() + SECTION_MS * 1e3;

    while (now_us() < end) {
        MPI_Request request[SEVERAL];

        for (int access = 0; access < SEVERAL; access++)
            begin(fh, access % 2, access, 1, &request[access]);
        linger(&seed, THREAD_US);
        for (int left = SEVERAL; left > 0; left--) {
            int index = MPI_UNDEFINED;

            OK(MPI_Waitany(SEVERAL, request, &index, MPI_STATUS_IGNORE));
            CHECK(index >= 0 && index < SEVERAL);
        }
    }
}

/* Each rank moves its own part, whether the others have come or not. */
static void collective(MPI_File fh)
{
    double end = now_us() + SECTION_MS * 1e3;

    for (int more = 1; more;) {
        MPI_Request request;

        OK(MPI_File_iwrite_at_all(fh, place_of(0), data[0], 1, MPI_BYTE, &request));
        linger(&seed, RANK_US);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        more = now_us() < end;
        OK(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
}

/* The threads end with the last file, and begin with the next. */
static void open_and_close(void)
{
    double end = now_us() + SECTION_MS * 1e3;
    char own[sizeof path + 16];

    snprintf(own, sizeof own, "%s.%d", path, rank);
    while (now_us() < end) {
        MPI_Request request;
        MPI_File fh;

        OK(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh));
        begin(fh, true, 0, 1, &request);
        linger(&seed, RANK_US);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        linger(&seed, RANK_US);
        OK(MPI_File_close(&fh));
    }
    OK(MPI_File_delete(own, MPI_INFO_NULL));
}

int main(int argc, char **argv)
{
    MPI_File fh;

    set_up(&argc, &argv);
    seed = (unsigned)rank + 1;
    open_and_close();
    fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    one_access(fh, 1);
    one_access(fh, LARGE);
    several_at_once(fh);
    collective(fh);
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
