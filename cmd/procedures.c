#include "cmd/inkling.h"

#include "plain/json.h"
#include "plain/spelling.h"

#include <coverage.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void print_fortran(const struct coverage_row *row)
{
    if (!row->fortran) {
        printf("in C alone\n");
        return;
    }
    printf("in Fortran: %s, with%s%s mpi_f08%s\n", row->fortran,
           row->interfaces & COVERAGE_MPIF_H ? " mpif.h," : "", row->interfaces & COVERAGE_MPI ? " mpi," : "",
           INKLING_FORTRAN[0] ? "" : "; this build has none of these");
}

static void procedures_print_row(const struct coverage_row *row)
{
    printf("%s (chapter %d, %s): %s\n", row->name, row->number, row->chapter,
           row->body ? "works" : "not written yet; it raises MPI_ERR_UNSUPPORTED_OPERATION");
    if (row->body)
        printf("its body is %s in %s\n", row->body, row->file);
    print_fortran(row);
}

static void procedures_json_row(const struct coverage_row *row)
{
    json_write_member(stdout, "{", "procedure", row->name);
    printf(", \"number\": %d", row->number);
    json_write_member(stdout, ", ", "chapter", row->chapter);
    printf(", \"works\": %s", row->body ? "true" : "false");
    json_write_member(stdout, ", ", "body", row->body);
    json_write_member(stdout, ", ", "file", row->body ? row->file : NULL);
    json_write_member(stdout, ", ", "fortran", row->fortran);
    printf(", \"mpif.h\": %s, \"mpi\": %s}\n", row->interfaces & COVERAGE_MPIF_H ? "true" : "false",
           row->interfaces & COVERAGE_MPI ? "true" : "false");
}

bool procedures_print_one(const char *name, bool as_json, const char **near)
{
    size_t left_out =
        strncasecmp(name, "mpi_", 4) == 0 ? 0 : strlen("MPI_"); /* who leaves it out is reminded */
    int distance, best = INT_MAX;

    *near = NULL;
    for (const struct coverage_row *row = coverage_table; row->name; row++) {
        if (strcasecmp(row->name, name) == 0) {
            (as_json ? procedures_json_row : procedures_print_row)(row);
            return true;
        }
        if (spelling_is_near(name, row->name + left_out, &distance) && distance < best) {
            best = distance;
            *near = row->name;
        }
    }
    return false;
}

/* What the rows of a chapter, or all of them, come to. */
struct procedure_count {
    int all, work, mpif_h, mpi, mpi_f08;
};

static void count_row(struct procedure_count *count, const struct coverage_row *row)
{
    count->all++;
    count->work += row->body != NULL;
    count->mpif_h += (row->interfaces & COVERAGE_MPIF_H) != 0;
    count->mpi += (row->interfaces & COVERAGE_MPI) != 0;
    count->mpi_f08 += (row->interfaces & COVERAGE_MPI_F08) != 0;
}

static void print_count(int number, const char *chapter, const struct procedure_count *count)
{
    char title[80];

    snprintf(title, sizeof title, number ? "%2d  %s" : "%.0d%s", number, chapter);
    printf("%-58s%9d%8d", title, count->work, count->all);
    if (INKLING_FORTRAN[0])
        printf("%10d%8d%9d", count->mpif_h, count->mpi, count->mpi_f08);
    putchar('\n');
}

static void print_json_count(int number, const char *chapter, const struct procedure_count *count)
{
    printf("\n  {\"number\": %d", number);
    json_write_member(stdout, ", ", "chapter", chapter);
    printf(", \"work\": %d, \"of\": %d, \"mpif.h\": %d, \"mpi\": %d, \"mpi_f08\": %d}", count->work,
           count->all, count->mpif_h, count->mpi, count->mpi_f08);
}

static void procedures_print_head(bool as_json)
{
    if (as_json) {
        printf("{");
        build_info_print_json_transports();
        json_write_member(stdout, ", ", "fortran", INKLING_FORTRAN[0] ? INKLING_FORTRAN : NULL);
        printf(", \"chapters\": [");
        return;
    }
    build_info_print_transports();
    printf("%-58s%9s%8s%s\n", "chapter", "works", "of",
           INKLING_FORTRAN[0] ? "    mpif.h     mpi  mpi_f08" : "");
}

static void procedures_print_tail(bool as_json)
{
    if (as_json)
        printf("]}\n");
    else
        printf("\nThe others raise MPI_ERR_UNSUPPORTED_OPERATION. %s\n",
               INKLING_FORTRAN[0] ? "The last columns count what Fortran can call."
                                  : "This build has no Fortran: install a compiler, and run make.");
}

int procedures_print(bool as_json)
{
    const struct coverage_row *row = coverage_table;
    struct procedure_count all = {0};

    procedures_print_head(as_json);
    while (row->name) {
        const struct coverage_row *first = row;
        struct procedure_count count = {0};

        for (; row->name && row->number == first->number; row++) {
            count_row(&count, row);
            count_row(&all, row);
        }
        (as_json ? print_json_count : print_count)(first->number, first->chapter, &count);
        if (as_json)
            printf(",");
    }
    (as_json ? print_json_count : print_count)(0, "all", &all);
    procedures_print_tail(as_json);
    return 0;
}
