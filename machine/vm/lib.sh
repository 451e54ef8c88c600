# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the scripts of the tree.
# shellcheck shell=sh

set -eu

TOP=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
while [ ! -e "$TOP/machine/vm/lib.sh" ]; do
	TOP=${TOP%/*}
	[ "$TOP" ] || { echo "$0 lies outside the project" >&2; exit 1; }
done
VM_DIR=$TOP/machine/vm
CACHE=${SNBEP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/snbep-uncore}
BUILD=${SNBEP_BUILD:-$TOP/build}

# depmod and its like; a user other than root has them not in PATH.
PATH=$PATH:/usr/sbin:/sbin

# A make above us must not pass its flags, its job server or its variables on.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL GNUMAKEFLAGS

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# The content of files as one short name.
hash_files()
{
	cat -- "$@" | sha256sum | cut -c1-16
}

# Hold LOCK (a name below the cache) for the rest of this shell.
lock()
{
	mkdir -p "$CACHE/lock"
	exec 9> "$CACHE/lock/$1"
	if ! flock -n 9; then
		say "waiting for another run that makes $1"
		flock 9
	fi
}

unlock()
{
	exec 9>&-
}

# Run a long command with its output in a log, and show the end of the log if it fails.
logged()
{
	logged_file=$1
	shift
	mkdir -p "$(dirname "$logged_file")"
	if ! "$@" > "$logged_file" 2>&1 < /dev/null 9>&-; then
		tail -n 30 "$logged_file" >&2
		die "failed: $* (see $logged_file)"
	fi
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# Package lists of the host: a fresh installation has none. What apt-cache shows may come from dpkg.
apt_lists()
{
	[ -n "$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages')" ] ||
		logged "$CACHE/log/apt-update" as_root apt-get -o DPkg::Lock::Timeout=600 update
}

# apt is slow to ask, and its answers change only with its lists. remembered FILE prints the answer that remember wrote,
# and fails if there is none or the lists are others.
lists_stamp()
{
	stat -c '%i %Y %Z' /var/lib/apt/lists
}

remembered()
{
	[ -e "$1" ] && [ "$(head -n 1 "$1")" = "$(lists_stamp)" ] && tail -n +2 "$1"
}

# remember FILE ANSWER
remember()
{
	mkdir -p "$(dirname "$1")"
	printf '%s\n%s\n' "$(lists_stamp)" "$2" > "$1.$$"
	mv "$1.$$" "$1"
}

# Version of a package that apt would install.
candidate()
{
	apt-cache policy "$1" | sed -n 's/^  Candidate: //p' | grep -v '^(none)$'
}

# Download PACKAGE of the given VERSION and unpack it below DIR.
unpack_deb()
{
	unpack_tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	(
		cd "$unpack_tmp"
		logged "$CACHE/log/download-$1" \
			apt-get -q -o APT::Sandbox::User=root download "$1=$2"
		dpkg-deb -x ./*.deb "$3"
	)
	rm -rf "$unpack_tmp"
}
