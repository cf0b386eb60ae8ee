/* litmus: small programs whose outcomes are known, for the checker itself. */
#ifndef MODELS_LITMUS_H
#define MODELS_LITMUS_H

#include "checker.h"

/* Fails a run that has this outcome: the scenario has a finding where a memory model allows it. */
#define OUTCOME(condition) CHECK(!(condition))

struct litmus {
    struct scenario scenario;
    bool weak, tso; /* whether the model is to show the outcome */
};
extern const struct litmus litmus[]; /* up to one without a name */

#endif
