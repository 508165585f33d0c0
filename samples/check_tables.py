#!/usr/bin/env python3
"""Checks the launch tables samples/*.json against themselves and against the cubins beside them.

Needs the standard library only. Prints one line per fault; exit status 1 if there is any.
"""
import json
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARCHITECTURES = [70, 75, 80, 86, 90, 100, 120]
LAUNCH_KEYS = {"name", "grid", "block", "cluster", "shared", "args", "alloc", "symbols", "assume",
               "expect", "why", "sibling"}
OPTIONAL_KEYS = {"misaligned", "emulate", "needs", "with_contents", "aside", "harm"}
VALUE = re.compile(r"-?\d+|0x[0-9a-f]+|f:[-+.\dinfae]+|hex:([0-9a-f]{2})+")
ALLOC = re.compile(r"0x[0-9a-f]+:\d+(:(zero|iota32|random:\d+|file:.+))?")


def sections(blob):
    """Name and contents of each section of a 64-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<Q", blob, 0x28)
    size, count, names = struct.unpack_from("<HHH", blob, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", blob, table + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, kind, _, _, offset, length, *_ in headers:
        end = blob.index(b"\0", strings + name)
        yield blob[strings + name:end].decode(), b"" if kind == 8 else blob[offset:offset + length]


def parameter_count(info):
    """Number of KPARAM_INFO records in a kernel's .nv.info section."""
    at = count = 0
    while at + 4 <= len(info):
        form, attribute, value = struct.unpack_from("<BBH", info, at)
        count += form == 4 and attribute in (0x17, 0x45)
        at += 4 + (value if form == 4 else 0)
    return count


def kernels_of(path):
    """Kernel name -> number of parameters, of one cubin."""
    found = dict(sections(path.read_bytes()))
    return {name[len(".text."):]: parameter_count(found[".nv.info." + name[len(".text."):]])
            for name in found if name.startswith(".text.") and ".nv.info." + name[len(".text."):] in found
            and ".nv.constant0." + name[len(".text."):] in found}


def machine_paths(path):
    return re.findall(rb"(?:/(?:home|root|tmp|work|usr|opt|var)/[\w./-]*)", path.read_bytes())


def check_launch(launch, kernel, by_name):
    keys = set(launch)
    if LAUNCH_KEYS - keys or keys - LAUNCH_KEYS - OPTIONAL_KEYS:
        yield f"keys {sorted(keys ^ LAUNCH_KEYS)}"
    if len(launch["args"]) != len(kernel["parameters"]):
        yield f"{len(launch['args'])} arguments for {len(kernel['parameters'])} parameters"
    for shape in ("grid", "block"):
        if len(launch[shape]) != 3 or min(launch[shape]) < 1:
            yield f"{shape} {launch[shape]}"
    x, y, z = launch["block"]
    if x * y * z > 1024:
        yield "more than 1024 threads in a block"
    for value in launch["args"]:
        if not VALUE.fullmatch(value):
            yield f"argument {value}"
    for symbol, place in launch["symbols"].items():
        parts = place.split(":")
        if not re.fullmatch(r"0x[0-9a-f]+(:file:.+)?", place) or \
                (len(parts) == 3 and not (HERE / parts[2]).exists()):
            yield f"symbol {symbol} at {place}"
    spans = []
    for alloc in launch["alloc"]:
        if not ALLOC.fullmatch(alloc):
            yield f"allocation {alloc}"
        else:
            base, size = int(alloc.split(":")[0], 16), int(alloc.split(":")[1])
            spans.append((base, base + size))
    spans.sort()
    if any(one[1] > two[0] for one, two in zip(spans, spans[1:])):
        yield "allocations overlap"
    if launch["expect"] not in ("idempotent", "not idempotent"):
        yield f"expect {launch['expect']}"
    if launch.get("with_contents", "idempotent") not in ("idempotent", "not idempotent"):
        yield "with_contents"
    if (launch.get("needs") == "memory" and launch.get("emulate", True)) != ("with_contents" in launch):
        yield "with_contents goes with needs: memory"
    if not launch["why"]:
        yield "no reason given"
    sibling = launch["sibling"]
    if sibling is not None:
        if sibling not in by_name:
            yield f"no sibling '{sibling}'"
        elif by_name[sibling]["expect"] == launch["expect"] and \
                by_name[sibling].get("with_contents") == launch.get("with_contents"):
            yield f"sibling '{sibling}' has the same truth"


def check_kernel(kernel):
    by_name = {launch["name"]: launch for launch in kernel["launches"]}
    if len(by_name) != len(kernel["launches"]):
        yield "two launches of one name"
    for launch in kernel["launches"]:
        for fault in check_launch(launch, kernel, by_name):
            yield f"'{launch['name']}': {fault}"
    truths = {launch["expect"] for launch in kernel["launches"]}
    if "one_sided" in kernel:
        if len(truths) == 2:
            yield "one_sided, but both truths are present"
    elif len(truths) < 2:
        yield f"only launches that are {truths}"
    elif not any(launch["sibling"] for launch in kernel["launches"]):
        yield "no launch has a sibling"


def check_sample(path):
    table = json.loads(path.read_text())
    if table["sample"] != path.stem or not (HERE / table["source"]).exists():
        yield "names another sample or source"
    source = (HERE / table["source"]).read_text()
    least = int((re.search(r"Needs sm_(\d+)", source) or [0, 0])[1])
    if not source.startswith("//"):
        yield "the source does not open with its pattern and condition"
    for architecture in ARCHITECTURES:
        cubin = HERE / "cubins" / f"{path.stem}.sm_{architecture}.cubin"
        if cubin.exists() != (architecture >= least):
            yield f"{cubin.name} {'unexpected' if cubin.exists() else 'missing'}"
            continue
        if not cubin.exists():
            continue
        found = kernels_of(cubin)
        listed = {k["name"]: len(k["parameters"]) for k in table["kernels"]}
        if found != listed:
            yield f"{cubin.name} holds {found}, the table {listed}"
        for trace in machine_paths(cubin):
            yield f"{cubin.name} names {trace.decode()}"
    for kernel in table["kernels"]:
        for fault in check_kernel(kernel):
            yield f"{kernel['name']}: {fault}"


def main():
    faults, kernels, launches = [], 0, 0
    tables = sorted(HERE.glob("*.json"))
    for path in tables:
        faults += [f"{path.name}: {fault}" for fault in check_sample(path)]
        document = json.loads(path.read_text())
        kernels += len(document["kernels"])
        launches += sum(len(k["launches"]) for k in document["kernels"])
    faults += [f"{p.name}: no table" for p in sorted(HERE.glob("*.cu")) if not p.with_suffix(".json").exists()]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    print(f"{len(tables)} samples, {kernels} kernels, {launches} launches, {len(faults)} faults")
    return 1 if faults or not tables else 0


if __name__ == "__main__":
    sys.exit(main())
