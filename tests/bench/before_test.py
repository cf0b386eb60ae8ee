"""before_test.py BENCH: which lines `make bench BENCH="--before FOLDER"` calls slower or faster, of figures that are given here."""
import contextlib
import io
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import before  # noqa: E402


def figures(now, then, name="latency"):
    return {"Inkling": {name: now}, "before": {name: then}}


class Before(unittest.TestCase):
    def said(self, *gathered):
        """The exit code and the table where the measure gives these figures, one after the other."""
        turns = iter(gathered)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = before.compare(["latency"], lambda measure: next(turns))
        self.assertIsNone(next(turns, None), "fewer turns than expected")
        return code, out.getvalue()

    def test_slower_each_time_is_slower(self):
        slow = figures([1.1, 1.2, 1.3, 1.1], [1.0] * 4)
        code, out = self.said(slow, slow, slow)
        self.assertEqual(code, 1)
        self.assertIn("| 8-byte latency, one way | us | 1.000 | 1.150 | 1.150 | 1.100 to 1.225 | SLOWER |", out)
        self.assertIn("1 lines: 1 slower, 0 faster, 0 alike", out)

    def test_slower_once_is_noise(self):
        slow, alike = figures([1.1] * 4, [1.0] * 4), figures([1.0] * 4, [1.0] * 4)
        self.assertEqual(self.said(slow, alike)[0], 0)
        self.assertEqual(self.said(slow, slow, alike)[0], 0)

    def test_faster_is_no_failure(self):
        fast = figures([0.5] * 4, [1.0] * 4)
        code, out = self.said(fast, fast, fast)
        self.assertEqual(code, 0)
        self.assertIn("1 faster", out)

    def test_more_is_better_for_rates(self):
        low = figures([5.0] * 4, [10.0] * 4, "rate")
        self.assertEqual(self.said(low, low, low)[0], 1)

    def test_small_and_mixed_differences_are_none(self):
        self.assertEqual(self.said(figures([1.02] * 4, [1.0] * 4))[0], 0)
        self.assertEqual(self.said(figures([0.5, 1.5, 0.6, 1.6], [1.0] * 4))[0], 0)

    def test_calls_of_the_tables_are_lines(self):
        slow = figures([2.0] * 2, [1.0] * 2, "8_bcast_n_32")
        self.assertIn("| 8_bcast_n_32 | us |", self.said(slow, slow, slow)[1])

    def test_a_line_that_one_build_lacks_is_left_out(self):
        self.assertIn("0 lines", self.said({"Inkling": {"latency": [1.0]}, "before": {}})[1])
        self.assertIn("0 lines", self.said(figures([1.0, 1.0], [1.0]))[1])


if __name__ == "__main__":
    unittest.main()
