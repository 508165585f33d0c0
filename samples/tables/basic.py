"""Launches of the element-wise kernels."""
from .model import A, B, C, D, Sample, r, w

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
