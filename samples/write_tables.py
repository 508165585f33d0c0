#!/usr/bin/env python3
"""Writes samples/NAME.json from the models in samples/tables; --check only compares.

Exit status 1 if --check finds a file that differs (or is missing, or has no model).
"""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True


def main():
    from tables import model
    for module in sorted((HERE / "tables").glob("*.py")):
        if module.stem not in ("model", "__init__"):
            importlib.import_module(f"tables.{module.stem}")
    wrong = []
    for sample in model.samples:
        path = HERE / f"{sample.name}.json"
        if "--check" not in sys.argv:
            path.write_text(sample.json())
        elif not path.exists() or path.read_text() != sample.json():
            wrong.append(f"{path.name} is not what its model gives; run samples/write_tables.py")
    extra = {p.stem for p in HERE.glob("*.json")} - {s.name for s in model.samples}
    wrong += [f"{name}.json has no model" for name in sorted(extra)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
