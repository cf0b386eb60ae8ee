#include "start.h"

#include <string.h>

#ifndef FORTRAN_FOREIGN
__attribute__((constructor)) static void find_below(void)
{
    where_find_mark();
}
#endif

/* What this library knows of Fortran: sizes of default types, and kinds that every compiler here has. */
static const struct {
    const char *key, *value;
} properties[] = {
    {"mpi_logical_size", "4"},
    {"mpi_integer_size", "4"},
    {"mpi_real_size", "4"},
    {"mpi_double_precision_size", "8"},
    {"mpi_logical1_supported", "true"},
    {"mpi_logical2_supported", "true"},
    {"mpi_logical4_supported", "true"},
    {"mpi_logical8_supported", "true"},
    {"mpi_logical16_supported", "false"},
    {"mpi_integer1_supported", "true"},
    {"mpi_integer2_supported", "true"},
    {"mpi_integer4_supported", "true"},
    {"mpi_integer8_supported", "true"},
    {"mpi_integer16_supported", "false"},
    {"mpi_real2_supported", "false"},
    {"mpi_real4_supported", "true"},
    {"mpi_real8_supported", "true"},
    {"mpi_real16_supported", "false"},
    {"mpi_complex4_supported", "false"},
    {"mpi_complex8_supported", "true"},
    {"mpi_complex16_supported", "true"},
    {"mpi_complex32_supported", "false"},
    {"mpi_double_complex_supported", "true"},
};

/* Tells a C library that does not know it what Fortran's types are (21.4.1). */
static void set_properties(void)
{
    MPI_Info info;

    if (MPI_Abi_get_fortran_info(&info) != MPI_SUCCESS)
        return;
    if (info == MPI_INFO_NULL && MPI_Info_create(&info) == MPI_SUCCESS) {
        for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
            MPI_Info_set(info, properties[i].key, properties[i].value);
        MPI_Abi_set_fortran_info(info);
    }
    MPI_Info_free(&info);
}

/* LOGICAL as the C library, or the program before us, says it is; else .TRUE. is 1, which all compilers of Linux read as true. */
static void set_logicals(void)
{
    int is_set = 0, true_value = 1, false_value = 0;

    if (MPI_Abi_get_fortran_booleans(sizeof true_value, &true_value, &false_value, &is_set) != MPI_SUCCESS)
        return;
    if (is_set) {
        fortran_true = true_value;
        fortran_false = false_value;
    } else {
        MPI_Abi_set_fortran_booleans(sizeof fortran_true, &fortran_true, &fortran_false);
    }
}

int fortran_init(void)
{
    set_properties();
    set_logicals();
    return MPI_Init(NULL, NULL);
}

int fortran_init_thread(const int *required, int *provided)
{
    set_properties();
    set_logicals();
    return MPI_Init_thread(NULL, NULL, *required, provided);
}

int fortran_session_init(const int *info, const int *errhandler, int *session)
{
    MPI_Session made;
    int error;

    set_properties();
    set_logicals();
    error = MPI_Session_init(info_in(*info), errhandler_in(*errhandler), &made);
    if (!error)
        *session = PMPI_Session_toint(made);
    return error;
}

/* The two literals are of any size; only those of default LOGICALs matter to this library. */
int fortran_get_booleans(const int *size, int *true_value, int *false_value, int *is_set)
{
    int set = 0, error = MPI_Abi_get_fortran_booleans(*size, true_value, false_value, &set);

    if (!error)
        *is_set = logical_out(set);
    return error;
}

int fortran_set_booleans(const int *size, const int *true_value, const int *false_value)
{
    int error =
        MPI_Abi_set_fortran_booleans(*size, (void *)(intptr_t)true_value, (void *)(intptr_t)false_value);

    if (!error && *size == (int)sizeof fortran_true) {
        fortran_true = *true_value;
        fortran_false = *false_value;
    }
    return error;
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ')
            return false;
    return true;
}

/* An array of strings up to the first blank one, as C's argv; the next string is `stride` bytes on. NULL: no memory. */
static char **texts_in(struct scratch *scratch, const char *text, size_t length, size_t stride)
{
    size_t count = 0;
    char **argv;

    while (!is_blank(text + count * stride, length))
        count++;
    argv = scratch_take(scratch, (count + 1) * sizeof *argv);
    for (size_t i = 0; argv && i < count; i++)
        argv[i] = text_between_in(scratch, text + i * stride, length);
    if (argv)
        argv[count] = NULL;
    return argv;
}

/* Only the root's command and arguments count. */
static bool is_root(const int *root, MPI_Comm comm)
{
    int rank = -1;

    return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == *root;
}

int fortran_spawn(const char *command, const char *argv, const int *maxprocs, const int *info,
                  const int *root, const int *comm, int *intercomm, int *errcodes, size_t command_length,
                  size_t argv_length)
{
    MPI_Comm parents = comm_in(*comm), made;
    struct scratch scratch;
    char *name = NULL, **words = MPI_ARGV_NULL;
    int error;

    scratch_start(&scratch);
    if (is_root(root, parents)) {
        name = text_between_in(&scratch, command, command_length);
        if (!is_argv_null(argv))
            words = texts_in(&scratch, argv, argv_length, argv_length);
    }
    if (scratch.failed)
        return scratch_fail(&scratch);
    error =
        MPI_Comm_spawn(name, words, *maxprocs, info_in(*info), *root, parents, &made, errcodes_in(errcodes));
    if (!error)
        *intercomm = PMPI_Comm_toint(made);
    scratch_free(&scratch);
    return error;
}

int fortran_spawn_multiple(const int *count, const char *commands, const char *argvs, const int *maxprocs,
                           const int *infos, const int *root, const int *comm, int *intercomm, int *errcodes,
                           size_t command_length, size_t argv_length)
{
    MPI_Comm parents = comm_in(*comm), made;
    size_t n = *count > 0 ? (size_t)*count : 0;
    char **name = NULL, ***words = MPI_ARGVS_NULL;
    MPI_Info *info = NULL;
    struct scratch scratch;
    int error;

    scratch_start(&scratch);
    if (is_root(root, parents)) {
        info = infos_in(&scratch, infos, *count);
        name = scratch_take(&scratch, n * sizeof *name);
        words = is_argv_null(argvs) ? MPI_ARGVS_NULL : scratch_take(&scratch, n * sizeof *words);
        for (size_t i = 0; !scratch.failed && i < n; i++) {
            name[i] = text_between_in(&scratch, commands + i * command_length, command_length);
            if (words) /* array_of_argv(i, :): the arguments of a command are a row */
                words[i] = texts_in(&scratch, argvs + i * argv_length, argv_length, n * argv_length);
        }
    }
    if (scratch.failed)
        return scratch_fail(&scratch);
    error = MPI_Comm_spawn_multiple(*count, name, words, maxprocs, info, *root, parents, &made,
                                    errcodes_in(errcodes));
    if (!error)
        *intercomm = PMPI_Comm_toint(made);
    scratch_free(&scratch);
    return error;
}

int fortran_info_create_env(int *info)
{
    MPI_Info made;
    int error = MPI_Info_create_env(0, NULL, &made);

    if (!error)
        *info = PMPI_Info_toint(made);
    return error;
}

int fortran_info_get(const int *info, const char *key, const int *valuelen, char *value, int *flag,
                     size_t key_length, size_t value_length)
{
    struct scratch scratch;
    char *key_in, *got;
    int error, there = 0;

    scratch_start(&scratch);
    key_in = text_between_in(&scratch, key, key_length);
    got = scratch_take(&scratch, *valuelen > 0 ? (size_t)*valuelen + 1 : 1);
    error = scratch.failed ? scratch_fail(&scratch)
                           : MPI_Info_get(info_in(*info), key_in, *valuelen, got, &there);
    if (!error) {
        *flag = logical_out(there);
        if (there)
            text_out(got, value, value_length);
    }
    scratch_free(&scratch);
    return error;
}

/* In C the length counts the NUL. Of a buffer of none, C does not write, and says how long the value is. */
int fortran_info_get_string(const int *info, const char *key, int *buflen, char *value, int *flag,
                            size_t key_length, size_t value_length)
{
    int error, there = 0, length = *buflen > 0 ? *buflen + 1 : 0;
    struct scratch scratch;
    char *key_in, *got;

    scratch_start(&scratch);
    key_in = text_between_in(&scratch, key, key_length);
    got = scratch_take(&scratch, length ? (size_t)length : 1);
    error = scratch.failed ? scratch_fail(&scratch)
                           : MPI_Info_get_string(info_in(*info), key_in, &length, got, &there);
    if (!error) {
        *flag = logical_out(there);
        if (there && *buflen > 0) /* blanks behind a short one, to the end of value */
            text_out(got, value, value_length);
        if (there)
            *buflen = length - 1;
    }
    scratch_free(&scratch);
    return error;
}

int fortran_session_get_nth_pset(const int *session, const int *info, const int *n, int *pset_len,
                                 char *pset_name, size_t pset_name_length)
{
    int error, length = *pset_len > 0 ? *pset_len + 1 : 0;
    struct scratch scratch;
    char *got;

    scratch_start(&scratch);
    got = scratch_take(&scratch, length ? (size_t)length : 1);
    error = scratch.failed ? scratch_fail(&scratch)
                           : MPI_Session_get_nth_pset(session_in(*session), info_in(*info), *n, &length, got);
    if (!error) {
        if (*pset_len > 0)
            text_out(got, pset_name, pset_name_length);
        *pset_len = length - 1;
    }
    scratch_free(&scratch);
    return error;
}

int fortran_status_copy(const void *from, void *to)
{
    memcpy(to, from, sizeof(MPI_Status));
    return MPI_SUCCESS;
}

void fortran_pcontrol(const int *level)
{
    MPI_Pcontrol(*level);
}

/* Does nothing: the compiler cannot know that, so the buffer is in memory around the call (20.1.8). */
void fortran_sync_register(void *buffer)
{
    (void)buffer;
}
