# SPDX-License-Identifier: GPL-2.0-only
"""Where the judge is, for its tests"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
