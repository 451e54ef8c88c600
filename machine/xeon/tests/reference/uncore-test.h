/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the uncore's boxes, each beside a reference from the guide */
#ifndef REFERENCE_UNCORE_TEST_H
#define REFERENCE_UNCORE_TEST_H

#include "bench.h"
#include "uncore-model.h"

#define EDGE	(1u << 18)
#define TID_EN	(1u << 19)
#define EN	(1u << 22)
#define INV	(1u << 23)

/* Fields of a box's controls and of its box control; or, without the latter's, of a filter */
struct fields {
	uint32_t rw, wo, mbz, box_wo, box_mbz;
};

struct fields fields_of_box(const UncoreBox *b);
struct fields filter_of_box(const UncoreBox *b, unsigned int i);

void test_checker(void);
void test_console(void);
void test_variants(void);

#endif
