// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of Montecito's twelve counters each event of a set gets.
 *
 * The rules of the manual 308065-001 that tie events together:
 *
 * - L1D events are in sets, of which one can be counted at a time. PMC5
 *   selects it: it has to count an event of the set (3.3.3, 4.8.2).
 * - L2D events are in sets too. PMC4 selects the set that PMD4, 5 and 8 can
 *   count, PMC6 that of PMD6, 7 and 9, and none of them can be counted
 *   elsewhere. The unit mask and .all of PMC4 (PMC6) hold for all three
 *   counters (4.8.4).
 * - Most else, such as an event address register, exists once.
 *
 * So three counters are special, as masters. Once it is decided which kind of
 * event each of them counts, every event has a fixed set of counters that it
 * may take, and a bipartite matching answers exactly whether all fit. Events
 * of one kind are alike, which leaves few decisions to try.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "common/match.h"
#include "sched.h"

#define NR		ITANIUM_NR_COUNTERS
#define FREE		(-1)

/* The masters, and the counters that follow the set of the L2D ones */
#define L1D_MASTER	5
static const struct {
	u8 counter;
	u16 group;
} l2d_master[] = {
	{ 4, BIT(4) | BIT(5) | BIT(8) },
	{ 6, BIT(6) | BIT(7) | BIT(9) },
};

#define NR_L2D		ARRAY_SIZE(l2d_master)

/**
 * struct masters - what the special counters count
 * @l1d: an event that PMC5 could count as the L1D master, or NULL
 * @l2d: an event of the kind that PMC4 and PMC6 count, or NULL
 */
struct masters {
	const struct itanium_req *l1d;
	const struct itanium_req *l2d[NR_L2D];
};

static bool same_l1d(const struct itanium_req *a, const struct itanium_req *b)
{
	return a->set_kind == ITANIUM_SET_L1D &&
	       b->set_kind == ITANIUM_SET_L1D && a->set == b->set;
}

/* Events that may be counted under one L2D master */
static bool same_l2d(const struct itanium_req *a, const struct itanium_req *b)
{
	return a->set_kind == ITANIUM_SET_L2D &&
	       b->set_kind == ITANIUM_SET_L2D && a->set == b->set &&
	       a->umask == b->umask && a->all == b->all;
}

/* The counters that @req may take, given what the masters count. */
static u16 allowed(const struct itanium_req *req, const struct masters *m)
{
	u16 counters = req->counters;
	u16 l2d = 0;
	size_t i;

	for (i = 0; i < NR_L2D; i++) {
		if (!m->l2d[i])
			continue;
		if (same_l2d(req, m->l2d[i]))
			l2d |= l2d_master[i].group;
		else
			counters &= ~BIT(l2d_master[i].counter);
	}
	if (req->set_kind == ITANIUM_SET_L2D)
		counters &= l2d;
	if (m->l1d && !same_l1d(req, m->l1d))
		counters &= ~BIT(L1D_MASTER);
	return counters;
}

/**
 * struct placing - a matching in the making
 * @item: by event; slot 0 is the first counter
 * @on: who has each counter
 * @pinned: bit n set: event n has to be where it is
 */
struct placing {
	struct match_item item[NR];
	struct match_item *on[NR];
	u16 pinned;
};

#define SLOT(counter)	((counter) - ITANIUM_FIRST_COUNTER)
#define SLOT_MASK(counters)	((counters) >> ITANIUM_FIRST_COUNTER)

/*
 * Place an event like @like on the master @counter and keep it there. Events of
 * a kind take the same counters, so any of them will do; best is the one that
 * is there already.
 */
static bool pin_master(struct placing *p, const struct itanium_req *const *req,
		       int n, const s8 *counter, u8 master,
		       const struct itanium_req *like)
{
	int i, e = -1;

	for (i = 0; i < n; i++) {
		if ((p->pinned & BIT(i)) || !(p->item[i].may & BIT(SLOT(master))))
			continue;
		if (!same_l2d(req[i], like) &&
		    !(same_l1d(req[i], like) &&
		      req[i]->counters == like->counters))
			continue;
		if (e < 0 || counter[i] == master)
			e = i;
	}
	if (e < 0)
		return false;

	for (i = 0; i < n; i++)
		p->item[i].may &= ~BIT(SLOT(master));
	p->item[e].may = BIT(SLOT(master));
	p->pinned |= BIT(e);
	return true;
}

static bool place(const struct itanium_req *const *req, int n, s8 *counter,
		  const struct masters *m)
{
	struct placing p = { .pinned = 0 };
	size_t k;
	int i;

	for (i = 0; i < n; i++) {
		p.item[i].may = SLOT_MASK(allowed(req[i], m));
		p.item[i].at = MATCH_NONE;
	}
	for (k = 0; k < NR_L2D; k++)
		if (m->l2d[k] && !pin_master(&p, req, n, counter,
					     l2d_master[k].counter, m->l2d[k]))
			return false;
	if (m->l1d && !pin_master(&p, req, n, counter, L1D_MASTER, m->l1d))
		return false;

	/* Where an event is now is where it should stay. */
	for (i = 0; i < n; i++) {
		u8 slot = SLOT(counter[i]);

		if (counter[i] == FREE || !(p.item[i].may & BIT(slot)) ||
		    p.on[slot])
			continue;
		p.on[slot] = &p.item[i];
		p.item[i].at = slot;
	}
	for (i = 0; i < n; i++)
		if (p.item[i].at == MATCH_NONE &&
		    !match_add(p.on, NR, &p.item[i]))
			return false;

	for (i = 0; i < n; i++)
		counter[i] = p.item[i].at + ITANIUM_FIRST_COUNTER;
	return true;
}

/* What no placement can mend, with the rule for the user. */
static int conflicts(const struct itanium_req *const *req, int n,
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
	};
	const struct itanium_req *l1d = NULL, *cancel = NULL;
	const struct itanium_req *user[ITANIUM_RES_NR] = { NULL };
	int i, r;

	for (i = 0; i < n; i++) {
		for (r = 0; r < ITANIUM_RES_NR; r++) {
			if (!(req[i]->needs & BIT(r)))
				continue;
			if (user[r] &&
			    (user[r]->res[r].v[0] != req[i]->res[r].v[0] ||
			     user[r]->res[r].v[1] != req[i]->res[r].v[1])) {
				*why = res_why[r];
				return -EINVAL;
			}
			user[r] = req[i];
		}
		if (req[i]->set_kind == ITANIUM_SET_L1D) {
			if (l1d && l1d->set != req[i]->set) {
				*why = "L1D events of one set at a time (4.8.2)";
				return -EINVAL;
			}
			l1d = req[i];
		}
		if (req[i]->flags & Q_CANCEL) {
			if (cancel) {
				*why = "one L2D_OZQ_CANCELS event at a time";
				return -EINVAL;
			}
			cancel = req[i];
		}
	}
	return 0;
}

/*
 * One event of each kind that a master could count: L2D ones that may share it, L1D ones
 * that take the same counters.
 */
static int kinds_of(const struct itanium_req *const *req, int n, u8 set_kind,
		    const struct itanium_req **kind)
{
	int i, k, kinds = 0;

	for (i = 0; i < n; i++) {
		if (req[i]->set_kind != set_kind)
			continue;
		for (k = 0; k < kinds; k++)
			if (set_kind == ITANIUM_SET_L2D ?
			    same_l2d(kind[k], req[i]) :
			    kind[k]->counters == req[i]->counters)
				break;
		if (k == kinds)
			kind[kinds++] = req[i];
	}
	return kinds;
}

/* Why no placement was found: the rule that is most likely meant. */
static const char *no_room(const struct itanium_req *const *req, int n,
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
	if (kinds)
		return "L2D sets have PMC4, 5, 8 and PMC6, 7, 9: not enough (4.8.4)";
	if (halted > 1)
		return "CYCLES_HALTED can only be counted by PMD10 (table 4-33)";
	return "more events than counters that count them right (PMC4-9: 3.3.2, 4.2.1)";
}

/*
 * Give every event a counter; @counter has those that they have now, or -1, and mostly
 * stays. Finds a placement whenever one exists. Returns -EINVAL if the events cannot be
 * counted together, -ENOSPC if there is no room for all, with @counter unchanged.
 */
int itanium_assign(const struct itanium_req *const *req, int n, s8 *counter,
		   const char **why)
{
	const struct itanium_req *l1d[NR + 1], *l2d[NR + 1];
	struct masters m;
	int nr_l1d, nr_l2d, a, b, c, err;

	if (n > NR) {
		*why = "there are twelve counters";
		return -ENOSPC;
	}
	err = conflicts(req, n, why);
	if (err)
		return err;

	nr_l1d = kinds_of(req, n, ITANIUM_SET_L1D, l1d);
	if (!nr_l1d)
		l1d[nr_l1d++] = NULL;
	nr_l2d = kinds_of(req, n, ITANIUM_SET_L2D, l2d);
	*why = no_room(req, n, l2d, nr_l2d);
	/* Each kind needs a master. */
	if (nr_l2d > (int)NR_L2D)
		return -ENOSPC;
	l2d[nr_l2d++] = NULL;

	for (a = 0; a < nr_l1d; a++) {
		m.l1d = l1d[a];
		for (b = 0; b < nr_l2d; b++) {
			m.l2d[0] = l2d[b];
			for (c = 0; c < nr_l2d; c++) {
				m.l2d[1] = l2d[c];
				if (place(req, n, counter, &m))
					return 0;
			}
		}
	}
	return -ENOSPC;
}
