// SPDX-License-Identifier: GPL-2.0-only
/*
 * sal.c: the System Abstraction Layer: its table and procedures, for a machine without PCI and
 * errors to report, and the rendezvous of processors that the operating system does not use
 */
#include <string.h>

#include "platform.h"

#define SAL_REVISION_MAJOR	0x03	/* binary-coded decimal */
#define SAL_REVISION_MINOR	0x20
#define WAKEUP_VECTOR		0xf0
#define RECORD_SIZE		4096	/* size of the largest error record */

enum {
	SAL_SET_VECTORS = 0x01000000,
	SAL_GET_STATE_INFO,
	SAL_GET_STATE_INFO_SIZE,
	SAL_CLEAR_STATE_INFO,
	SAL_MC_RENDEZ,
	SAL_MC_SET_PARAMS,
	SAL_REGISTER_PHYSICAL_ADDR,
	SAL_CACHE_FLUSH = 0x01000008,
	SAL_CACHE_INIT,
	SAL_PCI_CONFIG_READ = 0x01000010,
	SAL_PCI_CONFIG_WRITE,
	SAL_FREQ_BASE,
	SAL_PHYSICAL_ID_INFO,
};

/* First argument of SAL_SET_VECTORS: 0 machine check, 1 INIT, 2 started processor */
#define VECTOR_RENDEZVOUS	2

enum { SAL_OK = 0, SAL_NOT_IMPLEMENTED = -1, SAL_NO_INFORMATION = -5 };

struct sal_table {
	char signature[4];
	uint32_t length;
	uint8_t revision_minor, revision_major;
	uint16_t entries;
	uint8_t checksum;
	uint8_t reserved[7];
	uint8_t a_minor, a_major, b_minor, b_major;
	char oem[32];
	char product[32];
	uint8_t reserved2[8];
};

struct sal_entry_point {
	uint8_t type;		/* 0 */
	uint8_t reserved[7];
	uint64_t pal_proc;
	uint64_t sal_proc;
	uint64_t gp;
	uint8_t reserved2[16];
};

struct sal_features {
	uint8_t type;		/* 2 */
	uint8_t features;
	uint8_t reserved[14];
};

struct sal_wakeup {
	uint8_t type;		/* 5 */
	uint8_t mechanism;	/* 0: wake-up by external interrupt */
	uint8_t reserved[6];
	uint64_t vector;
};

struct sal_tables {
	struct sal_table head;
	struct sal_entry_point entry;
	struct sal_features features;
	struct sal_wakeup wakeup;
};

uint64_t sal_build(struct platform *platform)
{
	struct sal_tables *t = firmware_table(platform, sizeof(*t), 16);

	memcpy(t->head.signature, "SST_", 4);
	t->head.length = sizeof(*t);
	t->head.revision_major = SAL_REVISION_MAJOR;
	t->head.revision_minor = SAL_REVISION_MINOR;
	t->head.entries = 3;
	t->head.a_major = 1;
	t->head.b_major = 1;
	strcpy(t->head.oem, "snbep-uncore");
	strcpy(t->head.product, "ia64-machine");
	t->entry.pal_proc = firmware_entry(platform, CALL_PAL, true);
	t->entry.sal_proc = firmware_entry(platform, CALL_SAL, false);
	t->features.type = 2;
	t->wakeup.type = 5;
	t->wakeup.vector = WAKEUP_VECTOR;
	t->head.checksum = firmware_sum(t, sizeof(*t));
	return firmware_address(platform, t);
}

/*
 * It returns to b6: to itself, or to the operating system, which may come back by b0. Interrupts
 * other than the one that starts it are lost.
 */
void sal_rendezvous(struct cpu *cpu)
{
	const struct platform *platform = platform_of(cpu->machine);
	bool woken = cpu->irr[WAKEUP_VECTOR >> 6] >> (WAKEUP_VECTOR & 63) & 1;

	memset(cpu->irr, 0, sizeof(cpu->irr));
	memset(cpu->in_service, 0, sizeof(cpu->in_service));
	cpu->tpr = 0;
	cpu->br[0] = cpu->ip;
	cpu->br[6] = cpu->ip;
	if (woken && *platform->rendezvous) {
		cpu->stopped = false;
		cpu->br[6] = platform->rendezvous[0];
		gr_set(cpu, 1, platform->rendezvous[1]);
	} else {
		machine_stop_cpu(cpu);
	}
}

/* Of the vectors only that of started processors is used: there are no machine checks and INITs. */
static void set_vectors(struct cpu *cpu)
{
	struct platform *platform = platform_of(cpu->machine);

	if (gr_get(cpu, 33) != VECTOR_RENDEZVOUS)
		return;
	platform->rendezvous[0] = gr_get(cpu, 34);
	platform->rendezvous[1] = gr_get(cpu, 35);
}

/* The function number is the first argument, in r32: the caller's outputs are the frame. */
void sal_call(struct cpu *cpu)
{
	uint64_t out[2] = { 0, 0 };
	int64_t status = SAL_OK;

	switch (gr_get(cpu, 32)) {
	case SAL_SET_VECTORS:
		set_vectors(cpu);
		break;
	case SAL_CLEAR_STATE_INFO:
	case SAL_MC_RENDEZ:
	case SAL_MC_SET_PARAMS:
	case SAL_REGISTER_PHYSICAL_ADDR:
	case SAL_CACHE_FLUSH:
	case SAL_CACHE_INIT:
	case SAL_PHYSICAL_ID_INFO:
		break;
	case SAL_GET_STATE_INFO:
		status = SAL_NO_INFORMATION;
		break;
	case SAL_GET_STATE_INFO_SIZE:
		out[0] = RECORD_SIZE;
		break;
	case SAL_FREQ_BASE:
		/* The platform's clock is the only one; -1: its drift is unknown. */
		if (gr_get(cpu, 33) == 0) {
			out[0] = CLOCK_HZ;
			out[1] = ~0ULL;
		} else {
			status = SAL_NOT_IMPLEMENTED;
		}
		break;
	default:
		status = SAL_NOT_IMPLEMENTED;
	}
	firmware_return(cpu, status, out[0], out[1], 0);
}
