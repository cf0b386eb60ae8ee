/* check: assertions for MPI test programs.
 *
 *     CHECK(flag);                              the expression holds
 *     CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS)  two integers or handles are equal
 *     CHECK_STR(name, "world")                  two strings are equal
 *     CHECK_CODE(code, MPI_ERR_TAG, "tag -1")   the error's class, and a part of its text
 *     CHECK_EQ(class_of(code), MPI_ERR_TAG)     its class
 *
 * Each evaluates its arguments once. The first failure prints file:line, the rank and the values, and ends
 * the job with exit code 1: through MPI_Abort while MPI is initialized, otherwise through exit. The macros
 * work in every build, NDEBUG or not, and in any thread.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes an array type that does not exist when x is a floating-point value: CHECK_EQ would truncate it. */
#define CHECK_NOT_REAL(x) sizeof(char[_Generic((x), float : -1, double : -1, long double : -1, default : 1)])

#define CHECK(expression) ((expression) ? (void)0 : check_failed(__FILE__, __LINE__, #expression, ""))
#define CHECK_EQ(a, b)                                                                                       \
    ((void)CHECK_NOT_REAL(a), (void)CHECK_NOT_REAL(b),                                                       \
     check_equal(__FILE__, __LINE__, #a " == " #b, (long long)(a), (long long)(b)))
#define CHECK_STR(a, b)               check_same(__FILE__, __LINE__, #a " is " #b, (a), (b))
#define CHECK_CODE(code, class, word) check_code(__FILE__, __LINE__, code, class, word)

static inline void check_failed(const char *file, int line, const char *expectation, const char *found)
{
    int initialized = 0, finalized = 0, rank = -1;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "%s:%d: rank %d: CHECK failed: %s%s\n", file, line, rank, expectation, found);
    fflush(stderr);
    if (initialized && !finalized)
        MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static inline void check_equal(const char *file, int line, const char *expectation, long long a, long long b)
{
    char found[64];
    if (a == b)
        return;
    snprintf(found, sizeof found, ": %lld is not %lld", a, b);
    check_failed(file, line, expectation, found);
}

static inline void check_same(const char *file, int line, const char *expectation, const char *a,
                              const char *b)
{
    char found[512];
    if (a && b && strcmp(a, b) == 0)
        return;
    snprintf(found, sizeof found, ": \"%.200s\" is not \"%.200s\"", a ? a : "(NULL)", b ? b : "(NULL)");
    check_failed(file, line, expectation, found);
}

static inline int class_of(int code)
{
    int class = -1;

    MPI_Error_class(code, &class);
    return class;
}

static inline void check_code(const char *file, int line, int code, int class, const char *word)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    check_equal(file, line, "error class", class_of(code), class);
    MPI_Error_string(code, text, &length);
    if (!strstr(text, word))
        check_failed(file, line, word, text);
}

#endif
