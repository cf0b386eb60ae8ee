/* ranks: 1 2 4 timeout: 60 */
/* MPI_Alloc_mem and MPI_Free_mem: sizes, alignment (mpi_minimum_memory_alignment), bad arguments, threads. */
#include "check.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum {
    THREADS = 4,
    BLOCKS = 64
};

static char *take(MPI_Aint size, MPI_Info info)
{
    char *p = NULL;

    CHECK_EQ(MPI_Alloc_mem(size, info, &p), MPI_SUCCESS);
    CHECK(p != NULL);
    return p;
}

static void sizes(void)
{
    static const MPI_Aint size[] = {0, 1, 63, 64, 65, 4096, 100000, 1 << 20, (2 << 20) + 1, 33 << 20};
    enum {
        SIZES = sizeof size / sizeof *size
    };
    char *p[SIZES];

    for (int i = 0; i < SIZES; i++) {
        p[i] = take(size[i], MPI_INFO_NULL);
        CHECK((uintptr_t)p[i] % _Alignof(max_align_t) == 0);
        memset(p[i], i, (size_t)size[i]);
    }
    for (int i = 0; i < SIZES; i++)
        for (MPI_Aint j = 0; j < size[i]; j += j < size[i] - 1000 ? 997 : 1)
            CHECK_EQ(p[i][j], i);
    for (int i = 0; i < SIZES; i++)
        CHECK_EQ(MPI_Free_mem(p[i]), MPI_SUCCESS);
}

static int is_aligned(const char *value, uintptr_t alignment)
{
    MPI_Info info;
    char *p;
    int aligned;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_minimum_memory_alignment", value), MPI_SUCCESS);
    p = take(100, info);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    memset(p, 1, 100);
    aligned = (uintptr_t)p % alignment == 0;
    CHECK_EQ(MPI_Free_mem(p), MPI_SUCCESS);
    return aligned;
}

static void alignments(void)
{
    char value[32];
    static const char *const bad[] = {"0",  "-64",  "3", "65",        "4096x",
                                      "4K", "true", "",  "4096,8192", "99999999999999999999"};

    for (uintptr_t alignment = 1; alignment <= 64 << 20; alignment *= 2) {
        snprintf(value, sizeof value, alignment % 3 == 1 ? " %llu " : "%llu", (unsigned long long)alignment);
        CHECK(is_aligned(value, alignment));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(is_aligned(bad[i], 64)); /* without effect, without error */
}

static void bad_arguments(void)
{
    char local, *p = &local, *block = take(100, MPI_INFO_NULL);

    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Alloc_mem(-1, MPI_INFO_NULL, &p), MPI_ERR_ARG);
    CHECK_EQ(MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &p), MPI_ERR_NO_MEM);
    CHECK_EQ(MPI_Alloc_mem(INT64_MAX, MPI_INFO_NULL, &p), MPI_ERR_NO_MEM);
    CHECK_EQ(MPI_Alloc_mem(1, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK(p == &local);
    CHECK_EQ(MPI_Free_mem(&local), MPI_ERR_BASE);
    CHECK_EQ(MPI_Free_mem(block + 8), MPI_ERR_BASE);
    CHECK_EQ(MPI_Free_mem(block), MPI_SUCCESS);
    CHECK_EQ(MPI_Free_mem(block), MPI_ERR_BASE);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
}

/* Blocks of all threads are apart. */
static void *use_blocks(void *argument)
{
    unsigned id = (unsigned)(uintptr_t)argument, random = id * 7919 + 1;
    unsigned char *p[BLOCKS] = {0};
    size_t bytes[BLOCKS];

    for (int round = 0; round < 4000; round++) {
        int i = (int)(random >> 16) % BLOCKS;

        random = random * 1103515245 + 12345;
        if (p[i]) {
            CHECK_EQ(p[i][0], id + 1);
            CHECK_EQ(p[i][bytes[i] - 1], id + 1);
            CHECK_EQ(MPI_Free_mem(p[i]), MPI_SUCCESS);
            p[i] = NULL;
            continue;
        }
        bytes[i] = 1 + (random >> 8) % (round % 50 ? 9000 : 3000000);
        p[i] = (unsigned char *)take((MPI_Aint)bytes[i], MPI_INFO_NULL);
        p[i][0] = p[i][bytes[i] - 1] = (unsigned char)(id + 1);
    }
    for (int i = 0; i < BLOCKS; i++)
        if (p[i])
            CHECK_EQ(MPI_Free_mem(p[i]), MPI_SUCCESS);
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, use_blocks, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

int main(int argc, char **argv)
{
    int provided;

    CHECK_EQ(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    sizes();
    alignments();
    bad_arguments();
    threads();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
