/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of events in other tools */
#ifndef UNCORESTAT_NAMES_H
#define UNCORESTAT_NAMES_H

/**
 * name_encoding - return the encoding of an event's name, as perf's list has it, or NULL
 * @type:	index of the box type
 * @name:	"unc_m_cas_count.rd" or an alias, "cas_count_rd", in either case
 */
const char *name_encoding(unsigned int type, const char *name);

/**
 * name_translate - return "imc_0/event=0x04,umask=0x03/" for a name of another tool
 * @name:	UNC_M_CAS_COUNT.RD (perf), snbep_unc_imc0::UNC_M_CAS_COUNT:RD (libpfm4),
 *		CAS_COUNT_RD:MBOX0C1 (LIKWID) or iMC.CAS_COUNT.RD (ucevent), with options of
 *		theirs or terms of perf behind it
 *
 * Returns NULL for what has slashes, and for what names no box and is in no list. Prints options
 * that perf has no terms for. Exits with the reason for another name that no list has.
 */
const char *name_translate(const char *name);

/* Remove each "field=?" from a list of terms that has another value for the field. */
void set_parameters(char *terms);

#endif
