// SPDX-License-Identifier: GPL-2.0-only
/* Boxes, widths of counters, and what the guide leaves open of the PCU's control registers */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

#define EN     0x400000
#define EXT    0x200000

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
		else if (make_flow(FLOW_READ, socket, socket, &lines))
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
void check_pcu_ext(unsigned int socket)
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
