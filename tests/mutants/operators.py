"""The small defects that are put into src: what may be changed on a line of C, and into what.

A line is looked at without its comments and strings, which are blanked, so that nothing in them is changed. Each
operator yields (begin, end, text): that part of the line, replaced by that text.
"""
import collections
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
STORE = re.compile(r"\s*\*?[\w.>\[\]-]+(?: [-+|&^]?= \S.*|\+\+|--);$")
RELEASE = re.compile(r"\s*(?:free|\w+_(?:unref|free|release|close|drop|destroy|end|leave|unlock))\([^;]*\);$")
CALLED = re.compile(r"\b(?!(?:if|for|while|switch|return|sizeof)\b)[A-Za-z_]\w*\(")
EITHER_WAY = "strcmp(", "strcasecmp(", "strncmp(", "memcmp("  # equal is equal whichever of the first two comes first
PLAIN = re.compile(r"(?!_+$|memory_order_)[\w.>\[\]&*-]+$")  # an argument without operators and calls
SIMILAR = ("send recv", "local remote", "source dest", "origin target", "read write", "first last", "begin end", "from to", "min max", "low high",
           "head tail", "next prev", "mine other", "used room", "count size", "in out", "put get", "old new", "before after", "rank size", "left right")
OTHER = {word: other for pair in map(str.split, SIMILAR) for word, other in (pair, pair[::-1])}
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


def stores(code, _):
    if STORE.match(code) and not RESET.match(code):
        yield len(code) - len(code.lstrip()), len(code), ";"


def operand(code, begin, step):
    """Where the operand of && or || ends that begins here, going this way: at another one, at a parenthesis that is not its own."""
    depth, place = 0, begin
    opening, closing_ = ("(", ")") if step > 0 else (")", "(")
    while 0 <= place < len(code):
        letter = code[place]
        depth += {opening: 1, closing_: -1}.get(letter, 0)
        is_store = letter == "=" and not set(code[place - 1] + code[place + 1:place + 2]) & set("!<>=")
        if depth < 0 or not depth and (letter in ";?:" or is_store or {code[place:place + 2], code[place - 1:place + 1]} & {"&&", "||"}):
            break
        place += step
    return place


def parts(code, _):
    """A condition or a key without one of its parts."""
    for found in re.finditer(r" (?:&&|\|\|) ", code):
        right, left = operand(code, found.end(), 1), operand(code, found.start() - 1, -1) + 1
        if code[found.end():right].strip():
            yield found.start(), right - (code[right - 1:right] == " "), ""
        left += len(code[left:]) - len(code[left:].lstrip())
        left += len("return ") * code.startswith("return ", left)
        if code[left:found.start()].strip():
            yield left, found.end(), ""


def arguments(code, begin):
    """[(begin, end)] of the arguments of a call whose parenthesis opens here; none if it does not close."""
    end, depth, found, start = closing(code, begin), 0, [], begin + 1
    for place in range(begin, end + 1 if end else begin):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if place == end or code[place] == "," and depth == 1:
            found.append((start + len(code[start:place]) - len(code[start:place].lstrip()), place))
            start = place + 1
    return found


def swaps(code, _):
    for call in CALLED.finditer(code):
        given = arguments(code, call.end() - 1)
        if call.group() in EITHER_WAY and re.match(r"\) [!=]= 0\b", code[given[-1][1]:] if given else ""):
            given = given[1:]
        for (begin, middle), (next_, end) in zip(given, given[1:]):
            one, other = code[begin:middle], code[next_:end]
            if one != other and PLAIN.match(one) and PLAIN.match(other):
                yield begin, end, f"{other}, {one}"


def names(code, context):
    """The other of a pair, where the file has it."""
    for found in re.finditer(r"\b[a-z]\w*\b", code):
        words = found.group().split("_")
        for at, word in enumerate(words):
            other = "_".join([*words[:at], OTHER.get(word, ""), *words[at + 1:]])
            if word in OTHER and other in context.names:
                yield *found.span(), other


def early_returns(code, context):
    if RELEASE.match(code):
        yield len(code) - len(code.lstrip()), len(code), "return;" if context.is_void else "return 0;"


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
# What engineers get wrong.
REALISTIC = {
    "store dropped": stores,
    "part dropped": parts,
    "arguments swapped": swaps,
    "similar name": names,
    "early return": early_returns,
}
ALL = {**OPERATORS, **REALISTIC}
Context = collections.namedtuple("Context", "names is_void", defaults=(frozenset(), True))  # of a line: the file's names; its function


def changes(line, code, context=Context()):
    """{operator: [the line as it would read]} of a line and the same line blanked."""
    found = {}
    if SAYS.match(code):
        return found
    for name, operator in OPERATORS.items():
        for begin, end, text in operator(code):
            after = line[:begin] + ("(!" + line[begin:end] + ")" if text is None else text) + line[end:]
            found.setdefault(name, []).append(after)
    for name, operator in REALISTIC.items():
        for begin, end, text in operator(code, context):
            found.setdefault(name, []).append(line[:begin] + text + line[end:])
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


def gives_nothing(lines, body):
    """Whether the function with this body returns void."""
    for number in range(body.start - 2, max(body.start - 8, -1), -1):
        if lines[number][:1].strip():
            return re.match(r"(?:static |inline |_Noreturn )*void \w", lines[number]) is not None
    return False


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
    within = {number: body for body in bodies("\n".join(code)) for number in body}
    known = frozenset(re.findall(r"\b[a-z]\w*\b", "\n".join(code)))
    found = {}
    for number in sorted(within) if is_header else range(len(lines)):
        context = Context(known, number in within and gives_nothing(code, within[number]))
        if changed := changes(lines[number], code[number].rstrip(), context):
            found[number] = changed
    return found
