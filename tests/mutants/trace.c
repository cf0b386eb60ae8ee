/* Which lines a test executes: linked into every program and library of the traced build (mapping.py), each
 * of which gets a copy of its own.
 *
 * The compiler calls __sanitizer_cov_trace_pc where a basic block begins. It sets one byte, at the offset
 * that the call has in its module, in a file of the folder that TRACE_FOLDER names. The processes of a test
 * share that file, so that one that is killed loses nothing.
 *
 * Owner: nobody; a byte only ever becomes 1, and is read when the processes have gone.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

extern const char __ehdr_start[] HIDDEN; /* of this module, as the linker says */
extern const char __etext[] HIDDEN;

HIDDEN void __sanitizer_cov_trace_pc(void);

static char *seen;

/* The module's file: a program is asked for by /proc, since its name may be a link's. */
static const char *module_path(char *buffer, size_t size)
{
    Dl_info info;

    if (dladdr(__ehdr_start, &info) && strstr(info.dli_fname, ".so"))
        return info.dli_fname;
    ssize_t length = readlink("/proc/self/exe", buffer, size - 1);
    buffer[length > 0 ? length : 0] = '\0';
    return buffer;
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *folder = getenv("TRACE_FOLDER");
    size_t size = (uintptr_t)__etext - (uintptr_t)__ehdr_start;
    char path[8192], buffer[4096];

    if (!folder)
        return;
    const char *module = module_path(buffer, sizeof buffer);
    const char *slash = strrchr(module, '/');
    snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : module);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    if (!ftruncate(fd, (off_t)size)) {
        void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        seen = mapped == MAP_FAILED ? NULL : mapped;
    }
    close(fd);
}

void __sanitizer_cov_trace_pc(void)
{
    char *byte = seen;

    if (!byte)
        return;
    byte += (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;
    if (!*byte)
        *byte = 1;
}
