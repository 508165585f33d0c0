#!/usr/bin/env python3
"""Writes mutants of C++ sources: copies in which each small change can be switched on at run time.

A mutation check asks whether the tests would notice a mistake. Every place where a plausible
mistake fits (an operator, a constant, a dropped statement, swapped operands, an ignored modifier)
becomes a choice by number,

    a + b            ->   (MUTANT(7) ? (a - b) : (a + b))
    d.unmodelled();  ->   { if (!MUTANT(8)) d.unmodelled(); }

so that all mutants are compiled once, into one program, which then runs the tests for one number
after the other (tests/mutants/mutants_main.cpp). This is known as mutant schemata (Untch, Offutt
and Harrold, 1993). The copies live in the build tree.

How points are found. No C++ parser is needed, because our sources are formatted by clang-format:
a `<` with a space on both sides compares, one without opens template arguments; a `*` with spaces
multiplies, one without points; a brace with a space before it opens a block. What remains is a
small operator-precedence scan that finds where the operands end.

Left alone: everything outside function bodies, constant expressions (the compiler must know them:
`constexpr` and `static` declarations, `case` labels, template arguments, static_assert) and points
whose copy does not compile. For the latter the copies are compiled once with --compile, the point
around each error is given up, and again until no error is left; all of them are listed in
skipped.txt.

Thousands of points are found; --count draws some of them, evenly over the files and kinds, and
--seed says which. A point's number does not depend on the draw.

usage: make_mutants.py OUT --root LIB --files FILE... [--count N --seed S]
                       [--compile COMMAND --units SOURCE...]
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
from bisect import bisect_right
from concurrent.futures import ThreadPoolExecutor
from random import Random

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
      | (?P<string>(?:u8|u|U|L)?R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|(?:u8|u|U|L)?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
      | (?P<number>\.?\d(?:'?[0-9a-zA-Z_.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<op><=>|<<=|>>=|\.\.\.|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""",
    re.X | re.S | re.M)

PRECEDENCE = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<=>": 7, "<": 6,
              "<=": 6, ">": 6, ">=": 6, "==": 5, "!=": 5, "&": 4, "^": 3, "|": 2, "&&": 1, "||": 0}
OTHER_OPERATOR = {"*": "+", "/": "*", "%": "/", "+": "-", "-": "+", "<<": ">>", ">>": "<<",
                  "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&": "|",
                  "^": "|", "|": "&", "&&": "||", "||": "&&"}
OTHER_ASSIGNMENT = {"+=": "-=", "-=": "+=", "*=": "+=", "<<=": ">>=", ">>=": "<<=", "&=": "|=",
                    "|=": "&=", "^=": "|=", "/=": "*=", "%=": "/="}
ASSIGNMENTS = set(OTHER_ASSIGNMENT) | {"="}
SWAPPED_OPERATORS = {"-", "<", ">", "<=", ">=", "/", "%", "<<", ">>"}
OTHER_CALL = {}
for _pair in ("add sub", "bit_and bit_or", "widen_signed widen_unsigned", "less_signed less_unsigned",
              "high low", "shift_right shift_right_signed", "shift_left shift_right",
              "minimum maximum", "flag_and flag_or", "min max", "all_of any_of",
              "sign_extend zero_extend", "lower_bound upper_bound", "push_back pop_back",
              "field field_signed", "ceil floor", "insert erase"):
    _a, _b = _pair.split()
    OTHER_CALL.setdefault(_a, _b)
    OTHER_CALL.setdefault(_b, _a)
del OTHER_CALL["pop_back"], OTHER_CALL["push_back"]
SWAPPED_CALLS = {"sub", "less_signed", "less_unsigned", "join", "shift_left", "shift_right",
                 "shift_right_signed", "select", "min", "max", "subtract", "disjoint", "contains"}
MODIFIERS = {"negate", "invert", "absolute", "hi_half", "guard_negated", "has_reg", "has_ureg"}
KEYWORDS = {"return", "else", "do", "case", "throw", "co_return", "if", "while", "for", "switch",
            "goto", "delete", "new", "and", "or", "not", "default", "break", "continue"}
CLOSERS = {")": "(", "]": "[", "}": "{"}


class Token:
    __slots__ = ("text", "kind", "start", "end", "before", "after")

    def __init__(self, text, kind, start, end):
        self.text, self.kind, self.start, self.end = text, kind, start, end
        self.before = self.after = False  # white space on that side


class Point:
    """One mutant: what `start`..`end` of the source becomes. A dropped statement has no text."""

    def __init__(self, start, end, kind, text, what):
        self.start, self.end, self.kind, self.text, self.what = start, end, kind, text, what
        self.id = -1
        self.dropped = False


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = []
        self.points = []
        for m in TOKEN.finditer(text):
            if m.lastgroup == "comment" or m.lastgroup == "directive":
                continue
            kind = "string" if m.group("string") else m.lastgroup
            self.tokens.append(Token(m.group(), kind, m.start(), m.end()))
        for t in self.tokens:
            t.before = t.start > 0 and text[t.start - 1].isspace()
            t.after = t.end < len(text) and text[t.end].isspace()
        self.match_brackets()
        self.find_bodies()
        self.lines = [0] + [m.end() for m in re.finditer("\n", text)]
        self.find_points()

    def line(self, offset):
        return bisect_right(self.lines, offset)

    def t(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def slice(self, i, j):
        """Source text of tokens i..j, both included."""
        return self.text[self.tokens[i].start:self.tokens[j].end]

    def is_binary(self, i):
        t = self.tokens[i]
        return t.kind == "op" and t.text in PRECEDENCE and t.before and t.after

    # ---- structure ----
    def match_brackets(self):
        self.match, stack = {}, []
        self.angle = [0] * len(self.tokens)  # depth of template arguments
        for i, t in enumerate(self.tokens):
            self.angle[i] = sum(1 for k in stack if self.t(k) == "<")
            if t.kind != "op":
                continue
            if t.text in "([{":
                stack.append(i)
            elif t.text == "<" and not (t.before and t.after):
                stack.append(i)
            elif t.text in (">", ">>") and not t.before:
                for _ in t.text:
                    if stack and self.t(stack[-1]) == "<":
                        k = stack.pop()
                        self.match[k] = i
                        self.match.setdefault(i, k)
                        if t.text == ">>":
                            self.match[i] = k
            elif t.text in CLOSERS:
                while stack and self.t(stack[-1]) == "<":
                    stack.pop()
                if stack:
                    k = stack.pop()
                    self.match[k], self.match[i] = i, k

    def find_bodies(self):
        """in_body[i]: the token lies in a function's body; outer[i]: the bracket around it."""
        n = len(self.tokens)
        self.in_body, self.outer = [False] * n, [-1] * n
        stack = []  # (bracket, is a body)
        for i, t in enumerate(self.tokens):
            if t.kind == "op" and t.text in CLOSERS and stack:
                stack.pop()
            self.outer[i] = stack[-1][0] if stack else -1
            self.in_body[i] = bool(stack) and stack[-1][1]
            if t.kind == "op" and t.text in "([{":
                inside = bool(stack) and stack[-1][1]
                if t.text == "{" and not inside:
                    inside = self.opens_function(i)
                elif t.text == "{" and self.opens_type(i):
                    inside = False
                stack.append((i, inside))

    def head(self, i):
        """Index of the first token of the declaration or statement that `i` belongs to."""
        j = i - 1
        while j >= 0:
            x = self.t(j)
            if x in (")", "]") or (x == "}" and not self.tokens[self.match[j]].before):
                j = self.match[j]
            elif x in (";", "{", "}") or x in ("(", "["):
                break
            j -= 1
        return j + 1

    def opens_type(self, i):
        words = [t.text for t in self.tokens[self.head(i):i]]
        return any(w in ("struct", "class", "union", "enum", "namespace") for w in words) and \
            "(" not in words

    def opens_function(self, i):
        words = [t.text for t in self.tokens[self.head(i):i]]
        if any(w in ("namespace", "enum") for w in words) or "=" in words and words[-1] == "=":
            return False
        return self.tokens[i].before and ")" in words and not self.opens_type(i)

    def in_block(self, i, first):
        """Whether a block (a lambda's) that starts behind token `first` contains i."""
        k = self.outer[i]
        while k >= first:
            if self.t(k) == "{" and self.t(k - 1) in (")", "mutable", "]") and self.tokens[k].before:
                return True
            k = self.outer[k]
        return False

    def is_constant(self, i):
        """Whether the compiler needs to know what stands here."""
        if self.angle[i]:
            return True
        at = i
        while True:
            first = self.head(at)
            words = [t.text for t in self.tokens[first:i]]
            for k, w in enumerate(words):
                if w == "constexpr":
                    at_if = first + k
                    if self.t(at_if - 1) == "if":
                        close = self.match.get(at_if + 1, at_if)
                        if i < close:
                            return True
                    elif not self.in_block(i, first):
                        return True
                if w in ("static", "static_assert", "using", "template", "requires", "enum",
                         "alignas") and not self.in_block(i, first):
                    return True
            if "case" in words and ":" not in words[words.index("case"):]:
                return True
            opener = first - 1
            initialiser = opener >= 0 and self.t(opener) == "{" and \
                self.t(opener - 1) in ("=", ",", "{", "(", "return", "]")
            if opener >= 0 and (self.t(opener) in ("(", "[") or initialiser):
                at = opener
                continue
            return False

    # ---- extents ----
    def left_end(self, i, precedence):
        """First token of the left operand of the operator at i."""
        j = i - 1
        while j >= 0:
            t = self.tokens[j]
            x = t.text
            if x in (")", "]") and t.kind == "op":
                j = self.match[j]
            elif x in (">", ">>") and not t.before and j in self.match:
                j = self.match[j]
            elif x == "}":
                k = self.match[j]
                if self.tokens[k].before:
                    break
                j = k
            elif t.kind == "op" and (x in "([{;,?" or x == ":" or x in ASSIGNMENTS):
                break
            elif x == "->" and t.before:
                break
            elif t.kind == "name" and x in KEYWORDS:
                break
            elif self.is_binary(j) and PRECEDENCE[x] < precedence:
                break
            j -= 1
        first = j + 1
        # A closing parenthesis of if (...) or for (...) ends there too.
        k = i - 1
        while k >= first:
            if self.t(k) == ")" and k + 1 < i:
                if self.t(self.match[k] - 1) in ("if", "while", "for", "switch", "constexpr"):
                    return k + 1
            k = (self.match[k] if self.tokens[k].kind == "op" and self.t(k) in CLOSERS else k) - 1
        return first

    def right_end(self, i, precedence):
        """Last token of the right operand."""
        j = i + 1
        while j < len(self.tokens):
            t = self.tokens[j]
            x = t.text
            if t.kind == "op" and x in "([{":
                j = self.match[j]
            elif x == "<" and j in self.match:
                j = self.match[j]
            elif t.kind == "op" and (x in ")]};,?" or x == ":" or x in ASSIGNMENTS):
                break
            elif self.is_binary(j) and PRECEDENCE[x] <= precedence:
                break
            j += 1
        return j - 1

    def postfix_start(self, i):
        """First token of  a.b(c)->NAME  with NAME at i; -1 if it is a declaration or too involved."""
        j = i
        while self.t(j - 1) in (".", "->", "::"):
            j -= 2
            while self.tokens[j].kind == "op" and self.t(j) in (")", "]"):
                j = self.match[j] - 1
            if self.tokens[j].kind != "name":
                return -1
        before = self.tokens[j - 1]
        if before.kind == "name" and before.text not in KEYWORDS:
            return -1
        if before.text in (">", "&", "*", "~") and not before.before:
            if before.text == ">" or before.after:
                return -1
        if before.text in ("&", "*") and not before.after and \
                self.tokens[j - 2].kind == "name" and self.t(j - 2) not in KEYWORDS:
            return -1
        return j

    def arguments(self, i):
        """Token ranges of the arguments of the call whose '(' is at i."""
        close, out, first, j = self.match[i], [], i + 1, i + 1
        while j < close:
            if self.tokens[j].kind == "op" and self.t(j) in "([{<" and j in self.match:
                j = self.match[j]
            elif self.t(j) == ",":
                out.append((first, j - 1))
                first = j + 1
            j += 1
        if first < close:
            out.append((first, close - 1))
        return out

    # ---- points ----
    def add(self, first, last, kind, text, what):
        self.points.append(Point(self.tokens[first].start, self.tokens[last].end, kind, text, what))

    def find_points(self):
        n = len(self.tokens)
        for i in range(n):
            if not self.in_body[i] or self.is_constant(i):
                continue
            t = self.tokens[i]
            x = t.text
            if t.kind == "op":
                if self.is_binary(i):
                    self.binary(i)
                elif x in OTHER_ASSIGNMENT and t.before:
                    first, last = self.left_end(i, -1), self.right_end(i, -1)
                    whole = self.slice(first, i - 1) + " " + OTHER_ASSIGNMENT[x] + " " + \
                        self.slice(i + 1, last)
                    self.add(first, last, "operator", whole, f"{x} -> {OTHER_ASSIGNMENT[x]}")
                elif x == "!" and not t.after:
                    self.negation(i)
                elif x == "?" and t.before:
                    self.conditional(i)
            elif t.kind == "number":
                self.number(i)
            elif t.kind == "name":
                self.name(i)
            if t.kind != "op" or x in ("++", "--", "*", "("):
                self.statement(i)

    def binary(self, i):
        x = self.t(i)
        p = PRECEDENCE[x]
        first, last = self.left_end(i, p), self.right_end(i, p)
        if first >= i or last <= i:
            return
        left, right = self.slice(first, i - 1), self.slice(i + 1, last)
        if x in OTHER_OPERATOR:
            self.add(first, last, "operator", f"{left} {OTHER_OPERATOR[x]} {right}",
                     f"{x} -> {OTHER_OPERATOR[x]}")
        if x in SWAPPED_OPERATORS:
            self.add(first, last, "operands", f"({right}) {x} ({left})", f"operands of {x} swapped")

    def negation(self, i):
        last = i + 1
        while self.t(last) in ("!", "*", "-", "~"):
            last += 1
        while True:
            after = self.t(last + 1)
            if self.t(last) == "(" and last == i + 1:
                last = self.match[last]
            elif after in (".", "->", "::"):
                last += 2
            elif after in ("(", "["):
                last = self.match[last + 1]
            elif after == "<" and last + 1 in self.match:
                last = self.match[last + 1]
            elif after == "{" and not self.tokens[last + 1].before:
                last = self.match[last + 1]
            else:
                break
        self.add(i, last, "operator", f"static_cast<bool>({self.slice(i + 1, last)})", "! dropped")

    def conditional(self, i):
        depth, j = 0, i + 1
        while j < len(self.tokens):
            x = self.t(j)
            if self.tokens[j].kind == "op" and x in "([{<" and j in self.match:
                j = self.match[j]
            elif x == "?":
                depth += 1
            elif x == ":":
                if depth == 0:
                    break
                depth -= 1
            elif x in (";", ")"):
                return
            j += 1
        last = j + 1
        while last < len(self.tokens):
            x = self.t(last)
            if self.tokens[last].kind == "op" and x in "([{<" and last in self.match:
                last = self.match[last]
            elif self.tokens[last].kind == "op" and x in ");,]}":
                break
            last += 1
        first = self.left_end(i, -1)
        if first < i:
            self.add(first, last - 1, "operands",
                     f"({self.slice(first, i - 1)}) ? ({self.slice(j + 1, last - 1)}) : "
                     f"({self.slice(i + 1, j - 1)})", "branches of ?: swapped")

    def number(self, i):
        m = re.fullmatch(r"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlLzZ]*)", self.t(i))
        if not m:
            return
        digits, suffix = m.group(1).replace("'", ""), m.group(2)
        value = int(digits, 0)
        show = hex if digits[:2].lower() == "0x" else str
        self.add(i, i, "constant", show(value + 1) + suffix, f"{self.t(i)} -> {show(value + 1)}")
        if value > 0:
            self.add(i, i, "constant", show(value - 1) + suffix,
                     f"{self.t(i)} -> {show(value - 1)}")

    def name(self, i):
        x = self.t(i)
        after = self.t(i + 1)
        if x in ("true", "false"):
            other = "false" if x == "true" else "true"
            self.add(i, i, "constant", other, f"{x} -> {other}")
            return
        if x in MODIFIERS and self.t(i - 1) in (".", "->") and after not in ASSIGNMENTS:
            first = self.postfix_start(i)
            if first >= 0 and self.t(first - 1) != "&" and after != "(":
                self.add(first, i, "modifier", "false", f"{self.slice(first, i)} -> false")
            return
        if after != "(":
            return
        first = self.postfix_start(i)
        if first < 0 or self.t(first - 1) == "&" and not self.tokens[first - 1].after:
            return
        close = self.match[i + 1]
        call = self.slice(first, close)
        prefix = self.text[self.tokens[first].start:self.tokens[i].start]
        rest = self.slice(i + 1, close)
        if x == "has" and prefix.startswith("in."):
            self.add(first, close, "modifier", "false", f"{call} -> false")
        elif x == "plain" or x.startswith("is_plain"):
            self.add(first, close, "modifier", "true", f"{call} -> true")
        elif x == "modifier":
            self.add(first, close, "modifier", f"decltype({call}){{}}", f"{call} -> none")
        if x in OTHER_CALL:
            self.add(first, close, "operator", prefix + OTHER_CALL[x] + rest,
                     f"{x} -> {OTHER_CALL[x]}")
        if x in SWAPPED_CALLS:
            args = [self.slice(*a) for a in self.arguments(i + 1)]
            if len(args) in (2, 3) and args[-1] != args[-2] and x not in ("min", "max"):
                args[-1], args[-2] = args[-2], args[-1]
                self.add(first, close, "operands", f"{prefix}{x}({', '.join(args)})",
                         f"operands of {x} swapped")

    def statement(self, i):
        before = self.t(i - 1)
        after_if = before == ")" and self.t(self.match[i - 1] - 1) in ("if", "while", "for",
                                                                      "constexpr")
        starts = before in (";", "{", "}") or before == "else" or after_if or \
            (before == ":" and not self.tokens[i - 1].before)
        if not starts or self.t(self.outer[i]) != "{":
            return
        if before == "{" and not self.tokens[i - 1].before and self.t(i - 2) not in (")",):
            return  # an initialiser
        x = self.t(i)
        if x == "if":
            self.block_condition(i)
            return
        end = i
        while end < len(self.tokens) and self.t(end) != ";":
            if self.tokens[end].kind == "op" and self.t(end) in "([{" or \
                    self.t(end) == "<" and end in self.match:
                end = self.match[end]
            elif self.t(end) in (")", "}", "]"):
                return
            end += 1
        if x in ("break", "continue"):
            self.add(i, end, "statement", None, f"{x} dropped")
            return
        if x == "return":
            guarded = after_if or before == "{" and self.t(i - 2) == ")" and \
                self.t(self.match[i - 2] - 1) == "if"
            if guarded:
                self.add(i, end, "statement", None, "return dropped")
            return
        if x in KEYWORDS or x in ("const", "auto", "typename", "using", "constexpr", "static",
                                  "struct", "class", "template", "friend", "public", "private"):
            return
        # An expression never has two names side by side; a declaration does.
        j = i
        while j < end:
            if self.tokens[j].kind == "op" and self.t(j) in "([{":
                j = self.match[j]
            elif self.t(j) == "<" and j in self.match:
                j = self.match[j]
                if self.tokens[j + 1].kind == "name" or self.t(j + 1) in ("&", "*", "{"):
                    return
            elif self.tokens[j].kind == "name" and self.tokens[j + 1].kind == "name":
                return
            elif self.t(j) in ASSIGNMENTS:
                break
            elif self.t(j) in ("*", "&") and j > i and not self.is_binary(j):
                return
            j += 1
        if end > i and self.t(i + 2) != "reserve":  # that one changes nothing
            self.add(i, end, "statement", None, "statement dropped")

    def block_condition(self, i):
        """if (c) { ... }: the block dropped. (For `if (c) statement;` the statement has a point.)"""
        opener = i + 1
        if self.t(opener) != "(":
            return
        close = self.match[opener]
        if self.t(close + 1) != "{":
            return
        words = self.tokens[opener + 1:close]
        if any(w.text in (";", "=") for w in words):
            return
        inner = self.slice(opener + 1, close - 1)
        self.add(opener + 1, close - 1, "statement", "false", "block under the condition dropped")

    # ---- output ----
    def drop_crossing(self):
        """Leaves out points that are not nested in each other, and second drops of a statement."""
        stack, seen = [], set()
        for p in sorted(self.points, key=lambda p: (p.start, -p.end)):
            while stack and stack[-1] <= p.start:
                stack.pop()
            key = (p.start, p.end, p.text)
            p.dropped = p.dropped or key in seen or bool(stack) and p.end > stack[-1]
            seen.add(key)
            if not p.dropped:
                stack.append(p.end)

    def render(self):
        """The copy's text, with where each point's text lies in it."""
        groups = {}
        for p in self.points:
            if not p.dropped:
                groups.setdefault((p.start, p.end), []).append(p)
        spans = sorted(groups, key=lambda s: (s[0], -s[1]))
        out, places = [], []
        size = 0

        def emit(text):
            nonlocal size
            out.append(text)
            size += len(text)

        position = 0
        stack = []  # (end, closing text, points, start in the output)

        def advance(to):
            nonlocal position
            while stack and stack[-1][0] <= to:
                end, closing, points, begin = stack.pop()
                emit(self.text[position:end])
                position = end
                emit(closing)
                places.append((begin, size, points))
            emit(self.text[position:to])
            position = to

        for span in spans:
            start, end = span
            advance(start)
            begin = size
            drops = [p for p in groups[span] if p.text is None]
            changes = [p for p in groups[span] if p.text is not None]
            closing = ""
            if drops:
                emit("{ if (!PICKER_MUTANT(%d)) " % drops[0].id)
                closing = " }"
            if changes:
                emit("(" + "".join(f"PICKER_MUTANT({p.id}) ? ({flat(p.text)}) : "
                                   for p in changes) + "(")
                closing = "))" + closing
            stack.append((end, closing, groups[span], begin))
        advance(len(self.text))
        head = '#include "mutants/active.hpp"\n'
        return head + "".join(out), [(b + len(head), e + len(head), p) for b, e, p in places]


def flat(text):
    """On one line, without comments."""
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"\s+", " ", text)


def quote(text):
    return '"' + flat(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path) and open(path, encoding="utf-8").read() == text:
        return
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def draw(sources, count, seed):
    """Keeps `count` points, taken in turn from the files and kinds."""
    random = Random(seed)
    strata = {}
    for s in sources:
        for p in s.points:
            if not p.dropped:
                strata.setdefault((s.path, p.kind), []).append(p)
    for points in strata.values():
        random.shuffle(points)
    kept = set()
    while len(kept) < count and any(strata.values()):
        for points in random.sample(sorted(strata.items()), len(strata)):
            if points[1] and len(kept) < count:
                kept.add(points[1].pop())
    for s in sources:
        for p in s.points:
            p.dropped = p.dropped or p not in kept


def compile_unit(command, unit):
    run = subprocess.run(shlex.split(command) + ["-fsyntax-only", "-fmax-errors=0",
                                                 "-fno-diagnostics-show-caret", unit],
                         capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


def give_up_failing(out, sources, command, units):
    """Drops the points whose copies do not compile. Returns them."""
    given_up = []
    for _ in range(12):
        rendered = {}
        for s in sources:
            text, places = s.render()
            path = os.path.join(out, "lib", s.path)
            write(path, text)
            rendered[os.path.realpath(path)] = (text, places)
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda u: compile_unit(command, u), units))
        failing = set()
        for code, errors in results:
            if code == 0:
                continue
            found = False
            for m in re.finditer(r"^(?:In file included from )?([^\s:]+):(\d+):(\d+): *(.*)$",
                                 errors, re.M):
                path = os.path.realpath(m.group(1))
                if "error" not in m.group(4) and "required from" not in m.group(4):
                    continue
                if path not in rendered:
                    continue
                text, places = rendered[path]
                lines = [0] + [k.end() for k in re.finditer("\n", text)]
                at = lines[int(m.group(2)) - 1] + int(m.group(3)) - 1
                inside = [p for p in places if p[0] <= at < p[1]]
                if inside:
                    failing.update(min(inside, key=lambda p: p[1] - p[0])[2])
                    found = True
            if not found:
                sys.exit("make_mutants.py: an error outside all points:\n" + errors[:4000])
        if not failing:
            return given_up
        for p in failing:
            p.dropped = True
        given_up += failing
    sys.exit("make_mutants.py: the copies still do not compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--root", required=True, help="the folder that FILES are below")
    parser.add_argument("--files", nargs="+", required=True)
    parser.add_argument("--count", type=int, default=0, help="how many to draw; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compile", help="compiler and flags, to find points that do not compile")
    parser.add_argument("--units", nargs="*", default=[], help="what to compile for that")
    arguments = parser.parse_args()

    sources, number = [], 0
    for path in arguments.files:
        with open(os.path.join(arguments.root, path), encoding="utf-8") as f:
            source = Source(path, f.read())
        for p in sorted(source.points, key=lambda p: (p.start, p.end)):
            p.id = number
            number += 1
        sources.append(source)
    for s in sources:
        s.drop_crossing()
    if arguments.count:
        draw(sources, arguments.count, arguments.seed)
    write(os.path.join(arguments.out, "mutants", "active.hpp"), ACTIVE)
    given_up = []
    if arguments.compile:
        given_up = give_up_failing(arguments.out, sources, arguments.compile, arguments.units)
    rows = []
    for s in sources:
        text, _ = s.render()
        write(os.path.join(arguments.out, "lib", s.path), text)
        for p in sorted(s.points, key=lambda p: p.id):
            if not p.dropped:
                line = s.line(p.start)
                code = s.text[s.lines[line - 1]:].split("\n", 1)[0].strip()
                rows.append(f'{{{p.id}, "{s.path}", {line}, "{p.kind}", {quote(p.what)}, '
                            f'{quote(code)}}},\n')
    write(os.path.join(arguments.out, "mutants", "table.inc"), "".join(rows))
    write(os.path.join(arguments.out, "mutants", "count.inc"), f"{number}\n")
    with open(os.path.join(arguments.out, "skipped.txt"), "w", encoding="utf-8") as f:
        for s in sources:
            for p in s.points:
                if p in given_up:
                    f.write(f"{s.path}:{s.line(p.start)}: {p.kind}: {p.what}\n")
    print(f"{len(rows)} mutants in {len(sources)} files; {len(given_up)} do not compile")
    return 0


ACTIVE = """// Made by tools/make_mutants.py.
#pragma once

namespace picker::mutants {
// Per mutant: 0 the original, 1 the mutant, 2 the original, and note that it was reached.
extern unsigned char states[];
bool reached(unsigned id);  // state is not 0
}  // namespace picker::mutants

// In constant expressions the original.
constexpr bool PICKER_MUTANT(unsigned id) {
  if consteval {
    return false;
  } else {
    if (::picker::mutants::states[id] == 0) [[likely]] return false;
    return ::picker::mutants::reached(id);
  }
}
"""

if __name__ == "__main__":
    sys.exit(main())
