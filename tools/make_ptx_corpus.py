#!/usr/bin/env python3
"""Compile one small kernel per PTX instruction variant, to have words for the decoder's proof.

    make_ptx_corpus.py --sm 80 -o words.words

Shipped libraries use a part of the instruction set; this covers the rest of what a compiler can emit:
integer, float, half, video, texture, surface, atomic, barrier, shuffle, matrix and control
instructions, each with operands in registers, constants, immediates and uniform registers. Variants
that ptxas refuses for the architecture are skipped. Needs ptxas on PATH (environment variable PTXAS;
PTXAS12 for sm_70).
"""
import argparse
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sass_oracle as oracle  # noqa: E402

HEADER = """.version {version}
.target {target}
.address_size 64
.shared .align 1024 .b8 smem[4096];
.const .align 16 .b8 cmem[1024];
.global .texref dummy;
.visible .entry k(.param .u64 a,.param .u32 b,.param .u64 c,.param .f32 d,.param .f64 e,.param .u32 b2,
 .param .u32 b3,.param .u64 c2,.param .f32 d2,.param .f64 e2,.param .b16 h0){{
.reg .u64 gp,gq,rd<20>; .reg .u32 sp,mp,tid; .reg .b32 r<20>; .reg .f32 f<20>; .reg .f64 x<20>;
.reg .b16 h<20>; .reg .pred p<9>; .local .align 16 .b8 lcl[64]; .reg .b64 lp; .reg .b8 q<9>;
ld.param.u64 rd0,[a]; cvta.to.global.u64 gp,rd0; mov.u32 tid,%tid.x; mul.wide.u32 gq,tid,256;
add.u64 gq,gp,gq; ld.param.u32 r1,[b]; ld.param.u32 r2,[b2]; ld.param.u32 r3,[b3];
ld.param.u64 rd1,[c]; ld.param.u64 rd2,[c2]; ld.param.f32 f1,[d]; ld.param.f32 f2,[d2];
ld.param.f64 x1,[e]; ld.param.f64 x2,[e2]; mov.u32 sp,smem; add.u32 mp,sp,1024;
mad.lo.u32 sp,tid,16,sp; ld.param.b16 h1,[h0];
ld.global.u32 r4,[gq]; ld.global.u32 r5,[gq+4]; ld.global.u32 r6,[gq+8]; ld.global.u64 rd4,[gq+16];
ld.global.u64 rd5,[gq+24]; ld.global.f32 f4,[gq+32]; ld.global.f32 f5,[gq+36];
ld.global.f32 f6,[gq+40]; ld.global.f64 x4,[gq+48]; ld.global.f64 x5,[gq+56];
ld.global.f64 x6,[gq+64]; ld.global.b16 h4,[gq+72]; ld.global.b16 h5,[gq+74];
ld.global.b16 h6,[gq+76]; ld.global.u32 r7,[gq+80]; setp.lt.s32 p1,r4,r5; setp.gt.u32 p2,r5,r6;
setp.eq.u32 p3,r1,r2; mov.u64 lp,lcl; cvt.u32.u64 r8,lp; mov.b32 r9,{{h4,h5}};
{body}
ret; }}
"""

# Sources by type: registers, a kernel parameter (constant bank), immediates.
SOURCES = {
    "r": (["r4", "r5", "r6"], ["r1", "r2"], ["7", "-3", "0x10000"]),
    "d": (["rd4", "rd5", "rd4"], ["rd1", "rd2"], ["9", "-5"]),
    "f": (["f4", "f5", "f6"], ["f1", "f2"], ["0f3FC00000", "0fBF000000"]),
    "x": (["x4", "x5", "x6"], ["x1", "x2"], ["0d3FF8000000000000"]),
    "h": (["h4", "h5", "h6"], ["h1"], []),
    "v": (["r4", "r5", "r9"], ["r1"], []),   # packed halves in 32-bit registers
    "l": (["r4", "r5", "r6"], ["r1", "r2"], []),
}
RESULT = {"r": ("r10", "st.global.u32 [gq+128],r10;"), "d": ("rd10", "st.global.u64 [gq+128],rd10;"),
          "f": ("f10", "st.global.f32 [gq+128],f10;"), "x": ("x10", "st.global.f64 [gq+128],x10;"),
          "h": ("h10", "st.global.b16 [gq+128],h10;"), "v": ("r10", "st.global.u32 [gq+128],r10;"),
          "l": ("r10", "st.global.u32 [gq+128],r10;"),
          "p": ("p8", "selp.u32 r10,1,0,p8; st.global.u32 [gq+128],r10;")}


def operands(kinds):
    """Source combinations: all registers, then each position a parameter or an immediate."""
    registers = [SOURCES[k][0][i % 3] for i, k in enumerate(kinds)]
    yield registers
    for i, kind in enumerate(kinds):
        for alternatives in SOURCES[kind][1][:1] + SOURCES[kind][2][:2]:
            changed = list(registers)
            changed[i] = alternatives
            yield changed
    if len(kinds) > 1:
        yield [SOURCES[k][1][i % len(SOURCES[k][1])] for i, k in enumerate(kinds)]


def alu(name, result, kinds):
    register, store = RESULT[result]
    for sources in operands(kinds):
        yield f"{name} {register},{','.join(sources)}; {store}"


def variants(text):
    """'add{.ftz,}.f32' -> its expansions."""
    start = text.find("{")
    if start < 0:
        return [text]
    end = text.index("}", start)
    return [text[:start] + choice + rest for choice in text[start + 1:end].split(",")
            for rest in variants(text[end + 1:])]


def arithmetic():
    table = [
        ("{add,sub,mul.lo,min,max}.{s32,u32}", "r", "rr"), ("mul.hi.{s32,u32}", "r", "rr"),
        ("{add,sub}.sat.s32", "r", "rr"), ("mul24.{lo,hi}.{s32,u32}", "r", "rr"),
        ("{add,sub,mul.lo,mul.hi,min,max}.{s64,u64}", "d", "dd"), ("mul.wide.{s32,u32}", "d", "rr"),
        ("mad.{lo,hi}.{s32,u32}", "r", "rrr"), ("mad.hi.sat.s32", "r", "rrr"),
        ("mad24.{lo,hi}.{s32,u32}", "r", "rrr"), ("mad.wide.{s32,u32}", "d", "rrd"),
        ("mad.lo.{s64,u64}", "d", "ddd"), ("{div,rem}.{s32,u32}", "r", "rr"),
        ("{div,rem}.{s64,u64}", "d", "dd"), ("abs.s32", "r", "r"), ("abs.s64", "d", "d"),
        ("neg.s32", "r", "r"), ("neg.s64", "d", "d"), ("popc.b32", "r", "r"), ("popc.b64", "r", "d"),
        ("clz.b32", "r", "r"), ("clz.b64", "r", "d"), ("bfind{,.shiftamt}.{u32,s32}", "r", "r"),
        ("bfind{,.shiftamt}.{u64,s64}", "r", "d"), ("brev.b32", "r", "r"), ("brev.b64", "d", "d"),
        ("fns.b32", "r", "rrr"),
        ("bfe.{u32,s32}", "r", "rrr"), ("bfe.{u64,s64}", "d", "drr"), ("bfi.b32", "r", "rrrr"),
        ("bfi.b64", "d", "ddrr"), ("szext.{clamp,wrap}.{u32,s32}", "r", "rr"),
        ("bmsk.{clamp,wrap}.b32", "r", "rr"), ("dp4a.{u32,s32}.{u32,s32}", "r", "rrr"),
        ("dp2a.{lo,hi}.{u32,s32}.{u32,s32}", "r", "rrr"), ("{and,or,xor}.b32", "r", "rr"),
        ("{and,or,xor}.b64", "d", "dd"), ("not.b32", "r", "r"), ("not.b64", "d", "d"),
        ("cnot.b32", "r", "r"), ("{shl.b32,shr.u32,shr.s32}", "r", "rr"),
        ("{shl.b64,shr.u64,shr.s64}", "d", "dr"), ("shf.{l,r}.{clamp,wrap}.b32", "r", "rrr"),
        ("prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", "r", "rrr"), ("sad.{s32,u32}", "r", "rrr"),
        ("sad.{s64,u64}", "d", "ddd"), ("sad.{s16,u16}", "h", "hhh"),
        ("{add,sub,mul.lo,min,max}.{s16,u16}", "h", "hh"), ("mul.wide.{s16,u16}", "r", "hh"),
        ("{add,sub}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", "f", "ff"),
        ("mul{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", "f", "ff"),
        ("fma.{rn,rz,rm,rp}{,.ftz}{,.sat}.f32", "f", "fff"), ("{min,max}{,.ftz}{,.NaN}.f32", "f", "ff"),
        ("{min,max}{,.ftz}{,.NaN}.xorsign.abs.f32", "f", "ff"),
        ("{min,max}{,.ftz}{,.NaN}.f32", "f", "fff"), ("div.{rn,rz,rm,rp,full,approx}{,.ftz}.f32", "f", "ff"),
        ("{rcp,sqrt}.{rn,rz,rm,rp,approx}{,.ftz}.f32", "f", "f"), ("rsqrt.approx{,.ftz}.f32", "f", "f"),
        ("{sin,cos,lg2,ex2}.approx{,.ftz}.f32", "f", "f"), ("tanh.approx.f32", "f", "f"),
        ("{abs,neg}{,.ftz}.f32", "f", "f"), ("copysign.f32", "f", "ff"), ("testp.{finite,infinite,number,notanumber,normal,subnormal}.f32", "p", "f"),
        ("testp.{finite,infinite,number,notanumber,normal,subnormal}.f64", "p", "x"),
        ("{add,sub,mul}.{rn,rz,rm,rp}.f64", "x", "xx"), ("fma.{rn,rz,rm,rp}.f64", "x", "xxx"),
        ("{min,max}.f64", "x", "xx"), ("{abs,neg}.f64", "x", "x"), ("div.{rn,rz,rm,rp}.f64", "x", "xx"),
        ("{rcp,sqrt}.{rn,rz,rm,rp}.f64", "x", "x"), ("rcp.approx.ftz.f64", "x", "x"),
        ("rsqrt.approx{,.ftz}.f64", "x", "x"),
        ("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16", "h", "hh"), ("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16x2", "v", "vv"),
        ("fma.rn{,.ftz}{,.sat,.relu}.f16", "h", "hhh"), ("fma.rn{,.ftz}{,.sat,.relu}.f16x2", "v", "vvv"),
        ("fma.rn.oob{,.relu}.f16x2", "v", "vvv"),
        ("fma.rn{,.relu}.bf16", "h", "hhh"), ("fma.rn{,.relu}.bf16x2", "v", "vvv"),
        ("{add,sub,mul}{,.rn}.bf16x2", "v", "vv"), ("{add,sub,mul}{,.rn}.bf16", "h", "hh"),
        ("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16", "h", "hh"),
        ("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16x2", "v", "vv"),
        ("{min,max}{,.NaN}{,.xorsign.abs}.bf16x2", "v", "vv"), ("{abs,neg}{,.ftz}.f16x2", "v", "v"),
        ("{abs,neg}.bf16x2", "v", "v"), ("{tanh,ex2}.approx.{f16x2,bf16x2}", "v", "v"),
        ("ex2.approx.ftz.bf16x2", "v", "v"), ("{tanh,ex2}.approx.{f16,bf16}", "h", "h"),
        ("lop3.b32", "r", ""), ("selp.{b32,s32}", "r", ""),
        ("{add,sub}{,.rn,.rz}{,.sat}.f32.{f16,bf16}", "f", ""), ("{add,sub,mul}{,.rn}{,.ftz}.f32x2", "d", "dd"),
        ("fma.{rn,rz,rm,rp}{,.ftz}.f32x2", "d", "ddd"),
        ("{min,max}{,.relu}.s32", "r", "rr"), ("{add,min,max}.{s16x2,u16x2}", "v", "vv"),
        ("{min,max}.relu.s16x2", "v", "vv"),
    ]
    for pattern, result, kinds in table:
        if kinds:
            for name in variants(pattern):
                yield from alu(name, result, kinds)
    for lut in ("0x96", "0xe8", "0x80", "0xfe", "0x1e"):
        for a, b, c in (("r4", "r5", "r6"), ("r4", "r1", "r6"), ("r4", "0x1234", "r6"), ("r1", "r2", "r3"),
                        ("r4", "r5", "r1")):
            yield f"lop3.b32 r10,{a},{b},{c},{lut}; st.global.u32 [gq+128],r10;"
            yield f"lop3.or.b32 r10|p8,{a},{b},{c},{lut},p1; @p8 st.global.u32 [gq+128],r10;"
            yield f"lop3.and.b32 r10|p8,{a},{b},{c},{lut},p1; @p8 st.global.u32 [gq+128],r10;"
    for a, b in (("r4", "r5"), ("r4", "r1"), ("r4", "77"), ("r1", "r2"), ("r1", "5")):
        for p in ("p1", "p3"):
            yield f"selp.b32 r10,{a},{b},{p}; st.global.u32 [gq+128],r10;"
    for a, b in (("f4", "f5"), ("f4", "f1"), ("f4", "0f40000000")):
        yield f"selp.f32 f10,{a},{b},p1; st.global.f32 [gq+128],f10;"
        yield f"neg.f32 f7,{b}; abs.f32 f7,f7; selp.f32 f10,{a},f7,p1; st.global.f32 [gq+128],f10;"
    yield "slct.f32.s32 f10,f4,f5,r4; st.global.f32 [gq+128],f10;"
    yield "slct.s32.f32 r10,r4,r5,f4; st.global.u32 [gq+128],r10;"
    for op in ("add", "sub"):
        yield (f"{op}.cc.u32 r10,r4,r5; {op}c.cc.u32 r11,r5,r6; {op}c.u32 r12,r6,r7;"
               "st.global.v4.u32 [gq+128],{r10,r11,r12,r12};")
        yield (f"{op}.cc.u32 r10,r1,r2; {op}c.cc.u32 r11,r2,r3; {op}c.u32 r12,r3,7;"
               "st.global.v4.u32 [gp+128],{r10,r11,r12,r12};")
    for sign in ("u32", "s32"):
        yield (f"mad.lo.cc.{sign} r10,r4,r5,r6; madc.hi.cc.{sign} r11,r4,r5,r7;"
               f"madc.lo.cc.{sign} r12,r4,r6,r7; madc.hi.{sign} r13,r5,r6,r7;"
               "st.global.v4.u32 [gq+128],{r10,r11,r12,r13};")
        yield (f"mad.lo.cc.{sign} r10,r4,r1,r6; madc.hi.cc.{sign} r11,r4,r1,r7; madc.hi.{sign} r13,r5,r2,0;"
               "st.global.v4.u32 [gq+128],{r10,r11,r10,r13};")


def mixed():
    """Half and single precision together; branches on a uniform predicate; threads of one warp apart."""
    store = RESULT["f"][1]
    for kind, mod, sat in itertools.product(("f16", "bf16"), ("", ".rn", ".rz", ".rm", ".rp"), ("", ".sat")):
        for b in ("f5", "f1", "0f3FC00000"):
            for op in ("add", "sub"):
                yield f"{op}{mod}{sat}.f32.{kind} f10,h4,{b}; {store}"
            if mod:
                yield f"fma{mod}{sat}.f32.{kind} f10,h4,h5,{b}; {store}"
                yield f"neg.f32 f7,{b}; fma{mod}{sat}.f32.{kind} f10,h4,h1,f7; {store}"
    for kind in ("e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2"):
        for relu, source in itertools.product(("", ".relu"), ("f16x2", "bf16x2")):
            if kind == "e2m1x2":
                yield (f"{{.reg .b8 t; cvt.rn.satfinite{relu}.{kind}.{source} t,r4; cvt.u16.u8 h10,t;"
                       "st.global.b16 [gq+128],h10;}")
                yield f"{{.reg .b8 t; cvt.u8.u16 t,h4; cvt.rn{relu}.{source}.{kind} r10,t; {RESULT['r'][1]}}}"
            else:
                yield f"cvt.rn.satfinite{relu}.{kind}.{source} h10,r4; {RESULT['h'][1]}"
                yield f"cvt.rn{relu}.{source}.{kind} r10,h4; {RESULT['r'][1]}"
    for to in ("s8", "u8"):
        for rounding, relu in itertools.product(("rni", "rzi"), ("", "max.f32 f4,f4,0f00000000;")):
            yield f"{relu} cvt.{rounding}.sat.{to}.f32 h10,f4; {RESULT['h'][1]}"
    for cmp, op in itertools.product(("eq", "ltu"), ("add", "min", "max", "mul")):
        yield (f"{op}.f32 f7,f1,f2; setp.{cmp}.f32 p8,f7,f2; @p8 bra L1; st.global.f32 [gp+128],f7; L1:")
    for op in ("cvt.rni.s32.f32 r10,f1", "cvt.rzi.u32.f32 r10,f1", "cvt.rni.f32.f32 f7,f1; mov.b32 r10,f7",
               "cvt.rn.f16.f32 h10,f1; mov.b32 r10,{h10,h10}", "cvt.rn.f16x2.f32 r10,f1,f2",
               "min.xorsign.abs.f32 f7,f1,f2; mov.b32 r10,f7", "set.lt.f32.f32 f7,f1,f2; mov.b32 r10,f7"):
        yield f"{op}; add.u32 r10,r10,1; st.global.u32 [gp+128],r10;"


def comparisons():
    for cmp in ("eq", "ne", "lt", "le", "gt", "ge"):
        for t, a, b in (("s32", "r4", "r5"), ("s32", "r4", "r1"), ("s32", "r4", "9"), ("s32", "r1", "r2"),
                        ("u32", "r4", "r5"), ("u32", "r1", "9"), ("s64", "rd4", "rd5"),
                        ("u64", "rd1", "rd2"), ("u64", "rd4", "77"), ("s16", "h4", "h5"),
                        ("b32", "r4", "r5"), ("f16", "h4", "h5")):
            yield f"setp.{cmp}.{t} p8,{a},{b}; {RESULT['p'][1]}"
            for combine in ("and", "or", "xor"):
                yield f"setp.{cmp}.{combine}.{t} p8|p7,{a},{b},p1; selp.u32 r11,3,5,p7; {RESULT['p'][1]} st.global.u32 [gq+160],r11;"
            yield f"set.{cmp}.u32.{t} r10,{a},{b}; st.global.u32 [gq+128],r10;"
            yield f"set.{cmp}.f32.{t} f10,{a},{b}; st.global.f32 [gq+128],f10;"
    for cmp in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        for t, a, b in (("f32", "f4", "f5"), ("ftz.f32", "f4", "f1"), ("f32", "f4", "0f3F000000"),
                        ("f32", "f1", "f2"), ("f64", "x4", "x5"), ("f64", "x4", "x1"),
                        ("f64", "x4", "0d3FE0000000000000"), ("f64", "x1", "x2")):
            yield f"setp.{cmp}.{t} p8,{a},{b}; {RESULT['p'][1]}"
            yield f"setp.{cmp}.or.{t} p8|p7,{a},{b},!p1; selp.u32 r11,3,5,p7; {RESULT['p'][1]} st.global.u32 [gq+160],r11;"
            yield f"set.{cmp}.u32.{t} r10,{a},{b}; st.global.u32 [gq+128],r10;"
            yield f"set.{cmp}.and.f32.{t} f10,{a},{b},p1; st.global.f32 [gq+128],f10;"
        for t in ("f16x2", "ftz.f16x2", "bf16x2"):
            yield f"setp.{cmp}.{t} p8|p7,r4,r5; selp.u32 r11,3,5,p7; {RESULT['p'][1]} st.global.u32 [gq+160],r11;"
            yield f"setp.{cmp}.and.{t} p8|p7,r4,r1,p1; selp.u32 r11,3,5,p7; {RESULT['p'][1]} st.global.u32 [gq+160],r11;"
            yield f"set.{cmp}.{t.split('.')[-1]}.{t} r10,r4,r5; st.global.u32 [gq+128],r10;"
            yield f"set.{cmp}.u32.{t.replace('x2','')} r10,h4,h5; st.global.u32 [gq+128],r10;"
    for op in ("and", "or", "xor"):
        yield f"{op}.pred p8,p1,p2; {RESULT['p'][1]}"
        yield f"{op}.pred p8,p1,p3; {op}.pred p8,p8,p2; {RESULT['p'][1]}"
    yield f"not.pred p8,p1; and.pred p8,p8,p3; {RESULT['p'][1]}"


def conversions():
    reg = {"u8": "h4", "s8": "h4", "u16": "h4", "s16": "h4", "u32": "r4", "s32": "r4", "u64": "rd4",
           "s64": "rd4", "f16": "h4", "bf16": "h4", "f32": "f4", "f64": "x4"}
    const = {"u32": "r1", "s32": "r1", "u64": "rd1", "s64": "rd1", "f32": "f1", "f64": "x1", "f16": "h1"}
    integers = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    floats = ["f16", "bf16", "f32", "f64"]
    out = {"u8": "h", "s8": "h", "u16": "h", "s16": "h", "u32": "r", "s32": "r", "u64": "d", "s64": "d",
           "f16": "h", "bf16": "h", "f32": "f", "f64": "x"}
    for d, s in itertools.product(integers + floats, integers + floats):
        register, store = RESULT[out[d]]
        if d in integers and s in integers:
            mods = ["", ".sat"]
        elif d in integers:
            mods = [f".{r}i{z}{sat}" for r in ("rn", "rz", "rm", "rp") for z in ("", ".ftz") for sat in ("", ".sat")]
        elif s in integers:
            mods = [f".{r}" for r in ("rn", "rz", "rm", "rp")]
        else:
            mods = [f"{r}{z}{sat}" for r in ("", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi")
                    for z in ("", ".ftz") for sat in ("", ".sat", ".relu")]
        for mod in mods:
            yield f"cvt{mod}.{d}.{s} {register},{reg[s]}; {store}"
            if s in const and mod == mods[0]:
                yield f"cvt{mod}.{d}.{s} {register},{const[s]}; {store}"
                yield f"neg.{s if s[0] in 'sf' else 's32'} {const[s]},{const[s]}; cvt{mod}.{d}.{s} {register},{const[s]}; {store}"
    for d in ("f16x2", "bf16x2"):
        for r in ("rn", "rz", "rn.relu", "rz.relu", "rn.satfinite", "rs", "rs.relu"):
            extra = ",r4" if r.startswith("rs") else ""
            for b in ("f5", "f1", "0f3F800000"):
                yield f"cvt.{r}.{d}.f32 r10,f4,{b}{extra}; st.global.u32 [gq+128],r10;"
    for d in ("e4m3x2", "e5m2x2"):
        for r in ("", ".relu"):
            yield f"cvt.rn.satfinite{r}.{d}.f32 h10,f4,f5; st.global.b16 [gq+128],h10;"
            yield f"cvt.rn.satfinite{r}.{d}.f16x2 h10,r4; st.global.b16 [gq+128],h10;"
            yield f"cvt.rn{r}.f16x2.{d} r10,h4; st.global.u32 [gq+128],r10;"
    for d in ("e2m1x2",):
        for r in ("", ".relu"):
            yield f"{{.reg .b8 t; cvt.rn.satfinite{r}.{d}.f32 t,f4,f5; cvt.u16.u8 h10,t; st.global.b16 [gq+128],h10;}}"
    for d in ("e2m3x2", "e3m2x2"):
        yield f"cvt.rn.satfinite.{d}.f32 h10,f4,f5; st.global.b16 [gq+128],h10;"
        yield f"cvt.rn.f16x2.{d} r10,h4; st.global.u32 [gq+128],r10;"
    for r in ("rz", "rp", "rz.satfinite"):
        yield f"cvt.{r}.ue8m0x2.f32 h10,f4,f5; st.global.b16 [gq+128],h10;"
        yield f"cvt.{r}.ue8m0x2.bf16x2 h10,r4; st.global.b16 [gq+128],h10;"
    yield "cvt.rn.bf16x2.ue8m0x2 r10,h4; st.global.u32 [gq+128],r10;"
    for r in ("rna", "rn", "rz", "rn.relu", "rna.satfinite", "rn.satfinite"):
        yield f"cvt.{r}.tf32.f32 r10,f4; st.global.u32 [gq+128],r10;"
    for d, s in itertools.product(("s8", "u8", "s4", "u4", "s2", "u2", "s16", "u16"), ("s32",)):
        yield f"cvt.pack.sat.{d}.{s}.b32 r10,r4,r5,r6; st.global.u32 [gq+128],r10;"
        yield f"cvt.pack.sat.{d}.{s} r10,r4,r5; st.global.u32 [gq+128],r10;"
    for lane in range(4):
        yield f"bfe.u32 r10,r4,{8 * lane},8; cvt.rn.f32.u32 f10,r10; st.global.f32 [gq+128],f10;"
        yield f"bfe.s32 r10,r4,{8 * lane},8; cvt.rn.f32.s32 f10,r10; st.global.f32 [gq+128],f10;"
    yield "shr.u32 r10,r4,16; cvt.rn.f32.u32 f10,r10; st.global.f32 [gq+128],f10;"
    yield "cvta.shared.u64 rd10,rd4; st.global.u64 [gq+128],rd10;"
    yield "cvta.local.u64 rd10,rd4; st.global.u64 [gq+128],rd10;"
    yield "cvta.const.u64 rd10,rd4; st.global.u64 [gq+128],rd10;"
    for space in ("global", "shared", "local", "const", "param", "shared::cta", "shared::cluster"):
        yield f"cvta.to.{space}.u64 rd10,rd4; st.global.u64 [gq+128],rd10;"
        yield f"isspacep.{space} p8,rd4; {RESULT['p'][1]}"


def video():
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for t in ("s32.s32.s32", "u32.u32.u32", "s32.u32.s32"):
            for a in ("r4", "r4.b1", "r4.h1"):
                yield f"{op}.{t} r10,{a},r5; st.global.u32 [gq+128],r10;"
                yield f"{op}.{t}.sat.add r10,{a},r5.b2,r6; st.global.u32 [gq+128],r10;"
    for op in ("vshl", "vshr"):
        yield f"{op}.u32.u32.u32.clamp r10,r4,r5; st.global.u32 [gq+128],r10;"
        yield f"{op}.s32.s32.u32.wrap.add r10,r4,r5,r6; st.global.u32 [gq+128],r10;"
    yield "vmad.s32.s32.s32 r10,r4.b0,r5.b1,r6; st.global.u32 [gq+128],r10;"
    yield "vmad.s32.u32.s32.shr7 r10,r4.h0,r5.h1,r6; st.global.u32 [gq+128],r10;"
    yield "vset.s32.u32.lt r10,r4.b1,r5; st.global.u32 [gq+128],r10;"
    for op in ("vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"):
        for t in ("s32.s32.s32", "u32.u32.u32"):
            for sat in ("", ".sat", ".add"):
                yield f"{op}.{t}{sat} r10,r4,r5,r6; st.global.u32 [gq+128],r10;"
    for op in ("vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2"):
        yield f"{op}.s32.s32.s32 r10,r4,r5,r6; st.global.u32 [gq+128],r10;"
    yield "vset4.u32.u32.ne r10,r4,r5,r6; st.global.u32 [gq+128],r10;"
    yield "vset2.u32.u32.lt r10,r4,r5,r6; st.global.u32 [gq+128],r10;"


def memory():
    sizes = {"u8": "h", "s8": "h", "u16": "h", "s16": "h", "u32": "r", "u64": "d"}
    spaces = {"global": ("gq", "gp"), "shared": ("sp", "smem"), "local": ("r8", "lcl"), "": ("gq", "gp")}
    for space, (a, b) in spaces.items():
        dot = f".{space}" if space else ""
        for t, kind in sizes.items():
            register, store = RESULT[kind]
            for address in (a, b, f"{a}+20", f"{b}-16" if space in ("global", "") else f"{b}+32"):
                if space == "local" and address.startswith("r8"):
                    address = address.replace("r8", "lp")
                for mod in ("", ".volatile", ".relaxed.gpu", ".acquire.sys", ".relaxed.cta", ".relaxed.cluster", ".mmio.relaxed.sys"):
                    if mod and space == "local":
                        continue
                    yield f"ld{mod}{dot}.{t} {register},[{address}]; {store}"
                    if t not in ("s8", "s16"):
                        smod = mod.replace("acquire", "release")
                        yield f"st{smod}{dot}.{t} [{address}],{register.replace('10', '4')};"
        for cache in ("ca", "cg", "cs", "lu", "cv"):
            yield f"ld{dot}.{cache}.u32 r10,[{a.replace('r8', 'lp')}]; st.global.u32 [gq+128],r10;"
        for cache in ("wb", "cg", "cs", "wt"):
            yield f"st{dot}.{cache}.u32 [{a.replace('r8', 'lp')}],r4;"
        for vec, regs in (("v2.u32", "{r10,r11}"), ("v4.u32", "{r10,r11,r12,r13}"), ("v2.u64", "{rd10,rd11}"),
                          ("v4.u8", "{h10,h11,h12,h13}")):
            if "rd" in regs:
                store = "st.global.v2.u64 [gq+128],{rd10,rd11};"
            elif "h" in regs:
                store = "st.global.v4.u8 [gq+128],{h10,h11,h12,h13};"
            else:
                store = "".join(f"st.global.u32 [gq+{128 + 4 * i}],{r};" for i, r in enumerate(regs.strip("{}").split(",")))
            yield f"ld{dot}.{vec} {regs},[{a.replace('r8', 'lp')}]; {store}"
        yield f"st{dot}.v2.u32 [{a.replace('r8', 'lp')}],{{r4,r5}}; st{dot}.v4.u32 [{a.replace('r8', 'lp')}+16],{{r4,r5,r6,r7}};"
    yield "ld.global.v8.b32 {r10,r11,r12,r13,r14,r15,r16,r17},[gq]; st.global.v8.b32 [gq+128],{r17,r11,r12,r13,r14,r15,r16,r10};"
    yield "ld.global.v4.b64 {rd10,rd11,rd12,rd13},[gq]; st.global.v4.b64 [gq+128],{rd13,rd11,rd12,rd10};"
    for hint in ("L1::evict_first", "L1::evict_last", "L1::evict_unchanged", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B",
                 "L1::evict_last.L2::128B", "L1::no_allocate.L2::256B"):
        yield f"ld.global.{hint}.u32 r10,[gq]; st.global.u32 [gq+128],r10;"
        yield f"ld.global.nc.{hint}.u32 r10,[gq]; st.global.u32 [gq+128],r10;"
        yield f"st.global.{hint.split('.')[0]}.u32 [gq],r4;"
        yield f"ld.{hint}.u32 r10,[gq]; st.global.u32 [gq+128],r10;"
    for mod in ("ca", "cg", "cs"):
        yield f"ld.global.{mod}.nc.u32 r10,[gq]; st.global.u32 [gq+128],r10;"
    for t in ("u8", "s8", "u16", "s16"):
        yield f"ld.global.nc.{t} h10,[gq]; {RESULT['h'][1]}"
    for level in ("global.L1", "global.L2", "local.L1", "local.L2", "L1", "L2"):
        yield f"prefetch.{level} [{'lp' if 'local' in level else 'gq'}];"
    yield "prefetchu.L1 [gq];"
    for evict in ("global.L2::evict_last", "global.L2::evict_normal"):
        yield f"prefetch.{evict} [gq];"
    yield "discard.global.L2 [gq],128;"
    yield "applypriority.global.L2::evict_normal [gq],128;"
    yield "createpolicy.fractional.L2::evict_last.b64 rd10,0.5; ld.global.L2::cache_hint.u32 r10,[gq],rd10; st.global.L2::cache_hint.u32 [gq+128],r10,rd10;"
    yield "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 rd10,[gq],r4,r5; st.global.u64 [gq+128],rd10;"
    yield "createpolicy.cvt.L2.b64 rd10,0x10F0000000000000; st.global.u64 [gq+128],rd10;"
    # constant memory and local arrays
    for t, kind in sizes.items():
        register, store = RESULT[kind]
        yield f"ld.const.{t} {register},[cmem+64]; {store}"
        yield f"cvt.u64.u32 rd12,r4; mov.u64 rd13,cmem; add.u64 rd12,rd12,rd13; ld.const.{t} {register},[rd12+8]; {store}"
        yield f"cvt.u64.u32 rd12,r1; mov.u64 rd13,cmem; add.u64 rd12,rd12,rd13; ld.const.{t} {register},[rd12+8]; {store}"
        yield f"and.b32 r10,r4,15; cvt.u64.u32 rd12,r10; add.u64 rd12,rd12,lp; st.local.u32 [rd12],r5; ld.local.{t} {register},[lp+24]; {store}"
        yield f"and.b32 r10,r4,15; add.u32 r11,sp,r10; ld.shared.{t} {register},[r11+8]; {store}"
        yield f"shl.b32 r10,tid,2; mov.u32 r11,smem; add.u32 r11,r11,r10; add.u32 r12,r11,r1; ld.shared.{t} {register},[r12+8]; {store}"
        yield f"add.u32 r11,r1,r2; st.shared.{t.replace('s', 'u')} [r11+8],{register.replace('10', '4')};"
    for scale in (2, 4, 8, 16):
        yield f"mov.u32 r11,smem; mad.lo.u32 r12,r4,{scale},r11; ld.shared.u32 r10,[r12]; st.shared.u32 [r12+64],r5; st.global.u32 [gq+128],r10;"
    yield "alloca.u64 rd10,rd1; st.local.u32 [rd10],r1; ld.local.u32 r9,[rd10+4]; st.global.u32 [gp],r9;"
    yield "stacksave.u64 rd10; stackrestore.u64 rd10;"


def atomics():
    for op in ("add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"):
        for t in ("u32", "s32", "b32", "u64", "s64", "b64", "f32", "f64"):
            for space in (".global", ".shared", "", ".shared::cluster"):
                address = "sp" if "shared" in space else "gq"
                value = {"3": "r4", "6": "rd4"}[t[1]] if t[0] != "f" else {"3": "f4", "6": "x4"}[t[1]]
                register, store = RESULT[{"r4": "r", "rd4": "d", "f4": "f", "x4": "x"}[value]]
                for mod in ("", ".relaxed.cta", ".acq_rel.sys", ".release.gpu") if op in ("add", "exch") else ("",):
                    yield f"atom{mod}{space}.{op}.{t} {register},[{address}+8],{value}; {store}"
                    if op != "exch":
                        yield f"red{mod.replace('acq_rel', 'release')}{space}.{op}.{t} [{address}],{value};"
        yield f"atom.global.{op}.u32 r10,[gq],1; st.global.u32 [gq+128],r10;"
        yield f"red.shared.{op}.u32 [sp],1;"
    for t in ("f16", "bf16", "f16x2", "bf16x2"):
        value, kind = ("r4", "v") if t.endswith("x2") else ("h4", "h")
        for space in (".global", ".shared", ""):
            address = "sp" if space == ".shared" else "gq"
            for op in ("add", "min", "max"):
                yield f"atom{space}.{op}.noftz.{t} {RESULT[kind][0]},[{address}],{value}; {RESULT[kind][1]}"
                yield f"red{space}.{op}.noftz.{t} [{address}],{value};"
    for space in (".global", ".shared", ""):
        address = "sp" if space == ".shared" else "gq"
        yield f"atom{space}.cas.b32 r10,[{address}],r4,r5; st.global.u32 [gq+128],r10;"
        yield f"atom{space}.cas.b32 r10,[{address}+4],0,1; st.global.u32 [gq+128],r10;"
        yield f"atom{space}.cas.b64 rd10,[{address}],rd4,rd5; st.global.u64 [gq+128],rd10;"
        yield f"atom{space}.cas.b16 h10,[{address}],h4,h5; st.global.b16 [gq+128],h10;"
        yield f"{{.reg .b128 m,n; mov.b128 m,{{rd4,rd5}}; atom{space}.cas.b128 n,[{address}],m,m; mov.b128 {{rd10,rd11}},n; st.global.u64 [gq+128],rd10;}}"
        yield f"{{.reg .b128 m,n; mov.b128 m,{{rd4,rd5}}; atom{space}.exch.b128 n,[{address}],m; mov.b128 {{rd10,rd11}},n; st.global.u64 [gq+128],rd10;}}"
    for t, n in (("v2.f32", 2), ("v4.f32", 4)):
        regs = ",".join(["f4", "f5", "f6", "f4"][:n])
        outs = ",".join(["f10", "f11", "f12", "f13"][:n])
        yield f"atom.global.{t[:2]}.f32.add {{{outs}}},[gq],{{{regs}}}; st.global.f32 [gq+128],f10;"
        yield f"red.global.add.{t} [gq],{{{regs}}};"
        yield f"atom.global.add.{t} {{{outs}}},[gq],{{{regs}}}; st.global.f32 [gq+128],f10;"
    for op in ("add", "min", "max"):
        yield f"red.global.{op}.noftz.v2.f16x2 [gq],{{r4,r5}};"
        yield f"red.global.{op}.noftz.v4.bf16x2 [gq],{{r4,r5,r6,r7}};"
        yield f"red.global.{op}.noftz.v8.f16 [gq],{{h4,h5,h6,h4,h5,h6,h4,h5}};"


def warp():
    for mode in ("up", "down", "bfly", "idx"):
        for b, c in itertools.product(("r5", "1", "r1"), ("r6", "0x1f", "0x1c03")):
            yield f"shfl.sync.{mode}.b32 r10|p8,r4,{b},{c},-1; @p8 st.global.u32 [gq+128],r10;"
            yield f"shfl.sync.{mode}.b32 r10,r4,{b},{c},r7; st.global.u32 [gq+128],r10;"
    for mode in ("all", "any", "uni"):
        yield f"vote.sync.{mode}.pred p8,p1,-1; {RESULT['p'][1]}"
        yield f"vote.sync.{mode}.pred p8,p3,r4; {RESULT['p'][1]}"
    yield "vote.sync.ballot.b32 r10,p1,-1; st.global.u32 [gq+128],r10;"
    yield "vote.sync.ballot.b32 r10,!p3,r4; st.global.u32 [gq+128],r10;"
    for t, s in (("b32", "r4"), ("b64", "rd4")):
        yield f"match.any.sync.{t} r10,{s},-1; st.global.u32 [gq+128],r10;"
        yield f"match.all.sync.{t} r10|p8,{s},r5; @p8 st.global.u32 [gq+128],r10;"
    for op, t in (("add", "u32"), ("add", "s32"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"),
                  ("and", "b32"), ("or", "b32"), ("xor", "b32"), ("min", "f32"), ("max", "f32"), ("min.abs.NaN", "f32"),
                  ("max.abs", "f32"), ("max.NaN", "f32")):
        value, (register, store) = ("f4", RESULT["f"]) if t == "f32" else ("r4", RESULT["r"])
        yield f"redux.sync.{op}.{t} {register},{value},-1; {store}"
        yield f"redux.sync.{op}.{t} {register},{value},r5; {store}"
    yield "activemask.b32 r10; st.global.u32 [gq+128],r10;"
    yield "elect.sync r10|p8,-1; @p8 st.global.u32 [gq+128],r10;"
    yield "bar.warp.sync -1;"
    yield "bar.warp.sync r4;"
    yield "movmatrix.sync.aligned.m8n8.trans.b16 r10,r4; st.global.u32 [gq+128],r10;"
    for n, regs in ((1, "{r10}"), (2, "{r10,r11}"), (4, "{r10,r11,r12,r13}")):
        stores = "".join(f"st.global.u32 [gq+{128 + 4 * i}],{r};" for i, r in enumerate(regs.strip("{}").split(",")))
        for t in ("", ".trans"):
            for address in ("sp", "sp+32", "smem+64", "mp"):
                yield f"ldmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 {regs},[{address}]; {stores}"
                yield f"stmatrix.sync.aligned.m8n8.x{n}{t}.shared.b16 [{address}],{regs.replace('r1', 'r')};".replace("r0", "r4").replace("{r1", "{r5")
        yield f"add.u32 r14,sp,r1; ldmatrix.sync.aligned.m8n8.x{n}.shared.b16 {regs},[r14]; {stores}"
        if n > 1:
            yield f"ldmatrix.sync.aligned.m16n16.x{n // 2}.trans.shared.b8 {regs},[sp]; {stores}"
            yield f"ldmatrix.sync.aligned.m16n16.x{n // 2}.trans.shared.b8x16.b6x16_p32 {regs},[sp]; {stores}"
        yield f"ldmatrix.sync.aligned.m8n16.x{n}.shared.b8x16.b4x16_p64 {regs},[sp]; {stores}"
        yield f"stmatrix.sync.aligned.m16n8.x{n}.trans.shared.b8 [sp],{{{','.join(['r4', 'r5', 'r6', 'r7'][:n])}}};"


def barriers():
    yield "bar.sync 0;"
    for a in ("0", "3", "r1", "r4"):
        for b in ("", ",64", ",r2", ",r5"):
            for form in ("bar.sync", "barrier.sync", "barrier.cta.sync.aligned"):
                yield f"{form} {a}{b};"
            if b:
                yield f"bar.arrive {a}{b}; barrier.arrive {a}{b};"
            yield f"bar.red.popc.u32 r10,{a}{b},p1; st.global.u32 [gq+128],r10;"
            yield f"bar.red.and.pred p8,{a}{b},p1; {RESULT['p'][1]}"
            yield f"barrier.red.or.pred p8,{a}{b},!p3; {RESULT['p'][1]}"
    for fence in ("membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys",
                  "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys", "fence.sc.cluster", "fence.acq_rel.cluster", "fence.proxy.alias",
                  "fence.proxy.async", "fence.proxy.async.global", "fence.proxy.async.shared::cta",
                  "fence.mbarrier_init.release.cluster", "fence.proxy.tensormap::generic.release.gpu",
                  "fence.acquire.sync_restrict::shared::cluster.cluster", "fence.release.sync_restrict::shared::cta.cluster"):
        yield f"{fence};"
    for text in ("fence.proxy.tensormap::generic.acquire.gpu [gq],128;", "pmevent 3;", "pmevent.mask 0x55;", "brkpt;", "trap;",
                 "exit;", "@p1 exit;", "nanosleep.u32 100;", "nanosleep.u32 r4;", "nanosleep.u32 r1;", "griddepcontrol.wait;",
                 "griddepcontrol.launch_dependents;", "barrier.cluster.arrive; barrier.cluster.wait;",
                 "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;",
                 "barrier.cluster.arrive.relaxed;", "setmaxnreg.inc.sync.aligned.u32 160;", "setmaxnreg.dec.sync.aligned.u32 40;"):
        yield text
    for size in ("4", "8", "16"):
        for address in ("[sp],[gq]", "[sp+64],[gq+128]", "[smem],[gp]", "[mp+16],[gq-16]"):
            yield f"cp.async.ca.shared.global {address},{size};"
            yield f"cp.async.ca.shared.global {address},{size},r4;"
            yield f"@p1 cp.async.ca.shared.global {address},{size};"
            yield f"cp.async.ca.shared.global {address},{size},p1;"
            for l2 in ("64B", "128B", "256B"):
                yield f"cp.async.ca.shared.global.L2::{l2} {address},{size};"
    yield "cp.async.cg.shared.global [sp],[gq],16;"
    yield "cp.async.cg.shared.global.L2::128B [sp],[gq],16,r4;"
    yield "add.u32 r14,sp,r1; cp.async.cg.shared.global [r14],[gq],16;"
    yield "add.u64 rd14,gp,rd1; cp.async.ca.shared.global [sp],[rd14],4;"
    for n in (0, 1, 3, 7):
        yield f"cp.async.commit_group; cp.async.wait_group {n};"
    yield "cp.async.wait_all;"
    yield "cp.async.mbarrier.arrive.shared.b64 [mp];"
    yield "cp.async.mbarrier.arrive.noinc.shared.b64 [mp];"
    for text in ("mbarrier.init.shared.b64 [mp],r1;", "mbarrier.init.shared.b64 [mp],7;", "mbarrier.inval.shared.b64 [mp];",
                 "mbarrier.arrive.shared.b64 rd10,[mp]; st.global.u64 [gq],rd10;", "mbarrier.arrive.shared.b64 _,[mp];",
                 "mbarrier.arrive.shared.b64 rd10,[mp],3; st.global.u64 [gq],rd10;", "mbarrier.arrive.noComplete.shared.b64 rd10,[mp],3; st.global.u64 [gq],rd10;",
                 "mbarrier.arrive_drop.shared.b64 rd10,[mp]; st.global.u64 [gq],rd10;",
                 "mbarrier.test_wait.shared.b64 p8,[mp],rd4; @p8 st.global.u32 [gq],r1;",
                 "mbarrier.try_wait.shared.b64 p8,[mp],rd4; @p8 st.global.u32 [gq],r1;",
                 "mbarrier.try_wait.parity.shared.b64 p8,[mp],r4; @p8 st.global.u32 [gq],r1;",
                 "mbarrier.try_wait.parity.shared.b64 p8,[mp],r4,r5; @p8 st.global.u32 [gq],r1;",
                 "mbarrier.test_wait.parity.shared.b64 p8,[mp],1; @p8 st.global.u32 [gq],r1;",
                 "mbarrier.arrive.expect_tx.shared.b64 rd10,[mp],r1; st.global.u64 [gq],rd10;",
                 "mbarrier.arrive.expect_tx.shared.b64 _,[mp],64;", "mbarrier.expect_tx.relaxed.cta.shared.b64 [mp],r1;",
                 "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [mp],r1;",
                 "mapa.shared::cluster.u32 r10,mp,r1; mbarrier.arrive.release.cluster.shared::cluster.b64 _,[r10];",
                 "mapa.shared::cluster.u32 r10,mp,r4; mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _,[r10],r5;",
                 "mbarrier.pending_count.b64 r10,rd4; st.global.u32 [gq],r10;"):
        yield text


def special():
    names = ["tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "laneid", "warpid", "nwarpid", "ctaid.x", "ctaid.y",
             "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z", "smid", "nsmid", "gridid", "lanemask_eq", "lanemask_le",
             "lanemask_lt", "lanemask_ge", "lanemask_gt", "clock", "clock_hi", "pm0", "pm1", "pm7", "envreg3", "total_smem_size",
             "dynamic_smem_size", "aggr_smem_size", "globaltimer_lo", "globaltimer_hi", "is_explicit_cluster", "clusterid.x", "nclusterid.y",
             "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x", "cluster_ctarank", "cluster_nctarank",
             "reserved_smem_offset_begin", "reserved_smem_offset_cap", "reserved_smem_offset_0"]
    for name in names:
        yield f"mov.u32 r10,%{name}; st.global.u32 [gq],r10;"
        yield f"mov.u32 r10,%{name}; add.u32 r10,r10,r1; st.global.u32 [gp],r10;"
    for name in ("clock64", "globaltimer", "gridid", "pm0_64", "current_graph_exec"):
        yield f"mov.u64 rd10,%{name}; st.global.u64 [gq],rd10;"


def control():
    yield "bra L0; L0: st.global.u32 [gq],r4;"
    yield "@p1 bra L0; st.global.u32 [gq],r4; L0: st.global.u32 [gq+4],r4;"
    yield "@p3 bra.uni L0; st.global.u32 [gq],r4; L0: st.global.u32 [gq+4],r4;"
    yield "L0: st.global.u32 [gq],r4; add.s32 r4,r4,-1; setp.gt.s32 p8,r4,0; @p8 bra L0;"
    yield "L0: st.global.u32 [gq],r4; add.s32 r4,r4,-1; bar.warp.sync r5; setp.gt.s32 p8,r4,0; @p8 bra L0;"
    yield ("{ts: .branchtargets A0,A1,A2,A3; brx.idx r4,ts; A0: st.global.u32 [gq],r4; bra E; A1: st.global.u32 [gq+4],r5; bra E;"
           "A2: st.global.u32 [gq+8],r6; bra E; A3: st.global.u32 [gq+12],r7; E: st.global.u32 [gq+20],r1;}")
    yield ("{ts: .branchtargets A0,A1,A2,A3; brx.idx r1,ts; A0: st.global.u32 [gq],r4; bra E; A1: st.global.u32 [gq+4],r5; bra E;"
           "A2: st.global.u32 [gq+8],r6; bra E; A3: st.global.u32 [gq+12],r7; E: st.global.u32 [gq+20],r1;}")
    yield "{.reg .u64 t; proto: .callprototype (.param .b32 _) _ (.param .b32 _); {.param .b32 x0,y0; st.param.b32 [x0],r4; call (y0),rd4,(x0),proto; ld.param.b32 r10,[y0];} st.global.u32 [gq],r10;}"
    yield "{.reg .u64 t; proto: .callprototype (.param .b32 _) _ (.param .b32 _); {.param .b32 x0,y0; st.param.b32 [x0],r4; call (y0),rd1,(x0),proto; ld.param.b32 r10,[y0];} st.global.u32 [gq],r10;}"


def textures():
    for mode, coordinates in (("1d", "f4"), ("2d", "{f4,f5}"), ("3d", "{f4,f5,f6,f6}"), ("a1d", "{r4,f4}"),
                              ("a2d", "{r4,f4,f5,f5}"), ("cube", "{f4,f5,f6,f6}"), ("acube", "{r4,f4,f5,f6}")):
        for t in ("f32", "s32", "u32"):
            out = "{f10,f11,f12,f13}" if t == "f32" else "{r10,r11,r12,r13}"
            letter = "f" if t == "f32" else "r"
            for mask in (0b1111, 0b0001, 0b0101):
                store = "".join(f"st.global.b32 [gq+{128 + 4 * i}],{letter}{10 + i};" for i in range(4) if mask >> i & 1)
                for handle in ("rd1", "rd4"):
                    yield f"tex.{mode}.v4.{t}.f32 {out},[{handle},{coordinates}]; {store}"
                yield f"tex.level.{mode}.v4.{t}.f32 {out},[rd1,{coordinates}],f6; {store}"
                if "cube" not in mode:
                    yield f"tex.base.{mode}.v4.{t}.f32 {out},[rd1,{coordinates}]; {store}"
                    grad = {"1d": "{f4},{f5}", "2d": "{f4,f5},{f5,f6}", "3d": "{f4,f5,f6,f6},{f6,f5,f4,f4}"}[mode.replace("a", "")]
                    yield f"tex.grad.{mode}.v4.{t}.f32 {out},[rd1,{coordinates}],{grad}; {store}"
    for mode, coordinates in (("1d", "r4"), ("2d", "{r4,r5}"), ("3d", "{r4,r5,r6,r6}"), ("a1d", "{r4,r5}"), ("a2d", "{r4,r5,r6,r6}")):
        yield f"tex.{mode}.v4.f32.s32 {{f10,f11,f12,f13}},[rd1,{coordinates}]; st.global.v4.f32 [gq+128],{{f10,f11,f12,f13}};"
        yield f"tex.level.{mode}.v4.u32.s32 {{r10,r11,r12,r13}},[rd1,{coordinates}],r6; st.global.u32 [gq+128],r10;"
    yield "tex.2dms.v4.f32.s32 {f10,f11,f12,f13},[rd1,{r4,r5,r6,r6}]; st.global.v4.f32 [gq+128],{f10,f11,f12,f13};"
    yield "tex.a2dms.v4.f32.s32 {f10,f11,f12,f13},[rd1,{r4,r5,r6,r7}]; st.global.v4.f32 [gq+128],{f10,f11,f12,f13};"
    yield "tex.2d.v4.f32.f32 {f10,f11,f12,f13}|p8,[rd1,{f4,f5}]; @p8 st.global.v4.f32 [gq+128],{f10,f11,f12,f13};"
    yield "tex.2d.v4.f32.f32 {f10,f11,f12,f13},[rd1,{f4,f5}],{r4,r5}; st.global.v4.f32 [gq+128],{f10,f11,f12,f13};"
    yield "tex.2d.v4.f32.f32 {f10,f11,f12,f13},[rd1,{f4,f5}],f6; st.global.v4.f32 [gq+128],{f10,f11,f12,f13};"
    yield "tex.2d.v2.f16x2.f32 {r10,r11},[rd1,{f4,f5}]; st.global.v2.u32 [gq+128],{r10,r11};"
    for c in "rgba":
        yield f"tld4.{c}.2d.v4.f32.f32 {{f10,f11,f12,f13}},[rd1,{{f4,f5}}]; st.global.v4.f32 [gq+128],{{f10,f11,f12,f13}};"
        yield f"tld4.{c}.a2d.v4.u32.f32 {{r10,r11,r12,r13}},[rd1,{{r4,f4,f5,f5}}]; st.global.u32 [gq+128],r11;"
        yield f"tld4.{c}.2d.v4.f32.f32 {{f10,f11,f12,f13}},[rd1,{{f4,f5}}],{{r4,r5}}; st.global.v4.f32 [gq+128],{{f10,f11,f12,f13}};"
    yield "tld4.r.cube.v4.f32.f32 {f10,f11,f12,f13},[rd1,{f4,f5,f6,f6}]; st.global.v4.f32 [gq+128],{f10,f11,f12,f13};"
    for what in ("width", "height", "depth", "channel_data_type", "channel_order", "num_mipmap_levels", "array_size", "normalized_coords"):
        yield f"txq.{what}.b32 r10,[rd1]; st.global.u32 [gq+128],r10;"
        yield f"suq.{what}.b32 r10,[rd1]; st.global.u32 [gq+128],r10;"
    yield "txq.level.width.b32 r10,[rd1],r4; st.global.u32 [gq+128],r10;"
    for mode, coordinates in (("1d", "{r4}"), ("2d", "{r4,r5}"), ("3d", "{r4,r5,r6,r6}"), ("a1d", "{r4,r5}"), ("a2d", "{r4,r5,r6,r6}")):
        for clamp in ("trap", "clamp", "zero"):
            for t, regs in (("b8", "h"), ("b16", "h"), ("b32", "r"), ("b64", "rd"), ("v2.b32", "r"), ("v4.b32", "r"), ("v2.b64", "rd"), ("v4.b16", "h")):
                n = int(t[1]) if t[0] == "v" else 1
                outs = ",".join(f"{regs}{10 + i}" for i in range(n))
                ins = ",".join(f"{regs}{4 + (i % 2)}" for i in range(n))
                if n > 1:
                    outs, ins = "{" + outs + "}", "{" + ins + "}"
                width = {"h": "b16", "r": "b32", "rd": "b64"}[regs]
                store = "".join(f"st.global.{width} [gq+{128 + 8 * i}],{regs}{10 + i};" for i in range(n))
                handle = "rd1" if clamp != "clamp" else "rd4"
                yield f"suld.b.{mode}.{t}.{clamp} {outs},[{handle},{coordinates}]; {store}"
                yield f"sust.b.{mode}.{t}.{clamp} [{handle},{coordinates}],{ins};"
            for op in ("add", "min", "max", "and", "or"):
                for t in ("u32", "s32", "u64", "b32"):
                    value = "rd4" if "64" in t else "r4"
                    yield f"sured.b.{op}.{mode}.{t}.{clamp} [rd1,{coordinates}],{value};"
                    yield f"sured.p.{op}.{mode}.{t.replace('u64', 'u64')}.{clamp} [rd1,{coordinates}],{value};"
            yield f"sust.p.{mode}.v4.b32.{clamp} [rd1,{coordinates}],{{r4,r5,r6,r7}};"
            yield f"suld.b.{mode}.v4.b32.{clamp} {{r10,r11,r12,r13}},[rd4,{coordinates}]; st.global.v4.u32 [gq+128],{{r10,r11,r12,r13}};"
    for cache in ("ca", "cg", "cs", "cv"):
        yield f"suld.b.1d.{cache}.b32.trap r10,[rd1,{{r4}}]; st.global.u32 [gq+128],r10;"
    for cache in ("wb", "cg", "cs", "wt"):
        yield f"sust.b.1d.{cache}.b32.trap [rd1,{{r4}}],r5;"


def matrix():
    def mma(name, a, b, c, d, ctype="r", extra=""):
        outs = ",".join(f"m{i}" for i in range(d))
        regs = {"f": ".f32", "r": ".b32", "x": ".f64"}
        size = {"f": "f32", "r": "b32", "x": "f64"}[ctype]
        ab = "x" if name.endswith("f64.f64.f64.f64") else "r"
        loads = "".join(f"ld.global.{'f64' if ab == 'x' else 'b32'} a{i},[gq+{8 * i}];" for i in range(a))
        loads += "".join(f"ld.global.{'f64' if ab == 'x' else 'b32'} b{i},[gq+{64 + 8 * i}];" for i in range(b))
        loads += "".join(f"ld.global.{size} c{i},[gq+{96 + 8 * i}];" for i in range(c))
        stores = "".join(f"st.global.{size} [gq+{160 + 8 * i}],m{i};" for i in range(d))
        return (f"{{.reg .b32 aa; .reg {'.f64' if ab == 'x' else '.b32'} a<{a}>,b<{b}>; .reg {regs[ctype]} c<{c}>,m<{d}>; {loads}"
                f"{name} {{{outs}}},{{{','.join(f'a{i}' for i in range(a))}}},{{{','.join(f'b{i}' for i in range(b))}}},"
                f"{{{','.join(f'c{i}' for i in range(c))}}}{extra}; {stores}}}")
    p = "mma.sync.aligned."
    yield mma(p + "m8n8k4.row.col.f16.f16.f16.f16", 2, 2, 4, 4)
    for la, lb in itertools.product(("row", "col"), repeat=2):
        yield mma(p + f"m8n8k4.{la}.{lb}.f16.f16.f16.f16", 2, 2, 4, 4)
        yield mma(p + f"m8n8k4.{la}.{lb}.f32.f16.f16.f16", 2, 2, 4, 8, "f") if False else mma(p + f"m8n8k4.{la}.{lb}.f32.f16.f16.f32", 2, 2, 8, 8, "f")
    for k, a, b in ((8, 2, 1), (16, 4, 2)):
        yield mma(p + f"m16n8k{k}.row.col.f16.f16.f16.f16", a, b, 2, 2)
        yield mma(p + f"m16n8k{k}.row.col.f32.f16.f16.f32", a, b, 4, 4, "f")
        yield mma(p + f"m16n8k{k}.row.col.f32.bf16.bf16.f32", a, b, 4, 4, "f")
    for k, a, b in ((4, 2, 1), (8, 4, 2)):
        yield mma(p + f"m16n8k{k}.row.col.f32.tf32.tf32.f32", a, b, 4, 4, "f")
    yield mma(p + "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, 2, "x")
    for k, a, b in ((4, 2, 1), (8, 4, 2), (16, 8, 4)):
        yield mma(p + f"m16n8k{k}.row.col.f64.f64.f64.f64", a, b, 4, 4, "x")
    for sat in ("", ".satfinite"):
        for ta, tb in itertools.product(("s8", "u8"), repeat=2):
            yield mma(p + f"m8n8k16.row.col{sat}.s32.{ta}.{tb}.s32", 1, 1, 2, 2)
            yield mma(p + f"m16n8k16.row.col{sat}.s32.{ta}.{tb}.s32", 2, 1, 4, 4)
            yield mma(p + f"m16n8k32.row.col{sat}.s32.{ta}.{tb}.s32", 4, 2, 4, 4)
            yield mma("mma.sp.sync.aligned." + f"m16n8k32.row.col{sat}.s32.{ta}.{tb}.s32", 2, 2, 4, 4, "r", ",r4,0x0")
            yield mma("mma.sp.sync.aligned." + f"m16n8k64.row.col{sat}.s32.{ta}.{tb}.s32", 4, 4, 4, 4, "r", ",r4,0x0")
        for ta, tb in itertools.product(("s4", "u4"), repeat=2):
            yield mma(p + f"m8n8k32.row.col{sat}.s32.{ta}.{tb}.s32", 1, 1, 2, 2)
            yield mma(p + f"m16n8k32.row.col{sat}.s32.{ta}.{tb}.s32", 2, 1, 4, 4)
            yield mma(p + f"m16n8k64.row.col{sat}.s32.{ta}.{tb}.s32", 4, 2, 4, 4)
            yield mma("mma.sp.sync.aligned." + f"m16n8k64.row.col{sat}.s32.{ta}.{tb}.s32", 2, 2, 4, 4, "r", ",r4,0x0")
            yield mma("mma.sp.sync.aligned." + f"m16n8k128.row.col{sat}.s32.{ta}.{tb}.s32", 4, 4, 4, 4, "r", ",r4,0x0")
    for op in ("xor", "and"):
        yield mma(p + f"m8n8k128.row.col.s32.b1.b1.s32.{op}.popc", 1, 1, 2, 2)
        yield mma(p + f"m16n8k128.row.col.s32.b1.b1.s32.{op}.popc", 2, 1, 4, 4)
        yield mma(p + f"m16n8k256.row.col.s32.b1.b1.s32.{op}.popc", 4, 2, 4, 4)
    for selector in ("0x0", "0x1", "0x2", "0x3"):
        for ordered in ("", "::ordered_metadata"):
            s = f"mma.sp{ordered}.sync.aligned."
            for t in ("f16", "bf16"):
                for k, a, b in ((16, 2, 2), (32, 4, 4)):
                    yield mma(s + f"m16n8k{k}.row.col.f32.{t}.{t}.f32", a, b, 4, 4, "f", f",r4,{selector}")
                    if t == "f16":
                        yield mma(s + f"m16n8k{k}.row.col.f16.f16.f16.f16", a, b, 2, 2, "r", f",r4,{selector}")
            for k, a, b in ((8, 2, 2), (16, 4, 4)):
                yield mma(s + f"m16n8k{k}.row.col.f32.tf32.tf32.f32", a, b, 4, 4, "f", f",r4,{selector}")
    for ta, tb in itertools.product(("e4m3", "e5m2", "e3m2", "e2m3", "e2m1"), repeat=2):
        yield mma(p + f"m16n8k32.row.col.f32.{ta}.{tb}.f32", 4, 2, 4, 4, "f")
        yield mma(p + f"m16n8k32.row.col.f16.{ta}.{tb}.f16", 4, 2, 2, 2)
        yield mma(p + f"m16n8k32.row.col.kind::f8f6f4.f32.{ta}.{tb}.f32", 4, 2, 4, 4, "f")
        yield mma(f"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.{ta}.{tb}.f32", 4, 4, 4, 4, "f", ",r4,0x0")


def wgmma():
    """Warpgroup matrix instructions (sm_90a)."""
    def kernel(name, registers, kind, a, rest):
        outs = ",".join(f"m{i}" for i in range(registers))
        loads = "".join(f"ld.global.{kind} m{i},[gq+{8 * i}];" for i in range(registers))
        stores = "".join(f"st.global.{kind} [gq+{8 * i}],m{i};" for i in range(registers))
        fragments = "".join(f"ld.global.b32 a{i},[gq+{1024 + 8 * i}];" for i in range(4)) if "{" in a else ""
        return (f"{{.reg .{kind} m<{registers}>; .reg .b32 a<4>; {loads}{fragments} wgmma.fence.sync.aligned;"
                f"{name} {{{outs}}},{a},rd2,{rest}; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; {stores}}}")
    fragment = "{a0,a1,a2,a3}"
    for sparse in ("", ".sp"):
        k = 2 if sparse else 1
        meta = "r4,0," if sparse else ""
        p = f"wgmma.mma_async{sparse}.sync.aligned."
        for n in (8, 16, 24, 64, 128, 136, 256):
            for result, t in (("f32", "f16"), ("f16", "f16"), ("f32", "bf16")):
                name = p + f"m64n{n}k{16 * k}.{result}.{t}.{t}"
                count, kind = (n // 2, "f32") if result == "f32" else (n // 4, "b32")
                yield kernel(name, count, kind, "rd1", meta + "p1,1,1,0,0")
                yield kernel(name, count, kind, fragment, meta + "p1,1,1,0")
                if n in (8, 64):
                    yield kernel(name, count, kind, "rd1", meta + "1,-1,1,1,0")
                    yield kernel(name, count, kind, "rd1", meta + "0,1,-1,0,1")
                    yield kernel(name, count, kind, "rd1", meta + "p1,-1,-1,1,1")
                    yield kernel(name, count, kind, fragment, meta + "p1,-1,1,1")
                    yield kernel(name, count, kind, fragment, meta + "0,1,-1,0")
            name = p + f"m64n{n}k{8 * k}.f32.tf32.tf32"
            yield kernel(name, n // 2, "f32", "rd1", meta + "p1,1,1")
            yield kernel(name, n // 2, "f32", fragment, meta + "p1,1,-1")
            for result in ("f32", "f16"):
                for ta, tb in itertools.product(("e4m3", "e5m2"), repeat=2):
                    name = p + f"m64n{n}k{32 * k}.{result}.{ta}.{tb}"
                    count, kind = (n // 2, "f32") if result == "f32" else (n // 4, "b32")
                    yield kernel(name, count, kind, "rd1", meta + "p1,1,1")
                    yield kernel(name, count, kind, fragment, meta + "p1,-1,1")
            if n in (8, 16, 24, 64, 128, 256):
                for saturate in ("", ".satfinite"):
                    for ta, tb in itertools.product(("s8", "u8"), repeat=2):
                        name = p + f"m64n{n}k{32 * k}.s32.{ta}.{tb}{saturate}"
                        yield kernel(name, n // 2, "b32", "rd1", meta + "p1")
                        yield kernel(name, n // 2, "b32", fragment, meta + "p1")
                if not sparse:
                    name = p + f"m64n{n}k256.s32.b1.b1.and.popc"
                    yield kernel(name, n // 2, "b32", "rd1", "p1")
                    yield kernel(name, n // 2, "b32", fragment, "p1")
    for selector in (1, 2, 3):
        yield kernel(f"wgmma.mma_async.sp.sync.aligned.m64n16k32.f32.f16.f16", 8, "f32", "rd1", f"r4,{selector},p1,1,1,0,0")
        yield kernel(f"wgmma.mma_async.sp.sync.aligned.m64n16k64.f32.e4m3.e4m3", 8, "f32", fragment, f"r4,{selector},p1,1,1")
    # two in a row: only the last one sets the scoreboard
    two = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {m0,m1,m2,m3},rd1,rd2,p1,1,1,0,0;"
    yield ("{.reg .f32 m<4>; mov.f32 m0,0f00000000; mov.f32 m1,m0; mov.f32 m2,m0; mov.f32 m3,m0;"
           f"wgmma.fence.sync.aligned; {two}{two} wgmma.commit_group.sync.aligned; {two} wgmma.commit_group.sync.aligned;"
           f"wgmma.wait_group.sync.aligned 1; {two} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
           "st.global.v4.f32 [gq],{m0,m1,m2,m3};}")


def tensor_memory():
    """tcgen05 (sm_100a and its relatives)."""
    for cta in ("1", "2"):
        group = f"cta_group::{cta}"
        for columns in ("32", "512", "r4"):
            yield (f"tcgen05.alloc.{group}.sync.aligned.shared::cta.b32 [sp],{columns};"
                   f"tcgen05.dealloc.{group}.sync.aligned.b32 r5,{columns};"
                   f"tcgen05.relinquish_alloc_permit.{group}.sync.aligned;")
        yield f"tcgen05.alloc.{group}.sync.aligned.b32 [gq],64;"
        for source in ("r4", "r1"):
            yield f"tcgen05.shift.{group}.down [{source}];"
        for shape in ("128x256b", "4x256b", "128x128b", "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4"):
            for form in ("", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"):
                yield f"tcgen05.cp.{group}.{shape}{form} [r4],rd4;"
                yield f"tcgen05.cp.{group}.{shape}{form} [r1],rd1;"
        for space in ("", ".shared::cluster"):
            address = "mp" if space else "gq"
            yield f"tcgen05.commit.{group}.mbarrier::arrive::one{space}.b64 [{address}];"
            yield f"tcgen05.commit.{group}.mbarrier::arrive::one{space}.multicast::cluster.b64 [{address}],h4;"
            yield f"tcgen05.commit.{group}.mbarrier::arrive::one{space}.multicast::cluster.b64 [{address}],h1;"
        lanes = "{r1,r2,r3,r4" + (",r1,r2,r3,r5}" if cta == "2" else "}")
        for sparse in ("", ".sp"):
            meta = "[r3]," if sparse else ""
            for kind in ("f16", "tf32", "f8f6f4", "i8"):
                name = f"tcgen05.mma{sparse}.{group}.kind::{kind}"
                for a in ("rd1", "[r1]"):
                    for enable in ("p1", "p3"):
                        yield f"{name} [r4],{a},rd2,{meta}r2,{enable};"
                    yield f"{name} [r4],{a},rd2,{meta}r2,1;".replace(",1;", ",p3;")
                    yield f"{name} [r4],{a},rd2,{meta}r2,{lanes},p1;"
                    for scale in (0, 3, 15):
                        yield f"{name} [r4],{a},rd2,{meta}r2,p1,{scale};"
                    for use in ("fill", "use", "lastuse", "discard"):
                        yield f"{name}.collector::a::{use} [r4],{a},rd2,{meta}r2,p1;"
                    if a[0] == "[":
                        for use in ("fill", "lastuse", "discard"):
                            yield f"{name}.ashift.collector::a::{use} [r4],{a},rd2,{meta}r2,p1;"
                        yield f"{name}.ashift [r4],{a},rd2,{meta}r2,p1;"
                if cta == "1":
                    name = f"tcgen05.mma.ws{sparse}.{group}.kind::{kind}"
                    for a in ("rd1", "[r1]"):
                        yield f"{name} [r4],{a},rd2,{meta}r2,p1;"
                        yield f"{name} [r4],{a},rd2,{meta}r2,p1,rd5;"
                        for buffer, use in itertools.product(range(4), ("fill", "use", "lastuse", "discard")):
                            yield f"{name}.collector::b{buffer}::{use} [r4],{a},rd2,{meta}r2,p1;"
            for kind, vectors in (("mxf8f6f4", ("", ".scale_vec::1X", ".block32")), ("mxf4", ("", ".scale_vec::2X", ".block32")),
                                  ("mxf4nvf4", (".scale_vec::2X", ".scale_vec::4X", ".block16", ".block32"))):
                for vector in vectors:
                    name = f"tcgen05.mma{sparse}.{group}.kind::{kind}.block_scale{vector}"
                    for a in ("rd1", "[r1]"):
                        yield f"{name} [r4],{a},rd2,{meta}r2,[r5],[r6],p1;"
                        yield f"{name} [r4],{a},rd2,{meta}r2,[r1],[r2],p3;"
                        for use in ("fill", "use", "lastuse", "discard"):
                            yield f"{name}.collector::a::{use} [r4],{a},rd2,{meta}r2,[r5],[r6],p1;"
    for shape, first, factor in (("16x64b", 1, 1), ("16x128b", 1, 2), ("16x256b", 1, 4), ("32x32b", 1, 1), ("16x32bx2", 1, 1)):
        count = first
        while count * factor <= 128:
            registers = count * factor
            outs = "{" + ",".join(f"m{i}" for i in range(registers)) + "}" if registers > 1 else "{m0}"
            loads = "".join(f"ld.global.b32 m{i},[gq+{4 * i}];" for i in range(registers))
            stores = "".join(f"st.global.b32 [gq+{4 * i}],m{i};" for i in range(registers))
            offset = ",16" if shape == "16x32bx2" else ""
            for pack, address in itertools.product(("", "16b"), ("r4", "r1", "r4+32")):
                p = f".pack::{pack}" if pack else ""
                u = f".unpack::{pack}" if pack else ""
                yield (f"{{.reg .b32 m<{registers}>; tcgen05.ld.sync.aligned.{shape}.x{count}{p}.b32 {outs},[{address}]{offset};"
                       f"tcgen05.wait::ld.sync.aligned; {stores}}}")
                yield (f"{{.reg .b32 m<{registers}>; {loads} tcgen05.st.sync.aligned.{shape}.x{count}{u}.b32 [{address}]{offset},{outs};"
                       "tcgen05.wait::st.sync.aligned;}")
            if shape in ("32x32b", "16x32bx2") and count > 1:
                for op, t in itertools.product(("min", "max"), ("u32", "s32", "f32", "abs.f32", "NaN.f32", "abs.NaN.f32")):
                    register = "b32" if t[-3] != "f" else "f32"
                    yield (f"{{.reg .{register} m<{registers}>,n; tcgen05.ld.red.sync.aligned.{shape}.x{count}.{op}.{t} {outs},n,[r4]{offset};"
                           f"tcgen05.wait::ld.sync.aligned; {stores.replace('b32', register)} st.global.{register} [gp],n;}}")
            count *= 2
    yield "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;"


def block_scale():
    """mma with block scales and the small floating-point types (sm_120a)."""
    def mma(name, a, b, d, kind, extra):
        loads = "".join(f"ld.global.b32 a{i},[gq+{8 * i}];" for i in range(a))
        loads += "".join(f"ld.global.b32 b{i},[gq+{64 + 8 * i}];" for i in range(b))
        loads += "".join(f"ld.global.{kind} c{i},[gq+{96 + 8 * i}];" for i in range(d))
        stores = "".join(f"st.global.{kind} [gq+{160 + 8 * i}],m{i};" for i in range(d))
        lists = ["{" + ",".join(f"{name}{i}" for i in range(n)) + "}" for name, n in (("m", d), ("a", a), ("b", b), ("c", d))]
        return (f"{{.reg .b32 a<{a}>,b<{b}>; .reg .{kind} c<{d}>,m<{d}>; {loads} {name} {','.join(lists)}{extra}; {stores}}}")
    small = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
    p = "mma.sync.aligned."
    s = "mma.sp::ordered_metadata.sync.aligned."
    selectors = [(0, 0, 0, 0), (1, 0, 2, 0), (3, 1, 3, 1), (2, 2, 0, 3), (0, 0, 1, 0)]

    def scales(first, second):
        for ba, ta, bb, tb in selectors:
            yield f",{first},{{{ba},{ta}}},{second},{{{bb},{tb}}}"
    for ta, tb in itertools.product(small, repeat=2):
        yield mma(p + f"m16n8k32.row.col.kind::f8f6f4.f32.{ta}.{tb}.f32", 4, 2, 4, "f32", "")
        yield mma(p + f"m16n8k32.row.col.kind::f8f6f4.f16.{ta}.{tb}.f16", 4, 2, 2, "b32", "")
        yield mma(s + f"m16n8k64.row.col.kind::f8f6f4.f32.{ta}.{tb}.f32", 4, 4, 4, "f32", ",r4,0x0")
        yield mma(s + f"m16n8k64.row.col.kind::f8f6f4.f16.{ta}.{tb}.f16", 4, 4, 2, "b32", ",r4,0x0")
        for extra in list(scales("r5", "r6"))[:5 if ta == tb else 1]:
            for vector in ("", ".scale_vec::1X"):
                yield mma(p + f"m16n8k32.row.col.kind::mxf8f6f4.block_scale{vector}.f32.{ta}.{tb}.f32.ue8m0", 4, 2, 4, "f32", extra)
                yield mma(s + f"m16n8k64.row.col.kind::mxf8f6f4.block_scale{vector}.f32.{ta}.{tb}.f32.ue8m0", 4, 4, 4, "f32", ",r4,0x0" + extra)
    for t in ("e4m3", "e5m2"):
        for k, a, b in ((16, 2, 1), (32, 4, 2)):
            yield mma(p + f"m16n8k{k}.row.col.f32.{t}.{t}.f32", a, b, 4, "f32", "")
            yield mma(p + f"m16n8k{k}.row.col.f16.{t}.{t}.f16", a, b, 2, "b32", "")
        yield mma("mma.sp.sync.aligned." + f"m16n8k64.row.col.f32.{t}.{t}.f32", 4, 4, 4, "f32", ",r4,0x0")
        yield mma("mma.sp.sync.aligned." + f"m16n8k64.row.col.f16.{t}.{t}.f16", 4, 4, 2, "b32", ",r4,0x0")
    for kind, vector, t in (("mxf4", ".scale_vec::2X", "ue8m0"), ("mxf4nvf4", ".scale_vec::2X", "ue8m0"), ("mxf4nvf4", ".scale_vec::4X", "ue4m3"), ("mxf4", "", "ue8m0"),
                            ("mxf4nvf4", ".scale_vec::4X", "ue8m0")):
        for extra in scales("r5", "r6"):
            yield mma(p + f"m16n8k64.row.col.kind::{kind}.block_scale{vector}.f32.e2m1.e2m1.f32.{t}", 4, 2, 4, "f32", extra)
            for selector in ("0x0", "0x1"):
                yield mma(s + f"m16n8k128.row.col.kind::{kind}.block_scale{vector}.f32.e2m1.e2m1.f32.{t}", 4, 4, 4, "f32", f",r4,{selector}" + extra)


def matrix_memory():
    """ldmatrix, stmatrix and movmatrix in all their shapes."""
    for shape, counts in (("m8n8", (1, 2, 4)), ("m16n16", (1, 2)), ("m8n16", (1, 2, 4))):
        for count, transpose in itertools.product(counts, ("", ".trans")):
            for form in (".b16", ".b8", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"):
                n = count * 2 if shape == "m16n16" else count
                outs = "{" + ",".join(f"r{10 + i}" for i in range(n)) + "}"
                stores = "".join(f"st.global.u32 [gq+{128 + 4 * i}],r{10 + i};" for i in range(n))
                for address in ("sp", "sp+128", "mp"):
                    yield f"ldmatrix.sync.aligned.{shape}.x{count}{transpose}.shared{form} {outs},[{address}]; {stores}"
    for shape, form in (("m8n8", ".b16"), ("m16n8", ".b8")):
        for count, transpose in itertools.product((1, 2, 4), ("", ".trans")):
            ins = "{" + ",".join(f"r{4 + i}" for i in range(count)) + "}"
            for address in ("sp", "sp+128", "mp"):
                yield f"stmatrix.sync.aligned.{shape}.x{count}{transpose}.shared{form} [{address}],{ins};"
    yield "movmatrix.sync.aligned.m8n8.trans.b16 r10,r4; st.global.u32 [gq+128],r10;"


def bulk():
    """Bulk copies, TMA, tensor maps (sm_90 and newer)."""
    done = "mbarrier::complete_tx::bytes"
    policies = (("", ""), (".L2::cache_hint", ",rd4"), (".L2::cache_hint", ",rd1"))
    for hint, policy in policies:
        for size in ("64", "r1", "r4"):
            for target in ("cluster", "cta"):
                yield f"cp.async.bulk.shared::{target}.global.{done}{hint} [mp],[gq],{size},[mp+512]{policy};"
                yield f"cp.async.bulk.shared::{target}.global.{done}{hint} [smem],[rd1],{size},[smem+512]{policy};"
                yield f"cp.async.bulk.shared::{target}.global.{done}.multicast::cluster{hint} [smem],[rd1],{size},[smem+512],h1{policy};"
                yield f"cp.async.bulk.shared::{target}.global.{done}.multicast::cluster{hint} [mp],[gq],{size},[mp+512],h4{policy};"
            yield f"cp.async.bulk.global.shared::cta.bulk_group{hint} [rd1],[smem],{size}{policy};"
            yield f"cp.async.bulk.global.shared::cta.bulk_group{hint} [gq],[sp],{size}{policy};"
            yield f"cp.async.bulk.global.shared::cta.bulk_group{hint}.cp_mask [rd1],[smem],{size}{policy},h1;"
            yield f"cp.async.bulk.global.shared::cta.bulk_group{hint}.cp_mask [gq],[sp],{size}{policy},h4;"
            yield f"cp.async.bulk.prefetch.L2.global{hint} [rd1],{size}{policy};"
            yield f"cp.async.bulk.prefetch.L2.global{hint} [gq],{size}{policy};"
        for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
            for t in ("u32", "s32", "u64", "s64", "b32", "b64", "f32", "f64", "f16", "bf16"):
                name = f"{op}.noftz" if t in ("f16", "bf16") and op == "add" else op
                yield f"cp.reduce.async.bulk.global.shared::cta.bulk_group{hint}.{name}.{t} [rd1],[smem],r1{policy};"
                if not hint:
                    yield f"cp.reduce.async.bulk.shared::cluster.shared::cta.{done}.{op}.{t} [r4],[smem],r1,[r5];"
    for size in ("64", "r1", "r4"):
        yield f"cp.async.bulk.shared::cluster.shared::cta.{done} [r4],[sp],{size},[r5];"
        yield f"cp.async.bulk.shared::cluster.shared::cta.{done} [r1],[smem],{size},[r2];"
    for dims in range(1, 6):
        coordinates = ",".join(["r1", "r2", "r3", "7", "r1"][:dims])
        moving = ",".join(["r4", "r5", "r6", "r7", "3"][:dims])
        offsets = ",".join(["h1", "h1", "h1"][:dims - 2])
        modes = [("", ""), (".tile", "")]
        if dims >= 3:
            modes += [(".im2col", f",{{{offsets}}}"), (".im2col::w", ",{h1,h1}"), (".im2col::w::128", ",{h1,h1}")]
        for (hint, policy), (mode, extra) in itertools.product(policies, modes):
            for where in ("shared::cluster", "shared::cta"):
                for group in ("", ".cta_group::1", ".cta_group::2"):
                    head = f"cp.async.bulk.tensor.{dims}d.{where}.global{mode}.{done}"
                    yield f"{head}{group}{hint} [smem],[rd1,{{{coordinates}}}],[smem+512]{extra}{policy};"
                    yield f"{head}.multicast::cluster{group}{hint} [smem],[rd1,{{{coordinates}}}],[smem+512]{extra},h1{policy};"
            yield f"cp.async.bulk.tensor.{dims}d.shared::cluster.global{mode}.{done}{hint} [mp],[gq,{{{moving}}}],[mp+512]{extra}{policy};"
            yield f"cp.async.bulk.prefetch.tensor.{dims}d.L2.global{mode}{hint} [rd1,{{{coordinates}}}]{extra}{policy};"
        for (hint, policy), mode in itertools.product(policies, ("", ".tile", ".im2col_no_offs")):
            head = f"tensor.{dims}d.global.shared::cta"
            yield f"cp.async.bulk.{head}{mode}.bulk_group{hint} [rd1,{{{coordinates}}}],[smem]{policy};"
            yield f"cp.async.bulk.{head}{mode}.bulk_group{hint} [gq,{{{moving}}}],[sp]{policy};"
            for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
                yield f"cp.reduce.async.bulk.{head}.{op}{mode}.bulk_group{hint} [rd1,{{{coordinates}}}],[smem]{policy};"
    rows = "r1,r2,r3,r1,r2"
    for hint, policy in policies:
        for group in ("", ".cta_group::1", ".cta_group::2"):
            head = f"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.{done}"
            yield f"{head}{group}{hint} [smem],[rd1,{{{rows}}}],[smem+512]{policy};"
            yield f"{head}.multicast::cluster{group}{hint} [smem],[rd1,{{{rows}}}],[smem+512],h1{policy};"
        yield f"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.{done}{hint} [smem],[rd1,{{{rows}}}],[smem+512]{policy};"
        yield f"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{hint} [rd1,{{{rows}}}],[smem]{policy};"
        yield f"cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4{hint} [rd1,{{{rows}}}]{policy};"
    for n in (0, 1, 5):
        for read in ("", ".read"):
            yield f"cp.async.bulk.commit_group; cp.async.bulk.wait_group{read} {n};"
    for a in ("gq", "rd1", "rd0"):
        yield f"prefetch.tensormap [{a}];"
        yield f"prefetch.const.tensormap [{a}];"
    yield "prefetch.param.tensormap [a];"
    for space, a in (("global", "gq"), ("shared::cta", "smem"), ("shared::cta", "mp"), ("global", "rd1")):
        t = f"tensormap.replace.tile"
        for field, kind, value in (("global_address", "b64", "rd4"), ("rank", "b32", "2"), ("rank", "b32", "r4"), ("box_dim", "b32", "1,r4"),
                                   ("global_dim", "b32", "1,r4"), ("global_stride", "b64", "1,rd4"), ("element_stride", "b32", "1,r4"),
                                   ("elemtype", "b32", "3"), ("interleave_layout", "b32", "1"), ("swizzle_mode", "b32", "2"),
                                   ("fill_mode", "b32", "1"), ("swizzle_atomicity", "b32", "1")):
            yield f"{t}.{field}.{space}.b1024.{kind} [{a}],{value};"
    for scope in ("cta", "cluster", "gpu", "sys"):
        yield f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned [gq],[smem],128;"
        yield f"fence.proxy.tensormap::generic.release.{scope};"
        yield f"fence.proxy.tensormap::generic.acquire.{scope} [gq],128;"
        yield f"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.{scope}; fence.proxy.async::generic.release.sync_restrict::shared::cta.{scope};"
        yield f"fence.acq_rel.{scope}; fence.sc.{scope}; fence.acquire.{scope}; fence.release.{scope};"
    for kind in ("alias", "async", "async.global", "async.shared::cta", "async.shared::cluster"):
        yield f"fence.proxy.{kind};"


def mbarriers():
    """Barriers in shared memory, remote stores and reductions, clusters (sm_90 and newer)."""
    places = (("shared::cta", "mp"), ("shared::cta", "smem+64"), ("shared::cta", "sp"))
    remote = "mapa.shared::cluster.u32 r12,mp,r1;"
    for space, a in places:
        for count in ("1", "r1", "r4"):
            yield f"mbarrier.init.{space}.b64 [{a}],{count};"
        yield f"mbarrier.inval.{space}.b64 [{a}];"
        for sem in ("", ".release.cta", ".release.cluster", ".relaxed.cta", ".relaxed.cluster"):
            for op in ("arrive", "arrive_drop"):
                for count in ("", ",3", ",r1", ",r4"):
                    yield f"mbarrier.{op}{sem}.{space}.b64 rd10,[{a}]{count}; st.global.u64 [gq],rd10;"
                    yield f"mbarrier.{op}{sem}.{space}.b64 _,[{a}]{count};"
                    yield f"@p1 mbarrier.{op}{sem}.{space}.b64 _,[{a}]{count};"
                for count in ("64", "r1", "r4"):
                    yield f"mbarrier.{op}.expect_tx{sem}.{space}.b64 rd10,[{a}],{count}; st.global.u64 [gq],rd10;"
                    yield f"mbarrier.{op}.expect_tx{sem}.{space}.b64 _,[{a}],{count};"
                    if not sem:
                        yield f"mbarrier.{op}.noComplete.{space}.b64 rd10,[{a}],{count}; st.global.u64 [gq],rd10;"
        for op in ("expect_tx", "complete_tx"):
            for scope, count in itertools.product(("cta", "cluster"), ("64", "r1", "r4")):
                yield f"mbarrier.{op}.relaxed.{scope}.{space}.b64 [{a}],{count};"
        for op in ("test_wait", "try_wait"):
            for sem in ("", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"):
                yield f"mbarrier.{op}{sem}.{space}.b64 p8,[{a}],rd4; @p8 st.global.u32 [gq],r1;"
                for parity in ("0", "1", "r1", "r4"):
                    yield f"mbarrier.{op}.parity{sem}.{space}.b64 p8,[{a}],{parity}; @p8 st.global.u32 [gq],r1;"
                    yield f"L0: mbarrier.{op}.parity{sem}.{space}.b64 p8,[{a}],{parity}; @!p8 bra L0;"
                    if op == "try_wait":
                        yield f"mbarrier.{op}.parity{sem}.{space}.b64 p8,[{a}],{parity},r5; @p8 st.global.u32 [gq],r1;"
                        yield f"mbarrier.{op}.parity{sem}.{space}.b64 p8,[{a}],{parity},1000; @p8 st.global.u32 [gq],r1;"
    for sem in ("", ".release.cluster", ".relaxed.cluster"):
        for op in ("arrive", "arrive_drop"):
            for count in ("", ",3", ",r4"):
                yield f"{remote} mbarrier.{op}{sem}.shared::cluster.b64 _,[r12]{count};"
                if count:
                    yield f"{remote} mbarrier.{op}.expect_tx{sem}.shared::cluster.b64 _,[r12]{count};"
    for op in ("expect_tx", "complete_tx"):
        yield f"{remote} mbarrier.{op}.relaxed.cluster.shared::cluster.b64 [r12],r4;"
    yield "fence.mbarrier_init.release.cluster;"
    for arrive in ("", ".release", ".relaxed"):
        for aligned in ("", ".aligned"):
            yield f"barrier.cluster.arrive{arrive}{aligned}; barrier.cluster.wait{aligned}; barrier.cluster.wait.acquire{aligned};"
    done = "mbarrier::complete_tx::bytes"
    for t, v in (("b32", "r4"), ("u32", "r4"), ("s32", "r4"), ("f32", "f4"), ("b64", "rd4"), ("u64", "rd4"), ("s64", "rd4"), ("f64", "x4"),
                 ("v2.b32", "{r4,r5}"), ("v4.b32", "{r4,r5,r6,r7}"), ("v2.b64", "{rd4,rd5}"), ("v4.f32", "{f4,f5,f6,f4}"), ("v2.f32", "{f4,f5}")):
        head = ".".join(t.split(".")[:-1] + [done]) if False else t
        vector, _, scalar = t.rpartition(".")
        dot = f".{vector}" if vector else ""
        for weak in ("", ".weak"):
            yield f"st.async{weak}.shared::cluster.{done}{dot}.{scalar} [r5],{v},[r6];"
            yield f"{remote} st.async{weak}.shared::cluster.{done}{dot}.{scalar} [r12+16],{v},[r12];"
        for scope in ("gpu", "sys"):
            yield f"st.async.mmio.release.{scope}.global{dot}.{scalar} [gq+8],{v};"
    for t, v in (("b8", "h4"), ("b16", "h4")):
        yield f"st.async.mmio.release.sys.global.{t} [gq+8],{v};"
    for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
        for t, v in (("u32", "r4"), ("s32", "r4"), ("u64", "rd4"), ("s64", "rd4"), ("b32", "r4"), ("b64", "rd4")):
            yield f"red.async.relaxed.cluster.shared::cluster.{done}.{op}.{t} [r5],{v},[r6];"
            yield f"{remote} red.async.relaxed.cluster.shared::cluster.{done}.{op}.{t} [r12+16],{v},[r12];"
            for scope in ("gpu", "sys", "cluster"):
                yield f"red.async.mmio.release.{scope}.global.{op}.{t} [gq],{v};"
    for a, n in itertools.product(("smem", "mp", "sp"), ("rd1", "rd4", "512")):
        yield f"st.bulk.weak.shared::cta [{a}],{n},0;"
        yield f"st.bulk.weak [gq],{n},0;"
    for multicast in ("", ".multicast::cluster::all"):
        for a in ("smem", "mp"):
            yield f"clusterlaunchcontrol.try_cancel.async.shared::cta.{done}{multicast}.b128 [{a}],[{a}+64];"
    yield ("{.reg .b128 m; ld.shared.b128 m,[smem]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p8,m;"
           " clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r10,r11,r12,r13},m; @p8 st.global.v4.u32 [gq],{r10,r11,r12,r13};}")
    for n in ("24", "40", "160", "232"):
        yield f"setmaxnreg.inc.sync.aligned.u32 {n}; setmaxnreg.dec.sync.aligned.u32 {n};"
    for op in ("add", "exch", "min", "and", "cas", "inc"):
        extra = ",r5" if op == "cas" else ""
        t = {"add": "u32", "min": "s32", "inc": "u32"}.get(op, "b32")
        yield f"{remote} atom.shared::cluster.{op}.{t} r10,[r12+4],r4{extra}; st.global.u32 [gq],r10;"
        if op not in ("exch", "cas"):
            yield f"{remote} red.shared::cluster.{op}.{t} [r12+4],r4;"
    for size, v in (("u8", "h4"), ("u32", "r4"), ("u64", "rd4"), ("v4.u32", "{r4,r5,r6,r7}")):
        yield f"{remote} st.shared::cluster.{size} [r12+16],{v};"
        out = v.replace("4", "10") if not v.startswith("{") else "{r10,r11,r12,r13}"
        yield f"{remote} ld.shared::cluster.{size} {out},[r12+16]; st.global.{size} [gq],{out};"
    yield "mapa.u64 rd12,gq,r1; st.u32 [rd12],r4; mapa.shared::cluster.u32 r12,smem,3; st.shared::cluster.u32 [r12],r4;"
    yield "getctarank.shared::cluster.u32 r10,r4; st.global.u32 [gq],r10; getctarank.u32 r11,gq; st.global.u32 [gq+4],r11;"
    for space in ("global", "local", "shared", "shared::cta", "shared::cluster", "const", "param"):
        yield f"isspacep.{space} p8,gq; @p8 st.global.u32 [gq],r1;"
        yield f"isspacep.{space} p8,rd4; @p8 st.global.u32 [gq],r1;"


def multimem():
    """Operations on multicast addresses (sm_90 and newer)."""
    vectors = [("f16x2", ["r4", "r5", "r6", "r7"]), ("bf16x2", ["r4", "r5", "r6", "r7"]), ("f32", ["f4", "f5", "f6", "f4"]),
               ("f16", ["h4", "h5", "h6", "h4", "h5", "h6", "h4", "h5"]), ("bf16", ["h4", "h5", "h6", "h4", "h5", "h6", "h4", "h5"]),
               ("e4m3", ["q4"]), ("e4m3x4", ["r4", "r5", "r6", "r7"]), ("e5m2x4", ["r4", "r5", "r6", "r7"]),
               ("e4m3x2", ["h4", "h5", "h6", "h4"]), ("e5m2x2", ["h4", "h5", "h6", "h4"])]
    scalars = [("u32", "r4"), ("s32", "r4"), ("u64", "rd4"), ("s64", "rd4"), ("b32", "r4"), ("b64", "rd4"), ("f16x2", "r4"), ("bf16x2", "r4"),
               ("f32", "f4"), ("f64", "x4"), ("f16", "h4"), ("bf16", "h4"), ("e4m3x4", "r4"), ("e5m2x4", "r4"), ("e4m3x2", "h4"), ("e5m2x2", "h4")]
    forms = [("", t, v, v.replace("4", "10")) for t, v in scalars]
    for t, names in vectors:
        for n in (2, 4, 8):
            if n <= len(names):
                kind = names[0][0]
                forms.append((f".v{n}", t, "{" + ",".join(names[:n]) + "}", "{" + ",".join(f"{kind}{10 + i}" for i in range(n)) + "}"))
    for vector, t, v, out in forms:
        size = t if t in ("u32", "s32", "u64", "s64", "f32", "f64", "b32", "b64") else ("b32" if v.strip("{")[0] == "r" else "b16")
        vec = vector if vector != ".v8" else ""
        store = f"st.global{vec}.{size} [gq+128],{out};" if vec == vector else \
            "".join(f"st.global.{size} [gq+{128 + 4 * i}],{o};" for i, o in enumerate(out.strip("{}").split(",")))
        for op in ("add", "min", "max", "and", "or", "xor"):
            for sem in ("", ".weak", ".relaxed.cta", ".relaxed.sys", ".acquire.gpu", ".acquire.cluster"):
                if sem and op != "add":
                    continue
                for acc in ("", ".acc::f32", ".acc::f16"):
                    yield f"multimem.ld_reduce{sem}.global.{op}{acc}{vector}.{t} {out},[gq]; {store}"
            for sem in ("", ".relaxed.gpu", ".release.sys", ".relaxed.cluster"):
                if sem and op != "add":
                    continue
                yield f"multimem.red{sem}.global.{op}{vector}.{t} [gq],{v};"
        for sem in ("", ".weak", ".relaxed.gpu", ".release.sys"):
            yield f"multimem.st{sem}.global{vector}.{t} [gq],{v};"
    yield "multimem.ld_reduce.global.add.u32 r10,[rd1+16]; st.global.u32 [gq],r10; multimem.red.global.add.u32 [rd1+16],r4; multimem.st.global.u32 [rd1+16],r4;"
    for vector, t, v in ((".v2", "f32", "{f4,f5}"), (".v4", "f32", "{f4,f5,f6,f4}"), (".v2", "f16x2", "{r4,r5}"), (".v4", "f16x2", "{r4,r5,r6,r7}"),
                         (".v2", "bf16x2", "{r4,r5}"), (".v4", "bf16x2", "{r4,r5,r6,r7}"), (".v8", "f16", "{h4,h5,h6,h4,h5,h6,h4,h5}"),
                         (".v4", "f16", "{h4,h5,h6,h4}"), (".v2", "f16", "{h4,h5}"), (".v8", "bf16", "{h4,h5,h6,h4,h5,h6,h4,h5}")):
        out = "{" + ",".join(f"{v[1]}{10 + i}" for i in range(v.count(",") + 1)) + "}"
        size = {"f": "f32", "r": "b32", "h": "b16"}[v[1]]
        store = "".join(f"st.global.{size} [gq+{128 + 4 * i}],{o};" for i, o in enumerate(out.strip("{}").split(",")))
        for op in ("add", "min", "max"):
            ftz = "" if t == "f32" else ".noftz"
            for hint, policy in (("", ""), (".L2::cache_hint", ",rd4")):
                yield f"atom.global{hint}.{op}{ftz}{vector}.{t} {out},[gq],{v}{policy}; {store}"
                yield f"atom.relaxed.sys.global{hint}.{op}{ftz}{vector}.{t} {out},[gq+16],{v}{policy}; {store}"
                yield f"red.global{hint}.{op}{ftz}{vector}.{t} [gq],{v}{policy};"
                yield f"red.release.sys.global{hint}.{op}{ftz}{vector}.{t} [rd1+16],{v}{policy};"
    for op, t, v in (("add", "u32", "r4"), ("add", "u64", "rd4"), ("min", "s32", "r4"), ("add", "f32", "f4"), ("add", "f64", "x4"), ("exch", "b64", "rd4"),
                     ("add.noftz", "f16x2", "r4"), ("and", "b32", "r4"), ("inc", "u32", "r4")):
        out = v.replace("4", "10")
        for space in (".global", ""):
            yield f"atom{space}.{op}.L2::cache_hint.{t} {out},[gq],{v},rd4; st.global.{t.replace('f16x2', 'b32')} [gq+128],{out};"
            if op != "exch":
                yield f"red{space}.{op}.L2::cache_hint.{t} [gq],{v},rd4;"
    yield "atom.global.cas.L2::cache_hint.b32 r10,[gq],r4,r5,rd4; st.global.u32 [gq+128],r10;"


def caches():
    """Cache operators, eviction priorities, cache policies, 256-bit accesses."""
    r8 = "{r10,r11,r12,r13,r14,r15,r16,r17}"
    wide = (("v8.b32", r8), ("v8.f32", r8.replace("r", "f")), ("v4.b64", "{rd10,rd11,rd12,rd13}"), ("v4.f64", "{x10,x11,x12,x13}"),
            ("v8.u32", r8), ("v4.u64", "{rd10,rd11,rd12,rd13}"))
    evict1 = ("", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate")
    evict2 = ("", ".L2::evict_normal", ".L2::evict_first", ".L2::evict_last")
    prefetch = ("", ".L2::64B", ".L2::128B", ".L2::256B")
    for (t, v), one, two in itertools.product(wide, evict1, evict2):
        for nc in ("", ".nc"):
            yield f"ld.global{nc}{one}{two}.{t} {v},[gq]; st.global{one}{two}.{t} [gq+128],{v};"
        yield f"ld.global{one}{two}.{t} {v},[rd1]; st.global{one}{two}.{t} [rd1+128],{v};"
    for t, v in wide:
        for mod in ("", ".volatile", ".relaxed.gpu", ".acquire.sys", ".relaxed.cta", ".relaxed.cluster", ".weak"):
            yield f"ld{mod}.global.{t} {v},[gq+32]; st{mod.replace('acquire', 'release')}.global.{t} [gq+128],{v};"
        for pre in prefetch:
            yield f"ld.global{pre}.{t} {v},[gq]; st.global.{t} [gq+128],{v};"
            yield f"ld.global.L1::evict_last.L2::cache_hint{pre}.{t} {v},[gq],rd4; st.global.L2::cache_hint.{t} [gq+128],{v},rd4;"
            yield f"ld.global.L2::cache_hint{pre}.{t} {v},[gq],rd4; st.global.L1::no_allocate.L2::cache_hint.{t} [gq+128],{v},rd4;"
    for op in ("ca", "cg", "cs", "lu", "cv"):
        for t, v in (("u8", "h10"), ("u32", "r10"), ("u64", "rd10"), ("v4.u32", "{r10,r11,r12,r13}")):
            yield f"ld.global.{op}.{t} {v},[gq]; st.global.{t} [gq+128],{v};"
            yield f"ld.{op}.{t} {v},[rd1]; st.wt.{t} [rd1+128],{v};"
            yield f"ld.global.{op}.nc.{t} {v},[gq]; st.global.cs.{t} [gq+128],{v};"
    for one, two, pre, nc, (t, v) in itertools.product(evict1, evict2, prefetch, ("", ".nc"), (("u32", "r10"), ("v4.u32", "{r10,r11,r12,r13}"))):
        yield f"ld.global{nc}{one}{two}{pre}.{t} {v},[gq]; st.global{one}{two}.{t} [gq+128],{v};"
    for one, pre, nc, space in itertools.product(evict1, prefetch, ("", ".nc"), (".global", "")):
        yield f"ld{space}{nc}{one}.L2::cache_hint{pre}.u32 r10,[gq],rd4; st{space}{one}.L2::cache_hint.u32 [gq+128],r10,rd4;"
        yield f"ld{space}{nc}{one}.L2::cache_hint{pre}.v2.u64 {{rd10,rd11}},[rd1+16],rd4; st{space}{one}.L2::cache_hint.v2.u64 [rd1+128],{{rd10,rd11}},rd4;"
        yield f"ld.relaxed.gpu{space}{one}.L2::cache_hint{pre}.u32 r10,[gq],rd4; st.release.sys{space}{one}.L2::cache_hint.u32 [gq+128],r10,rd4;"
    for pre, size, hint in itertools.product(prefetch, ("4", "8", "16"), ("", ".L2::cache_hint")):
        policy = ",rd4" if hint else ""
        for cache in ("ca", "cg"):
            yield f"cp.async.{cache}.shared.global{hint}{pre} [sp],[gq],{size}{policy};"
            yield f"cp.async.{cache}.shared.global{hint}{pre} [sp],[gq],{size},r4{policy};"
            yield f"cp.async.{cache}.shared.global{hint}{pre} [smem+16],[rd1],{size},r1{policy};"
            yield f"cp.async.{cache}.shared.global{hint}{pre} [smem+16],[rd1],{size}{policy};"
            yield f"mov.u32 r12,smem; add.u32 r12,r12,r1; add.u32 r13,r12,sp; cp.async.{cache}.shared.global{hint}{pre} [r13+16],[gq],{size}{policy};"
    for level in ("evict_last", "evict_normal", "evict_first", "evict_unchanged"):
        for second in ("", ".L2::evict_first", ".L2::evict_unchanged"):
            yield f"createpolicy.fractional.L2::{level}{second}.b64 rd10,0.25; ld.global.L2::cache_hint.u32 r10,[gq],rd10; st.global.u32 [gq+128],r10;"
            yield f"createpolicy.range.global.L2::{level}{second}.b64 rd10,[rd1],r1,r2; ld.global.L2::cache_hint.u32 r10,[gq],rd10; st.global.u32 [gq+128],r10;"


GROUPS = [arithmetic, mixed, comparisons, conversions, video, memory, atomics, warp, barriers, special, control, textures, matrix,
          wgmma, tensor_memory, block_scale, matrix_memory, bulk, mbarriers, multimem, caches]


def compile_one(job):
    tool, sm, version, body, directory, number = job
    target = f"sm_{sm}a" if sm >= 90 else f"sm_{sm}"
    source = os.path.join(directory, f"{number}.ptx")
    cubin = os.path.join(directory, f"{number}.cubin")
    with open(source, "w", encoding="utf-8") as file:
        file.write(HEADER.format(version=version, target=target, body=body).replace(".global .texref dummy;\n", ""))
    run = subprocess.run([tool, f"-arch={target}", "-o", cubin, source], capture_output=True, text=True, check=False)
    os.unlink(source)
    if run.returncode:
        return body, run.stderr.splitlines()[0] if run.stderr else "failed", []
    words = oracle.unique_words([cubin])
    os.unlink(cubin)
    return body, None, words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sm", type=int, required=True)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--refused", help="write the refused variants to this file")
    parser.add_argument("--only", help="comma-separated groups: " + ",".join(g.__name__ for g in GROUPS))
    options = parser.parse_args()
    old = options.sm in (70, 72)
    tool = os.environ.get("PTXAS12", "ptxas12") if old else os.environ.get("PTXAS", "ptxas")
    version = "8.8" if old else "9.0"
    groups = [g for g in GROUPS if not options.only or g.__name__ in options.only.split(",")]
    bodies = list(dict.fromkeys(body for group in groups for body in group()))
    words, refused = {}, []
    with tempfile.TemporaryDirectory() as directory, multiprocessing.Pool(options.jobs) as pool:
        jobs = ((tool, options.sm, version, body, directory, i) for i, body in enumerate(bodies))
        for body, error, found in pool.imap_unordered(compile_one, jobs, chunksize=8):
            if error:
                refused.append((body, error))
            for word in found:
                words.setdefault(word & ~oracle.SCHEDULING, word)
    with open(options.output, "wb") as file:
        file.write(oracle.pack(sorted(words.values())))
    if options.refused:
        with open(options.refused, "w", encoding="utf-8") as file:
            file.writelines(f"{error}\n    {body}\n" for body, error in sorted(refused))
    print(f"{len(bodies)} variants, {len(refused)} refused, {len(words)} distinct words")
    return 0


if __name__ == "__main__":
    sys.exit(main())
