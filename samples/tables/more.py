"""Launches of kernels that take addresses in roundabout ways, and of tensor cores."""
import struct

from .model import A, B, C, D, Sample, a, r, signed, w


def below(launch, n):
    return (i for i in launch.threads() if i < n)


def copy(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(out + 4 * i))


# ---------------------------------------------------------------------------------- constparams
s = Sample("constparams", "no parameters: pointers and size from constant memory")
TASK = 0x7F0010000000


def constparams(launch):
    source, out, n = launch.contents or now
    for i in launch.threads():
        yield r(launch.symbols["task"], 24)
        if i < n:
            yield from (r(source + 4 * i), w(out + 4 * i))


k = s.kernel("constparams", "", constparams)
k.symbols = {"task": TASK}
for name, file, truth, now, why, sibling in (
        ("apart", "apart", True, (A, B, 100), "no two buffers touch", None),
        ("out exactly behind in", "behind", True, (A, A + 400, 100), "in ends where out begins",
         "out one element into in"),
        ("out one element into in", "overlap", False, (A, A + 396, 100), "in[99] is out[0]", "out exactly behind in"),
        ("n is 0, out is the constants", "empty", True, (A, TASK, 0), "nothing is written",
         "n is 1, out is the constants"),
        ("n is 1, out is the constants", "itself", False, (A, TASK, 1), "the kernel overwrites its own pointer",
         "n is 0, out is the constants"),
        ("out exactly behind the constants", "after", True, (A, TASK + 24, 100), "the constants end where out begins",
         "n is 1, out is the constants")):
    path = f"data/constparams_{file}.bin"
    s.files[path] = struct.pack("<QQii", *now, 0)
    k.launch(name, truth, 2, 64, [], why, sibling=sibling, needs="constants",
             suffix={"task": f":file:{path}"})

# -------------------------------------------------------------------------------- sharedpointer
s = Sample("sharedpointer", "a pointer goes through shared memory")


def sharedpointer(launch, source, out, pitch, columns):
    for b in range(launch.grid[0]):
        for i in range(min(columns, launch.block[0])):
            yield r(source + 4 * ((launch.grid[0] - 1 - b) * pitch + i))
            yield w(out + 4 * (b * columns + i))


k = s.kernel("sharedpointer", "in out pitch columns", sharedpointer)
k.place(3, 64, [A, B, 70, 50], "in", "out", bytewise=False, same=False)
k.ok("pitch negative", 3, 64, [A, A + 200, -50, 50], "in goes down from its row 0", sibling="pitch negative, one element closer")
k.no("pitch negative, one element closer", 3, 64, [A, A + 196, -50, 50], "in[49] is out[0]", sibling="pitch negative")
k.ok("no column, in place", 3, 64, [A, A, 70, 0], "nothing is touched")

# -------------------------------------------------------------------------------- subsetbarrier
s = Sample("subsetbarrier", "a barrier that a part of the block joins")


def subsetbarrier(launch, source, out, copied, again):
    for b in range(launch.grid[0]):
        for t in range(launch.block[0]):
            i = b * launch.block[0] + t
            yield from (r(source + 4 * i), w(out + 4 * i))
            if t < 64 and again:
                yield from (r(out + 4 * (i - t + 63 - t)), w(copied + 4 * i))


k = s.kernel("subsetbarrier", "in out copy again", subsetbarrier)
k.place(2, 128, [A, B, C, 0], "in", "out", bytewise=False, same=False)
k.no("read back", 2, 128, [A, B, C, 1], "a barrier of a part of the block shields nothing", sibling="all apart",
     aside="all 64 threads concerned join it, so in fact each read follows its write")

# -------------------------------------------------------------------------------------- signext
s = Sample("signext", "sign and zero extension of an index")
k = s.kernel("signext", "in out n", lambda launch, source, out, n: (
    x for i in below(launch, n) for x in (r(source + 4 * (i - 1)), w(out + 4 * i))))
k.place(2, 64, [A, B, 100], "in", "out", bytewise=False, same=False)
k.ok("one thread, in place", 1, 32, [A, A, 1], "in[-1] is read, out[0] written", sibling="two threads, in place")
k.no("two threads, in place", 1, 32, [A, A, 2], "in[0] is out[0]", sibling="one thread, in place")
k.ok("n is negative, in place", 2, 64, [A, A, -1], "the guard compares signed numbers")
k = s.kernel("zeroext", "in out n", lambda launch, source, out, n: (
    x for i in below(launch, n) for x in (r(source + 4 * ((i - 1) % (1 << 32))), w(out + 4 * i))))
k.ok("all apart", 2, 64, [A, B, 100], "no two buffers touch")
k.ok("out ends where in begins", 2, 64, [A + 400, A, 100], "in[-1] is not read, in[2^32 - 1] is",
     sibling="out ends one element into in")
k.no("out ends one element into in", 2, 64, [A + 396, A, 100], "in[0] is out[99]", sibling="out ends where in begins")
k.ok("one thread, out is what lies below in", 1, 32, [A, A - 4, 1], "in[2^32 - 1] is read",
     sibling="one thread, out is in[2^32 - 1]")
k.no("one thread, out is in[2^32 - 1]", 1, 32, [A, A + 4 * ((1 << 32) - 1), 1], "index 0 - 1 is zero-extended",
     sibling="one thread, out is what lies below in")
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is touched")

# ----------------------------------------------------------------------------------- dependents
s = Sample("dependents", "lets the next kernel start early")


def dependents(launch, source, out, early, n):
    if early:
        yield "dependents"
    yield from copy(launch, source, out, n)


k = s.kernel("dependents", "in out early n", dependents)
k.place(2, 64, [A, B, 0, 100], "in", "out", bytewise=False, same=False)
k.no("early", 2, 64, [A, B, 1, 100], "a dependent kernel may start and use what a restart writes again",
     sibling="all apart")
k.ok("n is 0, not early", 2, 64, [A, A, 0, 0], "nothing is touched")

# -------------------------------------------------------------------------------------- shiftby
s = Sample("shiftby", "an index shifted by a parameter")


def shiftleft(launch, source, out, by, n):
    for i in below(launch, n):
        index = (i << by) % (1 << 32) if by < 32 else 0
        yield from (r(source + 4 * index), w(out + 4 * i))


k = s.kernel("shiftleft", "in out by n", shiftleft)
k.place(2, 64, [A, B, 0, 100], "in", "out", tag="by 0: ", bytewise=False, same=False)
k.place(2, 64, [A, B, 2, 100], "in", "out", tag="by 2: ", far=False, before=False, bytewise=False, same=False)
k.ok("by 31, out behind in[0]", 2, 64, [A, A + 4, 31, 100], "in[0] and in[2^31] are read", sibling="by 31, out is in[2^31]")
k.no("by 31, out is in[2^31]", 2, 64, [A, A + (1 << 33), 31, 100], "odd indices read in[2^31]",
     sibling="by 31, out behind in[0]")
k.ok("by 32, out behind in[0]", 2, 64, [A, A + 4, 32, 100], "only in[0] is read", sibling="by 32, out is in")
k.no("by 32, out is in", 2, 64, [A, A, 32, 100], "in[0] is read and written", sibling="by 32, out behind in[0]")
k.ok("by 33, out behind in[0]", 2, 64, [A, A + 4, 33, 100], "33 is not taken modulo 32: only in[0] is read",
     sibling="by 1, out behind in[0]")
k.no("by 1, out behind in[0]", 2, 64, [A, A + 4, 1, 100], "in[2] is out[1]", sibling="by 33, out behind in[0]")
k.ok("by 2^32 - 1, out behind in[0]", 2, 64, [A, A + 4, 0xFFFFFFFF, 100], "only in[0] is read")


def shiftright(launch, source, out, bias, by, n):
    for i in below(launch, n):
        yield from (r(source + 4 * (signed(i - bias) >> min(by, 31))), w(out + 4 * i))


k = s.kernel("shiftright", "in out bias by n", shiftright)
k.place(2, 64, [A, B, 0, 2, 100], "in", "out", tag="by 2: ", bytewise=False, same=False)
k.ok("by 32, no bias, out behind in[0]", 2, 64, [A, A + 4, 0, 32, 100], "only in[0] is read",
     sibling="by 32, no bias, in place")
k.no("by 32, no bias, in place", 2, 64, [A, A, 0, 32, 100], "in[0] is read and written",
     sibling="by 32, no bias, out behind in[0]")
k.ok("by 40, bias 100, in place", 2, 64, [A, A, 100, 40, 100], "every i - 100 is negative: in[-1] is read",
     sibling="by 40, bias 99, in place")
k.no("by 40, bias 99, in place", 2, 64, [A, A, 99, 40, 100], "thread 99 reads in[0]", sibling="by 40, bias 100, in place")
k.ok("by 5, bias 64, out behind in[1]", 2, 64, [A, A + 8, 64, 5, 100], "in[-2] to in[1] are read",
     sibling="by 5, bias 64, out is in[1]")
k.no("by 5, bias 64, out is in[1]", 2, 64, [A, A + 4, 64, 5, 100], "threads 96 to 99 read in[1]",
     sibling="by 5, bias 64, out behind in[1]")

# ------------------------------------------------------------------------------------- mixedmax
s = Sample("mixedmax", "signed and unsigned maximum over one word")


def mixedmax(launch, source, greatest, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), a(greatest))


k = s.kernel("mixedmax", "in greatest n", mixedmax)
k.no("100 elements", 2, 64, [A, B, 100], "greatest is read and written; kinds may mix")
k.no("one element", 1, 32, [A, B, 1], "greatest is read and written", sibling="no element")
k.ok("no element", 1, 32, [A, A, 0], "no atomic is executed", sibling="one element")

# ----------------------------------------------------------------------------------- tensorcore
s = Sample("tensorcore", "matrix product on tensor cores")


def tensorcore(launch, pa, pb, pc, pd, n, depth, beta):
    rows, columns = launch.grid[1] * 16, launch.grid[0] * 16
    steps = range(max(depth, 0))
    yield from (r(pa + 2 * (y * depth + i), 2) for y in range(rows) for i in steps)
    yield from (r(pb + 2 * (i * n + x), 2) for i in steps for x in range(columns))
    for y in range(rows):
        for x in range(columns):
            if beta:
                yield r(pc + 4 * (y * n + x))
            yield w(pd + 4 * (y * n + x))


k = s.kernel("tensorcore", "a b c d n k beta", tensorcore)
g = (2, 3)
tile = {"element": 32, "unit": "group of 32 bytes", "bytewise": False}
k.place(g, 32, [A, B, C, D, 32, 48, 1], "a", "d", same=False, **tile)
k.place(g, 32, [A, B, C, D, 32, 48, 1], "b", "d", tag="b: ", far=False, before=False, **tile)
k.place(g, 32, [A, B, C, D, 32, 48, 1], "c", "d", tag="c: ", far=False, before=False, same=False, **tile)
k.ok("beta 0, d is c", g, 32, [A, B, C, C, 32, 48, 0], "c is not read", sibling="c: d is c")
k.ok("one column of tiles, d is the next", (1, 3), 32, [A, B, C, C + 64, 32, 48, 1],
     "columns 0 to 15 of c are read, 16 to 31 written", sibling="both columns of tiles")
k.no("both columns of tiles", (2, 3), 32, [A, B, C, C + 64, 32, 48, 1], "column 16 is read and written",
     sibling="one column of tiles, d is the next")
k.ok("k is 0, d is a", g, 32, [A, B, C, A, 32, 0, 0], "neither a nor b is read")

# ----------------------------------------------------------------------------------------- trig
s = Sample("trig", "slow paths of sine and power, with a table in module memory")
TABLE = 0x7F0010000000


def trig(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(out + 4 * i))
        if not launch.contents:
            yield r(launch.symbols["__cudart_i2opi_f"], 24)


k = s.kernel("trig", "in out n", trig)
k.symbols = {"__cudart_i2opi_f": TABLE}
k.place(2, 64, [A, B, 100], "in", "out", bytewise=False, same=False)
k.ok("out exactly behind the table", 2, 64, [A, TABLE + 24, 100], "the table's six words end where out begins",
     sibling="out is the table's last word")
k.no("out is the table's last word", 2, 64, [A, TABLE + 20, 100], "a large argument would read it",
     contents=True, with_contents=True, sibling="out exactly behind the table",
     aside="with small arguments the table is not read")
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is touched")
