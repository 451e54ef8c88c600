# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by shell tests, on the host and, as /selftests/lib/tap.sh, in the guest: results in the Test Anything Protocol.

tap_n=0
tap_failed=0

# ok CODE NAME [FILE]...: passed if CODE is 0, skipped if it is 123, for then a step of the set-up failed; if it is another, the
# first lines of the files follow
ok()
{
	tap_n=$((tap_n + 1))
	case $1 in
	0)
		echo "ok $tap_n - $2"
		return
		;;
	123)
		echo "ok $tap_n - $2 # SKIP a step of the set-up failed"
		return
		;;
	esac
	echo "not ok $tap_n - $2"
	tap_failed=1
	shift 2
	for tap_file; do
		sed 's/^/# /; 100q' "$tap_file"
	done
}

# have_kernel NAME: on the host, with scripts/lib.sh: whether there is such a kernel, whose directory is then $kernel. One
# whose Debian suite is no longer on the mirrors is a skipped test; any other failure ends the program.
have_kernel()
{
	kernel_code=0
	# shellcheck disable=SC2034 # for the caller
	kernel=$("$SCRIPTS/kernel" "$1") || kernel_code=$?
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

# merged "$@": for a script that runs other programs which print TAP. From here on, what it prints goes through tap-merge.
merged()
{
	if [ "${TAP_MERGED:-}" = "$0" ]; then
		unset TAP_MERGED
		return
	fi
	TAP_MERGED=$0 exec "${TOP:-$top}/selftests/lib/tap-merge" "$0" "$@"
}

# part NAME COMMAND [ARGUMENT]...: the command's TAP, as a part of that name
part()
{
	echo "##begin $1"
	tap_code=0
	tap_run "$@" 2>&1 || tap_code=$?
	echo
	echo "##end $tap_code $1"
}

tap_run()
{
	shift
	"$@"
}
