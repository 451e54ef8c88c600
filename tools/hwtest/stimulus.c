// SPDX-License-Identifier: GPL-2.0-only
/* Traffic of the emulated machine, for tests: uncore-stim injects the events of each flow */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hwtest.h"

#define LINES	       65536
#define FLITS_PER_LINE 8

/* Opcodes of table 2-13 */
#define OPC_RFO	   0x180
#define OPC_DRD	   0x182
#define OPC_WCILF  0x18c
#define OPC_WBMTOI 0x1c4

static FILE *stim;

static void begin(void)
{
	stim = popen("uncore-stim -f - > /dev/null", "w");
	if (!stim)
		die("uncore-stim does not start");
}

static const char *end(void)
{
	return pclose(stim) ? "uncore-stim failed: this source is for the emulated machine" : NULL;
}

/* Inject @count events, distributed over a socket's boxes. The model counts sockets from 0. */
__attribute__((format(printf, 4, 5))) static void spread(unsigned int socket, const char *kind,
							 uint64_t count, const char *fmt, ...)
{
	unsigned int boxes = count_boxes(kind, socket), i;
	struct pmu *pmu;
	char what[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (i = 0; i < NR_CBOXES; i++) {
		pmu = pmu_of(kind, i, socket);
		if (!pmu)
			continue;
		fprintf(stim, "-s %d %s %s,count=%llu\n", socket_index(&machine, socket),
			pmu->box, what, (unsigned long long)(count / boxes));
	}
}

/* Inject requests at the LLC of the cores' socket. */
static void look_up(unsigned int socket, unsigned int home, uint64_t lines, unsigned int umask,
		    unsigned int opc, bool miss)
{
	int node = ubox_node(home);

	spread(socket, "cbox", lines, "event=0x34,umask=%#x", umask);
	spread(socket, "cbox", lines, "event=0x35,umask=%#x,opc=%#x,nid=%d", miss ? 3 : 1, opc,
	       node < 0 ? 0 : node);
}

static const char *stimulus_flow(enum flow_kind kind, unsigned int socket, unsigned int home,
				 uint64_t *lines)
{
	bool data_comes = kind != FLOW_STREAM, data_goes = kind != FLOW_READ;

	begin();
	*lines = LINES;
	switch (kind) {
	case FLOW_READ:
		look_up(socket, home, LINES, 0x2, OPC_DRD, true);
		break;
	case FLOW_WRITE:
		look_up(socket, home, LINES, 0x2, OPC_RFO, true);
		look_up(socket, home, LINES, 0x4, OPC_WBMTOI, false);
		spread(socket, "cbox", LINES, "event=0x37,umask=0x41,nid=%d",
		       ubox_node(home) < 0 ? 0 : ubox_node(home));
		break;
	case FLOW_STREAM:
		look_up(socket, home, LINES, 0x4, OPC_WCILF, true);
		break;
	}
	if (data_comes) {
		spread(home, "ha", LINES, "event=0x01,umask=0x3");
		spread(home, "imc", LINES, "event=0x04,umask=0x1");
	}
	if (data_goes) {
		spread(home, "ha", LINES, "event=0x01,umask=0xc");
		spread(home, "imc", LINES, "event=0x04,umask=0x4");
	}
	if (data_comes && socket != home) {
		spread(home, "qpi", LINES * FLITS_PER_LINE, "event=0x100,umask=0x08");
		spread(socket, "qpi", LINES * FLITS_PER_LINE, "event=0x102,umask=0x08");
	}
	return end();
}

static const char *stimulus_page(unsigned int socket, uint64_t *addr, uint64_t *times)
{
	begin();
	*addr = 0x12345000;
	spread(socket, "ha", *times, "event=0x20,addr=%#llx,opc=0", (unsigned long long)*addr);
	return end();
}

const struct source stimulus_source = {
	.name = "stimulus",
	.flow = stimulus_flow,
	.page = stimulus_page,
};
