"""Launches of kernels that can be harmful without any overlap, or whose atomics, votes, fences and
special loads and stores matter."""
from .model import A, B, C, D, E, Sample, a, r, w


def below(launch, n):
    return (i for i in launch.threads() if i < n)


def copy(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(out + 4 * i))


# ------------------------------------------------------------------------------------ clockmark
s = Sample("clockmark", "the clock decides where, whether or what is written")


def clockmark(launch, o):
    yield "indeterminate"
    yield from (w(o + 4 * i) for i in range(1024))


k = s.kernel("clockmark", "o", clockmark, one_sided="every launch leaves a mark where the clock says")
k.no("one thread", 1, 1, [A], "a killed run may mark another place than the restart")
k.no("one warp", 1, 32, [A], "a killed run may mark other places than the restart")
k.no("many blocks", 8, 128, [A], "a killed run may mark other places than the restart")


def clockbranch(launch, o, n):
    for i in below(launch, n):
        yield "indeterminate"
        yield w(o + 4 * i)


k = s.kernel("clockbranch", "o n", clockbranch)
k.no("100 elements", 2, 64, [A, 100], "a killed run may write elements that the restart leaves alone")
k.no("one element", 1, 32, [A, 1], "whether it is written hangs on the clock", sibling="no element")
k.ok("no element", 1, 32, [A, 0], "nothing is written", sibling="one element")
k.ok("n is negative", 2, 64, [A, -1], "nothing is written")


def clockvalue(launch, o, n):
    yield from (w(o + 8 * i, 8) for i in below(launch, n))


k = s.kernel("clockvalue", "o n", clockvalue, one_sided="the same bytes are written in every run; their values are free")
k.ok("100 elements", 2, 64, [A, 100], "values may differ from run to run, places do not")
k.ok("n fills the grid", 2, 64, [A, 128], "values may differ from run to run, places do not")
k.ok("no element", 2, 64, [A, 0], "nothing is written")

# ----------------------------------------------------------------------------------------- smid
s = Sample("smid", "the number of the SM as address and as value")


def smid_mark(launch, o, n):
    for i in below(launch, n):
        yield "indeterminate"
        yield from (w(o + 4 * sm) for sm in range(256))


k = s.kernel("smid_mark", "o n", smid_mark)
k.no("100 elements", 2, 64, [A, 100], "the restart may run on other SMs")
k.no("one element", 1, 32, [A, 1], "the restart may run on another SM", sibling="no element")
k.ok("no element", 1, 32, [A, 0], "nothing is written", sibling="one element")
k = s.kernel("smid_value", "o n", lambda launch, o, n: (w(o + 4 * i) for i in below(launch, n)),
             one_sided="the same bytes are written in every run")
k.ok("100 elements", 2, 64, [A, 100], "values may differ from run to run, places do not")
k.ok("no element", 2, 64, [A, 0], "nothing is written")

# ------------------------------------------------------------------------------------ flagraise
s = Sample("flagraise", "results, a system-wide fence, and a flag")


def flagraise(volatile):
    def model(launch, source, out, flag, raised, n):
        yield from copy(launch, source, out, n)
        if raised:
            if volatile:
                yield "system"
            yield w(flag)
    return model


k = s.kernel("flagraise", "in out flag raise n", flagraise(True))
k.place(2, 64, [A, B, C, 0, 100], "in", "out", same=False, bytewise=False)
k.no("flag raised", 2, 64, [A, B, C, 1, 100], "somebody outside may act on the flag at once", sibling="all apart")
k.no("flag raised, n is 0", 2, 64, [A, B, C, 1, 0], "the flag is raised whatever n", sibling="flag not raised, n is 0")
k.ok("flag not raised, n is 0", 2, 64, [A, A, A, 0, 0], "nothing is touched", sibling="flag raised, n is 0")
k = s.kernel("flagraise_plain", "in out flag raise n", flagraise(False))
k.ok("flag raised", 2, 64, [A, B, C, 1, 100], "a plain store; by the privacy contract nobody reads it meanwhile")
k.ok("flag behind in", 2, 64, [A, B, A + 400, 1, 100], "in ends where the flag begins", sibling="flag is in's last element")
k.no("flag is in's last element", 2, 64, [A, B, A + 396, 1, 100], "in[99] is overwritten", sibling="flag behind in")
k.ok("flag is in's last element, not raised", 2, 64, [A, B, A + 396, 0, 100], "the flag is not stored",
     sibling="flag is in's last element")
k.place(2, 64, [A, B, C, 1, 100], "in", "out", far=False, bytewise=False, same=False)

# -------------------------------------------------------------------------------------- wrapmul
s = Sample("wrapmul", "a 32-bit product that wraps, used as an index")
U = 0xFFFFFFFF


def signed(value):
    value &= U
    return value - (1 << 32) if value >> 31 else value


def wrapmul(launch, source, out, stride, n):
    for i in below(launch, n):
        yield from (r(source + 4 * (i * stride & U)), w(out + 4 * i))


k = s.kernel("wrapmul", "in out stride n", wrapmul)
k.place(2, 64, [A, B, 1, 100], "in", "out", tag="stride 1: ", bytewise=False, same=False)
k.no("stride 3, out is in", 1, 32, [A, A, 3, 32], "in[3] is out[3]")
k.ok("stride 0x40000000, out just behind in[0]", 1, 64, [A, A + 4, 0x40000000, 64],
     "only in[0], in[2^30], in[2^31], in[3 * 2^30] are read", sibling="stride 0x40000000, out is in")
k.no("stride 0x40000000, out is in", 1, 64, [A, A, 0x40000000, 64], "in[0] is out[0]",
     sibling="stride 0x40000000, out just behind in[0]")
k.ok("stride 0x40000000, out where an unwrapped index would read", 1, 64, [A, A + (1 << 34), 0x40000000, 64],
     "4 * 2^30 wraps to 0, so in[2^32] is never read", sibling="stride 0x40000000, out at a wrapped index")
k.no("stride 0x40000000, out at a wrapped index", 1, 64, [A, A + 3 * (1 << 32), 0x40000000, 64],
     "in[3 * 2^30] is out[0]", sibling="stride 0x40000000, out where an unwrapped index would read")
k.no("stride 0x80000001, out is in[2]", 1, 3, [A, A + 8, 0x80000001, 3], "2 * 0x80000001 wraps to 2",
     sibling="stride 0x80000001, two threads")
k.ok("stride 0x80000001, two threads", 1, 2, [A, A + 8, 0x80000001, 2], "in[0] and in[2^31 + 1] are read",
     sibling="stride 0x80000001, out is in[2]")
k.ok("stride 2^32 - 1", 1, 32, [A, A + 4, U, 32], "in[0] and the last 31 of 2^32 elements are read",
     sibling="stride 2^32 - 1, out at the end")
k.no("stride 2^32 - 1, out at the end", 1, 32, [A, A + 4 * (U - 30), U, 32], "in[2^32 - 31] is out[0]",
     sibling="stride 2^32 - 1")
k.no("stride 2^32 - 1, out's end meets them", 1, 32, [A, A + 4 * (U - 30 - 31), U, 32], "in[2^32 - 31] is out[31]",
     sibling="stride 2^32 - 1, one element lower")
k.ok("stride 2^32 - 1, one element lower", 1, 32, [A, A + 4 * (U - 30 - 32), U, 32], "out ends where they begin",
     sibling="stride 2^32 - 1, out's end meets them")
k.ok("n is 0, out is in", 1, 64, [A, A, 0x40000000, 0], "nothing is touched")
k = s.kernel("wrapmul_signed", "in out stride n", lambda launch, source, out, stride, n: (
    x for i in below(launch, n) for x in (r(source + 4 * signed(i * stride)), w(out + 4 * i))))
k.place(2, 64, [A, B, 1, 100], "in", "out", tag="stride 1: ", bytewise=False, same=False)
k.ok("stride 0x40000000, out just behind in[0]", 1, 64, [A, A + 4, 0x40000000, 64],
     "only in[0], in[2^30], in[-2^31], in[-2^30] are read", sibling="stride 0x40000000, out at a wrapped index")
k.no("stride 0x40000000, out at a wrapped index", 1, 64, [A, A - (1 << 33), 0x40000000, 64],
     "2 * 2^30 wraps to -2^31: in[-2^31] is out[0]", sibling="stride 0x40000000, out just behind in[0]")
k.ok("stride 0x40000000, out where an unsigned index would read", 1, 64, [A, A + (1 << 33), 0x40000000, 64],
     "in[2^31] is never read", sibling="stride 0x40000000, out at a wrapped index")
k.ok("stride -1", 1, 32, [A, A + 4, -1, 32], "in[-31] to in[0] are read", sibling="stride -1, out is in")
k.no("stride -1, out is in", 1, 32, [A, A, -1, 32], "in[0] is out[0]", sibling="stride -1")
k = s.kernel("wrapmul_store", "in out stride n", lambda launch, source, out, stride, n: (
    x for i in below(launch, n) for x in (r(source + 4 * i), w(out + 4 * (i * stride & U)))))
k.place(2, 64, [A, B, 1, 100], "in", "out", tag="stride 1: ", bytewise=False, same=False)
k.ok("stride 0x40000000, in just behind out[0]", 1, 64, [A + 4, A, 0x40000000, 64],
     "only out[0], out[2^30], out[2^31], out[3 * 2^30] are written", sibling="stride 0x40000000, in is out")
k.no("stride 0x40000000, in is out", 1, 64, [A, A, 0x40000000, 64], "in[0] is out[0]",
     sibling="stride 0x40000000, in just behind out[0]")
k.no("stride 0x80000001, in is out[2]", 1, 3, [A + 8, A, 0x80000001, 3], "2 * 0x80000001 wraps to 2",
     sibling="stride 0x80000001, two threads")
k.ok("stride 0x80000001, two threads", 1, 2, [A + 8, A, 0x80000001, 2], "out[0] and out[2^31 + 1] are written",
     sibling="stride 0x80000001, in is out[2]")

# ------------------------------------------------------------------------------------------ red
s = Sample("red", "reductions: atomics whose result is unused")


def red_add(launch, source, total, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), a(total))


k = s.kernel("red_add", "in total n", red_add)
k.no("100 elements", 2, 64, [A, B, 100], "total is read and written")
k.no("one element", 1, 32, [A, B, 1], "total is read and written", sibling="no element")
k.ok("no element", 1, 32, [A, A, 0], "no atomic is executed", sibling="one element")
k.ok("n is negative", 2, 64, [A, A, -100], "no atomic is executed")


def red_or(launch, source, bits, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), a(bits + 4 * (i // 32)))


k = s.kernel("red_or", "in bits n", red_or)
k.no("100 elements", 2, 64, [A, B, 100], "each word of bits is read and written",
     aside="bitwise or is idempotent as a function: see the contract on idempotent atomics")
k.no("one element", 1, 32, [A, B, 1], "bits[0] is read and written", sibling="no element",
     aside="bitwise or is idempotent as a function: see the contract on idempotent atomics")
k.ok("no element", 1, 32, [A, A, 0], "no atomic is executed", sibling="one element")
k.no("bits is in", 2, 64, [A, A, 100], "in[0] is changed by the reductions, then read again")


def red_guarded(launch, source, out, total, n):
    yield from copy(launch, source, out, n)
    if launch.grid[0] > 1 and n > 0:
        yield a(total)


k = s.kernel("red_guarded", "in out total n", red_guarded)
k.ok("one block", 1, 64, [A, B, C, 60], "the grid has one block, so no atomic is executed", sibling="two blocks")
k.no("two blocks", 2, 64, [A, B, C, 60], "threads of the first block take the atomic", sibling="one block")
k.ok("one block, out exactly behind in", 1, 64, [A, A + 240, C, 60], "in ends where out begins",
     sibling="one block, out one element into in")
k.no("one block, out one element into in", 1, 64, [A, A + 236, C, 60], "in[59] is out[0]",
     sibling="one block, out exactly behind in")
k.ok("two blocks, n is 0", 2, 64, [A, B, C, 0], "no thread passes the guard", sibling="two blocks")

# ------------------------------------------------------------------------------------ atomicmax
s = Sample("atomicmax", "integer maximum by atomics")


def atomicmax(launch, source, greatest, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), a(greatest + 4 * (i & 7)))


k = s.kernel("atomicmax", "in greatest n", atomicmax)
aside = {"aside": "a maximum is idempotent as a function: see the contract on idempotent atomics"}
k.no("100 elements", 2, 64, [A, B, 100], "greatest is read and written", **aside)
k.no("one element", 1, 32, [A, B, 1], "greatest[0] is read and written", sibling="no element", **aside)
k.ok("no element", 1, 32, [A, A, 0], "no atomic is executed", sibling="one element")
k.no("greatest is the end of in", 2, 64, [A, A + 368, 100], "in[92] to in[99] are changed, then read again")


def atomicmax_used(launch, source, greatest, old, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), a(greatest), w(old + 4 * i))


k = s.kernel("atomicmax_used", "in greatest old n", atomicmax_used)
k.no("100 elements", 2, 64, [A, B, C, 100], "the old values differ in a second run")
k.no("one element", 1, 32, [A, B, C, 1], "the old value differs in a second run", sibling="no element")
k.ok("no element", 1, 32, [A, A, A, 0], "no atomic is executed", sibling="one element")

# ------------------------------------------------------------------------------------ exchstore
s = Sample("exchstore", "atomicExch with its result unused")


def exchstore(launch, source, out, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), a(out + 4 * i))


k = s.kernel("exchstore", "in out n", exchstore)
store = {"aside": "in fact a store: the old value goes nowhere"}
k.no("buffers apart", 2, 64, [A, B, 100], "every atomic reads and writes", **store)
k.no("out exactly behind in", 2, 64, [A, A + 400, 100], "every atomic reads and writes", **store)
k.no("out one element into in", 2, 64, [A, A + 396, 100], "in[99] is overwritten")
k.no("one element", 1, 32, [A, B, 1], "every atomic reads and writes", sibling="no element", **store)
k.ok("no element", 1, 32, [A, A, 0], "no atomic is executed", sibling="one element")

# ------------------------------------------------------------------------------------ slotalloc
s = Sample("slotalloc", "slots from an atomic in shared memory")


def slotalloc(launch, source, out, n):
    for b in range(launch.grid[0]):
        own = [i for i in range(b * launch.block[0], (b + 1) * launch.block[0]) if i < n]
        for slot, i in enumerate(own):
            yield from (r(source + 4 * i), w(out + 4 * (b * launch.block[0] + slot)))


k = s.kernel("slotalloc", "in out n", slotalloc)
k.place(2, 64, [A, B, 100], "in", "out", same=False, bytewise=False,
        aside="each single address is nondeterministic, their set is not: hard to prove")
k.ok("n is 0, in place", 2, 64, [A, A, 0], "no slot is taken")


def slotalloc_odd(launch, source, out, n):
    yield from (r(source + 4 * i) for i in below(launch, n) if i & 1)
    for b in range(launch.grid[0]):
        own = [i for i in range(b * launch.block[0], (b + 1) * launch.block[0]) if i < n]
        if len(own) > 1:
            yield "indeterminate"
            yield from (w(out + 4 * (b * launch.block[0] + slot)) for slot in range(len(own)))


k = s.kernel("slotalloc_odd", "in out n", slotalloc_odd)
k.no("buffers apart", 2, 64, [A, B, 100], "which slots the odd threads get differs from run to run")
k.no("two threads", 1, 32, [A, B, 2], "thread 1 gets slot 0 or 1", sibling="one thread")
k.ok("one thread", 1, 32, [A, B, 1], "thread 0 fills no slot", sibling="two threads")
k.ok("no thread", 2, 64, [A, A, 0], "no slot is taken")

# ------------------------------------------------------------------------------------ flagguard
s = Sample("flagguard", "a store guarded by memory")


def flagguard(launch, flag, source, out, n):
    for i in below(launch, n):
        yield from (r(flag), r(source + 4 * i), w(out + 4 * i))


k = s.kernel("flagguard", "flag in out n", flagguard)
up = {"also": [(C, C + 4)]}  # so that the flag at C + 4 holds 1
k.place(2, 64, [C + 4, A, B, 100], "in", "out", same=False, bytewise=False, **up)
k.ok("out exactly behind the flag", 2, 64, [C + 4, A, C + 8, 100], "the flag ends where out begins",
     sibling="out is the flag", **up)
k.no("out is the flag", 2, 64, [C + 4, A, C + 4, 100], "the store may clear the flag that guards it",
     sibling="out exactly behind the flag", **up)
k.no("out ends with the flag", 2, 64, [C + 396, A, C, 100], "the flag is out[99]",
     sibling="out ends before the flag")
k.ok("out ends before the flag", 2, 64, [C + 400, A, C, 100], "out ends where the flag begins",
     sibling="out ends with the flag", alloc=[f"{A:#x}:400:iota32", f"{C:#x}:404:iota32"])
k.ok("n is 0, all equal", 2, 64, [A, A, A, 0], "nothing is touched")


def flagguard_mask(launch, mask, out, value, n):
    for i in below(launch, n):
        yield from (r(mask + i, 1), w(out + 4 * i))


k = s.kernel("flagguard_mask", "mask out value n", flagguard_mask)
k.place(2, 64, [A, B, "f:1", 100], "mask", "out", same=False, fill="zero")
k.ok("n is 0, out is mask", 2, 64, [A, A, "f:1", 0], "nothing is touched")

# -------------------------------------------------------------------------------------- discard
s = Sample("discard", "discard.L2: a write that stores nothing")


def discard(launch, source, out, scratch, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(out + 4 * i), w(scratch + 128 * i, 128))


k = s.kernel("discard", "in out scratch n", discard)
k.place(2, 64, [A, B, C, 96], "in", "out", same=False, bytewise=False)
k.ok("scratch exactly behind in", 2, 64, [A, B, A + 384, 96], "in ends where the first line begins",
     sibling="scratch one line into in")
k.no("scratch one line into in", 2, 64, [A, B, A + 256, 96], "in[64] to in[95] are thrown away",
     sibling="scratch exactly behind in")
k.ok("scratch ends where in begins", 2, 64, [A + 96 * 128, B, A, 96], "the last line ends there",
     sibling="scratch ends one line into in")
k.no("scratch ends one line into in", 2, 64, [A + 95 * 128, B, A, 96], "in[0] to in[31] are thrown away",
     sibling="scratch ends where in begins")
k.ok("n is 0, all equal", 2, 64, [A, A, A, 0], "nothing is touched")

# ------------------------------------------------------------------------------------ votestore
s = Sample("votestore", "stores guarded by warp votes")
k = s.kernel("votestore", "in out", lambda launch, source, out: copy(launch, source, out, 1 << 30))
k.place(2, 64, [A, B], "in", "out", same=False, bytewise=False)


def votestore_active(launch, source, out, n):
    yield from (r(source + 4 * i) for i in below(launch, n))
    for warp in range(0, launch.grid[0] * launch.block[0], 32):
        if min(n, warp + 32) - warp > 7:
            yield "indeterminate"
            yield from (w(out + 4 * i) for i in range(warp, min(n, warp + 32)))


k = s.kernel("votestore_active", "in out n", votestore_active)
k.no("buffers apart", 2, 64, [A, B, 100], "which lanes run together is the machine's choice")
k.no("eight lanes", 1, 32, [A, B, 8], "eight lanes may or may not run together", sibling="seven lanes")
k.ok("seven lanes", 1, 32, [A, B, 7], "no more than seven lanes can be active, so nothing is written",
     sibling="eight lanes")
k.ok("no lane", 2, 64, [A, A, 0], "nothing is touched")

# ------------------------------------------------------------------------------- volatileaccess
s = Sample("volatileaccess", "volatile loads and stores")
k = s.kernel("volatile_load", "in out n", copy)
k.place(2, 64, [A, B, 100], "in", "out", same=False, bytewise=False)
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is touched")


def volatile_store(launch, source, out, n):
    if n > 0:
        yield "system"
    yield from copy(launch, source, out, n)


k = s.kernel("volatile_store", "in out n", volatile_store)
k.no("buffers apart", 2, 64, [A, B, 100], "a system-wide store may talk to others")
k.no("one element", 1, 32, [A, B, 1], "a system-wide store may talk to others", sibling="no element")
k.ok("no element", 1, 32, [A, A, 0], "nothing is stored", sibling="one element")

# ------------------------------------------------------------------------------------- readonly
s = Sample("readonly", "launch bounds, restrict, non-coherent loads")
k = s.kernel("readonly", "in out n", copy)
k.place(2, 64, [A, B, 100], "in", "out", same=False, bytewise=False,
        )
k.ok("n is 0, in place", 2, 64, [A, A, 0], "nothing is touched")


def readonly_again(launch, source, out, again, copied, n):
    for i in below(launch, n):
        yield from (r(source + 4 * i), w(out + 4 * i), r(again + 4 * i), w(copied + 4 * i))


k = s.kernel("readonly_again", "in out again copy n", readonly_again)
k.ok("all apart", 2, 64, [A, B, C, D, 100], "no two buffers touch", sibling="again is out")
k.no("again is out", 2, 64, [A, B, B, D, 100], "a non-coherent read may miss the write before it", sibling="all apart")
k.ok("again is in", 2, 64, [A, B, A, D, 100], "both are only read")
k.ok("again exactly behind out", 2, 64, [A, B, B + 400, D, 100], "out ends where again begins",
     sibling="again one element into out")
k.no("again one element into out", 2, 64, [A, B, B + 396, D, 100], "out[99] is again[0]",
     sibling="again exactly behind out")

# ------------------------------------------------------------------------------------- prefetch
s = Sample("prefetch", "prefetch ahead of the reads")
k = s.kernel("prefetch", "in out ahead n", lambda launch, source, out, ahead, n: copy(launch, source, out, n))
k.place(2, 64, [A, B, 16, 100], "in", "out", same=False, bytewise=False)
k.ok("n is 0, in place", 2, 64, [A, A, 16, 0], "nothing is touched")
k.ok("out is prefetched", 2, 64, [A, A + 400, 100, 100], "a prefetch of out is no read",
     sibling="out one element lower, prefetched")
k.no("out one element lower, prefetched", 2, 64, [A, A + 396, 100, 100], "in[99] is out[0]",
     sibling="out is prefetched")

# ------------------------------------------------------------------------------------ lastblock
s = Sample("lastblock", "reduction finished by the last block")


def lastblock(launch, source, staging, counter, total, n):
    yield from (r(source + 4 * i) for i in below(launch, n))
    yield w(total)
    if launch.grid[0] > 1:
        yield a(counter)
        yield "indeterminate"
        yield from (a(staging + 4 * b) for b in range(launch.grid[0]))  # written, read by the last block


k = s.kernel("lastblock", "in staging counter total n", lastblock)
k.ok("one block", 1, 128, [A, B, C, D, 100], "neither counter nor staging is touched", sibling="two blocks")
k.no("two blocks", 2, 128, [A, B, C, D, 100], "the counter is read and written", sibling="one block")
k.ok("one block, total exactly behind in", 1, 128, [A, B, C, A + 400, 100], "in ends where total lies",
     sibling="one block, total is in's last element")
k.no("one block, total is in's last element", 1, 128, [A, B, C, A + 396, 100], "in[99] is overwritten",
     sibling="one block, total exactly behind in")
k.ok("one block, n is 0, all equal", 1, 128, [A, A, A, A, 0], "nothing is read; total is written")
k.no("two blocks, n is 0", 2, 128, [A, B, C, D, 0], "the counter is read and written")

# ------------------------------------------------------------------------------------- ptrarray
s = Sample("ptrarray", "pointers from an array in memory")


def ptrarray(launch, rows, out, columns):
    for b in range(launch.grid[0]):
        yield r(rows + 8 * b, 8)
        if columns > 0:
            yield ("r", 0, 1 << 64)
            yield from (w(out + 4 * (b * columns + i)) for i in range(columns))


k = s.kernel("ptrarray", "rows out columns", ptrarray)
far = {"alloc": [f"{A:#x}:16", f"{B:#x}:400"], "emulate": False, "needs": "memory"}
k.no("two rows", 2, 64, [A, B, 50], "a row may be anywhere", **far)
k.no("one column", 2, 64, [A, B, 1], "a row may be anywhere", sibling="no column", **far)
k.ok("no column", 2, 64, [A, A, 0], "the pointers are read, nothing is written", sibling="one column")
