#include "cmd/inkling.h"

#include "cmd/place.h"
#include "networks.h"
#include "plain/json.h"

#include <mpi.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

static void print_build(const struct install_place *place, const struct utsname *system, bool found)
{
    printf("Inkling    %s, MPI %d.%d, standard ABI\n", INKLING_VERSION, MPI_VERSION, MPI_SUBVERSION);
    printf("build      %s, by %s%s%s\n", INKLING_BUILD_TYPE, INKLING_COMPILER,
           *INKLING_WRAPPER_FLAGS ? ", " : "", INKLING_WRAPPER_FLAGS);
    printf("place      %s%s\n", place->in_build_tree ? "a build tree" : "installed",
           found ? "" : " (the library or mpi.h is missing)");
    printf("commands   %s\n", place->bin);
    printf("library    %s/libmpi_abi.so.1\n", place->lib);
    printf("mpi.h      %s\n", place->include);
    printf("valgrind   %s/inkling.supp\n", place->share);
    printf("this host  %s %s, %s, %ld cores\n", system->sysname, system->release, system->machine,
           sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_json_build(const struct install_place *place, const struct utsname *system, bool found)
{
    json_write_member(stdout, "{", "inkling", INKLING_VERSION);
    printf(", \"mpi\": \"%d.%d\"", MPI_VERSION, MPI_SUBVERSION);
    json_write_member(stdout, ", ", "build", INKLING_BUILD_TYPE);
    json_write_member(stdout, ", ", "compiler", INKLING_COMPILER);
    json_write_member(stdout, ", ", "flags", INKLING_WRAPPER_FLAGS);
    printf(", \"installed\": %s, \"complete\": %s", place->in_build_tree ? "false" : "true",
           found ? "true" : "false");
    json_write_member(stdout, ", ", "commands", place->bin);
    json_write_member(stdout, ", ", "library", place->lib);
    json_write_member(stdout, ", ", "mpi.h", place->include);
    json_write_member(stdout, ", ", "share", place->share);
    json_write_member(stdout, ", ", "system", system->sysname);
    json_write_member(stdout, ", ", "release", system->release);
    json_write_member(stdout, ", ", "machine", system->machine);
    printf(", \"cores\": %ld}\n", sysconf(_SC_NPROCESSORS_ONLN));
}

int build_info_print(bool as_json)
{
    struct utsname system = {0};
    struct install_place place;
    bool found = place_find(&place);

    uname(&system);
    (as_json ? print_json_build : print_build)(&place, &system, found);
    return found ? 0 : 1;
}

#define NETWORK_ROW(name, library, version, file) {#name, library, version},
static const struct {
    const char *name, *library, *version; /* of its headers; "" if there were none */
} networks[] = {NETWORKS(NETWORK_ROW)};

enum {
    NETWORK_COUNT = sizeof networks / sizeof *networks
};

static void print_networks(void)
{
    bool are_any = false;

    printf("transports: self, shm");
    for (int i = 0; i < NETWORK_COUNT; i++)
        if (*networks[i].version) {
            printf(", %s (%s %s)", networks[i].name, networks[i].library, networks[i].version);
            are_any = true;
        }
    for (int i = 0; i < NETWORK_COUNT; i++)
        if (!*networks[i].version)
            printf("; not %s: built without %s's headers (apt install %s-dev; make)", networks[i].name,
                   networks[i].library, networks[i].library);
    printf("%s\n", are_any ? "" : "; so one host only");
}

/* INKLING_PMIX and INKLING_LIBDW are the versions of the headers; "" if there were none. */
void build_info_print_transports(void)
{
    print_networks();
    if (*INKLING_PMIX)
        printf("launchers:  mpiexec, PMI-1, PMIx (libpmix %s)\n", INKLING_PMIX);
    else
        printf("launchers:  mpiexec, PMI-1; not PMIx: built without libpmix's headers "
               "(apt install libpmix-dev; make)\n");
    if (*INKLING_LIBDW)
        printf("stacks:     inkling where names calls and lines (libdw %s)\n", INKLING_LIBDW);
    else
        printf("stacks:     inkling where names no calls and lines: built without elfutils' headers "
               "(apt install libdw-dev; make)\n");
    printf("\n");
}

void build_info_print_json_transports(void)
{
    printf("\"transports\": [\"self\", \"shm\"");
    for (int i = 0; i < NETWORK_COUNT; i++)
        if (*networks[i].version)
            printf(", \"%s\"", networks[i].name);
    printf("], ");
    for (int i = 0; i < NETWORK_COUNT; i++)
        json_write_member(stdout, i ? ", " : "", networks[i].library,
                          *networks[i].version ? networks[i].version : NULL);
    printf(", \"launchers\": [\"mpiexec\", \"PMI-1\"%s], ", *INKLING_PMIX ? ", \"PMIx\"" : "");
    json_write_member(stdout, "", "libpmix", *INKLING_PMIX ? INKLING_PMIX : NULL);
    json_write_member(stdout, ", ", "libdw", *INKLING_LIBDW ? INKLING_LIBDW : NULL);
}
