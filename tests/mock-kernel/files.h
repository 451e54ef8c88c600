/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MOCK_FILES_H
#define MOCK_FILES_H

#include "kernel.h"

#define MAX_FILES	2048

struct mock_files {
	struct device dev;
	unsigned int readers;
	bool visible[MAX_FILES];	/* read once, when the PMU is registered */
};

void mock_files_ask(struct mock_files *f, const struct pmu *pmu);
struct mock_files *mock_files_of(const struct pmu *pmu);

#endif /* MOCK_FILES_H */
