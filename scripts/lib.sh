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
	GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_PREFIX GIT_NAMESPACE \
	GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_IMPLICIT_WORK_TREE \
	GIT_GRAFT_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE

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

# gone REASON: exit with the status that stands for what Debian's mirror has no longer
gone()
{
	say "$*"
	exit 4
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

# check_cache: die if the cache is another user's, or others can write to it. What is in it runs.
check_cache()
{
	[ ! -e "$CACHE" ] || { [ -O "$CACHE" ] && [ -z "$(find -H "$CACHE" -maxdepth 0 -perm /022)" ]; } ||
		die "the cache $CACHE is not yours alone ($(stat -L -c 'of %U, mode %a' "$CACHE")): set XDG_CACHE_HOME to a directory of your own"
}
check_cache

# make_cache: make the cache, for this user alone. One that this makes, or finds empty, has a tag:
# another directory may have files of others, of which prune removes none.
make_cache()
{
	{ [ -e "$CACHE" ] || (umask 077 && mkdir -p "$CACHE") 2> /dev/null; } && [ -w "$CACHE" ] ||
		die "the cache $CACHE is not writable: set XDG_CACHE_HOME to a directory with 10 GB of free space"
	check_cache
	[ "$(ls -A "$CACHE")" ] || echo 'Signature: 8a477f597d28d172789f06886806bc55' > "$CACHE/CACHEDIR.TAG"
}

# prune: remove what was not used for a month. What is being unpacked has the date of its package.
prune()
{
	[ ! -e "$CACHE/CACHEDIR.TAG" ] ||
		find -H "$CACHE" -mindepth 2 -maxdepth 2 ! -path "$CACHE/lock/*" -ctime +30 -exec rm -rf -- {} +
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
	exec 9<> "$CACHE/lock/$1"
	if ! flock -n 9; then
		say "waiting for another run that makes $1"
		flock 9
	fi
}

unlock()
{
	exec 9>&-
}

# is_ready PATH: whether the cache has an entry, whose date is then that of its last use
is_ready()
{
	[ -e "$1" ] || return 1
	[ ! -w "$1" ] || touch -c "$1" "${1%/*}"
}

# must_make PATH NAME [COMMAND]...: if the cache lacks an entry, hold the lock NAME, to make it as
# $NEW; made renames that. COMMAND, this script with its arguments, is run anew: what it starts ends
# with its caller, even one that is killed.
must_make()
{
	! is_ready "$1" || return 1
	if [ $# -gt 2 ] && [ -z "${SNBEP_GUARDED:-}" ]; then
		shift 2
		SNBEP_GUARDED=yes exec "$SCRIPTS/guard" - "$@"
	fi
	lock "$2"
	if is_ready "$1"; then
		unlock
		return 1
	fi
	prune
	NEW=$1.new
	rm -rf -- "$NEW"
	mkdir -p "${1%/*}"
	removed_at_exit "$NEW"
	making_outer=${SNBEP_MAKING:-}
	making_since=$(date +%s)
	export SNBEP_MAKING=yes
}

# made: the entry is complete, also after a crash of this machine.
made()
{
	sync -f "$NEW"
	mv -T "$NEW" "${NEW%.new}"
	trap - EXIT INT TERM HUP
	unlock
	SNBEP_MAKING=$making_outer
	[ "$making_outer" ] || spent builds $(($(date +%s) - making_since))
}

# spent builds|downloads SECONDS: for the end of make check, which names the file
spent()
{
	[ "${SNBEP_TIMES:-}" ] || return 0
	echo "$1 $2" >> "$SNBEP_TIMES"
	[ "$1" = builds ] || [ -z "${SNBEP_MAKING:-}" ] || echo "builds -$2" >> "$SNBEP_TIMES"
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

# Answers of apt, which is slow. remembered FILE STAMP: print the answer that remember saved; fail
# without one, or if the stamp differs.
remembered()
{
	[ -e "$1" ] && [ "$(head -n 1 "$1")" = "$2" ] && sed 1d "$1"
}

# remember FILE STAMP ANSWER: save an answer
remember()
{
	make_cache
	mkdir -p "${1%/*}"
	printf '%s\n' "$2" "$3" > "$1.$$"
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

# downloaded COMMAND...: run a download, three times if it fails; then exit with apt's first error,
# which names the file that is missing.
downloaded()
{
	download_since=$(date +%s)
	for download_try in 1 2 3; do
		download_code=0
		download_said=$("$@" 2>&1) || download_code=$?
		[ $download_code != 0 ] || break
		[ $download_try = 3 ] || sleep 5
	done
	download_since=$(($(date +%s) - download_since))
	spent downloads $download_since
	[ $download_code = 0 ] ||
		die "a download failed: $(echo "$download_said" | grep -m 1 '^[EW]:' || echo "$*: $(echo "$download_said" | tail -n 1)")"
}

# make_part: make a directory in the cache for what is not complete, and print it.
make_part()
{
	make_cache
	mkdir -p "$CACHE/tmp"
	mktemp -d "$CACHE/tmp/XXXXXX"
}

# unpack_debs SUITE DIR PACKAGE=VERSION...: download packages of a Debian suite and unpack them
# below DIR.
unpack_debs()
{
	unpack_suite=$1
	unpack_dir=$2
	shift 2
	unpack_tmp=$(make_part)
	(
		removed_at_exit "$unpack_tmp"
		cd "$unpack_tmp"
		downloaded "$SCRIPTS/suite-apt" "$unpack_suite" apt-get download "$@"
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
