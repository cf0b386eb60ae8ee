#include "cmd/where/screen.h"

#include "cmd/where/say.h"
#include "plain/clock.h"

#include <curses.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SAMPLES = 20, /* a second: whether a rank waits */
    SAMPLE_MS = 1000 / SAMPLES
};

/* What is used of ncurses. */
static struct {
    __typeof__(initscr) *initscr;
    __typeof__(cbreak) *cbreak;
    __typeof__(noecho) *noecho;
    __typeof__(endwin) *endwin;
    __typeof__(wtimeout) *wtimeout;
    __typeof__(wgetch) *wgetch;
    __typeof__(wmove) *wmove;
    __typeof__(waddnstr) *waddnstr;
    __typeof__(wclrtobot) *wclrtobot;
    __typeof__(wrefresh) *wrefresh;
    int (*columns)(const WINDOW *);
    int (*rows)(const WINDOW *);
} nc;

/* Of the last second, by rank. */
struct shares {
    int waits;      /* samples that found its first thread waiting in MPI */
    uint64_t ticks; /* of cores that it had used before */
    double core;    /* of a core that it used */
};

static bool load_curses(void)
{
    const struct {
        const char *name;
        void *at;
    } wanted[] = {
        {"initscr", &nc.initscr},   {"cbreak", &nc.cbreak},     {"noecho", &nc.noecho},
        {"endwin", &nc.endwin},     {"wtimeout", &nc.wtimeout}, {"wgetch", &nc.wgetch},
        {"wmove", &nc.wmove},       {"waddnstr", &nc.waddnstr}, {"wclrtobot", &nc.wclrtobot},
        {"wrefresh", &nc.wrefresh}, {"getmaxx", &nc.columns},   {"getmaxy", &nc.rows},
    };
    void *library = dlopen("libncursesw.so.6", RTLD_NOW | RTLD_GLOBAL);

    if (!library)
        library = dlopen("libncurses.so.6", RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; library && i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(library, wanted[i].name);

        if (!symbol)
            return false;
        memcpy(wanted[i].at, &symbol, sizeof symbol);
    }
    return library != NULL;
}

/* Whether ranks wait at this moment; that takes no stacks to be followed. */
static void take_sample(const struct job_view *job, struct shares *shares)
{
    static struct stack_copy copy;
    bool refused;

    for (int r = 0; r < job->size; r++)
        if (job->rank[r] &&
            stack_capture(&job->rank[r]->traced, job->rank[r]->traced.pid, NULL, &copy, &refused))
            shares[r].waits += copy.has_wait;
}

static void take_ticks(const struct job_view *job, struct shares *shares)
{
    double hertz = (double)sysconf(_SC_CLK_TCK);

    for (int r = 0; r < job->size; r++) {
        uint64_t ticks = job->rank[r] ? traced_ticks(job->rank[r]->traced.pid) : 0;

        shares[r].core = ticks > shares[r].ticks ? (double)(ticks - shares[r].ticks) / hertz : 0;
        shares[r].ticks = ticks;
    }
}

static void print_shares(FILE *out, const struct job_view *job, const struct shares *shares)
{
    fprintf(out, "\nin the last second   rank    waits in MPI    of a core\n");
    for (int r = 0; r < job->size; r++)
        if (job->rank[r])
            fprintf(out, "%25d %14d %% %10.0f %%\n", r, 100 * shares[r].waits / SAMPLES,
                    100 * shares[r].core);
}

/* Shows the lines of a text as far as there is room. */
static void draw(WINDOW *screen, const char *text)
{
    int rows = nc.rows(screen), columns = nc.columns(screen), row = 0;

    for (; *text && row < rows; row++) {
        int length = (int)strcspn(text, "\n");

        nc.wmove(screen, row, 0);
        nc.wclrtobot(screen);
        nc.waddnstr(screen, text, length < columns ? length : columns);
        text += length + (text[length] == '\n');
    }
    if (row < rows) {
        nc.wmove(screen, row, 0);
        nc.wclrtobot(screen);
    }
    nc.wrefresh(screen);
}

static bool show(WINDOW *screen, struct job_view *job, const struct shares *shares)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out || !job_look(job))
        return false;
    fprintf(out, "%s: %d of %d ranks here; q ends\n\n", job->first.command, job->present, job->size);
    say_job(out, job);
    print_shares(out, job, shares);
    fclose(out);
    draw(screen, text);
    free(text);
    return true;
}

/* Samples for a second, in which a key may be pressed. False: q. */
static bool sample_second(WINDOW *screen, const struct job_view *job, struct shares *shares)
{
    bool goes_on = true;

    for (int r = 0; r < job->size; r++)
        shares[r].waits = 0;
    for (int i = 0; i < SAMPLES && goes_on; i++) {
        take_sample(job, shares);
        goes_on = nc.wgetch(screen) != 'q';
    }
    take_ticks(job, shares);
    return goes_on;
}

int screen_run(struct job_view *job)
{
    struct shares *shares = calloc((size_t)job->size, sizeof *shares);
    bool goes_on = true;
    WINDOW *screen;

    if (!shares || !isatty(STDOUT_FILENO) || !load_curses()) {
        fprintf(stderr, "inkling: where --watch: %s\n",
                !shares                  ? "no memory"
                : !isatty(STDOUT_FILENO) ? "the output is no terminal; leave --watch out"
                                         : "ncurses is not installed (apt install libncursesw6)");
        free(shares);
        return 1;
    }
    screen = nc.initscr();
    nc.cbreak();
    nc.noecho();
    nc.wtimeout(screen, SAMPLE_MS);
    take_ticks(job, shares);
    while (goes_on && job_refresh(job) && show(screen, job, shares))
        goes_on = sample_second(screen, job, shares);
    nc.endwin();
    free(shares);
    return 0;
}
