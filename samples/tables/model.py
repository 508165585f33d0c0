"""How the launch tables are made: a model of each kernel, and launches placed on its boundaries.

A *model* is a Python generator that lists, thread by thread, the global bytes a kernel's source
reads and writes. It knows nothing of machine code; it is the independent source of every expected
truth in samples/*.json. A read that an earlier write of the same thread (or of the block, before a
full barrier) covers is left out, as the definition of a shielded read allows. Besides accesses a
model may yield a *harm*, a word for what makes a launch not idempotent without any overlap:
"indeterminate" (a clock, an SM id or an atomic's result decides where or whether a global byte is
written), "system" (a store that talks to others), "output" (printf).

Each launch also states its truth and the reason, written by hand or by the helper that placed the
pointers; a launch whose stated truth is not the model's is an error here, so the two must agree.

Allocations follow from the model: exactly the bytes touched, so that an access outside shows.
"""
import json

# Addresses that device allocations have on real machines; far apart for a few thousand threads.
A, B, C, D, E, F = (0x7F0000000000 + k * 0x1000000 for k in range(6))
UNRELATED = "0x7effff000000:256"  # the only allocation of a launch that must touch nothing
GAP = 0x10000  # touched bytes further apart than this lie in different allocations

STATE = {True: "idempotent", False: "not idempotent"}

samples = []


def dim3(value):
    value = [value] if isinstance(value, int) else list(value)
    return value + [1] * (3 - len(value))


class Launch:
    """What a model sees: grid, block, dynamic shared bytes, symbols."""

    def __init__(self, grid, block, shared, symbols, contents):
        self.grid, self.block = dim3(grid), dim3(block)
        self.shared, self.symbols, self.contents = shared, symbols, contents

    def blocks(self):
        gx, gy, gz = self.grid
        return ((x, y, z) for z in range(gz) for y in range(gy) for x in range(gx))

    def lanes(self):
        bx, by, bz = self.block
        return ((x, y, z) for z in range(bz) for y in range(by) for x in range(bx))

    def threads(self):
        """Index of every thread of a one-dimensional launch."""
        return range(self.grid[0] * self.block[0])


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def r(address, size=4):
    return ("r", address, size)


def w(address, size=4):
    return ("w", address, size)


def a(address, size=4):
    """An atomic: reads and writes."""
    return ("rw", address, size)


def merge(spans, gap=0):
    out = []
    for lo, hi in sorted(spans):
        if out and lo <= out[-1][1] + gap:
            out[-1][1] = max(out[-1][1], hi)
        else:
            out.append([lo, hi])
    return out


def overlap(one, other):
    one, other = merge(one), merge(other)
    i = j = 0
    while i < len(one) and j < len(other):
        if max(one[i][0], other[j][0]) < min(one[i][1], other[j][1]):
            return True
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return False


class Kernel:
    def __init__(self, name, parameters, model, **notes):
        self.name, self.parameters, self.model = name, parameters.split(), model
        self.notes, self.launches = notes, []
        self.symbols = {}

    def footprint(self, launch, args):
        reads, writes, harms = set(), set(), set()
        plain = [float(v[2:]) if isinstance(v, str) and v.startswith("f:") else v for v in args]
        for item in self.model(launch, *plain):
            if isinstance(item, str):
                harms.add(item)
                continue
            kind, address, size = item
            if "r" in kind:
                reads.add((address, address + size))
            if "w" in kind:
                writes.add((address, address + size))
        return reads, writes, harms

    def launch(self, name, truth, grid, block, args, why, *, shared=0, cluster=None, symbols=None,
               suffix=None, sibling=None, alloc=None, fill=None, contents=None, with_contents=None, assume=(), also=(), unmodelled=None, **more):
        """`truth`: True for idempotent, over all contents of memory.

        `contents`: what the model takes memory to hold where addresses come from there (it must be
        what `fill`, allocation address -> content, says); `with_contents` is the truth for these.
        `suffix`: symbol -> ":file:PATH", its contents, PATH relative to samples/.
        `also`: further spans of memory to allocate (a value placed behind them counts up from there).
        `unmodelled`: why the model cannot judge this launch (then only the stated truth counts)."""
        symbols = self.symbols if symbols is None else symbols
        suffix = suffix or {}
        seen = Launch(grid, block, shared, symbols, contents)
        reads, writes, harms = self.footprint(Launch(grid, block, shared, symbols, None), args)
        if unmodelled is None:
            judged = not harms and not overlap(reads, writes)
            if judged != truth:
                raise SystemExit(f"{self.name}: '{name}' is said to be {truth}, its model says {judged}")
        if any(l["name"] == name for l in self.launches):
            raise SystemExit(f"{self.name}: two launches named '{name}'")
        if harms:
            more = {"harm": sorted(harms), **more}
        if contents is not None:
            reads, writes, harms = self.footprint(seen, args)
            holds = not harms and not overlap(reads, writes)
            if holds != with_contents:
                raise SystemExit(f"{self.name}: '{name}' with its contents: its model says {holds}")
            more = {"needs": "memory", "with_contents": STATE[holds], **more}
        elif with_contents is not None:
            more = {"with_contents": STATE[with_contents], **more}
        if alloc is None:
            spans = merge(reads | writes | set(also), GAP)
            read = merge(reads, GAP)
            alloc = []
            for lo, hi in spans:
                content = fill if isinstance(fill, str) else fill[lo] if fill and lo in fill else "iota32" if overlap([(lo, hi)], read) else None
                alloc.append(f"{lo:#x}:{hi - lo}" + (f":{content}" if content else ""))
            alloc = alloc or [UNRELATED]
        self.launches.append({  # the order of keys is that of the files
            "name": name, "grid": seen.grid, "block": seen.block, "cluster": cluster,
            "shared": shared, "args": [text(v) for v in args], "alloc": alloc,
            "symbols": {k: f"{v:#x}" + suffix.get(k, "") for k, v in symbols.items()}, "assume": list(assume),
            "expect": STATE[truth], "why": why,
            "sibling": sibling, **more})

    def ok(self, name, grid, block, args, why, **more):
        self.launch(name, True, grid, block, args, why, **more)

    def no(self, name, grid, block, args, why, **more):
        self.launch(name, False, grid, block, args, why, **more)

    def extent(self, grid, block, args, which, base, shared=0, symbols=None, contents=None):
        """First and one-past-last byte read ('r') or written ('w') near `base`, as offsets from it."""
        seen = Launch(grid, block, shared, self.symbols if symbols is None else symbols, contents)
        reads, writes, _ = self.footprint(seen, args)
        near = [s for s in (reads if which == "r" else writes) if abs(s[0] - base) < 0x800000]
        if not near:
            raise SystemExit(f"{self.name}: nothing touched near {base:#x}")
        return min(s[0] for s in near) - base, max(s[1] for s in near) - base

    def place(self, grid, block, args, source, target, *, element=4, far=True, tag="", behind=True,
              before=True, bytewise=True, same=None, unit="element", **more):
        """Launches that move pointer parameter `target` (written) around `source` (read).

        `args` has all pointers far apart. The footprints must be dense at their ends. `same` is the
        truth of the launch with both pointers equal (None: leave it out)."""
        s, t = self.parameters.index(source), self.parameters.index(target)
        rlo, rhi = self.extent(grid, block, args, "r", args[s], **_keep(more))
        wlo, whi = self.extent(grid, block, args, "w", args[t], **_keep(more))

        def at(address):
            return [address if i == t else v for i, v in enumerate(args)]

        if far:
            self.ok(f"{tag}all apart", grid, block, args, "no two buffers touch", **more)
        start = args[s] + rhi - wlo
        if behind:
            names = (f"{tag}{target} exactly behind {source}", f"{tag}{target} one {unit} into the end of {source}")
            self.ok(names[0], grid, block, at(start),
                    f"the first byte written through {target} follows the last one read through {source}",
                    sibling=names[1], **more)
            self.no(names[1], grid, block, at(start - element),
                    f"the last {unit} read through {source} is the first one written through {target}",
                    sibling=names[0], **more)
            if bytewise and element > 1:
                self.no(f"{tag}{target} one byte into the end of {source}", grid, block, at(start - 1),
                        f"the last byte read through {source} is the first one written through {target}",
                        sibling=names[0], misaligned=True, **more)
        start = args[s] + rlo - whi
        if before:
            names = (f"{tag}{target} ends where {source} begins", f"{tag}{target} ends one {unit} into {source}")
            self.ok(names[0], grid, block, at(start),
                    f"the last byte written through {target} precedes the first one read through {source}",
                    sibling=names[1], **more)
            self.no(names[1], grid, block, at(start + element),
                    f"the last {unit} written through {target} is the first one read through {source}",
                    sibling=names[0], **more)
            if bytewise and element > 1:
                self.no(f"{tag}{target} ends one byte into {source}", grid, block, at(start + 1),
                        f"the last byte written through {target} is the first one read through {source}",
                        sibling=names[0], misaligned=True, **more)
        if same is not None:
            self.launch(f"{tag}{target} is {source}", same, grid, block, at(args[s]),
                        "what is read is overwritten" if not same else "the same bytes, yet none is read and written",
                        **more)


def _keep(more):
    return {k: more[k] for k in ("shared", "symbols", "contents") if k in more}


def text(value):
    if isinstance(value, str):
        return value
    return f"{value:#x}" if value >= 0x10000000000 else str(value)


class Sample:
    def __init__(self, name, pattern):
        self.name, self.pattern, self.kernels = name, pattern, []
        self.files = {}  # path relative to samples/ -> contents, for symbols
        samples.append(self)

    def kernel(self, name, parameters, model, **notes):
        """`notes`: one_sided="reason" where only one truth exists."""
        self.kernels.append(Kernel(name, parameters, model, **notes))
        return self.kernels[-1]

    def json(self):
        """One launch a line: the files are long, and so a change shows as the launch it is."""
        dump = json.dumps
        kernels = []
        for k in self.kernels:
            head = {"name": k.name, "parameters": k.parameters, **k.notes}
            lines = ",\n".join("    " + dump(launch) for launch in k.launches)
            kernels.append("  " + dump(head)[:-1] + ', "launches": [\n' + lines + "\n  ]}")
        head = {"sample": self.name, "source": f"{self.name}.cu", "pattern": self.pattern}
        return dump(head)[:-1] + ', "kernels": [\n' + ",\n".join(kernels) + "\n]}\n"
