"""Launches of the element-wise kernels."""
import struct

from .model import A, B, C, D, Sample, a, r, w



def bytes_of_iota32(i):
    return i // 4 & 255 if i % 4 == 0 else 0


s = Sample("vadd", "element-wise sum, one element per thread")


def vadd(launch, a, b, c, n):
    for i in launch.threads():
        if i < n:
            yield from (r(a + 4 * i), r(b + 4 * i), w(c + 4 * i))


k = s.kernel("vadd", "a b c n", vadd)
k.place(4, 256, [A, B, C, 1000], "a", "c", same=False)
k.place(4, 256, [A, B, C, 1024], "b", "c", tag="n fills the grid: ", far=False, before=False, bytewise=False)
k.ok("n is 0, all pointers equal", 4, 256, [A, A, A, 0], "no thread passes the guard")
k.ok("n is negative, all pointers equal", 4, 256, [A, A, A, -1], "the guard compares signed numbers")
k.ok("grid shorter than n, c behind the part covered", 2, 256, [A, B, A + 2048, 1000],
     "only 512 threads exist, so a is read up to byte 2048 only",
     sibling="grid shorter than n, c one element closer")
k.no("grid shorter than n, c one element closer", 2, 256, [A, B, A + 2044, 1000],
     "element 511 of a is element 0 of c", sibling="grid shorter than n, c behind the part covered")
k.no("last element only shared", 1, 32, [A, A + 124, A + 248, 32],
     "b ends at byte 252 of a's buffer, c begins at 248", sibling="c behind b in one buffer")
k.ok("c behind b in one buffer", 1, 32, [A, A + 124, A + 252, 32],
     "a and b overlap, which does no harm: both are only read", sibling="last element only shared")

# ---------------------------------------------------------------------------------------- saxpy
s = Sample("saxpy", "in place: y = a * x + y")


def saxpy(launch, factor, x, y, n):
    for i in launch.threads():
        if i < n:
            yield from (r(x + 4 * i), r(y + 4 * i), w(y + 4 * i))


k = s.kernel("saxpy", "a x y n", saxpy)
k.no("buffers apart", 4, 128, ["f:2", A, B, 500], "y is read and written")
k.no("factor 0, buffers apart", 4, 128, ["f:0", A, B, 500], "y is read whatever the factor")
k.no("one element", 1, 32, ["f:2", A, B, 1], "y[0] is read and written", sibling="n is 0")
k.ok("n is 0", 1, 32, ["f:2", A, B, 0], "no thread passes the guard", sibling="one element")
k.ok("n is 0, x is y", 4, 128, ["f:2", A, A, 0], "no thread passes the guard")
k.ok("n is negative", 4, 128, ["f:2", A, B, -500], "the guard compares signed numbers")
k.no("x is y", 4, 128, ["f:2", A, A, 500], "y is read and written")

# ----------------------------------------------------------------------------------------- fill
s = Sample("fill", "fill: writes only")


def fill(launch, p, value, n):
    for i in launch.threads():
        if i < n:
            yield w(p + 4 * i)


k = s.kernel("fill", "p value n", fill, one_sided="nothing is read, so nothing can be lost")
k.ok("n not a multiple of the block", 4, 128, [A, "f:1.5", 500], "writes only")
k.ok("n fills the grid", 4, 128, [A, "f:1.5", 512], "writes only")
k.ok("n beyond the grid", 2, 128, [A, "f:-1", 500], "writes only, 256 elements")
k.ok("n is 0", 4, 128, [A, "f:1.5", 0], "nothing is touched")
k.ok("null pointer and n is 0", 1, 32, [0, "f:1.5", 0], "nothing is touched")

# ----------------------------------------------------------------------------------- gridstride
s = Sample("gridstride", "grid-stride loop")


def gridstride(launch, source, out, factor, n):
    step = launch.grid[0] * launch.block[0]
    for t in launch.threads():
        for i in range(t, n, step):
            yield from (r(source + 4 * i), w(out + 4 * i))


k = s.kernel("gridstride", "in out factor n", gridstride)
k.place(2, 128, [A, B, "f:2", 1000], "in", "out", same=False)
k.place(8, 128, [A, B, "f:2", 1000], "in", "out", tag="one turn: ", far=False, before=False, bytewise=False)
k.place(1, 32, [A, B, "f:2", 1021], "in", "out", tag="one warp, 32 turns: ", far=False, behind=False, bytewise=False)
k.ok("n is 0, in is out", 2, 128, [A, A, "f:2", 0], "no thread enters its loop")
k.ok("n is negative, in is out", 2, 128, [A, A, "f:2", -7], "no thread enters its loop")

# -------------------------------------------------------------------------------------- pitched
s = Sample("pitched", "copy between pitched two-dimensional images")


def pitched(launch, source, in_pitch, out, out_pitch, width, height):
    for bx, by, _ in launch.blocks():
        for tx, ty, _ in launch.lanes():
            x, y = bx * launch.block[0] + tx, by * launch.block[1] + ty
            if x < width and y < height:
                yield from (r(source + y * in_pitch + 4 * x), w(out + y * out_pitch + 4 * x))


k = s.kernel("pitched", "in in_pitch out out_pitch width height", pitched)
g, b = (2, 3), (32, 8)
k.place(g, b, [A, 256, B, 512, 50, 20], "in", "out", same=False, bytewise=False)
k.ok("rows interleave, in the gap", g, b, [A, 512, A + 200, 512, 50, 20],
     "each row read (200 bytes) is followed by the row written, in one pitch of 512",
     sibling="rows interleave, one element into the row read")
k.no("rows interleave, one element into the row read", g, b, [A, 512, A + 196, 512, 50, 20],
     "the last element of each row read is the first of a row written", sibling="rows interleave, in the gap")
k.ok("rows interleave, up to the next row", g, b, [A, 512, A + 312, 512, 50, 20],
     "312 + 200 is the pitch", sibling="rows interleave, one element into the next row")
k.no("rows interleave, one element into the next row", g, b, [A, 512, A + 316, 512, 50, 20],
     "the last element of each row written is the first of the next row read",
     sibling="rows interleave, up to the next row")
k.no("rows interleave, one byte into the next row", g, b, [A, 512, A + 313, 512, 50, 20],
     "313 + 200 is one more than the pitch", sibling="rows interleave, up to the next row", misaligned=True)
k.ok("last row touches nothing more", g, b, [A, 512, A + 20 * 512 - 312, 512, 50, 20],
     "out begins after the last row's 200 bytes, inside the last pitch",
     sibling="one row less far")
k.no("one row less far", g, b, [A, 512, A + 19 * 512, 512, 50, 20],
     "row 19 of in is row 0 of out", sibling="last row touches nothing more")
k.ok("height is 0, in is out", g, b, [A, 512, A, 512, 50, 0], "no thread passes the guard")

# -------------------------------------------------------------------------------------- stencil
s = Sample("stencil", "three-point stencil over inner elements")


def stencil(launch, source, out, n):
    for i in launch.threads():
        if 0 < i < n - 1:
            yield from (r(source + 4 * (i + o)) for o in (-1, 0, 1))
            yield w(out + 4 * i)


k = s.kernel("stencil", "in out n", stencil)
k.place(4, 128, [A, B, 500], "in", "out", same=False)
k.ok("n is 2, in is out", 4, 128, [A, A, 2], "there is no inner element", sibling="n is 3, in is out")
k.no("n is 3, in is out", 4, 128, [A, A, 3], "element 1 is read and written", sibling="n is 2, in is out")
k.ok("n is negative", 4, 128, [A, A, -3], "i < n - 1 fails for every i")

# --------------------------------------------------------------------------------------- matmul
s = Sample("matmul", "tiled matrix product; beta decides whether C is read")


def matmul(launch, m, n, depth, alpha, a, b, beta, c):
    rows = [by * 8 + ty for _, by, _ in launch.blocks() for ty in range(8)]
    columns = [bx * 8 + tx for bx, _, _ in launch.blocks() for tx in range(8)]
    rows, columns = {y for y in rows if y < m}, {x for x in columns if x < n}
    steps = range(max(depth, 0))
    yield from (r(a + 4 * (y * depth + i)) for y in rows for i in steps)
    yield from (r(b + 4 * (i * n + x)) for x in columns for i in steps)
    for y in rows:
        for x in columns:
            if beta != 0:
                yield r(c + 4 * (y * n + x))
            yield w(c + 4 * (y * n + x))


k = s.kernel("matmul", "m n k alpha a b beta c", matmul)
g, b = (3, 2), (8, 8)
k.place(g, b, [13, 21, 17, "f:1", A, B, "f:0", C], "a", "c", bytewise=False)
k.place(g, b, [13, 21, 17, "f:1", A, B, "f:0", C], "b", "c", tag="b: ", far=False, bytewise=False)
k.no("beta 1", g, b, [13, 21, 17, "f:1", A, B, "f:1", C], "C is read and written", sibling="beta -0")
k.ok("beta -0", g, b, [13, 21, 17, "f:1", A, B, "f:-0.0", C], "-0 equals 0, so C is not read", sibling="beta 1")
k.no("beta tiny", g, b, [13, 21, 17, "f:1", A, B, "f:1e-44", C],
     "a subnormal differs from 0 (no flushing to zero here)", sibling="beta -0")
k.no("beta NaN", g, b, [13, 21, 17, "f:1", A, B, "f:nan", C], "NaN differs from 0, so C is read", sibling="beta -0")
k.ok("k is 0, c is a", g, b, [13, 21, 0, "f:1", A, B, "f:0", A], "neither A nor B is read")
k.no("k is 0, beta 1", g, b, [13, 21, 0, "f:1", A, B, "f:1", C], "C is read and written")
k.ok("m is 0, beta 1, all equal", g, b, [0, 21, 0, "f:1", A, A, "f:1", A], "no row is inside")

# ------------------------------------------------------------------------------------ transpose
s = Sample("transpose", "transpose through a shared tile")


def transpose(launch, source, out, width, height):
    xs = {x for bx in range(launch.grid[0]) for x in range(bx * 32, bx * 32 + 32) if x < width}
    ys = {y for by in range(launch.grid[1]) for y in range(by * 32, by * 32 + 32) if y < height}
    for y in ys:
        for x in xs:
            yield from (r(source + 4 * (y * width + x)), w(out + 4 * (x * height + y)))


k = s.kernel("transpose", "in out width height", transpose)
k.place((2, 2), (32, 8), [A, B, 45, 37], "in", "out", same=False, bytewise=False)
k.no("one tile, in place", (1, 1), (32, 8), [A, A, 32, 32],
     "every element is read, then another written there: once more would undo it")
k.ok("width is 0, in place", (1, 1), (32, 8), [A, A, 0, 32], "nothing is touched")
k.ok("grid of half the columns", (1, 2), (32, 8), [A, B, 45, 37], "only columns below 32 are read")
k.no("one element in place", (1, 1), (32, 8), [A, A, 1, 1],
     "the element is stored where it was read; by the definition an overlap",
     aside="a copy onto itself: no harm in fact")

# ---------------------------------------------------------------------------------- blockreduce
s = Sample("blockreduce", "sum per block through shared memory")


def blockreduce(launch, source, sums, n):
    yield from (r(source + 4 * i) for i in launch.threads() if i < n)
    yield from (w(sums + 4 * b) for b in range(launch.grid[0]))


k = s.kernel("blockreduce", "in sums n", blockreduce)
k.place(4, 256, [A, B, 1000], "in", "sums", same=False)
k.ok("sums from the middle of the unread tail", 4, 256, [A, A + 4 * 1000, 1000],
     "n ends before the grid does: element 1000 is not read", sibling="n one larger, same sums")
k.no("n one larger, same sums", 4, 256, [A, A + 4 * 1000, 1001], "element 1000 is read and is sums[0]",
     sibling="sums from the middle of the unread tail")
k.ok("n is 0, sums is in", 4, 256, [A, A, 0], "nothing is read; four zeros are written")
k.ok("n is negative, sums is in", 4, 256, [A, A, -1], "nothing is read; four zeros are written")

# -------------------------------------------------------------------------------------- softmax
s = Sample("softmax", "softmax of one row per block, three passes")


def softmax(launch, source, out, columns):
    for b in range(launch.grid[0]):
        for i in range(columns):
            at = 4 * (b * columns + i)
            yield from (r(source + at), w(out + at))


k = s.kernel("softmax", "in out columns", softmax)
k.place(3, 64, [A, B, 100], "in", "out", same=False)
k.ok("columns is 0, in place", 3, 64, [A, A, 0], "rows are empty")
k.no("one column, in place", 3, 64, [A, A, 1], "each element is read and written", sibling="columns is 0, in place")
k.ok("one row, out is the next row", 1, 64, [A, A + 400, 100], "out begins where the only row ends",
     sibling="two rows, out is the next row")
k.no("two rows, out is the next row", 2, 64, [A, A + 400, 100], "row 1 of in is row 0 of out",
     sibling="one row, out is the next row")

# ------------------------------------------------------------------------------------ layernorm
s = Sample("layernorm", "layer norm, a row per warp, optional scale and shift")


def layernorm(launch, source, scale, shift, out, rows, columns, epsilon):
    for row in range(launch.grid[0] * launch.block[1]):
        if row >= rows:
            continue
        for i in range(columns):
            at = 4 * (row * columns + i)
            yield r(source + at)
            if scale:
                yield r(scale + 4 * i)
            if shift:
                yield r(shift + 4 * i)
            yield w(out + at)


k = s.kernel("layernorm", "in scale shift out rows columns epsilon", layernorm)
g, b = 3, (32, 4)
k.place(g, b, [A, B, C, D, 10, 70, "f:1e-5"], "in", "out", same=False, bytewise=False)
k.place(g, b, [A, B, C, D, 10, 70, "f:1e-5"], "scale", "out", far=False, tag="scale: ", bytewise=False)
k.place(g, b, [A, B, C, D, 10, 70, "f:1e-5"], "shift", "out", far=False, tag="shift: ", before=False, bytewise=False)
k.ok("no shift", g, b, [A, B, 0, D, 10, 70, "f:1e-5"], "a null shift is not read")
k.ok("neither scale nor shift", g, b, [A, 0, 0, A + 2800, 10, 70, "f:1e-5"], "out follows in",
     sibling="one row more")
k.no("one row more", g, b, [A, 0, 0, A + 2800, 11, 70, "f:1e-5"], "row 10 of in is row 0 of out",
     sibling="neither scale nor shift")
k.ok("rows is 0, all equal", g, b, [A, A, A, A, 0, 70, "f:1e-5"], "no warp passes the guard")
k.ok("columns is 0, all equal", g, b, [A, A, A, A, 10, 0, "f:1e-5"], "rows are empty")

# ------------------------------------------------------------------------------------ histogram
s = Sample("histogram", "histogram: global atomics, shared then global, shared then own row")


def histogram_global(launch, data, bins, n):
    for i in launch.threads():
        if i < n:
            yield r(data + i, 1)
            yield from (a(bins + 4 * v) for v in ([launch.contents(i)] if launch.contents else range(256)))


k = s.kernel("histogram_global", "data bins n", histogram_global)
k.no("buffers apart", 2, 128, [A, B, 200], "each bin counted is read and written", contents=bytes_of_iota32,
     with_contents=False)
k.no("one byte", 1, 32, [A, B, 1], "the bin is read and written", sibling="no byte")
k.ok("no byte", 1, 32, [A, B, 0], "nothing is counted", sibling="one byte")
k.ok("negative n, data is bins", 2, 128, [A, A, -200], "nothing is counted")


def histogram_shared(launch, data, bins, n):
    if n > 0:
        yield from (r(data + i, 1) for i in launch.threads() if i < n)
        yield from (a(bins + 4 * v) for v in (map(launch.contents, range(n)) if launch.contents else range(256)))


k = s.kernel("histogram_shared", "data bins n", histogram_shared)
k.no("buffers apart", 2, 256, [A, B, 500], "each bin with a count is read and written", contents=bytes_of_iota32,
     with_contents=False)
k.no("one byte", 1, 256, [A, B, 1], "one bin is read and written, and which hangs on the byte",
     sibling="no byte", contents=bytes_of_iota32,
     with_contents=False)
k.ok("no byte", 1, 256, [A, B, 0],
     "all shared counts stay 0, so no thread passes the second guard", sibling="one byte")


def histogram_rows(launch, data, rows, n):
    yield from (r(data + i, 1) for i in launch.threads() if i < n)
    yield from (w(rows + 4 * i) for i in range(launch.grid[0] * 256))


k = s.kernel("histogram_rows", "data rows n", histogram_rows)
k.place(2, 256, [A, B, 500], "data", "rows", element=4, same=False)
k.ok("n is 0, data is rows", 2, 256, [A, A, 0], "nothing is read")

# ----------------------------------------------------------------------------------- fastdivmod
s = Sample("fastdivmod", "coordinates by a multiply and a shift (FastDivmod)")


def divider(d):
    shift = next(i for i in range(33) if (1 << i) >= d)
    return "hex:" + struct.pack("<III", d, ((1 << 32) * ((1 << shift) - d)) // d + 1, shift).hex()


def fastdivmod(launch, source, out, columns, row_stride, column_stride, n):
    (d,) = struct.unpack("<I", bytes.fromhex(columns[4:])[:4])
    for i in launch.threads():
        if i < n:
            q = i // d
            yield r(source + 4 * ((q * row_stride + (i - q * d) * column_stride) & 0xFFFFFFFF))
            yield w(out + 4 * i)


k = s.kernel("fastdivmod", "in out columns row_stride column_stride n", fastdivmod)
k.place(4, 128, [A, B, divider(7), 10, 1, 500], "in", "out", same=False, bytewise=False)
k.place(4, 128, [A, B, divider(25), 1, 20, 500], "in", "out", tag="transposed: ", far=False, before=False, bytewise=False)
k.ok("reads the odd rows, writes before", 1, 64, [A + 4 * 64, A, divider(8), 16, 1, 64],
     "in starts behind the 64 elements written", sibling="in one element lower")
k.no("in one element lower", 1, 64, [A + 4 * 63, A, divider(8), 16, 1, 64],
     "in[0] is out[63]", sibling="reads the odd rows, writes before")
k.ok("one row, out in the gap behind it", 1, 32, [A, A + 4 * 8, divider(8), 64, 1, 32],
     "rows of 8 lie 64 apart, so out's 32 elements fit between the first two", sibling="out at the next row")
k.no("out at the next row", 1, 32, [A, A + 4 * 33, divider(8), 64, 1, 32],
     "out's last element is the second row's first", sibling="one row, out in the gap behind it")
k.ok("divisor 1", 1, 32, [A, A + 4 * 32, divider(1), 1, 77, 32], "the column is always 0; a plain copy",
     sibling="divisor 1, one element closer")
k.no("divisor 1, one element closer", 1, 32, [A, A + 4 * 31, divider(1), 1, 77, 32],
     "in[31] is out[0]", sibling="divisor 1")
k.ok("n is 0, in is out", 4, 128, [A, A, divider(7), 10, 1, 0], "no thread passes the guard")
