// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uncore-stim: send commands to the hardware model from the guest. See usage[].
 *
 * The model parses commands: this program sends lines to its port and prints
 * the answers. -f executes a file with one command per line, as on the command
 * line ("-" is standard input, "#" begins a comment).
 *
 * Exit status: 0, 1 if a protocol checker has findings, 2 if a command failed.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/io.h>

#include "../console/model-port.h"

#define MAX_WORDS	4096

#define BOXES \
"BOX: ubox, cbox_0 to cbox_7, ha, imc_0 to imc_3, pcu, qpi_0, qpi_1, r2pcie,\n" \
"     r3qpi_0, r3qpi_1; v2 to v4: irp; v3, v4: sbox_0 to sbox_3\n"

static const char usage[] =
"usage: uncore-stim [-s SOCKET] BOX KEY=VALUE,... [[-s SOCKET] BOX KEY=...]...\n"
"       uncore-stim [-s SOCKET] set BOX ctr=N,value=V\n"
"       uncore-stim [-s SOCKET] tear BOX ctr=N,value=V,after=lo|hi\n"
"       uncore-stim [-s SOCKET] get BOX\n"
"       uncore-stim [-s SOCKET] poke BOX|msr|DEV.FN REG=VALUE,...\n"
"       uncore-stim [-s SOCKET] peek BOX|msr|DEV.FN REG,...\n"
"       uncore-stim [-s SOCKET] reset-all\n"
"       uncore-stim power KEY=VALUE,...\n"
"       uncore-stim variant\n"
"       uncore-stim offcore KEY=VALUE,...\n"
"       uncore-stim core-pmu get|expect|checker|accesses ...\n"
"       uncore-stim checker|accesses [reset]\n"
"       uncore-stim checker rules|on RULE|off RULE\n"
"       uncore-stim traffic [on|off|empty]\n"
"       uncore-stim wake\n"
"       uncore-stim raw WORD...\n"
"       uncore-stim -f FILE\n"
BOXES
"REG: a register's name in the guide, or a suffix of it, in any case (box_ctl,\n"
"     ctr0); with msr its number, with DEV.FN its offset. poke is neither checked\n"
"     nor counted.\n"
"SOCKET: 0, 1 and so on, in the order of the packages' numbers, which may have\n"
"     gaps. reset-all: without -s, all sockets.\n"
"Keys and their defaults: Documentation/model.rst\n";

static int die(const char *what)
{
	fprintf(stderr, "uncore-stim: %s: %s\n", what, strerror(errno));
	return 2;
}

/* The port has one line buffer: lock out other commands of the guest. */
static int open_port(void)
{
	int fd;

	if (iopl(3))
		return die("iopl (only root may use the model's port)");
	if (inl(MODEL_PORT_BASE + MODEL_PORT_MAGIC) != MODEL_MAGIC) {
		fprintf(stderr, "uncore-stim: this machine has no model: no port at 0x%x\n",
			MODEL_PORT_BASE);
		return 2;
	}
	fd = open("/", O_RDONLY | O_DIRECTORY);
	if (fd < 0 || flock(fd, LOCK_EX))
		return die("lock /");
	outl(0, MODEL_PORT_BASE + MODEL_PORT_STATUS);
	return 0;
}

static void put(const char *s)
{
	outsb(MODEL_PORT_BASE + MODEL_PORT_DATA, s, strlen(s));
}

/* End the line and print the answer. An unknown box: list the boxes. */
static int finish(void)
{
	unsigned int status, left;
	bool unknown = false;

	put("\n");
	status = inl(MODEL_PORT_BASE + MODEL_PORT_STATUS);
	left = inl(MODEL_PORT_BASE + MODEL_PORT_LEFT);
	if (status == MODEL_STATUS_ERROR)
		fputs("uncore-stim: ", stderr);
	while (left) {
		char buf[4096];
		unsigned int n = left < sizeof(buf) ? left : sizeof(buf);

		insb(MODEL_PORT_BASE + MODEL_PORT_DATA, buf, n);
		fwrite(buf, 1, n, status == MODEL_STATUS_ERROR ? stderr : stdout);
		unknown |= status == MODEL_STATUS_ERROR && memmem(buf, n, " has no box ", 12);
		left -= n;
	}
	if (unknown)
		fputs(BOXES, stderr);
	return status;
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

static int plain(char **words, int n)
{
	for (int i = 0; i < n; i++) {
		if (i)
			put(" ");
		put(words[i]);
	}
	return finish();
}

/* Send "WORD SOCKET REST". */
static int boxed(const char *word, const char *socket, char **rest, int n)
{
	put(word);
	put(" ");
	put(socket);
	put(n ? " " : "");
	return plain(rest, n);
}

/* Commands without a socket */
static const char *const plain_words[] = {
	"checker", "accesses", "variant", "offcore", "core-pmu", "power", "traffic", "wake",
	NULL
};

static const char *const socket_words[] = { "set", "get", "tear", "poke", "peek", NULL };

static bool among(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words))
		words++;
	return *words;
}

static int run(char **words, int n)
{
	const char *socket = "0";
	bool given = false;
	int r = 0;

	if (n >= 2 && !strcmp(words[0], "-s")) {
		socket = words[1];
		given = true;
		words += 2;
		n -= 2;
	}
	if (!n) {
		fputs(usage, stderr);
		return 2;
	}
	if (among(words[0], plain_words) || (!given && !strcmp(words[0], "reset-all")))
		return plain(words, n);
	if (!strcmp(words[0], "raw"))
		return plain(words + 1, n - 1);
	if (among(words[0], socket_words) || (given && !strcmp(words[0], "reset-all")))
		return boxed(words[0], socket, words + 1, n - 1);
	for (int i = 0; i < n; i += 2) {
		if (!strcmp(words[i], "-s") && i + 1 < n) {
			socket = words[i + 1];
			continue;
		}
		/* The model refuses a box without keys. */
		r = worse(r, boxed("stim", socket, words + i, n - i < 2 ? 1 : 2));
	}
	return r;
}

static int run_file(const char *name)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "r") : stdin;
	static char *words[MAX_WORDS];
	char *line = NULL;
	size_t size = 0;
	int r = 0;

	if (!f)
		return die(name);
	while (getline(&line, &size, f) >= 0) {
		int n = 0;

		line[strcspn(line, "#\n")] = 0;
		for (char *w = strtok(line, " \t"); w && n < MAX_WORDS; w = strtok(NULL, " \t"))
			words[n++] = w;
		if (n)
			r = worse(r, run(words, n));
	}
	if (ferror(f))
		r = die(name);
	free(line);
	return r;
}

int main(int argc, char **argv)
{
	int r;

	if (argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		fputs(usage, argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : 0;
	}
	r = open_port();
	if (r)
		return r;
	if (!strcmp(argv[1], "-f")) {
		if (argc != 3) {
			fputs(usage, stderr);
			return 2;
		}
		r = run_file(argv[2]);
	} else {
		r = run(argv + 1, argc - 1);
	}
	if (fflush(stdout))
		return die("standard output");
	return r;
}
