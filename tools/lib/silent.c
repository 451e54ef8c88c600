// SPDX-License-Identifier: GPL-2.0-only
/* PCI functions of memory channels that the processor does not have, as some boards show them */
#include "machine.h"

#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "util.h"

#define CHANNELS	4	/* of a socket of an E5-2600, at most */
#define CLOCK_MS	1	/* 600,000 cycles and more */

struct channel {
	struct pmu *pmu;
	int fd;
	uint64_t cycles;
};

static int open_clock(const struct pmu *pmu, int cpu)
{
	uint64_t config[3];
	char text[100];

	if (!pmu_alias(pmu, "clockticks", text, sizeof(text)) || pmu_encode(pmu, text, config))
		return -1;
	return event_open(pmu, cpu, config, -1, false);
}

static void drop_silent(struct machine *m, unsigned int s)
{
	struct channel *c, channels[2 * CHANNELS];
	uint64_t values[4];	/* how many, both times, the count */
	unsigned int i, nr = 0;
	bool any = false;

	for (i = 0; i < m->nr_pmus && nr < ARRAY_SIZE(channels); i++)
		if (!strncmp(m->pmus[i].box, "imc_", 4) && m->pmus[i].cpu[s] >= 0)
			channels[nr++].pmu = &m->pmus[i];
	if (nr <= CHANNELS)
		return;
	for (c = channels; c < channels + nr; c++)
		c->fd = open_clock(c->pmu, c->pmu->cpu[s]);
	sleep_ms(CLOCK_MS);
	for (c = channels; c < channels + nr; c++) {
		/* A channel that cannot be asked stays. */
		c->cycles = 1;
		if (c->fd < 0)
			continue;
		if (read(c->fd, values, sizeof(values)) == sizeof(values) && values[2])
			c->cycles = values[3];
		any |= c->cycles > 1;
		close(c->fd);
	}
	for (c = channels; any && c < channels + nr; c++) {
		if (c->cycles)
			continue;
		c->pmu->silent |= 1ull << s;
		c->pmu->cpu[s] = -1;
	}
}

void machine_drop_silent(struct machine *m)
{
	unsigned int s;

	for (s = 0; s < m->nr_sockets; s++)
		drop_silent(m, s);
}
