#!/usr/bin/env python3
"""Write the decoder's golden data from nvdisasm's output; run it from the repository's root.

    make_decoder_golden.py --sm 80 [--per-opcode N] [--add] [FILE.words ...]

From the distinct words of samples/cubins/*.sm_NN.cubin and of the given files (made by sass-words or
make_ptx_corpus.py) at most N of different shapes are taken for each opcode, and two files in
tests/data/sass/ are written:
 sm_NN.words.txt   a word per line: 32 hexadecimal digits, a blank, nvdisasm's text;
                   the i-th word stands at code offset 16 * i;
 sm_NN.neighbours  binary: the four bytes "PSGN", the number of words (32 bits, little-endian), then for
                   each word its 16 bytes and 129 hash bytes: of the word's text and of the texts of its
                   128 one-bit neighbours, in order of the bit. 0 means illegal; a legal text's byte is
                   its 64-bit FNV-1a hash modulo 255, plus 1. The texts are those at code
                   offset 16 * i for the i-th text of a batch of 400 words (51,600 texts).
With --add the words that are there stay, and at most N for each opcode that is not there yet are added.
Nothing here comes from picker's own decoder.
"""
import argparse
import glob
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_oracle as oracle  # noqa: E402

CHUNK = 400  # words per run of nvdisasm, each with 128 neighbours


def hash_byte(text):
    if text is None:
        return 0
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & oracle.MASK64
    return value % 255 + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sm", type=int, required=True)
    parser.add_argument("--per-opcode", type=int, default=6)
    parser.add_argument("--add", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    sm = options.sm
    present = []
    if options.add:
        with open(f"tests/data/sass/sm_{sm}.words.txt", encoding="utf-8") as file:
            present = [int(line[:32], 16) for line in file]
    words = [] if options.add else oracle.unique_words(glob.glob(f"samples/cubins/*.sm_{sm}.cubin"))
    for name in options.files:
        with open(name, "rb") as file:
            words += oracle.unpack(file.read())
    opcodes = {oracle.op13(word) for word in present}
    words = [word for word in words if oracle.op13(word) not in opcodes]
    shapes = oracle.some_per_opcode(oracle.one_per_shape(words), options.per_opcode)
    # An encoding that nvdisasm rejects may stand in code that is never run.
    words = present + [word for word, text in zip(shapes, oracle.disassemble(sm, shapes)) if text is not None]
    with open(f"tests/data/sass/sm_{sm}.words.txt", "w", encoding="utf-8") as file:
        for word, text in zip(words, oracle.disassemble(sm, words)):  # again: texts hang on the offset
            file.write(f"{word:032x} {text}\n")
    with open(f"tests/data/sass/sm_{sm}.neighbours", "wb") as file:
        file.write(b"PSGN" + struct.pack("<I", len(words)))
        for start in range(0, len(words), CHUNK):
            chunk = words[start:start + CHUNK]
            batch = [w ^ flip for w in chunk for flip in [0] + [1 << b for b in range(128)]]
            found = oracle.disassemble(sm, batch)
            for i, word in enumerate(chunk):
                file.write(oracle.pack([word]))
                file.write(bytes(hash_byte(t) for t in found[129 * i:129 * (i + 1)]))
    print(f"sm_{sm}: {len(words)} words")


if __name__ == "__main__":
    main()
