#include "plain/name_directory.h"

#include "plain/fail.h"
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/inkling-names-XXXXXX";
static char port[NAME_DIRECTORY_PORT_SIZE];

static int count_in(const char *path)
{
    DIR *list = opendir(path);
    int count = -2; /* . and .. */

    assert_non_null(list);
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

static int count_files(void)
{
    return count_in(directory);
}

static int lookup(const char *service)
{
    return name_directory_lookup("", service, port, sizeof port);
}

static int find_directory(void **state)
{
    (void)state;
    name_place_given = directory;
    return !mkdtemp(directory);
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory);
}

static void test_life(void **state)
{
    int descriptors = count_in("/proc/self/fd");

    (void)state;
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    assert_int_equal(name_directory_unpublish("", "ocean", "p1"), MPI_ERR_SERVICE);
    assert_int_equal(name_directory_publish("", "ocean", "p1"), 0);
    assert_int_equal(name_directory_publish("", "ocean", "p2"), MPI_ERR_SERVICE);
    assert_int_equal(name_directory_publish("", "atmosphere", "p1"), 0); /* two names of one port */
    assert_int_equal(lookup("ocean"), 0);
    assert_string_equal(port, "p1");
    assert_int_equal(name_directory_unpublish("", "ocean", "p2"), MPI_ERR_SERVICE);
    assert_int_equal(name_directory_unpublish("", "ocean", "p1"), 0);
    assert_int_equal(name_directory_unpublish("", "ocean", "p1"), MPI_ERR_SERVICE);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    assert_int_equal(lookup("atmosphere"), 0);
    assert_int_equal(count_files(), 1);
    name_directory_close();
    assert_int_equal(count_files(), 0);
    assert_int_equal(lookup("atmosphere"), MPI_ERR_NAME);
    assert_int_equal(count_in("/proc/self/fd"), descriptors);
}

/* In a process whose standard input was closed a directory may be descriptor 0. */
static void test_descriptor_0(void **state)
{
    int kept = dup(0);

    (void)state;
    assert_int_equal(name_directory_publish("", "ocean", "p1"), 0);
    close(0);
    assert_int_equal(lookup("ocean"), 0);
    assert_int_equal(name_directory_unpublish("", "ocean", "p1"), 0);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    name_directory_close();
    if (kept >= 0)
        assert_int_equal(dup2(kept, 0), 0);
    close(kept);
}

static void test_scopes(void **state)
{
    (void)state;
    assert_int_equal(name_directory_publish("job-1", "ocean", "p1"), 0);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    assert_int_equal(name_directory_publish("job-2", "ocean", "p2"), 0);
    assert_int_equal(name_directory_lookup("job-1", "ocean", port, sizeof port), 0);
    assert_string_equal(port, "p1");
    assert_int_equal(name_directory_lookup("job-2", "ocean", port, sizeof port), 0);
    assert_string_equal(port, "p2");
    assert_int_equal(name_directory_lookup("job-1o", "cean", port, sizeof port), MPI_ERR_NAME);
    name_directory_close();
}

static void test_odd_names(void **state)
{
    static const char *const names[] = {"",     " ",     "/",       "..",  "a/../b", "a b\tc\n",
                                        "%s%n", "é\xff", "ocean\\", "*?[", "-rf"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(name_directory_publish("", names[i], names[i]), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(lookup(names[i]), 0);
        assert_string_equal(port, names[i]);
        assert_int_equal(name_directory_unpublish("", names[i], names[i]), 0);
    }
    assert_int_equal(count_files(), 0);
}

static void test_lengths(void **state)
{
    static char longest[NAME_DIRECTORY_SERVICE_SIZE + 1];

    (void)state;
    memset(longest, 'n', NAME_DIRECTORY_SERVICE_SIZE);
    assert_int_equal(name_directory_publish("", longest, "p"), MPI_ERR_SERVICE);
    assert_int_equal(name_directory_unpublish("", longest, "p"), MPI_ERR_SERVICE);
    assert_int_equal(lookup(longest), MPI_ERR_NAME);
    assert_int_equal(name_directory_publish("", "p", longest), MPI_ERR_PORT);
    longest[NAME_DIRECTORY_SERVICE_SIZE - 1] = 0;
    assert_int_equal(name_directory_publish("", longest, longest), 0);
    assert_int_equal(name_directory_lookup("", longest, port, 16), MPI_ERR_NAME); /* no room for it */
    assert_int_equal(lookup(longest), 0);
    assert_string_equal(port, longest);
    name_directory_close();
}

/* Runs what a process does that then dies without cleaning up. */
static void in_dying_process(const char *service)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(name_directory_publish("", service, "p") ? 1 : 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_the_dead(void **state)
{
    (void)state;
    in_dying_process("ocean");
    assert_int_equal(count_files(), 1);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    assert_int_equal(name_directory_unpublish("", "ocean", "p"), MPI_ERR_SERVICE);
    assert_int_equal(name_directory_publish("", "ocean", "p2"), 0); /* replaces it */
    in_dying_process("atmosphere");
    assert_int_equal(count_files(), 2);
    name_directory_sweep();
    assert_int_equal(count_files(), 1);
    assert_int_equal(lookup("ocean"), 0);
    assert_string_equal(port, "p2");
    name_directory_close();
}

/* A child that outlives its publisher does not keep the name. */
static void test_left_behind(void **state)
{
    int ends[2], status;
    char byte;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        close(ends[1]);
        if (name_directory_publish("", "ocean", "p"))
            _exit(1);
        if (fork() == 0) /* lives until the test ends it */
            _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    for (int i = 0; i < 10000 && lookup("ocean") == 0; i++)
        usleep(1000);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    close(ends[0]);
    close(ends[1]);
    name_directory_sweep();
}

/* A child has not published its parent's names. */
static void test_forked(void **state)
{
    int status;
    pid_t pid;

    (void)state;
    assert_int_equal(name_directory_publish("", "ocean", "p"), 0);
    pid = fork();
    if (pid == 0) {
        name_directory_close();
        _exit(lookup("ocean") ? 1 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(lookup("ocean"), 0);
    name_directory_close();
}

static void spoil(const char *file, const char *bytes, size_t size)
{
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/%s", directory, file);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

/* The file of the one name in the directory. */
static void find_file(char *file, size_t size)
{
    DIR *list = opendir(directory);

    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] != '.')
            snprintf(file, size, "%s", entry->d_name);
    closedir(list);
}

static void test_garbage(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } garbage[] = {{"", 0},
                   {"ocean", 5},
                   {"\0", 1},
                   {"\0ocean", 6},
                   {"\0ocean\0", 7},
                   {"\0ocean\0p", 8},
                   {"\0ocean\0p\0x\0", 11},
                   {"\0sea\0p\0", 7},
                   {"\0\0\0\0\0", 5},
                   {"x\0ocean\0p\0", 10}};
    static char large[1 << 16], file[NAME_MAX + 1], path[128 + NAME_MAX];

    (void)state;
    assert_int_equal(name_directory_publish("", "ocean", "p"), 0);
    find_file(file, sizeof file);
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        spoil(file, garbage[i].bytes, garbage[i].size);
        assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    }
    memset(large, 0, sizeof large);
    spoil(file, large, sizeof large);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    spoil(file, "\0ocean\0q\0", 9); /* this process's lock is on it still */
    assert_int_equal(lookup("ocean"), 0);
    name_directory_close();
    snprintf(path, sizeof path, "%s/%s", directory, file);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    assert_int_equal(name_directory_publish("", "ocean", "p"), 0); /* replaces it */
    name_directory_close();
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(lookup("ocean"), MPI_ERR_NAME);
    assert_int_equal(name_directory_publish("", "ocean", "p"), MPI_ERR_OTHER);
    assert_int_equal(rmdir(path), 0);
    spoil("README", "not ours", 8);
    name_directory_sweep();
    assert_int_equal(count_files(), 1);
    snprintf(path, sizeof path, "%s/README", directory);
    assert_int_equal(unlink(path), 0);
}

static void test_bad_directory(void **state)
{
    char path[128];

    (void)state;
    assert_int_equal(chmod(directory, 0777), 0);
    assert_int_equal(name_directory_publish("", "ocean", "p"), MPI_ERR_ACCESS);
    assert_int_equal(lookup("ocean"), MPI_ERR_ACCESS);
    assert_int_equal(chmod(directory, 0700), 0);
    if (chown(directory, 12345, (gid_t)-1) ==
        0) { /* as root, but not of a user namespace that lacks that user */
        assert_int_equal(name_directory_publish("", "ocean", "p"), MPI_ERR_ACCESS);
        assert_non_null(strstr(fail_note(), "12345"));
        assert_int_equal(chown(directory, 0, (gid_t)-1), 0);
    }
    snprintf(path, sizeof path, "%s/link", directory);
    assert_int_equal(symlink(".", path), 0);
    name_place_given = path;
    assert_int_equal(name_directory_publish("", "ocean", "p"), MPI_ERR_OTHER);
    assert_int_equal(unlink(path), 0);
    name_place_given = directory;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),    cmocka_unit_test(test_descriptor_0),
        cmocka_unit_test(test_scopes),  cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_the_dead),
        cmocka_unit_test(test_forked),  cmocka_unit_test(test_left_behind),
        cmocka_unit_test(test_garbage), cmocka_unit_test(test_bad_directory),
    };

    return cmocka_run_group_tests(tests, find_directory, remove_directory);
}
