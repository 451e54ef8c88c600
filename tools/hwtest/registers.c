// SPDX-License-Identifier: GPL-2.0-only
/* Questions about registers that the guide leaves open: boxes, counter widths, readback, scope */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

#define EN     0x400000
#define EXT    0x200000
#define FRZ    0x100
#define FRZ_EN 0x10000
#define RESETS 0x3

static unsigned int count_cores(unsigned int socket)
{
	unsigned int n = 0;

	while (core_of_socket(socket, n) >= 0)
		n++;
	return n;
}

/* Most BIOSes hide functions; a box that is there and has no PMU is the driver's fault. */
void check_boxes(unsigned int socket)
{
	unsigned int i, n, cbos = count_boxes("cbox", socket), cores = count_cores(socket);
	char lost[200] = "", hidden[200] = "";

	for (i = 0; i < nr_box_types; i++) {
		const struct box *box = &box_types[i];

		for (n = 0; n < box->instances && strcmp(box->name, "cbox"); n++) {
			const struct pmu pmu = { .type = i, .instance = n };
			struct regs r = regs_of(&pmu);
			char *to = r.msr || function_id(socket, r.dev, r.fn) ? lost : hidden;

			if (!pmu_of(box->name, n, socket))
				snprintf(to + strlen(to), sizeof(lost) - strlen(to),
					 box->instances > 1 ? " %s_%u" : " %s", box->name, n);
		}
	}
	note("socket %u: %u cores online, %u CBos", socket, cores, cbos);
	test(cbos >= cores, "socket %u: a CBo for each core: %u", socket, cbos);
	test(!*lost, "socket %u: a PMU for each box whose registers are there%s%s", socket,
	     *lost ? ", but not for" : "", lost);
	if (*hidden)
		untold("hidden by the BIOS, as QPI's counters are on most boards",
		       "socket %u: boxes%s", socket, hidden);
}

/* Return the enabled counter, or -2. */
static int used_ctr(const struct pmu *pmu, unsigned int socket, bool fixed)
{
	struct regs r = regs_of(pmu);
	uint64_t ctl;
	int i;

	if (fixed)
		return read_ctl(pmu, socket, FIXED, &ctl) && (ctl & EN) ? FIXED : -2;
	for (i = 0; i < (int)r.counters; i++) {
		if (read_ctl(pmu, socket, i, &ctl) && (ctl & EN))
			return i;
	}
	return -2;
}

/*
 * Counters are set just below 2^44 and 2^48, and count their clock; those of the iMC, which have
 * none, count traffic.
 */
static const struct {
	const char *kind, *event;
	bool fixed;
	unsigned int width;		/* 0: as in events/boxes.def */
	const char *question;
} widths[] = {
	{ "cbox", "event=0x00", false, 0, NULL },
	{ "ha", "event=0x00", false, 0, NULL },
	{ "imc", "event=0xff", true, 0, NULL },
	{ "imc", "event=0x04,umask=0x03", false, 0, NULL },
	{ "pcu", "event=0x00", false, 0, NULL },
	{ "qpi", "event=0x14", false, 0, NULL },
	{ "r2pcie", "event=0x01", false, 0, NULL },
	{ "r3qpi", "event=0x01", false, 0, NULL },
	{ "ubox", "event=0xff", true, 48, "section 2.2.2" },
	{ "ubox", "event=0xff", true, 44, "the field in table 2-5" },
};

/* Return whether a bit reads 1 each time; bits above the width are undefined. */
static bool is_set(const struct pmu *pmu, unsigned int socket, int ctr, unsigned int bit)
{
	unsigned int i;
	uint64_t val;

	for (i = 0; i < 16; i++) {
		if (!read_ctr(pmu, socket, ctr, &val) || !(val & (1ull << bit)))
			return false;
	}
	return true;
}

/* Return whether the counter wraps at 2^bits, or -1 if unknown. */
static int wraps_at(const struct pmu *pmu, unsigned int socket, int ctr, unsigned int bits,
		    bool clock)
{
	uint64_t top = 1ull << bits, val = 0, lines;
	unsigned int tries;

	if (!write_ctr(pmu, socket, ctr, top - 0x1000))
		return -1;
	for (tries = 0; tries < 20; tries++) {
		if (clock)
			sleep_ms(5);
		else if (source->flow(FLOW_READ, socket, socket, &lines))
			return -1;
		if (!read_ctr(pmu, socket, ctr, &val))
			return -1;
		if ((val & (top - 1)) < top - 0x1000)
			return bits == 48 || !is_set(pmu, socket, ctr, bits);
	}
	return -1;
}

static void check_width(unsigned int n, unsigned int socket)
{
	const struct pmu *pmu = first_pmu(widths[n].kind, socket);
	const char *which = widths[n].fixed ? "fixed counter" : "counter";
	bool clock = strcmp(widths[n].kind, "imc") || widths[n].fixed;
	int fd, ctr, at44 = -1, at48 = -1;
	unsigned int width;

	fd = pmu ? open_event(pmu, widths[n].event, socket) : -ENODEV;
	if (fd >= 0) {
		ctr = used_ctr(pmu, socket, widths[n].fixed);
		if (ctr != -2)
			at44 = wraps_at(pmu, socket, ctr, 44, clock);
		if (!at44)
			at48 = wraps_at(pmu, socket, ctr, 48, clock);
		close(fd);
	}
	if (at44 < 0 || (!at44 && at48 < 0)) {
		untold(!pmu ? "the box is hidden" : fd < 0 ? strerror(-fd) :
		       "its registers cannot be read and written (the msr module, the kernel's lockdown, or it does not move)",
		       "width of the %s of %s", which, pmu ? pmu->box : widths[n].kind);
		return;
	}
	width = at44 ? 44 : 48;
	if (!widths[n].question)
		test(width == box_find(widths[n].kind)->width,
		     "the %s of %s has %u bits, as the guide says %u", which, pmu->box, width,
		     box_find(widths[n].kind)->width);
	else if (width == widths[n].width)
		/* The driver takes differences modulo 2^44, right for both. */
		answer(true, "the %s of %s has %u bits, as in %s", which, pmu->box, width,
		       widths[n].question);
}

void check_widths(bool may_write)
{
	unsigned int i;

	if (!may_write) {
		untold("counters may not be written", "widths of the counters");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(widths); i++)
		check_width(i, machine.sockets[0]);
}

/* Bit 21 of the PCU's controls: the driver offers extended events if the bit held at load. */
static void check_pcu_ext(unsigned int socket)
{
	struct pmu *pmu = pmu_of("pcu", 0, socket);
	uint64_t ctl = 0;
	int fd, ctr;

	if (!pmu) {
		untold("the PCU does not answer", "socket %u: bit 21 of PCU_MSR_PMON_CTLn", socket);
		return;
	}
	fd = open_event(pmu, "event=0x103", socket);
	/* Without the bit, format/event lacks it. */
	if (fd == -EOPNOTSUPP || fd == -ENOENT) {
		answer(true,
		       "socket %u: bit 21 of PCU_MSR_PMON_CTLn does not hold a 1, as table 2-75 says (reserved); the 12 extended events are refused",
		       socket);
		return;
	}
	if (fd < 0) {
		test(false, "socket %u: an extended event of the PCU opens: %s", socket,
		     strerror(-fd));
		return;
	}
	ctr = used_ctr(pmu, socket, false);
	if (ctr < 0 || !read_ctl(pmu, socket, ctr, &ctl))
		untold("/dev/cpu/N/msr cannot be read (modprobe msr)",
		       "socket %u: bit 21 of PCU_MSR_PMON_CTLn", socket);
	else
		answer(ctl & EXT,
		       "socket %u: bit 21 of PCU_MSR_PMON_CTL%d reads %d while an extended event counts: %s",
		       socket, ctr, !!(ctl & EXT),
		       ctl & EXT ? "the event list is right, table 2-75 is not"
				 : "the driver offers what the processor does not keep");
	close(fd);
}

/*
 * Whether a box counts after the driver's reset, and what its control reads then: write-only bits
 * may read differently each time.
 */
static void check_box_ctl(const struct pmu *pmu, unsigned int socket, const char *clock)
{
	uint64_t before, after, ctl = 0, ones = -1, all = 0;
	int fd = open_event(pmu, clock, socket);
	bool readable = true;
	unsigned int i;

	if (fd < 0)
		return;
	before = read_event(fd);
	sleep_ms(2);
	after = read_event(fd);
	for (i = 0; i < 16 && readable; i++) {
		readable = read_box_ctl(pmu, socket, &ctl);
		ones &= ctl;
		all |= ctl;
	}
	close(fd);
	test(after > before, "socket %u: %s counts after the driver reset it: frz is then 0",
	     socket, pmu->box);
	if (!readable)
		untold("its registers cannot be read (modprobe msr)",
		       "socket %u: what the box control of %s reads", socket, pmu->box);
	else if (ones & FRZ_EN)
		answer(!(ones & (RESETS | FRZ)),
		       "socket %u: the box control of %s reads %#llx with frz_en written as 1: frz_en reads back, %s",
		       socket, pmu->box, (unsigned long long)ctl,
		       ones & RESETS ? "and the resets do not clear themselves" :
		       ones & FRZ ? "and it is frozen" : "and the resets clear themselves");
	else
		answer(true,
		       "socket %u: the box control of %s reads %#llx with frz_en written as 1: %s",
		       socket, pmu->box, (unsigned long long)ctl,
		       ones == all ? "it is write-only, as the guide says" :
				     "it is write-only, and reads otherwise each time");
}

/* A new band takes effect at once or at the next change: program two, one always true. */
static void check_pcu_filter(unsigned int socket)
{
	static const char *const events[] = { "event=0x0b,filter_band0=1",
					      "event=0x0b,filter_band0=255" };
	struct pmu *pmu = pmu_of("pcu", 0, socket);
	const char *why = pmu ? NULL : "the PCU does not answer";
	uint64_t count[2] = { 0 }, times = 65536;
	unsigned int i;
	int fd;

	for (i = 0; i < 2 && !why; i++) {
		fd = open_event(pmu, events[i], socket);
		why = fd < 0 ? strerror(-fd) : source->cycles(socket, &times);
		if (fd < 0)
			break;
		count[i] = read_event(fd);
		close(fd);
	}
	if (why || (!count[0] && !count[1])) {
		untold(why ?: "the event does not count",
		       "socket %u: when the PCU's filter takes effect", socket);
		return;
	}
	answer(true,
	       "socket %u: cycles at 100 MHz or more %llu, at 25.5 GHz or more %llu, one after the other: %s",
	       socket, (unsigned long long)count[0], (unsigned long long)count[1],
	       count[1] < count[0] / 10
		       ? "the PCU's filter is in effect at once, or the frequency changed"
		       : "it waits for a change of frequency, as section 2.6.7 says");
}

/* QPI_RATE_STATUS of port 1: in D9:F0 (table 1-3) or D9:F1 (table 2-84) */
static void check_rate(unsigned int socket)
{
	unsigned int f0 = function_id(socket, 9, 0), f1 = function_id(socket, 9, 1);
	uint32_t rate[2] = { 0 };

	if (!f0 && !f1) {
		untold("QPI port 1 is hidden", "socket %u: QPI_RATE_STATUS of port 1", socket);
		return;
	}
	if (f0)
		read_pci(socket, 9, 0, 0xd4, &rate[0]);
	if (f1)
		read_pci(socket, 9, 1, 0xd4, &rate[1]);
	answer((rate[0] & 7) >= 2, "socket %u: at 0xd4, D9:F0 (%x) has %#x and D9:F1 (%x) %#x: %s",
	       socket, f0, rate[0], f1, rate[1],
	       (rate[0] & 7) >= 2 ? "the rate of port 1 is in function 0, as in table 1-3"
				  : "function 0 has no rate, table 2-84 may be right");
}

void check_registers(unsigned int socket)
{
	unsigned int i;

	check_pcu_ext(socket);
	check_pcu_filter(socket);
	check_rate(socket);
	for (i = 1; i < NR_CLOCKS; i++) {
		struct pmu *pmu = first_pmu(clocks[i].kind, socket);

		if (pmu)
			check_box_ctl(pmu, socket, clocks[i].event);
	}
}

/* MSR_CORE_C3_RESIDENCY, then C6 */
#define C3 0x3fc

#define ROUNDS 5

/* A register that two cores share never decreases when read on them alternately. */
void check_residency(unsigned int socket)
{
	static const char *const names[] = { "C3", "C6" };
	int cpu[2] = { core_of_socket(socket, 0), core_of_socket(socket, 1) };
	const char *why = cpu[1] < 0 ? "the socket has only one core that is online" :
				       "no core was in C3 or C6 since the reset";
	bool same = true, any = false;
	unsigned int i, round;
	uint64_t val[3], end;

	for (round = 0; cpu[1] >= 0 && round < ROUNDS; round++) {
		run_on(cpu[0]);
		/* Keep the first core busy; the second may idle. */
		end = now_ns() + 60000000;
		while (now_ns() < end)
			;
		for (i = 0; i < 2; i++) {
			if (!read_msr(cpu[0], C3 + i, &val[0]) ||
			    !read_msr(cpu[1], C3 + i, &val[1]) ||
			    !read_msr(cpu[0], C3 + i, &val[2])) {
				why = "/dev/cpu/N/msr cannot be read (modprobe msr)";
				any = false;
				round = ROUNDS;
				break;
			}
			note("socket %u: %s of CPU %d %llu, of CPU %d %llu, of CPU %d %llu", socket,
			     names[i], cpu[0], (unsigned long long)val[0], cpu[1],
			     (unsigned long long)val[1], cpu[0], (unsigned long long)val[2]);
			same &= val[0] <= val[1] && val[1] <= val[2];
			any |= val[0] || val[1];
		}
	}
	if (!any)
		untold(why, "socket %u: whose 0x3fc and 0x3fd are", socket);
	else
		answer(true, "socket %u: 0x3fc and 0x3fd are %s", socket,
		       same ? "the same on two cores: of the socket, as section 2.6.3.3 of the guide says"
			    : "others on each core: of the core, as the SDM says");
}

/* Open an event of the first box, and count it for 20 ms; @why gets the reason if it cannot. */
static int open_idle(const char *kind, const char *event, unsigned int socket, uint64_t *idle,
		     const char **why)
{
	struct pmu *pmu = first_pmu(kind, socket);
	int fd = pmu ? open_event(pmu, event, socket) : -ENODEV;

	*why = fd < 0 ? strerror(-fd) : NULL;
	*idle = 0;
	if (fd >= 0) {
		sleep_ms(20);
		*idle = read_event(fd);
	}
	return fd;
}

/* Count an event that the guide names but does not describe, with and without traffic. */
static void check_event(const char *kind, const char *event, const char *name)
{
	unsigned int socket = machine.sockets[0];
	uint64_t lines = 0, busy = 0, idle;
	const char *why;
	int fd = open_idle(kind, event, socket, &idle, &why);

	if (!why) {
		why = source->flow(FLOW_READ, socket, socket, &lines);
		busy = read_event(fd) - idle;
		close(fd);
		if (!why && !busy)
			why = "it counts nothing, with traffic and without";
	}
	if (why)
		untold(why, "what %s of %s counts", name, kind);
	else
		answer(true,
		       "%s of %s: %llu in 20 ms without traffic, %llu while %llu lines are read: it counts something",
		       name, first_pmu(kind, socket)->box, (unsigned long long)idle,
		       (unsigned long long)busy, (unsigned long long)lines);
}

/* EVENT_MSG by interrupts from one CPU to another of the socket */
void check_messages(unsigned int socket)
{
	uint64_t times = 10000, count = 0, idle;
	const char *why;
	int fd = open_idle("ubox", "event=0x42,umask=0x04", socket, &idle, &why);

	if (!why) {
		why = source->interrupts(socket, &times);
		count = read_event(fd) - idle;
		close(fd);
	}
	if (why)
		untold(why, "socket %u: which threads EVENT_MSG sees", socket);
	else
		answer(true,
		       "socket %u: EVENT_MSG.IPI_RCVD counts %llu of %llu interrupts to one thread: %s",
		       socket, (unsigned long long)count, (unsigned long long)times,
		       count > times / 2 ? "it sees this thread without NCUPMONCTRLGLCTR"
					 : "it sees another thread, or NCUPMONCTRLGLCTR has to be set");
}

void check_undescribed(void)
{
	check_event("cbox", "event=0x04", "TxR_ADS_USED");
	check_event("cbox", "event=0x07", "RING_SRC_THRTL");
	check_event("cbox", "event=0x21", "ISMQ_DRD_MISS_OCC");
	check_event("r2pcie", "event=0x24", "TxR_INSERTS with unit mask 0");
}
