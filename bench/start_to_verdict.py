#!/usr/bin/env python3
"""The time of `picker check` from process start to verdict, for one launch of each sample kernel.

Prints the median over the runs of each launch for the slowest kernels and for vadd: elapsed time, which
other processes lengthen, and processor time, which they hardly do.

Usage: start_to_verdict.py [PICKER [RUNS]]
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"


def commands(picker):
    for table in sorted(SAMPLES.glob("*.json")):
        data = json.loads(table.read_text())
        cubin = SAMPLES / "cubins" / f"{data['sample']}.sm_80.cubin"
        if not cubin.exists():
            continue
        for kernel in data["kernels"]:
            launch = kernel["launches"][0]
            command = [picker, "check", str(cubin), "--kernel", kernel["name"],
                       "--grid", ",".join(map(str, launch["grid"])),
                       "--block", ",".join(map(str, launch["block"])),
                       "--shared", str(launch["shared"])]
            if launch["args"]:
                command += ["--args", ",".join(launch["args"])]
            for name, place in launch["symbols"].items():
                command += ["--symbol", f"{name}={place}"]
            yield kernel["name"], command


def main():
    picker = sys.argv[1] if len(sys.argv) > 1 else "build/release/picker"
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    rows = []
    for name, command in commands(picker):
        elapsed, processor = [], []
        for _ in range(runs):
            begin = time.perf_counter()
            process = subprocess.Popen(command, cwd=SAMPLES.parent, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            elapsed.append(1000 * (time.perf_counter() - begin))
            processor.append(1000 * (usage.ru_utime + usage.ru_stime))
            if process.returncode not in (0, 1):
                return f"{name}: exit status {process.returncode}"
        rows.append((statistics.median(processor), statistics.median(elapsed), max(elapsed), name))
    rows.sort(reverse=True)
    for processor, elapsed, longest, name in rows[:5] + [r for r in rows[5:] if r[3] == "vadd"]:
        print(f"{name:<20} processor {processor:5.1f} ms, elapsed {elapsed:5.1f} ms, longest {longest:5.1f} ms")
    print(f"{len(rows)} kernels, {runs} runs each: median of the medians: processor "
          f"{statistics.median(r[0] for r in rows):.1f} ms, elapsed {statistics.median(r[1] for r in rows):.1f} ms; "
          f"longest run {max(r[2] for r in rows):.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
