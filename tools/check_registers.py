#!/usr/bin/env python3
"""Compare the decoder's def and use sets, and its control-flow classes, with nvdisasm's.

    check_registers.py --sm 80 [--dump build/release/sass-dump] [--per-shape N] [--neighbours N] FILE.words...

nvdisasm shows for each instruction of a cubin which registers it writes (^), reads (v) or both (x)
(`-plr`), with the widths that the text leaves out. The words are put into the code of a cubin made
with ptxas. Words that transfer control are left out there (they would end the live ranges); their
class is compared with the attribute control-flow of `nvdisasm -json` instead.

With --neighbours N the one-bit neighbours of N words of each opcode are compared, too, as far as picker knows them
(prove_decoder.py shows that their text is nvdisasm's). SASS_ORACLE_CACHE works as there.
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

COUNT = 6000  # words per cubin
CHUNK = 60000  # words per run for texts and attributes
FILES = {"GPR": "R", "PRED": "P", "UGPR": "UR", "UPRED": "UP"}
EXIT = 0x000FEA0003800000000000000000794D
# The number of coordinate registers depends on many modifiers; the table states the largest.
# nvdisasm also marks the predicate sources of LDGSTS and LDG as written. Compiled code reads it again
# without setting it anew (1,757 of 7,817 uses in shipped sm_80 libraries), so it is not.
COORDINATES = {"TEX", "TLD", "TLD4", "TXD", "TXQ", "TMML", "FOOTPRINT"}


# On sm_100 and newer nvdisasm names three registers for four 32-bit components. Compiled code stores four:
# TLD4.G R10, R8, R2, UR4, 2D; STG.E.128 desc[UR6][R4.64], R8.
TEXTURES = {"TEX", "TLD", "TLD4", "TXD"}
# nvdisasm names a pair for LDGSTS's 32-bit address registers (R4.U32), unlike for those of LDG.


def full_result(word):
    """Whether the texture instruction `word` has four 32-bit results, and a register for the last two."""
    return word >> 72 & 15 == 15 and word >> 79 & 3 == 0 and word >> 64 & 255 != 255


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


def live_ranges(sm, base, words):
    """-> (defs, uses) as nvdisasm sees them, for each of `words`; `base` is a cubin with room for them."""

    def answer():
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(patched(base, words))
            file.flush()
            run = subprocess.run([oracle.nvdisasm(sm), "-c", "-plr", "-lrm", "narrow", file.name],
                                 capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(run.stderr[:500])
        ranges = parse_live_ranges(run.stdout)
        found = (ranges.get(16 * i, (set(), set())) for i in range(len(words)))
        return [" ".join(sorted(defs)) + "|" + " ".join(sorted(uses)) for defs, uses in found]

    lines = oracle.kept(sm, "live ranges", words, answer)
    return [tuple(set(part.split()) for part in line.split("|")) for line in lines]


def control_flow(sm, words):
    """Whether nvdisasm's JSON marks each word as control flow."""

    def answer():
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            file.write(oracle.pack(words))
            file.flush()
            run = subprocess.run([oracle.nvdisasm(sm), "-b", oracle.architecture(sm), "-json", file.name],
                                 capture_output=True, text=True, check=True)
        found = []

        def walk(node):
            if isinstance(node, dict):
                if "opcode" in node:
                    found.append("1" if "control-flow" in node.get("other-attributes", {}) else "0")
                    return
                node = list(node.values())
            if isinstance(node, list):
                for child in node:
                    walk(child)

        walk(json.loads(run.stdout))
        return found

    return [line == "1" for line in oracle.kept(sm, "control flow", words, answer)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sm", type=int, required=True)
    parser.add_argument("--dump", default="build/release/sass-dump")
    parser.add_argument("--per-shape", type=int, default=2)
    parser.add_argument("--neighbours", type=int, default=0, help="words per opcode whose neighbours are compared")
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
    if options.neighbours:
        near = oracle.some_per_opcode(words, options.neighbours)
        words += [word ^ 1 << bit for word in near for bit in range(105)]
    run = subprocess.run([options.dump, str(options.sm), "registers"], input=oracle.pack(words),
                         capture_output=True, check=True)
    known = {}
    for word, line in zip(words, run.stdout.decode().splitlines()):
        if not line.startswith("unknown"):
            known.setdefault(word, line)
    print(f"{len(words)} words, {len(known)} of them known and distinct", flush=True)
    known = list(known.items())
    texts, flags = [], []
    for start in range(0, len(known), CHUNK):
        chunk = [word for word, _ in known[start:start + CHUNK]]
        texts += oracle.disassemble(options.sm, chunk)
        flags += control_flow(options.sm, chunk)
    different = collections.Counter()
    shown = collections.defaultdict(list)
    straight = []
    for (word, line), text, flag in zip(known, texts, flags):
        ours = line.split("|")[2] != "0"
        if options.sm == 70 and " BREAK" in f" {text}":  # control flow to nvdisasm 12.8, not to 13.5
            flag = ours
        if ours != flag:
            different["control flow", oracle.op13(word)] += 1
            shown["control flow", oracle.op13(word)].append(f"{text}: nvdisasm {flag}, picker {ours}")
        if not flag and not ours:
            straight.append((word, line, text))
    with tempfile.TemporaryDirectory() as directory:
        base = template(options.sm, directory)
        for start in range(0, len(straight), COUNT):
            chunk = straight[start:start + COUNT]
            ranges = live_ranges(options.sm, base, [word for word, _, _ in chunk])
            for (word, line, text), theirs in zip(chunk, ranges):
                defs, uses = (set(part.split()) for part in line.split("|")[:2])
                defs = {r for r in defs if r[0] != "B"}
                uses = {r for r in uses if r[0] != "B"}
                name = ([w for w in (text or "").split() if w[0] != "@"] or [""])[0].split(".")[0]
                low = uses & {"UR0", "UR1", "UR2", "UR3"}
                # nvdisasm follows uniform registers from UR4 to UR62, and no predicates behind "UPR".
                defs, uses, *theirs = ({r for r in s if r[:2] != "UR" or 4 <= int(r[2:]) < 63}
                                       for s in (defs, uses, *theirs))
                if re.search(r"\bUPR\b", text or ""):
                    defs, uses, *theirs = ({r for r in s if r[:2] != "UP"} for s in (defs, uses, *theirs))
                if name in TEXTURES and options.sm >= 100 and full_result(word):
                    theirs[0].add(f"R{(word >> 64 & 255) + 1}")
                if name == "LDGSTS":
                    theirs[1] -= {f"R{int(r) + 1}" for r in re.findall(r"\[R(\d+)\.U32", text)} - uses
                if name in COORDINATES and defs == theirs[0] and uses >= theirs[1]:
                    continue
                if name in ("LDGSTS", "LDG", "LD"):
                    sources = {r for r in theirs[0] & theirs[1] if r[0] == "P"}
                    theirs[0] -= sources - defs
                if low and defs == theirs[0]:  # an operand that begins below UR4 is left out as a whole
                    theirs[1] |= {r for r in uses if r[:2] == "UR"}
                if [defs, uses] != theirs:
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
