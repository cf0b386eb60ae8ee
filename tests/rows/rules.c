/* rules: a communicator whose info names a file of rules takes the algorithms of that file (INKLING_RULES is the job's: rules.py).
 * Linked with the library's objects, whose counters tell which way a collective took. */
#include "check.h"
#include "hints/hints.h"
#include "metric/metric.h"

#include <unistd.h>

static const char key[] = "inkling_rules";
static int rank, size;

/* How many of the calls went by messages. */
static int by_messages(MPI_Comm comm, int calls)
{
    uint64_t before = metric_sum(METRIC_COLL_MESSAGES);
    int one = 1, sum;

    for (int i = 0; i < calls; i++) {
        CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
        CHECK_EQ(sum, size);
    }
    return (int)(metric_sum(METRIC_COLL_MESSAGES) - before);
}

static MPI_Comm dup_with(const char *path)
{
    MPI_Info info = info_with(key, path);
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return comm;
}

static void write_rules(const char *path, const char *rules)
{
    FILE *out = fopen(path, "w");

    CHECK(out != NULL);
    fprintf(out, "{\"inkling_rules\": 1, \"rules\": [%s]}\n", rules);
    CHECK_EQ(fclose(out), 0);
}

static void free_all(MPI_Comm comm)
{
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* The first calls go by messages anyway, before there are mailboxes. */
static void the_file_chooses(const char *path)
{
    MPI_Comm with = dup_with(path), child;
    MPI_Info info;

    by_messages(with, 8);
    CHECK_EQ(by_messages(with, 8), 8);
    CHECK_HINT(with, key, path);
    CHECK_EQ(MPI_Comm_dup(with, &child), MPI_SUCCESS); /* which takes no hints */
    by_messages(child, 8);
    CHECK_EQ(by_messages(child, 8), 0);
    CHECK_NO_HINT(child, key);
    info = info_with(key, path);
    CHECK_EQ(MPI_Comm_set_info(child, info), MPI_SUCCESS); /* too late: rules are fixed when it is made */
    CHECK_NO_HINT(child, key);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    free_all(child);
    free_all(with);
}

static void one_that_is_wrong_does_not(const char *path)
{
    MPI_Comm with = dup_with(path);

    CHECK_NO_HINT(with, key);
    by_messages(with, 8);
    CHECK_EQ(by_messages(with, 8), 0);
    free_all(with);
}

/* The last rank has others: then all take the built-in ones. */
static void ranks_agree(const char *one, const char *other)
{
    MPI_Comm with = dup_with(rank == size - 1 ? other : one);

    by_messages(with, 8);
    CHECK_EQ(by_messages(with, 8), 0);
    CHECK_HINT(with, key, "built-in");
    free_all(with);
}

int main(int argc, char **argv)
{
    char folder[256], star[300], tree[300], wrong[300];

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    atomic_fetch_or(&metric_watched, METRIC_WATCH_FREQUENT);
    snprintf(folder, sizeof folder, "%s/inkling-rules-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    CHECK(rank != 0 || mkdtemp(folder) != NULL);
    CHECK_EQ(MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    snprintf(star, sizeof star, "%s/star.json", folder);
    snprintf(tree, sizeof tree, "%s/tree.json", folder);
    snprintf(wrong, sizeof wrong, "%s/wrong.json", folder);
    if (rank == 0) {
        write_rules(star, "{\"collective\": \"allreduce\", \"algorithm\": \"star\", \"bytes\": [0, 64]}");
        write_rules(tree, "{\"collective\": \"allreduce\", \"algorithm\": \"tree\"}");
        write_rules(wrong, "{\"collective\": \"allreduce\", \"algorithm\": \"bush\"}");
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    the_file_chooses(star);
    one_that_is_wrong_does_not(wrong);
    ranks_agree(star, tree);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        CHECK_EQ(unlink(star) | unlink(tree) | unlink(wrong), 0);
        CHECK_EQ(rmdir(folder), 0);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
