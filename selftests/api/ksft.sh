# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# How each test script begins and ends, on Linux's ktap_helpers.sh. Sourced in the directory of the
# script, as kselftest's runner starts it there.

# Other programs' words are compared.
export LC_ALL=C
# shellcheck source=/dev/null
. ../../../kselftest/ktap_helpers.sh

ksft_tmp=$(mktemp -d)
trap 'rm -rf "$ksft_tmp"' EXIT

# skip_all REASON: end the script
skip_all()
{
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

# Whether this is the emulated machine; KSFT_MODEL=no has it treated as hardware
model_present()
{
	[ "${KSFT_MODEL:-}" != no ] && uncore-stim variant > /dev/null 2>&1
}

# Skip all where events cannot be injected.
needs_model()
{
	model_present || skip_all 'injects events: this machine is no emulated one'
}

# begin PMU [CHECKER...]: print KTAP's version line, or skip all without root or without the PMU.
# finish asks the model's protocol checker by the words CHECKER.
begin()
{
	echo 'KTAP version 1'
	[ "$(id -u)" = 0 ] || skip_all 'needs root'
	[ -z "$1" ] || [ -e "/sys/bus/event_source/devices/$1" ] ||
		skip_all "no PMU $1: its module is not loaded, or found no hardware"
	# As run_kselftest.sh marks where a collection begins
	echo "kselftest: ${0##*/}" > /dev/kmsg
	shift
	ksft_checker=$*
}

# plan N: the number of results, without that of finish
plan()
{
	[ -z "$ksft_checker" ] || set -- $(($1 + 1))
	ktap_set_plan "$1"
}

# ok CODE NAME [FILE]...: a result: passed if CODE is 0, else failed, after the files' begin
ok()
{
	ksft_code=$1
	ksft_name=$2
	shift 2
	if [ "$ksft_code" = 0 ]; then
		ktap_test_pass "- $ksft_name"
		return
	fi
	for ksft_file; do
		sed 's/^/# /; 100q' "$ksft_file"
	done
	ktap_test_fail "- $ksft_name"
}

# Print the last result, whether the protocol checker reports nothing, and exit.
finish()
{
	if [ "$ksft_checker" ] && model_present; then
		# shellcheck disable=SC2086 # words
		uncore-stim $ksft_checker > "$ksft_tmp/checker" 2>&1
		ok $? 'the protocol checker reports nothing' "$ksft_tmp/checker"
		# shellcheck disable=SC2086
		uncore-stim $ksft_checker reset > /dev/null
	elif [ "$ksft_checker" ]; then
		ktap_test_skip '- the protocol checker reports nothing: this machine is no emulated one'
	fi
	ktap_finished
}
