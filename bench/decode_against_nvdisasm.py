#!/usr/bin/env python3
"""`picker disasm` against nvdisasm on the code of one cubin, in one run, output to files.

Usage: decode_against_nvdisasm.py CUBIN [PICKER]

nvdisasm gets all code sections as one raw binary, which spares it all other work. Prints seconds,
instructions per second and the ratio. nvdisasm is found through NVDISASM or PATH.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import sass_oracle as oracle  # noqa: E402


def seconds(command, output):
    start = time.perf_counter()
    with open(output, "wb") as file:
        subprocess.run(command, stdout=file, check=True)
    return time.perf_counter() - start


def main():
    cubin = sys.argv[1]
    picker = sys.argv[2] if len(sys.argv) > 2 else "build/release/picker"
    with open(cubin, "rb") as file:
        data = file.read()
    code = b"".join(oracle.code_of_cubin(data))
    with tempfile.TemporaryDirectory() as folder:
        listing = subprocess.run([picker, "list", cubin], capture_output=True, text=True, check=True)
        sm = int(re.search(r"\bsm_(\d+)", listing.stdout).group(1))
        raw = os.path.join(folder, "code.bin")
        with open(raw, "wb") as file:
            file.write(code)
        ours = min(seconds([picker, "disasm", cubin], os.path.join(folder, "ours")) for _ in range(3))
        theirs = seconds([oracle.nvdisasm(sm), "-b", oracle.architecture(sm), "-raw", raw],
                         os.path.join(folder, "theirs"))
    count = len(code) // 16
    print(f"{cubin}: {len(data)} bytes, {count} instructions, sm_{sm}")
    print(f"picker disasm {ours:.3f} s, {count / ours / 1e6:.2f} million instructions/s")
    print(f"nvdisasm      {theirs:.3f} s, {count / theirs / 1e6:.4f} million instructions/s")
    print(f"ratio {theirs / ours:.1f}")


if __name__ == "__main__":
    main()
