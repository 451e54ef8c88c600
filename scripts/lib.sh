# SPDX-License-Identifier: GPL-2.0-only
# Common shell functions of all scripts.
# shellcheck shell=sh

set -eu

# Drop what a user's shell or a calling make may have, and what changes what other programs do or
# print: CDPATH lets cd print, QUOTING_STYLE lets ls quote, git's hooks set GIT_DIR ...
unset CDPATH MAKEFILES MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL GNUMAKEFLAGS O DESTDIR \
	POSIXLY_CORRECT BLOCK_SIZE BLOCKSIZE DF_BLOCK_SIZE DU_BLOCK_SIZE LS_BLOCK_SIZE QUOTING_STYLE TIME_STYLE \
	TAPE TAR_OPTIONS GZIP XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL \
	CPPFLAGS CXXFLAGS LDFLAGS LDLIBS CPATH C_INCLUDE_PATH LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR \
	PERL5OPT PERL5LIB PERL5DB PERLLIB PERLIO PERL_UNICODE PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTHONSTARTUP PYTHONWARNINGS \
	GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_PREFIX GIT_NAMESPACE

TOP=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
while [ ! -e "$TOP/scripts/lib.sh" ]; do
	TOP=${TOP%/*}
	[ "$TOP" ] || { echo "$0 lies outside the project" >&2; exit 1; }
done
SCRIPTS=$TOP/scripts
# For depmod and others, which are not in PATH of normal users.
PATH=$PATH:/usr/sbin:/sbin

# Other programs' words are parsed. The guest's shell gets the user's character set.
if [ "${LC_ALL:-}" != C ]; then
	SNBEP_CHARMAP=$(locale charmap 2> /dev/null || :)
	export SNBEP_CHARMAP LC_ALL=C
fi

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# plain_path WHAT PATH: die unless make, QEMU's options and unquoted words of other projects'
# scripts take PATH as it is.
plain_path()
{
	case $2 in
	/*) ;;
	*) die "$1 is not an absolute path: '$2'" ;;
	esac
	case $2 in
	*[[:space:][:cntrl:]\"\'\\\`\$\#%\&\*,:\;\<=\>?\{\|\}!\(\)]* | *[][]*)
		die "$1 has a character that makefiles of the kernel or of QEMU cannot take (a blank, a colon, a wildcard, a quote ...): '$2'"
		;;
	esac
}

if [ -z "${SNBEP_CACHE:-}" ]; then
	[ "${XDG_CACHE_HOME:-${HOME:-}}" ] || die "HOME is not set: set it, or XDG_CACHE_HOME, to say where the cache is"
	SNBEP_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/snbep-uncore
fi
CACHE=$SNBEP_CACHE
# shellcheck disable=SC2034 # for scripts that source it
BUILD=${SNBEP_BUILD:-$TOP/build}
plain_path "the project's directory" "$TOP"
plain_path 'the cache (HOME, XDG_CACHE_HOME or SNBEP_CACHE)' "$CACHE"
plain_path 'the build directory (SNBEP_BUILD)' "$BUILD"
plain_path 'TMPDIR' "${TMPDIR:-/tmp}"

# What a command makes is its user's alone, whatever the umask.
umask g-w,o-w
. "$SCRIPTS/trust.sh"

# lock_file FILE: make a file for flock where there is none; neither follow a link nor empty a file.
lock_file()
{
	[ -e "$1" ] || [ -L "$1" ] || (set -C && : > "$1") 2> /dev/null || :
	[ -f "$1" ] && [ ! -L "$1" ] || die "$1 cannot be made, or is no regular file: remove it"
}

# check_cache: die if others can change the cache.
check_cache()
{
	is_safe "$CACHE" '' "$CACHE/*" ||
		die "the cache $CACHE cannot be trusted: $unsafe. Set XDG_CACHE_HOME to a directory of your own"
	cache_missing=$missing
}

# hold_cache: tell others, by a lock that all processes of this run share, that it uses the cache.
hold_cache()
{
	[ ! /proc/self/fd/5 -ef "$CACHE/lock/use" ] || return 0
	mkdir -p "$CACHE/lock"
	lock_file "$CACHE/lock/use"
	exec 5<> "$CACHE/lock/use"
	flock -s -n 5 || {
		say "waiting for make clean-cache"
		flock -s 5
	}
}

is_safe "${TMPDIR:-/tmp}" yes || die "TMPDIR cannot be trusted: $unsafe. Set it to a directory of your own"
check_cache
[ ! -d "$CACHE/lock" ] || [ ! -w "$CACHE/lock" ] || hold_cache

# make_cache: make the cache. In a directory as /tmp, somebody else may have been faster.
make_cache()
{
	if [ "$cache_missing" ] && mkdir -p "$CACHE" 2> /dev/null; then
		check_cache
	fi
	[ -w "$CACHE" ] ||
		die "the cache $CACHE is not writable: set XDG_CACHE_HOME to a directory with 7 GB of free space"
	hold_cache
}

# Print a short hash of the contents of files.
hash_files()
{
	cat -- "$@" | sha256sum | cut -c1-16
}

# lock NAME: hold a lock of the cache until this shell exits.
lock()
{
	make_cache
	mkdir -p "$CACHE/lock"
	lock_file "$CACHE/lock/$1"
	exec 9<> "$CACHE/lock/$1"
	if ! flock -n 9; then
		say "waiting for another run that makes $1"
		flock 9
	fi
	# Remove what killed runs left behind: no run takes a day. SNBEP_CACHE may be a directory
	# that has files of others, too.
	find "$CACHE" -mindepth 1 -maxdepth 2 -type d \( -path "$CACHE/tmp.??????" -perm 700 -o -path "$CACHE/qemu/tree-????????????.new" \) \
		-mmin +1440 -prune -exec rm -rf -- {} +
}

unlock()
{
	exec 9>&-
}

# cache VERB [ARGUMENT]...: scripts/cache, for this cache
cache()
{
	SNBEP_CACHE=$CACHE "$SCRIPTS/cache" "$@"
}

# is_ready READY: whether the cache has what READY stands for; what is damaged is named.
is_ready()
{
	[ -e "$1" ] && cache check "$1"
}

# must_make READY NAME [COMMAND]...: if the cache lacks what READY stands for, or that is damaged,
# hold the lock NAME, to make it. Room is made by what is no longer used. COMMAND, this script with
# its arguments, is run anew: what it starts ends with its caller, even one that is killed.
must_make()
{
	! is_ready "$1" 2> /dev/null || return 1
	if [ $# -gt 2 ] && [ -z "${SNBEP_GUARDED:-}" ]; then
		shift 2
		SNBEP_GUARDED=yes exec "$SCRIPTS/guard" - "$@"
	fi
	lock "$2"
	if is_ready "$1"; then
		unlock
		return 1
	fi
	cache prune || say "what is no longer used stays in the cache"
	return 0
}

# damaged READY...: whether a file of the cache is the reason of a failure. It is named, and made
# anew the next time.
damaged()
{
	! cache verify "$@" || return 1
	say "the cache was damaged: try again, which makes that anew; make clean-cache looks at all of it"
}

# Run a command with its output in a log file; print the end of the log if it fails.
logged()
{
	logged_file=$1
	shift
	make_cache
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
	elif command -v sudo > /dev/null; then
		sudo "$@"
	else
		die "this needs root, and there is no sudo on this machine: $*"
	fi
}

# Fetch the host's package lists if there are none, as after a fresh installation.
apt_lists()
{
	[ -n "$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages')" ] ||
		logged "$CACHE/log/apt-update" as_root apt-get -o DPkg::Lock::Timeout=600 update
}

# Cache of answers of apt, which is slow. remembered FILE STAMP: print the answer that remember
# saved; fail without one, or if the stamp differs or the end is missing.
remembered()
{
	[ -O "$1" ] && [ "$(sed -n '1p; $p' "$1")" = "$2
end" ] && sed '1d; $d' "$1"
}

# remember FILE STAMP ANSWER: save an answer
remember()
{
	make_cache
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" "$3" end > "$1.$$"
	mv "$1.$$" "$1"
}

# Print the Debian suite of this machine.
host_suite()
{
	(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
}

# Print the row of a kernel in scripts/kernels as words.
kernel_row()
{
	awk -v name="$1" '$1 == name { print $1, $2, $3, $4 }' "$SCRIPTS/kernels"
}

# closure SUITE PACKAGE[=VERSION]...: print packages of a Debian suite with all dependencies, as
# PACKAGE=VERSION, one per line.
closure()
{
	closure_suite=$1
	shift
	closure_answer=$("$SCRIPTS/suite-apt" "$closure_suite" apt-get -s -y install "$@" 2>&1) || {
		say "$closure_suite: $closure_answer"
		return 1
	}
	echo "$closure_answer" | sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p'
}

# removed_at_exit DIR: remove a directory when this shell exits, also after signals.
removed_at_exit()
{
	removed_at_exit=$1
	trap 'rm -rf -- "$removed_at_exit"' EXIT
	trap 'exit 1' INT TERM HUP
}

# make_tmp NAME: make the directory $tmp, which is locked while a process of this run lives, and
# remove those of killed runs.
make_tmp()
{
	find "${TMPDIR:-/tmp}" -mindepth 1 -maxdepth 1 -name "snbep-$1.??????" -user "$(id -u)" -mmin +1440 \
		-exec flock -n {} rm -rf -- {} \;
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/snbep-$1.XXXXXX")
	exec 7< "$tmp"
	flock 7
}

# Print the most relevant line of a failed program's output.
first_reason()
{
	echo "$1" | grep -m 1 'No space left' || echo "$1" | head -n 1
}

# downloaded COMMAND...: run a download; on failure, exit with apt's first error.
downloaded()
{
	download_said=$("$@" 2>&1) || {
		echo "$download_said" | grep -q '^[EW]:' || die "failed: $*: $(echo "$download_said" | tail -n 1)"
		die "a download failed: $(echo "$download_said" | sed -n 's/^[EW]: *//p' | head -n 1)"
	}
}

# unpack_debs SUITE DIR PACKAGE=VERSION...: download packages of a Debian suite and unpack them
# below DIR. $SNBEP_DEBS is an optional directory of downloaded packages. apt only compares names
# and sizes: the caller has verified checksums.
unpack_debs()
{
	unpack_suite=$1
	unpack_dir=$2
	shift 2
	unpack_tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	(
		removed_at_exit "$unpack_tmp"
		cd "$unpack_tmp"
		downloaded "$SCRIPTS/suite-apt" "$unpack_suite" apt-get download "$@"
		[ -z "${SNBEP_DEBS:-}" ] || cp ./*.deb "$SNBEP_DEBS"
		# Not dpkg-deb -x, which replaces links such as lib to usr/lib by directories.
		for deb in ./*.deb; do
			unpack_said=$({ dpkg-deb --fsys-tarfile "$deb" |
				tar -xpf - --no-same-owner --keep-directory-symlink -C "$unpack_dir"; } 2>&1) ||
				die "${deb#./} cannot be unpacked: $(first_reason "$unpack_said")"
		done
	)
}

# copy_programs ROOT DIR FILE...: copy programs, and the libraries that they need, from a root that
# suite-root printed, or from this machine's, which is '', to the same places below DIR.
copy_programs()
{
	copy_root=$1
	copy_dir=$2
	shift 2
	for copy_program; do
		copy_list=$("$copy_root/lib64/ld-linux-x86-64.so.2" --library-path "$copy_root/usr/lib/x86_64-linux-gnu" \
			--list "$copy_root/$copy_program") || die "$copy_root/$copy_program lacks libraries: $copy_list"
		for copy_file in "$copy_root/$copy_program" "$copy_root/lib64/ld-linux-x86-64.so.2" \
			$(echo "$copy_list" | sed -n 's/.* => \([^ ]*\) .*/\1/p'); do
			install -D "$copy_file" "$copy_dir/${copy_file#"$copy_root"}"
		done
	done
}

# Print the version of a package that apt would install.
candidate()
{
	apt-cache policy "$1" | sed -n 's/^  Candidate: //p' | grep -v '^(none)$'
}

# Download PACKAGE of the given VERSION from the host's own suite and unpack it below DIR.
unpack_deb()
{
	unpack_tmp=$(mktemp -d "$CACHE/tmp.XXXXXX")
	(
		removed_at_exit "$unpack_tmp"
		cd "$unpack_tmp"
		downloaded apt-get -q -o APT::Sandbox::User=root download "$1=$2"
		unpack_said=$(dpkg-deb -x ./*.deb "$3" 2>&1) ||
			die "$1 cannot be unpacked: $(first_reason "$unpack_said")"
	)
}
