#!/usr/bin/env python3
"""Compiles samples/*.cu to samples/cubins/NAME.sm_XX.cubin, with line information.

Usage: build_cubins.py [--force] [--in FOLDER] [NAME ...]

--in FOLDER compiles FOLDER/*.cu to cubins beside them (the tests' own kernels) instead.

nvcc lowers each source to PTX and ptxas assembles it, in two steps, for two reasons. nvcc writes
absolute source folders into the `.file` lines of PTX; they are cut down to bare file names here, and
ptxas runs where it finds no such file (it would note the time of its last change), so that a cubin says
nothing about the machine that made it and comes out the same every time. And CUDA 13 no longer makes
sm_70: there PTX for compute_75 is relabelled and given to ptxas 12.9.

A source that says `Needs sm_NN` in its opening comment is built for sm_NN and newer only, one that
says `Only sm_90a` for that alone.
NVCC names nvcc (default: from PATH; ptxas is taken from the same folder), PTXAS12 a ptxas of
CUDA 12.9 (without it sm_70 is left out).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
# real architecture -> the virtual one whose PTX it is made from
ARCHITECTURES = {70: 75, 75: 75, 80: 80, 86: 80, 90: 90, 100: 100, 120: 120}


def least_architecture(source):
    match = re.search(r"Needs sm_(\d+)", source.read_text())
    return int(match.group(1)) if match else 0


def architectures_of(source):
    """A source that says `Only sm_90a` uses features of that architecture alone."""
    match = re.search(r"Only sm_(\w+)", source.read_text())
    return {match.group(1): match.group(1)} if match else ARCHITECTURES


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def build(folder_of, cubins, name, force, nvcc, ptxas, ptxas12):
    source = folder_of / f"{name}.cu"
    ptx_of = {}
    with tempfile.TemporaryDirectory() as folder:
        for real, virtual in architectures_of(source).items():
            if real in ARCHITECTURES and (real < least_architecture(source) or (real == 70 and not ptxas12)):
                continue
            cubin = cubins / f"{name}.sm_{real}.cubin"
            if not force and cubin.exists() and cubin.stat().st_mtime >= source.stat().st_mtime:
                continue
            if virtual not in ptx_of:
                raw = pathlib.Path(folder) / f"{virtual}.ptx"
                run([nvcc, "-ptx", "-lineinfo", "-std=c++17", f"-arch=compute_{virtual}",
                     source.name, "-o", raw], folder_of)
                ptx_of[virtual] = re.sub(r'^(\s*\.file\s+\d+\s+)"(?:[^"]*/)?([^"/]+)".*', r'\1"\2"',
                                         raw.read_text(), flags=re.M)
            text = ptx_of[virtual]
            if real == 70:
                text = re.sub(r"^\.version .*", ".version 8.8", text, flags=re.M)
                text = re.sub(r"^\.target sm_75", ".target sm_70", text, flags=re.M)
            ptx = pathlib.Path(folder) / f"{name}.ptx"
            ptx.write_text(text)
            run([ptxas12 if real == 70 else ptxas, f"-arch=sm_{real}", "-lineinfo", ptx, "-o", cubin],
                folder)
            blob = cubin.read_bytes()
            for trace in (folder, str(folder_of), str(pathlib.Path(nvcc).parent.parent)):
                if trace.encode() in blob:
                    raise SystemExit(f"{cubin}: names a path of this machine")


def main():
    arguments = sys.argv[1:]
    folder, cubins = HERE, HERE / "cubins"
    if "--in" in arguments:
        at = arguments.index("--in")
        folder = cubins = pathlib.Path(arguments[at + 1]).resolve()
        del arguments[at:at + 2]
    names = [a for a in arguments if not a.startswith("--")]
    names = names or sorted(p.stem for p in folder.glob("*.cu"))
    nvcc = shutil.which(os.environ.get("NVCC", "nvcc"))
    if not nvcc:
        raise SystemExit("no nvcc: put it on PATH or name it in NVCC")
    ptxas = str(pathlib.Path(nvcc).resolve().parent / "ptxas")
    ptxas12 = os.environ.get("PTXAS12") and shutil.which(os.path.abspath(os.environ["PTXAS12"]))
    cubins.mkdir(exist_ok=True)
    with ThreadPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(build, folder, cubins, n, "--force" in arguments, nvcc, ptxas, ptxas12)
                for n in names]
        failures = [str(j.exception()) for j in jobs if j.exception()]
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
