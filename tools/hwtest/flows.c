// SPDX-License-Identifier: GPL-2.0-only
/* Compare counts with flows of a known number of lines. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

/* Whose memory is accessed, and where the event is counted */
enum place {
	OWN,	   /* memory of the cores' socket */
	THERE,	   /* memory of another socket, counted there */
	HERE,	   /* memory of another socket, counted at the cores' */
};

/* An event in all boxes of a kind, and a flow that causes it */
struct flow_row {
	enum flow_kind flow;
	enum place place;
	const char *kind;
	double low, high;	/* accepted counts per line, less the idle count */
	bool always;		/* also with intel_uncore */
	const char *events[2];	/* event, and another that is added to it, or NULL */
	const char *what;	/* description */
};

static const struct flow_row rows[] = {
	{ FLOW_READ, OWN, "cbox", 0.9, 2.2, true,
	  { "event=0x34,umask=0x03,filter_state=0x1f" },
	  "lookups in the LLC (a prefetched line may be looked up twice)" },
	{ FLOW_READ, OWN, "cbox", 0.9, 1.3, false,
	  { "event=0x35,umask=0x03,filter_opc=0x182", "event=0x35,umask=0x03,filter_opc=0x192" },
	  "misses with opcode DRd or PrefData" },
	{ FLOW_READ, OWN, "ha", 0.95, 1.25, false,
	  { "event=0x01,umask=0x03" }, "reads at the Home Agent" },
	{ FLOW_READ, OWN, "imc", 0.95, 1.25, true,
	  { "event=0x04,umask=0x03" }, "reads from memory" },
	{ FLOW_READ, OWN, "imc", 0, 0.15, true,
	  { "event=0x04,umask=0x0c" }, "writes to memory" },
	{ FLOW_WRITE, OWN, "cbox", 0.9, 1.3, false,
	  { "event=0x35,umask=0x03,filter_opc=0x180", "event=0x35,umask=0x03,filter_opc=0x190" },
	  "misses with opcode RFO or PrefRFO" },
	{ FLOW_WRITE, OWN, "cbox", 0.7, 1.3, false,
	  { "event=0x35,umask=0x01,filter_opc=0x1c4" }, "write-backs with opcode WbMtoI" },
	{ FLOW_WRITE, OWN, "imc", 0.95, 1.3, true,
	  { "event=0x04,umask=0x03" }, "reads from memory" },
	{ FLOW_WRITE, OWN, "imc", 0.8, 1.25, true,
	  { "event=0x04,umask=0x0c" }, "writes to memory" },
	{ FLOW_STREAM, OWN, "cbox", 0.9, 1.2, false,
	  { "event=0x35,umask=0x03,filter_opc=0x18c" }, "streaming stores with opcode WCiLF" },
	{ FLOW_STREAM, OWN, "imc", 0, 0.2, true,
	  { "event=0x04,umask=0x03" }, "reads from memory" },
	{ FLOW_STREAM, OWN, "imc", 0.9, 1.25, true,
	  { "event=0x04,umask=0x0c" }, "writes to memory" },
	{ FLOW_READ, THERE, "imc", 0.95, 1.25, true,
	  { "event=0x04,umask=0x03" }, "reads from the other socket's memory" },
	{ FLOW_READ, HERE, "imc", 0, 0.25, true,
	  { "event=0x04,umask=0x03" }, "reads from its own memory" },
	{ FLOW_READ, THERE, "ha", 0.95, 1.25, false,
	  { "event=0x01,umask=0x03" }, "reads at the other Home Agent" },
	{ FLOW_READ, HERE, "qpi", 7.5, 10, false,
	  { "event=0x01,umask=0x02" }, "data flits that QPI receives, eight for a line" },
	{ FLOW_READ, THERE, "qpi", 7.5, 10, false,
	  { "event=0x00,umask=0x02" },
	  "data flits that the other socket sends, eight for a line" },
};

static const char *const verbs[] = { "reading", "writing", "streaming" };

/* Whether all boxes of a kind are there: hidden ones have a part of the traffic. */
static bool is_complete(const char *kind, unsigned int socket)
{
	return count_boxes(kind, socket) >= (strcmp(kind, "cbox") ? box_find(kind)->instances : 1);
}

static uint64_t sum(const int *fd, unsigned int n)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		all += read_event(fd[i]);
	return all;
}

/* Run a new flow once uncounted: it allocates memory, and evicts lines of the last flow. */
static const char *warm_up(enum flow_kind flow, unsigned int socket, unsigned int home)
{
	static unsigned int last[] = { -1, -1, -1 };
	const unsigned int now[] = { flow, socket, home };
	uint64_t lines;

	if (!memcmp(last, now, sizeof(now)))
		return NULL;
	memcpy(last, now, sizeof(now));
	return make_flow(flow, socket, home, &lines);
}

/* Count an event of one flow in all boxes of a kind, less the count of an idle time as long. */
static const char *measure(const char *kind, const char *event, unsigned int at,
			   enum flow_kind flow, unsigned int socket, unsigned int home,
			   double *count, uint64_t *lines)
{
	uint64_t begin, end, before, during;
	double idle;
	int fd[NR_CBOXES];
	const char *why = warm_up(flow, socket, home);
	unsigned int i, n = 0;

	if (why)
		return why;
	for (i = 0; i < NR_CBOXES; i++) {
		struct pmu *pmu = pmu_of(kind, i, at);

		if (!pmu)
			continue;
		fd[n] = open_event(pmu, event, at);
		if (fd[n] < 0) {
			why = fd[n] == -ENOENT ? "the PMU has no such field" : strerror(-fd[n]);
			while (n--)
				close(fd[n]);
			return why;
		}
		n++;
	}
	before = sum(fd, n);
	begin = now_ns();
	why = make_flow(flow, socket, home, lines);
	during = sum(fd, n);
	end = now_ns();
	sleep_ms((end - begin) / 1000000 + 1);
	idle = (double)(sum(fd, n) - during) * (double)(end - begin) / (double)(now_ns() - end);
	while (n--)
		close(fd[n]);
	*count = (double)(during - before) - idle;
	if (*count < 0)
		*count = 0;
	return why;
}

static void check_row(const struct flow_row *row, unsigned int socket, unsigned int home)
{
	unsigned int at = row->place == THERE ? home : socket, i;
	const char *why = NULL;
	uint64_t lines = 0;
	double all = 0;
	char what[160];

	snprintf(what, sizeof(what), "socket %u %s the memory of socket %u: %s", socket,
		 verbs[row->flow], home, row->what);
	if (!is_complete(row->kind, at)) {
		untold("some of the boxes are hidden", "%s", what);
		return;
	}
	for (i = 0; i < 2 && row->events[i] && !why; i++) {
		double count;

		why = measure(row->kind, row->events[i], at, row->flow, socket, home, &count,
			      &lines);
		all += count;
	}
	if (why) {
		untold(why, "%s", what);
		return;
	}
	all /= (double)lines;
	test(all >= row->low && all <= row->high, "%s: %.3f for each of %llu lines (%.2f to %.2f)",
	     what, all, (unsigned long long)lines, row->low, row->high);
}

void check_flows(unsigned int socket, bool memory_alone)
{
	unsigned int other = other_socket(socket), i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct flow_row *row = &rows[i];

		if (memory_alone && !row->always)
			continue;
		if (row->place != OWN && other == socket)
			continue;
		check_row(row, socket, row->place == OWN ? socket : other);
	}
}

/* Count the lines of a read flow that pass the CBo's node filter. */
static const char *count_node(unsigned int socket, unsigned int home, int node, double *count,
			      uint64_t *lines)
{
	char event[96];

	snprintf(event, sizeof(event), "event=0x35,umask=0x43,filter_opc=0x182,filter_nid=%#x",
		 1u << node);
	return measure("cbox", event, socket, FLOW_READ, socket, home, count, lines);
}

/* Whether the UBox's node ID selects the same memory in the CBo's filter */
void check_node(unsigned int home)
{
	int node = ubox_node(home), other = (node + 1) % 8;
	double mine = 0, others = 0;
	uint64_t lines = 1;
	const char *why;

	if (node < 0) {
		untold("the UBox is hidden", "socket %u: node id", home);
		return;
	}
	note("socket %u: the UBox says node %d", home, node);
	why = count_node(home, home, node, &mine, &lines);
	if (!why)
		why = count_node(home, home, other, &others, &lines);
	if (why) {
		untold(why, "node ids of socket %u's UBox in the filter of a CBo", home);
		return;
	}
	mine /= (double)lines;
	others /= (double)lines;
	answer(mine > 0.5 && others < 0.1,
	       "bit %d of filter_nid stands for node %d of socket %u's UBox: %.3f for each line with it, %.3f with bit %d",
	       node, node, home, mine, others, other);
}

/* Whether LLC_VICTIMS.NID counts without a state */
void check_victims(unsigned int socket)
{
	int node = ubox_node(socket);
	double alone = 0, any = 0;
	uint64_t lines = 1;
	char event[64];
	const char *why = node < 0 ? "the UBox is hidden" : NULL;

	snprintf(event, sizeof(event), "event=0x37,umask=0x40,filter_nid=%#x", 1u << (node & 7));
	if (!why)
		why = measure("cbox", event, socket, FLOW_WRITE, socket, socket, &alone, &lines);
	memcpy(strstr(event, "0x40"), "0x47", 4);
	if (!why)
		why = measure("cbox", event, socket, FLOW_WRITE, socket, socket, &any, &lines);
	if (!why && any < (double)lines / 4)
		why = "too few lines were victimized";
	if (why) {
		untold(why, "socket %u: LLC_VICTIMS.NID without a state", socket);
		return;
	}
	answer(alone > any / 2,
	       "socket %u: LLC_VICTIMS.NID counts %.3f for each line that is written, and with the states M, E and S %.3f: %s",
	       socket, alone / (double)lines, any / (double)lines,
	       alone > any / 2 ? "the bit counts alone" : "the bit needs a state");
}

/* Find the values of the Home Agent's opcode filter that match reads of a page. */
static void check_opcodes(unsigned int socket)
{
	struct pmu *pmu = pmu_of("ha", 0, socket);
	uint64_t addr = 0, times = 64, count, through = 0;
	const char *why = pmu ? read_page(socket, &addr, &times) : "the Home Agent is hidden";
	unsigned int opc, n;
	char event[128];
	int fd;

	for (opc = 0; opc < 64 && !why; opc++) {
		snprintf(event, sizeof(event),
			 "event=0x20,umask=0x03,filter_addr=%#llx,filter_opc=%#x",
			 (unsigned long long)addr >> 6, opc);
		fd = open_event(pmu, event, socket);
		if (fd < 0) {
			why = strerror(-fd);
			break;
		}
		times = 6400;
		why = read_page(socket, &addr, &times);
		count = read_event(fd);
		close(fd);
		if (count > times / 2)
			through |= 1ull << opc;
	}
	n = __builtin_popcountll(through);
	if (!why && !n)
		why = "reads have no such value, or the event needs something else";
	if (why) {
		untold(why, "socket %u: polarity of the Home Agent's opcode filter", socket);
		return;
	}
	answer(n <= 4,
	       "socket %u: %u of the 64 values of the Home Agent's filter_opc let reads through (%#llx): %s",
	       socket, n, (unsigned long long)through,
	       n <= 4	 ? "it counts what is equal"
	       : n == 64 ? "it compares nothing"
	       : n >= 60 ? "it counts what differs"
			 : "it is a mask");
}

void check_filters(unsigned int socket)
{
	unsigned int first = function_id(socket, 8, 6), second = function_id(socket, 9, 6);

	check_opcodes(socket);
	if (first || second)
		test((!first || first == 0x3c86) && (!second || second == 0x3c96),
		     "socket %u: function 6 of the QPI ports has the packet filters: ids %x and %x",
		     socket, first, second);
	else
		untold("hidden by the BIOS, as on most boards",
		       "socket %u: packet filters of the QPI ports", socket);
}
