"""Launches of kernels with particular loops, guards, index widths and strides."""
import struct

from .model import A, B, C, D, Sample, r, signed, w


def below(launch, n):
    return (i for i in launch.threads() if i < n)


def copy(launch, source, out, n, size=4):
    for i in below(launch, n):
        yield from (r(source + size * i, size), w(out + size * i, size))


# -------------------------------------------------------------------------------------- inplace
s = Sample("inplace", "in place, one pointer")


def inplace(launch, p, factor, first, n):
    for t in launch.threads():
        if first + t < n:
            yield from (r(p + 4 * (first + t)), w(p + 4 * (first + t)))


k = s.kernel("inplace", "p factor first n", inplace)
k.no("100 elements", 2, 64, [A, "f:2", 0, 100], "each element is read and written")
k.no("factor 1", 2, 64, [A, "f:1", 0, 100], "each element is read and written whatever the factor",
     aside="the same values are stored: no harm in fact")
k.no("first is the last element", 2, 64, [A, "f:2", 99, 100], "element 99 is read and written", sibling="first is n")
k.ok("first is n", 2, 64, [A, "f:2", 100, 100], "the range is empty", sibling="first is the last element")
k.no("first negative, one thread inside", 1, 32, [A + 400, "f:2", -100, -99], "element -100 is read and written",
     sibling="first negative, none inside")
k.ok("first negative, none inside", 1, 32, [A + 400, "f:2", -100, -100], "the range is empty",
     sibling="first negative, one thread inside")

# ------------------------------------------------------------------------------------ ptrselect
s = Sample("ptrselect", "one of two pointers is selected")


def ptrselect(launch, pa, pb, out, n):
    for i in below(launch, n):
        yield from (r((pb, pa)[i & 1] + 4 * i), w(out + 4 * i))


k = s.kernel("ptrselect", "a b out n", ptrselect)
k.ok("all apart", 2, 64, [A, B, C, 100], "no two buffers touch")
k.ok("out exactly behind a", 2, 64, [A, B, A + 400, 100], "a's last element read is 99", sibling="out one element into a")
k.no("out one element into a", 2, 64, [A, B, A + 396, 100], "a[99] is out[0]", sibling="out exactly behind a")
k.ok("out one element into b", 2, 64, [A, B, B + 396, 100], "b's last element read is 98: even ones only",
     sibling="out two elements into b")
k.no("out two elements into b", 2, 64, [A, B, B + 392, 100], "b[98] is out[0]", sibling="out one element into b")
k.ok("out ends one element into a", 2, 64, [A, B, A - 396, 100], "a[0] is not read: odd elements only",
     sibling="out ends two elements into a")
k.no("out ends two elements into a", 2, 64, [A, B, A - 392, 100], "a[1] is out[99]", sibling="out ends one element into a")
k.ok("one thread, out is a", 1, 32, [A, B, A, 1], "thread 0 takes b", sibling="two threads, out is a")
k.no("two threads, out is a", 1, 32, [A, B, A, 2], "thread 1 takes a", sibling="one thread, out is a")


def ptrselect_parameter(launch, pa, pb, out, which, n):
    for i in below(launch, n):
        yield from (r((pa if which > 3 else pb) + 4 * i), w(out + 4 * i))


k = s.kernel("ptrselect_parameter", "a b out which n", ptrselect_parameter)
k.no("which 4, out is a", 2, 64, [A, B, A, 4, 100], "a is read", sibling="which 3, out is a")
k.ok("which 3, out is a", 2, 64, [A, B, A, 3, 100], "b is read", sibling="which 4, out is a")
k.no("which -1, out is b", 2, 64, [A, B, B, -1, 100], "b is read", sibling="which 4, out is b")
k.ok("which 4, out is b", 2, 64, [A, B, B, 4, 100], "a is read", sibling="which -1, out is b")
k.place(2, 64, [A, B, C, 4, 100], "a", "out", far=False, before=False, bytewise=False)

# ------------------------------------------------------------------------------------- unrolled
s = Sample("unrolled", "unrolled loop with remainder")


def unrolled(launch, source, sums, rows, columns):
    for i in below(launch, rows):
        yield from (r(source + 4 * (i * columns + j)) for j in range(columns))
        yield w(sums + 4 * i)


k = s.kernel("unrolled", "in sums rows columns", unrolled)
for columns in (1, 3, 4, 16, 37):
    k.place(1, 64, [A, B, 40, columns], "in", "sums", tag=f"{columns} columns: ", far=columns == 37,
            before=columns == 37, bytewise=False)
k.ok("no column, sums is in", 1, 64, [A, A, 40, 0], "nothing is read", sibling="one column, sums is in")
k.no("one column, sums is in", 1, 64, [A, A, 40, 1], "each element is read and written",
     sibling="no column, sums is in")
k.ok("columns negative, sums is in", 1, 64, [A, A, 40, -5], "nothing is read")
k.ok("one row, sums behind it", 1, 64, [A, A + 148, 1, 37], "one row is read", sibling="two rows, sums behind the first")
k.no("two rows, sums behind the first", 1, 64, [A, A + 148, 2, 37], "row 1 begins at sums",
     sibling="one row, sums behind it")

# ----------------------------------------------------------------------------------------- scan
s = Sample("scan", "prefix sum of one block")
k = s.kernel("scan", "in out n", lambda launch, source, out, n: (
    x for i in range(min(n, 256)) for x in (r(source + 4 * i), w(out + 4 * i))))
k.place(1, 256, [A, B, 200], "in", "out", same=False, bytewise=False)
k.ok("n beyond the block", 1, 256, [A, A + 1024, 300], "the block reads 256 elements", sibling="n beyond the block, closer")
k.no("n beyond the block, closer", 1, 256, [A, A + 1020, 300], "in[255] is out[0]", sibling="n beyond the block")
k.ok("n is 0, in place", 1, 256, [A, A, 0], "nothing is touched")

# -------------------------------------------------------------------------------------- columns
s = Sample("columns", "strided columns")


def columns_model(launch, source, in_stride, out, out_stride, rows, count):
    for c in below(launch, count):
        for y in range(rows):
            yield from (r(source + 4 * (y * in_stride + c)), w(out + 4 * (y * out_stride + c)))


k = s.kernel("columns", "in in_stride out out_stride rows count", columns_model)
k.place(1, 64, [A, 50, B, 50, 20, 40], "in", "out", bytewise=False, same=False)
k.ok("right half from left half", 1, 64, [A, 80, A + 160, 80, 20, 40], "columns 0 to 39 are read, 40 to 79 written",
     sibling="one column more")
k.no("one column more", 1, 64, [A, 80, A + 160, 80, 20, 41], "column 40 is read and written",
     sibling="right half from left half")
k.no("one element closer", 1, 64, [A, 80, A + 156, 80, 20, 40], "column 39 is read and written",
     sibling="right half from left half")
k.no("out's stride one larger", 1, 64, [A, 80, A + 160, 81, 20, 40], "the columns written drift into those read",
     sibling="right half from left half")
k.ok("out's stride one larger, two rows", 1, 64, [A, 80, A + 160, 81, 2, 40],
     "out's row 1 ends with element 160, where in's row 2 would begin", sibling="out's stride one larger, three rows")
k.no("out's stride one larger, three rows", 1, 64, [A, 80, A + 160, 81, 3, 40],
     "element 160 is the last of out's row 1 and the first of in's row 2", sibling="out's stride one larger, two rows")
k.ok("rows is 0, in is out", 1, 64, [A, 80, A, 80, 0, 40], "nothing is touched")
k.ok("count negative, in is out", 1, 64, [A, 80, A, 80, 20, -1], "nothing is touched")

# ------------------------------------------------------------------------------------- bytecopy
s = Sample("bytecopy", "byte by byte")
k = s.kernel("bytecopy", "in out n", lambda launch, source, out, n: copy(launch, source, out, n, 1))
k.place(2, 128, [A, B, 203], "in", "out", element=1, unit="byte", same=False)
k.place(2, 128, [A + 3, B + 1, 200], "in", "out", element=1, unit="byte", tag="odd addresses: ", far=False)
k.ok("n is 0, in place", 2, 128, [A, A, 0], "nothing is touched", sibling="n is 1, in place")
k.no("n is 1, in place", 2, 128, [A, A, 1], "byte 0 is read and written", sibling="n is 0, in place",
     aside="a copy onto itself: no harm in fact")

# -------------------------------------------------------------------------------------- index64
s = Sample("index64", "64-bit indices")


def index64(launch, source, in_offset, out, out_offset, n):
    for i in below(launch, n):
        yield from (r(source + 4 * (in_offset + i)), w(out + 4 * (out_offset + i)))


k = s.kernel("index64", "in in_offset out out_offset n", index64)
k.place(2, 64, [A, 0, B, 0, 100], "in", "out", same=False, bytewise=False)
big = 1 << 32
k.ok("in offset 2^32, out is in", 2, 64, [A, big, A, 0, 100], "in is read 16 GiB further on",
     sibling="both offsets 2^32, out is in")
k.no("both offsets 2^32, out is in", 2, 64, [A, big, A, big, 100], "the same elements are read and written",
     sibling="in offset 2^32, out is in")
k.ok("out exactly behind the elements read at 2^32", 2, 64, [A, big, A + (1 << 34) + 400, 0, 100],
     "in's last element read is 2^32 + 99", sibling="out one element into the elements read at 2^32")
k.no("out one element into the elements read at 2^32", 2, 64, [A, big, A + (1 << 34) + 396, 0, 100],
     "in[2^32 + 99] is out[0]", sibling="out exactly behind the elements read at 2^32")
k.ok("offsets -100 and 0, in is out", 2, 64, [A + 400, -100, A + 400, 0, 100], "in[-100, 0) is read",
     sibling="offsets -99 and 0, in is out")
k.no("offsets -99 and 0, in is out", 2, 64, [A + 400, -99, A + 400, 0, 100], "in[0] is read and written",
     sibling="offsets -100 and 0, in is out")
k.no("n beyond 2^32", 2, 64, [A, 0, A + 508, 0, big + 5], "all 128 threads pass", sibling="n beyond 2^32, out behind")
k.ok("n beyond 2^32, out behind", 2, 64, [A, 0, A + 512, 0, big + 5], "there are 128 threads", sibling="n beyond 2^32")
k.ok("n is -2^32, in is out", 2, 64, [A, 0, A, 0, -big], "n is negative though its low half is 0")

# -------------------------------------------------------------------------------- unsignedguard
s = Sample("unsignedguard", "range test by one unsigned comparison")


def unsignedguard(launch, source, out, lo, hi):
    for i in launch.threads():
        if (i - lo) % (1 << 32) < (hi - lo) % (1 << 32):
            yield from (r(source + 4 * i), w(out + 4 * i))


k = s.kernel("unsignedguard", "in out lo hi", unsignedguard)
k.place(2, 64, [A, B, 10, 90], "in", "out", same=False, bytewise=False)
k.ok("lo equals hi, in place", 2, 64, [A, A, 10, 10], "the range is empty", sibling="hi one larger, in place")
k.no("hi one larger, in place", 2, 64, [A, A, 10, 11], "element 10 is read and written",
     sibling="lo equals hi, in place")
k.no("hi one smaller, in place", 2, 64, [A, A, 10, 9], "hi - lo is 2^32 - 1: every thread but 9 passes",
     sibling="lo equals hi, in place")
k.ok("hi smaller, out behind the grid", 2, 64, [A, A + 512, 10, 5], "threads 5 to 9 do not pass, all others do",
     sibling="hi smaller, out one element closer")
k.no("hi smaller, out one element closer", 2, 64, [A, A + 508, 10, 5], "in[127] is out[0]",
     sibling="hi smaller, out behind the grid")
k.ok("lo negative", 2, 64, [A, A + 400, -20, 100], "elements 0 to 99 pass", sibling="lo negative, hi one larger")
k.no("lo negative, hi one larger", 2, 64, [A, A + 400, -20, 101], "in[100] is out[0]", sibling="lo negative")

# ---------------------------------------------------------------------------------------- clamp
s = Sample("clamp", "stencil clamped by min and max")


def clamp(launch, source, out, radius, n):
    for i in below(launch, n):
        yield from (r(source + 4 * max(i - radius, 0)), r(source + 4 * min(i + radius, n - 1)), w(out + 4 * i))


k = s.kernel("clamp", "in out radius n", clamp)
k.place(2, 64, [A, B, 3, 100], "in", "out", same=False, bytewise=False)
k.place(1, 64, [A, B, 3, 100], "in", "out", tag="grid shorter than n: ", far=False, bytewise=False)
k.ok("radius beyond n, between the ends", 1, 8, [A, A + 4, 1000, 32],
     "8 threads read in[0] and in[31]; out is in[1] to in[8]", sibling="radius beyond n, over the first")
k.no("radius beyond n, over the first", 1, 8, [A, A, 1000, 32], "in[0] is out[0]",
     sibling="radius beyond n, between the ends")
k.ok("radius beyond n, before the last", 1, 8, [A, A + 4 * 23, 1000, 32], "out ends at in[30]",
     sibling="radius beyond n, over the last")
k.no("radius beyond n, over the last", 1, 8, [A, A + 4 * 24, 1000, 32], "in[31] is out[7]",
     sibling="radius beyond n, before the last")
k.ok("n is 0, in place", 2, 64, [A, A, 3, 0], "nothing is touched")

# --------------------------------------------------------------------------------- nestedstruct
s = Sample("nestedstruct", "nested structs by value with pointers")


def problem(flags, source, in_stride, in_size, out, out_stride, out_size, bias, padding=0):
    return "hex:" + struct.pack("<iIQiiQiiQ", flags, padding, source, in_stride, in_size, out, out_stride, out_size,
                                bias).hex()


def nestedstruct(launch, packed, factor):
    flags, _, source, in_stride, in_size, out, out_stride, out_size, bias = struct.unpack(
        "<iIQiiQiiQ", bytes.fromhex(packed[4:]))
    for i in below(launch, min(in_size, out_size)):
        yield from (r(source + 4 * i * in_stride), w(out + 4 * i * out_stride))
        if bias:
            yield r(bias + 4 * i)
        if flags & 4:
            yield r(out + 4 * i * out_stride)


k = s.kernel("nestedstruct", "problem factor", nestedstruct)
f = "f:2"
k.ok("all apart", 2, 64, [problem(0, A, 1, 100, B, 1, 100, C), f], "no two buffers touch",
     sibling="all apart, accumulating")
k.no("all apart, accumulating", 2, 64, [problem(4, A, 1, 100, B, 1, 100, C), f], "flag 4 reads out", sibling="all apart")
k.ok("flags without bit 2", 2, 64, [problem(~4, A, 1, 100, B, 1, 100, 0), f], "flag 4 is not set")
k.ok("padding that looks like a pointer", 2, 64, [problem(0, A, 1, 100, B, 1, 100, 0, A & 0xFFFFFFFF | 0x7F00), f],
     "padding is not read")
k.ok("strides 2, out one element further", 2, 64, [problem(0, A, 2, 100, A + 4, 2, 100, 0), f],
     "even elements are read, odd ones written", sibling="strides 2, out two elements further")
k.no("strides 2, out two elements further", 2, 64, [problem(0, A, 2, 100, A + 8, 2, 100, 0), f], "in[2] is out[0]",
     sibling="strides 2, out one element further")
k.ok("strides 2 and 3, even and odd", 1, 2, [problem(0, A, 2, 100, A + 4, 3, 100, 0), f],
     "0 and 2 are read, 1 and 4 written", sibling="strides 2 and 3, three threads")
k.no("strides 2 and 3, three threads", 1, 3, [problem(0, A, 2, 100, A + 4, 3, 100, 0), f],
     "0, 2, 4 are read, 1, 4, 7 written", sibling="strides 2 and 3, even and odd")
k.ok("stride -1, below in", 2, 64, [problem(0, A, 1, 100, A - 4, -1, 100, 0), f], "out goes down from in[-1]",
     sibling="stride -1, from in[0]")
k.no("stride -1, from in[0]", 2, 64, [problem(0, A, 1, 100, A, -1, 100, 0), f], "in[0] is out[0]",
     sibling="stride -1, below in")
k.ok("out exactly behind bias", 2, 64, [problem(0, A, 1, 100, C + 400, 1, 100, C), f], "bias ends where out begins",
     sibling="out one element into bias")
k.no("out one element into bias", 2, 64, [problem(0, A, 1, 100, C + 396, 1, 100, C), f], "bias[99] is out[0]",
     sibling="out exactly behind bias")
k.ok("in's size ends it", 2, 64, [problem(0, A, 1, 30, A + 120, 1, 100, 0), f], "30 elements are read",
     sibling="in's size one larger")
k.no("in's size one larger", 2, 64, [problem(0, A, 1, 31, A + 120, 1, 100, 0), f], "in[30] is out[0]",
     sibling="in's size ends it")
k.ok("size 0, all equal", 2, 64, [problem(4, A, 1, 0, A, 1, 100, A), f], "nothing is touched")

# -------------------------------------------------------------------------------------- dowhile
s = Sample("dowhile", "do-while: the body runs at least once")


def dowhile(launch, source, out, n):
    step = launch.grid[0] * launch.block[0]
    for t in launch.threads():
        yield from (x for i in range(t, max(n, t + 1), step) for x in (r(source + 4 * i), w(out + 4 * i)))


k = s.kernel("dowhile", "in out n", dowhile)
k.place(2, 64, [A, B, 300], "in", "out", same=False, bytewise=False)
k.place(2, 64, [A, B, 0], "in", "out", tag="n is 0: ", far=False, bytewise=False, same=False)
k.place(2, 64, [A, B, -9], "in", "out", tag="n is negative: ", far=False, before=False, bytewise=False)

# ------------------------------------------------------------------------------------- selfcopy
s = Sample("selfcopy", "copy of 16-byte words, also onto itself")


def selfcopy(launch, source, out, words):
    yield from (x for i in range(words) for x in (r(source + 16 * i, 16), w(out + 16 * i, 16)))


k = s.kernel("selfcopy", "in out words", selfcopy)
k.place(2, 64, [A, B, 300], "in", "out", element=16, unit="word")
k.no("onto itself", 2, 64, [A, A, 300], "every byte is read and written", sibling="onto itself, no word",
     aside="each byte is written with its own value: no harm in fact")
k.ok("onto itself, no word", 2, 64, [A, A, 0], "nothing is touched", sibling="onto itself")

# -------------------------------------------------------------------------------------- convert
s = Sample("convert", "conversion copies as templates, vector path and tail")


def convert(launch, source, out, n):
    for t in launch.threads():
        own = set()  # bytes of out that the thread has written before: its reads of them are shielded
        for i in range(4 * t, min(4 * t + 4, n)):
            yield from (r(source + 4 * i + j, 1) for j in range(4) if source + 4 * i + j not in own)
            yield w(out + 2 * i, 2)
            if n - 4 * t < 4:  # the tail's loop; the vector path reads all four first
                own |= {out + 2 * i, out + 2 * i + 1}


for name in ("_Z7convertI6__halfEvPKfPT_i", "_Z7convertI13__nv_bfloat16EvPKfPT_i"):
    k = s.kernel(name, "in out n", convert)
    k.place(2, 128, [A, B, 1004], "in", "out", element=8, unit="group of four", bytewise=False, same=False)
    k.place(2, 128, [A, B, 1002], "in", "out", element=8, unit="group of four", tag="tail of two: ", far=False,
            before=False, bytewise=False)
    k.no("tail of two: out one element into the end of in", 2, 128, [A, A + 4006, 1002],
         "the upper half of in's last element is out's first", sibling="tail of two: out exactly behind in",
         misaligned=True)
    k.ok("tail only: out exactly behind in", 1, 32, [A, A + 12, 3], "in ends where out begins")
    k.ok("tail only: out four bytes into in", 1, 32, [A, A + 8, 3],
         "in[2] is read after the same thread has written all of it: shielded", sibling="tail only: out six bytes into in")
    k.no("tail only: out six bytes into in", 1, 32, [A, A + 6, 3], "the upper half of in[2] is read, then written",
         sibling="tail only: out four bytes into in")
    k.ok("n is 0, in is out", 2, 128, [A, A, 0], "nothing is touched")

# --------------------------------------------------------------------------------------- grid3d
s = Sample("grid3d", "three-dimensional grid: a box out of a volume")


def size3(*size):
    return "hex:" + struct.pack("<iii", *size).hex()


def grid3d(launch, source, in_row, in_slice, out, out_row, out_slice, size):
    sx, sy, sz = struct.unpack("<iii", bytes.fromhex(size[4:]))
    cover = [min(g * b, m) for g, b, m in zip(launch.grid, launch.block, (sx, sy, sz))]
    for z in range(cover[2]):
        for y in range(cover[1]):
            for x in range(cover[0]):
                yield r(source + 4 * (z * in_slice + y * in_row + x))
                yield w(out + 4 * (z * out_slice + y * out_row + x))


k = s.kernel("grid3d", "in in_row in_slice out out_row out_slice size", grid3d)
g, b = (2, 2, 3), (8, 4, 2)
k.place(g, b, [A, 16, 160, B, 16, 160, size3(13, 7, 5)], "in", "out", bytewise=False, same=False)
k.ok("packed box, exactly behind", g, b, [A, 16, 160, A + 4 * 749, 13, 91, size3(13, 7, 5)],
     "the last element read is 4 * 160 + 6 * 16 + 12", sibling="packed box, one element closer")
k.no("packed box, one element closer", g, b, [A, 16, 160, A + 4 * 748, 13, 91, size3(13, 7, 5)],
     "element 748 is read and written", sibling="packed box, exactly behind")
k.ok("rows interleave", g, b, [A, 32, 320, A + 4 * 13, 32, 320, size3(13, 7, 5)],
     "13 elements of each row of 32 are read, the next 13 written", sibling="rows interleave, one element closer")
k.no("rows interleave, one element closer", g, b, [A, 32, 320, A + 4 * 12, 32, 320, size3(13, 7, 5)],
     "element 12 is read and written", sibling="rows interleave")
k.ok("slices interleave", g, b, [A, 13, 182, A + 4 * 91, 13, 182, size3(13, 7, 5)],
     "91 elements of each slice of 182 are read, the next 91 written", sibling="slices interleave, one element closer")
k.no("slices interleave, one element closer", g, b, [A, 13, 182, A + 4 * 90, 13, 182, size3(13, 7, 5)],
     "element 90 is read and written", sibling="slices interleave")
k.ok("size beyond the grid, next slices", (1, 1, 1), b, [A, 16, 160, A + 4 * 320, 16, 160, size3(99, 99, 99)],
     "the grid has two slices", sibling="size beyond the grid, same slice")
k.no("size beyond the grid, same slice", (1, 1, 1), b, [A, 16, 160, A + 4 * 160, 16, 160, size3(99, 99, 99)],
     "slice 1 is read, and written as slice 0", sibling="size beyond the grid, next slices")
k.ok("depth 0, in is out", g, b, [A, 16, 160, A, 16, 160, size3(13, 7, 0)], "nothing is touched")

# --------------------------------------------------------------------------------- genericstore
s = Sample("genericstore", "generic store, shared for some threads, global for others")


def genericstore(launch, source, out, sums, kept):
    for block in range(launch.grid[0]):
        for t in range(64):
            yield r(source + 4 * (block * 64 + t))
            if t >= kept:
                yield w(out + 4 * (block * 64 + t))
        yield w(sums + 4 * block)


k = s.kernel("genericstore", "in out sums kept", genericstore)
k.place(2, 64, [A, B, C, 10], "in", "out", same=False, bytewise=False)
k.ok("all kept, out is in", 2, 64, [A, A, C, 64], "every thread stores to shared memory",
     sibling="all but one kept, out is in")
k.no("all but one kept, out is in", 2, 64, [A, A, C, 63], "thread 63 overwrites in", sibling="all kept, out is in")
k.place(2, 64, [A, B, C, 10], "in", "sums", tag="sums: ", far=False, bytewise=False)
k.no("none kept, out is in", 2, 64, [A, A, C, 0], "every thread overwrites in")

# ------------------------------------------------------------------------------------ dynshared
s = Sample("dynshared", "dynamic shared memory")
k = s.kernel("dynshared", "in out n", copy)  # the same elements as a copy, in another order
k.place(2, 64, [A, B, 100], "in", "out", same=False, bytewise=False, shared=256)
k.place(1, 128, [A, B, 100], "in", "out", tag="one block: ", far=False, before=False, bytewise=False, same=False,
        shared=512)
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is touched", shared=256)

# ------------------------------------------------------------------------------------ lateguard
s = Sample("lateguard", "the guard comes after the loads")


def lateguard(launch, source, out, n):
    for i in launch.threads():
        yield r(source + 4 * i)
        if i < n:
            yield w(out + 4 * i)


k = s.kernel("lateguard", "in out n", lateguard)
k.place(2, 64, [A, B, 100], "in", "out", same=False, bytewise=False)
k.no("out exactly behind in's n elements", 2, 64, [A, A + 400, 100], "in[100] to in[127] are read though not used",
     sibling="out exactly behind in")
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is written")

# ----------------------------------------------------------------------------------------- ring
s = Sample("ring", "ring buffer: masked address")
k = s.kernel("ring", "in ring start mask n", lambda launch, source, ring, start, mask, n: (
    x for i in below(launch, n) for x in (r(source + 4 * i), w(ring + 4 * (((start + i) % (1 << 32)) & mask)))))
k.place(2, 64, [A, B, 0, 255, 100], "in", "ring", bytewise=False, same=False)
k.ok("in lies in the free part of the ring", 2, 64, [A + 4 * 100, A, 200, 255, 100],
     "places 200 to 255 and 0 to 43 are written, 100 to 199 read", sibling="start one lower")
k.no("start one lower", 2, 64, [A + 4 * 100, A, 199, 255, 100], "place 199 is read and written",
     sibling="in lies in the free part of the ring")
k.ok("wraps up to in", 2, 64, [A + 4 * 44, A, 200, 255, 100], "place 43 is the last one written",
     sibling="wraps one further")
k.no("wraps one further", 2, 64, [A + 4 * 44, A, 201, 255, 100], "place 44 is read and written", sibling="wraps up to in")
k.ok("start wraps at 2^32", 2, 64, [A + 4 * 92, A, (1 << 32) - 8, 255, 100],
     "places 248 to 255 and 0 to 91 are written", sibling="start wraps at 2^32, one later")
k.no("start wraps at 2^32, one later", 2, 64, [A + 4 * 92, A, (1 << 32) - 7, 255, 100], "place 92 is read and written",
     sibling="start wraps at 2^32")
k.ok("mask 0", 2, 64, [A + 4, A, 5, 0, 100], "only place 0 is written", sibling="mask 1")
k.no("mask 1", 2, 64, [A + 4, A, 5, 1, 100], "place 1 is written and is in[0]", sibling="mask 0")

# ------------------------------------------------------------------------------------- notequal
s = Sample("notequal", "a loop that ends by !=")


def notequal(launch, source, out, first, last, step):
    i = first
    while i != last:
        for t in range(64):
            yield from (r(source + 4 * (i * 64 + t)), w(out + 4 * (i * 64 + t)))
        i = signed(i + step)


k = s.kernel("notequal", "in out first last step", notequal)
k.place(1, 64, [A, B, 0, 6, 2], "in", "out", bytewise=False, same=False)
k.ok("up by 2, out in the other rows", 1, 64, [A, A + 256, 0, 6, 2], "rows 0, 2, 4 are read, 1, 3, 5 written",
     sibling="up by 2, one element closer")
k.no("up by 2, one element closer", 1, 64, [A, A + 252, 0, 6, 2], "in[63] is out[0]",
     sibling="up by 2, out in the other rows")
k.ok("down", 1, 64, [A, A + 5 * 256, 4, -1, -1], "rows 4 to 0 are read", sibling="down, one element closer")
k.no("down, one element closer", 1, 64, [A, A + 5 * 256 - 4, 4, -1, -1], "the last element of row 4 is out[0]",
     sibling="down")
k.ok("first is last, in place", 1, 64, [A, A, 3, 3, 1], "no turn")
k.ok("step 0 and first is last, in place", 1, 64, [A, A, 3, 3, 0], "no turn")
k.ok("step divides", 1, 64, [A, A + 256, 0, 9, 3], "rows 0, 3, 6 are read, 1, 4, 7 written",
     sibling="step divides, one element closer")
k.no("step divides, one element closer", 1, 64, [A, A + 256 - 4, 0, 9, 3], "in[63] is out[0]",
     sibling="step divides")

# -------------------------------------------------------------------------------------- pyramid
s = Sample("pyramid", "shrinking stencil steps; a flag in a register decides who stores")


def pyramid(launch, source, out, steps, n):
    inner = 64 - 2 * steps
    for block in range(launch.grid[0]):
        for t in range(64):
            i = block * inner - steps + t
            if 0 <= i < n:
                yield r(source + 4 * i)
                if steps > 0 and steps <= t < 64 - steps:
                    yield w(out + 4 * i)


k = s.kernel("pyramid", "in out steps n", pyramid)
k.place(3, 64, [A, B, 4, 150], "in", "out", bytewise=False, same=False)
k.ok("no step, in place", 2, 64, [A, A, 0, 100], "the flag stays false", sibling="one step, in place")
k.no("one step, in place", 2, 64, [A, A, 1, 100], "inner elements are read and written", sibling="no step, in place")
k.ok("grid covers a part", 1, 64, [A, A + 4 * 60, 4, 150], "block 0 reads elements 0 to 59",
     sibling="grid covers a part, one element closer")
k.no("grid covers a part, one element closer", 1, 64, [A, A + 4 * 59, 4, 150], "in[59] is out[0]",
     sibling="grid covers a part")

# -------------------------------------------------------------------------------------- cluster
s = Sample("cluster", "a neighbour's shared memory within a cluster")
k = s.kernel("cluster", "in out", lambda launch, source, out: (
    x for i in launch.threads() for x in (r(source + 4 * i), w(out + 4 * i))))
k.place(2, 64, [A, B], "in", "out", bytewise=False, same=False, cluster=[2, 1, 1])
k.place(4, 64, [A, B], "in", "out", tag="two clusters: ", far=False, before=False, bytewise=False, cluster=[2, 1, 1])

# ------------------------------------------------------------------------------------- bulkcopy
s = Sample("bulkcopy", "bulk copies and reductions, with a barrier in shared memory")


def bulkcopy(launch, source, out, tiles):
    for i in range(tiles):
        yield r(source + 256 * i, 256)
        yield w(out + 256 * i, 256)


def bulkreduce(launch, source, sums, n):
    for i in launch.threads():
        if i < n:
            yield r(source + 4 * i)
    for block in range(launch.grid[0]):
        if block * 64 < n:
            yield ("rw", sums, 256)


k = s.kernel("bulkcopy", "in out tiles", bulkcopy)
k.place(2, 64, [A, B, 5], "in", "out", element=16, unit="unit of 16 bytes", bytewise=False, same=False)
k.place(4, 64, [A, B, 3], "in", "out", element=16, unit="unit of 16 bytes", bytewise=False, far=False, tag="a block idle: ")
k.ok("no tile, in place", 2, 64, [A, A, 0], "nothing is touched")
k = s.kernel("bulkreduce", "in sums n", bulkreduce)
k.ok("nothing to add", 2, 64, [A, B, 0], "no reduction is executed", sibling="one element")
k.no("one element", 2, 64, [A, B, 1], "the sums are read and written", sibling="nothing to add")
k.no("two blocks", 2, 64, [A, B, 100], "the sums are read and written")

# ----------------------------------------------------------------------------------- arrivewait
s = Sample("arrivewait", "a barrier object in shared memory")
k = s.kernel("arrivewait", "in out n", lambda launch, source, out, n: (
    x for i in range(min(n, 64 * launch.grid[0])) for x in (r(source + 4 * i), w(out + 4 * i))))
k.place(2, 64, [A, B, 100], "in", "out", bytewise=False, same=False)
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is touched")
