#include "cmd/where/screen.h"

#include "cmd/where/job_view.h"
#include "cmd/where/say.h"

#include <curses.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void print_shares(FILE *out, const struct job_view *job)
{
    char rate[32];

    fprintf(out, "\nin the last second   rank    waits in MPI    of a core    messages from this host\n");
    for (int r = 0; r < job->size; r++)
        if (job->rank[r]) {
            const struct rank_shares *s = &job->rank[r]->shares;

            snprintf(rate, sizeof rate, s->rate < 0 ? "?" : "%.0f", s->rate);
            fprintf(out, "%25d %14d %% %10.0f %% %26s   %s\n", r, 100 * s->waits / SHARES_SAMPLES,
                    100 * s->core, rate, job->rank[r]->host);
        }
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

/* The ranks of this host, then those of which others have told. */
static bool look_everywhere(struct job_view *job, struct far_watch *far)
{
    job_look_here(job);
    if (far)
        far_watch_add(far, job);
    return !job->size || job_conclude(job);
}

static int count_seen(const struct job_view *job)
{
    int count = 0;

    for (int r = 0; r < job->size; r++)
        count += job->rank[r] != NULL;
    return count;
}

static bool show(WINDOW *screen, struct job_view *job, struct far_watch *far)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out || !look_everywhere(job, far))
        return false;
    fprintf(out, "%s: %d of %d ranks here, %d seen; q ends\n\n", job->first.command, job->present, job->size,
            count_seen(job));
    if (job->size) {
        say_job(out, job);
        print_shares(out, job);
    }
    if (far)
        far_watch_say_silent(far, out);
    fclose(out);
    draw(screen, text);
    free(text);
    return true;
}

/* Samples for a second, in which a key may be pressed. False: q. */
static bool sample_second(WINDOW *screen, struct job_view *job, struct far_watch *far)
{
    bool goes_on = true;

    shares_begin(job);
    for (int i = 0; i < SHARES_SAMPLES && goes_on; i++) {
        shares_sample(job);
        if (far)
            far_watch_take(far);
        goes_on = nc.wgetch(screen) != 'q';
    }
    shares_end(job);
    return goes_on;
}

int screen_run(struct job_view *job, struct far_watch *far)
{
    bool goes_on = true, has_curses = isatty(STDOUT_FILENO) && load_curses();
    WINDOW *screen;

    if (!has_curses) {
        fprintf(stderr, "inkling: where --watch: %s\n",
                !isatty(STDOUT_FILENO) ? "the output is no terminal; leave --watch out"
                                       : "ncurses is not installed (apt install libncursesw6)");
        return 1;
    }
    if (far)
        far_watch_await(far, job);
    screen = nc.initscr();
    nc.cbreak();
    nc.noecho();
    nc.wtimeout(screen, SHARES_SAMPLE_MS);
    while (goes_on && (job_refresh(job) || (far && far_watch_goes_on(far))) && show(screen, job, far))
        goes_on = sample_second(screen, job, far);
    nc.endwin();
    return 0;
}
