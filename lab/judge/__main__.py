# SPDX-License-Identifier: GPL-2.0-only
"""What lab/test runs"""
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])
from judge.main import main

main()
