#!/usr/bin/env python3
"""Turn the instruction tables (*.tbl) into the C++ that the decoder and the printer run on.

Usage: generate.py OUTPUT_DIRECTORY TABLE...

Writes opcodes.hpp (names: Opcode, Field, Value), opcodes.cpp (to_string) and table_data.inc (rows).
The syntax of a table is described in docs/decoder.md. The generator is also the static check: it
fails if two fields of a row share a bit, if a field list has the wrong length, if a name is not
declared, or if two rows of one family accept the same word. Bits that no field of a row owns become
must-be-zero bits, so every bit of every row is owned by construction.
"""
import os
import re
import sys

FAMILIES = ["70", "75", "80", "86", "89", "90", "100", "103", "110", "120"]
# Names of sets of families in the tables: "8x", "90+" (90 and newer), "75-" (75 and older).
FAMILY_SETS = {"8x": ["80", "86", "89"], "all": FAMILIES}
FAMILY_SETS |= {f + "+": FAMILIES[i:] for i, f in enumerate(FAMILIES)}
FAMILY_SETS |= {f + "-": FAMILIES[:i + 1] for i, f in enumerate(FAMILIES)}
# "100" is all three that are nearly alike; "=100" is one family.
FAMILY_SETS |= {"=" + f: [f] for f in FAMILIES}
FAMILY_SETS |= {"100": ["100", "103", "110"], "100-": FAMILY_SETS["110-"]}
UNIFORM_BITS_8 = FAMILY_SETS["100+"]  # families with 256 uniform registers and no constant operands
# Bits checked by common code for every row: guard predicate, scheduling and reuse.
SCHEDULING = range(105, 122)
GUARD = range(12, 16)
FORMS = {  # form code -> (opcode bits, sets bit 91, occupant of slot b, occupant of slot c)
    "1": (0x200, 0, "reg32", "reg64"),
    "2": (0x400, 0, "reg64", "imm"),
    "3": (0x600, 0, "reg64", "const"),
    "3x": (0x600, 1, "reg64", "bindless"),
    "4": (0x800, 0, "imm", "reg64"),
    "5": (0xA00, 0, "const", "reg64"),
    "5x": (0xA00, 1, "bindless", "reg64"),
    "6": (0xC00, 1, "ureg", "reg64"),
    "7": (0xE00, 1, "reg64", "ureg"),
    # two-source forms: the one variable source sits at bit 32, whatever the slot is called
    "1s": (0x200, 0, "reg32", "reg32"),
    # uniform datapath: every source is a uniform register
    "u1": (0x200, 1, "ureg32", "ureg64"),
    "u2": (0x400, 1, "ureg64", "imm"),
    "u4": (0x800, 1, "imm", "ureg64"),
}
ROLES = ["Dst", "Dst2", "PDst", "PDst2", "A", "B", "C", "D", "PSrc", "PSrc2", "PSrc3", "Address",
         "Address2", "Target", "Barrier", "Aux"]
IMMEDIATE_STYLES = {"s": "kSignedHex", "u": "kHex", "f": "kFloat", "d": "kDouble", "h": "kHalf2",
                    "q": "kQuietFloat", "b": "kBrainHalf2", "n": "kDecimal", "r": "kRelative"}
NEGATE = {24: 72, 32: 63, 64: 75}
ABSOLUTE = {24: 73, 32: 62, 64: 74}
SWIZZLE = {24: 74, 32: 60, 64: 81}
REUSE = {24: 122, 32: 123, 64: 124}


HINT = 8  # in Row.reuse: bits 122..124 may be set and mean nothing


class TableError(Exception):
    pass


class Names:
    """An enumeration collected while reading: name -> number, first use first."""

    def __init__(self, first):
        self.index = {}
        self.text = []
        for identifier, text in first:
            self.add(identifier, text)

    def add(self, identifier, text):
        if identifier not in self.index:
            self.index[identifier] = len(self.text)
            self.text.append((identifier, text))
        return self.index[identifier]


def families_of(names, where):
    """The families that a list of families and sets of them names, in order."""
    found = [f for name in names for f in FAMILY_SETS.get(name, [name])]
    for family in found:
        if family not in FAMILIES:
            raise TableError(f"{where}: unknown family {family}")
    return sorted(set(found), key=FAMILIES.index)


def has_form(family, form):
    """sm_70 has no uniform registers; from sm_100 on constants come through LDC and LDCU alone."""
    if family == "70":
        return FORMS[form][1] == 0
    if family in UNIFORM_BITS_8:
        return not {"const", "bindless"} & set(FORMS[form][2:])
    return True


def identifier_of(text):
    return "k" + re.sub(r"[^A-Za-z0-9]", "_", text)


def bits_of(text):
    """The size that a size or type name states: 'U16' -> 16, 'F16x2.RN' -> 32; else 32."""
    eight = re.match(r"E\dM\d(?:x(\d+))?", text)  # 8-bit floats, named by their parts
    if eight:
        return 8 * int(eight.group(1) or 1)
    match = re.search(r"(\d+)(?:x([2-9]))?", text)
    return int(match.group(1)) * int(match.group(2) or 1) if match else 32


class Bits:
    """A set of bit ranges, least significant part first: '77:4' or '72:1,80:1' or '74'."""

    def __init__(self, text):
        self.parts = []
        for part in text.split(","):
            position, _, width = part.partition(":")
            self.parts.append((int(position), int(width or "1")))
        self.width = sum(width for _, width in self.parts)

    def __iter__(self):
        for position, width in self.parts:
            yield from range(position, position + width)


class Row:
    def __init__(self, mnemonic, where):
        self.mnemonic = mnemonic
        self.where = where
        self.families = []
        self.match = 0
        self.mask = 0
        self.owner = {}
        self.operands = []
        self.modifiers = []
        self.forbidden = []
        self.counts = {}
        self.style = "kPlain"
        self.flow = "kNone"
        self.memory = ("kNone", "kNone", "0")
        self.reuse = 0
        self.uniform_guard = False
        self.no_reuse = False
        self.low_target = None  # where the lowest bits of a code address stand, if apart

    def own(self, bits, what):
        for bit in bits:
            if bit in self.owner:
                raise TableError(f"{self.where}: bit {bit} is both {self.owner[bit]} and {what}")
            if what != "must-equal bits" and (bit in SCHEDULING or bit in REUSE.values()) or \
                    bit in GUARD or bit > 127:
                raise TableError(f"{self.where}: {what} uses scheduling or guard bit {bit}")
            self.owner[bit] = what

    def must(self, bits, value, what):
        bits = list(bits)
        self.own(bits, what)
        for i, bit in enumerate(bits):
            self.mask |= 1 << bit
            self.match |= (value >> i & 1) << bit

    def finish(self):
        for bit in range(128):
            if bit not in self.owner and bit not in SCHEDULING and bit not in GUARD and \
                    bit not in REUSE.values():
                self.mask |= 1 << bit
        seen = [f for m in self.modifiers for f in m["fields"]]
        if len(seen) != len(set(seen)):
            raise TableError(f"{self.where}: a modifier field is named twice")
        if len(seen) > 14 or len(self.operands) > 12:
            raise TableError(f"{self.where}: too many operands or modifiers")


class Generator:
    def __init__(self):
        self.opcodes = Names([("kUnknown", "unknown")])
        self.fields = Names([])
        self.values = Names([("kNone", "")])
        self.field_meaning = {}
        self.macros = {}
        self.rows = []

    def value(self, token):
        """A list entry -> (value number, hidden) or None for an invalid encoding."""
        if token == "!":
            return None
        if token == "-":
            return (0, True)
        hidden = token.startswith("(") and token.endswith(")")
        text = token[1:-1] if hidden else token
        return (self.values.add(identifier_of(text), text), hidden)

    def read(self, path):
        blocks = []
        families = []
        target = None
        with open(path, encoding="utf-8") as handle:
            for number, line in enumerate(handle, 1):
                line = line.split("#", 1)[0].rstrip()
                if not line.strip():
                    continue
                where = f"{os.path.basename(path)}:{number}"
                words = line.split()
                if words[0] == "families":
                    families = families_of(words[1:], where)
                elif words[0] == "field":
                    self.fields.add("k" + words[1], words[1])
                    self.field_meaning["k" + words[1]] = " ".join(words[2:])
                elif words[0] == "row":
                    target = []
                    blocks.append((where, words[1:], list(families), target))
                elif words[0] == "macro":
                    target = self.macros.setdefault(words[1], [])
                elif line[0] in " \t" and target is not None:
                    if words[0] == "use":
                        if words[1] not in self.macros:
                            raise TableError(f"{where}: no macro {words[1]}")
                        target.extend(self.macros[words[1]])
                    else:
                        target.append((where, line.strip()))
                else:
                    raise TableError(f"{where}: cannot read '{line}'")
        for where, head, default_families, lines in blocks:
            self.block(where, head, default_families, lines)

    def block(self, where, head, families, lines):
        mnemonic, base = head[0], head[1]
        forms = []
        if len(head) > 2 and head[2] == ":":
            for form in head[3:]:
                forms.append(form)
                if form in ("3", "5"):
                    forms.append(form + "x")
        else:
            forms = [None]
        statements = []
        for place, text in lines:
            keyword, _, rest = text.partition(" ")
            if keyword == "fam":
                families = families_of(rest.split(), place)
                continue
            statements.append((place, keyword, rest.strip()))
        for form in forms:
            # One row per distinct selection of per-family statements ("@80 mod ...").
            groups = {}
            for family in families:
                if form is not None and not has_form(family, form):
                    continue
                chosen = []
                for place, keyword, rest in statements:
                    if keyword.startswith("@"):
                        if family not in families_of(keyword[1:].split(","), place):
                            continue
                        keyword, _, rest = rest.partition(" ")
                    if keyword == "imm" and rest.strip() == "f" and family == "70":
                        rest = "q"  # its disassembler calls every NaN of single precision quiet
                    chosen.append((place, keyword, rest.strip()))
                # What the family's encoding decides by itself: uniform registers of eight bits, and
                # halves without .F32.
                encoding = (family in UNIFORM_BITS_8, family in FAMILY_SETS["90+"] and
                            any("$" in rest for _, _, rest in chosen))
                groups.setdefault((tuple(chosen), encoding), []).append(family)
            for (chosen, encoding), members in groups.items():
                self.row(where, mnemonic, base, form, members, *encoding, chosen)

    def row(self, where, mnemonic, base, form, families, uniform8, packed_only, statements):
        row = Row(mnemonic, where)
        row.packed_only = packed_only
        row.families = families
        if form is not None and int(base.rstrip("+"), 16) & 0x100:
            row.reuse = HINT  # conversions and special functions
        row.uniform_bits = 8 if uniform8 else 6
        row.form = form
        row.opcode = self.opcodes.add(identifier_of(mnemonic), mnemonic)
        high = 0
        if base.endswith("+"):
            base, high = base[:-1], 1
        code = int(base, 16)
        if form is not None:
            code |= FORMS[form][0]
            high = FORMS[form][1]
        row.op13 = code | high << 12
        row.must(range(0, 12), code, "opcode")
        row.must([91], high, "opcode")
        row.immediate = "s"
        row.negate, row.absolute = dict(NEGATE), dict(ABSOLUTE)
        for _, keyword, rest in statements:
            if keyword == "imm":
                row.immediate = rest
            elif keyword == "only":
                if form not in rest.split():
                    return
            elif keyword == "uniform":
                row.uniform_guard = True
            elif keyword == "noreuse":  # the reuse bits mean nothing here
                row.no_reuse, row.reuse = True, HINT
            elif keyword == "low":
                row.low_target = Bits(rest).parts[0]
            elif keyword == "half":
                row.negate[64], row.absolute[64] = 84, 83
        for place, keyword, rest in statements:
            row.where = place
            self.statement(row, keyword, rest)
        row.where = f"{where} {mnemonic} {form or ''}"
        for operand in row.operands:
            name = operand.pop("suffix_name", None)
            operand["suffix"] = 0xFF
            if name:
                names = [f for m in row.modifiers for f in m["names"]]
                if name not in names:
                    raise TableError(f"{row.where}: no field {name} for the operand's suffix")
                operand["suffix"] = names.index(name)
            rule = operand["width"]
            if rule in row.counts:
                operand["count"], operand["width"] = row.counts[rule], "0"
            elif not rule.isdigit():
                names = [f for m in row.modifiers for f in m["names"]]
                if rule not in names:
                    raise TableError(f"{row.where}: no field {rule} for the operand's width")
                operand["width"] = str(0x80 + names.index(rule))
        names = [f for m in row.modifiers for f in m["names"]]
        size = row.memory[2]
        if not size.isdigit():
            if size not in names:
                raise TableError(f"{row.where}: no field {size} for the access size")
            row.memory = (row.memory[0], row.memory[1], str(0x80 + names.index(size)))
        row.finish()
        self.rows.append(row)

    def statement(self, row, keyword, rest):
        if keyword == "ops":
            for token in re.findall(r"\S+\[[^\]]*\]\S*|\"[^\"]*\"|\S+", rest):
                self.operand(row, token)
        elif keyword == "count":  # registers per operand, decided by bits that other fields own
            left, _, right = rest.partition("=")
            name, bits = left.split()
            numbers = [None if n == "!" else int(n) for n in right.split()]
            row.counts[name] = (Bits(bits), numbers)
        elif keyword in ("mod", "suf", "hid"):
            self.modifier(row, keyword, rest)
        elif keyword == "fix":
            for token in rest.split():
                bits, _, value = token.partition("=")
                row.must(Bits(bits), int(value, 0), "must-equal bits")
        elif keyword == "bad":
            mask = match = 0
            for token in rest.split():
                bits, _, value = token.partition("=")
                for i, bit in enumerate(Bits(bits)):
                    mask |= 1 << bit
                    match |= (int(value, 0) >> i & 1) << bit
            row.forbidden.append((mask, match))
        elif keyword == "style":
            row.style = "k" + rest
        elif keyword == "flow":
            row.flow = "k" + rest
        elif keyword == "mem":
            space, access, size = rest.split()
            row.memory = ("k" + space, "k" + access, size)
        elif keyword == "hint":  # reuse bits that hand-written code sets and that mean nothing
            row.reuse |= HINT
        elif keyword in ("imm", "only", "uniform", "half", "low", "noreuse"):
            pass
        else:
            raise TableError(f"{row.where}: unknown statement '{keyword}'")

    def modifier(self, row, keyword, rest):
        left, _, right = rest.partition("=")
        words = left.split()
        names = words[0].split("/")
        for name in names:
            if "k" + name not in self.fields.index:
                raise TableError(f"{row.where}: field {name} is not declared")
        bits = Bits(words[1]) if len(words) > 1 else None
        size = 1 << bits.width if bits else 1
        entries = [None] * size
        tokens = right.split()
        if tokens and all(re.match(r"^(0x[0-9a-f]+|\d+):", t) for t in tokens):
            for token in tokens:
                key, _, text = token.partition(":")
                entries[int(key, 0)] = text
        else:
            if len(tokens) > size:
                raise TableError(f"{row.where}: {len(tokens)} values for {size} encodings")
            entries[: len(tokens)] = tokens
        table = []
        for entry in entries:
            if entry is None or entry == "!":
                table.append(None)
                continue
            parts = entry.split("/")
            if len(parts) != len(names):
                raise TableError(f"{row.where}: '{entry}' does not give {len(names)} values")
            table.append(tuple(self.value(part) for part in parts))
        if bits:
            row.own(bits, "/".join(names))
        row.modifiers.append({"names": names, "fields": ["k" + n for n in names], "bits": bits,
                              "table": table, "print": keyword == "mod"})

    def operand(self, row, token):
        if token.startswith('"'):
            text = token[1:-1]
            named = {"suffix_name": text[1:]} if text.startswith("@") else {}
            row.operands.append(dict(named, slot="kLiteral", role="Aux", bit=0, bits=0,
                                     text="" if named else text,
                                     width="1", flags=set(), negate=255, absolute=255, invert=255,
                                     reuse=255, style="kHex", extra=[255] * 6))
            return
        role, _, text = token.partition("=")
        if role not in ROLES:
            raise TableError(f"{row.where}: unknown role {role}")
        op = dict(role=role, bit=0, bits=0, text="", width="1", flags=set(), negate=255,
                  absolute=255, invert=255, reuse=255, style="kHex", extra=[255] * 6)
        op["flags"].add("def" if role in ("Dst", "Dst2", "PDst", "PDst2") else "use")
        suffix = re.search(r"\{(\w+)\}", text)
        if suffix:
            op["suffix_name"] = suffix.group(1)
            text = text.replace(suffix.group(0), "")
        wrapped = re.match(r"^([a-z]\w+)\[((?:UR|UN|R)\d+)\](.*)$", text)
        if wrapped:  # a register in brackets that a word precedes: gdesc[UR4]
            op["text"], text = wrapped.group(1), wrapped.group(2) + wrapped.group(3)
        wrapped = re.match(r"^([a-z]\w+)(\[.*)$", text)
        if wrapped:  # the same of an address: tmem[UR4+0x10]
            op["text"], text = wrapped.groups()
        if "[" in text:
            self.address(row, op, text)
            row.operands.append(op)
            return
        split = re.match(r"^W(\d+):(\d+),(\d+):(\d+)", text)
        if split:  # a number in two parts
            low, low_bits, high, high_bits = map(int, split.groups())
            text = f"N{low}:{low_bits}" + text[split.end():]
            op["extra"][:2] = high, high_bits
            row.own(range(high, high + high_bits), "kSplitBits")
        found = re.match(r"^(UPR|PR|UR|UP|UQ|UX|UN|SR|SB|R|P|Q|B|V|Z|S|I|N|T|J|M|F|H|C|X|L|K|a|b|c)(\d*)(?::(\d+))?", text)
        if not found:
            raise TableError(f"{row.where}: unknown operand '{token}'")
        kind, position, width = found.group(1), found.group(2), found.group(3)
        flags = text[found.end():]
        if kind in ("R", "UR", "a", "b", "c") and width:  # of a register: how many of them
            op["width"], width = width, None
        position = int(position) if position else None
        kind_name = kind
        if kind in "abc":
            occupant = "reg24"
            if kind == "a" and row.form and row.form.startswith("u"):
                occupant = "ureg24"
            if kind != "a":
                occupant = FORMS[row.form][2 if kind == "b" else 3]
            position = {"reg24": 24, "reg64": 64, "ureg64": 64, "ureg24": 24}.get(occupant, 32)
            if occupant.startswith("reg"):
                kind = "R"
                if not row.no_reuse and (not row.op13 & 0x100 or row.op13 & 0xFFF < 0x200):
                    op["reuse"] = {"a": 122, "b": 123, "c": 124}[kind_name]
            elif occupant.startswith("ureg"):
                kind = "UR"
            else:
                kind = {"imm": "I", "const": "C", "bindless": "X"}[occupant]
                if kind == "I":
                    width = "32"
                    op["style"] = IMMEDIATE_STYLES[row.immediate]
        for flag in re.finditer(r"([-|~^!?<>%&@*$+`])(\d*)|:(\w+)|=(\w+)", flags):
            sign, number, rule, default = flag.groups()
            if rule:
                op["width"] = rule
            elif default:
                op["default"] = int(default, 16)
                op["flags"].add("optional")
            elif sign in "-|~":
                if kind == "I":
                    continue  # the bits belong to the immediate
                bit = int(number) if number else (
                    row.absolute if sign == "|" else row.negate)[position]
                name = {"-": "negate", "|": "absolute", "~": "invert"}[sign]
                row.own([bit], name)
                op[name] = bit
            elif sign == "!":
                bit = int(number) if number else position + 3
                row.own([bit], "invert")
                op["invert"] = bit
            elif sign == "^":
                op["reuse"] = int(number) if number else REUSE[position]
                if op["reuse"] not in REUSE.values():  # the metadata of a sparse product
                    row.own([op["reuse"]], "reuse")
            elif sign == "$":  # which halves of the register are used
                if kind != "I":
                    op["suffix_name"] = "Swizzle" + role
                    op["style"] = "kHalf2"
                    halves = f"(H1_H0) {'!' if row.packed_only else 'F32'} H0_H0 H1_H1"
                    bits = f"{SWIZZLE[position]}:2"
                    if number and position == 32:  # one bit more: upper half negated
                        bits, halves = f"{bits},{number}", f"{halves} H0_NH1"
                    self.modifier(row, "suf", f"Swizzle{role} {bits} = {halves}")
            elif sign == "`":  # constants print a blank before the offset
                op["style"] = "kHalf2"
            elif sign == "?":
                op["flags"].add("optional")
            elif sign == "*":
                op["flags"].add("hidden")
            elif sign == ">":
                op["flags"].add("def")
            elif sign == "<":
                op["flags"].add("use")
            elif sign == "%":
                op["style"] = "kDecimal"
            elif sign == "&":
                op["flags"].add("join")
            elif sign == "@":
                op["style"] = "kSignedHex"
        if op["reuse"] in REUSE.values():
            row.reuse |= 1 << (op["reuse"] - 122)
        simple = {"R": ("kRegister", 8), "UR": ("kUniform", row.uniform_bits), "P": ("kPredicate", 3),
                  "Q": ("kPredicate7", 3), "UP": ("kUniformPredicate", 3),
                  "UQ": ("kUniformPredicate7", 3), "UN": ("kUniformNext", 8), "SR": ("kSpecial", 8), "SB": ("kScoreboard", 3),
                  "B": ("kBarrier", 4), "S": ("kSignedBits", 24), "I": ("kImmediate", 32),
                  "N": ("kBits", 5), "F": ("kImmediate", 32), "H": ("kImmediate", 16),
                  "M": ("kMask", 16)}
        if kind in simple:
            op["slot"], default = simple[kind]
            op["bit"], op["bits"] = position, int(width) if width else default
            if kind == "F":
                op["style"] = "kFloat"
            if split:
                op["slot"] = "kSplitBits"
            if "+" not in flags:  # "+": the bits belong to an operand named before
                row.own(range(op["bit"], op["bit"] + op["bits"]), op["slot"])
        elif kind in ("PR", "UPR"):  # all predicates at once; no bits
            op["slot"], op["width"] = {"PR": "kPredicate", "UPR": "kUniformPredicate"}[kind], "7"
        elif kind == "V":
            op["slot"], op["bit"], op["bits"] = "kSplitTable", 64, 8
            row.own(list(range(64, 67)) + list(range(72, 77)), "lookup table")
        elif kind == "UX":  # a uniform register in two pieces
            op["slot"], op["bit"], op["bits"] = "kSplitUniform", 60, 8
            row.own(list(range(60, 63)) + list(range(73, 78)), "uniform register")
        elif kind == "Z":
            op["slot"], op["bit"], op["bits"] = "kSwizzle", position, 8
            row.own(range(position, position + 8), "swizzle")
        elif kind == "K":  # constant literal, no bits: the value follows ':'
            op["slot"], op["bit"], op["bits"] = "kBits", 0, 0
        elif kind == "C":
            op["slot"], op["bit"], op["bits"] = "kConstant", 40, 14
            row.own(list(range(40, 54)) + list(range(54, 59)), "constant")
        elif kind == "X":
            op["slot"], op["bit"], op["bits"] = "kBindless", 40, 14
            row.own(range(32, 32 + row.uniform_bits), "bindless")
            row.own(range(40, 54), "bindless")
            op["extra"][0] = row.uniform_bits
        elif kind == "T":  # branch target relative to the next instruction
            op["slot"], op["bit"], op["bits"] = "kRelativeTarget", position, int(width or "48")
            self.target(row, op)
        elif kind == "J":  # absolute target
            op["slot"], op["bit"], op["bits"] = "kAbsoluteTarget", position, int(width or "48")
            if "u" in flags:
                op["flags"].add("absolute")
            self.target(row, op)
        elif kind == "L":  # constant with byte offset and a register index: c[bank][R24 + off]
            op["slot"], op["bit"], op["bits"] = "kLoadConstant", 38, 16
            row.own(range(38, 59), "constant")
            if "v" in flags:  # LDCU: 17 bits, an absent index register is not printed
                op["bit"], op["bits"], op["default"] = 37, 17, 1
                row.own([37], "constant")
            if position and ("u" in flags or "v" in flags):
                op["extra"][1] = position
                row.own(range(position, position + row.uniform_bits), "index")
            elif position:
                op["extra"][0] = position
                row.own(range(position, position + 8), "index")
        else:
            raise TableError(f"{row.where}: unknown operand '{token}'")
        row.operands.append(op)

    @staticmethod
    def target(row, op):
        row.own(range(op["bit"], op["bit"] + op["bits"]), "target")
        if row.low_target:
            op["extra"][0], op["extra"][1] = row.low_target
            row.own(range(op["extra"][0], sum(row.low_target)), "target")

    def address(self, row, op, text):
        found = re.match(r"^(d?)\[([^\]]*)\](.*)$", text)
        if not found:
            raise TableError(f"{row.where}: unknown address '{text}'")
        op["slot"] = "kAddress"
        # extra: register bit, scale bit, wide bit (or 254: always), uniform bit, offset width, desc
        extra = [255] * 6
        next_register = found.group(3).startswith("+1")  # after the one that an operand before names
        if next_register:
            op["default"] = 0x80
        for part in filter(None, found.group(2).split("+")):
            piece = re.match(
                r"^(UR|R|S)(\d+)(\??)(?::(\d+))?(?:\*(\d+))?(?:\.(x|w|W|e|)(\d*))?$", part)
            if not piece:
                raise TableError(f"{row.where}: unknown address part '{part}'")
            kind, position, optional, width, unit, rule, number = piece.groups()
            position = int(position)
            if kind == "R":
                extra[0] = position
                row.own(range(position, position + 8), "address register")
                if rule == "x":
                    extra[1] = int(number)
                    row.own(range(int(number), int(number) + 2), "address scale")
                elif rule in ("w", "W"):
                    extra[2] = int(number)
                    if rule == "W":  # from sm_90 on: RZ.U32 is printed
                        op["default"] = op.get("default", 0) | 0x40
                    row.own([int(number)], "address width")
                elif rule == "e":  # a pair if bit `number` (.E) is set; prints nothing itself
                    extra[2] = int(number)
                    op["flags"].add("quiet")
                elif number == "64":
                    extra[2] = 254
            elif kind == "UR":
                extra[3] = position
                if rule == "e":
                    extra[5] = int(number)
                elif number == "64":
                    extra[5] = 254
                if optional:
                    op["default"] = op.get("default", 0) | 1  # URZ is not printed
                if not next_register:
                    row.own(range(position, position + row.uniform_bits),
                            "address uniform register")
            else:
                op["bit"], op["bits"] = position, int(width or "24")
                row.own(range(position, position + op["bits"]), "address offset")
                if unit:  # stored divided by a power of two
                    op["default"] = op.get("default", 0) | (int(unit).bit_length() - 1) << 1
        if found.group(1):
            descriptor = re.match(r"^@(\d+)(\+1)?(?:,(\d+))?", found.group(3))
            extra[4] = int(descriptor.group(1))
            extra[5] = int(descriptor.group(3) or 253)  # 253: always shown
            if descriptor.group(2):  # the register after the one that an operand before names
                op["default"] = op.get("default", 0) | 0x80
            else:
                row.own(range(extra[4], extra[4] + row.uniform_bits), "descriptor")
            if extra[5] != 253:
                row.own([extra[5]], "descriptor shown")
        # Without a register the offset is an absolute, unsigned address ("s": except here).
        if (extra[2] == 255 or "quiet" in op["flags"]) and extra[3] == 255 and "s" not in found.group(3):
            op["flags"].add("absolute")
        count = re.search(r":(\w+)", found.group(3))
        if count:  # registers of the base
            op["width"] = count.group(1)
        for flag in re.finditer(r"[<>]", found.group(3)):
            op["flags"].add("def" if flag.group(0) == ">" else "use")
        op["extra"] = extra
        op["uniform_bits"] = row.uniform_bits

    # -- output ---------------------------------------------------------------------------------

    def check(self):
        by_key = {}
        for row in self.rows:
            for family in row.families:
                by_key.setdefault((family, row.op13), []).append(row)
        for (family, op13), rows in by_key.items():
            for i, first in enumerate(rows):
                for second in rows[:i]:
                    common = first.mask & second.mask
                    if (first.match ^ second.match) & common == 0:
                        raise TableError(
                            f"family {family}: {first.where} and {second.where} overlap")
        return by_key

    def write(self, directory):
        by_key = self.check()
        os.makedirs(directory, exist_ok=True)
        self.write_names(directory)
        operands, modifiers, lists, forbidden, literals = {}, {}, {}, {}, {"": 0}

        def pool(table, key):
            return table.setdefault(key, len(table))

        list_data = []
        list_at = {}
        row_lines = []
        operand_data, operand_at = [], {}
        modifier_data, modifier_at = [], {}
        forbidden_data, forbidden_at = [], {}

        def span(data, at, items):
            key = tuple(items)
            if not key:
                return 0
            if key not in at:
                at[key] = len(data)
                data.extend(key)
            return at[key]

        count_data, count_at = [], {}

        def count_index(row, operand):
            if "count" not in operand:
                return 0xFFFF
            bits, numbers = operand["count"]
            size = 1 << bits.width
            if len(numbers) > size:
                raise TableError(f"{row.where}: {len(numbers)} counts for {size} encodings")
            flat = [0xFFFF if n is None else n for n in numbers] + [0xFFFF] * (size - len(numbers))
            parts = bits.parts + [(0, 0)] * 3
            key = "{Field{}, 1, 0, {%s}, %d, false}" % (
                ", ".join(f"{p}, {w}" for p, w in parts[:3]), span(list_data, list_at, flat))
            return span(count_data, count_at, [key])

        for row in self.rows:
            ops = []
            for o in row.operands:
                flags = o["flags"]
                default = [f[7:] for f in flags if f.startswith("default")]
                ops.append("{Slot::%s, Role::k%s, %d, %d, %d, %d, %d, %d, %s, %d, %d, Style::%s, "
                           "{%s}, %d, %d, %d, %d}" % (
                    o["slot"], o["role"], o["bit"], o["bits"], o["negate"], o["absolute"],
                    o["invert"], o["reuse"], o["width"], o.get("suffix", 255),
                    ("def" in flags) | ("use" in flags) << 1 | ("optional" in flags) << 2 |
                    ("hidden" in flags) << 3 | ("join" in flags) << 4 | ("absolute" in flags) << 5 | ("quiet" in flags) << 6,
                    o["style"], ", ".join(str(e) for e in o["extra"]),
                    o.get("uniform_bits", row.uniform_bits), pool(literals, o["text"]),
                    o.get("default", 0), count_index(row, o)))
            mods = []
            for m in row.modifiers:
                parts = (m["bits"].parts if m["bits"] else []) + [(0, 0)] * 3
                if m["bits"] and len(m["bits"].parts) > 3:
                    raise TableError(f"{row.where}: more than three parts in a field")
                width = len(m["names"])
                flat = []
                for entry in m["table"]:
                    if entry is None:
                        flat += [0xFFFF] * width
                    else:
                        flat += [v | (0x8000 if hidden else 0) for v, hidden in entry]
                start = span(list_data, list_at, flat)
                for i, name in enumerate(m["names"]):
                    mods.append("{Field::k%s, %d, %d, {%s}, %d, %s}" % (
                        name, width, i, ", ".join(f"{p}, {w}" for p, w in parts[:3]), start,
                        "true" if m["print"] else "false"))
            low = (1 << 64) - 1
            bad = ["{0x%xu, 0x%xu, 0x%xu, 0x%xu}" % (m & low, m >> 64, v & low, v >> 64)
                   for m, v in row.forbidden]
            row_lines.append(
                "{0x%xu, 0x%xu, 0x%xu, 0x%xu, Opcode::%s, %d, %d, %d, %d, %d, %d, %d, 0x%x, "
                "PrintStyle::%s, Flow::%s, Space::%s, Access::%s, %s, %s}," % (
                    row.mask & low, row.mask >> 64, row.match & low, row.match >> 64,
                    identifier_of(row.mnemonic), span(operand_data, operand_at, ops), len(ops),
                    span(modifier_data, modifier_at, mods), len(mods),
                    span(forbidden_data, forbidden_at, bad), len(bad), row.reuse,
                    sum(1 << FAMILIES.index(f) for f in row.families),
                    row.style, row.flow, row.memory[0], row.memory[1], row.memory[2],
                    "true" if row.uniform_guard else "false"))
        numbers = {id(row): i for i, row in enumerate(self.rows)}
        out = ["// Generated by lib/sass/tables/generate.py from the instruction tables.\n"]
        out.append("const Row kRows[] = {\n" + "\n".join(row_lines) + "\n};\n")
        out.append("const OperandSpec kOperandSpecs[] = {\n" +
                   ",\n".join(operand_data) + "\n};\n")
        out.append("const ModifierSpec kModifierSpecs[] = {\n" +
                   ",\n".join(modifier_data) + "\n};\n")
        out.append("const ModifierSpec kCountSpecs[] = {\n" +
                   ",\n".join(count_data or ["{}"]) + "\n};\n")
        out.append("const u16 kValueLists[] = {" + ", ".join(map(str, list_data or [0])) + "};\n")
        out.append("const Forbidden kForbidden[] = {" +
                   ", ".join(forbidden_data or ["{0u, 0u, 0u, 0u}"]) + "};\n")
        out.append("const u16 kValueBits[] = {" + ", ".join(
            str(min(bits_of(text), 0xFFFF)) for _, text in self.values.text) + "};\n")
        out.append("const std::string_view kLiterals[] = {" +
                   ", ".join('"%s"' % t for t in literals) + "};\n")
        # Index: for each family and op13, the first entry and the number of candidate rows.
        entries, index = [], []
        for family in FAMILIES:
            for op13 in range(8192):
                rows = by_key.get((family, op13), [])
                index.append("{%d, %d}" % (len(entries) if rows else 0, len(rows)))
                entries += [numbers[id(r)] for r in rows]
        out.append("const u16 kCandidates[] = {" + ", ".join(map(str, entries or [0])) + "};\n")
        out.append("const IndexEntry kIndex[%d][8192] = {{" % len(FAMILIES) + "}, {".join(
            ",".join(index[i * 8192:(i + 1) * 8192]) for i in range(len(FAMILIES))) + "}};\n")
        self.store(directory, "table_data.inc", "".join(out))

    def write_names(self, directory):
        def enum(name, kind, names, meaning=None):
            lines = [f"enum class {name} : {kind} {{\n"]
            for identifier, text in names.text:
                comment = (meaning or {}).get(identifier, "")
                lines.append(f"  {identifier}," + (f"  // {comment}" if comment else "") + "\n")
            lines.append("};\n")
            return "".join(lines)

        header = ["// Generated by lib/sass/tables/generate.py from the instruction tables.\n",
                  "#pragma once\n\n#include <string_view>\n\n#include \"support/types.hpp\"\n\n",
                  "namespace picker::sass {\n\n",
                  "// Base mnemonics: the text before the first dot.\n",
                  enum("Opcode", "u16", self.opcodes), "\n",
                  "// What a modifier decides.\n",
                  enum("Field", "u8", self.fields, self.field_meaning), "\n",
                  "// The texts modifiers can have; kNone prints nothing.\n",
                  enum("Value", "u16", self.values), "\n",
                  "inline constexpr u32 kOpcodeCount = %d;\n" % len(self.opcodes.text),
                  "inline constexpr u32 kFieldCount = %d;\n" % len(self.fields.text),
                  "inline constexpr u32 kValueCount = %d;\n\n" % len(self.values.text),
                  "std::string_view to_string(Opcode opcode);\n",
                  "std::string_view to_string(Field field);\n",
                  "// The text of a value without its leading dot; empty for kNone.\n",
                  "std::string_view to_string(Value value);\n\n",
                  "}  // namespace picker::sass\n"]
        self.store(directory, "opcodes.hpp", "".join(header))
        source = ["// Generated by lib/sass/tables/generate.py from the instruction tables.\n",
                  "#include \"sass/opcodes.hpp\"\n\nnamespace picker::sass {\nnamespace {\n"]
        for name, names in (("Opcode", self.opcodes), ("Field", self.fields), ("Value", self.values)):
            source.append(f"constexpr std::string_view k{name}Names[] = {{\n")
            source += [f'    "{text}",\n' for _, text in names.text]
            source.append("};\n")
        source.append("}  // namespace\n\n")
        for name in ("Opcode", "Field", "Value"):
            source.append(f"std::string_view to_string({name} key) {{\n"
                          f"  const auto index = static_cast<u32>(key);\n"
                          f"  return index < std::size(k{name}Names) ? k{name}Names[index] : \"?\";\n}}\n\n")
        source.append("}  // namespace picker::sass\n")
        self.store(directory, "opcodes.cpp", "".join(source))

    @staticmethod
    def store(directory, name, text):
        path = os.path.join(directory, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as handle:
                if handle.read() == text:
                    return  # unchanged: keep the time stamp, nothing is rebuilt
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text)


def main():
    generator = Generator()
    try:
        for path in sys.argv[2:]:
            generator.read(path)
        generator.write(sys.argv[1])
    except TableError as error:
        sys.exit(f"generate.py: {error}")


if __name__ == "__main__":
    main()
