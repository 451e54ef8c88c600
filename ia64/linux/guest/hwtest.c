// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwtest: questions about the monitors of Montecito that only a real one can answer. Runs as root
 * on any kernel for ia64 with a PMU for the processor: itanium_pmu, or the one of the living
 * kernel, which is called cpu. Prints each question, its answer and the figures behind it.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define DEVICES		"/sys/bus/event_source/devices"
#define RING_PAGES	8
#define CHASE_BYTES	(64UL << 20)	/* more than the caches have */
#define CHASE_STEP	(4096 + 128)

#define INSTRUCTIONS	0x08
#define CYCLES		0x12
#define LOADS		0xcd		/* of an L1D set, as the next one is */
#define LOADS_UNALIGNED	0xce

/*
 * work(rounds, p): one bundle each round, with one load.
 * steps(rounds): eight bundles each round, of which the second has two instructions.
 * traps(rounds): a system call by break, a speculative load of address 0, and its failing check.
 */
void work(unsigned long rounds, const void *p);
void steps(unsigned long rounds);
void traps(unsigned long rounds);
extern const char steps_start[], trap_break[], trap_chk[];

/* A function with a counted loop: registers keep ar.pfs and ar.lc; @frame: inputs and locals */
#define BEGIN(name, pfs, frame, lc)							\
	".proc	" #name "\n" #name ":\n"						\
	"alloc	" pfs " = ar.pfs, " frame ", 0, 0\n"					\
	"mov	" lc " = ar.lc\n"							\
	"adds	r16 = -1, r32\n	;;\n"						\
	"mov	ar.lc = r16\n	;;\n"
#define END(name, lc)									\
	"mov	ar.lc = " lc "\n"							\
	"br.ret.sptk.many rp\n"								\
	".endp	" #name "\n"

asm(".text\n"
	".align	64\n"
	BEGIN(work, "r14", "2, 0", "r15")
	".align	32\n"
	"1:\n"
	"{	.mib\n"
	"ld8	r18 = [r33]\n"
	"nop.i	0\n"
	"br.cloop.sptk.few 1b\n"
	";;\n"
	"}\n"
	END(work, "r15")
	BEGIN(steps, "r14", "1, 0", "r15")
	".align	256\n"
	"steps_start:\n"
	"{	.mii\n	nop.m	0\n	nop.i	0\n	nop.i	0\n}\n"
	"{	.mlx\n	nop.m	0\n	movl	r17 = 0\n}\n"
	".rept	5\n"
	"{	.mii\n	nop.m	0\n	nop.i	0\n	nop.i	0\n}\n"
	".endr\n"
	"{	.mib\n	nop.m	0\n	nop.i	0\n	br.cloop.sptk.few steps_start\n	;;\n}\n"
	END(steps, "r15")
	BEGIN(traps, "r33", "1, 2", "r34")
	"2:	mov	r15 = 1041\n"			/* getpid */
	";;\n"
	"trap_break:\n"
	"{	.mii\n	break.m	0x100000\n	nop.i	0\n	nop.i	0\n	;;\n}\n"
	"ld8.s	r9 = [r0]\n"
	";;\n"
	"trap_chk:\n"
	"{	.mii\n	chk.s.m	r9, 3f\n	nop.i	0\n	nop.i	0\n	;;\n}\n"
	"nop.m	0\n"
	"3:	br.cloop.sptk.few 2b\n"
	";;\n"
	"mov	ar.pfs = r33\n"
	";;\n"
	END(traps, "r34"));

static const char *pmu;
static bool of_living_kernel;
static unsigned int nr_questions, nr_answers;

/* @text is NULL where this PMU or machine cannot tell; the figures follow. */
static void report(const char *question, const char *text, const char *figures, ...)
{
	va_list ap;

	nr_questions++;
	nr_answers += !!text;
	printf("%u. %s\n   answer: %s\n   figures: ", nr_questions, question, text ?: "unknown");
	va_start(ap, figures);
	vprintf(figures, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

static bool read_file(char *text, size_t size, const char *path)
{
	FILE *in = fopen(path, "r");
	size_t n = in ? fread(text, 1, size - 1, in) : 0;

	if (in)
		fclose(in);
	text[n] = 0;
	return n;
}

/* Put a field where the PMU's format/ has it: "config1:0-40", "config:43". */
static bool put(struct perf_event_attr *attr, const char *field, uint64_t value)
{
	uint64_t *word[] = { (uint64_t *)&attr->config, (uint64_t *)&attr->config1,
			     (uint64_t *)&attr->config2 };
	char path[200], text[64], *p = text + strlen("config");
	unsigned int nr = 0;

	snprintf(path, sizeof(path), DEVICES "/%s/format/%s", pmu, field);
	if (!read_file(text, sizeof(text), path))
		return false;
	if (*p != ':')
		nr = strtoul(p, &p, 10);
	if (nr > 2 || *p != ':')
		return false;
	*word[nr] |= value << strtoul(p + 1, NULL, 10);
	return true;
}

static struct perf_event_attr attr_of(unsigned int code)
{
	struct perf_event_attr attr = { .size = PERF_ATTR_SIZE_VER5 };
	char path[200], text[64];

	snprintf(path, sizeof(path), DEVICES "/%s/type", pmu);
	if (!read_file(text, sizeof(text), path) || !put(&attr, "event", code)) {
		fprintf(stderr, "hwtest: %s has no type or no field \"event\"\n", path);
		exit(1);
	}
	attr.type = strtoul(text, NULL, 10);
	return attr;
}

/* Of this task, or of processor 0 */
static int open_event(struct perf_event_attr *attr, bool processor)
{
	int fd = syscall(SYS_perf_event_open, attr, processor ? -1 : 0, processor ? 0 : -1, -1, 0);

	if (fd < 0)
		perror("hwtest: perf_event_open");
	return fd;
}

static uint64_t count_of(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		perror("hwtest: read");
	return count;
}

#define ROUNDS	100000UL

/* What a round of @run counts; -1 if there is no such event */
static double per_round(struct perf_event_attr *attr, void (*run)(unsigned long rounds))
{
	uint64_t count[2];
	int i, fd;

	attr->exclude_kernel = 1;
	for (i = 0; i < 2; i++) {
		fd = open_event(attr, false);
		if (fd < 0)
			return -1;
		run((i + 1) * ROUNDS);
		count[i] = count_of(fd);
		close(fd);
	}
	return (double)(int64_t)(count[1] - count[0]) / ROUNDS;
}

static bool about(double value, double wanted)
{
	return value > wanted - 0.1 && value < wanted + 0.1;
}

/* One event is stopped and started a thousand times around a known number of instructions. */
static void ask_plm(void)
{
	struct perf_event_attr attr = attr_of(INSTRUCTIONS);
	unsigned int i, turns = 1000, rounds = 1000;
	uint64_t count, want = 3ULL * turns * rounds, data = 0;
	bool kept;
	int fd;

	attr.exclude_kernel = 1;
	attr.disabled = 1;
	fd = open_event(&attr, false);
	if (fd < 0)
		return;
	for (i = 0; i < turns; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work(rounds, &data);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	count = count_of(fd);
	close(fd);
	/* Around the loop there are some instructions more. */
	kept = count >= want && count < want + want / 4;
	report("Does a counter keep its value when its privilege level is taken away (table 3-5)?",
	       !of_living_kernel ? NULL : kept ? "yes" : "no: the living kernel's counts are wrong",
	       "%llu instructions in %u turns, at least %llu expected%s", (unsigned long long)count,
	       turns, (unsigned long long)want,
	       of_living_kernel ? "" : "; this driver reads the counter first");
}

/*
 * The range is from the third bundle to before the seventh. Its limits are the second bundle,
 * of two instructions, and the sixth, of three.
 */
static void ask_ranges(void)
{
	struct perf_event_attr fine = attr_of(INSTRUCTIONS), bundle[2];
	uint64_t at = (uintptr_t)steps_start;
	double n[3];
	int i;

	if (!put(&fine, "filter", 2) || !put(&fine, "fine", 1) || !put(&fine, "addr", at + 32) ||
	    !put(&fine, "addr_end", at + 96)) {
		report("Are bundles compared with address ranges in pairs?", NULL,
		       "this PMU has no ranges");
		return;
	}
	for (i = 0; i < 2; i++) {
		bundle[i] = attr_of(INSTRUCTIONS);
		put(&bundle[i], "filter", 2);
		put(&bundle[i], "addr", at + 32 + 16 * i);
		put(&bundle[i], "addr_mask", 15);
		n[i] = per_round(&bundle[i], steps);
	}
	n[2] = per_round(&fine, steps);
	report("Are bundles compared with address ranges in pairs?",
	       about(n[0], 6) && about(n[1], 0) ? "yes" :
	       about(n[0], 3) && about(n[1], 3) ? "no: one by one" : NULL,
	       "%.2f instructions in a range of the first bundle of a pair, %.2f of the second",
	       n[0], n[1]);
	report("Are the limits of a fine range in it or out (table 3-10)?",
	       about(n[2], 9) ? "both are out" : about(n[2], 14) ? "both are in" :
	       about(n[2], 11) ? "the lower one is in, the upper one out" :
	       about(n[2], 12) ? "pairs are compared, or the lower one is out and the upper one in" :
	       NULL,
	       "%.2f instructions in a fine range", n[2]);
}

/* Samples as raw words: PMD38, 39, 48 to 63 */
#define RAW_WORDS	18
#define RAW_ENTRIES	16

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t bytes;
	uint64_t tail;
};

static bool ring_open(struct ring *ring, struct perf_event_attr *attr)
{
	ring->fd = open_event(attr, false);
	if (ring->fd < 0)
		return false;
	ring->bytes = RING_PAGES * getpagesize();
	ring->tail = 0;
	ring->page = mmap(NULL, ring->bytes + getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	return ring->page != MAP_FAILED;
}

static void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)ring->page + getpagesize();
	size_t i;

	for (i = 0; i < n; i++)
		((char *)to)[i] = data[(at + i) % ring->bytes];
}

static bool ring_next(struct ring *ring, uint64_t *raw)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header h;

	while (ring->tail < head) {
		uint64_t at = ring->tail;

		ring_copy(ring, at, &h, sizeof(h));
		ring->tail += h.size;
		if (h.type != PERF_RECORD_SAMPLE || h.size < sizeof(h) + 4 + 8 * RAW_WORDS)
			continue;
		/* Behind a size of four bytes */
		ring_copy(ring, at + sizeof(h) + 4, raw, 8 * RAW_WORDS);
		return true;
	}
	return false;
}

static unsigned int extension(const uint64_t *raw, unsigned int entry)
{
	return raw[1] >> (8 * (entry % 8) + (entry < 8 ? 0 : 4)) & 0xf;
}

/* A chain of loads that miss all caches: the count of cycles stays at its end, 63. */
static void chase(void)
{
	char *memory = malloc(CHASE_BYTES);
	unsigned long i, n = CHASE_BYTES / CHASE_STEP;
	void **p;

	if (!memory)
		return;
	for (i = 0; i < n; i++)
		*(void **)(memory + i * CHASE_STEP) = memory + (i + 7919) % n * CHASE_STEP;
	p = (void **)memory;
	for (i = 0; i < 20 * n; i++) {
		p = *p;
		asm volatile("" : "+r"(p));
	}
	free(memory);
}

static void ask_ip_ear(void)
{
	static const char question[] =
		"Which bits of an IP-EAR entry are cycles, table 3-33's or figure 3-28's?";
	struct perf_event_attr attr = attr_of(CYCLES);
	unsigned long table = 0, figure = 0, samples = 0, nibbles[16] = { 0 };
	uint64_t raw[RAW_WORDS];
	struct ring ring;
	unsigned int i;

	if (!put(&attr, "ear", 6)) {
		report(question, NULL, "this PMU has no IP-EAR");
		return;
	}
	attr.exclude_kernel = 1;
	attr.sample_period = 100003;
	attr.sample_type = PERF_SAMPLE_RAW;
	if (!ring_open(&ring, &attr))
		return;
	chase();
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	for (; ring_next(&ring, raw); samples++)
		for (i = 0; i < RAW_ENTRIES; i++)
			if (raw[2 + i] >> 60 == 15)
				nibbles[extension(raw, i)]++;
	close(ring.fd);
	for (i = 0; i < 16; i++) {
		table += (i & 12) == 12 ? nibbles[i] : 0;
		figure += (i & 3) == 3 ? nibbles[i] : 0;
	}
	report(question, table > 10 * figure ? "the table's" :
	       figure > 10 * table ? "the figure's" : NULL,
	       "%lu samples; entries with 15 in cycles 3:0, of which %lu have both upper bits by the table, %lu by the figure",
	       samples, table, figure);
	printf("   by PMD39's four bits:");
	for (i = 0; i < 16; i++)
		printf(" %lu", nibbles[i]);
	printf("\n");
}

/* Only returns are asked for, and the loop has none. */
static void ask_exceptions(void)
{
	static const char question[] =
		"Are exceptions, rfi, failed chk traced whatever the filter (3.3.10.1.1)?";
	const uint64_t brk = (uintptr_t)trap_break, chk = (uintptr_t)trap_chk;
	struct perf_event_attr attr = attr_of(INSTRUCTIONS);
	unsigned long breaks = 0, rfis = 0, checks = 0, samples = 0;
	uint64_t raw[RAW_WORDS];
	struct ring ring;
	unsigned int i;

	if (of_living_kernel) {
		report(question, NULL, "this PMU has no trace buffer");
		return;
	}
	attr.sample_period = 20011;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_KERNEL;
	if (!ring_open(&ring, &attr))
		return;
	traps(5000);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	for (; ring_next(&ring, raw); samples++) {
		for (i = 0; i < RAW_ENTRIES; i++) {
			uint64_t entry = raw[2 + i], at = entry & ~15ULL;

			/* The address is of a pair of bundles, and the extension says which. */
			at += (entry & 1) && (extension(raw, i) & 1) ? 16 : 0;
			breaks += (entry & 1) && at == brk;
			checks += (entry & 1) && at == chk;
			rfis += !(entry & 1) && at == brk;
		}
	}
	close(ring.fd);
	report(question, !samples ? NULL : breaks && rfis && checks ? "yes" :
	       breaks || rfis || checks ? "some of them" : "no",
	       "%lu samples with %lu breaks, %lu rfi back to them, %lu failed chk", samples, breaks,
	       rfis, checks);
}

static uint64_t read_itc(void)
{
	uint64_t now;

	asm volatile("mov %0 = ar.itc" : "=r"(now) :: "memory");
	return now;
}

static void ask_halt(void)
{
	struct perf_event_attr attr = attr_of(CYCLES);
	uint64_t count[3], time[3];
	char line[4096] = "";
	unsigned int i;
	double share;
	int fd;

	fd = open_event(&attr, true);
	if (fd < 0)
		return;
	for (i = 0; i < 3; i++) {
		if (i == 1)
			work(20000000, line);
		else if (i == 2)
			sleep(5);
		count[i] = count_of(fd);
		time[i] = read_itc();
	}
	close(fd);
	share = ((double)(count[2] - count[1]) / (time[2] - time[1])) /
		((double)(count[1] - count[0]) / (time[1] - time[0]));
	read_file(line, sizeof(line), "/proc/cmdline");
	report("Do the counters stop while an idle processor halts (3.3.12)?",
	       strstr(line, "nohalt") ? NULL : share < 0.2 ? "yes" : share > 0.8 ? "no" : NULL,
	       "%.1f%% of the cycles of a busy processor are counted on an idle one%s", 100 * share,
	       strstr(line, "nohalt") ? "; nohalt: boot without it" : "");
}

/* Performance monitor interrupts of all processors, as patches/0004 names them */
static unsigned long interrupts(void)
{
	FILE *in = fopen("/proc/interrupts", "r");
	unsigned long sum = 0;
	char line[4096];

	while (in && fgets(line, sizeof(line), in)) {
		char *p = strchr(line, ':'), *end;

		if (!p || !strstr(p, "perfmon"))
			continue;
		for (p++, end = p; sum += strtoul(p, &end, 10), end != p;)
			p = end;
	}
	if (in)
		fclose(in);
	return sum;
}

/*
 * perf stops an event with interrupts disabled. If an overflow is pending then, the driver clears
 * PMC.oi and writes PMD, and an interrupt that comes nevertheless is one more than periods have
 * passed.
 */
static void ask_interrupt(void)
{
	static const char question[] =
		"Does a pending interrupt go away when PMC.oi is cleared or PMD written (3.3.11)?";
	struct perf_event_attr attr = attr_of(INSTRUCTIONS);
	unsigned long turns = 300, i, taken, periods;
	int fd;

	if (of_living_kernel) {
		report(question, NULL, "this PMU's driver leaves both as they are");
		return;
	}
	attr.exclude_user = 1;
	attr.disabled = 1;
	attr.sample_period = 50;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = open_event(&attr, false);
	if (fd < 0)
		return;
	taken = interrupts();
	for (i = 0; i < turns; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	taken = interrupts() - taken;
	periods = count_of(fd) / attr.sample_period;
	close(fd);
	/* As many interrupts as periods: it went away, or none was pending. */
	report(question, periods && taken > periods + turns / 2 ? "no: it is latched" : NULL,
	       "%lu interrupts, %lu periods of an event that was stopped %lu times", taken, periods, turns);
}

static uint64_t word;

static void load_words(unsigned long rounds)
{
	work(rounds, &word);
}

/* The living kernel's PMU gives the first event the first counter, PMC4, and the second PMC5. */
static void ask_l1d(void)
{
	struct perf_event_attr loads = attr_of(LOADS), first = attr_of(LOADS_UNALIGNED);
	double alone = per_round(&loads, load_words), behind;
	int fd;

	first.exclude_kernel = 1;
	fd = open_event(&first, false);
	behind = per_round(&loads, load_words);
	close(fd);
	report("Is an L1D event counted right while PMC5 has none of its set (4.8.2)?",
	       !of_living_kernel ? NULL : about(alone, 1) ? "yes" :
	       "no: the living kernel's counts are wrong",
	       "%.2f loads where one is right, %.2f with another event on PMC4%s", alone, behind,
	       of_living_kernel ? "" : "; this driver uses PMC5");
}

int main(void)
{
	cpu_set_t set;
	struct utsname name;
	char cpuinfo[512];

	pmu = access(DEVICES "/itanium/type", F_OK) ? "cpu" : "itanium";
	of_living_kernel = !strcmp(pmu, "cpu");
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	uname(&name);
	if (read_file(cpuinfo, sizeof(cpuinfo), "/proc/cpuinfo"))
		printf("%s", cpuinfo);
	printf("Linux %s, PMU %s\n", name.release, pmu);
	ask_plm();
	ask_ranges();
	ask_ip_ear();
	ask_exceptions();
	ask_halt();
	ask_l1d();
	ask_interrupt();
	printf("%u of %u questions are answered\n", nr_answers, nr_questions);
	return 0;
}
