// SPDX-License-Identifier: GPL-2.0-only
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"
#include "util.h"

/* Return the number of an environment variable, or another one: sudo sets SUDO_UID and SUDO_GID. */
static unsigned int sudo_id(const char *name, unsigned int otherwise)
{
	const char *text = geteuid() ? NULL : getenv(name);
	uint64_t id;

	return text && parse_number(text, strlen(text), &id) && id < UINT32_MAX ? id : otherwise;
}

/* Open the directory of a path; returns whether nobody else can change it, and the name in it. */
static bool open_directory(const char *path, int *at, const char **name)
{
	const char *slash = strchr(path, '/');
	struct stat st = { .st_mode = 0 };
	char *word;
	bool ours;
	int next;

	*at = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (;; path = slash + 1, slash = strchr(path, '/')) {
		ours = *at >= 0 && !fstat(*at, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
			!(st.st_mode & 022);
		*name = path;
		if (!slash || *at < 0)
			return ours;
		if (slash == path)
			continue;
		word = format("%.*s", (int)(slash - path), path);
		next = openat(*at, word,
			      O_PATH | O_DIRECTORY | O_CLOEXEC | (ours ? 0 : O_NOFOLLOW));
		free(word);
		close(*at);
		*at = next;
	}
}

/*
 * The directory may belong to another user, who can put a link in place of any name in it at any
 * time: it is kept open, and the new file is opened once, with O_EXCL. rename() follows no link.
 */
void replace_open(struct replacement *r, const char *path)
{
	mode_t mask = umask(0);
	const char *name;
	struct stat st;
	int fd;

	umask(mask);
	r->path = path;
	open_directory(path, &r->at, &name);
	if (r->at < 0)
		die("cannot write %s: %s", path, strerror(errno));
	r->to = format("/proc/self/fd/%d/%s", r->at, name);
	r->new = format("%s.XXXXXX", r->to);
	if (!lstat(r->to, &st) && !S_ISREG(st.st_mode))
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
	if (ferror(r->out) | fclose(r->out) || rename(r->new, r->to)) {
		int error = errno;

		unlink(r->new);
		die("cannot write %s: %s", r->path, strerror(error));
	}
	close(r->at);
	free(r->to);
	free(r->new);
}

FILE *write_file(const char *path, bool private)
{
	const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	unsigned int user = sudo_id("SUDO_UID", geteuid());
	struct stat st;
	bool ours, made;
	const char *name;
	FILE *out = NULL;
	int at, fd;

	ours = open_directory(path, &at, &name);
	if (at < 0)
		die("cannot write %s: %s", path, strerror(errno));
	fd = openat(at, name, flags | O_CREAT | O_EXCL, private ? 0600 : 0666);
	made = fd >= 0;
	if (!made && errno == EEXIST)
		fd = openat(at, name, flags | (ours ? O_CREAT : O_NOFOLLOW | O_NONBLOCK), 0600);
	if (!made && fd >= 0 && !ours &&
	    (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	     (st.st_uid != geteuid() && st.st_uid != user)))
		die("cannot write %s: others can write to its directory, and it is not a file of yours alone",
		    path);
	if (fd >= 0 && made && private && user != geteuid() &&
	    fchown(fd, user, sudo_id("SUDO_GID", getegid())))
		die("cannot give %s to user %u: %s", path, user, strerror(errno));
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (!out)
		die("cannot write %s: %s", path, strerror(errno));
	close(at);
	return out;
}
