#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Scripts and tests work in the user's language: in German, apt's words are others; in Turkish,
# [a-z] has no i.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

set +e
for name in de_DE tr_TR; do
	if ! localedef -i $name -f UTF-8 "$tmp/$name.UTF-8" > "$tmp/out" 2>&1; then
		echo "1..0 # SKIP localedef cannot make $name here: $(head -n 1 "$tmp/out") (the package locales has its source)"
		exit
	fi
done
export LOCPATH="$tmp"

# in_locale NAME COMMAND...
in_locale()
{
	LC_ALL=$1.UTF-8
	shift
	LC_ALL=$LC_ALL LANGUAGE='' "$@"
	in_locale_code=$?
	LC_ALL=C
	return $in_locale_code
}

in_locale de_DE apt-cache policy make > "$tmp/policy"
# shellcheck disable=SC2016 # for that shell
[ "$(in_locale de_DE sh -c '. "$1"; candidate make' "$SCRIPTS/try" "$SCRIPTS/lib.sh")" = "$(candidate make)" ] && [ "$(candidate make)" ]
ok $? "de_DE: apt's candidate of a package is found" "$tmp/policy"
in_locale tr_TR "$TOP/selftests/cases/uncore/tables.t" > "$tmp/out" 2>&1
ok $? 'tr_TR: the tests of the event tables pass' "$tmp/out"

# shellcheck disable=SC2016 # for that shell
said=$(in_locale tr_TR sh -c '. "$1"; echo "$LC_ALL $SNBEP_CHARMAP"' "$SCRIPTS/try" "$SCRIPTS/lib.sh")
check "the guest's shell still gets the user's character set" [ "$said" = 'C UTF-8' ]
tap_done
