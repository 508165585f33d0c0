#!/usr/bin/env python3
"""Prove the decoder against nvdisasm.

    prove_decoder.py --sm 80 [--dump build/release/sass-dump] [--neighbours N] [--pairs N] [--jobs N]
                     [--only MNEMONIC,...] FILE...

FILE: raw word files (*.words, 16 bytes each, as sass-words writes them), cubins, directories of
cubins, or host libraries (*.so*). Compared are
 1. every distinct word (scheduling bits apart) of the files: our text must equal nvdisasm's;
 2. all 128 one-bit neighbours of one word per shape (opcode and modifier bits): our text must be
    equal or the word unknown to us; where nvdisasm finds it illegal it must be unknown to us;
 3. with --pairs N, for N words per opcode, every pair of flips among the bits that hold modifiers
    (58 to 63, 72 to 104 but 91): as 2.
A neighbour that nvdisasm prints exactly like the word itself differs in a bit that nvdisasm does not
show; there unknown is the required answer unless the bit is a scheduling bit.

With SASS_ORACLE_CACHE set to a directory nvdisasm's answers are kept there, so that the same proof
after a change of the tables takes seconds. --only shows and counts the words of some mnemonics alone.

Exit status 0 if there is no difference and no unknown word among those of part 1. The report lists the
first cases per opcode. nvdisasm does about 25,000 words a second.
"""
import argparse
import collections
import itertools
import multiprocessing
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_oracle as oracle  # noqa: E402

CHUNK = 60000


def compare(job):
    """-> (counts, cases): cases are (kind, op13, word, theirs, ours)."""
    dump, sm, words, bases, only = job
    theirs = oracle.disassemble(sm, words)
    ours = oracle.ours(dump, sm, words)
    counts = collections.Counter()
    cases = []
    for i, (word, t, o) in enumerate(zip(words, theirs, ours)):
        if only and mnemonic(t or (theirs[bases[i]] if bases and bases[i] is not None else None) or
                             o) not in only:
            continue
        if o == t:
            counts["equal" if t is not None else "illegal, unknown to us"] += 1
            continue
        if o is None:
            if bases is None:
                kind = "unknown"
            else:
                base = bases[i]
                silent = base is not None and (t == theirs[base] or oracle.op13(word) ==
                                               oracle.op13(words[base]) and "0x" in t and
                                               code_free(t) == code_free(theirs[base]))
                kind = "silent bit, unknown to us" if silent else "neighbour unknown to us"
        else:
            kind = "illegal, known to us" if t is None else "different"
        counts[kind] += 1
        if kind not in ("silent bit, unknown to us",):
            cases.append((kind, oracle.op13(word), word, t, o))
    return counts, cases


def mnemonic(text):
    """The mnemonic of a text, without guard and modifiers."""
    parts = (text or "").split()
    if parts and parts[0].startswith("@"):
        del parts[0]
    return parts[0].split(".")[0] if parts else ""


def code_free(text):
    """A text without its last operand if that is a code address (which moves with the offset)."""
    if text is None:
        return None
    head, _, last = text.rpartition(" ")
    return head if last.lstrip("-").startswith("0x") and text.split()[0].lstrip("@!UP0123456789T") \
        in ("", "BRA", "BSSY", "CALL", "RET", "BRX", "JMX") else text


MODIFIER_BITS = [b for b in [*range(58, 64), *range(72, 105)] if b != 91]
# What is flipped to make neighbours.
ONE_BIT = [1 << bit for bit in range(128)]
TWO_BITS = [1 << a | 1 << b for a, b in itertools.combinations(MODIFIER_BITS, 2)]


def neighbour_jobs(dump, sm, words, flips, only):
    """Jobs that compare each of `words` and its neighbours."""
    batch, bases = [], []
    for word in words:
        base = len(batch)
        batch.append(word)
        bases.append(None)
        for flip in flips:
            batch.append(word ^ flip)
            bases.append(base)
        if len(batch) >= CHUNK:
            yield dump, sm, batch, bases, only
            batch, bases = [], []
    if batch:
        yield dump, sm, batch, bases, only


def collect(paths, sm, scratch):
    """All distinct words of the given files."""
    cubins, words = [], []
    for path in paths:
        if os.path.isdir(path):
            cubins += [os.path.join(root, name) for root, _, names in os.walk(path)
                       for name in sorted(names) if f"sm_{sm}" in name]
        elif path.endswith(".words"):
            with open(path, "rb") as file:
                words += oracle.unpack(file.read())
        elif ".so" in os.path.basename(path):
            place = os.path.join(scratch, os.path.basename(path))
            os.mkdir(place)
            cubins += oracle.extract_cubins(path, sm, place)
        else:
            cubins.append(path)
    words += oracle.unique_words(cubins)
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sm", type=int, required=True)
    parser.add_argument("--dump", default="build/release/sass-dump")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--neighbours", type=int, default=-1,
                        help="words per opcode whose neighbours are tried (default: all)")
    parser.add_argument("--pairs", type=int, default=0,
                        help="words per opcode whose pairs of modifier bits are flipped")
    parser.add_argument("--only", help="mnemonics, separated by commas")
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--neighbours-only", action="store_true")
    parser.add_argument("--cases", type=int, default=2, help="cases shown per opcode and kind")
    parser.add_argument("--unknown", action="store_true",
                        help="show legal neighbours that are unknown to us, too")
    parser.add_argument("--save", help="write the distinct words to this file")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        words = collect(options.files, options.sm, scratch)
    print(f"{len(words)} distinct words, {len({oracle.op13(w) for w in words})} opcodes", flush=True)
    if options.save:
        with open(options.save, "wb") as file:
            file.write(oracle.pack(words))
    shapes = oracle.one_per_shape(words)
    only = set(options.only.split(",")) if options.only else None
    parts = []
    if not options.neighbours_only:
        parts.append(("words", [(options.dump, options.sm, words[i:i + CHUNK], None, only)
                                for i in range(0, len(words), CHUNK)]))
    if not options.words_only:
        chosen = shapes if options.neighbours < 0 else oracle.some_per_opcode(shapes, options.neighbours)
        parts.append(("neighbours", neighbour_jobs(options.dump, options.sm, chosen, ONE_BIT, only)))
    if options.pairs:
        parts.append(("pairs", neighbour_jobs(options.dump, options.sm,
                                              oracle.some_per_opcode(shapes, options.pairs), TWO_BITS,
                                              only)))
    failed = False
    with multiprocessing.Pool(options.jobs) as pool:
        for name, jobs in parts:
            total = collections.Counter()
            shown = collections.Counter()
            lines = []
            for counts, cases in pool.imap(compare, jobs):
                total += counts
                for kind, op, word, theirs, our in cases:
                    shown[kind, op] += 1
                    if shown[kind, op] <= options.cases:
                        lines.append((kind, op, f"  {op:04x} {word:032x}\n    nvdisasm {theirs}\n"
                                                f"    picker   {our}"))
            print(f"\n{name}:")
            for kind, count in sorted(total.items()):
                print(f"  {count:9} {kind}")
            failed |= bool(total["different"] or total["illegal, known to us"] or total["unknown"])
            for kind, op, text in sorted(lines):
                if kind != "neighbour unknown to us" or options.unknown:
                    print(f"{kind}: {shown[kind, op]}\n{text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
