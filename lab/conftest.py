# SPDX-License-Identifier: GPL-2.0-only
"""Where the modules of this directory's programs are, for its tests"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE / 'smoke'), str(HERE / 'tests')]
