# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the runners of both machines, machine/xeon/vm/vm and ia64/linux/vm, share.
# Sourced, after scripts/lib.sh.
#
# /run/vm of the guest's initramfs has the command, or the terminal of an interactive shell, and is
# told where standard error goes. $tmp has console, the log of the guest's kernel; machine, what the
# machine itself says; and status, whose first line is the command's exit status.

extra=
limit=1800
log=
interactive=
tmp=
machine=
helpers=
settings=
done_well=

# print_usage WHAT OPTIONS: WHAT ends the first line
print_usage()
{
	cat >&2 << END
usage: vm [OPTION]... -- COMMAND     run a shell command $1
       vm [OPTION]... -i             an interactive shell
$2
Standard output, standard error and exit status are the command's. Exit status 124: time limit exceeded;
125: the machine failed, or could not be made. Standard error has the reason.
END
	exit 125
}

refuse()
{
	say "$*"
	exit 125
}

# begin COMMAND...: check what both take, and make $tmp, with the command in $stage. From here on,
# die exits with 125.
begin()
{
	if [ "$interactive" ]; then
		[ "$*" = '' ] || usage
		[ -t 0 ] || refuse "a shell needs a terminal: give a command instead"
	else
		[ $# -ge 1 ] || usage
	fi
	[ -z "$extra" ] || [ -d "$extra" ] || refuse "-e $extra: no such directory"
	trap cleanup EXIT
	# A second signal, as from a terminal that is closed, must not end what cleans up.
	trap 'trap "" INT TERM HUP; exit 125' INT TERM HUP
	"$SCRIPTS/setup"
	make_tmp vm
	stage=$tmp/stage
	mkdir -p "$stage/run/vm"
	[ "$interactive" ] || printf '%s' "$*" > "$stage/run/vm/command"
	# If stdout and stderr are the same file, the guest merges them, to keep their order.
	# shellcheck disable=SC3013 # dash and bash have it
	[ "$interactive" ] || ! [ /proc/self/fd/1 -ef /proc/self/fd/2 ] || : > "$stage/run/vm/joined"
	: > "$tmp/console"
	: > "$tmp/machine"
	: > "$tmp/status"
}

cleanup()
{
	code=$?
	trap - EXIT
	trap '' INT TERM HUP
	[ -z "$machine" ] || { kill "$machine" && wait "$machine"; } 2> /dev/null || :
	# shellcheck disable=SC2086 # numbers of processes
	[ -z "$helpers" ] || kill $helpers 2> /dev/null || :
	[ -z "$settings" ] || stty "$settings" 2> /dev/null || :
	[ -z "$tmp" ] || rm -rf -- "$tmp"
	[ "$done_well" ] || [ $code = 124 ] || code=125
	exit $code
}

# limited COMMAND...: become a command that ends with this shell, and after $limit seconds
limited()
{
	exec setpriv --pdeathsig TERM timeout -k 60 "$limit" setpriv --pdeathsig KILL "$@"
}

# make_initrd BASE: the guest's initramfs is BASE, and a second archive with the files of this run
make_initrd()
{
	# BusyBox's find has no -printf.
	(cd "$stage" && find . -mindepth 1) | sed 's|^\./||' | LC_ALL=C sort > "$tmp/names"
	[ -s "$tmp/names" ] || die "there is nothing for the guest in $stage"
	(cd "$stage" && cpio -o -H newc -R 0:0 --quiet) < "$tmp/names" > "$tmp/cpio"
	cat "$1" "$tmp/cpio" > "$tmp/initrd"
	rm -rf "$tmp/cpio" "$stage"
	# A guest must not fill the host's disk.
	[ "$(ulimit -f)" != unlimited ] || ulimit -f 2097152
}

# The machine is in the background: shells run traps only after a foreground program has ended. wait
# returns early on signals.
wait_for_machine()
{
	code=0
	wait "$machine" || code=$?
	while kill -0 "$machine" 2> /dev/null; do
		code=0
		wait "$machine" || code=$?
	done
	machine=
}

# What a guest wrote is printed without control characters, which a terminal would obey.
printable()
{
	LC_ALL=C tr -dc '[:print:]\t\n' >&2
}

# check_end CONSOLE: exit unless the machine ended by itself; set $status.
check_end()
{
	[ -z "$log" ] || tr -d '\r' < "$1" > "$log"
	# The machine waits for ever, or ends, when it cannot write what the guest prints.
	[ $code = 0 ] || head -c 65536 /dev/zero 2> /dev/null > "$tmp/space" || die "no space left in ${TMPDIR:-/tmp}"
	if [ $code = 124 ]; then
		tail -n 20 "$1" | printable
		say "the command was not done after $limit s"
		exit 124
	fi
	[ $code != 153 ] ||
		die "the guest wrote more than $(($(ulimit -f) / 2048)) MiB to its output, its log or a file of /extra (ulimit -f)"
	status=$(head -c 4 "$tmp/status" | head -n 1)
	if [ $code != 0 ] || [ -z "$status" ]; then
		# Print from the first warning or oops on, whatever its length.
		awk -v complaint='BUG:|Oops|general protection|Kernel panic|Unable to handle' '
			{ sub(/\r$/, "") }
			$0 ~ complaint { found = 1 }
			found { print; next }
			{ last[NR % 60] = $0 }
			END { for (i = NR + 1; !found && i <= NR + 60; i++) if (i % 60 in last) print last[i % 60] }' "$1" | printable
		printable < "$tmp/machine"
		[ $code = 0 ] || die "the machine ended with status $code"
		[ -s "$1" ] || die "the machine ended without a word"
		die "the guest stopped before the command was done; the end of its kernel's log is above"
	fi
	case $status in
	*[!0-9]*) die "the guest reports no exit status" ;;
	esac
}
