"""make bench BENCH="--before FOLDER": this build of Inkling beside another of its builds, line by line.

Both run in turn, so a round gives a pair for each line. A line looks changed if the middle half of its pairs lies on one side of 1 and
their median is off by more than 3 %. What looks changed is measured again, twice, and has changed if it looks so each time: of 200 lines
that are alike, some look changed once.
"""
import re
import statistics

import report

OFF = 0.03
AGAIN = 2
CALL = re.compile(r"[a-z0-9_]+_[bnps]_[0-9]+")  # ranks, collective, form, bytes


def spread(pairs):
    """The quartiles of what a line takes, as multiples of what it took before."""
    return statistics.quantiles(pairs, n=4, method="inclusive") if len(pairs) > 1 else [pairs[0]] * 3


def ratios(results, name, more_is_better):
    now, then = (results.get(who, {}).get(name, []) for who in ("Inkling", "before"))
    if len(now) != len(then):
        return []
    return [old / new if more_is_better else new / old for new, old in zip(now, then) if new > 0 and old > 0]


def direction(pairs):
    """1: it takes longer than before; -1: less long; 0: neither can be told."""
    low, median, high = spread(pairs)
    if low > 1 and median > 1 + OFF:
        return 1
    return -1 if high < 1 and median < 1 - OFF else 0


def lines_of(results):
    """(what, unit, value name, more is better): the lines of BENCH.md, and each call of its tables of collectives."""
    named = {name: (what, unit, name, more) for what, unit, name, _limit, more, _targets in report.LINES}
    calls = [name for name in results.get("Inkling", {}) if CALL.fullmatch(name) and name not in named]
    return [*named.values(), *((name, "us", name, False) for name in calls)]


def judged(results):
    """For each line that both builds gave: (what, name, unit, before, now, quartiles, direction)."""
    for what, unit, name, more_is_better in lines_of(results):
        pairs = ratios(results, name, more_is_better)
        if pairs:
            before, now = (statistics.median(results[who][name]) for who in ("before", "Inkling"))
            yield what, name, unit, before, now, spread(pairs), direction(pairs)


def compared(measure, gather):
    """The lines of one measure as judged() gives them; the direction is 0 unless it is the same each time."""
    lines = list(judged(gather(measure)))
    for _ in range(AGAIN):
        if any(line[-1] for line in lines):
            ways = {name: way for _what, name, *_rest, way in judged(gather(measure))}
            lines = [(*line[:-1], line[-1] if ways.get(line[1]) == line[-1] else 0) for line in lines]
    return lines


def compare(measures, gather):
    """gather(measure) runs both builds for some rounds. The exit code: 1 where a line has become slower."""
    lines = [line for measure in measures for line in compared(measure, gather)]
    print("\n| | unit | before | now | now / before | middle half | |\n|---|---|---|---|---|---|---|")
    for what, _name, unit, before, now, (low, median, high), way in lines:
        word = {1: "SLOWER", -1: "faster", 0: ""}[way]
        print(f"| {what} | {unit} | {report.number(before)} | {report.number(now)} | {median:.3f} | {low:.3f} to {high:.3f} | {word} |")
    slower, faster = (sum(line[-1] == way for line in lines) for way in (1, -1))
    print(f"{len(lines)} lines: {slower} slower, {faster} faster, {len(lines) - slower - faster} alike")
    return 1 if slower else 0
