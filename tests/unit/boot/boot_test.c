/* Each case is a process of its own, started by a launcher that a thread of it plays. */
#include "boot/boot.h"

#include "boot/host.h"
#include "boot/launcher.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/pmi_line.h"
#include "unit.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum {
    KEYS = 16,
    HEARD = 44 /* the exit code of a process whose launcher heard that it aborts */
};

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s; the note: %s\n", what, fail_note());
    _exit(99);
}

/* What the launcher knows, and the lines that it got last. */
static struct {
    int fd, count, finalized;
    char key[KEYS][PMI_KEY_SIZE], value[KEYS][PMI_VALUE_SIZE];
    char warning[PMI_VALUE_SIZE];
    uint64_t end_begins; /* when the process was told to abort */
} server;

static void know(const char *key, const char *value)
{
    snprintf(server.key[server.count], PMI_KEY_SIZE, "%s", key);
    snprintf(server.value[server.count++], PMI_VALUE_SIZE, "%s", value);
}

/* "same" is what this process, rank 1, has put for itself. */
static void answer_get(const char *key)
{
    const char *value = NULL;

    for (int i = 0; i < server.count; i++)
        if (strcmp(server.key[i], key) == 0)
            value = server.value[i];
    if (value && strcmp(value, "same") == 0)
        answer_get("inkling-host-1");
    else if (value)
        pmi_line_send(server.fd, "cmd=get_result rc=0 value=%s", value);
    else
        pmi_line_send(server.fd, "cmd=get_result rc=1 msg=unknown_key");
}

static void keep_word(const struct pmi_line *line, const char *name, char *to, size_t size)
{
    const char *word = pmi_line_find(line, name);

    if (word)
        pmi_line_unescape(word, to, size);
}

/* A launcher drops what it has not read of the output of a process that aborts: after a reason it gets a moment. */
static void hear_end(const struct pmi_line *line)
{
    const char *code = pmi_line_find(line, "exitcode");

    must(code && strcmp(code, "7") == 0, "the code");
    must(clock_ns() - server.end_begins >= 90 * 1000 * 1000, "time to read the reason");
    _exit(HEARD);
}

static void serve_line(const struct pmi_line *line)
{
    if (pmi_line_is(line, "init"))
        pmi_line_send(server.fd, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
    else if (pmi_line_is(line, "get_my_kvsname"))
        pmi_line_send(server.fd, "cmd=my_kvsname kvsname=kvs/1");
    else if (pmi_line_is(line, "get_appnum"))
        pmi_line_send(server.fd, "cmd=appnum appnum=3");
    else if (pmi_line_is(line, "get_universe_size"))
        pmi_line_send(server.fd, "cmd=universe_size size=9");
    else if (pmi_line_is(line, "barrier_in"))
        pmi_line_send(server.fd, "cmd=barrier_out");
    else if (pmi_line_is(line, "get"))
        answer_get(pmi_line_find(line, "key"));
    else if (pmi_line_is(line, "warn"))
        keep_word(line, "text", server.warning, sizeof server.warning);
    else if (pmi_line_is(line, "abort"))
        hear_end(line);
    if (pmi_line_is(line, "put")) {
        know(pmi_line_find(line, "key"), pmi_line_find(line, "value"));
        pmi_line_send(server.fd, "cmd=put_result rc=0");
    } else if (pmi_line_is(line, "finalize")) {
        server.finalized++;
        pmi_line_send(server.fd, "cmd=finalize_ack");
    }
}

static void *serve(void *unused)
{
    static struct pmi_inbox inbox;
    bool open = true;

    while (open && pmi_inbox_fill(&inbox, server.fd, 0, &open) == 0) {
        char *text;

        while ((text = pmi_inbox_next(&inbox))) {
            struct pmi_line line;

            must(pmi_line_parse(text, &line) == 0, "a line of PMI");
            serve_line(&line);
        }
    }
    return unused;
}

static void set_number(const char *name, int number)
{
    char text[16];

    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

static void start_launcher(void)
{
    pthread_t thread;
    int ends[2];

    must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "a socket");
    server.fd = ends[0];
    set_number("PMI_FD", ends[1]);
    must(pthread_create(&thread, NULL, serve, NULL) == 0, "a thread");
    pthread_detach(thread);
}

/* The exit code of a process that does this. */
static int code_of(void (*act)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Numbers of the environment. */

static void expect_refusal(const char *rank, const char *size, const char *why)
{
    setenv("PMI_RANK", rank, 1);
    if (size)
        setenv("PMI_SIZE", size, 1);
    else
        unsetenv("PMI_SIZE");
    must(boot_init() == MPI_ERR_OTHER, why);
    must(strstr(fail_note(), why), why);
}

static void refuse_places(void)
{
    start_launcher();
    expect_refusal("-1", "2", "PMI_RANK='-1'");
    expect_refusal("", "2", "PMI_RANK=''");
    expect_refusal("1x", "2", "PMI_RANK='1x'");
    expect_refusal("99999999999", "2", "PMI_RANK='99999999999'");
    expect_refusal("0", "0", "PMI_SIZE='0' is not an integer of at least 1");
    expect_refusal("2", "2", "PMI_RANK=2 is not below PMI_SIZE=2");
    expect_refusal("1", NULL, "PMI_RANK=1 is not below PMI_SIZE=1");
    setenv("PMI_RANK", "0", 1);
    must(boot_init() == MPI_SUCCESS && boot.size == 1 && boot.all_local, "a place at last");
}

static void bad_places_are_refused(void **state)
{
    (void)state;
    assert_int_equal(code_of(refuse_places), 0);
}

/* Inkling's mpiexec. */

static void start_from_mpiexec(void)
{
    start_launcher();
    setenv("INKLING_JOB_NAME", "a/b c.d-e_1", 1);
    setenv("INKLING_JOB_RANK", "1", 1);
    setenv("INKLING_JOB_SIZE", "2", 1);
    must(boot_init() == MPI_SUCCESS, "boot_init");
}

static void look_at_mpiexec(void)
{
    struct boot_set *sets = (struct boot_set *)&server;
    int count = 5;

    start_from_mpiexec();
    must(strcmp(boot.launcher, "mpiexec") == 0, "mpiexec");
    must(strcmp(boot.job, "a_b_c.d-e_1") == 0, "the job's name");
    must(boot.rank == 1 && boot.size == 2 && boot.local_rank == 1 && boot.local_size == 2, "the place");
    must(boot.all_local && !boot.local && boot.local_fd == -1, "one host");
    must(boot.appnum == -1 && boot.universe_size == -1, "no numbers");
    must(host_local_rank(1) == 1 && host_local_rank(2) == -1, "local ranks");
    must(getenv("INKLING_JOB_JOINED") != NULL, "what it starts is told");
    must(boot_fence() == MPI_SUCCESS && boot_fini() == MPI_SUCCESS, "boot_fini");
    setenv("INKLING_JOB_APPNUM", "5", 1);
    setenv("INKLING_JOB_UNIVERSE_SIZE", "0", 1);
    must(boot_init() == MPI_ERR_OTHER, "a universe of 0");
    setenv("INKLING_JOB_UNIVERSE_SIZE", "1", 1);
    must(boot_init() == MPI_SUCCESS, "boot_init again");
    must(boot.appnum == 5 && boot.universe_size == 1, "the numbers");
    must(boot_fini() == MPI_SUCCESS && boot_init() == MPI_SUCCESS, "boot_init once more");
    must(boot_fence() == MPI_SUCCESS && server.finalized == 2, "all greetings were heard");
    must(boot_find_sets(&sets, &count) == MPI_SUCCESS && !sets && count == 0, "no sets");
}

static void a_job_of_mpiexec_needs_no_answer(void **state)
{
    (void)state;
    assert_int_equal(code_of(look_at_mpiexec), 0);
}

/* Says that its place cannot be read, and that nobody hears what it says. */
static void refuse_mpiexec(void)
{
    int ends[2];

    setenv("INKLING_JOB_NAME", "job", 1);
    setenv("INKLING_JOB_SIZE", "2", 1);
    setenv("INKLING_JOB_RANK", "2", 1);
    start_launcher();
    must(boot_init() == MPI_ERR_OTHER && strstr(fail_note(), "INKLING_JOB_RANK=2 is not below"),
         "a rank beyond");
    setenv("INKLING_JOB_RANK", "1", 1);
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && close(ends[0]) == 0, "a socket");
    set_number("PMI_FD", ends[1]);
    must(boot_init() == MPI_ERR_OTHER && !getenv("INKLING_JOB_JOINED"), "a launcher that is gone");
}

static void a_job_of_mpiexec_is_refused_in_words(void **state)
{
    (void)state;
    assert_int_equal(code_of(refuse_mpiexec), 0);
}

static void fill(char *text, size_t length)
{
    memset(text, 'x', length);
    text[length] = 0;
}

static void put_and_get(void)
{
    char key[BOOT_KEY_SIZE + 1], value[BOOT_VALUE_SIZE + 1], back[BOOT_VALUE_SIZE];

    start_from_mpiexec();
    must(boot_put("", "v") && boot_put("a=b", "v") && boot_put("a b", "v") && boot_put("a\x7f", "v"),
         "bad keys");
    must(boot_put("k", "v w") && boot_put("k", "v\n"), "bad values");
    fill(key, BOOT_KEY_SIZE);
    fill(value, BOOT_VALUE_SIZE);
    must(boot_put(key, "v") && boot_put("k", value) && server.count == 0, "what is too long");
    fill(key, BOOT_KEY_SIZE - 1);
    fill(value, BOOT_VALUE_SIZE - 1);
    must(boot_put(key, value) == MPI_SUCCESS && server.count == 1, "the longest");
    must(boot_get(0, key, back, sizeof back) == MPI_SUCCESS && strcmp(back, value) == 0, "the longest again");
    must(boot_put("k", "~!") == MPI_SUCCESS, "a key");
    must(boot_get(0, "k", back, 3) == MPI_SUCCESS && strcmp(back, "~!") == 0, "what just fits");
    must(boot_get(0, "k", back, 2) == MPI_ERR_OTHER && strstr(fail_note(), "too long"), "what does not");
    must(boot_get(0, "absent", back, sizeof back) && strstr(fail_note(), "unknown_key"), "what is not there");
}

static void keys_and_values_have_bounds(void **state)
{
    (void)state;
    assert_int_equal(code_of(put_and_get), 0);
}

/* Another launcher, with hosts. */

static void start_from_pmi(void)
{
    know("inkling-job", "0123");
    know("inkling-secret", "0123456789abcdef0123456789abcdef");
    setenv("PMI_RANK", "1", 1);
    setenv("PMI_SIZE", "5", 1);
    start_launcher();
    must(boot_init() == MPI_SUCCESS, "boot_init");
    must(strcmp(boot.launcher, "pmi1") == 0 && strcmp(boot.job, "0123-kvs_1") == 0, "the job's name");
    must(boot.rank == 1 && boot.size == 5 && boot.appnum == 3 && boot.universe_size == 9, "the place");
    must(boot.secret && boot.secret[0] == 0x01 && boot.secret[15] == 0xef, "the secret");
}

static void expect_neighbours(const char *hosts)
{
    char *list, *here;

    must(!boot.all_local && boot.local_size == 2 && boot.local_rank == 0, "neighbours");
    must(boot.local[0] == 1 && boot.local[1] == 2, "who they are");
    must(host_local_rank(0) == -1 && host_local_rank(1) == 0 && host_local_rank(2) == 1, "local ranks");
    must(host_key(0) == host_key(4) && host_key(1) == host_key(2) && host_key(0) != host_key(1), "keys");
    must(host_list(NULL, &list) == MPI_SUCCESS, "host_list");
    must(strncmp(list, "far:2,", 6) == 0, list);
    here = strchr(list + 6, ':');
    must(here && strcmp(here, hosts) == 0, list);
    free(list);
    must(boot_fini() == MPI_SUCCESS && server.finalized == 1, "boot_fini");
}

static void ask_everybody(void)
{
    know("inkling-host-0", "far/1/x");
    know("inkling-host-2", "same");
    know("inkling-host-3", "near/1/x");
    know("inkling-host-4", "far/1/x");
    start_from_pmi();
    expect_neighbours(":2,near:1");
}

/* Ranks 0 and 4 are on a node of their own, and are not asked; 3 shares the node, but not its memory. */
static void ask_the_node(void)
{
    know("PMI_process_mapping", "(vector,(0,1,1),(1,1,3),(0,1,1))");
    know("inkling-host-0", "far/1/x");
    know("inkling-host-2", "same");
    know("inkling-host-3", "same/1/x");
    start_from_pmi();
    expect_neighbours(":3");
}

static void hosts_are_those_that_share_memory(void **state)
{
    (void)state;
    assert_int_equal(code_of(ask_everybody), 0);
    assert_int_equal(code_of(ask_the_node), 0);
}

static void abort_under_pmi(void)
{
    know("PMI_process_mapping", "(vector,(0,1,1),(1,1,1),(2,1,3))");
    start_from_pmi();
    server.end_begins = clock_ns();
    boot_abort(7, "a reason\n");
}

static void a_launcher_has_time_to_read_why(void **state)
{
    (void)state;
    assert_int_equal(code_of(abort_under_pmi), HEARD);
}

/* Without a launcher. */

static void start_alone(void)
{
    unsetenv("PMI_FD");
    must(boot_init() == MPI_SUCCESS && strcmp(boot.launcher, "singleton") == 0, "boot_init");
    must(boot.rank == 0 && boot.size == 1 && boot.local_rank == 0 && boot.local_size == 1 && boot.all_local,
         "alone");
    must(boot_fence() == MPI_SUCCESS, "boot_fence");
}

static void abort_with_0(void)
{
    start_alone();
    boot_abort(0, NULL);
}

static void abort_with_255(void)
{
    start_alone();
    boot_abort(255, "");
}

static void abort_with_256(void)
{
    start_alone();
    boot_abort(256, NULL);
}

static void codes_of_aborts(void **state)
{
    (void)state;
    assert_int_equal(code_of(abort_with_0), 0);
    assert_int_equal(code_of(abort_with_255), 255);
    assert_int_equal(code_of(abort_with_256), 1);
}

static const char *reason;

static void abort_and_say(void)
{
    start_alone();
    boot_abort(1, reason);
}

static void hear_abort(void)
{
    assert_int_equal(code_of(abort_and_say), 1);
}

static void a_reason_ends_its_line(void **state)
{
    char said[64];

    (void)state;
    reason = "why";
    hear_stderr(hear_abort, said, sizeof said);
    assert_string_equal(said, "why\n");
    reason = "two\nlines\n";
    hear_stderr(hear_abort, said, sizeof said);
    assert_string_equal(said, "two\nlines\n");
}

static void warn(void)
{
    singleton_warn(reason);
}

/* What a process says that has these in its environment. */
static const char *said_with(const char *rank, const char *size, const char *step)
{
    static char said[512];

    setenv("PALS_RANKID", rank, 1);
    if (size)
        setenv("PALS_SIZE", size, 1);
    if (step)
        setenv("PMIX_RANK", step, 1);
    hear_stderr(warn, said, sizeof said);
    unsetenv("PALS_RANKID");
    unsetenv("PALS_SIZE");
    unsetenv("PMIX_RANK");
    return said;
}

static void the_first_of_several_warns(void **state)
{
    (void)state;
    reason = "load a module";
    assert_non_null(strstr(said_with("0", "2", NULL), "started by PALS (PALS_SIZE=2)"));
    assert_non_null(strstr(said_with("0", "2", NULL), "load a module"));
    assert_string_equal(said_with("0", "1", NULL), "");
    assert_string_equal(said_with("1", "2", NULL), "");
    assert_string_equal(said_with("0", NULL, NULL), "");
    assert_string_equal(said_with("0", "1", "0"), ""); /* the first that is known counts */
    assert_non_null(strstr(said_with("0", NULL, "0"), "started by a PMIx launcher (PMIX_RANK=0)"));
    assert_string_equal(said_with("0", NULL, "1"), "");
    setenv("PMIX_NAMESPACE", "x", 1);
    assert_string_equal(said_with("0", "2", NULL), "");
    assert_non_null(strstr(said_with("0", NULL, "0"), "PMIX_RANK=0"));
    unsetenv("PMIX_NAMESPACE");
    reason = NULL;
    assert_non_null(strstr(said_with("0", "2", NULL), "start the program with Inkling's mpiexec"));
}

/* A process that nobody started has nobody to ask. */
static void a_singleton_is_told_nothing(void **state)
{
    char value[8] = "before";

    (void)state;
    assert_int_equal(singleton_launcher.put("key", "value"), MPI_SUCCESS);
    assert_int_equal(singleton_launcher.get(0, "key", value, sizeof value), MPI_ERR_OTHER);
    assert_string_equal(value, "before");
    assert_non_null(strstr(fail_note(), "key: this process was started by no launcher"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_places_are_refused),
        cmocka_unit_test(a_job_of_mpiexec_needs_no_answer),
        cmocka_unit_test(a_job_of_mpiexec_is_refused_in_words),
        cmocka_unit_test(keys_and_values_have_bounds),
        cmocka_unit_test(hosts_are_those_that_share_memory),
        cmocka_unit_test(a_launcher_has_time_to_read_why),
        cmocka_unit_test(codes_of_aborts),
        cmocka_unit_test(a_reason_ends_its_line),
        cmocka_unit_test(the_first_of_several_warns),
        cmocka_unit_test(a_singleton_is_told_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
