// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#ifdef __x86_64__
#include <sys/io.h>
#endif
#include <unistd.h>

#include "kselftest.h"
#include "model-port.h"
#include "model.h"
#include "uncore.h"

static char answer[256 * 1024];
static int lock_fd = -1;

#ifdef __x86_64__
/* Hardware may have another device at the model's ports: read them in QEMU alone. */
static bool find_port(void)
{
	char *vendor = read_text("/sys/class/dmi/id/sys_vendor"), *use = getenv("KSFT_MODEL");
	bool maybe = (!vendor || !strcmp(vendor, "QEMU")) && (!use || strcmp(use, "no"));

	free(vendor);
	return maybe && !iopl(3) && inl(MODEL_PORT_BASE + MODEL_PORT_MAGIC) == MODEL_MAGIC;
}

bool model_present(void)
{
	static int present = -1;

	/* Children inherit the right to use the ports. */
	if (present < 0)
		present = find_port();
	return present;
}

static unsigned int execute(const char *line, size_t len)
{
	unsigned int status, left;

	outl(0, MODEL_PORT_BASE + MODEL_PORT_STATUS);
	outsb(MODEL_PORT_BASE + MODEL_PORT_DATA, line, len);
	status = inl(MODEL_PORT_BASE + MODEL_PORT_STATUS);
	left = inl(MODEL_PORT_BASE + MODEL_PORT_LEFT);
	if (left >= sizeof(answer))
		ksft_exit_fail_msg("the model says too much\n");
	insb(MODEL_PORT_BASE + MODEL_PORT_DATA, answer, left);
	answer[left] = 0;
	return status;
}
#else
bool model_present(void)
{
	return false;
}

static unsigned int execute(const char *line, size_t len)
{
	ksft_exit_fail_msg("there is no model for '%.*s'\n", (int)len, line);
}
#endif

/* Open it in this process: an inherited file would share the parent's lock. */
static void lock(void)
{
	static pid_t owner;

	if (owner != getpid()) {
		lock_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		owner = getpid();
	}
	if (lock_fd < 0 || flock(lock_fd, LOCK_EX))
		ksft_exit_fail_msg("cannot lock /\n");
}

static int command(const char *fmt, va_list ap)
{
	unsigned int status;
	char line[4096];
	int len = vsnprintf(line, sizeof(line) - 1, fmt, ap);

	if (len < 0 || len >= (int)sizeof(line) - 1)
		ksft_exit_fail_msg("a command to the model is too long\n");
	strcpy(line + len, "\n");

	if (!model_present())
		ksft_exit_fail_msg("no model to be asked '%.*s'\n", len, line);
	lock();
	status = execute(line, len + 1);
	flock(lock_fd, LOCK_UN);
	return status;
}

int model_try(const char **out, const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = command(fmt, ap);
	va_end(ap);
	if (out)
		*out = answer;
	return status;
}

const char *model(const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = command(fmt, ap);
	va_end(ap);
	if (status == MODEL_STATUS_ERROR) {
		printf("# refused by the model: ");
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
		printf("\n# %s", answer);
		fflush(stdout);
		exit(1);
	}
	return answer;
}

bool model_value(const char *answer, const char *name, uint64_t *value)
{
	size_t len = strlen(name);
	const char *at = answer;

	while ((at = strstr(at, name))) {
		bool begins = at == answer || at[-1] == '\n' || at[-1] == '_';

		at += len;
		if (begins && *at == '=') {
			*value = strtoull(at + 1, NULL, 0);
			return true;
		}
	}
	return false;
}

uint64_t model_reg(unsigned int socket, const char *box, const char *name)
{
	uint64_t val;

	if (!model_value(model("get %u %s", socket, box), name, &val)) {
		printf("# %s has no register %s\n", box, name);
		exit(1);
	}
	return val;
}

struct accesses model_accesses(void)
{
	const char *line = model("accesses");
	struct accesses sum = { };

	for (; line && *line; line = strchr(line, '\n'), line += !!line) {
		unsigned long long r, w, p;
		int n;

		n = sscanf(line, "socket=%*d box=%*s kind=%*s reads=%llu writes=%llu ports=%llu",
			   &r, &w, &p);
		if (n < 2)
			ksft_exit_fail_msg("the access counters are not understood\n");
		sum.reads += r;
		sum.writes += w;
		/* An MSR has no ports. */
		sum.ports += n == 3 ? p : 0;
		sum.mapped += n == 3 ? r + w - p : 0;
	}
	return sum;
}

bool model_silent(const char *checker)
{
	const char *says;
	char *copy, *line, *save = NULL;

	if (!model_try(&says, "%s", checker))
		return true;
	copy = strdup(says);
	for (line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		printf("# %s: %s\n", checker, line);
	free(copy);
	model_try(NULL, "%s reset", checker);
	return false;
}
