#!/usr/bin/env python3
"""The documentation against the code.

  reasons    every row of lib/analysis/reasons.cpp has its own paragraph in docs/reasons.md with the
             cause that the row states, no paragraph is left over, names are unique
  files      every path that a page names in backticks or links to exists
  schemas    every schema that a page names is printed by tools/, and the other way round
  output     blocks that begin with "$ build/release/picker" show what that command prints; a line
             "..." stands for any lines
  --self     the checks above notice what they are for: each is run on a text with one fault

Usage: docs_test.py SOURCE PICKER CHECK
"""
import pathlib
import re
import shlex
import subprocess
import sys

failures = []


def fail(text):
    failures.append(text)


def pages(source):
    return {path: path.read_text() for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]}


# ---- reasons ----

def reason_rows(table):
    """(enumerator, name, sentence, cause) of each row."""
    row = re.compile(r'\{Reason::k(\w+),\s*"([^"]*)",\s*((?:"[^"]*"\s*)+),\s*PaperCause::k(\w+)\}')
    return [(m[1], m[2], "".join(re.findall(r'"([^"]*)"', m[3])), m[4]) for m in row.finditer(table)]


def check_reasons(header, table, page):
    enumerators = re.search(r"enum class Reason[^{]*\{(.*?)\}", header, re.S)[1]
    enumerators = [e for e in re.findall(r"\bk(\w+)", enumerators) if e != "Count"]
    rows = reason_rows(table)
    if [r[0] for r in rows] != enumerators:
        fail(f"reasons.cpp has rows {[r[0] for r in rows]}, reasons.hpp enumerates {enumerators}")
    for what, index in (("name", 1), ("sentence", 2)):
        values = [r[index] for r in rows]
        for value in sorted({v for v in values if values.count(v) > 1}):
            fail(f"two reasons have the {what} {value!r}")
    sections = re.split(r"^## ", page, flags=re.M)[1:]
    titles = [s.split("\n", 1)[0].strip() for s in sections]
    for title in sorted({t for t in titles if titles.count(t) > 1}):
        fail(f"docs/reasons.md has two sections {title}")
    paragraphs = dict(zip(titles, (s.split("\n", 1)[1].strip() for s in sections)))
    for _, name, _, cause in rows:
        cause = cause.lower() if cause == "Other" else cause
        if name not in paragraphs:
            fail(f"docs/reasons.md has no section {name}")
        elif not paragraphs[name].startswith(f"Cause: {cause}. "):
            fail(f"docs/reasons.md: {name} does not begin with 'Cause: {cause}.'")
        elif len(paragraphs[name]) < 80:
            fail(f"docs/reasons.md: {name} says hardly anything")
    for title in titles:
        if title not in {r[1] for r in rows}:
            fail(f"docs/reasons.md explains {title}, which is no reason")


# ---- files ----

FOLDERS = ("lib/", "tools/", "tests/", "samples/", "docs/", "bench/", "cmake/", "scripts/")


def check_files(source, texts):
    for path, text in texts.items():
        where = path.relative_to(source)
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#:]+)\)", prose):
            if not (path.parent / target).exists():
                fail(f"{where}: link to {target}, which is not there")
        for name in re.findall(r"`([^`\s]+)`", prose):
            name = name.rstrip("/")
            if "*" in name or "NAME" in name or "AREA" in name:
                continue
            if name.startswith(FOLDERS):
                if not (source / name).exists():
                    fail(f"{where}: names {name}, which is not there")
            elif re.fullmatch(r"[\w-]+\.md", name):
                if not (path.parent / name).exists():
                    fail(f"{where}: names {name}, which is not there")
            elif re.fullmatch(r"\w+\.(cpp|hpp|tbl|py|sh)", name):
                if not any(p.name == name for folder in ("lib", "tools", "tests", "samples")
                           for p in (source / folder).rglob(name)):
                    fail(f"{where}: names {name}, which is nowhere")


# ---- schemas ----

SCHEMA = re.compile(r"picker\.[a-z]+/\d+")


def check_schemas(code, page):
    printed, named = set(SCHEMA.findall(code)), set(SCHEMA.findall(page))
    for schema in sorted(printed - named):
        fail(f"docs/command-line.md does not describe {schema}")
    for schema in sorted(named - printed):
        fail(f"docs/command-line.md describes {schema}, which nothing prints")


# ---- output ----

def transcripts(text):
    """(command line, expected lines) of each `$ build/release/picker ...` in fenced blocks."""
    for block in re.findall(r"^```\n(.*?)^```", text, flags=re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.replace("\\\n", " ").partition("\n")
            if command.startswith("build/release/picker"):
                yield command, output.rstrip("\n").split("\n")


def matches(expected, actual):
    """Whether `actual` is `expected`, each line "..." of which stands for any lines."""
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def check_output(source, picker, texts):
    seen = 0
    for path, text in texts.items():
        for command, expected in transcripts(text):
            seen += 1
            words = shlex.split(command)
            done = subprocess.run([picker, *words[1:]], cwd=source, capture_output=True, text=True, check=False)
            if not matches(expected, done.stdout.rstrip("\n").split("\n")):
                fail(f"{path.relative_to(source)}: `{command}` prints\n{done.stdout}")
    if seen == 0:
        fail("no page shows any output")


def self_test(source, picker):
    """Each check must notice one fault."""
    header = (source / "lib/analysis/reasons.hpp").read_text()
    table = (source / "lib/analysis/reasons.cpp").read_text()
    page = (source / "docs/reasons.md").read_text()
    readme = source / "README.md"
    command_line = (source / "docs/command-line.md").read_text()
    code = "\n".join(p.read_text() for p in (source / "tools").glob("*.cpp"))
    transcript = "```\n$ build/release/picker version\npicker 0.0\n```\n"
    faults = {
        "a missing section": lambda: check_reasons(header, table, page.replace("## budget", "## budgets")),
        "another cause": lambda: check_reasons(header, table, page.replace("Cause: NC", "Cause: NA")),
        "a name twice": lambda: check_reasons(header, table.replace('"recursion"', '"budget"'), page),
        "a missing row": lambda: check_reasons(header.replace("kCount", "kMore, kCount"), table, page),
        "a missing file": lambda: check_files(source, {readme: "see `lib/nothing.cpp`"}),
        "a broken link": lambda: check_files(source, {readme: "see [this](docs/nothing.md)"}),
        "an unknown schema": lambda: check_schemas(code, command_line + "picker.nothing/1"),
        "a missing schema": lambda: check_schemas(code, command_line.replace("picker.check/1", "")),
        "other output": lambda: check_output(source, picker, {readme: transcript}),
    }
    for what, check in faults.items():
        failures.clear()
        check()
        found = bool(failures)
        failures.clear()
        if not found:
            print(f"the test does not notice {what}")
            return 1
    return 0


def main():
    source, picker, what = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    texts = pages(source)
    if what == "--self":
        return self_test(source, picker)
    if what == "reasons":
        check_reasons((source / "lib/analysis/reasons.hpp").read_text(),
                      (source / "lib/analysis/reasons.cpp").read_text(),
                      (source / "docs/reasons.md").read_text())
    elif what == "files":
        check_files(source, texts)
    elif what == "schemas":
        check_schemas("\n".join(p.read_text() for p in (source / "tools").glob("*.cpp")),
                      (source / "docs/command-line.md").read_text())
    elif what == "output":
        check_output(source, picker, texts)
    else:
        return f"no check {what}"
    for text in failures:
        print(text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
