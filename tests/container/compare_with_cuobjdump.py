#!/usr/bin/env python3
"""Compares `picker list` with cuobjdump on files with device code.

Usage: compare_with_cuobjdump.py PICKER FILE... [--sample N] [--kernels]

For each FILE the number of cubins (linked and not) and PTX entries must equal what `cuobjdump -all
-lelf` and `-lptx` count. For N cubins of each file (default 20, evenly spread), extracted by
cuobjdump, kernels, registers, parameters and block limits must equal what `cuobjdump -elf` prints.
With --kernels the number of kernels of each architecture must equal the entry functions that
`cuobjdump -symbols` lists (minutes for large libraries).
CUOBJDUMP names cuobjdump (default: from PATH).
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CUOBJDUMP = os.environ.get("CUOBJDUMP", "cuobjdump")


def output(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace").stdout


def picker_list(picker, path):
    return json.loads(output(picker, "--format", "json", "list", str(path)))


def facts_of_cuobjdump(path):
    """{kernel: facts} from the text of cuobjdump -elf."""
    kernels = {}
    section = None
    attribute = None
    registers = {}
    for line in output(CUOBJDUMP, "-elf", str(path)).splitlines():
        stripped = line.strip()
        if stripped.startswith("."):
            section = stripped.split()[0]
            if section.startswith(".nv.info."):
                kernels[section[len(".nv.info."):]] = {"parameters": {}, "size": 0, "base": None,
                                                       "max": None, "required": None}
            continue
        if stripped.startswith("Attribute:"):
            attribute = stripped.split()[-1]
        if section == ".nv.info":
            match = re.search(r"function: (\S+)\(0x[0-9a-f]+\)\s+register count: (\d+)", stripped)
            if match:
                registers[match[1]] = int(match[2])
        if section is None or not section.startswith(".nv.info."):
            continue
        kernel = kernels[section[len(".nv.info."):]]
        if attribute in ("EIATTR_KPARAM_INFO", "EIATTR_KPARAM_INFO_V2"):
            match = re.search(r"Ordinal : 0x([0-9a-f]+)\s+Offset\s+: 0x([0-9a-f]+)\s+"
                              r"Size\s+: 0x([0-9a-f]+)", stripped)
            if match:
                ordinal, offset, size = (int(x, 16) for x in match.groups())
                kernel["parameters"][ordinal] = (offset, size)
        match = re.search(r"Value:\s+(.*)", stripped)
        if not match:
            continue
        words = [int(x, 16) for x in re.findall(r"0x([0-9a-f]+)", match[1])]
        if attribute == "EIATTR_PARAM_CBANK":
            kernel["base"], kernel["size"] = words[1] & 0xffff, words[1] >> 16
        elif attribute == "EIATTR_MAX_THREADS":
            kernel["max"] = words[:3]
        elif attribute == "EIATTR_REQNTID":
            kernel["required"] = words[:3]
    for name, kernel in kernels.items():
        kernel["registers"] = registers.get(name)
    return kernels


def facts_of_picker(listing):
    kernels = {}
    for image in listing["images"]:
        for kernel in image["kernels"]:
            kernels[kernel["name"]] = {
                "parameters": {p["ordinal"]: (p["offset"], p["size"]) for p in kernel["parameters"]},
                "size": kernel["parameter_size"],
                "base": int(kernel["parameter_base"], 16) if kernel["parameters"] else None,
                "max": kernel["max_threads"],
                "required": kernel["required_threads"],
                "registers": kernel["registers"],
            }
    return kernels


def kernels_of_cuobjdump(path):
    """{architecture: number of entry functions}"""
    counts = collections.Counter()
    architecture = None
    for line in output(CUOBJDUMP, "-symbols", str(path)).splitlines():
        words = line.split()
        if line.startswith("arch ="):
            architecture = words[-1]
        elif len(words) == 5 and words[0] == "FUNC" and words[3] == "ENTRY":
            counts[architecture] += 1
    return counts


def compare(picker, path, sample, count_kernels):
    listing = picker_list(picker, path)
    counts = [sum(image["kind"] == kind for image in listing["images"]) for kind in ("cubin", "ptx")]
    elf = re.findall(r"^ELF file\s+\d+: (.*)$", output(CUOBJDUMP, "-all", "-lelf", str(path)), re.M)
    ptx = re.findall(r"^PTX file\s+\d+: (.*)$", output(CUOBJDUMP, "-all", "-lptx", str(path)), re.M)
    good = counts == [len(elf), len(ptx)]
    print(f"{path}: cubins {counts[0]}, cuobjdump {len(elf)}; PTX {counts[1]}, cuobjdump {len(ptx)}")
    if count_kernels:
        ours, theirs = collections.Counter(), kernels_of_cuobjdump(path)
        for image in listing["images"]:
            ours[image["arch"]] += len(image.get("kernels", []))
        ours = +ours
        print("  kernels: " + ", ".join(f"{a} {n}" for a, n in sorted(ours.items())) +
              (", as cuobjdump" if ours == theirs else f"; cuobjdump {dict(theirs)}"))
        good = good and ours == theirs
    kernels = 0
    with tempfile.TemporaryDirectory() as folder:
        step = max(1, len(elf) // sample) if sample else len(elf) + 1
        for name in elf[::step]:
            output(CUOBJDUMP, "-all", "-xelf", name, str(pathlib.Path(path).resolve()), cwd=folder)
            extracted = pathlib.Path(folder, name)
            if not extracted.exists():
                print(f"  {name}: not extracted")
                good = False
                continue
            theirs, ours = facts_of_cuobjdump(extracted), facts_of_picker(picker_list(picker, extracted))
            for kernel in theirs.keys() | ours.keys():
                kernels += 1
                # Older cubins state the number of registers in the code section's header alone.
                if kernel in ours and kernel in theirs and theirs[kernel]["registers"] is None:
                    theirs[kernel]["registers"] = ours[kernel]["registers"]
                if theirs.get(kernel) != ours.get(kernel):
                    # Device functions of relocatable files have .nv.info sections too.
                    if kernel not in ours and theirs[kernel]["base"] is None:
                        continue
                    print(f"  {name}: {kernel}:\n    cuobjdump {theirs.get(kernel)}\n"
                          f"    picker    {ours.get(kernel)}")
                    good = False
            extracted.unlink()
    print(f"  {kernels} kernels compared")
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("picker")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--kernels", action="store_true")
    arguments = parser.parse_args()
    results = [compare(arguments.picker, path, arguments.sample, arguments.kernels) for path in arguments.files]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
