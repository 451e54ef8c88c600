#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Where packages cannot be installed, scripts/setup stops and prints the list of them.
#

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

setup=$SCRIPTS/setup
: > "$tmp/err"

# Every package, with its purpose
"$setup" -l > "$tmp/list"
sed 's/^[^:]*: //' "$tmp/list" | tr ' ' '\n' | sort > "$tmp/listed"
grep -v '^#' "$SCRIPTS/packages" | sed '/^$/d' | sort > "$tmp/packages"
check 'each package is named once' cmp "$tmp/listed" "$tmp/packages"
check 'each line names a purpose' sh -c '! grep -nv "^[^:]*[^: ]: [a-z0-9]" "$1"' sh "$tmp/list"

# says TEXT: whether setup failed (status 1) with this sentence and the list, and installed nothing
says()
{
	[ $code = 1 ] || { echo "exit status $code"; return 1; }
	grep -qF "$1" "$tmp/err" || { echo "it does not say: $1"; return 1; }
	sed -n 's/^  //p' "$tmp/err" | cmp - "$tmp/list" || return 1
	! grep -q installing "$tmp/err"
}

# PATH has every program except apt and dpkg.
mkdir "$tmp/bin"
find /usr/local/bin/ /usr/bin/ /bin/ -maxdepth 1 \( -type f -o -type l \) ! -name 'apt*' ! -name 'dpkg*' -print0 |
	xargs -0 ln -sf -t "$tmp/bin"
code=0
PATH=$tmp/bin "$setup" > "$tmp/out" 2> "$tmp/err" || code=$?
check 'a machine without apt gets the list' says 'There is no apt-get on this machine'

# A user without sudo
mkdir "$tmp/user"
find /usr/local/bin/ /usr/bin/ /bin/ -maxdepth 1 \( -type f -o -type l \) ! -name sudo ! -name id -print0 | xargs -0 ln -sf -t "$tmp/user"
printf '#!/bin/sh\necho 1000\n' > "$tmp/user/id"
chmod +x "$tmp/user/id"
printf '# A list\n\n# nothing\nno-such-package\n' > "$tmp/packages"
code=0
PATH=$tmp/user "$setup" "$tmp/packages" > "$tmp/out" 2> "$tmp/err" || code=$?
check "the set-up fails for a user without sudo" test $code = 1
check '... who is told what root has to install' grep -qx 'setup: you are not root, and there is no sudo; as root, run: apt-get install --no-install-recommends no-such-package' "$tmp/err"

# Another name in /etc/os-release
if as_root unshare --mount true 2> "$tmp/err"; then
	printf '%s\n' ID=ubuntu VERSION_ID=24.04 'PRETTY_NAME="Ubuntu 24.04"' > "$tmp/os-release"
	code=0
	as_root unshare --mount --propagation private sh -c 'mount --bind "$1" /etc/os-release; exec "$2"' sh \
		"$tmp/os-release" "$setup" > "$tmp/out" 2> "$tmp/err" || code=$?
	check 'a system derived from Debian gets the list' says 'no Debian 12 or 13 but Ubuntu 24.04.'
else
	ok 0 "other systems # SKIP this machine does not let root mount: $(head -n 1 "$tmp/err")"
fi
tap_done
