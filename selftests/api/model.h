/* SPDX-License-Identifier: GPL-2.0-only */
/* The hardware model's commands, which uncore-stim sends by hand */
#ifndef API_MODEL_H
#define API_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether this is the emulated machine, for children as well; KSFT_MODEL=no in the environment
 * has it treated as hardware
 */
bool model_present(void);

/* Send a command; the answer is valid until the next one. An error ends the program. */
__attribute__((format(printf, 1, 2)))
const char *model(const char *fmt, ...);

/* The same, but return 1 for a finding and 2 for an error; @answer may be NULL. */
__attribute__((format(printf, 2, 3)))
int model_try(const char **answer, const char *fmt, ...);

/* The value of an answer's line "NAME=VALUE", or "..._NAME=VALUE" */
bool model_value(const char *answer, const char *name, uint64_t *value);

/* A register by the end of its name, such as "CTL0"; not counted as an access */
uint64_t model_reg(unsigned int socket, const char *box, const char *name);

struct accesses {
	uint64_t reads, writes;
	uint64_t ports;		/* of both, through I/O ports */
	uint64_t mapped;	/* of both, memory-mapped */
};

/* Register accesses so far, of all boxes */
struct accesses model_accesses(void);

/*
 * Whether a protocol checker, "checker" or "core-pmu checker", reports nothing; prints its findings
 * and resets it
 */
bool model_silent(const char *checker);

#endif
