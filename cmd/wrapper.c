/* mpicc, mpicxx, mpic++, mpiCC, mpifort, mpif77, mpif90: run the compiler with the flags that an MPI program needs.
 * The name decides the language. */
#include "cmd/place.h"

#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the user asked of the wrapper itself. */
enum wish {
    WISH_RUN,
    WISH_SHOW,          /* the whole command */
    WISH_COMPILE,       /* the command to compile, without the user's arguments */
    WISH_LINK,          /* the command to link, likewise */
    WISH_COMPILE_FLAGS, /* only our flags */
    WISH_LINK_FLAGS,
    WISH_COMPILER, /* single things, for configure scripts */
    WISH_INCLUDE_FOLDERS,
    WISH_LIBRARY_FOLDERS,
    WISH_LIBRARIES,
    WISH_VERSION,
    WISH_HELP,
    WISH_UNKNOWN
};

/* After one dash or two, but for --help: the words of MPICH and of Open MPI. */
static const struct wrapper_word {
    const char *text;
    enum wish wish;
} words[] = {
    {"show", WISH_SHOW},
    {"showme", WISH_SHOW},
    {"compile-info", WISH_COMPILE},
    {"compile_info", WISH_COMPILE},
    {"link-info", WISH_LINK},
    {"link_info", WISH_LINK},
    {"help", WISH_HELP},
};

/* After -show: or -showme: */
static const struct wrapper_word parts[] = {
    {"compile", WISH_COMPILE_FLAGS},   {"link", WISH_LINK_FLAGS},
    {"command", WISH_COMPILER},        {"incdirs", WISH_INCLUDE_FOLDERS},
    {"libdirs", WISH_LIBRARY_FOLDERS}, {"libs", WISH_LIBRARIES},
    {"version", WISH_VERSION},         {"help", WISH_HELP},
};

/* The compiler that a wrapper runs: that of its option, else that of the first variable that is set. */
static const struct language {
    const char *name, *option, *variable[3], *compiler, *libraries;
} languages[] = {
    {"C", "-cc=", {"INKLING_CC", "MPICH_CC", "OMPI_CC"}, "cc", "mpi_abi"},
    {"C++", "-cxx=", {"INKLING_CXX", "MPICH_CXX", "OMPI_CXX"}, "c++", "mpi_abi"},
    {"Fortran",
     "-fc=",
     {"INKLING_FC", "MPICH_FC", "OMPI_FC"},
     INKLING_FORTRAN_COMPILER,
     "mpifort_abi mpi_abi"},
};

/* Asks for what MPI-3.0 removed: of mpi.h, and in Fortran of a library of its own (fortran/removed). */
static bool asks_for_removed(int argc, char **argv, const struct language *language)
{
    for (int i = 1; language == &languages[2] && i < argc; i++)
        if (strcmp(argv[i], "-DINKLING_REMOVED") == 0)
            return true;
    return false;
}

static const struct language *find_language(const char *name)
{
    if (strncmp(name, "mpif", 4) == 0)
        return &languages[2];
    return &languages[strstr(name, "xx") || strstr(name, "++") || strstr(name, "CC")];
}

/* The command to run, as it grows. */
struct wrapper_command {
    char **word;
    int count;
};

static _Noreturn void wrapper_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void wrapper_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static char *wrapper_join(const char *a, const char *b)
{
    char *text;

    if (asprintf(&text, "%s%s", a, b) < 0)
        wrapper_die("out of memory");
    return text;
}

/* Adds the words of a text without quotes, such as "ccache gcc". */
static void add_words(struct wrapper_command *command, const char *text)
{
    char *copy = wrapper_join(text, ""), *rest = NULL;

    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        command->word[command->count++] = word;
}

static void add_compile_flags(struct wrapper_command *command, const struct install_place *place)
{
    command->word[command->count++] = wrapper_join("-I", place->include);
    add_words(command, INKLING_WRAPPER_FLAGS);
}

/* Adds the flags for linking. The run path makes programs find this very library, wherever it is. */
static void add_link_flags(struct wrapper_command *command, const struct install_place *place,
                           const struct language *language)
{
    char *copy = wrapper_join(language->libraries, ""), *rest = NULL;

    add_words(command, INKLING_WRAPPER_FLAGS);
    command->word[command->count++] = wrapper_join("-L", place->lib);
    command->word[command->count++] = wrapper_join("-Wl,-rpath,", place->lib);
    for (char *library = strtok_r(copy, " ", &rest); library; library = strtok_r(NULL, " ", &rest))
        command->word[command->count++] = wrapper_join("-l", library);
}

static enum wish find_word(const char *text, const struct wrapper_word *table, size_t count,
                           enum wish otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, table[i].text) == 0)
            return table[i].wish;
    return otherwise;
}

static enum wish find_wish(const char *argument)
{
    const char *text = argument, *part = strchr(argument, ':');

    if (*text != '-' || strcmp(text, "--help") == 0) /* the compiler's, by which configure scripts know it */
        return WISH_RUN;
    text += text[1] == '-' ? 2 : 1;
    if (part && (strncmp(text, "show:", 5) == 0 || strncmp(text, "showme:", 7) == 0))
        return find_word(part + 1, parts, sizeof parts / sizeof *parts, WISH_UNKNOWN);
    return find_word(text, words, sizeof words / sizeof *words, WISH_RUN);
}

static bool is_compiler_option(const char *argument, const struct language *language)
{
    return strncmp(argument, language->option, strlen(language->option)) == 0;
}

/* The compiler, and its first arguments. */
static const char *find_compiler(int argc, char **argv, const struct language *language)
{
    const char *named = NULL;

    for (int i = 1; i < argc; i++)
        if (is_compiler_option(argv[i], language))
            named = argv[i] + strlen(language->option);
    for (int i = 0; i < 3 && !(named && *named); i++)
        named = getenv(language->variable[i]);
    return named && *named ? named : language->compiler;
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

/* Inkling's -I comes first, its libraries last, after the objects that need them. Without any file the
 * compiler is asked something about itself and gets no flags of Inkling's. */
static void wrapper_build(struct wrapper_command *command, int argc, char **argv, enum wish wish,
                          const struct install_place *place, const struct language *language)
{
    bool links = true, has_file = wish == WISH_SHOW;

    for (int i = 1; i < argc; i++) {
        links = links && !stops_early(argv[i]);
        has_file = has_file || argv[i][0] != '-' || !argv[i][1];
    }
    if (has_file)
        add_compile_flags(command, place);
    for (int i = 1; i < argc; i++)
        if (find_wish(argv[i]) == WISH_RUN && !is_compiler_option(argv[i], language))
            command->word[command->count++] = argv[i];
    if (has_file && links && asks_for_removed(argc, argv, language))
        command->word[command->count++] = wrapper_join(place->lib, "/libmpifort_removed.a");
    if (has_file && links)
        add_link_flags(command, place, language);
}

/* Prints a word in a form that a shell reads back. Paths of flags are also in a form that CMake's FindMPI
 * reads: -I"/a b". */
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

static void wrapper_print(const struct wrapper_command *command)
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

static void print_help(const char *name, const char *compiler, const struct language *language)
{
    printf(
        "%s compiles and links MPI programs: it runs %s with the flags that Inkling needs.\n\n"
        "  %s [OPTIONS] [ARGUMENTS OF THE COMPILER]\n\n"
        "  %-15s run another compiler\n"
        "  -show           print the command instead of running it; also -showme\n"
        "  -show:WHAT      print one thing: compile, link (flags), command, incdirs, libdirs, libs, version\n"
        "  -compile-info   print the command that compiles\n"
        "  -link-info      print the command that links\n"
        "  -help           print this text; --help is the compiler's\n\n"
        "-DINKLING_REMOVED gives what MPI-3.0 removed, such as MPI_Address%s.\n\n"
        "All else goes to the compiler. %s in the environment names another compiler, else %s, else %s.\n",
        name, compiler, name, wrapper_join(language->option, "COMPILER"),
        language == &languages[2] ? "; it is needed where the program is linked" : "", language->variable[0],
        language->variable[1], language->variable[2]);
}

/* Adds to the command what the user asked for. False if that is not a command and has been printed. */
static bool wrapper_answer(struct wrapper_command *command, enum wish wish, const char *name,
                           const char *compiler, const struct language *language,
                           const struct install_place *place)
{
    if (wish == WISH_COMPILE || wish == WISH_LINK || wish == WISH_COMPILER)
        add_words(command, compiler);
    if (wish == WISH_COMPILE || wish == WISH_COMPILE_FLAGS)
        add_compile_flags(command, place);
    else if (wish == WISH_LINK || wish == WISH_LINK_FLAGS)
        add_link_flags(command, place, language);
    else if (wish == WISH_INCLUDE_FOLDERS)
        command->word[command->count++] = wrapper_join(place->include, "");
    else if (wish == WISH_LIBRARY_FOLDERS)
        command->word[command->count++] = wrapper_join(place->lib, "");
    else if (wish == WISH_LIBRARIES)
        add_words(command, language->libraries);
    else if (wish == WISH_VERSION)
        printf("%s: Inkling %s (Language: %s)\n", name, INKLING_VERSION, language->name);
    else if (wish == WISH_HELP)
        print_help(name, compiler, language);
    return wish != WISH_VERSION && wish != WISH_HELP;
}

/* The compiler refuses calls of MPI then, some in words that do not say why. Not so where each integer has a kind. */
static void note_wide_integers(const char *name, int argc, char **argv)
{
    static const char *const wide[] = {"-fdefault-integer-8", "-finteger-4-integer-8", "-i8"};

    for (int i = 1; i < argc; i++)
        for (size_t j = 0; j < sizeof wide / sizeof *wide; j++)
            if (strcmp(argv[i], wide[j]) == 0)
                fprintf(
                    stderr,
                    "%s: note: with %s an INTEGER has 8 bytes; MPI's procedures take integers of 4 bytes, "
                    "and calls with others do not compile\n",
                    name, wide[j]);
}

static _Noreturn void wrapper_run(const struct wrapper_command *command, const char *name,
                                  const struct language *language)
{
    execvp(command->word[0], command->word);
    wrapper_die("%s: cannot run the compiler '%s': %s; set %s to the one to use", name, command->word[0],
                strerror(errno), language->variable[0]);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    const struct language *language = find_language(name);
    const char *compiler = find_compiler(argc, argv, language);
    struct wrapper_command command = {calloc((size_t)argc + strlen(compiler) + 64, sizeof(char *)), 0};
    enum wish wish = WISH_RUN;
    struct install_place place;
    int at = 0;

    if (!command.word)
        wrapper_die("%s: out of memory", name);
    while (wish == WISH_RUN && ++at < argc)
        wish = find_wish(argv[at]);
    if (wish == WISH_UNKNOWN)
        wrapper_die("%s: '%s' asks for what there is not; %s -help lists what there is", name, argv[at],
                    name);
    if (!place_find(&place))
        wrapper_die("%s: there is no libmpi_abi.so in %s or no mpi.h in %s; build or install Inkling first",
                    name, place.lib, place.include);
    if (wish == WISH_RUN || wish == WISH_SHOW) {
        add_words(&command, compiler);
        wrapper_build(&command, argc, argv, wish, &place, language);
    } else if (!wrapper_answer(&command, wish, name, compiler, language, &place)) {
        return 0;
    }
    if (wish == WISH_RUN && language == &languages[2])
        note_wide_integers(name, argc, argv);
    if (wish == WISH_RUN)
        wrapper_run(&command, name, language);
    wrapper_print(&command);
    return 0;
}
