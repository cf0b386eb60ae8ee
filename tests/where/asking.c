/* asking TIMES PAUSE PID [EACH]: asks TIMES times what the job of that rank does, with PAUSE milliseconds between, and prints all that
 * `inkling where` would. Ends early when the job does. EACH: one in so many reads is torn (torn.h). */
#include "cmd/where/say.h"

#include "torn.h"

#include <stdlib.h>
#include <time.h>

static struct job_view *find_job(struct job_view *job, int jobs, pid_t pid)
{
    for (int i = 0; i < jobs; i++)
        for (int r = 0; r < job[i].size; r++)
            if (job[i].rank[r] && job[i].rank[r]->traced.pid == pid)
                return &job[i];
    return NULL;
}

int main(int argc, char **argv)
{
    int milliseconds = argc > 2 ? atoi(argv[2]) : 0;
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    struct job_view *all, *job;
    int refused, jobs = job_list(&all, &refused), times = 0;

    job = find_job(all, jobs, argc > 3 ? atoi(argv[3]) : 0);
    if (!job) {
        fprintf(stderr, "asking: there is no such rank\n");
        return 1;
    }
    torn_begin(argc > 4 ? atoi(argv[4]) : 0);
    for (; times < atoi(argv[1]) && job_refresh(job) && job->present == job->size && job_look(job); times++) {
        say_job(stdout, job);
        nanosleep(&pause, NULL);
    }
    printf("asked %d times\n", times);
    if (argc > 4)
        fprintf(stderr, "%lu reads were torn\n", torn_count());
    return 0;
}
