// SPDX-License-Identifier: GPL-2.0-only
/*
 * itanium_assign() against brute force.
 *
 * The oracle states the manual's rules over a finished placement and tries all
 * placements; it knows nothing of masters, kinds or matchings, and takes what
 * it knows of the events from its own table. All multisets of the kinds of
 * events up to six, in sorted and in shuffled order, and random ones up to
 * twelve, which are then taken apart and put together event by event.
 */
#include <linux/errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "itanium/event.h"
#include "oracle/fuzz.h"
#include "scripts/tap.h"

#define MAX_EVENTS	12
#define EXHAUSTIVE	6
#define ARRAY(a)	(int)(sizeof(a) / sizeof((a)[0]))

enum { NONE, L1D, L2D };

static const struct kind {
	u64 config;
	int lo, hi;	/* counters */
	int unit, set, umask, all;
} kinds[] = {
	/* most restricted first, so that the oracle fails early */
	{ 0x0018, 10, 10, NONE, 0, 0, 0 },	/* CYCLES_HALTED */
	{ 0x03e6, 4, 9, L2D, 2, 3, 0 },		/* L2D_REFERENCES.ALL */
	{ 0x01e6, 4, 9, L2D, 2, 1, 0 },		/* .READS */
	{ 0x81e6, 4, 9, L2D, 2, 1, 1 },		/* .READS, both threads */
	{ 0x00ec, 4, 9, L2D, 5, 0, 0 },		/* L2D_BAD_LINES_SELECTED */
	{ 0x00ed, 4, 9, L2D, 5, 0, 0 },		/* L2D_STORE_HIT_SHARED */
	{ 0x00f3, 4, 9, L2D, 8, 0, 0 },		/* L2D_VICTIMB_FULL */
	{ 0x80c0, 4, 9, L1D, 0, 0, 1 },		/* L1DTLB_TRANSFER, both */
	{ 0x00c1, 4, 15, L1D, 0, 0, 0 },	/* L2DTLB_MISSES */
	{ 0x00cd, 4, 15, L1D, 3, 0, 0 },	/* LOADS_RETIRED */
	{ 0x00b1, 4, 9, NONE, 0, 0, 0 },	/* L2D_INSERT_HITS */
	{ 0x0008, 4, 15, NONE, 0, 0, 0 },	/* IA64_INST_RETIRED */
};

/* A counter's holder, or -1. [16] because counters are numbered from 4. */
static bool legal(const int *event, const struct kind *const *k)
{
	int c, m, l1d = -1;

	for (c = 4; c <= 15; c++) {
		const struct kind *e;

		if (event[c] < 0)
			continue;
		e = k[event[c]];
		if (c < e->lo || c > e->hi)
			return false;
		if (e->unit == L1D) {
			if (l1d >= 0 && l1d != e->set)
				return false;
			l1d = e->set;
		}
		if (e->unit != L2D)
			continue;
		if (c == 4 || c == 5 || c == 8)
			m = 4;
		else if (c == 6 || c == 7 || c == 9)
			m = 6;
		else
			return false;
		if (event[m] < 0 || k[event[m]]->unit != L2D ||
		    k[event[m]]->set != e->set ||
		    k[event[m]]->umask != e->umask || k[event[m]]->all != e->all)
			return false;
	}
	if (l1d >= 0)
		return event[5] >= 0 && k[event[5]]->unit == L1D &&
		       k[event[5]]->set == l1d;
	return true;
}

static bool oracle(const struct kind *const *k, int n, int i, int *event)
{
	int c;

	if (i == n)
		return legal(event, k);
	for (c = k[i]->lo; c <= k[i]->hi; c++) {
		if (event[c] >= 0)
			continue;
		/* Equal events are interchangeable: ascending is enough. */
		if (i && k[i] == k[i - 1] && c > 4) {
			int d, after = 0;

			for (d = c + 1; d <= 15; d++)
				after |= event[d] == i - 1;
			if (after)
				continue;
		}
		event[c] = i;
		if (oracle(k, n, i + 1, event)) {
			event[c] = -1;
			return true;
		}
		event[c] = -1;
	}
	return false;
}

/* Whether any placement is legal; @k is sorted, most restricted first. */
static bool solvable(const struct kind *const *k, int n)
{
	int event[16];
	int c;

	for (c = 0; c < 16; c++)
		event[c] = -1;
	return oracle(k, n, 0, event);
}

static struct itanium_req reqs[ARRAY(kinds)];

static bool holds(const struct kind *const *k, int n, const s8 *counter)
{
	int event[16];
	int i;

	memset(event, 0xff, sizeof(event));
	for (i = 0; i < n; i++) {
		if (counter[i] < 4 || counter[i] > 15 || event[counter[i]] >= 0)
			return false;
		event[counter[i]] = i;
	}
	return legal(event, k);
}

static unsigned long long checked, fits, moves, wrong;

static void complain(const char *what, const struct kind *const *k, int n,
		     const s8 *counter)
{
	int i;

	wrong++;
	if (wrong > 5)
		return;
	printf("# %s:", what);
	for (i = 0; i < n; i++)
		printf(" %#llx@%d", (unsigned long long)k[i]->config, counter[i]);
	printf("\n");
	if (fuzzing)
		fuzz_found();
}

/* Two L1D sets can never be together; other refusals are for want of room. */
static int error_of(const struct kind *const *k, int n)
{
	int i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++) {
			if (k[i]->unit == L1D && k[j]->unit == L1D && k[i]->set != k[j]->set)
				return -EINVAL;
		}
	}
	return -ENOSPC;
}

/* Assign counters to events that may have some, and compare. Return: do they fit? */
static bool assign(const struct kind *const *k, int n, s8 *counter, bool expect)
{
	const struct itanium_req *req[MAX_EVENTS];
	const char *why = NULL;
	s8 before[MAX_EVENTS];
	int i, err;

	for (i = 0; i < n; i++) {
		req[i] = &reqs[k[i] - kinds];
		before[i] = counter[i];
	}
	err = itanium_assign(req, n, counter, &why);
	checked++;
	fits += !err;
	if (!err != expect)
		complain(expect ? "refused but possible" : "accepted but impossible",
			 k, n, counter);
	else if (!err && !holds(k, n, counter))
		complain("illegal placement", k, n, counter);
	else if (err && (!why || err != error_of(k, n) || memcmp(before, counter, n)))
		complain("counters changed, no reason, or another error", k, n, counter);
	return !err;
}

static void multisets(const struct kind **k, int n, int len, int first)
{
	const struct kind *mixed[MAX_EVENTS];
	s8 counter[MAX_EVENTS];
	bool expect;
	int i, j;

	if (n < len) {
		for (i = first; i < ARRAY(kinds); i++) {
			k[n] = &kinds[i];
			multisets(k, n + 1, len, i);
		}
		return;
	}
	expect = solvable(k, n);
	memset(counter, -1, sizeof(counter));
	assign(k, n, counter, expect);
	for (i = 0; i < n; i++) {
		j = draw(i + 1);
		mixed[i] = mixed[j];
		mixed[j] = k[i];
	}
	memset(counter, -1, sizeof(counter));
	assign(mixed, n, counter, expect);
}

static int by_kind(const void *a, const void *b)
{
	const struct kind *const *k = a, *const *l = b;

	return *k < *l ? -1 : *k > *l;
}

/* Whether the last event had room without a move of the others, and they moved */
static bool moved_without_need(const struct kind *const *k, int n, const s8 *counter,
			       s8 *before)
{
	if (!memcmp(counter, before, n - 1))
		return false;
	for (before[n - 1] = 4; before[n - 1] <= 15; before[n - 1]++) {
		if (holds(k, n, before))
			return true;
	}
	return false;
}

/*
 * Events come and go one by one, as perf adds and removes them: what is there
 * must not stop what still fits, and a new one that finds a free place must
 * not move the others.
 */
static void come_and_go(int rounds, int most)
{
	const struct kind *k[MAX_EVENTS], *sorted[MAX_EVENTS];
	s8 counter[MAX_EVENTS], before[MAX_EVENTS];
	int n = 0, i;

	while (rounds-- && !draw_over()) {
		if (n == most || (n && !draw(4))) {
			i = draw(n);
			n--;
			k[i] = k[n];
			counter[i] = counter[n];
			/* perf takes an event out, the others are placed again */
			assign(k, n, counter, true);
			continue;
		}
		k[n] = &kinds[draw(ARRAY(kinds))];
		counter[n] = -1;
		n++;
		memcpy(before, counter, sizeof(before));
		memcpy(sorted, k, sizeof(sorted));
		qsort(sorted, n, sizeof(*sorted), by_kind);
		if (assign(k, n, counter, solvable(sorted, n)))
			moves += moved_without_need(k, n, counter, before);
		else
			n--;
	}
}

static void stage(const char *name)
{
	/* Where masters change places an event may move without need. */
	tap(!wrong && checked && fits && fits < checked && moves <= fits / 1000,
	    "counters for %s: %llu sets, %llu of them fit, %llu wrong", name, checked,
	    fits, wrong);
	checked = 0;
	fits = 0;
	moves = 0;
	wrong = 0;
}

static bool encode_kinds(void)
{
	const char *why;
	int i;

	for (i = 0; i < ARRAY(kinds); i++) {
		struct itanium_attr attr = {
			.config = kinds[i].config, .plm = 0x9, .threads = true,
		};

		if (itanium_encode(&attr, &reqs[i], &why)) {
			printf("Bail out! %#llx: %s\n",
			       (unsigned long long)attr.config, why);
			return false;
		}
	}
	return true;
}

int main(void)
{
	const struct kind *k[MAX_EVENTS];
	char name[64];
	int i;

	if (!encode_kinds())
		return 1;
	noise_seed(1);
	for (i = 2; i <= EXHAUSTIVE; i++) {
		multisets(k, 0, i, 0);
		snprintf(name, sizeof(name), "all sets of %d events", i);
		stage(name);
	}
	come_and_go(20000, MAX_EVENTS);
	stage("events that come and go");
	return tap_done();
}

/* More would take the oracle seconds. */
#define MAX_FUZZED	8

void fuzz_input(void)
{
	if (!encode_kinds())
		fuzz_found();
	come_and_go(INT_MAX, MAX_FUZZED);
}
