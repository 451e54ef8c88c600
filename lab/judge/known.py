# SPDX-License-Identifier: GPL-2.0-only
"""What smoke is known to find in Linux: the files "known" of lab/linux."""
import fnmatch
import pathlib
import re

LINUX = pathlib.Path(__file__).resolve().parents[1] / 'linux'


def known(generation: str, release: str) -> list[tuple[str, str]]:
    """The rows for a generation and a kernel (uname -r): (SERIES/N or a word, pattern)"""
    rows = []
    for file in sorted(LINUX.glob('**/known')):
        for line in file.read_text(encoding='utf-8').splitlines():
            if line.startswith('#'):
                continue
            patch, generations, kernels, result = line.split(None, 3)
            if re.fullmatch(generations, generation) and fnmatch.fnmatch(release, kernels):
                if file.parent != LINUX:
                    patch = f'{file.parent.name}/{int(patch)}'
                rows.append((patch, result))
    return rows


def explain(name: str, rows: list[tuple[str, str]]) -> list[str]:
    """The patches that mend a result of this name"""
    return sorted({patch for patch, result in rows if fnmatch.fnmatchcase(name, result)})


def metric_faults(generation: str) -> list[list]:
    """[issue of lab/perfmon, pattern of a metric, ways to measure]"""
    faults = []
    file = LINUX.parent / 'perfmon/known'
    for line in file.read_text(encoding='utf-8').splitlines():
        if not line.startswith('#'):
            issue, generations, metric, modes = line.split(None, 3)
            if re.fullmatch(generations, generation):
                faults.append([issue, metric, [mode.strip() for mode in modes.split(';')]])
    return faults
