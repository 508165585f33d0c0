#!/usr/bin/env python3
"""Writes samples/NAME.json from the models in samples/tables, and the table in samples/README.md.

--check only compares: exit status 1 if a file differs, is missing, or has no model.
"""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True


def opening_comment(source):
    lines = []
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return " ".join(lines)


def readme(samples):
    """README.md with its table of samples brought up to date."""
    rows = ["| sample | kernels | launches | pattern, and when a launch is idempotent |", "|---|---|---|---|"]
    for sample in sorted(samples, key=lambda s: s.name):
        names = ", ".join(f"`{k.name}`" for k in sample.kernels)
        count = sum(len(k.launches) for k in sample.kernels)
        text = opening_comment(HERE / f"{sample.name}.cu").replace("|", "\\|").replace("*", "\\*")
        rows.append(f"| [{sample.name}]({sample.name}.cu) | {names} | {count} | {text} |")
    text = (HERE / "README.md").read_text()
    return text[:text.index("| sample |")] + "\n".join(rows) + "\n"


def main():
    from tables import model
    for module in sorted((HERE / "tables").glob("*.py")):
        if module.stem not in ("model", "__init__"):
            importlib.import_module(f"tables.{module.stem}")
    wrong = []
    for sample in model.samples:
        files = {f"{sample.name}.json": sample.json().encode(), **sample.files}
        for path, content in ((HERE / name, content) for name, content in files.items()):
            if "--check" not in sys.argv:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
            elif not path.exists() or path.read_bytes() != content:
                wrong.append(f"{path.name} is not what its model gives; run samples/write_tables.py")
    table = readme(model.samples)
    if "--check" not in sys.argv:
        (HERE / "README.md").write_text(table)
    elif (HERE / "README.md").read_text() != table:
        wrong.append("README.md's table is not up to date; run samples/write_tables.py")
    extra = {p.stem for p in HERE.glob("*.json")} - {s.name for s in model.samples}
    wrong += [f"{name}.json has no model" for name in sorted(extra)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
