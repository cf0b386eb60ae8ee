/* A process that no mpiexec started spawns jobs of shell scripts, and checks the files that they leave. */
#include "boot/spawn_order.h"

#include "boot/boot.h"
#include "unit.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 20000
};

static char folder[] = "/tmp/inkling-spawn-XXXXXX";
static struct spawn_report report;

static void pause_a_moment(void)
{
    struct timespec moment = {0, 1000000};

    nanosleep(&moment, NULL);
}

/* Adds one part, given as a line with one space between its words; the last word may have spaces: "sh -c"
 * takes it. */
static void add(struct spawn_order *o, const char *line, const char *last)
{
    char copy[512], *rest = NULL;

    spawn_order_list(o);
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        spawn_order_word(o, word);
    if (last)
        spawn_order_word(o, last);
}

static int hear(int control)
{
    bool heard = false;
    int error = MPI_ERR_OTHER;

    for (int i = 0; i < PATIENCE_MS && !heard; i++) {
        error = spawn_receive(control, &report, &heard);
        pause_a_moment();
    }
    assert_true(heard);
    return error;
}

static void await_end(int control)
{
    int i = 0;

    for (; i < PATIENCE_MS && !spawn_is_over(control); i++)
        pause_a_moment();
    assert_true(i < PATIENCE_MS);
}

static bool exists(const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void await_file(const char *name)
{
    int i = 0;

    for (; i < PATIENCE_MS && !exists(name); i++)
        pause_a_moment();
    assert_true(i < PATIENCE_MS);
}

static void remove_file(const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

static int enter_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder) || boot_init();
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

static void test_two_parts(void **state)
{
    struct spawn_order o;
    int control;

    (void)state;
    assert_int_equal(setenv("SPAWN_TEST", "a b\nc", 1), 0);
    spawn_order_begin(&o);
    add(&o, "-n 2 --universe-size 7 /bin/sh -c",
        "> one-$PMI_RANK-$INKLING_JOB_APPNUM-$INKLING_JOB_UNIVERSE_SIZE");
    add(&o, "-n 3 -soft 1:2 /bin/sh -c",
        "[ \"$SPAWN_TEST\" = 'a b\nc' ] && > two-$PMI_RANK-$INKLING_JOB_APPNUM");
    assert_int_equal(spawn_start(&o, &control), 0);
    spawn_order_free(&o);
    assert_int_equal(hear(control), 0);
    assert_int_equal(report.parts, 2);
    assert_int_equal(report.count[0], 2);
    assert_int_equal(report.count[1], 2);
    await_end(control);
    remove_file("one-0-0-7");
    remove_file("one-1-0-7");
    remove_file("two-2-1");
    remove_file("two-3-1");
    spawn_let_go(control); /* too late, without effect */
    assert_int_equal(unsetenv("SPAWN_TEST"), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the program has no child that it did not start */
}

static void refuse(const char *line, const char *last, const char *why)
{
    struct spawn_order o;
    int control;

    spawn_order_begin(&o);
    add(&o, "-n 1 /bin/sh -c", "> started");
    add(&o, line, last);
    assert_int_equal(spawn_start(&o, &control), 0);
    spawn_order_free(&o);
    assert_int_equal(hear(control), MPI_ERR_SPAWN);
    if (!strstr(fail_note(), why))
        fprintf(stderr, "'%s' does not say '%s'\n", fail_note(), why);
    assert_non_null(strstr(fail_note(), why));
    await_end(control);
    spawn_let_go(control);
}

static void test_refusals(void **state)
{
    (void)state;
    refuse("-n 1 ./nothing-like-this", NULL, "nothing-like-this");
    refuse("-n 1", "/etc/passwd", "not executable");
    refuse("-n 1", "/tmp", "directory");
    refuse("-n 1 -wdir /no/such/folder /bin/true", NULL, "/no/such/folder");
    refuse("-n 0 /bin/true", NULL, "-n 0");
    refuse("-n 1 -soft 2:1 /bin/true", NULL, "soft");
    refuse("-n 4 -soft 5:9 /bin/true", NULL, "no number of processes");
    refuse("-n 1 -initial-errhandler mpi_errors_explode /bin/true", NULL, "mpi_errors_explode");
    refuse("-n 1 -arch vax /bin/true", NULL, "vax");
    refuse("-n 1 -file /no/such/file /bin/true", NULL, "/no/such/file");
    refuse("-n 1 -host no.such.host.invalid /bin/true", NULL, "no.such.host.invalid");
    if (exists("started"))
        remove_file("started"); /* may have run until its job was ended */
}

/* The job ends with the process that spawned it, whether that sent something or not. */
static void test_a_lost_spawner(void **state)
{
    struct spawn_order o;
    int control, pid;
    FILE *file;

    (void)state;
    spawn_order_begin(&o);
    add(&o, "-n 1 /bin/sh -c", "echo $$ > pid.new; mv pid.new pid; sleep 1000");
    assert_int_equal(spawn_start(&o, &control), 0);
    spawn_order_free(&o);
    assert_int_equal(hear(control), 0);
    await_file("pid");
    file = fopen("pid", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    assert_int_equal(kill(pid, 0), 0);
    close(control);
    for (int i = 0; i < PATIENCE_MS && kill(pid, 0) == 0; i++)
        pause_a_moment();
    assert_int_equal(kill(pid, 0), -1);
    remove_file("pid");
}

static void test_let_go(void **state)
{
    struct spawn_order o;
    int control;

    (void)state;
    spawn_order_begin(&o);
    add(&o, "-n 1 /bin/sh -c", "while [ ! -e go ]; do sleep 0.01; done; sleep 0.1; > late");
    assert_int_equal(spawn_start(&o, &control), 0);
    spawn_order_free(&o);
    assert_int_equal(hear(control), 0);
    assert_false(spawn_is_over(control));
    spawn_let_go(control);
    fclose(fopen("go", "w"));
    await_file("late");
    remove_file("go");
    remove_file("late");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_parts), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_a_lost_spawner), cmocka_unit_test(test_let_go)};

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
