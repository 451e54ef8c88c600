# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of uncorestat over the fake PMUs of fake.c: sourced first. Builds both; run ARGUMENT... leaves output in $out and the
# exit status in $code.
# shellcheck shell=sh disable=SC2034 # variables of those that source this

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
set +e
# What takes so many seconds of a processor hangs.
ulimit -St 5

# unlimited COMMAND...: run what may take longer
unlimited()
{
	(ulimit -St unlimited && exec "$@")
}

. "$TOP/scripts/tap.sh"
here=$TOP/tools/uncorestat/tests
# Thousands of small files: in memory if possible
[ "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fake=$BUILD/tools/fake.so
mkdir -p "$BUILD/tools"
# Tests that run at the same time build once.
unlimited flock "$BUILD/tools/.lock" make -s -C "$TOP/tools" "O=$BUILD/tools" WERROR=-Werror > "$tmp/build" 2>&1 && {
	{ [ "$fake" -nt "$here/fake.c" ] && [ "$fake" -nt "$TOP/tools/lib/tests/fake.h" ]; } || {
		cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$fake.$$" "$here/fake.c" -ldl && mv "$fake.$$" "$fake"
	} >> "$tmp/build" 2>&1
}
ok $? "uncorestat builds" "$tmp/build"
stat=$BUILD/tools/uncorestat
FAKE=$tmp/fake
export FAKE
out=$tmp/out

# With -n it does not wait for its intervals to pass, which are too long to be late.
run()
{
	if [ "$1" = -n ]; then
		export QUICK=1000000
		set -- -i 100 "$@"
	fi
	LD_PRELOAD=$fake "$stat" "$@" > "$out" 2>&1
	code=$?
	unset QUICK
}

# start ARGUMENT...: run it in the background, as $pid
start()
{
	: > "$out"
	LD_PRELOAD=$fake "$stat" "$@" > "$out" 2>&1 &
	pid=$!
}

# meanwhile CONDITION: wait for it while $pid runs
meanwhile()
{
	until eval "$1"; do
		kill -0 $pid || return 1
		sleep 0.02
	done
}

# stop [SIGNAL]: end $pid, and set $code
stop()
{
	kill "-${1:-TERM}" $pid
	wait $pid
	code=$?
}

# numbers PREFIX COUNT: PREFIX_0 and so on
numbers()
{
	seq -s ' ' -f "$1_%g" 0 $(($2 - 1))
}

# new_machine [PACKAGES [PREFIX]]: a machine without traffic, of packages 3 (CPUs 0 and 1) and 0 (CPUs 10 and 11)
new_machine()
{
	made="$tmp/machine $*"
	[ -d "$made" ] || "$here/fake-root" "$made" "$@"
	rm -rf "$FAKE"
	cp -a "$made" "$FAKE"
	devices=$FAKE/sys/bus/event_source/devices
}

# rates BOX[@CPU]/CONFIG[,CONFIG1]=N...: what boxes count in a second; BOX is a pattern, and * alone any PMU
rates()
{
	for rate; do
		box=${rate%%/*} config=${rate#*/} cpu=-1
		number=${config#*=} config=${config%%=*}
		case $box in *@*) cpu=${box#*@} box=${box%@*} ;; esac
		case $config in *,*) config="${config%,*} ${config#*,}" ;; *) config="$config -1" ;; esac
		if [ "$box" = '*' ]; then
			echo "rate -1 $cpu $config $number"
			continue
		fi
		for device in "$FAKE"/sys/bus/event_source/devices/$box "$FAKE"/sys/bus/event_source/devices/snbep_uncore_$box \
			"$FAKE"/sys/bus/event_source/devices/uncore_$box; do
			[ ! -e "$device/type" ] || echo "rate $(cat "$device/type") $cpu $config $number"
		done
	done >> "$FAKE/rules"
}

# advice NAME PATTERN ARGUMENT...: test that it exits with one line
advice()
{
	what=$1 pattern=$2
	shift 2
	run "$@"
	[ "$code" = "${want:-1}" ] && [ "$(wc -l < "$out")" = 1 ] && grep -q "^uncorestat: $pattern" "$out"
	ok $? "$what" "$out"
}

# row SOCKET: print a line of the last table, without the time
row()
{
	sed -n "s/^[0-9: ]* S$1 //p" "$out" | tail -n 1 | tr -s ' ' | sed 's/^ //'
}

# same NAME WANT: test the line of each of two sockets
same()
{
	[ "$code" = 0 ] && [ "$(row 0)" = "$2" ] && [ "$(row "${last:-3}")" = "$2" ]
	ok $? "$1" "$out"
}

# shows NAME WANT ARGUMENT...: the same of a run with these arguments
shows()
{
	shown=$1 want_row=$2
	shift 2
	run -n 1 "$@"
	same "$shown" "$want_row"
}

# runs: for each line "NAME; [STATUS:] ARGUMENTS; PATTERN..." of standard input test a run with these words of the shell: its status, 0
# if none is given, and that a line of its output matches each pattern; with N= before one, N lines do; "SN=TEXT": socket N's numbers.
runs()
{
	while read -r line; do
		set -f
		IFS=';'
		# shellcheck disable=SC2086 # split
		set -- $line
		unset IFS
		set +f
		name=$1 words=${2# } want_code=0
		shift 2
		case $words in [0-9]*:*) want_code=${words%%:*} words=${words#*:} ;; esac
		eval "run $words" < /dev/null
		{
			[ "$code" = "$want_code" ] || echo "exit status $code, not $want_code"
			for pattern; do
				pattern=${pattern# }
				case $pattern in
				S[0-9]*=*)
					what=${pattern%%=*}
					[ "$(row "${what#S}")" = "${pattern#*=}" ]
					;;
				[0-9]=* | [0-9][0-9]=*) [ "$(grep -c -e "${pattern#*=}" "$out")" = "${pattern%%=*}" ] ;;
				*) grep -q -e "$pattern" "$out" ;;
				esac || echo "it is not so: $pattern"
			done
		} > "$tmp/wrong"
		empty "$name" "$tmp/wrong" "$out"
	done
}

# objects ARGUMENT...: run Python from standard input below outputs.py, over the last run
objects()
{
	cat "$here/outputs.py" - > "$tmp/check.py"
	python3 -IS "$tmp/check.py" "$out" "$@"
}
