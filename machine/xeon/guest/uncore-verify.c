// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uncore-verify [-x]: compare what an uncore driver shows in sysfs and writes
 * to registers with the rows on standard input. Prints TAP without numbers.
 *
 * PMU is the end of a PMU's name, UNIT the model's name of its first unit:
 *
 *   PMU UNIT field NAME REGISTER BITS [TERMS]...
 *       each bit of the format field NAME goes to that register alone, for
 *       each of these events; REGISTER "-": the model has no such register
 *   PMU UNIT counters N,... EVENT[/UMASK]...
 *       copies of one event run on these counters, and on no others
 *   PMU UNIT alias NAME EVENT UMASK [SCALE UNIT]
 *       the alias counts the bits of that unit mask, and no other; UMASK "-":
 *       a clock
 *   PMU UNIT free NAME COUNTER [SCALE UNIT]
 *       the alias reads that free-running counter of UNIT, also when it wraps;
 *       "-": a clock
 *   PMU UNIT width BITS EVENT UMASK
 *       a counter wraps at that width; EVENT "fixed": the fixed counter
 *
 * -x: a field or an alias that no row has is a failure, unless the driver
 * refuses the field.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/io.h>
#include <sys/syscall.h>

#include "../console/model-port.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define MAX_WORDS	64
#define MAX_COUNTERS	16
#define MAX_SEEN	4096

struct config {
	uint64_t word[3];
};

static char reason[4096];
static char pmu[256];		/* directory */
static const char *unit;
static int cpu;
static unsigned int type;
static uint64_t idle[MAX_COUNTERS];	/* controls */

/* "PMU/format/NAME" and "PMU/events/NAME" that a row has */
static char *seen[MAX_SEEN];
static int n_seen;

__attribute__((format(printf, 1, 2)))
static void because(const char *fmt, ...)
{
	size_t used = strlen(reason);
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason + used, sizeof(reason) - used, fmt, args);
	va_end(args);
}

/* Print a result, with the reasons collected since the last one. */
__attribute__((format(printf, 1, 2)))
static void result(const char *fmt, ...)
{
	const char *not = *reason ? "not " : "";
	char *line, *rest = reason;
	va_list args;

	while ((line = strsep(&rest, "\n")) && *line)
		printf("# %s\n", line);
	*reason = 0;
	printf("%sok - ", not);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/* The model's answer to a command; an error's text begins with '!'. */
__attribute__((format(printf, 1, 2)))
static const char *model(const char *fmt, ...)
{
	static char answer[1 << 16];
	char line[512];
	unsigned int status, left;
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	strcat(line, "\n");
	outsb(MODEL_PORT_BASE + MODEL_PORT_DATA, line, strlen(line));
	status = inl(MODEL_PORT_BASE + MODEL_PORT_STATUS);
	left = inl(MODEL_PORT_BASE + MODEL_PORT_LEFT);
	answer[0] = status == MODEL_STATUS_ERROR ? '!' : ' ';
	if (left > sizeof(answer) - 2) {
		fputs("uncore-verify: the model's answer is too long\n", stderr);
		exit(2);
	}
	insb(MODEL_PORT_BASE + MODEL_PORT_DATA, answer + 1, left);
	answer[left + 1] = 0;
	return answer;
}

/* The value of the register whose name ends in _NAME */
static bool find_register(const char *answer, const char *name, uint64_t *value)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "_%s=", name);
	at = strstr(answer, key);
	if (at)
		*value = strtoull(at + strlen(key), NULL, 0);
	return at;
}

/* The value of control N */
static bool read_control(const char *answer, int n, uint64_t *value)
{
	char name[16];

	snprintf(name, sizeof(name), "CTL%d", n);
	return find_register(answer, name, value);
}

/*
 * Before an event is opened, as controls keep their last one: clear them, or see what they are,
 * as discovered units have no poke. Some drivers write 0 to these, others the event without EN.
 */
static void clear_controls(void)
{
	const char *answer;

	for (int n = 0; n < MAX_COUNTERS; n++)
		model("poke 0 %s ctl%d=0", unit, n);
	answer = model("get 0 %s", unit);
	for (int n = 0; n < MAX_COUNTERS; n++)
		if (!read_control(answer, n, &idle[n]))
			break;
}

/* Counters whose control has changed since, and how many counters there are */
static unsigned int used_counters(int *number)
{
	const char *answer = model("get 0 %s", unit);
	unsigned int used = 0;
	uint64_t value;

	for (*number = 0; *number < MAX_COUNTERS; ++*number) {
		if (!read_control(answer, *number, &value))
			break;
		if (value != idle[*number])
			used |= 1U << *number;
	}
	return used;
}

static bool read_file(const char *dir, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", pmu, dir, name);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(text, size, f))
		*text = 0;
	fclose(f);
	text[strcspn(text, "\n")] = 0;
	return true;
}

/* Put a value into the bits of a format file, "config1:0-7,21". */
static bool put_field(const char *name, uint64_t value, struct config *config)
{
	char text[256], *at;
	int word = 0;

	if (!read_file("format", name, text, sizeof(text)))
		return false;
	at = strchr(text, ':');
	if (strncmp(text, "config", 6) || !at)
		return false;
	if (text[6] != ':')
		word = text[6] - '0';
	if (word < 0 || word > 2)
		return false;
	do {
		int first = strtol(at + 1, &at, 10), last = first;

		if (*at == '-')
			last = strtol(at + 1, &at, 10);
		for (int bit = first; bit <= last; bit++, value >>= 1)
			config->word[word] |= (value & 1) << bit;
	} while (*at == ',');
	return !value;
}

/* Encode "event=0x4,umask=0x3" as perf does, or "0x4/0x3" and "0x4". */
static bool encode(const char *terms, struct config *config)
{
	char text[512], *term, *rest = text;
	const char *mask = strchr(terms, '/');

	if (strchr(terms, '='))
		snprintf(text, sizeof(text), "%s", terms);
	else if (mask)
		snprintf(text, sizeof(text), "event=%.*s,umask=%s", (int)(mask - terms), terms,
			 mask + 1);
	else
		snprintf(text, sizeof(text), "event=%s", terms);
	while ((term = strsep(&rest, ","))) {
		char *value = strchr(term, '=');

		if (value)
			*value++ = 0;
		if (!put_field(term, value ? strtoull(value, NULL, 0) : 1, config)) {
			because("no room for %s=%s in the format\n", term, value ? value : "1");
			return false;
		}
	}
	return true;
}

static int open_event(const struct config *config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config->word[0],
		.config1 = config->word[1],
		.config2 = config->word[2],
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
}

static uint64_t read_event(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		because("read: %s\n", strerror(errno));
	return value;
}

/* That a row is about this file */
static void note(const char *dir, const char *name)
{
	if (n_seen == MAX_SEEN || asprintf(&seen[n_seen++], "%s/%s/%s", pmu, dir, name) < 0) {
		fputs("uncore-verify: too many rows\n", stderr);
		exit(2);
	}
}

/* The value of a register while an event is open */
static bool register_of(const struct config *config, const char *name, uint64_t *value)
{
	unsigned int used;
	char control[32];
	int fd, number;
	bool found;

	clear_controls();
	fd = open_event(config);
	if (fd < 0)
		return false;
	if (!strcmp(name, "CTL")) {
		used = used_counters(&number);
		snprintf(control, sizeof(control), "CTL%d", used ? __builtin_ctz(used) : 0);
		name = control;
	}
	found = find_register(model("get 0 %s", unit), name, value);
	if (!found)
		because("%s has no register %s\n", unit, name);
	close(fd);
	return found;
}

static void check_bits(const char *name, const char *reg, const char *bits, const char *terms)
{
	struct config without = {}, with;
	uint64_t before = 0, after;
	bool comparable;
	int n = 0;

	if (!encode(terms, &without))
		return;
	comparable = register_of(&without, reg, &before);
	do {
		int first = strtol(bits, (char **)&bits, 10), last = first;

		if (*bits == '-')
			last = strtol(bits + 1, (char **)&bits, 10);
		for (int bit = first; bit <= last; bit++, n++) {
			with = without;
			if (!put_field(name, 1ULL << n, &with)) {
				because("%s has no bit %d\n", name, n);
				return;
			}
			if (!register_of(&with, reg, &after)) {
				because("%s,%s=0x%llx is refused\n", terms, name, 1ULL << n);
				return;
			}
			if ((comparable && (after ^ before) != 1ULL << bit) ||
			    !(after >> bit & 1)) {
				because("%s,%s=0x%llx: %s is 0x%llx, without it 0x%llx\n",
					terms, name, 1ULL << n, reg, (unsigned long long)after,
					(unsigned long long)before);
				return;
			}
		}
	} while (*bits++ == ',');
	with = without;
	if (put_field(name, 1ULL << n, &with) && n < 64)
		because("%s has more than %d bits\n", name, n);
}

static void check_field(char **words, int n)
{
	const char *name = words[0];
	char text[256];

	note("format", name);
	if (!read_file("format", name, text, sizeof(text))) {
		because("there is no such field\n");
	} else if (strcmp(words[1], "-")) {
		for (int i = 3; i < n || i == 3; i++)
			check_bits(name, words[1], words[2], i < n ? words[i] : "0x5");
	} else if (strcmp(text, words[2])) {
		because("it is %s\n", text);
	}
	result("%s: %s%s%s is %s %s", strrchr(pmu, '/') + 1, name, n > 3 ? " of " : "",
	       n > 3 ? words[3] : "", strcmp(words[1], "-") ? words[1] : "in", words[2]);
}

static void check_counters(char **words, int n)
{
	const char *name = strrchr(pmu, '/') + 1;
	unsigned int allowed = 0, used;
	int good = 0;

	for (char *at = words[0]; *at; at += *at == ',')
		allowed |= 1U << strtol(at, &at, 10);
	for (int i = 1; i < n; i++) {
		int fds[MAX_COUNTERS], open = 0, number;
		struct config config = {};

		encode(words[i], &config);
		clear_controls();
		used_counters(&number);
		while (open < number && (fds[open] = open_event(&config)) >= 0)
			open++;
		if (open < number)
			because("perf_event_open: %s\n", strerror(errno));
		used = used_counters(&number);
		while (open)
			close(fds[--open]);
		if (used != allowed)
			because("counters 0x%x and not 0x%x\n", used, allowed);
		if (*reason)
			result("%s: event %s runs on counters %s alone", name, words[i], words[0]);
		else
			good++;
	}
	if (good)
		result("%s: events %s to %s run on counters %s alone", name, words[1],
		       words[n - 1], words[0]);
}

static bool scale_is_wrong(const char *name, char **words, int n)
{
	char file[128], text[128];
	double scale = n > 0 ? strtod(words[0], NULL) : 1;

	snprintf(file, sizeof(file), "%s.scale", name);
	if (!read_file("events", file, text, sizeof(text)))
		snprintf(text, sizeof(text), "1");
	if (strtod(text, NULL) != scale)
		because("its scale is %s\n", text);
	snprintf(file, sizeof(file), "%s.unit", name);
	if (!read_file("events", file, text, sizeof(text)))
		*text = 0;
	if (strcmp(text, n > 1 ? words[1] : ""))
		because("its unit is '%s'\n", text);
	return *reason;
}

static bool runs(int fd)
{
	struct timespec wait = { .tv_nsec = 1000000 };

	for (int i = 0; i < 1000; i++) {
		if (read_event(fd))
			return true;
		nanosleep(&wait, NULL);
	}
	return false;
}

static void check_alias(char **words, int n)
{
	struct config config = {}, wanted = {};
	const char *name = words[0];
	uint64_t expected = 0, count;
	unsigned long umask = 0;
	char text[256];
	int fd;

	note("events", name);
	if (!read_file("events", name, text, sizeof(text))) {
		because("there is no such alias\n");
		goto out;
	}
	if (!encode(text, &config))
		goto out;
	if (strcmp(words[2], "-"))
		umask = strtoul(words[2], NULL, 0);
	put_field("event", strtoull(words[1], NULL, 0), &wanted);
	put_field("umask", umask, &wanted);
	if (memcmp(&config, &wanted, sizeof(config)))
		because("it is %s\n", text);
	if (scale_is_wrong(name, words + 3, n - 3))
		goto out;
	fd = open_event(&config);
	if (fd < 0) {
		because("perf_event_open: %s\n", strerror(errno));
		goto out;
	}
	if (strcmp(words[2], "-")) {
		for (int bit = 0; bit < 8; bit++) {
			uint64_t happens = 1000003ULL << bit;

			if (*model("stim 0 %s event=%s,umask=0x%x,count=%llu", unit, words[1],
				   1 << bit, (unsigned long long)happens) == '!')
				continue;
			if (umask >> bit & 1)
				expected += happens;
		}
		count = read_event(fd);
		if (count != expected || !count)
			because("it counts %llu of %llu\n", (unsigned long long)count,
				(unsigned long long)expected);
	} else if (!runs(fd)) {
		because("it counts 0\n");
	}
	close(fd);
out:
	result("%s/%s/ is event %s, umask %s%s%s%s", strrchr(pmu, '/') + 1, name, words[1],
	       words[2], n > 3 ? ", in " : "", n > 4 ? words[4] : "",
	       n > 3 ? ", and counts what is injected" : "");
}

/* Set a free-running counter to the end of its range. Return its width in bits. */
static int set_to_end(int counter)
{
	int bits = 64;

	/* The model refuses a value that is too wide. */
	while (bits > 10 && *model("set 0 %s ctr=%d,value=0x%llx", unit, counter,
				   (~0ULL >> (64 - bits)) - 500) == '!')
		bits--;
	return bits;
}

static void check_free(char **words, int n)
{
	int wanted = atoi(words[1]), bits = set_to_end(wanted), fd;
	/* More than a driver takes for possible if it knows fewer bits */
	uint64_t half = 1ULL << (bits - 1), expected = half + (1000U << wanted), count;
	const char *name = words[0];
	struct config config = {};
	char text[256];

	note("events", name);
	if (!read_file("events", name, text, sizeof(text))) {
		because("there is no such alias\n");
	} else if (encode(text, &config) && !scale_is_wrong(name, words + 2, n - 2)) {
		fd = open_event(&config);
		if (fd < 0) {
			because("perf_event_open: %s\n", strerror(errno));
		} else if (!strcmp(words[1], "-")) {
			if (!runs(fd))
				because("it counts 0\n");
		} else {
			for (int ctr = 0; ctr < MAX_COUNTERS; ctr++)
				model("stim 0 %s ctr=%d,count=%llu", unit, ctr,
				      (unsigned long long)((ctr == wanted ? half : 0) +
							   (1000U << ctr)));
			count = read_event(fd);
			if (count != expected)
				because("it counts %llu of %llu\n", (unsigned long long)count,
					(unsigned long long)expected);
		}
		if (fd >= 0)
			close(fd);
	}
	result("%s/%s/ reads counter %s of %s", strrchr(pmu, '/') + 1, name, words[1], unit);
}

/* Put the counter at the end of its range, then over it. */
static void check_width(char **words, int n)
{
	bool fixed = !strcmp(words[1], "fixed");
	int bits = atoi(words[0]), fd, number;
	unsigned int room = fixed ? 100000000 : 10;
	uint64_t mask = (1ULL << bits) - 1, before, after, start = 0;
	struct config config = {};
	char counter[16] = "fixed", name[16];

	put_field("event", fixed ? 0xff : strtoull(words[1], NULL, 0), &config);
	if (n > 2)
		put_field("umask", strtoull(words[2], NULL, 0), &config);
	clear_controls();
	fd = open_event(&config);
	if (fd < 0) {
		because("perf_event_open: %s\n", strerror(errno));
		goto out;
	}
	if (!fixed) {
		sprintf(counter, "%d", __builtin_ctz(used_counters(&number) | 1U << 15));
		snprintf(name, sizeof(name), "CTR%s", counter);
	} else {
		strcpy(name, "FIXED_CTR");
	}
	/* What the firmware left in it is not counted. */
	find_register(model("get 0 %s", unit), name, &start);
	if (*model("set 0 %s ctr=%s,value=0x%llx", unit, counter,
		   (unsigned long long)(mask - room + 1)) == '!')
		because("the model cannot set the counter\n");
	if (*model("set 0 %s ctr=%s,value=0x%llx", unit, counter,
		   (unsigned long long)(mask + 1)) != '!')
		because("the model's counter is wider\n");
	before = read_event(fd);
	if (fixed) {
		struct timespec wait = { .tv_nsec = 10000000 };
		int tries = 0;

		/* The clock takes it over the end. */
		do {
			nanosleep(&wait, NULL);
			after = read_event(fd);
		} while (after - before < room && ++tries < 500);
		if (((before + start) & mask) < mask >> 1 || after - before < room ||
		    after - before > mask >> 4)
			because("it counts 0x%llx, then 0x%llx\n", (unsigned long long)before,
				(unsigned long long)after);
	} else {
		model("stim 0 %s event=%s%s%s,count=%u", unit, words[1], n > 2 ? ",umask=" : "",
		      n > 2 ? words[2] : "", 2 * room);
		after = read_event(fd);
		if (before != ((mask - room + 1 - start) & mask) || after != before + 2 * room)
			because("it counts 0x%llx, then 0x%llx\n", (unsigned long long)before,
				(unsigned long long)after);
	}
	close(fd);
out:
	result("%s: %s wraps at %d bits", strrchr(pmu, '/') + 1,
	       fixed ? "the fixed counter" : "a counter", bits);
}

/* Set pmu, type and cpu. */
static bool find_pmu(const char *suffix)
{
	DIR *dir = opendir(DEVICES);
	struct dirent *entry;
	char text[4096];

	*pmu = 0;
	while (dir && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name), m = strlen(suffix);

		if (n > m && entry->d_name[n - m - 1] == '_' &&
		    !strcmp(entry->d_name + n - m, suffix))
			snprintf(pmu, sizeof(pmu), DEVICES "/%.200s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (!*pmu)
		return false;
	if (read_file(".", "type", text, sizeof(text)))
		type = atoi(text);
	if (read_file(".", "cpumask", text, sizeof(text)))
		cpu = atoi(text);
	return true;
}

static bool has_row(const char *dir, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", pmu, dir, name);
	for (int i = 0; i < n_seen; i++)
		if (!strcmp(seen[i], path))
			return true;
	return false;
}

/* What sysfs has beyond the rows: fields have to be refused. */
static void check_rest(const char *dir)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int bad = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", pmu, dir);
	d = opendir(path);
	while (d && (entry = readdir(d))) {
		struct config config = {};
		int fd;

		if (strchr(entry->d_name, '.') || has_row(dir, entry->d_name) ||
		    !strcmp(entry->d_name, "event") || !strcmp(entry->d_name, "umask"))
			continue;
		if (!strcmp(dir, "format")) {
			put_field("event", 5, &config);
			put_field(entry->d_name, 1, &config);
			fd = open_event(&config);
			if (fd < 0)
				continue;
			close(fd);
		}
		because("%s is none of the hardware's\n", entry->d_name);
		result("%s: %s/%s is the hardware's", strrchr(pmu, '/') + 1, dir, entry->d_name);
		bad++;
	}
	if (d)
		closedir(d);
	if (d && !bad)
		result("%s has no other %s", strrchr(pmu, '/') + 1,
		       strcmp(dir, "format") ? "aliases" : "fields that it accepts");
}

static int unknown_row(char **words)
{
	fprintf(stderr, "uncore-verify: %s %s: unknown row\n", words[0], words[2]);
	return 2;
}

int main(int argc, char **argv)
{
	bool exact = argc > 1 && !strcmp(argv[1], "-x");
	char *line = NULL, last[256] = "";
	size_t size = 0;

	if (iopl(3) || inl(MODEL_PORT_BASE + MODEL_PORT_MAGIC) != MODEL_MAGIC) {
		fputs("uncore-verify: this machine has no model\n", stderr);
		return 2;
	}
	outl(0, MODEL_PORT_BASE + MODEL_PORT_STATUS);
	for (;;) {
		bool more = getline(&line, &size, stdin) > 0;
		char *words[MAX_WORDS];
		int n = 0;

		if (more) {
			for (char *w = strtok(line, " \t\n"); w && n < MAX_WORDS;
			     w = strtok(NULL, " \t\n"))
				words[n++] = w;
			if (n < 4)
				continue;
		}
		if (exact && *last && (!more || strcmp(last, words[0])) && find_pmu(last)) {
			check_rest("format");
			check_rest("events");
		}
		if (!more)
			break;
		snprintf(last, sizeof(last), "%s", words[0]);
		unit = words[1];
		if (!find_pmu(words[0])) {
			because("it is not there\n");
			result("the PMU %s has %s %s", words[0], words[2], words[3]);
			continue;
		}
		if (!strcmp(words[2], "field") && n > 5)
			check_field(words + 3, n - 3);
		else if (!strcmp(words[2], "counters") && n > 4)
			check_counters(words + 3, n - 3);
		else if (!strcmp(words[2], "alias") && n > 5)
			check_alias(words + 3, n - 3);
		else if (!strcmp(words[2], "free") && n > 4)
			check_free(words + 3, n - 3);
		else if (!strcmp(words[2], "width") && n > 4)
			check_width(words + 3, n - 3);
		else
			return unknown_row(words);
	}
	return 0;
}
