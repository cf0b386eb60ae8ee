/* survive_expect: a program of mpiexec --survive that finds something wrong says what, and ends. */
#ifndef SURVIVE_EXPECT_H
#define SURVIVE_EXPECT_H

#include <stdio.h>
#include <stdlib.h>

/* With `rank`, this process's. */
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "rank %d, line %d: not so: %s\n", rank, __LINE__, #condition);                   \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

#endif
