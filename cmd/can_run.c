#include "cmd/inkling.h"

#include "cmd/abi/built_for.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is known of the program. */
struct can_run_answer {
    struct abi_found found;
    const char *why_not; /* NULL: it can run */
    const char *taken;   /* the library that it gets; NULL: none */
    struct words used, missing, unsupported;
};

static bool is_mpi_name(const char *name)
{
    static const char *const prefixes[] = {"MPI_", "PMPI_", "MPIX_", "PMPIX_", "OMPI_",   "ompi_",
                                           "mpi_", "pmpi_", "MPIR_", "MPII_",  "_ZN3MPI", "_ZNK3MPI"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* A variable of the namespace MPI, as the C++ bindings have: _ZN3MPI, the length of its name, the name, E. */
static bool is_cxx_variable(const char *name)
{
    char *rest;
    unsigned long length;

    if (strncmp(name, "_ZN3MPI", 7) != 0)
        return false;
    length = strtoul(name + 7, &rest, 10);
    return rest > name + 7 && strlen(rest) == length + 1 && rest[length] == 'E';
}

/* Variables of the other library, of which a program has copies. */
static bool is_copied(const char *name)
{
    return strncmp(name, "ompi_mpi_", 9) == 0 || is_cxx_variable(name);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool has_name_in(const struct words *sorted, char *name)
{
    return sorted->count > 0 &&
           bsearch(&name, sorted->word, (size_t)sorted->count, sizeof *sorted->word, compare_names) != NULL;
}

/* Sorts, and leaves each name once. */
static void sort_names(struct words *names)
{
    int left = 0;

    if (names->count == 0)
        return;
    qsort(names->word, (size_t)names->count, sizeof *names->word, compare_names);
    for (int i = 0; i < names->count; i++)
        if (left == 0 || strcmp(names->word[left - 1], names->word[i]) != 0)
            names->word[left++] = names->word[i];
    names->count = left;
}

/* What the parts of the program use of MPI, and what they define of it themselves. */
static void list_used(struct can_run_answer *a, struct words *own)
{
    const struct closure *c = &a->found.closure;
    struct words names = {0};

    for (int i = 0; i < c->count; i++)
        if (c->part[i].file.bytes) {
            elf_file_list(&c->part[i].file, ELF_UNDEFINED, &names);
            elf_file_list(&c->part[i].file, ELF_DEFINED, own);
        }
    for (int i = 0; i < own->count; i++)
        if (is_copied(own->word[i]))
            words_add(&names, own->word[i]);
    for (int i = 0; i < names.count; i++)
        if (is_mpi_name(names.word[i]))
            words_add(&a->used, names.word[i]);
    sort_names(&a->used);
    free(names.word);
}

/* What the libraries define that the program gets. */
static void list_offered(const struct can_run_answer *a, enum elf_what what, struct words *offered)
{
    const struct closure *c = &a->found.closure;

    for (int i = 1; i < c->count; i++) {
        char *path = words_format("%s/%s", abi_folder(a->found.abi), c->part[i].name);
        struct elf_file file; /* stays open for its names */

        if (abi_is_mpi(c->part[i].name) && elf_file_open(path, &file))
            elf_file_list(&file, what, offered);
        free(path);
    }
    sort_names(offered);
}

static void list_missing(struct can_run_answer *a)
{
    struct words own = {0}, offered = {0}, unsupported = {0};

    list_used(a, &own);
    list_offered(a, ELF_DEFINED, &offered);
    list_offered(a, ELF_UNSUPPORTED, &unsupported);
    sort_names(&own);
    for (int i = 0; i < a->used.count; i++) {
        char *name = a->used.word[i];

        if (!has_name_in(&offered, name) && (is_copied(name) || !has_name_in(&own, name)))
            words_add(&a->missing, name);
        if (has_name_in(&unsupported, name))
            words_add(&a->unsupported, name);
    }
}

/* Why what is missing is not merely too new: the library for programs of the other MPI has it. */
static const char *find_other_world(const struct can_run_answer *a)
{
    enum abi other = a->found.abi == ABI_MPICH ? ABI_OPEN_MPI : ABI_MPICH;
    const char *library = other == ABI_MPICH ? "libmpich.so.12" : "libmpi.so.40", *found = NULL;
    struct words offered = {0};
    struct elf_file file;

    if (a->found.abi == ABI_STANDARD ||
        !elf_file_open(words_format("%s/%s", abi_folder(other), library), &file))
        return NULL;
    elf_file_list(&file, ELF_DEFINED, &offered);
    sort_names(&offered);
    for (int i = 0; i < a->missing.count && !found; i++)
        if (has_name_in(&offered, a->missing.word[i]))
            found = words_format(
                "it was built for %s and uses %s, which only %s has; build all of it with one MPI",
                a->found.of, a->missing.word[i], other == ABI_MPICH ? "MPICH" : "Open MPI");
    free(offered.word);
    return found;
}

/* Whether the name is one of a call, other than those that every program has. */
static bool is_worth_running(const char *name)
{
    return !is_copied(name) && strncmp(name, "MPI_Init", 8) != 0 && strncmp(name, "MPI_Final", 9) != 0;
}

/* Why what is not supported leaves nothing to run; NULL: it does. */
static const char *find_unsupported(const struct can_run_answer *a)
{
    bool is_any_left = a->unsupported.count == 0;

    for (int i = 0; i < a->used.count && !is_any_left; i++)
        is_any_left = is_worth_running(a->used.word[i]) && !has_name_in(&a->unsupported, a->used.word[i]);
    return is_any_left ? NULL : "it calls only what Inkling does not support";
}

/* The program cannot be loaded without this one. */
static const char *find_unloadable(const struct can_run_answer *a)
{
    const struct closure *c = &a->found.closure;

    for (int i = 1; i < c->count; i++)
        if (!c->part[i].path && !abi_is_mpi(c->part[i].name))
            return words_format("'%s' needs %s, which is not found", c->part[c->part[i].needed_by].path,
                                c->part[i].name);
    return NULL;
}

/* The library that goes with each that the program needs must be there. */
static const char *can_run_find_absent(const struct can_run_answer *a)
{
    const struct closure *c = &a->found.closure;

    for (int i = 1; i < c->count; i++)
        if (abi_is_mpi(c->part[i].name) && !abi_has(a->found.abi, c->part[i].name))
            return words_format("this Inkling has no %s for programs of %s", c->part[i].name, a->found.of);
    return NULL;
}

static void look_at(const char *program, struct can_run_answer *a)
{
    char *argument = words_format("%s", program);
    struct words argv = {0};

    words_add(&argv, argument);
    if (abi_find(program, &argv, getenv("LD_LIBRARY_PATH"), &a->found)) {
        a->why_not = words_format("%s", fail_note());
        return;
    }
    a->why_not = find_unloadable(a);
    if (!a->why_not && a->found.abi != ABI_NONE)
        a->why_not = can_run_find_absent(a);
    if (a->why_not || a->found.abi == ABI_NONE)
        return;
    a->taken = words_format("%s/%s", abi_folder(a->found.abi), a->found.library);
    list_missing(a);
    if (abi_check_versions(&a->found))
        a->why_not = words_format("%s", fail_note());
    else if (a->missing.count > 0)
        a->why_not = find_other_world(a);
    else
        a->why_not = find_unsupported(a);
    if (!a->why_not && a->missing.count > 0)
        a->why_not = words_format("%s lacks what the program uses", a->found.library);
}

static void print_table_row(const char *name, const char *value)
{
    if (value)
        printf("%-12s %s\n", name, value);
}

/* The libraries for Fortran and C++ that the program needs beside that of C. */
static void print_bindings(const struct abi_found *found)
{
    const struct closure *c = &found->closure;

    for (int i = 1; i < c->count; i++)
        if (abi_language(c->part[i].name))
            printf("%-12s %s: %s%s\n", abi_language(c->part[i].name), c->part[i].name,
                   abi_has(found->abi, c->part[i].name) ? abi_folder(found->abi) : "is not here",
                   abi_has(found->abi, c->part[i].name) ? words_format("/%s", c->part[i].name) : "");
}

static void can_run_print_list(const char *name, const struct words *list)
{
    for (int i = 0; i < list->count; i++)
        print_table_row(i == 0 ? name : "", list->word[i]);
}

static void print_table(const char *program, const struct can_run_answer *a)
{
    print_table_row("program", program);
    if (a->found.looked_at && strcmp(a->found.looked_at, program) != 0)
        print_table_row("looked at", a->found.looked_at);
    print_table_row("not seen", a->found.unseen);
    print_table_row("built for",
                    a->found.abi == ABI_NONE ? a->why_not ? NULL : "no MPI that can be seen" : a->found.of);
    if (a->found.library)
        printf("%-12s %s, by %s\n", "needs", a->found.library, a->found.needed_by);
    print_table_row("gets", a->taken);
    print_bindings(&a->found);
    if (a->taken)
        printf("%-12s %d used, %d missing\n", "symbols", a->used.count, a->missing.count);
    can_run_print_list("missing", &a->missing);
    can_run_print_list("unsupported", &a->unsupported);
    printf("%-12s %s%s%s\n", "can run", a->why_not ? "no" : "yes", a->why_not ? ": " : "",
           a->why_not ? a->why_not : "");
}

static void print_json_text(const char *text)
{
    if (!text) {
        printf("null");
        return;
    }
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

static void print_json_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    print_json_text(text);
}

static void print_names(const char *name, const struct words *names)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < names->count; i++) {
        printf("%s", i ? ", " : "");
        print_json_text(names->word[i]);
    }
    printf("]");
}

static void print_json_bindings(const struct abi_found *found)
{
    const struct closure *c = &found->closure;
    const char *before = "";

    printf(", \"bindings\": [");
    for (int i = 1; i < c->count; i++)
        if (abi_language(c->part[i].name)) {
            printf("%s{\"library\": ", before);
            print_json_text(c->part[i].name);
            print_json_member("language", abi_language(c->part[i].name));
            printf(", \"is_here\": %s}", abi_has(found->abi, c->part[i].name) ? "true" : "false");
            before = ", ";
        }
    printf("]");
}

static void can_run_print_json(const char *program, const struct can_run_answer *a)
{
    static const char *const abis[] = {NULL, "standard", "openmpi", "mpich"};

    printf("{\"program\": ");
    print_json_text(program);
    print_json_member("looked_at", a->found.looked_at);
    print_json_member("not_seen", a->found.unseen);
    print_json_member("abi", abis[a->found.abi]);
    print_json_member("built_for", a->found.of);
    print_json_member("needs", a->found.library);
    print_json_member("needed_by", a->found.needed_by);
    print_json_member("gets", a->taken);
    print_names("used", &a->used);
    print_names("missing", &a->missing);
    print_names("unsupported", &a->unsupported);
    print_json_bindings(&a->found);
    printf(", \"can_run\": %s", a->why_not ? "false" : "true");
    print_json_member("why_not", a->why_not);
    printf("}\n");
}

int can_run(const char *name, bool as_json)
{
    struct can_run_answer a = {0};
    char *program = name ? abi_find_command(name) : NULL;

    if (!program) {
        fprintf(stderr, "inkling: can-run: there is no program '%s'; name one, such as ./a.out\n",
                name ? name : "");
        return 1;
    }
    look_at(program, &a);
    if (as_json)
        can_run_print_json(program, &a);
    else
        print_table(program, &a);
    return a.why_not != NULL;
}
