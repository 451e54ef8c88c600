#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the RPM package with Debian's rpmbuild, install it in a root of its own, and erase it.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
set +e
. "$TOP/scripts/test.sh"

"$SCRIPTS/setup" "$TOP/packaging/packages" && "$SCRIPTS/setup" "$TOP/packaging/rpm.packages" || exit
mkdir -p "$tmp/SOURCES" "$tmp/root"
(cd "$TOP" && scripts/files | tar --transform 's,^,snbep-uncore-1.0/,' -czf "$tmp/SOURCES/snbep-uncore-1.0.tar.gz" -T -)
# Debian's names of packages are not those that the spec asks for.
rpmbuild -bb --nodeps --define "_topdir $tmp" "$TOP/packaging/snbep-uncore-tools.spec" > "$tmp/log" 2>&1
ok $? 'rpmbuild makes the package: all files are in the list' "$tmp/log"
rpm --root "$tmp/root" --dbpath /rpmdb --nodeps -i "$tmp"/RPMS/*/*.rpm > "$tmp/log" 2>&1
ok $? 'it installs' "$tmp/log"
[ "$("$tmp/root/usr/bin/uncorestat" --version | head -n 1)" = "uncorestat $(sed -n 's/^VERSION := //p' "$TOP/tools/Makefile")" ] &&
	[ -e "$tmp/root/usr/lib/systemd/system/uncorestat.service" ] && zcat -f "$tmp"/root/usr/share/man/man8/uncorestat.8* | grep -q '^.SH NAME'
ok $? 'uncorestat, its unit and its manual page are there'
rpm --root "$tmp/root" --dbpath /rpmdb -e snbep-uncore-tools > "$tmp/log" 2>&1 &&
	find "$tmp/root" -type f ! -path '*/rpmdb/*' > "$tmp/log" && [ ! -s "$tmp/log" ]
ok $? 'it leaves no file' "$tmp/log"
tap_done
