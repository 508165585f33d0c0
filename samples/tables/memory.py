"""Launches of kernels whose addresses, tables or values come from memory, structs and symbols."""
import struct

from .model import A, B, C, D, E, F, Sample, r, w


def bytes_of_iota32(i):
    return i // 4 & 255 if i % 4 == 0 else 0


def below(launch, n):
    return (i for i in launch.threads() if i < n)


# --------------------------------------------------------------------------------------- gather
REACH = 1 << 33  # bytes that a signed 32-bit index of 4-byte elements goes up (and down)

s = Sample("gather", "address read comes from memory")


def gather(launch, source, index, out, n):
    for i in below(launch, n):
        yield r(index + 4 * i)
        yield r(source + 4 * launch.contents(i)) if launch.contents else ("r", source - REACH, 2 * REACH)
        yield w(out + 4 * i)


k = s.kernel("gather", "in index out n", gather)
same = {"contents": lambda i: i}
k.no("buffers apart, index counts up", 2, 128, [A, B, C, 200], "an index of 0x800000 would read out[0]",
     with_contents=True, **same)
k.no("out exactly behind in, index counts up", 2, 128, [A, B, A + 800, 200],
     "with these contents in ends where out begins; with others not", with_contents=True,
     sibling="out one element into in, index counts up", **same)
k.no("out one element into in, index counts up", 2, 128, [A, B, A + 796, 200],
     "element 199 of in is element 0 of out", with_contents=False,
     sibling="out exactly behind in, index counts up", **same)
k.no("out one element behind in[0], index all zero", 2, 128, [A, B, A + 4, 200],
     "with these contents in[0] alone is read", contents=lambda i: 0, with_contents=True,
     fill={B: "zero"}, sibling="out is in, index all zero")
k.no("out is in, index all zero", 2, 128, [A, B, A, 200], "in[0] is out[0]", contents=lambda i: 0,
     with_contents=False, fill={B: "zero"}, sibling="out one element behind in[0], index all zero")
k.ok("out beyond the reach of an index", 2, 128, [A, B + 2 * REACH, A + REACH, 200],
     "in + 4 * (2^31 - 1) is the last element within reach", contents=lambda i: i, with_contents=True,
     sibling="out one element within reach")
k.no("out one element within reach", 2, 128, [A, B + 2 * REACH, A + REACH - 4, 200],
     "index 2^31 - 1 would read out[0]", contents=lambda i: i, with_contents=True,
     sibling="out beyond the reach of an index")
k.no("out beyond reach, over the end of index", 2, 128, [A, A + REACH, A + REACH + 796, 200],
     "the last index is the first element written", emulate=False)
k.ok("n is 0, all equal", 2, 128, [A, A, A, 0], "no thread passes the guard")


def gather_byte(launch, source, index, out, n):
    for i in below(launch, n):
        yield r(index + i, 1)
        yield from (r(source + 4 * v) for v in ([launch.contents(i)] if launch.contents else range(256)))
        yield w(out + 4 * i)


k = s.kernel("gather_byte", "in index out n", gather_byte)
k.ok("buffers apart", 2, 128, [A, B, C, 200], "a byte reaches 256 elements of in, no more")
k.ok("out behind element 255", 2, 128, [A, B, A + 1024, 200], "a byte is at most 255",
     sibling="out is element 255")
k.no("out is element 255", 2, 128, [A, B, A + 1020, 200], "a byte of 255 would read out[0]",
     contents=bytes_of_iota32, with_contents=True, sibling="out behind element 255")
k.ok("out ends where in begins", 2, 128, [A + 800, B, A, 200], "a byte is at least 0",
     sibling="out ends one element into in")
k.no("out ends one element into in", 2, 128, [A + 796, B, A, 200], "a byte of 0 would read out[199]",
     contents=bytes_of_iota32, with_contents=False, sibling="out ends where in begins")

# -------------------------------------------------------------------------------------- scatter
s = Sample("scatter", "address written comes from memory")


def scatter(launch, source, index, out, n):
    for i in below(launch, n):
        yield r(source + 4 * i)
        yield r(index + 4 * i)
        yield w(out + 4 * launch.contents(i)) if launch.contents else ("w", out - REACH, 2 * REACH)


k = s.kernel("scatter", "in index out n", scatter)
k.no("buffers apart, index counts up", 2, 128, [A, B, C, 200], "an index of -0x800000 would write in B's buffer",
     with_contents=True, **same)
k.no("out exactly behind in, index counts up", 2, 128, [A, B, A + 800, 200],
     "apart with these contents only", with_contents=True, sibling="out one element into in, index counts up", **same)
k.no("out one element into in, index counts up", 2, 128, [A, B, A + 796, 200],
     "in[199] is out[0]", with_contents=False, sibling="out exactly behind in, index counts up", **same)
k.ok("in and index beyond the reach of an index", 2, 128, [A, A + 0x100000, A + REACH + 0x100000 + 800, 200],
     "out + 4 * -2^31 is the lowest element within reach: index ends there", contents=lambda i: i, with_contents=True,
     sibling="out one element closer to index")
k.no("out one element closer to index", 2, 128, [A, A + 0x100000, A + REACH + 0x100000 + 796, 200],
     "index -2^31 would overwrite index[199]", contents=lambda i: i, with_contents=True,
     sibling="in and index beyond the reach of an index")
k.ok("n is 0, all equal", 2, 128, [A, A, A, 0], "no thread passes the guard")


def scatter_mask(launch, source, index, out, n):
    for i in below(launch, n):
        yield r(source + 4 * i)
        yield r(index + 4 * i)
        yield from (w(out + 4 * v) for v in ([launch.contents(i)] if launch.contents else range(64)))


k = s.kernel("scatter_mask", "in index out n", scatter_mask)
k.ok("buffers apart", 2, 128, [A, B, C, 200], "only out[0] to out[63] are within reach")
k.ok("out[63] ends where in begins", 2, 128, [A + 256, B, A, 200], "a masked index is at most 63",
     sibling="out[63] is in[0]")
k.no("out[63] is in[0]", 2, 128, [A + 252, B, A, 200], "an index of 63 would overwrite in[0]",
     contents=lambda i: i & 63, with_contents=False, sibling="out[63] ends where in begins")
k.no("out[63] is index[0]", 2, 128, [A, B + 252, B, 200], "an index of 63 would overwrite index[0]",
     contents=lambda i: (63 + i) & 63, with_contents=False, sibling="buffers apart")

# --------------------------------------------------------------------------------- pointertable
s = Sample("pointertable", "pointer table by value, indexed per block")


def table(tensors, blocks):
    """tensors: (in, out, size); blocks: (tensor, chunk)."""
    t = list(tensors) + [(0xDEAD, 0xBEEF, 77)] * (6 - len(tensors))
    b = list(blocks) + [(255, -1)] * (16 - len(blocks))
    return "hex:" + (struct.pack("<6Q", *(x[0] for x in t)) + struct.pack("<6Q", *(x[1] for x in t)) +
                     struct.pack("<6i", *(x[2] for x in t)) + struct.pack("<16i", *(x[1] for x in b)) +
                     bytes(x[0] for x in b)).hex()


def pointertable(launch, packed, factor):
    raw = bytes.fromhex(packed[4:])
    ins, outs = struct.unpack_from("<6Q", raw, 0), struct.unpack_from("<6Q", raw, 48)
    sizes, chunks = struct.unpack_from("<6i", raw, 96), struct.unpack_from("<16i", raw, 120)
    for b in range(launch.grid[0]):
        t = raw[184 + b]
        start = chunks[b] * 256
        for i in range(start, start + min(sizes[t] - start, 256)):
            yield from (r(ins[t] + 4 * i), w(outs[t] + 4 * i))


k = s.kernel("pointertable", "table factor", pointertable)
all_blocks = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (2, 2)]
k.ok("three tensors apart", 6, 64, [table([(A, B, 300), (A + 4096, B + 4096, 256), (C, D, 515)], all_blocks), "f:2"],
     "no chunk written is a chunk read; the unused entries hold no pointers")
k.no("second tensor in place", 6, 64, [table([(A, B, 300), (E, E, 256), (C, D, 515)], all_blocks), "f:2"],
     "block 2 reads and writes tensor 1", sibling="second tensor in place, but no block takes it")
k.ok("second tensor in place, but no block takes it", 5, 64,
     [table([(A, B, 300), (E, E, 256), (C, D, 515)], [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]), "f:2"],
     "its pointers stay unused", sibling="second tensor in place")
k.ok("one tensor's out exactly behind another's in", 6, 64,
     [table([(A, A + 2060 + 4096, 300), (A + 4096, B, 256), (A + 4096 + 1024, D, 259)],
            [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)] + [(1, 0)]), "f:2"],
     "tensor 2's in ends at byte 6156, tensor 0's out begins there", sibling="one element closer")
k.no("one element closer", 6, 64,
     [table([(A, A + 2056 + 4096, 300), (A + 4096, B, 256), (A + 4096 + 1024, D, 259)],
            [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)] + [(1, 0)]), "f:2"],
     "tensor 2's last element is tensor 0's first result", sibling="one tensor's out exactly behind another's in")
k.ok("chunks alternate within one buffer", 2, 64,
     [table([(A, A + 1024, 2048)], [(0, 0), (0, 2)]), "f:2"],
     "chunks 0 and 2 are read, chunks 1 and 3 written: the ranges overlap, the sets do not",
     sibling="a neighbouring chunk too")
k.no("a neighbouring chunk too", 3, 64, [table([(A, A + 1024, 2048)], [(0, 0), (0, 2), (0, 1)]), "f:2"],
     "chunk 1 is read by block 2 and written by block 0", sibling="chunks alternate within one buffer")
k.ok("scalar path by alignment", 1, 64, [table([(A + 4, A + 4 + 1024, 256)], [(0, 0)]), "f:2"],
     "not aligned to 16 bytes: element by element", sibling="scalar path, one element closer")
k.no("scalar path, one element closer", 1, 64, [table([(A + 4, A + 1024, 256)], [(0, 0)]), "f:2"],
     "in[255] is out[0]", sibling="scalar path by alignment")
k.ok("chunk beyond the size", 1, 64, [table([(A, A, 256)], [(0, 1)]), "f:2"], "no element is left for the block",
     sibling="chunk with one element")
k.no("chunk with one element", 1, 64, [table([(A, A, 257)], [(0, 1)]), "f:2"], "element 256 is read and written",
     sibling="chunk beyond the size")

# ------------------------------------------------------------------------------------- paramdiv
s = Sample("paramdiv", "row and column by division by a parameter")


def paramdiv(launch, source, out, columns, pitch, n):
    for i in below(launch, n):
        yield r(source + 4 * (i // columns * pitch + i % columns))
        yield w(out + 4 * i)


for name in ("paramdiv", "paramdiv_signed", "paramdiv_wide"):
    k = s.kernel(name, "in out columns pitch n", paramdiv)
    k.place(4, 128, [A, B, 13, 20, 500], "in", "out", same=False, bytewise=False)
    k.ok("out fits behind the first row", 1, 16, [A, A + 4 * 5, 5, 21, 16],
         "row 0 is elements 0 to 4, row 1 begins at 21: 16 elements fit", sibling="pitch one smaller")
    k.no("pitch one smaller", 1, 16, [A, A + 4 * 5, 5, 20, 16], "in's row 1 begins at out's last element",
         sibling="out fits behind the first row")
    k.no("out one element lower", 1, 16, [A, A + 4 * 4, 5, 21, 16], "in's row 0 ends at out's first element",
         sibling="out fits behind the first row")
    k.ok("one row more than n needs", 1, 15, [A, A + 4 * (2 * 21 + 5), 5, 21, 15],
         "15 elements are three rows, the last ends at 47", sibling="one row more is read")
    k.no("one row more is read", 1, 16, [A, A + 4 * (2 * 21 + 5), 5, 16 + 31, 16],
         "row 1 begins at 47, where out does", sibling="one row more than n needs")
    k.ok("columns beyond n", 1, 32, [A, A + 128, 1000, 7, 32], "one row only: a plain copy",
         sibling="columns beyond n, one element closer")
    k.no("columns beyond n, one element closer", 1, 32, [A, A + 124, 1000, 7, 32], "in[31] is out[0]",
         sibling="columns beyond n")
    k.ok("n is 0, in is out", 4, 128, [A, A, 13, 20, 0], "no thread passes the guard")

# ---------------------------------------------------------------------------------- interleaved
s = Sample("interleaved", "every second element (real and imaginary parts)")


def interleaved(launch, source, out, factor, n):
    for i in below(launch, n):
        yield from (r(source + 8 * i), w(out + 8 * i))


k = s.kernel("interleaved", "in out factor n", interleaved)
k.ok("imaginary from real", 2, 128, [A, A + 4, "f:2", 200], "even elements are read, odd ones written",
     sibling="imaginary from real, but one element more")
k.no("imaginary from real, but one element more", 2, 128, [A, A + 8, "f:2", 200],
     "out is two elements from in: out[0] is in[2]", sibling="imaginary from real")
k.no("imaginary from real, but one byte less", 2, 128, [A, A + 3, "f:2", 200], "byte 3 is in both",
     sibling="imaginary from real", misaligned=True)
k.no("imaginary from real, but one byte more", 2, 128, [A, A + 5, "f:2", 200], "byte 8 is in both",
     sibling="imaginary from real", misaligned=True)
k.ok("far into the odd elements", 2, 128, [A, A + 4 + 8 * 150, "f:2", 200], "odd elements only",
     sibling="far into the even elements")
k.no("far into the even elements", 2, 128, [A, A + 8 * 150, "f:2", 200], "in[300] is out[0]",
     sibling="far into the odd elements")
k.no("in place", 2, 128, [A, A, "f:2", 200], "the elements are the same")
k.ok("last even element passed", 2, 128, [A, A + 8 * 200 - 4, "f:2", 200], "in's last element read is 398",
     sibling="last even element hit")
k.no("last even element hit", 2, 128, [A, A + 8 * 200 - 8, "f:2", 200], "in's element 398 is out[0]",
     sibling="last even element passed")
k.ok("one element", 1, 32, [A, A + 4, "f:2", 1], "in[0] is read, in[1] written")

# -------------------------------------------------------------------------------------- reverse
s = Sample("reverse", "reversed order: negative stride")


def reverse(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(out + 4 * (n - 1 - i)))


k = s.kernel("reverse", "in out n", reverse)
k.place(4, 128, [A, B, 500], "in", "out", same=False)
k.ok("n beyond the grid: only out's end is written", 1, 128, [A, A, 256], "in[0..127] is read, out[128..255] written",
     sibling="n one smaller")
k.no("n one smaller", 1, 128, [A, A, 255], "element 127 is read and written",
     sibling="n beyond the grid: only out's end is written")
k.ok("n is 0, in place", 4, 128, [A, A, 0], "no thread passes the guard")

# ----------------------------------------------------------------------------------- triangular
s = Sample("triangular", "triangular loop")


def triangular(launch, source, out, n, diagonal):
    for i in below(launch, n):
        for j in range(i + diagonal):
            yield from (r(source + 4 * (i * n + j)), w(out + 4 * (j * n + i)))


k = s.kernel("triangular", "in out n diagonal", triangular)
k.ok("in place without the diagonal", 1, 64, [A, A, 40, 0], "the lower triangle is read, the upper written",
     sibling="in place with the diagonal")
k.no("in place with the diagonal", 1, 64, [A, A, 40, 1], "the diagonal is read and written",
     sibling="in place without the diagonal", aside="the diagonal is copied onto itself: no harm in fact")
k.place(1, 64, [A, B, 40, 1], "in", "out", bytewise=False)
k.ok("one row, in place", 1, 64, [A, A, 1, 0], "no element below the diagonal")
k.no("shifted by one element", 1, 64, [A, A + 4, 40, 0], "out's element (0, 39) is in's (1, 0)",
     sibling="in place without the diagonal")
k.ok("diagonal -1, shifted by a row back", 1, 64, [A + 160, A, 40, -1], "row i of in is row i + 1 in out's numbering",
     )
k.ok("n is 0", 1, 64, [A, A, 0, 1], "no thread passes the guard")

# ----------------------------------------------------------------------------------- whilecount
s = Sample("whilecount", "while loop with a count from memory")


def whilecount(launch, count, source, out, n):
    times = launch.contents if launch.contents is not None else (1 << 31) - 1
    for i in below(launch, n):
        yield from (r(count), r(source + 4 * i))
        if launch.contents is None:
            yield ("w", out, 4 * n * times)
        yield from (w(out + 4 * (i + j * n)) for j in range(min(times, 64)))


k = s.kernel("whilecount", "count in out n", whilecount)
k.ok("in and count below out", 2, 64, [A, B, C, 100], "copies grow upward from out", contents=0, with_contents=True)
k.ok("in ends where out begins", 2, 64, [A, B, B + 400, 100], "copies grow upward from out",
     contents=3, with_contents=True, sibling="in one element beyond",
     alloc=[f"{A - 12:#x}:16:iota32", f"{B:#x}:1600:iota32"])
k.no("in one element beyond", 2, 64, [A, B, B + 396, 100], "in[99] is overwritten by the first copy, if any",
     contents=3, with_contents=False, sibling="in ends where out begins",
     alloc=[f"{A - 12:#x}:16:iota32", f"{B:#x}:1596:iota32"])
k.no("in behind out, count 3", 2, 64, [A, B + 1200, B, 100], "three copies end where in begins, a fourth would not",
     contents=3, with_contents=True, sibling="in behind out, count 4",
     alloc=[f"{A - 12:#x}:16:iota32", f"{B:#x}:1600:iota32"])
k.no("in behind out, count 4", 2, 64, [A, B + 1200, B, 100], "the fourth copy overwrites in",
     contents=4, with_contents=False, sibling="in behind out, count 3",
     alloc=[f"{A - 16:#x}:20:iota32", f"{B:#x}:1600:iota32"])
k.ok("count is out's predecessor", 2, 64, [C - 4, A, C, 100], "count ends where out begins",
     contents=0, with_contents=True, sibling="count is out's first element")
k.no("count is out's first element", 2, 64, [C, A, C, 100], "the first copy would overwrite the count",
     contents=0, with_contents=True, sibling="count is out's predecessor", fill={C: "zero"})
k.ok("n is 0, all equal", 2, 64, [A, A, A, 0], "no thread passes the guard")

# ---------------------------------------------------------------------------------------- calls
s = Sample("calls", "device functions that are not inlined")


def calls(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), r(source + 4 * i + 4), w(out + 4 * i))


k = s.kernel("calls", "in out n", calls)
k.place(2, 128, [A, B, 200], "in", "out", same=False)
k.ok("n is 0, in place", 2, 128, [A, A, 0], "no function is called")

# ----------------------------------------------------------------------------------- switchcase
s = Sample("switchcase", "switch with a jump table")


def switchcase(launch, source, out, mode, n):
    for i in below(launch, n):
        reads = {0: [i], 1: [n - 1 - i], 3: [2 * i, 2 * i + 1], 2: [i], 5: [i], 6: [i], 7: [i, i + n]}.get(mode, [])
        yield from (r(source + 4 * j) for j in reads)
        if mode == 5:
            yield r(out + 4 * i)
        if 0 <= mode <= 7:
            yield w(out + 4 * {2: 2 * i, 6: i + n}.get(mode, i))


k = s.kernel("switchcase", "in out mode n", switchcase)
for mode in range(8):
    if mode not in (4, 5):
        k.place(2, 64, [A, B, mode, 100], "in", "out", tag=f"case {mode}: ", bytewise=False, far=mode < 2,
                before=mode in (2, 6))
k.no("case 5, apart", 2, 64, [A, B, 5, 100], "out is read and written", sibling="case 4, in is out")
k.ok("case 4, in is out", 2, 64, [A, A, 4, 100], "in is not read", sibling="case 5, apart")
k.ok("case 6, in is out", 2, 64, [A, A, 6, 100], "elements below n are read, those from n written",
     sibling="case 7, in is out")
k.no("case 7, in is out", 2, 64, [A, A, 7, 100], "elements below n are read and written",
     sibling="case 6, in is out")
k.ok("case 8, in is out", 2, 64, [A, A, 8, 100], "no case: nothing happens")
k.ok("case -1, in is out", 2, 64, [A, A, -1, 100], "no case: nothing happens")
k.ok("n is 0", 2, 64, [A, A, 5, 0], "no thread passes the guard")


def copy(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(out + 4 * i))


k = s.kernel("switch_loaded", "in out n", copy)
k.place(2, 64, [A, B, 100], "in", "out", same=False)

# ------------------------------------------------------------------------------------ fnpointer
s = Sample("fnpointer", "indirect call through a function pointer")
k = s.kernel("fnpointer", "in out which n", lambda launch, source, out, which, n: copy(launch, source, out, n))
k.place(2, 64, [A, B, 0, 100], "in", "out", same=False, bytewise=False)
k.place(2, 64, [A, B, 1, 100], "in", "out", tag="which 1: ", far=False, before=False, bytewise=False)
k.place(2, 64, [A, B, 2, 100], "in", "out", tag="which 2: ", far=False, before=False, bytewise=False)
k.ok("n is 0, in place", 2, 64, [A, A, 1, 0], "nothing is touched")

# ------------------------------------------------------------------------------------- asserted
s = Sample("asserted", "loaded index bounded by an assert")


def asserted(launch, source, index, out, size, n):
    for i in below(launch, n):
        yield from (r(index + 4 * i), w(out + 4 * i))
        yield from (r(source + 4 * j) for j in ([launch.contents(i)] if launch.contents else range(size)))


k = s.kernel("asserted", "in index out size n", asserted)
k.ok("buffers apart", 2, 64, [A, B, C, 150, 100], "only in[0, 150) is read by a launch that ends well")
k.ok("out exactly behind in", 2, 64, [A, B, A + 600, 150, 100], "the index is at most 149",
     sibling="size one larger")
k.no("size one larger", 2, 64, [A, B, A + 600, 151, 100], "an index of 150 would read out[0]",
     contents=lambda i: i, with_contents=True, sibling="out exactly behind in")
k.no("out one element into in", 2, 64, [A, B, A + 596, 150, 100], "an index of 149 would read out[0]",
     contents=lambda i: i, with_contents=True, sibling="out exactly behind in")
k.ok("out ends where in begins", 2, 64, [A + 400, B, A, 150, 100], "the index is at least 0",
     sibling="out ends one element into in")
k.no("out ends one element into in", 2, 64, [A + 396, B, A, 150, 100], "an index of 0 would read out[99]",
     contents=lambda i: i, with_contents=False, sibling="out ends where in begins")
k.ok("out exactly behind index", 2, 64, [A, B, B + 400, 150, 100], "index ends where out begins",
     sibling="out one element into index")
k.no("out one element into index", 2, 64, [A, B, B + 396, 150, 100], "index[99] is out[0]",
     sibling="out exactly behind index")
k.ok("n is 0, all equal", 2, 64, [A, A, A, 150, 0], "no thread passes the guard")

# ------------------------------------------------------------------------------------- printing
s = Sample("printing", "printf on a guarded path")


def printing(launch, source, out, verbose, n):
    for i in below(launch, n):
        if verbose > 0 and i % verbose == 0:
            yield "output"
        yield from (r(source + 4 * i), w(out + 4 * i))


k = s.kernel("printing", "in out verbose n", printing)
k.place(2, 64, [A, B, 0, 100], "in", "out", same=False, bytewise=False)
k.no("verbose, apart", 2, 64, [A, B, 50, 100], "threads 0 and 50 print, and would print again",
     sibling="all apart")
k.ok("verbose is negative", 2, 64, [A, B, -1, 100], "nothing is printed")
k.ok("verbose, n is 0", 2, 64, [A, A, 1, 0], "no thread passes the guard")

# ----------------------------------------------------------------------------------- localarray
s = Sample("localarray", "local arrays with a dynamic index, of values and of pointers")


def localarray(launch, source, out, step, n):
    for i in below(launch, n):
        yield from (r(source + 4 * (8 * i + j)) for j in range(8))
        yield w(out + 4 * i)


k = s.kernel("localarray", "in out step n", localarray)
k.place(2, 64, [A, B, 3, 100], "in", "out", same=False, bytewise=False)
k.ok("n is 0, in place", 2, 64, [A, A, 3, 0], "nothing is touched")


def local_pointers(launch, pa, pb, pc, pd, out, shift, n):
    for i in below(launch, n):
        yield r((pa, pb, pc, pd)[(i >> shift) & 3] + 4 * i)
        yield w(out + 4 * i)


k = s.kernel("local_pointers", "a b c d out shift n", local_pointers)
k.ok("all apart", 2, 64, [A, B, C, D, E, 0, 100], "no two buffers touch")
k.no("out is c", 2, 64, [A, B, C, D, C, 0, 100], "thread 2 reads and writes c[2]",
     sibling="out is c, but no thread picks it")
k.ok("out is c, but no thread picks it", 2, 64, [A, B, C, D, C, 6, 100], "i >> 6 is 0 or 1: only a and b are read",
     sibling="out is c")
k.ok("out is b behind what is read of a", 1, 64, [A, B, C, D, A + 256, 6, 64], "only a[0, 64) is read",
     sibling="one thread more takes b")
k.no("one thread more takes b", 2, 64, [A, A + 4 * 64, C, D, A + 4 * 128, 6, 65], "thread 64 reads b[64], which is out[0]",
     sibling="out is b behind what is read of a")
k.ok("n is 0, all equal", 2, 64, [A, A, A, A, A, 0, 0], "nothing is touched")

# ------------------------------------------------------------------------------------- constbank
K = 0x7F0010000000
s = Sample("constbank", "constant memory")


def constbank(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(launch.symbols["weights"] + 4 * j) for j in range(4))
        yield from (r(source + 4 * (i + j)) for j in range(4))
        yield w(out + 4 * i)


k = s.kernel("constbank", "in out n", constbank)
k.symbols = {"weights": K}
k.place(2, 64, [A, B, 100], "in", "out", same=False)
k.ok("out exactly behind the weights", 2, 64, [A, K + 16, 100], "the four weights end where out begins",
     sibling="out one element into the weights")
k.no("out one element into the weights", 2, 64, [A, K + 12, 100], "weights[3] is out[0]",
     sibling="out exactly behind the weights")
k.ok("out ends where the weights begin", 2, 64, [A, K - 400, 100], "out ends there",
     sibling="out ends one element into the weights")
k.no("out ends one element into the weights", 2, 64, [A, K - 396, 100], "weights[0] is out[99]",
     sibling="out ends where the weights begin")
k.ok("n is 0, out is weights", 2, 64, [A, K, 0], "nothing is touched")

s = Sample("constwrite", "a kernel that may write its own constants")


def cst(launch, out, first, n):
    for i in below(launch, n):
        yield from (r(launch.symbols["K"] + 4 * (first + i)), w(out + 4 * i))


k = s.kernel("cst", "out first n", cst)
k.symbols = {"K": K}
k.ok("out apart", 2, 64, [A, 0, 100], "K lies elsewhere")
k.no("out is K", 2, 64, [K, 0, 100], "each element of K is read and overwritten", sibling="out is K, n is 0")
k.ok("out is K, n is 0", 2, 64, [K, 0, 0], "nothing is touched", sibling="out is K")
k.ok("out is the part of K behind that read", 2, 64, [K + 400, 0, 100], "K[0, 100) is read, K[100, 200) written",
     sibling="out one element into the part read")
k.no("out one element into the part read", 2, 64, [K + 396, 0, 100], "K[99] is read and written",
     sibling="out is the part of K behind that read")
k.ok("out is the part of K before that read", 2, 64, [K, 100, 100], "K[100, 200) is read, K[0, 100) written",
     sibling="first one smaller")
k.no("first one smaller", 2, 64, [K, 99, 100], "K[99] is read and written",
     sibling="out is the part of K before that read")

# --------------------------------------------------------------------------------- moduleglobal
s = Sample("moduleglobal", "module globals read, written, updated")
T = 0x7F0010000000
S = T + 0x400  # as the loader lays them out


def global_reader(launch, out, n):
    for i in below(launch, n):
        yield from (r(launch.symbols["table"] + 4 * i), w(out + 4 * i))


k = s.kernel("global_reader", "out n", global_reader)
k.symbols = {"table": T, "state": S}
k.ok("out apart", 2, 64, [A, 100], "out lies elsewhere")
k.no("out is table", 2, 64, [T, 100], "table is read and overwritten")
k.ok("out is state", 2, 64, [S, 100], "state is only written here")
k.ok("out is table from element 100", 2, 64, [T + 400, 100], "table[0, 100) is read", sibling="out is table from element 99")
k.no("out is table from element 99", 2, 64, [T + 396, 100], "table[99] is read and is out[0]",
     sibling="out is table from element 100")
k.ok("n is 0, out is table", 2, 64, [T, 0], "nothing is touched")


def global_writer(launch, source, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(launch.symbols["state"] + 4 * i))


k = s.kernel("global_writer", "in n", global_writer)
k.symbols = {"table": T, "state": S}
k.ok("in apart", 2, 64, [A, 100], "in lies elsewhere")
k.no("in is state", 2, 64, [S, 100], "state is read and overwritten")
k.ok("in ends where state begins", 2, 64, [S - 400, 100], "in lies before state", sibling="in one element into state")
k.no("in one element into state", 2, 64, [S - 396, 100], "in[99] is state[0]", sibling="in ends where state begins")
k.ok("in is state from element 100", 2, 64, [S + 400, 100], "state[0, 100) is written", sibling="in is state from element 99")
k.no("in is state from element 99", 2, 64, [S + 396, 100], "in[0] is state[99]", sibling="in is state from element 100")


def global_updater(launch, step, n):
    for i in below(launch, n):
        yield from (r(launch.symbols["table"] + 4 * i), r(launch.symbols["state"] + 4 * i),
                    w(launch.symbols["state"] + 4 * i))


k = s.kernel("global_updater", "step n", global_updater)
k.symbols = {"table": T, "state": S}
k.no("100 elements", 2, 64, ["f:1", 100], "state is read and written")
k.no("one element", 1, 32, ["f:1", 1], "state[0] is read and written", sibling="no element")
k.ok("no element", 1, 32, ["f:1", 0], "nothing is touched", sibling="one element")

# -------------------------------------------------------------------------------------- texture
s = Sample("texture", "reads through a texture object")


def texture(launch, image, out, n):
    for i in below(launch, n):
        yield ("r", 0, 1 << 64)
        yield w(out + 4 * i)


k = s.kernel("texture", "image out n", texture)
none = {"alloc": [f"{A:#x}:400"], "emulate": False}
k.no("100 elements", 2, 64, [1, A, 100], "the descriptor may cover out", needs="texture", **none)
k.no("one element", 1, 32, [1, A, 1], "the descriptor may cover out", needs="texture", sibling="no element", **none)
k.ok("no element", 1, 32, [1, A, 0], "nothing is fetched or written", sibling="one element")

# -------------------------------------------------------------------------------------- vectors
s = Sample("vectors", "vector accesses of 16 bytes and half2")


def vectors(width, size):
    def model(launch, source, out, n):
        for i in below(launch, int(n / width)):
            yield from (r(source + width * size * i, width * size), w(out + width * size * i, width * size))
    return model


k = s.kernel("vectors_float4", "in out n", vectors(4, 4))
k.place(2, 64, [A, B, 403], "in", "out", element=16, same=False)
k.no("out one float into the end of in", 2, 64, [A, A + 1596, 403], "in's last float is out's first",
     sibling="out exactly behind in", misaligned=True)
k.ok("n is 3, in place", 2, 64, [A, A, 3], "no vector is full", sibling="n is 4, in place")
k.no("n is 4, in place", 2, 64, [A, A, 4], "one vector is read and written", sibling="n is 3, in place")
k.ok("n is -3, in place", 2, 64, [A, A, -3], "-3 / 4 is 0")
k = s.kernel("vectors_half2", "in out n", vectors(2, 2))
k.place(2, 64, [A, B, 201], "in", "out", same=False)
k.no("out one half into the end of in", 2, 64, [A, A + 398, 201], "in's last half is out's first",
     sibling="out exactly behind in", misaligned=True)
k.ok("n is 1, in place", 2, 64, [A, A, 1], "no pair is full", sibling="n is 2, in place")
k.no("n is 2, in place", 2, 64, [A, A, 2], "one pair is read and written", sibling="n is 1, in place")

# ------------------------------------------------------------------------------------ earlyexit
s = Sample("earlyexit", "a mode parameter ends the kernel early or makes it accumulate")


def earlyexit(launch, source, out, mode, n):
    if mode != 0:
        for i in below(launch, n):
            yield from (r(source + 4 * i), w(out + 4 * i))
            if mode != 1:
                yield r(out + 4 * i)


k = s.kernel("earlyexit", "in out mode n", earlyexit)
k.place(2, 64, [A, B, 1, 100], "in", "out", same=False)
k.ok("mode 0, in place", 2, 64, [A, A, 0, 100], "every thread leaves at once", sibling="mode 2, apart")
k.no("mode 2, apart", 2, 64, [A, B, 2, 100], "out is read and written", sibling="mode 0, in place")
k.no("mode -1, apart", 2, 64, [A, B, -1, 100], "any mode but 0 and 1 accumulates", sibling="all apart")
k.ok("mode 2, n is 0", 2, 64, [A, B, 2, 0], "no thread passes the guard")

# ------------------------------------------------------------------------------------- pingpong
s = Sample("pingpong", "two halves of one buffer by a step's parity")


def pingpong(launch, buffer, half, step, n):
    for i in below(launch, n):
        yield from (r(buffer + (4 * half if step & 1 else 0) + 4 * i), w(buffer + (0 if step & 1 else 4 * half) + 4 * i))


k = s.kernel("pingpong", "buffer half step n", pingpong)
for step in (0, 1):
    names = [f"step {step}: n is half", f"step {step}: n is one more"]
    k.ok(names[0], 2, 64, [A, 100, step, 100], "the halves touch, no more", sibling=names[1])
    k.no(names[1], 2, 64, [A, 100, step, 101], "element 100 lies in both halves", sibling=names[0])
k.ok("step -1", 2, 64, [A, 100, -1, 100], "-1 is odd")
k.no("half 0", 2, 64, [A, 0, 0, 100], "both halves are the same")
k.ok("half negative", 2, 64, [A + 400, -100, 0, 100], "out lies below in", sibling="half negative, one closer")
k.no("half negative, one closer", 2, 64, [A + 400, -99, 0, 100], "out[99] is in[0]", sibling="half negative")
k.ok("n is 0, half 0", 2, 64, [A, 0, 1, 0], "nothing is touched")

# -------------------------------------------------------------------------------------- cpasync
s = Sample("cpasync", "asynchronous copies to shared memory")
k = s.kernel("cpasync", "in out n", lambda launch, source, out, n:
             (x for i in range(n) for x in (r(source + 4 * i), w(out + 4 * i))))
k.place(2, 128, [A, B, 1000], "in", "out", same=False, bytewise=False)
k.place(2, 128, [A, B, 100], "in", "out", tag="one block has work: ", far=False, before=False, bytewise=False)
k.ok("n is 0, in place", 2, 128, [A, A, 0], "nothing is touched")
k.ok("n is negative, in place", 2, 128, [A, A, -5], "nothing is touched")

# -------------------------------------------------------------------------------------- shuffle
s = Sample("shuffle", "warp shuffles")
k = s.kernel("shuffle", "in out", lambda launch, source, out: copy(launch, source, out, 1 << 30))
k.place(2, 64, [A, B], "in", "out", same=False)


def shuffle_sum(launch, source, sums, n):
    for i in launch.threads():
        if i < n:
            yield r(source + 4 * i)
        if i % launch.block[0] % 32 == 0:
            yield w(sums + 4 * (i // 32))


k = s.kernel("shuffle_sum", "in sums n", shuffle_sum)
k.place(2, 64, [A, B, 100], "in", "sums", same=False)
k.ok("n is 0, sums is in", 2, 64, [A, A, 0], "nothing is read")

# ------------------------------------------------------------------------------------- gridsync
s = Sample("gridsync", "barriers of the whole grid")


def gridsync(launch, source, out, steps, n):
    for step in range(steps):
        yield "driver memory"
        for i in below(launch, n):
            yield from (r(source + 4 * i), w(out + 4 * (step * n + i)))


k = s.kernel("gridsync", "in out steps n", gridsync)
k.no("three steps, apart", 2, 64, [A, B, 3, 100], "the barrier is an atomic count in driver memory",
     emulate=False, sibling="no step")
k.ok("no step", 2, 64, [A, A, 0, 100], "no barrier, no access", sibling="three steps, apart")
k.no("one step, nothing to write", 2, 64, [A, B, 1, 0], "the barrier alone", emulate=False, sibling="no step")

# ------------------------------------------------------------------------------------- readback
s = Sample("readback", "reads of what the launch has written")
k = s.kernel("readback", "in out n", copy)  # the reads back are shielded
k.place(2, 64, [A, B, 100], "in", "out", same=False)
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is touched")


def readback_block(launch, source, out, sums, flip):
    for b in range(launch.grid[0]):
        for t in range(64):
            i = b * 64 + t
            yield from (r(source + 4 * i), w(out + 4 * i), w(sums + 4 * i))
            if (t ^ flip) >= 64:
                yield r(out + 4 * (b * 64 + (t ^ flip)))


k = s.kernel("readback_block", "in out sums flip", readback_block)
k.place(2, 64, [A, B, C, 5], "in", "out", same=False, bytewise=False)
k.place(2, 64, [A, B, C, 5], "in", "sums", tag="sums: ", far=False, before=False, bytewise=False)
k.ok("flip 63", 2, 64, [A, B, C, 63], "every element read back was written by the same block before the barrier",
     sibling="flip 64")
k.no("flip 64", 2, 64, [A, B, C, 64], "block 0 reads what block 1 writes: no barrier orders them", sibling="flip 63",
     aside="a race between blocks, so an emulator's run shows it in some orders only")
k.ok("flip 64, one block", 1, 64, [A, B, C, 64], "out[64, 128) is read, but written by no block", sibling="flip 64")


def readback_maybe(launch, source, out, copied, least, n, again):
    for i in below(launch, n):
        yield r(source + 4 * i)
        if least == least and least != float("inf"):
            yield w(out + 4 * i)
        if again:
            yield from (r(out + 4 * i), w(copied + 4 * i))


k = s.kernel("readback_maybe", "in out copy least n again", readback_maybe)
k.ok("nothing read back", 2, 64, [A, B, C, "f:0", 100, 0], "out is only written", sibling="read back")
k.no("read back", 2, 64, [A, B, C, "f:0", 100, 1],
     "where the value is not above 0, out is read unwritten; elsewhere it is written",
     needs="memory", with_contents=True, sibling="nothing read back",
     aside="with any one contents an element is either written or read unwritten, never both")
k.ok("read back, least infinite", 2, 64, [A, B, C, "f:inf", 100, 1], "no value is above infinity: out is never written")
k.ok("n is 0, all equal", 2, 64, [A, A, A, "f:0", 0, 1], "nothing is touched")
