// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Idle states and frequencies in traffic mode, as time passes, beside a reference model from
 * Documentation/model-traffic.rst
 */
#include "traffic-test.h"

/* Idle states: what each socket's PCU counts of a span is decided from when its cores halted. */
static void span(unsigned int s, int64_t from, int64_t to, int64_t halted[SOCKETS][CORES])
{
	static const unsigned int mhz[] = { 1200, 3300, 3300, 3200, 3200, 3100, 3100, 3000, 3000 };
	int64_t t = from, next;

	while (t < to) {
		unsigned int c3 = 0, c6 = 0;
		struct event e;
		uint64_t n;

		next = to;
		for (unsigned int i = 0; i < cores; i++) {
			int64_t at = halted[s][i];

			if (at < 0)
				continue;
			if (t >= at + 200000)
				c6++;
			else if (t >= at + 20000)
				c3++;
			if (t < at + 20000)
				next = MIN(next, at + 20000);
			else if (t < at + 200000)
				next = MIN(next, at + 200000);
		}
		n = next * 8 / 10 - t * 8 / 10;
		memset(&e, 0, sizeof(e));
		e.socket = s;
		e.kind = UNCORE_PCU;
		e.mhz = mhz[cores - c3 - c6];
		e.c0 = cores - c3 - c6;
		e.c3 = c3;
		e.c6 = c6;
		for (unsigned int i = 0; i < 5; i++) {
			e.code = i ? 0xb + i - 1 : 0x80;
			if (n)
				happens(want, &nr_want, e, n);
		}
		t = next;
	}
}

void test_power(void)
{
	for (unsigned int round = 0; round < 30 && !bench_wrong; round++) {
		int64_t halted[SOCKETS][CORES] = { 0 }, from[SOCKETS];

		uncore.cbos = 8;
		shape(1 + one_in(2), 1 + draw_below(CORES), 1);
		shim_now += draw_bits(30);
		for (unsigned int i = 0; i < sockets * cores; i++) {
			struct core *c = &core[i / cores][i % cores];
			bool halts = one_in(3);

			CPU(c->cpu)->halted = halts;
			halted[c->socket][c->id] = halts ? shim_now : -1;
		}
		from[0] = from[1] = shim_now;
		say("traffic on");
		nr_got = nr_want = 0;
		for (unsigned int i = 0; i < 200 && !bench_wrong; i++) {
			struct core *c = &core[draw_below(sockets)][draw_below(cores)];
			unsigned int s = c->socket;
			int64_t *at = &halted[s][c->id];

			shim_now += one_in(3)	? draw_below(30000)
				    : one_in(2) ? draw_below(300000)
						: draw_below(20);
			switch (draw_below(4)) {
			case 0:
			case 1:
				/* Twice in the same state changes nothing. */
				span(s, from[s], shim_now, halted);
				from[s] = shim_now;
				if (one_in(4)) {
					traffic_idle(CPU(c->cpu), *at >= 0);
					break;
				}
				traffic_idle(CPU(c->cpu), *at < 0);
				*at = *at < 0 ? shim_now : -1;
				break;
			case 2:
				/* A wake-up has been ahead of this look. */
				traffic_power_drain(s, shim_now - draw_below(2) * draw_below(50));
				span(s, from[s], shim_now, halted);
				from[s] = shim_now;
				traffic_power_drain(s, shim_now);
				for (unsigned int o = 0; o < sockets; o++) {
					traffic_power_drain(o, shim_now);
					span(o, from[o], shim_now, halted);
					from[o] = shim_now;
				}
				compare("idle states", c, i);
				break;
			}
		}
	}
	bench_test("idle states and frequencies");
}
