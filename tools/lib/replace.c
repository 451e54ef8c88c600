// SPDX-License-Identifier: GPL-2.0-only
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

/*
 * The directory may belong to another user, who can put a link in place of any name in it at any
 * time: the new file is opened once, with O_EXCL, and is kept open. rename() follows no link.
 */
void replace_open(struct replacement *r, const char *path)
{
	mode_t mask = umask(0);
	struct stat st;
	int fd;

	umask(mask);
	r->path = path;
	if (snprintf(r->new, sizeof(r->new), "%s.XXXXXX", path) >= (int)sizeof(r->new))
		die("%s: the name is too long", path);
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		die("%s is not a regular file: name one, which is replaced", path);
	fd = mkostemp(r->new, O_CLOEXEC);
	r->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!r->out || fchmod(fd, 0666 & ~mask)) {
		int error = errno;

		if (fd >= 0)
			unlink(r->new);
		die("cannot write %s: %s", path, strerror(error));
	}
}

void replace_finish(struct replacement *r)
{
	if (ferror(r->out) | fclose(r->out) || rename(r->new, r->path)) {
		int error = errno;

		unlink(r->new);
		die("cannot write %s: %s", r->path, strerror(error));
	}
}
