#!/usr/bin/env python3
"""Ask nvdisasm what the bits of an instruction word mean.

    probe_sass.py --sm 80 WORD                  what changes when each bit is flipped
    probe_sass.py --sm 80 WORD --field 75:3     the text for every value of bits 75..77
    probe_sass.py --sm 80 WORD --field 72,75:2  of a split field, least significant part first

WORD is 32 hexadecimal digits, high half first.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_oracle as oracle  # noqa: E402


def change(before, after):
    """The part of a text that differs: 'old > new'."""
    split = r"(?<=[.,\[\]+ ])|(?=[.,\[\]+ ])"
    a, b = re.split(split, before), re.split(split, after)
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return "".join(a[start:len(a) - end]) + " > " + "".join(b[start:len(b) - end])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sm", type=int, required=True)
    parser.add_argument("--field", action="append", default=[])
    parser.add_argument("word")
    options = parser.parse_args()
    word = int(options.word, 16)
    base, = oracle.disassemble(options.sm, [word])
    print(base)
    if not options.field:
        texts = oracle.disassemble(options.sm, [word ^ 1 << bit for bit in range(128)])
        silent = []
        for bit, text in enumerate(texts):
            if text == base:
                silent.append(bit)
            else:
                print(f"{bit:4} {word >> bit & 1}  "
                      f"{'illegal' if text is None else change(base or '', text)}")
        print("silent, with their values:", " ".join(f"{b}={word >> b & 1}" for b in silent))
        return
    for field in options.field:
        bits = []
        for part in field.split(","):
            position, _, width = part.partition(":")
            bits += range(int(position), int(position) + int(width or "1"))
        words = []
        for value in range(1 << len(bits)):
            changed = word
            for i, bit in enumerate(bits):
                changed = changed & ~(1 << bit) | (value >> i & 1) << bit
            words.append(changed)
        print(field)
        for value, text in enumerate(oracle.disassemble(options.sm, words)):
            if text is not None:
                print(f"{value:4x}  {text}")


if __name__ == "__main__":
    main()
