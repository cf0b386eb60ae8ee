# Completion of mpiexec and inkling in bash. What there is to complete, the commands tell themselves.

# The options of a command, one a line, as its help lists them: the first $2 names of each.
_inkling_options() {
    "$1" --help 2>/dev/null | awk -v most="$2" '/^  -/ { for (i = 1; $i ~ /^-/ && i <= most; i++) { sub(/,$/, "", $i); print $i } }'
}

# Options that begin with $2. Other launchers' names of one are offered where no option has it as its first.
_inkling_begun() {
    compgen -W "$(_inkling_options "$1" 1)" -- "$2" || compgen -W "$(_inkling_options "$1" 100)" -- "$2"
}

# The keys of hints and the names of settings; of the inkling beside this command.
_inkling_keys() {
    local inkling=inkling
    [[ $1 != */* ]] || inkling=${1%/*}/inkling
    "$inkling" hints 2>/dev/null | awk '/^  / { print $1 }' | sort -u
}

# $1: the command, $2: the word, $3: the word before it.
_mpiexec() {
    local option=${3#-}
    COMPREPLY=()
    case ${option#-} in
    hint) mapfile -t COMPREPLY < <(compgen -S = -W "$(_inkling_keys "$1" | grep -v '^INKLING_')" -- "$2") ;;
    set) mapfile -t COMPREPLY < <(compgen -S = -W "$(_inkling_keys "$1" | sed -n 's/^INKLING_//p')" -- "$2") ;;
    bind-to) mapfile -t COMPREPLY < <(compgen -W "none core socket auto" -- "$2") ;;
    launcher) mapfile -t COMPREPLY < <(compgen -W "srun prterun mpiexec.hydra orterun" -- "$2") ;;
    wdir | wd) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    *) [[ $2 != -* ]] || mapfile -t COMPREPLY < <(_inkling_begun "$1" "$2") ;;
    esac
    [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
}

_inkling() {
    local words
    if ((COMP_CWORD == 1)); then
        words=$("$1" --help 2>/dev/null | awk '/^  inkling / { print $2 }')
    else
        case $3 in
        hints) words=$(_inkling_keys "$1") ;;
        vars) words=$("$1" vars 2>/dev/null | awk 'NR > 1 { print $2 }') ;;
        esac
    fi
    [[ $2 != -* ]] || words="--json --help"
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
}

complete -o default -F _mpiexec mpiexec mpirun
complete -F _inkling inkling
