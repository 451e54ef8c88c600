#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Mistakes of the user and lacks of the host give one clear line before a boot, and leave nothing
# behind.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

cd "$TOP"

# refused NAME STATUS PATTERN COMMAND...: a test that it fails with STATUS and one line that matches
refused()
{
	name=$1 expected=$2 pattern=$3
	shift 3
	code=0
	"$@" > "$tmp/out" 2> "$tmp/err" < /dev/null || code=$?
	sed -i '/: fetching the package lists of /d; /: unpacking Debian.s linux-image/d' "$tmp/err"
	echo "status $code" >> "$tmp/out"
	[ $code = "$expected" ] && [ "$(wc -l < "$tmp/err")" = 1 ] && grep -qE -e "$pattern" "$tmp/err" && [ "$(wc -l < "$tmp/out")" = 1 ]
	ok $? "$name" "$tmp/err" "$tmp/out"
}
set +e

refused 'a misspelt variable of make vm' 2 'does not know SOCKET: it takes CMD KERNEL .*SOCKETS' make vm SOCKET=4 CMD=true
refused 'a misspelt variable of make check' 2 'does not know T: it takes nothing' make check T=x
# As they are typed: make would expand a $, and run $(shell ...) on the host.
# shellcheck disable=SC2016
for word in "don't" 'no$such' '$(shell touch made-by-make)'; do
	for words in 'vm CMD=true EXTRA' 'check-all TAG'; do
		# shellcheck disable=SC2086 # words
		SNBEP_BUILD=$tmp/build make -s ${words% *} "${words##* }=$word" > "$tmp/out" 2> "$tmp/err" < /dev/null
		grep -qF -e "-e $word: no such directory" -e "-m $word: no marker" "$tmp/err" && [ ! -e made-by-make ]
		ok $? "make $words=$word" "$tmp/err"
		rm -f made-by-make
	done
done
make help > "$tmp/out" 2>&1 && grep -q '^make vm ' "$tmp/out" && ! grep -q '^#' "$tmp/out"
ok $? 'make help' "$tmp/out"
refused 'an unknown option of the model' 125 "no option 'nonsense'" bin/vm -m '' -o nonsense -- true
refused 'a value that an option of the model does not take' 125 'cores is 1 to 8, not 9' bin/vm -m '' -o cores=9 -- true
for bad in '-c 08' '-c x' '-t 1e9' '-t 99999999999999999999'; do
	# shellcheck disable=SC2086 # an option and its value
	refused "a number that $bad is not" 125 "^vm: $bad: " "$TOP/machine/xeon/vm/vm" $bad -- true
done
for opt in b e f; do
	refused "-$opt and a directory that is not there" 125 "^vm: -$opt /nodir: no such directory" "$TOP/machine/xeon/vm/vm" -$opt /nodir -- true
done
refused 'a kernel that nobody has' 125 'no kernel 4\.19' "$TOP/machine/xeon/vm/vm" -k 4.19 -- true
refused 'a shell without a terminal' 125 'a shell needs a terminal' bin/vm -m '' -i

# cached OPTIONS COMMAND...: run it with the cache on a file system of its own
mkdir "$tmp/cache"
cat > "$tmp/cached" << END
#!/bin/sh
export SNBEP_CACHE=$tmp/cache
exec unshare -rm sh -c 'mount -t tmpfs -o "mode=700,\$1" none "\$SNBEP_CACHE" && shift && "\$@"' sh "\$@"
END
chmod +x "$tmp/cached"

# An incomplete kernel in the cache is an error.
"$SCRIPTS/suite-apt" -t bookworm > /dev/null
lists=$CACHE/apt/bookworm-deb
cat > "$tmp/kernel" << END
mkdir "\$SNBEP_CACHE/apt" "\$SNBEP_CACHE/lock" && cp -rp "$lists" "\$SNBEP_CACHE/apt/"
$SCRIPTS/kernel 6.1
code=\$?
find "\$SNBEP_CACHE" -mindepth 1 -maxdepth 2 ! -path '*/apt*' ! -path '*/lock*' ! -path '*/log*' ! -path '*/kernel' >&2
exit \$code
END
cat > "$tmp/apt.conf" << END
Acquire::http::Proxy "http://127.0.0.1:9";
Acquire::https::Proxy "http://127.0.0.1:9";
Acquire::Retries "0";
END

# A CPU that goes offline: the number of tasks, one that is listed, and whether check-log says so
while read -r number task complains; do
	printf '%s\n' 'WARNING: CPU: 1 PID: 26 at kernel/sched/core.c:8365 sched_cpu_dying+0x93/0x230' 'Call Trace:' ' </TASK>' \
		"CPU1 enqueued tasks ($number total):" "	pid: 26, name: $task" > "$tmp/log"
	machine/xeon/vm/check-log "$tmp/log" > "$tmp/out" 2>&1
	[ $? = "$complains" ]
	ok $? "a CPU goes offline with $number tasks, among them $task" "$tmp/out"
done << 'END'
2 migration/1 0
2 mount 1
2 kworker/1:0 1
1 migration/1 1
21 migration/1 1
END

# A mirror that has no security updates, according to a fake apt-get
mkdir "$tmp/bin"
cat > "$tmp/bin/apt-get" << 'END'
#!/bin/sh
case " $* " in
*' update '*) ;;
*) exec /usr/bin/apt-get "$@" ;;
esac
list=$(printf '%s\n' "$@" | sed -n 's/^Dir::Etc::sourcelist=//p')
grep -q -e '-security main$' "$list" || exit 0
echo "E: The repository 'http://mirror.example/debian-security bookworm-security Release' does not have a Release file."
exit 100
END
chmod +x "$tmp/bin/apt-get"
PATH=$tmp/bin:$PATH SNBEP_CACHE=$tmp/mirror "$SCRIPTS/suite-apt" -t bookworm > "$tmp/out" 2>&1
grep -qx 'suite-apt: the mirror has no bookworm-security: its packages are left out' "$tmp/out"
ok $? 'a mirror without security updates is named' "$tmp/out"

if unshare -rm true 2> "$tmp/err"; then
	refused 'a cache that cannot be written' 125 '^setup: the cache .* is not writable: set XDG_CACHE_HOME' "$tmp/cached" ro machine/xeon/vm/vm -- true
	refused 'a cache that is full' 1 'No space left|space' "$tmp/cached" "size=$(($(du -sm "$lists" | cut -f1) + 130))m" sh "$tmp/kernel"
	refused 'a download that fails' 1 '^kernel: a download failed: .*127\.0\.0\.1' \
		env "APT_CONFIG=$tmp/apt.conf" "$tmp/cached" size=4g sh "$tmp/kernel"
else
	for name in 'a cache that cannot be written' 'a cache that is full' 'a download that fails'; do
		ok 0 "$name # SKIP unshare gives no mounts here"
	done
fi
tap_done
