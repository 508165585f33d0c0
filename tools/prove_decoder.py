#!/usr/bin/env python3
"""Prove the decoder against nvdisasm.

    prove_decoder.py --sm 80 [--dump build/release/sass-dump] [--neighbours N] [--jobs N] FILE...

FILE: cubins, raw word files (*.words, 16 bytes each), directories of them, or host libraries with
embedded cubins (*.so*). Compared are
 1. every distinct word (scheduling bits apart) of the files: our text must equal nvdisasm's;
 2. all 128 one-bit neighbours of one word per shape (opcode and modifier bits): our text must be
    equal or the word unknown to us; where nvdisasm finds it illegal it must be unknown to us.
A neighbour that nvdisasm prints exactly like the word itself differs in a bit that nvdisasm does not
show; there unknown is the required answer unless the bit is a scheduling bit.

Exit status 0 if there is no difference and no unknown word among those of part 1. The report lists the
first cases per opcode. nvdisasm does about 25,000 words a second.
"""
import argparse
import collections
import multiprocessing
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_oracle as oracle  # noqa: E402

CHUNK = 60000


def compare(job):
    """-> (counts, cases): cases are (kind, op13, word, theirs, ours)."""
    dump, sm, words, bases = job
    theirs = oracle.disassemble(sm, words)
    ours = oracle.ours(dump, sm, words)
    counts = collections.Counter()
    cases = []
    for i, (word, t, o) in enumerate(zip(words, theirs, ours)):
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


def code_free(text):
    """A text without its last operand if that is a code address (which moves with the offset)."""
    if text is None:
        return None
    head, _, last = text.rpartition(" ")
    return head if last.lstrip("-").startswith("0x") and text.split()[0].lstrip("@!UP0123456789T") \
        in ("", "BRA", "BSSY", "CALL", "RET", "BRX", "JMX") else text


def neighbour_jobs(dump, sm, words):
    batch, bases = [], []
    for word in words:
        base = len(batch)
        batch.append(word)
        bases.append(None)
        for bit in range(128):
            batch.append(word ^ 1 << bit)
            bases.append(base)
        if len(batch) >= CHUNK:
            yield dump, sm, batch, bases
            batch, bases = [], []
    if batch:
        yield dump, sm, batch, bases


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
                        help="shapes per opcode whose neighbours are tried (default: all)")
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--neighbours-only", action="store_true")
    parser.add_argument("--cases", type=int, default=2, help="cases shown per opcode and kind")
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
    if options.neighbours >= 0:
        taken = collections.Counter()
        limited = []
        for word in shapes:
            taken[oracle.op13(word)] += 1
            if taken[oracle.op13(word)] <= options.neighbours:
                limited.append(word)
        shapes = limited
    parts = []
    if not options.neighbours_only:
        parts.append(("words", [(options.dump, options.sm, words[i:i + CHUNK], None)
                                for i in range(0, len(words), CHUNK)]))
    if not options.words_only:
        parts.append(("neighbours", neighbour_jobs(options.dump, options.sm, shapes)))
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
                if kind != "neighbour unknown to us" or options.cases > 2:
                    print(f"{kind}: {shown[kind, op]}\n{text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
