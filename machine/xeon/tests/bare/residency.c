// SPDX-License-Identifier: GPL-2.0-or-later
/* C3 and C6 residency, MSRs 0x3fc and 0x3fd: of each core, or of the socket. */

#include "boxes.h"

#define C3	0x3fc
#define C6	0x3fd

/* The second vCPU is on the second socket. */
SET("residency", test_residency)
{
	uint64_t here = msr_read(C3, NULL), there = ap_msr_read(C3, NULL);

	ok(here && there && here != there, "residency: no two cores are alike");
	ok(here != msr_read(C6, NULL), "residency: nor are C3 and C6");
	cmd("residency cpu=0,c3=+500");
	wr32(PCU, PCU->box_ctl, FROZEN | 3);
	cmd("residency cpu=0,c3=+1");
	ok(msr_read(C3, NULL) == here + 501, "residency: C3 counts, frozen or not");
	ok(ap_msr_read(C3, NULL) == there, "residency: and not on the other socket");
	cmd("residency cpu=0,c6=0xffffffffff");
	ok(msr_read(C6, NULL) == 0xffffffffff, "residency: C6 has more than 32 bits");
	cmd("residency cpu=1,c3=5,c6=0xffffffffffffffff");
	cmd("residency cpu=1,c3=+6,c6=+3");
	ok(ap_msr_read(C3, NULL) == 11 && ap_msr_read(C6, NULL) == 2,
	   "residency: set and advanced by CPU");
	ok(msr_read(C3, NULL) == here + 501, "residency: of that CPU only");
	cmd("residency");
	ok(answered("cpu=1 socket=1 core=0 c3=11 c6=2\n"), "residency: listed by CPU");
	ok(cmd("residency cpu=9,c3=1") == MODEL_STATUS_ERROR && answered("no CPU 9") &&
	   cmd("residency cpu=0,c3=1,c3=2") == MODEL_STATUS_ERROR &&
	   answered("c3=2: given twice"), "residency: a CPU that is not there, a key twice");
	msr_write(C3, 77, NULL);
	ok(msr_read(C3, NULL) == 77, "residency: can be written (table 2-79)");
	cmd("reset-all");
	ok(!msr_read(C3, NULL) && !ap_msr_read(C6, NULL), "residency: reset with all registers");
	clean(PCU);
	keeps("residency");
	cmd("accesses reset");
	msr_read(C3, NULL);
	ap_msr_read(C6, NULL);
	ap_msr_write(C6, 0, NULL);
	cmd("accesses");
	ok(answered("socket=0 box=pcu kind=msr reads=1 writes=0\n") &&
	   answered("socket=1 box=pcu kind=msr reads=1 writes=1\n"), "residency: in the PCU's accesses");
}

/* Both vCPUs are cores of one socket. */
SET("cores", test_residency_of_cores)
{
	uint64_t here, there;

	ok(ap_start(), "the second core runs");
	here = msr_read(C3, NULL);
	there = ap_msr_read(C3, NULL);
	ok(here != there, "residency: each core has its own");
	cmd("residency cpu=1,c3=+100");
	ok(msr_read(C3, NULL) == here && ap_msr_read(C3, NULL) == there + 100,
	   "residency: one core sleeps");
	ap_msr_write(0xc30, 3, NULL);
	ok(msr_read(0xc30, NULL) == 3, "residency: and the PCU is one");
}

/* Both vCPUs are threads of a core, or the register is the socket's. */
SET("one-core", test_residency_of_one_core)
{
	ok(ap_start(), "the second vCPU runs");
	ok(msr_read(C3, NULL) && msr_read(C3, NULL) == ap_msr_read(C3, NULL),
	   "residency: both see the same");
	cmd("residency cpu=1,c3=+100,c6=9");
	ok(msr_read(C3, NULL) == ap_msr_read(C3, NULL) && msr_read(C6, NULL) == 9,
	   "residency: also when it grows");
}
