/* asking TIMES PAUSE PID: asks TIMES times what the job of that rank does, with PAUSE milliseconds between, and prints all that
 * `inkling where` would. Ends early when the job does. */
#include "cmd/where/say.h"

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
    struct timespec pause = {0, 1000000L * (argc > 2 ? atoi(argv[2]) : 0)};
    struct job_view *all, *job;
    int refused, jobs = job_list(&all, &refused), times = 0;

    job = find_job(all, jobs, argc > 3 ? atoi(argv[3]) : 0);
    if (!job) {
        fprintf(stderr, "asking: there is no such rank\n");
        return 1;
    }
    for (; times < atoi(argv[1]) && job_refresh(job) && job->present == job->size && job_look(job); times++) {
        say_job(stdout, job);
        nanosleep(&pause, NULL);
    }
    printf("asked %d times\n", times);
    return 0;
}
