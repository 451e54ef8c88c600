# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by lib.sh: whose directories a command trusts. It runs QEMU and compilers of the cache,
# and opens its own names again in TMPDIR.

# With user private groups, umask is 002: what such a group can write is the user's alone.
is_private_group()
{
	private_user=$(id -un)
	[ "$1" = "$(id -g)" ] && [ "$private_user" = "$(id -gn)" ] || return 1
	private_members=$(getent group "$1" 2> /dev/null) || return 0
	case ${private_members##*:} in
	'' | "$private_user") ;;
	*) return 1 ;;
	esac
}

# is_own PATH UID GID MODE: whether only the caller and root can write to PATH, as stat describes it
# with a mode in hexadecimal. For $safe_prefix and what is in it, neither an owner without a number
# nor a sticky bit is enough. $unsafe says why not.
is_own()
{
	own_mode=$((0x$4))
	own_parent=yes
	case $1/ in
	"$safe_prefix"/*) own_parent=$safe_sticky ;;
	esac
	case $2:$own_parent in
	0:* | "$safe_uid":* | "$safe_nobody":yes) ;;
	*)
		unsafe="$1 belongs to $(id -un "$2" 2> /dev/null || echo "user $2")"
		return 1
		;;
	esac
	# The mode of a link means nothing. In a sticky directory, nobody can replace what is
	# another's.
	[ $((own_mode & 022)) != 0 ] && [ $((own_mode & 0170000)) != $((0120000)) ] || return 0
	[ ! "$own_parent" ] || [ $((own_mode & 01000)) = 0 ] || return 0
	[ $((own_mode & 02)) != 0 ] || ! is_private_group "$3" || return 0
	unsafe="others can write to $1, whose mode is $(printf %o $((own_mode & 07777)))"
	return 1
}

# is_safe DIR STICKY [PATH]...: whether nobody but the caller and root can change what DIR, by all
# its parents and links, and these paths in it stand for. STICKY is yes if DIR may be as /tmp is.
# What is not there is safe: $missing is set if that is DIR. $unsafe is the reason otherwise.
is_safe()
{
	safe_dir=$1
	safe_sticky=$2
	shift 2
	safe_inside=$*
	safe_uid=$(id -u)
	# In a user namespace, the owners of a container's / and /home may have no number.
	safe_nobody=none
	if { read -r _ _ safe_count < /proc/self/uid_map; } 2> /dev/null && [ "$safe_count" != 4294967295 ]; then
		safe_nobody=$(cat /proc/sys/kernel/overflowuid)
	fi
	safe_links=0
	while :; do
		safe_rest=${safe_dir#/}
		safe_prefix=
		set -- /
		while [ "$safe_rest" ]; do
			safe_prefix=$safe_prefix/${safe_rest%%/*}
			set -- "$@" "$safe_prefix"
			safe_rest=${safe_rest#"${safe_rest%%/*}"}
			safe_rest=${safe_rest#/}
		done
		# plain_path has seen these words.
		# shellcheck disable=SC2086
		safe_list=$(stat -c '%u %g %f %n' -- "$@" $safe_inside 2> /dev/null) || :
		missing=yes
		while read -r safe_owner safe_group safe_mode safe_path; do
			[ "$safe_path" ] || continue
			# shellcheck disable=SC2034 # for lib.sh
			[ "$safe_path" != "$safe_prefix" ] || missing=
			is_own "$safe_path" "$safe_owner" "$safe_group" "$safe_mode" || return 1
			[ $((0x$safe_mode & 0170000)) = $((0120000)) ] || continue
			case $safe_path in
			"$safe_prefix"/*)
				unsafe=$(is_safe "$(readlink -f "$safe_path")" '' || echo "$unsafe")
				[ -z "$unsafe" ] || return 1
				continue
				;;
			esac
			safe_links=$((safe_links + 1))
			unsafe="$safe_path has too many links"
			[ $safe_links -lt 20 ] || return 1
			safe_target=$(readlink "$safe_path")
			case $safe_target in
			/*) ;;
			*) safe_target=${safe_path%/*}/$safe_target ;;
			esac
			safe_dir=$safe_target${safe_dir#"$safe_path"}
			continue 2
		done << END
$safe_list
END
		unsafe=
		return 0
	done
}
