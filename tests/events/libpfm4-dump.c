// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints libpfm4's Sandy Bridge-EP uncore tables, compiled from its source, one
 * line per event and unit mask: box, name, event, umask, counters.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "pfmlib_priv.h"
#include "pfmlib_intel_x86_priv.h"
#include "pfmlib_intel_snbep_unc_priv.h"
#include "events/intel_snbep_unc_cbo_events.h"
#include "events/intel_snbep_unc_ha_events.h"
#include "events/intel_snbep_unc_imc_events.h"
#include "events/intel_snbep_unc_pcu_events.h"
#include "events/intel_snbep_unc_qpi_events.h"
#include "events/intel_snbep_unc_r2pcie_events.h"
#include "events/intel_snbep_unc_r3qpi_events.h"
#include "events/intel_snbep_unc_ubo_events.h"

/* Its codes: bit 21 is the extended select, 0xff a fixed counter */
#define SEL_EXT		(1u << 21)
#define CODE_FIXED	0xff

static void print_lower(const char *s)
{
	for (; *s; s++)
		putchar(tolower((unsigned char)*s));
}

static void print_line(const char *box, const intel_x86_entry_t *e, const intel_x86_umask_t *u)
{
	unsigned int mask = u && u->ucntmsk ? u->ucntmsk : e->cntmsk;
	unsigned int lo, hi;

	printf("%s ", box);
	/* UNC_C_NAME */
	print_lower(strchr(e->name + 4, '_') + 1);
	if (u) {
		putchar('_');
		print_lower(u->uname);
	}
	printf(" 0x%02x 0x%02x ", (e->code & 0xff) | !!(e->code & SEL_EXT) << 8,
	       u ? (unsigned int)(u->ucode >> 8) : 0);
	if (e->code == CODE_FIXED) {
		printf("fixed\n");
		return;
	}
	lo = __builtin_ctz(mask);
	hi = 31 - __builtin_clz(mask);
	if (lo == hi)
		printf("%u\n", lo);
	else
		printf("%u-%u\n", lo, hi);
}

static void print_table(const char *box, const intel_x86_entry_t *e, size_t n)
{
	unsigned int i;

	for (; n--; e++) {
		if (!e->numasks)
			print_line(box, e, NULL);
		for (i = 0; i < e->numasks; i++) {
			const intel_x86_umask_t *u = &e->umasks[i];

			/* A value of a filter, not a unit mask */
			if (!u->ucode && u->ufilters[0])
				continue;
			print_line(box, e, u);
		}
	}
}

#define TABLE(box, t) print_table(box, t, sizeof(t) / sizeof((t)[0]))

int main(void)
{
	TABLE("cbox", intel_snbep_unc_c_pe);
	TABLE("ha", intel_snbep_unc_h_pe);
	TABLE("imc", intel_snbep_unc_m_pe);
	TABLE("pcu", intel_snbep_unc_p_pe);
	TABLE("qpi", intel_snbep_unc_q_pe);
	TABLE("r2pcie", intel_snbep_unc_r2_pe);
	TABLE("r3qpi", intel_snbep_unc_r3_pe);
	TABLE("ubox", intel_snbep_unc_u_pe);
	return 0;
}
