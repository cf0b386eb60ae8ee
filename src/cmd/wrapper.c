/* mpicc, mpicxx, mpic++: run the compiler with what an MPI program needs. The name decides the language. */
#include "cmd/place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the user asked the wrapper itself for. */
enum wish {
    WISH_RUN,
    WISH_SHOW,          /* the whole command */
    WISH_COMPILE,       /* the command to compile, without the user's arguments */
    WISH_LINK,          /* the command to link, likewise */
    WISH_COMPILE_FLAGS, /* only our flags */
    WISH_LINK_FLAGS,
    WISH_HELP
};

static const struct flag {
    const char *name;
    enum wish wish;
} flags[] = {
    {"-show", WISH_SHOW},
    {"--show", WISH_SHOW},
    {"-showme", WISH_SHOW},
    {"--showme", WISH_SHOW},
    {"-compile-info", WISH_COMPILE},
    {"--compile-info", WISH_COMPILE},
    {"-compile_info", WISH_COMPILE},
    {"-link-info", WISH_LINK},
    {"--link-info", WISH_LINK},
    {"-link_info", WISH_LINK},
    {"-showme:compile", WISH_COMPILE_FLAGS},
    {"--showme:compile", WISH_COMPILE_FLAGS},
    {"-showme:link", WISH_LINK_FLAGS},
    {"--showme:link", WISH_LINK_FLAGS},
    {"--help", WISH_HELP},
    {"-help", WISH_HELP},
};

/* The command to run, as it grows. */
struct command {
    char **word;
    int count;
};

static _Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static char *join(const char *a, const char *b)
{
    char *text;

    if (asprintf(&text, "%s%s", a, b) < 0)
        die("out of memory");
    return text;
}

/* The words of a text without quotes, such as "ccache gcc". */
static void add_words(struct command *command, const char *text)
{
    char *copy = join(text, ""), *rest = NULL;

    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        command->word[command->count++] = word;
}

static void add_compile_flags(struct command *command, const struct place *place)
{
    command->word[command->count++] = join("-I", place->include);
    add_words(command, INKLING_WRAPPER_FLAGS);
}

/* The run path makes programs find this very library, wherever it lies. */
static void add_link_flags(struct command *command, const struct place *place)
{
    add_words(command, INKLING_WRAPPER_FLAGS);
    command->word[command->count++] = join("-L", place->lib);
    command->word[command->count++] = join("-Wl,-rpath,", place->lib);
    command->word[command->count++] = "-lmpi_abi";
}

static enum wish find_wish(const char *argument)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(argument, flags[i].name) == 0)
            return flags[i].wish;
    return WISH_RUN;
}

/* Whether the compiler stops before linking. */
static bool stops_early(const char *argument)
{
    static const char *const stops[] = {"-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"};

    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (strcmp(argument, stops[i]) == 0)
            return true;
    return false;
}

/* Our -I comes first, our libraries last: after the objects that need them. Without any file the compiler is
 * asked something about itself and gets no flags of ours. */
static void build(struct command *command, int argc, char **argv, enum wish wish, const struct place *place)
{
    bool links = true, has_file = wish == WISH_SHOW;

    for (int i = 1; i < argc; i++) {
        links = links && !stops_early(argv[i]);
        has_file = has_file || argv[i][0] != '-' || !argv[i][1];
    }
    if (has_file)
        add_compile_flags(command, place);
    for (int i = 1; i < argc; i++)
        if (find_wish(argv[i]) == WISH_RUN)
            command->word[command->count++] = argv[i];
    if (has_file && links)
        add_link_flags(command, place);
}

/* In a form that a shell reads back; paths of flags also in one that CMake's FindMPI does, -I"/a b". */
static void print_quoted(const char *word)
{
    int flag = strncmp(word, "-I", 2) == 0 || strncmp(word, "-L", 2) == 0 ? 2
               : strncmp(word, "-Wl,", 4) == 0                            ? 4
                                                                          : 0;
    char quote = flag && !word[strcspn(word, "\"\\$`!")] ? '"' : '\'';

    printf("%.*s%c", flag, word, quote);
    for (word += flag; *word; word++)
        *word == '\'' && quote == '\'' ? (void)fputs("'\\''", stdout) : (void)putchar(*word);
    putchar(quote);
}

static void print(const struct command *command)
{
    for (int i = 0; i < command->count; i++) {
        const char *word = command->word[i];
        bool plain = *word && !word[strcspn(word, " \t\n\"'\\$`*?[]{}()<>|&;#~!")];

        fputs(i ? " " : "", stdout);
        if (plain)
            fputs(word, stdout);
        else
            print_quoted(word);
    }
    putchar('\n');
}

static void print_help(const char *name, const char *compiler, const char *variable)
{
    printf("%s compiles and links MPI programs: it runs %s with the flags that Inkling needs.\n\n"
           "  %s [OPTIONS] [ARGUMENTS OF THE COMPILER]\n\n"
           "  -show           print the command instead of running it\n"
           "  -compile-info   print the command that compiles\n"
           "  -link-info      print the command that links\n"
           "  --help          print this text\n\n"
           "All else goes to the compiler. %s in the environment names another compiler.\n",
           name, compiler, name, variable);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    bool cxx = strstr(name, "xx") || strstr(name, "++") || strstr(name, "CC");
    const char *variable = cxx ? "INKLING_CXX" : "INKLING_CC", *given = getenv(variable);
    const char *compiler = given && *given ? given : cxx ? "c++" : "cc";
    struct command command = {calloc((size_t)argc + strlen(compiler) + 64, sizeof(char *)), 0};
    enum wish wish = WISH_RUN;
    struct place place;

    if (!command.word)
        die("%s: out of memory", name);
    for (int i = 1; i < argc && wish == WISH_RUN; i++)
        wish = find_wish(argv[i]);
    if (!place_find(&place))
        die("%s: there is no libmpi_abi.so in %s or no mpi.h in %s; build or install Inkling first", name,
            place.lib, place.include);
    if (wish != WISH_COMPILE_FLAGS && wish != WISH_LINK_FLAGS)
        add_words(&command, compiler);
    if (wish == WISH_HELP)
        print_help(name, compiler, variable);
    else if (wish == WISH_COMPILE || wish == WISH_COMPILE_FLAGS)
        add_compile_flags(&command, &place);
    else if (wish == WISH_LINK || wish == WISH_LINK_FLAGS)
        add_link_flags(&command, &place);
    else
        build(&command, argc, argv, wish, &place);
    if (wish == WISH_RUN) {
        execvp(command.word[0], command.word);
        die("%s: cannot run the compiler '%s': %s; set %s to the one to use", name, command.word[0],
            strerror(errno), variable);
    }
    if (wish != WISH_HELP)
        print(&command);
    return 0;
}
