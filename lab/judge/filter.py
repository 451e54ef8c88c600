# SPDX-License-Identifier: GPL-2.0-only
"""filter FILE: print what of a file of mails is for the lab, by the paths alone. Of 1,000 series a
day a handful is, so that it imports next to nothing."""
import re
import sys

FOR = re.compile(rb'arch/x86/events/intel/uncore|arch/x86/events/intel/Makefile'
                 rb'|kernel/events/|include/linux/perf_event\.h|tools/perf/|tools/lib/perf/')
NAMES = re.compile(rb'^(?:diff --git a/|--- a/|\+\+\+ b/)(\S+)', re.M)


def main() -> int:
    """0, 125 if nothing is, or 128 if FILE cannot be read"""
    # /dev/stdin cannot be opened where it is another user's.
    try:
        with open(0 if sys.argv[1] == '-' else sys.argv[1], 'rb') as f:
            text = f.read(64 << 20)
    except OSError as error:
        print(f'test: {error}', file=sys.stderr)
        return 128
    if text[:2] == b'\x1f\x8b':
        import zlib
        try:
            text = zlib.decompressobj(31).decompress(text, 64 << 20)
        except zlib.error:
            return 125
    if re.search(rb'^Content-Transfer-Encoding: *base64', text, re.M | re.I):
        import binascii
        for part in re.findall(rb'(?:^[A-Za-z0-9+/=]{40,}\r?\n)+', text, re.M):
            try:
                text += b'\n' + binascii.a2b_base64(part)
            except binascii.Error:
                pass
    found = sorted({name for name in NAMES.findall(text)
                    if FOR.match(name) and re.fullmatch(rb'[\w.+/-]+', name)})
    sys.stdout.write(''.join(name.decode() + '\n' for name in found))
    return 0 if found else 125


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('usage: test --filter FILE')
    sys.exit(main())
