#!/usr/bin/env python3
"""Compare the decoder's def and use sets, and its control-flow classes, with nvdisasm's.

    check_registers.py --sm 80 [--dump build/release/sass-dump] [--per-shape N] FILE.words...

nvdisasm shows for each instruction of a cubin which registers it writes (^), reads (v) or both (x)
(`-plr`), with the widths that the text leaves out. The words are put into the code of a cubin made
with ptxas. Words that transfer control are left out there (they would end the live ranges); their
class is compared with the attribute control-flow of `nvdisasm -json` instead.
"""
import argparse
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_oracle as oracle  # noqa: E402

COUNT = 1500  # words per cubin
FILES = {"GPR": "R", "PRED": "P", "UGPR": "UR", "UPRED": "UP"}
EXIT = 0x000FEA0003800000000000000000794D
# The number of coordinate registers depends on many modifiers; the table states the largest.
# nvdisasm also marks the predicate sources of LDGSTS and LDG as written. Compiled code reads it again
# without setting it anew (1,757 of 7,817 uses in shipped sm_80 libraries), so it is not.
COORDINATES = {"TEX", "TLD", "TLD4", "TXD", "TXQ"}


def template(sm, directory):
    """A cubin with room for COUNT instructions."""
    old = sm in (70, 72)
    tool = os.environ.get("PTXAS12", "ptxas12") if old else os.environ.get("PTXAS", "ptxas")
    target = f"sm_{sm}a" if sm >= 90 else f"sm_{sm}"
    body = "".join("ld.volatile.global.u32 r,[a]; st.volatile.global.u32 [a+4],r;\n" for _ in range(COUNT))
    source, cubin = os.path.join(directory, "t.ptx"), os.path.join(directory, "t.cubin")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f".version {'8.8' if old else '9.0'}\n.target {target}\n.address_size 64\n"
                   ".visible .entry k(.param .u64 p){.reg .u64 a; .reg .u32 r; ld.param.u64 a,[p];"
                   f"cvta.to.global.u64 a,a;\n{body} ret;}}\n")
    subprocess.run([tool, f"-arch={target}", "-o", cubin, source], check=True)
    with open(cubin, "rb") as file:
        return file.read()


def patched(data, words):
    """The cubin `data` with `words` and then EXITs as its code."""
    data = bytearray(data)
    table, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<H", data, 0x3C)[0], struct.unpack_from("<H", data, 0x3E)[0]
    name_table, = struct.unpack_from("<Q", data, table + 64 * names + 0x18)
    for i in range(count):
        name, kind = struct.unpack_from("<II", data, table + 64 * i)
        offset, size = struct.unpack_from("<QQ", data, table + 64 * i + 0x18)
        end = data.index(b"\0", name_table + name)
        text = data[name_table + name:end].decode()
        if text == ".text.k":
            room = size // 16
            assert len(words) < room
            code = list(words) + [EXIT] * (room - len(words))
            data[offset:offset + size] = oracle.pack(code)[:size]
        elif text.startswith(".rel") and text.endswith(".text.k"):
            struct.pack_into("<I", data, table + 64 * i + 4, 0)
            struct.pack_into("<Q", data, table + 64 * i + 0x20, 0)
    return bytes(data)


def parse_live_ranges(output):
    """-> {offset: (defs, uses)} from `nvdisasm -plr -lrm narrow`."""
    result = {}
    files, rows = None, []
    for line in output.splitlines():
        _, mark, ranges = line.rpartition("// ")
        if not mark:
            continue
        if ranges.startswith("+---"):
            rows = [] if files is None or rows == "done" else rows
            continue
        if not ranges.startswith("|"):
            continue
        columns = ranges.strip().strip("|").split("|")
        match = re.match(r"\s*/\*([0-9a-f]+)\*/", line)
        if match is None:
            names = [c.strip() for c in columns]
            if any(n in FILES for n in names):
                files = names
                rows = []
            elif files is not None and re.fullmatch(r"[ #0-9]*", "".join(columns)) and "".join(columns).strip():
                rows.append(columns)
            continue
        # Register numbers from the header's digit rows, most significant first.
        defs, uses = set(), set()
        for k, column in enumerate(columns):
            if k >= len(files) or files[k] not in FILES:
                continue
            for position, character in enumerate(column):
                if character not in "^vx":
                    continue
                digits = "".join(row[k][position] if k < len(row) and position < len(row[k]) else ""
                                 for row in rows).replace(" ", "").replace("#", "")
                if not digits:
                    continue
                register = FILES[files[k]] + str(int(digits))
                if character in "^x":
                    defs.add(register)
                if character in "vx":
                    uses.add(register)
        result[int(match.group(1), 16)] = (defs, uses)
    return result


def control_flow(sm, words):
    """Whether nvdisasm's JSON marks each word as control flow."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(oracle.pack(words))
        file.flush()
        run = subprocess.run([oracle.nvdisasm(sm), "-b", oracle.architecture(sm), "-json", file.name],
                             capture_output=True, text=True, check=True)
    document = json.loads(run.stdout)
    found = []

    def walk(node):
        if isinstance(node, dict):
            if "opcode" in node:
                found.append("control-flow" in json.dumps(node.get("other-attributes", {})))
                return
            node = list(node.values())
        if isinstance(node, list):
            for child in node:
                walk(child)

    walk(document)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sm", type=int, required=True)
    parser.add_argument("--dump", default="build/release/sass-dump")
    parser.add_argument("--per-shape", type=int, default=2)
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    by_shape = collections.defaultdict(list)
    for path in options.files:
        with open(path, "rb") as file:
            for word in oracle.unpack(file.read()):
                by_shape[oracle.shape(word)].append(word)
    words = []
    for key in sorted(by_shape):
        # Prefer words whose register fields are not RZ: that is where widths show.
        def zeros(word):
            return sum((word >> bit & 0xFF) == 0xFF for bit in (16, 24, 32, 64))
        words += sorted(by_shape[key], key=zeros)[:options.per_shape]
    run = subprocess.run([options.dump, str(options.sm), "registers"], input=oracle.pack(words),
                         capture_output=True, check=True)
    lines = run.stdout.decode().splitlines()
    known = [(w, l) for w, l in zip(words, lines) if not l.startswith("unknown")]
    print(f"{len(words)} words, {len(words) - len(known)} unknown")
    texts = oracle.disassemble(options.sm, [w for w, _ in known])
    flags = control_flow(options.sm, [w for w, _ in known])
    different = collections.Counter()
    shown = collections.defaultdict(list)
    straight = []
    for (word, line), text, flag in zip(known, texts, flags):
        ours = line.split("|")[2] != "0"
        if ours != flag:
            different["control flow", oracle.op13(word)] += 1
            shown["control flow", oracle.op13(word)].append(f"{text}: nvdisasm {flag}, picker {ours}")
        if not flag and not ours:
            straight.append((word, line, text))
    with tempfile.TemporaryDirectory() as directory:
        base = template(options.sm, directory)
        for start in range(0, len(straight), COUNT):
            chunk = straight[start:start + COUNT]
            path = os.path.join(directory, "p.cubin")
            with open(path, "wb") as file:
                file.write(patched(base, [w for w, _, _ in chunk]))
            run = subprocess.run([oracle.nvdisasm(options.sm), "-c", "-plr", "-lrm", "narrow", path],
                                 capture_output=True, text=True, check=False)
            if run.returncode:
                print(run.stderr[:500])
                return 2
            ranges = parse_live_ranges(run.stdout)
            for i, (word, line, text) in enumerate(chunk):
                defs, uses = (set(part.split()) for part in line.split("|")[:2])
                defs = {r for r in defs if r[0] != "B"}
                uses = {r for r in uses if r[0] != "B"}
                theirs = ranges.get(16 * i, (set(), set()))
                name = ([w for w in (text or "").split() if w[0] != "@"] or [""])[0].split(".")[0]
                # nvdisasm follows uniform registers up to UR62, and no predicates behind "UPR".
                defs, uses = ({r for r in s if r[:2] != "UR" or int(r[2:]) < 63} for s in (defs, uses))
                if "UPR" in (text or ""):
                    defs, uses = ({r for r in s if r[:2] != "UP"} for s in (defs, uses))
                if name in COORDINATES and defs == theirs[0] and uses >= theirs[1]:
                    continue
                if name in ("LDGSTS", "LDG", "LD"):
                    sources = {r for r in theirs[0] & theirs[1] if r[0] == "P"}
                    theirs = (theirs[0] - (sources - defs), theirs[1])
                if (defs, uses) != theirs:
                    key = ("registers", oracle.op13(word))
                    different[key] += 1
                    shown[key].append(f"{word:032x} {text}\n      defs nvdisasm {sorted(theirs[0])} picker {sorted(defs)}\n"
                                      f"      uses nvdisasm {sorted(theirs[1])} picker {sorted(uses)}")
    for key, count in sorted(different.items()):
        print(f"{key[0]} {key[1]:04x}: {count} different")
        for case in shown[key][:options.cases]:
            print("   ", case)
    print(f"{len(straight)} words compared, {sum(different.values())} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
