# SPDX-License-Identifier: GPL-2.0-only
"""The judge of uncore drivers, of series of patches for them, and of perf's metrics"""
import os

# A hook, or an alias in a worktree, has git work on the caller's repository and index.
# A make that runs a program is for something else.
for _name in list(os.environ):
    if _name.startswith(('GIT_', 'MAKE', 'MFLAGS', 'GNUMAKE')):
        del os.environ[_name]
# What programs say is read here.
os.environ['LC_ALL'] = 'C.UTF-8'
