// SPDX-License-Identifier: GPL-2.0-only
/* Rates of the clock events */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

#define WINDOW_MS 200

/* Maximum nanoseconds around a read; a slower one is repeated */
#define TIGHT 40000
#define TRIES 50

/* Maximum difference of clocks that have to agree */
#define TOLERANCE 0.01

enum clock { UCLK, DCLK, PCLK, QFCLK };

/* The clock event of each kind of box: tables 2-5, 2-14, 2-40, 2-62, 2-81, 2-94, 2-107 and 2-121 */
static const struct {
	const char *kind, *event;
	enum clock clock;
} clocks[] = {
	{ "ubox", "event=0xff", UCLK },   { "cbox", "event=0x00", UCLK },
	{ "ha", "event=0x00", UCLK },     { "imc", "event=0xff", DCLK },
	{ "pcu", "event=0x00", PCLK },    { "qpi", "event=0x14", QFCLK },
	{ "r2pcie", "event=0x01", UCLK }, { "r3qpi", "event=0x01", UCLK },
};

static const char *const names[] = { "uncore clock", "DRAM clock", "PCU clock", "QPI clock" };

struct running {
	const struct pmu *pmu;
	enum clock clock;
	int fd;
	uint64_t count, ns;
	double mhz;
};

static struct running running[MAX_PMUS];
static unsigned int nr_running;

/* Read the count of an event, and the time at that moment. */
static void read_clock(int fd, uint64_t *count, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < TRIES && best > TIGHT; i++) {
		uint64_t before = now_ns();
		uint64_t val = read_event(fd);
		uint64_t after = now_ns();

		if (after - before >= best)
			continue;
		best = after - before;
		*count = val;
		*ns = before + best / 2;
	}
}

static void open_clocks(unsigned int socket)
{
	unsigned int i, k;

	nr_running = 0;
	for (i = 0; i < machine.nr_pmus; i++) {
		for (k = 0; k < ARRAY_SIZE(clocks); k++) {
			struct running *r = &running[nr_running];

			if (strcmp(box_types[machine.pmus[i].type].name, clocks[k].kind) ||
			    box_cpu(&machine.pmus[i], socket) < 0 || nr_running == MAX_PMUS)
				continue;
			r->pmu = &machine.pmus[i];
			r->clock = clocks[k].clock;
			r->fd = open_event(r->pmu, clocks[k].event, socket);
			if (r->fd < 0) {
				test(false, "socket %u: %s/%s/ opens: %s", socket, r->pmu->name,
				     clocks[k].event, strerror(-r->fd));
				continue;
			}
			nr_running++;
		}
	}
}

/* Return the expected rate, or 0 if it is none of those. */
static double expected(const struct running *r, unsigned int socket)
{
	static const double ddr3[] = { 400, 533.33, 666.67, 800, 933.33 };
	static const double gts[] = { 0, 0, 5.6, 6.4, 7.2, 8, 8.8, 9.6 };
	uint32_t status;
	unsigned int i;

	switch (r->clock) {
	case UCLK:
		/* From the lowest ratio of an E5-2600 to its highest turbo */
		return r->mhz >= 790 && r->mhz <= 4000 ? r->mhz : 0;
	case DCLK:
		for (i = 0; i < ARRAY_SIZE(ddr3); i++)
			if (fabs(r->mhz - ddr3[i]) < TOLERANCE * ddr3[i])
				return ddr3[i];
		return 0;
	case PCLK:
		return 800; /* section 2.6.7 */
	case QFCLK:
		/* Table 2-93: the rate; a flit is 8 transfers of 20 lanes */
		if (read_pci(socket, 8 + r->pmu->instance, 0, 0xd4, &status))
			return gts[status & 7] * 1000 / 8;
	}
	return 0;
}

static const char *const claims[] = {
	"one clock of 800 to 4000 MHz", "one of DDR3's (400 to 933 MHz)", "800 MHz",
	"an eighth of QPI_RATE_STATUS",
};

static void check_clock(unsigned int socket, enum clock clock)
{
	double lowest = 1e9, highest = 0, want;
	unsigned int i, n = 0;
	bool good = true;

	for (i = 0; i < nr_running; i++) {
		struct running *r = &running[i];

		if (r->clock != clock)
			continue;
		n++;
		lowest = fmin(lowest, r->mhz);
		highest = fmax(highest, r->mhz);
		want = expected(r, socket);
		good &= want && fabs(r->mhz - want) <= TOLERANCE * want;
	}
	if (clock == UCLK)
		good &= highest - lowest <= TOLERANCE * highest;
	if (n)
		test(good, "socket %u: the %s of %u boxes is %s: %.1f to %.1f MHz", socket,
		     names[clock], n, claims[clock], lowest, highest);
	else
		untold("no box that has it", "socket %u: %s", socket, names[clock]);
}

void check_clocks(unsigned int socket)
{
	unsigned int i;

	run_on(core_of_socket(socket, 0));
	open_clocks(socket);
	for (i = 0; i < nr_running; i++)
		read_clock(running[i].fd, &running[i].count, &running[i].ns);
	sleep_ms(WINDOW_MS);
	for (i = 0; i < nr_running; i++) {
		struct running *r = &running[i];
		uint64_t count = 0, now = 0;

		read_clock(r->fd, &count, &now);
		r->mhz = (double)(count - r->count) * 1000 / (double)(now - r->ns);
		close(r->fd);
		note("socket %u: %-10s %9.3f MHz (%s)", socket, r->pmu->box, r->mhz,
		     names[r->clock]);
	}
	for (i = UCLK; i <= QFCLK; i++)
		check_clock(socket, i);
}
