"""nvdisasm as an oracle, and the instruction words to ask it about.

Used by prove_decoder.py, make_decoder_golden.py and probe_sass.py. Needs NVIDIA's nvdisasm (13.5 for
sm_75 and newer; 12.8 for sm_70, which later ones do not know) and, for libraries, cuobjdump. They are
found through the environment variables NVDISASM, NVDISASM12 and CUOBJDUMP, else on PATH.

What nvdisasm does with a word, in raw binary mode:
 * prints its text;
 * rejects it: nothing is printed for the whole file, but standard error names every bad word. So the
   bad ones are replaced by NOP and the file is run again;
 * accepts it and prints no line for it;
 * prints INVALIDn or ???n for a field value that does not exist, or a special register without name.
Only the first counts as legal.

Its answers can be kept: if SASS_ORACLE_CACHE names a directory, the texts of each list of words are
stored there and a second proof of the same words costs our own decoding only.
"""
import collections
import functools
import hashlib
import os
import re
import struct
import subprocess
import tempfile
import zlib

NOP = 0x000FC000000000000000000000007918
ADDRESS = re.compile(r"at address 0x([0-9a-f]+)")
LINE = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(.*?) ?;$")
ILLEGAL_TEXT = re.compile(r"INVALID|\?\?\?|\bSR\d|__HIR")
MASK64 = (1 << 64) - 1
SCHEDULING = ((1 << 21) - 1) << 105 | ((1 << 4) - 1) << 122


def nvdisasm(sm):
    """The disassembler that knows architecture `sm`."""
    if sm in (70, 72):
        return os.environ.get("NVDISASM12", "nvdisasm12")
    return os.environ.get("NVDISASM", "nvdisasm")


def architecture(sm):
    """nvdisasm's name for `sm`: the variant with all features."""
    return f"SM{sm}a" if sm >= 90 else f"SM{sm}"


def pack(words):
    return b"".join(struct.pack("<QQ", w & MASK64, w >> 64) for w in words)


def unpack(data):
    return [lo | hi << 64 for lo, hi in struct.iter_unpack("<QQ", data[: len(data) & ~15])]


@functools.cache
def version(tool):
    return subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout


def kept(sm, question, words, answer):
    """answer(), a list of strings without line feeds, or what it was last time for this question and these words."""
    cache = os.environ.get("SASS_ORACLE_CACHE")
    if not cache:
        return answer()
    key = hashlib.sha256((version(nvdisasm(sm)) + architecture(sm) + question).encode() + pack(words))
    path = os.path.join(cache, key.hexdigest())
    if os.path.exists(path):
        with open(path, "rb") as file:
            return zlib.decompress(file.read()).decode().split("\n")
    lines = answer()
    with tempfile.NamedTemporaryFile(dir=cache, delete=False) as file:
        file.write(zlib.compress("\n".join(lines).encode(), 1))
    os.rename(file.name, path)
    return lines


def disassemble(sm, words):
    """nvdisasm's text of each word, the i-th standing at offset 16 * i; None where it is illegal."""
    words = list(words)
    return [line or None for line in kept(sm, "", words, lambda: [text or "" for text in ask(sm, words)])]


def ask(sm, words):
    """The answers of nvdisasm itself."""
    bad = set()
    for _ in range(10):
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            file.write(pack(NOP if i in bad else w for i, w in enumerate(words)))
            file.flush()
            run = subprocess.run([nvdisasm(sm), "-b", architecture(sm), "-raw", file.name],
                                 capture_output=True, text=True, check=False)
        found = {int(a, 16) // 16 for a in ADDRESS.findall(run.stderr)}
        if run.returncode == 0:
            break
        if not found - bad:
            raise RuntimeError(f"nvdisasm failed: {run.stderr[:500]}")
        bad |= found
    texts = [None] * len(words)
    for line in run.stdout.splitlines():
        match = LINE.match(line)
        if match:
            texts[int(match.group(1), 16) // 16] = match.group(2)
    return [None if i in bad or t is None or ILLEGAL_TEXT.search(t) else t
            for i, t in enumerate(texts)]


def ours(dump, sm, words):
    """Our text of each word, None for unknown."""
    run = subprocess.run([dump, str(sm)], input=pack(words), capture_output=True, check=True)
    lines = run.stdout.decode().splitlines()
    return [None if line.startswith("unknown ") else line for line in lines]


def code_of_cubin(data):
    """The contents of the code sections of a cubin."""
    if data[:4] != b"\x7fELF":
        return
    table, = struct.unpack_from("<Q", data, 0x28)
    count, = struct.unpack_from("<H", data, 0x3C)
    for i in range(count):
        kind, flags, _, offset, size = struct.unpack_from("<IQQQQ", data, table + 64 * i + 4)
        if kind == 1 and flags & 4:
            yield data[offset:offset + (size & ~15)]


def extract_cubins(library, sm, directory):
    """Extracts the cubins for `sm` of a host library or executable into `directory`."""
    tool = os.environ.get("CUOBJDUMP", "cuobjdump")
    subprocess.run([tool, "-arch", f"sm_{sm}", "-xelf", "all", os.path.abspath(library)],
                   cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return sorted(os.path.join(directory, name) for name in os.listdir(directory))


def op13(word):
    """The 13 bits that select an instruction: 0..11 and 91."""
    return word & 0xFFF | (word >> 91 & 1) << 12


def shape(word):
    """A word without its register numbers and immediates: opcode and bits 72..104."""
    return word & 0xFFF, word >> 72 & (1 << 33) - 1


def unique_words(paths):
    """The distinct words of the cubins `paths`; words that differ in scheduling only count once."""
    seen = {}
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        for code in code_of_cubin(data):
            for lo, hi in set(struct.iter_unpack("<QQ", code)):
                word = lo | hi << 64
                seen.setdefault(word & ~SCHEDULING, word)
    return list(seen.values())


def one_per_shape(words):
    """One word of each shape, in order of opcode."""
    chosen = {}
    for word in words:
        chosen.setdefault(shape(word), word)
    return [chosen[key] for key in sorted(chosen)]


def some_per_opcode(words, count):
    """At most `count` of `words` for each opcode, spread over them."""
    groups = collections.defaultdict(list)
    for word in words:
        groups[op13(word)].append(word)
    return [group[i * len(group) // min(count, len(group))] for _, group in sorted(groups.items())
            for i in range(min(count, len(group)))]
