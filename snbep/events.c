// SPDX-License-Identifier: GPL-2.0-only
/* Event tables of all box types, generated from events/snbep_*.def */
#include <linux/stringify.h>

#include "snbep/events.h"
#include "snbep/sched.h"
#include "snbep/sysfs.h"

#define BOX	cbox
#include "table.h"
#define BOX	ha
#include "table.h"
#define BOX	imc
#include "table.h"
#define BOX	pcu
#include "table.h"
#define BOX	qpi
#include "table.h"
#define BOX	r2pcie
#include "table.h"
#define BOX	r3qpi
#include "table.h"
#define BOX	ubox
#include "table.h"
