# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by shell tests, on the host and, as /selftests/lib/tap.sh, in the guest: results in the Test Anything Protocol.

tap_n=0
tap_failed=0

# ok CODE NAME [FILE]...: passed if CODE is 0; if not, the first lines of the files follow
ok()
{
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $2"
		return
	fi
	echo "not ok $tap_n - $2"
	tap_failed=1
	shift 2
	for tap_file; do
		sed 's/^/# /; 100q' "$tap_file"
	done
}

# have_kernel NAME: on the host, with machine/vm/lib.sh: whether there is such a kernel, whose directory is then $kernel. One
# whose Debian suite is no longer on the mirrors is a skipped test; any other failure ends the program.
have_kernel()
{
	kernel_code=0
	kernel=$("$VM_DIR/kernel" "$1") || kernel_code=$?
	case $kernel_code in
	0) return 0 ;;
	4) ;;
	*) exit $kernel_code ;;
	esac
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - kernel $1 # SKIP its Debian suite is no longer on the mirror"
	return 1
}

# The plan. Fails if a test has.
tap_done()
{
	echo "1..$tap_n"
	return $tap_failed
}
