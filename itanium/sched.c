// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assignment of the twelve counters. Three of them are masters:
 *
 * - PMC5 selects the L1D set; only one set is active (3.3.3, 4.8.2).
 * - PMC4 selects the L2D set, unit mask and .all of PMD4, 5 and 8, and PMC6 those
 *   of PMD6, 7 and 9; other counters have no L2D events (4.8.4).
 *
 * For each choice of what the masters count, the other constraints are masks of
 * counters, and bipartite matching finds an assignment if there is one.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "common/match.h"
#include "event.h"

#define NR		ITANIUM_NR_COUNTERS
#define FREE		(-1)

/* The masters, and the counters that the L2D masters control */
#define L1D_MASTER	5
static const struct {
	u8 counter;
	u16 group;
} l2d_master[] = {
	{ 4, BIT(4) | BIT(5) | BIT(8) },
	{ 6, BIT(6) | BIT(7) | BIT(9) },
};

#define NR_L2D		ARRAY_SIZE(l2d_master)

/* Events like those that the masters count, or NULL */
struct masters {
	const struct itanium_req *l1d;		/* on PMC5 */
	const struct itanium_req *l2d[NR_L2D];	/* on PMC4 and PMC6 */
};

static bool is_l2d(const struct itanium_req *req)
{
	return req->set >= ITANIUM_L2D(0);
}

/*
 * Return whether a master can count either event. L2D events share a master's unit mask
 * and .all; L1D events may be restricted to other counters.
 */
static bool alike(const struct itanium_req *a, const struct itanium_req *b)
{
	return a->set == b->set &&
	       (is_l2d(a) ? a->umask == b->umask && a->all == b->all :
			    a->counters == b->counters);
}

/* Return the counters that @req can use with these masters. */
static u16 allowed_counters(const struct itanium_req *req, const struct masters *m)
{
	u16 counters = req->counters;
	u16 l2d = 0;
	size_t i;

	for (i = 0; i < NR_L2D; i++) {
		if (!m->l2d[i])
			continue;
		if (alike(req, m->l2d[i]))
			l2d |= l2d_master[i].group;
		else
			counters &= ~BIT(l2d_master[i].counter);
	}
	if (is_l2d(req))
		counters &= l2d;
	if (m->l1d && req->set != m->l1d->set)
		counters &= ~BIT(L1D_MASTER);
	return counters;
}

/* State of an assignment; slot 0 is PMC4. */
struct placement {
	struct match_item item[NR];	/* of each event */
	struct match_item *on[NR];	/* item of each counter */
	u16 pinned;			/* events that are pinned to a master */
};

#define SLOT(counter)	((counter) - ITANIUM_FIRST_COUNTER)
#define SLOT_MASK(counters)	((counters) >> ITANIUM_FIRST_COUNTER)

/*
 * Pin an event like @like to the counter @master. Such events are interchangeable;
 * prefer the one that the master counts already.
 */
static bool pin_master(struct placement *p, const struct itanium_req *const *req,
		       int n, const s8 *counter, u8 master,
		       const struct itanium_req *like)
{
	int i, e = -1;

	for (i = 0; i < n; i++) {
		if ((p->pinned & BIT(i)) || !(p->item[i].idxmask & BIT(SLOT(master))) ||
		    !alike(req[i], like))
			continue;
		if (e < 0 || counter[i] == master)
			e = i;
	}
	if (e < 0)
		return false;

	for (i = 0; i < n; i++)
		p->item[i].idxmask &= ~BIT(SLOT(master));
	p->item[e].idxmask = BIT(SLOT(master));
	p->pinned |= BIT(e);
	return true;
}

static bool place_events(const struct itanium_req *const *req, int n, s8 *counter,
			 const struct masters *m)
{
	struct placement p = { .pinned = 0 };
	size_t k;
	int i;

	for (i = 0; i < n; i++) {
		p.item[i].idxmask = SLOT_MASK(allowed_counters(req[i], m));
		p.item[i].idx = MATCH_NONE;
	}
	for (k = 0; k < NR_L2D; k++)
		if (m->l2d[k] && !pin_master(&p, req, n, counter,
					     l2d_master[k].counter, m->l2d[k]))
			return false;
	if (m->l1d && !pin_master(&p, req, n, counter, L1D_MASTER, m->l1d))
		return false;

	/* Keep events on their current counters if possible. */
	for (i = 0; i < n; i++) {
		u8 slot = SLOT(counter[i]);

		if (counter[i] == FREE || !(p.item[i].idxmask & BIT(slot)) ||
		    p.on[slot])
			continue;
		p.on[slot] = &p.item[i];
		p.item[i].idx = slot;
	}
	for (i = 0; i < n; i++)
		if (p.item[i].idx == MATCH_NONE &&
		    !match_add(p.on, NR, &p.item[i]))
			return false;

	for (i = 0; i < n; i++)
		counter[i] = p.item[i].idx + ITANIUM_FIRST_COUNTER;
	return true;
}

/* Check for conflicts that no assignment can resolve. */
static int check_conflicts(const struct itanium_req *const *req, int n,
			   const char **why)
{
	static const char *const res_why[ITANIUM_RES_NR] = {
		[ITANIUM_RES_DEAR] = "one data EAR setting at a time",
		[ITANIUM_RES_IEAR] = "one instruction EAR setting at a time",
		[ITANIUM_RES_ETB] = "the trace buffer has one setting at a time, and must be off with the IP-EAR and the data EAR's TLB and ALAT modes",
		[ITANIUM_RES_IP] = "the IP-EAR has one setting at a time and excludes the trace buffer",
		[ITANIUM_RES_OPCM0] = "one opcode at a time for tag channels 0 and 2 (3.3.6)",
		[ITANIUM_RES_OPCM1] = "one opcode at a time for tag channels 1 and 3 (3.3.6)",
		[ITANIUM_RES_OPC0 ... ITANIUM_RES_OPC3] =
			"an opcode filter would filter the other events of its tag channel too",
		[ITANIUM_RES_IBRP0 ... ITANIUM_RES_IBRP3] =
			"an instruction range would filter the other events of its tag channel too",
		[ITANIUM_RES_FINE] = "fine=1 takes all instruction ranges, and tag channels 2 and 3 (table 3-10)",
		[ITANIUM_RES_DBRP0] = "a data range would filter the other events too",
		[ITANIUM_RES_L1D] = "L1D events of one set at a time (4.8.2)",
	};
	const struct itanium_req *user[ITANIUM_RES_NR] = { NULL };
	int i, r, cancels = 0;

	for (i = 0; i < n; i++) {
		for (r = 0; r < ITANIUM_RES_NR; r++) {
			if (!(req[i]->needs & BIT(r)))
				continue;
			if (user[r] &&
			    (user[r]->res[r].v[0] != req[i]->res[r].v[0] ||
			     user[r]->res[r].v[1] != req[i]->res[r].v[1]))
				return itanium_refuse(why, -EINVAL, res_why[r]);
			user[r] = req[i];
		}
		if (req[i]->flags & Q_CANCEL && cancels++)
			return itanium_refuse(why, -EINVAL, "one L2D_OZQ_CANCELS event at a time");
	}
	return 0;
}

/* Find one event of each kind that a master can count, in the sets like @set. */
static int kinds_of(const struct itanium_req *const *req, int n, u8 set,
		    const struct itanium_req **kind)
{
	int i, k, kinds = 0;

	for (i = 0; i < n; i++) {
		if ((req[i]->set & ITANIUM_SET_KIND) != set)
			continue;
		for (k = 0; k < kinds; k++)
			if (alike(kind[k], req[i]))
				break;
		if (k == kinds)
			kind[kinds++] = req[i];
	}
	return kinds;
}

/* Return the rule because of which no assignment exists. */
static const char *unplaced_reason(const struct itanium_req *const *req, int n,
				   const struct itanium_req *const *l2d, int kinds)
{
	int i, k, sets = 0, halted = 0;

	for (i = 0; i < n; i++)
		halted += req[i]->counters == ITANIUM_COUNTERS_10;
	for (i = 0; i < kinds; i++) {
		for (k = 0; k < i; k++)
			if (l2d[k]->set == l2d[i]->set)
				break;
		sets += k == i;
	}
	if (sets > 2)
		return "L2D events of two sets at a time (4.8.4)";
	if (kinds > 2)
		return "L2D events of two different unit masks or .all at a time (4.8.4)";
	if (halted > 1)
		return "CYCLES_HALTED can only be counted by PMD10 (table 4-33)";
	return "more events than counters that count them correctly (3.3.2, 4.2.1, 4.8.4)";
}

/*
 * Assign a counter to every event. @counter has the current ones, or -1. Returns -EINVAL
 * if events conflict, or -ENOSPC if no assignment exists; @counter is then unchanged.
 */
int itanium_assign(const struct itanium_req *const *req, int n, s8 *counter,
		   const char **why)
{
	const struct itanium_req *l1d[NR + 1], *l2d[NR + 1];
	struct masters m = { };
	int nr_l1d, nr_l2d, choices, a, b, c, err;

	if (n > NR)
		return itanium_refuse(why, -ENOSPC, "there are only twelve counters");
	err = check_conflicts(req, n, why);
	if (err)
		return err;

	nr_l1d = kinds_of(req, n, ITANIUM_L1D(0), l1d);
	if (!nr_l1d)
		l1d[nr_l1d++] = NULL;
	nr_l2d = kinds_of(req, n, ITANIUM_L2D(0), l2d);
	l2d[nr_l2d] = NULL;
	/* Each kind of L2D events needs a master, which may also count none. */
	choices = nr_l2d > (int)NR_L2D ? 0 : nr_l2d + 1;

	for (a = 0; a < nr_l1d; a++) {
		m.l1d = l1d[a];
		for (b = 0; b < choices; b++) {
			m.l2d[0] = l2d[b];
			for (c = 0; c < choices; c++) {
				m.l2d[1] = l2d[c];
				if (place_events(req, n, counter, &m))
					return 0;
			}
		}
	}
	return itanium_refuse(why, -ENOSPC, unplaced_reason(req, n, l2d, nr_l2d));
}
