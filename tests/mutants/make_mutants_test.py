#!/usr/bin/env python3
"""tools/make_mutants.py on a small source whose mutants are known."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
sys.path.insert(0, TOOLS)
import make_mutants  # noqa: E402

SOURCE = """
constexpr int kLimit = 5;
template <class T>
int f(const Operand* a, int b) {
  static const int kTable[2] = {1, 2};
  std::array<int, 3> x{};
  // a + b in a comment
  if (a->negate && !g("1 + 2")) return b - kLimit;
  switch (b) {
    case 4:
      x[b << 1] += b;
      break;
  }
  return d.less_signed(b, 7) ? b : -b;
}
"""


def points(text):
    return make_mutants.Source("x.cpp", text).points


class MakeMutants(unittest.TestCase):
    def test_finds_the_known_points_and_no_other(self):
        source = make_mutants.Source("x.cpp", SOURCE)
        found = sorted((source.line(p.start), p.kind, p.what) for p in source.points)
        self.assertEqual(found, sorted([
            (8, "operator", "&& -> ||"), (8, "modifier", "a->negate -> false"),
            (8, "operator", "! dropped"), (8, "statement", "return dropped"),
            (8, "operator", "- -> +"), (8, "operands", "operands of - swapped"),
            (11, "operator", "+= -> -="), (11, "operator", "<< -> >>"),
            (11, "operands", "operands of << swapped"), (11, "constant", "1 -> 2"),
            (11, "constant", "1 -> 0"), (11, "statement", "statement dropped"),
            (12, "statement", "break dropped"),
            (14, "operands", "branches of ?: swapped"),
            (14, "operands", "operands of less_signed swapped"),
            (14, "operator", "less_signed -> less_unsigned"), (14, "constant", "7 -> 8"),
            (14, "constant", "7 -> 6")]))

    def test_operands_end_where_precedence_says(self):
        def text(expression, what):
            found = points("void f() {\n  y = %s;\n}\n" % expression)
            return [p.text for p in found if p.what == what]
        self.assertEqual(text("a + b * c - e", "* -> +"), ["b + c"])
        self.assertEqual(text("a + b * c - e", "+ -> -"), ["a - b * c"])
        self.assertEqual(text("a + b * c - e", "- -> +"), ["a + b * c + e"])
        self.assertEqual(text("h(a, b) < c && e", "< -> <="), ["h(a, b) <= c"])
        self.assertEqual(text("v<u32>{a}.x | static_cast<u8>(b >> 1)", "| -> &"),
                         ["v<u32>{a}.x & static_cast<u8>(b >> 1)"])
        # Of the same precedence: to the left all, to the right none.
        self.assertEqual(text("a - b - c", "operands of - swapped"), ["(b) - (a)", "(c) - (a - b)"])

    def test_a_declaration_is_no_statement_to_drop(self):
        for line in ("const T x = 1;", "T* x = f();", "std::vector<u8> v;", "T x(1);", "auto y = z;"):
            self.assertFalse([p for p in points("void f() {\n  %s\n}\n" % line)
                              if p.kind == "statement"], line)
        for line in ("f();", "x = g();", "a->b(c);", "v<T>(x);", "++x;", "*p = q;"):
            self.assertEqual(len([p for p in points("void f() {\n  %s\n}\n" % line)
                                  if p.kind == "statement"]), 1, line)

    def test_the_draw_is_even_and_repeatable(self):
        def drawn(seed):
            sources = [make_mutants.Source(n, "void f() {\n" + "  x = a + b;\n" * 40 + "}\n")
                       for n in ("a.cpp", "b.cpp")]
            make_mutants.draw(sources, 20, seed)
            return [[(p.start, p.kind) for p in s.points if not p.dropped] for s in sources]
        one = drawn(1)
        self.assertEqual([len(x) for x in one], [10, 10])
        self.assertEqual(one, drawn(1))
        self.assertNotEqual(one, drawn(2))

    def test_copies_say_the_original_unless_a_mutant_is_on(self):
        """The copy, read as text: without the choices it is the source again."""
        source = make_mutants.Source("x.cpp", SOURCE)
        for number, p in enumerate(source.points):
            p.id = number
        copy, _ = source.render()
        copy = copy.split("\n", 1)[1]
        while True:  # innermost first
            shorter = re.sub(r"PICKER_MUTANT\(\d+\) \? \((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\) : ",
                             "", copy)
            shorter = re.sub(r"\{ if \(!PICKER_MUTANT\(\d+\)\) ([^;]*;) \}", r"\1", shorter)
            if shorter == copy:
                break
            copy = shorter
        bare = re.sub(r"[()\s]", "", copy)
        self.assertEqual(bare, re.sub(r"[()\s]", "", SOURCE))

    def test_writes_its_tables(self):
        with tempfile.TemporaryDirectory() as out:
            with open(os.path.join(out, "x.cpp"), "w", encoding="utf-8") as f:
                f.write(SOURCE)
            subprocess.run([sys.executable, os.path.join(TOOLS, "make_mutants.py"),
                            os.path.join(out, "copies"), "--root", out, "--files", "x.cpp"],
                           check=True, capture_output=True)
            with open(os.path.join(out, "copies", "mutants", "table.inc"), encoding="utf-8") as f:
                self.assertEqual(len(f.readlines()), 18)


if __name__ == "__main__":
    unittest.main()
