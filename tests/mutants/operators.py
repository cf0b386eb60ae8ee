"""The small defects that are put into src: what may be changed on a line of C, and into what.

A line is looked at without its comments and strings, which are blanked, so that nothing in them is changed. Each
operator yields (begin, end, text): that part of the line, replaced by that text.
"""
import re

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
SAYS = re.compile(r"\s*(assert|_Static_assert|log_\w+|printf|fprintf)\(|\s*#")  # checks, messages, the preprocessor
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
TEXT = re.compile(r"\b(fail\(\w+,|log_\w+\(|printf\(|fprintf\()")  # what follows is only read by people
MOST = 64  # larger numbers are sizes and times: another one is a choice, no defect
TRUTH = {"true": "false", "false": "true"}
LOCKS = re.compile(r"\s*(\w*(?:lock|lane|turn|info|pool)\w*_(?:take|release|enter|leave|lock|unlock|always_take|always_release))"
                   r"\([^;]*\);$")
NAME = re.compile(r"\b(?!__attribute__)(\w+)\((?!\()")  # of a function, where it is defined
CALL = re.compile(r"(\s*)(?!return\b|if\b|while\b|for\b|switch\b|sizeof\b|free\b|va_)[A-Za-z_][\w.>-]*\([^;]*\);$")
DECLARATION = re.compile(r"\s*(?!return\b|else\b|case\b|goto\b)(?:[\w()]+ )+\*?\w+\[")  # of an array: a larger one does no harm
RESET = re.compile(r"\s*[\w.>\[\]*-]+(?:\([^()]*\))?[\w.>\[\]-]* = (?:0|NULL|false|true);$")


def closing(code, begin):
    """Where the parenthesis that opens at `begin` closes, or None before the end."""
    depth = 0
    for place in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if not depth:
            return place
    return None


def blanked(text):
    """The text without comments, what strings hold and the words of messages, each other character in its place."""
    def blank(found):
        word = found.group()
        if word[0] in "\"'":
            return word[0] + "_" * (len(word) - 2) + word[0]
        return re.sub(r"[^\n]", " ", word)
    code = NOT_CODE.sub(blank, text)
    for found in TEXT.finditer(code):
        end = closing(code, code.index("(", found.start()))
        words = re.sub(r"[^\n]", "_", code[found.end():end])
        code = code[:found.end()] + words + code[end:]
    return code


def relations(code):
    for found in re.finditer(r"(?<= )(<=|>=|<|>|==|!=)(?= )", code):
        yield *found.span(), RELATIONS[found.group()]


def off_by_one(code):
    for found in re.finditer(r" [+-] 1\b(?![.\w])", code):
        yield *found.span(), ""
    for found in re.finditer(r"(?<=for \().*?; [\w.>-]+ < ([\w.>-]+)(?=;)", code):
        yield *found.span(1), found.group(1) + " - 1"
    step = " - 1" if DECLARATION.match(code) else " + 1"
    for found in re.finditer(r"\[(\w+)\](?! =)", code):
        if not found.group(1).isdigit():
            yield *found.span(1), found.group(1) + step


def conditions(code):
    for found in re.finditer(r"\b(if|while) \(", code):
        begin = found.end() - 1
        end = closing(code, begin)
        if end:
            yield begin, end + 1, None  # negated: !(...)
    for found in re.finditer(r"&&|\|\|", code):
        yield *found.span(), "||" if found.group() == "&&" else "&&"


def calls(code):
    found = CALL.match(code)
    if found and not LOCKS.match(code):
        yield found.end(1), len(code), ";"


def locks(code):
    if LOCKS.match(code):
        yield len(code) - len(code.lstrip()), len(code), ";"


def resets(code):
    if RESET.match(code):
        yield len(code) - len(code.lstrip()), len(code), ";"


def orders(code):
    for found in re.finditer(r"memory_order_(?!relaxed)\w+", code):
        yield *found.span(), "memory_order_relaxed"


def returns(code):
    found = re.search(r"\breturn (.*);$", code)
    if not found:
        return
    value = found.group(1)
    if value.startswith("fail("):
        yield *found.span(1), "MPI_SUCCESS"
    elif value in TRUTH:
        yield *found.span(1), TRUTH[value]
    elif value == "MPI_SUCCESS":
        yield *found.span(1), "MPI_ERR_OTHER"
    else:
        yield *found.span(1), "1" if value == "0" else "0"


def constants(code):
    step = -1 if DECLARATION.match(code) else 1
    for found in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", code):
        if found.group(1) in ("0", "1"):
            yield *found.span(), "1" if found.group(1) == "0" else "2"
        elif int(found.group(1)) <= MOST:
            yield *found.span(), str(int(found.group(1)) + step)
    for found in re.finditer(r"(?<!return )\b(true|false)\b", code):
        yield *found.span(), TRUTH[found.group()]


OPERATORS = {
    "relation": relations,
    "off by one": off_by_one,
    "condition": conditions,
    "call dropped": calls,
    "lock dropped": locks,
    "reset dropped": resets,
    "memory order": orders,
    "return value": returns,
    "constant": constants,
}


def changes(line, code):
    """{operator: [the line as it would read]} of a line and the same line blanked."""
    found = {}
    if SAYS.match(code):
        return found
    for name, operator in OPERATORS.items():
        for begin, end, text in operator(code):
            after = line[:begin] + ("(!" + line[begin:end] + ")" if text is None else text) + line[end:]
            found.setdefault(name, []).append(after)
    return found


def bodies(code):
    """The lines, from 0, of the body of each function: the house's layout opens it with a brace on a line of its own."""
    begin, found = None, []
    for number, line in enumerate(code.splitlines()):
        if line.startswith("{"):
            begin = number + 1
        elif line.startswith("}") and begin is not None:
            found.append(range(begin, number))
            begin = None
    return found


def function_of(text, line):
    """The name of the function that has this line, from 1; empty: none has."""
    code = blanked(text)
    lines = code.splitlines()
    for body in bodies(code):
        if line - 1 in body:
            heads = (NAME.search(lines[number]) for number in range(body.start - 2, max(body.start - 8, -1), -1)
                     if lines[number][:1].strip())
            return next((found.group(1) for found in heads if found), "")
    return ""


def sites(text, is_header=False):
    """{line from 0: {operator: [the line as it would read]}} of a source file; of a header only what lies in a function."""
    lines, code = text.splitlines(), blanked(text).splitlines()
    numbers = [number for body in bodies("\n".join(code)) for number in body] if is_header else range(len(lines))
    found = {}
    for number in numbers:
        if changed := changes(lines[number], code[number].rstrip()):
            found[number] = changed
    return found
