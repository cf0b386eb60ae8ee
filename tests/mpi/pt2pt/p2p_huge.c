/* ranks: 2 timeout: 400 not: thread */
/* One message of 2 GiB + 1: longer than an int counts. Skipped where memory is short; ThreadSanitizer takes
 * four times as much. */
#include "large.h"
#include "p2p.h"

#define BYTES (((MPI_Count)1 << 31) + 1)

static double free_gib(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[200];
    double kib = 0;

    while (f && fgets(line, sizeof line, f))
        sscanf(line, "MemAvailable: %lf", &kib);
    if (f)
        fclose(f);
    return kib / (1 << 20);
}

/* Cheap to make and to check: a number at the beginning of each page. */
static void stamp(unsigned char *buffer)
{
    for (MPI_Count at = 0; at + 8 <= BYTES; at += 4096)
        memcpy(buffer + at, &at, sizeof at);
    buffer[BYTES - 1] = 0x5a;
}

static void check_stamps(const unsigned char *buffer)
{
    for (MPI_Count at = 0; at + 8 <= BYTES; at += 4096) {
        MPI_Count found;

        memcpy(&found, buffer + at, sizeof found);
        CHECK_EQ(found, at);
    }
    CHECK_EQ(buffer[BYTES - 1], 0x5a);
}

int main(int argc, char **argv)
{
    double room = free_gib();
    unsigned char *buffer;
    MPI_Status status;
    MPI_Count count = 0;
    int narrow = 0, enough;

    MPI_Init(&argc, &argv);
    set_up();
    narrow = room > 6;
    CHECK_EQ(MPI_Allreduce(&narrow, &enough, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    if (!enough) {
        printf("skipped: needs 6 GiB of free memory, there are %.1f\n", room);
        MPI_Finalize();
        return 77;
    }
    buffer = large_memory((size_t)BYTES);
    if (rank == 0) {
        stamp(buffer);
        CHECK_EQ(MPI_Send_c(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Probe(0, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_EQ(MPI_Get_count_c(&status, MPI_BYTE, &count), MPI_SUCCESS);
        CHECK_EQ(count, BYTES);
        CHECK_EQ(MPI_Recv_c(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_STATUS(&status, 0, 1, BYTES);
        CHECK_EQ(MPI_Get_count(&status, MPI_BYTE, &narrow), MPI_SUCCESS);
        CHECK_EQ(narrow, MPI_UNDEFINED);
        check_stamps(buffer);
    }
    munmap(buffer, (size_t)BYTES);
    MPI_Finalize();
    return 0;
}
