#!/usr/bin/env python3
"""Find the instructions that nvdisasm knows and picker does not.

    find_opcodes.py --sm 80 [--dump build/release/sass-dump] [--random N] [--save FILE.words] [FILE.words ...]

All 8192 values of the opcode (bits 0 to 11, and 91) are tried with a list of fillings of the other bits, made by hand, and with N
random ones, of several densities; then every one-bit neighbour of the words of the opcodes found, and of the given files. For
each mnemonic and opcode that nvdisasm prints the report says whether picker knows a word of it. Those that it does not know are
listed, with a word and its text. Exit status 0 if there is none.

nvdisasm says "Unrecognized operation" of a known opcode, too, if other bits do not fit. So this cannot prove that an opcode does
not exist; it finds what a new table must have.
"""
import argparse
import collections
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_oracle as oracle  # noqa: E402
from prove_decoder import mnemonic  # noqa: E402

CHUNK = 20000
CONTROL = 0x000FC << 108  # scheduling bits that every instruction may have
ALWAYS = 7 << 12
PREDICATES = 7 << 81 | 7 << 84 | 7 << 87
REGISTERS = 4 << 16 | 8 << 24 | 12 << 32 | 16 << 64
ZEROS = 0xFF << 16 | 0xFF << 24 | 0xFF << 32 | 0xFF << 64
FILLINGS = [
    0, PREDICATES, PREDICATES | REGISTERS, REGISTERS, PREDICATES | ZEROS,
    PREDICATES | REGISTERS | 1 << 72, PREDICATES | REGISTERS | 4 << 73, PREDICATES | 7 << 77 | 7 << 68 | 4 << 16 | 8 << 24 | 12 << 32,
    PREDICATES | 7 << 68 | 7 << 77 | 7 << 64, PREDICATES | 15 << 72 | REGISTERS, PREDICATES | REGISTERS | 1 << 59,
    PREDICATES | REGISTERS | 1 << 76, PREDICATES | REGISTERS | 1 << 80, PREDICATES | REGISTERS | 2 << 74, REGISTERS | 7 << 81,
    REGISTERS | 7 << 87, REGISTERS | 1 << 90, REGISTERS | 3 << 61 | PREDICATES,
]


def random_filling(source):
    """Modifier bits of a random density, even register numbers, predicates true more often than not."""
    filling = REGISTERS
    mask = (1 << 105) - (1 << 72) | 0x3F << 58
    for _ in range(source.randint(1, 4)):
        mask &= source.getrandbits(105)
    filling |= mask & ~(1 << 91)
    if source.random() < 0.6:
        filling |= PREDICATES
    return filling


def candidates(count, seed):
    source = random.Random(seed)
    for code in range(8192):
        base = code & 0xFFF | code >> 12 << 91 | ALWAYS | CONTROL
        for filling in FILLINGS:
            yield base | filling
        for _ in range(count):
            yield base | random_filling(source)


def texts_of(sm, words):
    """As oracle.disassemble. Words over which nvdisasm gives up without naming them count as illegal."""
    try:
        return oracle.disassemble(sm, words)
    except RuntimeError as error:
        if len(words) == 1:
            print(f"{words[0]:032x}: {error}")
            return [None]
        half = len(words) // 2
        return texts_of(sm, words[:half]) + texts_of(sm, words[half:])


def chunks(words):
    batch = []
    for word in words:
        batch.append(word)
        if len(batch) == CHUNK:
            yield batch
            batch = []
    if batch:
        yield batch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sm", type=int, required=True)
    parser.add_argument("--dump", default="build/release/sass-dump")
    parser.add_argument("--random", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--neighbours", type=int, default=2, help="words per opcode and mnemonic whose neighbours are tried")
    parser.add_argument("--save", help="write legal words of the mnemonics and opcodes unknown to picker")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    legal = collections.defaultdict(dict)  # (mnemonic, opcode) -> {word: text}
    known = collections.Counter()

    def try_words(words):
        for batch in chunks(words):
            theirs = texts_of(options.sm, batch)
            ours = oracle.ours(options.dump, options.sm, batch)
            for word, text, our in zip(batch, theirs, ours):
                if text is None:
                    continue
                key = mnemonic(text), oracle.op13(word)
                known[key] += our is not None
                if our is None or len(legal[key]) < options.neighbours:
                    legal[key][word] = text

    given = []
    for path in options.files:
        with open(path, "rb") as file:
            given += oracle.unpack(file.read())
    try_words(candidates(options.random, options.seed))
    try_words(given)
    near = [word for _, words in sorted(legal.items()) for word in oracle.some_per_opcode(list(words), options.neighbours)]
    try_words(word ^ 1 << bit for word in near for bit in range(105))
    missing = sorted(key for key in legal if not known[key])
    print(f"sm_{options.sm}: {len(legal)} mnemonics with opcode, {len({name for name, _ in legal})} mnemonics, {len(missing)} unknown to picker")
    known_names = {name for name, _ in legal if (name, _) not in missing}
    for name, code in missing:
        word, text = next(iter(legal[name, code].items()))
        new = " " if name in known_names else "*"
        print(f"{new} {name:12} {code:04x} {len(legal[name, code]):6} {word:032x} {text}")
    if options.save:
        with open(options.save, "wb") as file:
            for key in missing:
                file.write(oracle.pack(legal[key]))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
