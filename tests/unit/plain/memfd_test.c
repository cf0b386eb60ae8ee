/* Memory without a name, also where the system refuses memfd_create or O_TMPFILE. */
#include "plain/memfd.h"

#include "plain/fail.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROOM = 1 << 16,
    PASSED = 7,
    SKIPPED
};

/* Refuses memfd_create(2), and openat(2) with these flags, from now on. */
static bool refuse(unsigned flags)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

/* The file has no name, can be written and read, and is closed by exec. */
static bool is_sound(int fd)
{
    struct stat info;
    char back[4] = "";

    return fd > STDERR_FILENO && fstat(fd, &info) == 0 && info.st_nlink == 0 && ftruncate(fd, ROOM) == 0 &&
           pwrite(fd, "mem", 4, ROOM - 4) == 4 && pread(fd, back, 4, ROOM - 4) == 4 &&
           strcmp(back, "mem") == 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static void opens_without(unsigned flags)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (!refuse(flags))
            _exit(SKIPPED);
        int first = memfd_open(ROOM), second = memfd_open(ROOM);

        _exit(is_sound(first) && is_sound(second) && first != second ? PASSED : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), PASSED);
}

/* Whether /dev/shm has 64 KiB from now on, for this process alone. */
static bool fill_first_folder(void)
{
    return unshare(CLONE_NEWNS | (getuid() ? CLONE_NEWUSER : 0)) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64k") == 0;
}

static void full_folders_are_passed_over(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        struct stat folder, file;

        if (!fill_first_folder() || !refuse(0))
            _exit(SKIPPED);
        _exit(stat("/dev/shm", &folder) == 0 && fstat(memfd_open(2 * ROOM), &file) == 0 &&
                      file.st_dev != folder.st_dev
                  ? PASSED
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), PASSED);
}

static void memory_has_no_name(void **state)
{
    int fd = memfd_open(ROOM);

    (void)state;
    assert_true(is_sound(fd));
    close(fd);
}

static void sealed_memory_keeps_its_size(void **state)
{
    int fd = memfd_open(ROOM);

    (void)state;
    assert_int_equal(ftruncate(fd, ROOM), 0);
    memfd_seal(fd);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 2 * ROOM), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, ROOM), 0);
    close(fd);
}

static void a_file_takes_its_place(void **state)
{
    (void)state;
    opens_without(O_DIRECT); /* which nobody asks for: openat stays as it is */
}

static void a_file_with_a_name_loses_it(void **state)
{
    (void)state;
    opens_without(O_TMPFILE & ~O_DIRECTORY);
}

static void no_folder_has_so_much_room(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        if (!refuse(O_DIRECT))
            _exit(SKIPPED);
        _exit(memfd_open(SIZE_MAX / 2) < 0 && strstr(fail_note(), "no shared memory") ? PASSED : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), PASSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_folders_are_passed_over), cmocka_unit_test(memory_has_no_name),
        cmocka_unit_test(sealed_memory_keeps_its_size), cmocka_unit_test(a_file_takes_its_place),
        cmocka_unit_test(a_file_with_a_name_loses_it),  cmocka_unit_test(no_folder_has_so_much_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
