# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the packages say of the project, sourced by what builds them.

# Where it is: the page in Homepage and URL, the repository as Vcs-Git has it without .git, and the
# directory of snbep-uncore-VERSION.tar.xz. To be changed before a release: no such place exists.
url=https://a-seed-fd1d97db.example/snbep-uncore
maintainer='Seed fd1d97db maintainers <maintainers@users.noreply.a-seed-fd1d97db.example>'

# about [-i] [FILE]...: sed that puts them in
about()
{
	sed -e "s|@URL@|$url|g; s|@MAINTAINER@|$maintainer|g" "$@"
}
