// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Host-side unit tests of the PCI device that has Montecito's monitors: its registers and
 * interrupts, and what its console injects. Stands in for QEMU.
 */
#include "bench.h"
#include "machine/xeon/montecito/montecito-apic.h"
#include "scripts/tap.h"

#define CPUS		2
#define BANK		0x1000
#define PMC(n)		(8 * (n))
#define PMD(n)		(0x200 + 8 * (n))
#define DBR(n)		(0x440 + 8 * (n))
#define PMV		0x480
#define MASKED		0x10000

static PCIDevice *device;
static const MemoryRegionOps *ops;
static void *region;
static unsigned int interrupts[CPUS], withdrawn;

void memory_region_init_io(MemoryRegion *mr, void *owner, const MemoryRegionOps *with,
			   void *opaque, const char *name, uint64_t size)
{
	ops = with;
	region = opaque;
}

void pci_register_bar(PCIDevice *dev, int nr, int kind, MemoryRegion *mr)
{
}

int msix_init_exclusive_bar(PCIDevice *dev, unsigned int nr, int bar, Error **errp)
{
	return nr != CPUS;
}

void msix_vector_use(PCIDevice *dev, unsigned int nr)
{
}

void msix_notify(PCIDevice *dev, unsigned int nr)
{
	if (nr < CPUS)
		interrupts[nr]++;
}

void montecito_withdraw(PCIDevice *dev, unsigned int entry)
{
	withdrawn++;
}

/* A command; whether it succeeds, without findings */
static bool inject(const char *args)
{
	return say("montecito %s", args) == MODEL_STATUS_OK;
}

static void put(unsigned int reg, uint64_t v)
{
	ops->write(region, reg, v, 8);
}

static uint64_t get(unsigned int reg)
{
	return ops->read(region, reg, 8);
}

/* Counter 4 counts CPU_OP_CYCLES, and is @left below its overflow. */
static void begin(uint64_t left)
{
	put(PMC(0), 1);
	put(PMC(4), 0x2001269);
	put(PMD(4), (1ull << 47) - left);
	put(PMV, 0);
	put(PMC(0), 0);
}

static void now(const char *what, uint64_t pmc0, uint64_t pmd4)
{
	tap(get(PMC(0)) == pmc0 && get(PMD(4)) == pmd4, "%s: %#llx, %lld", what,
	    (unsigned long long)get(PMC(0)), (long long)get(PMD(4)));
}

/* Events while PMC0.fr is set are lost, except for those of an overflow. */
static void test_frozen(void)
{
	begin(4);
	inject("cpu=0 event event=0x12,count=3");
	now("three events count", 0, -1);
	put(PMC(0), 1);
	inject("cpu=0 event event=0x12,count=5");
	put(PMC(0), 0);
	now("events that come while software has frozen do not count", 0, -1);
	begin(4);
	inject("event event=0x12,count=10");
	now("the fourth of ten events freezes", 1 << 4 | 1, 0);
	tap(interrupts[0] == 1 && !interrupts[1], "and interrupts once: %u", interrupts[0]);
	put(PMC(0), 0);
	now("the six events after an overflow come after its interrupt", 0, 6);
	/* A driver freezes so when the task is scheduled out before the interrupt. */
	begin(4);
	inject("event event=0x12,count=4");
	put(PMC(0), 1);
	inject("event event=0x12,count=7");
	put(PMC(0), 0);
	now("once software has seen to an overflow that holds nothing up, what comes is lost", 0,
	    0);
	begin(2);
	inject("event event=0x12,count=3");
	put(PMC(0), 1);
	put(PMC(0), 0);
	now("a freeze by software keeps what an overflow holds up", 0, 1);
	begin(2);
	put(PMV, 1);
	inject("event event=0x12,count=2");
	tap(interrupts[1] == 1, "PMV chooses the vector");
	begin(2);
	put(PMV, MASKED);
	inject("event event=0x12,count=9");
	put(PMC(0), 0);
	now("without an interrupt to come, what follows an overflow is lost", 0, 0);
	begin(2);
	inject("event event=0x12,count=9");
	put(PMV, MASKED);
	put(PMC(0), 0);
	now("and so it is once the interrupt is masked", 0, 0);
	begin(100);
	put(PMC(0), 1);
	put(PMC(4), 0x2201269);
	put(PMC(0), 0);
	inject("event event=0x12,inc=3,count=5 event event=0x12,inc=2,count=50");
	now("a threshold counts what is more", 0, -95);
}

/* An injection, the control of counter 4, and of a capture unit; how many it counts of them */
static const struct {
	const char *what;
	uint64_t pmc4;
	unsigned int n;
	uint64_t value;
	unsigned int count;
} injections[] = {
	{ "event event=8,count=100,inc=6 event event=8,cpl=0,count=9 event event=8,cpl=1",
	  0x2000848, 33, 0, 600 },
	{ "event event=0x87,umask=2,count=9 event event=0x87,umask=3", 0x2028748, 33, 0, 9 },
	{ "event event=0xdd,mesi=8,count=9 event event=0xdd,mesi=7", 0x4200dd48, 33, 0, 9 },
	{ "event event=0xdc,count=9 event event=0xdc,other=1", 0x200dc48, 33, 0, 9 },
	{ "dear latency=16,count=9 dear latency=15 dear latency=20,cpl=0", 0x200c848, 40, 0x2020048,
	  9 },
	{ "dear mode=1,hit=2,count=9 dear mode=1,hit=1", 0x200c848, 40, 0x20400c8, 9 },
	{ "iear latency=4,count=9 iear latency=3", 0x2004348, 37, 0x3ff8, 9 },
	{ "iear rab=1,count=9 iear latency=9", 0x2004348, 37, 0x2018, 9 },
	{ "branch taken=0,count=9 branch", 0x2001148, 39, 0x3d48, 9 },
	{ "branch target_ok=0,count=9 branch", 0x2001148, 39, 0x3748, 9 },
	{ "branch path_ok=0,count=9 branch", 0x2001148, 39, 0x1f48, 9 },
	{ "branch type=2,count=9 branch", 0x2001148, 39, 0xbf48, 9 },
};

static void test_injections(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(injections); i++) {
		put(PMC(0), 1);
		put(PMC(37), 0);
		put(PMC(39), 0);
		put(PMC(40), 0x2000000);
		put(PMC(injections[i].n), injections[i].value);
		put(PMC(4), injections[i].pmc4);
		put(PMD(4), 0);
		put(PMC(0), 0);
		inject(injections[i].what);
		tap(get(PMD(4)) == injections[i].count, "%s: %llu", injections[i].what,
		    (unsigned long long)get(PMD(4)));
	}
	put(PMC(0), 1);
	put(PMC(40), 0x2000048);
	put(PMC(0), 0);
	inject("dear latency=40,ip=0x404010,slot=2,data=0x5000,step=8,count=5");
	put(PMC(0), 1);
	tap(get(PMD(32)) == 0x5020 && get(PMD(33)) == 0x4028 && get(PMD(36)) == 0x40400e,
	    "the fifth record: %#llx, %#llx, %#llx", (unsigned long long)get(PMD(32)),
	    (unsigned long long)get(PMD(33)), (unsigned long long)get(PMD(36)));
	put(PMC(40), 0x2000000);
	put(PMC(42), 0x448);
	put(PMD(38), 0);
	put(PMC(4), 0x2001268);
	put(PMD(4), (1ull << 47) - 1);
	put(PMC(0), 0);
	inject("retire ip=0x4010,cycles=5,flush=1 retire ip=0x4020,cpl=0 retire ip=0x8000,ef=1"
	    " event event=0x12");
	tap(get(PMD(38)) == 3 && get(PMD(48)) == 0x5000000000000401 &&
	    get(PMD(49)) == 0x1000000000000800 && (get(PMD(39)) & 0xf0f) == 0x102,
	    "two instructions, and a third as the monitors freeze: %d", (int)get(PMD(38)));
	put(PMC(42), 0);
	put(PMC(4), 0x2000000);
	put(PMC(0), 0);
}

static void test_console(void)
{
	static const char *const refused[] = {
		"", "event event=8,count=5 event event=8,cuont=2", "event event=8,cpl=4",
		"event event=8,count=5 event event=8 count=2", "event event=8 checker", "cpu=2 event",
		"cpu=x event", "event event=7", "iear slot=1", "accesses all",
		"event event=8x", "event event=256", "checker all",
	};
	unsigned int i;

	put(PMC(0), 1);
	put(PMC(4), 0x2000848);
	put(PMD(4), 0);
	put(PMC(0), 0);
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		tap(!inject(refused[i]), "refused: '%s': %s", refused[i], said);
	tap(!get(PMD(4)), "nothing of what was refused has happened");
	inject("event event=8,count=5 event event=0x12 event event=8,count=2,");
	tap(get(PMD(4)) == 7, "several injections in one command");
	inject("cpu=1 event event=8");
	tap(get(PMD(4)) == 7, "another processor's are not this one's");
	inject("accesses reset");
	put(BANK + PMC(0), 1);
	put(BANK + DBR(7), 0x1234);
	tap(get(BANK + DBR(7)) == 0x1234 && get(DBR(7)) != 0x1234 && !get(CPUS * BANK),
	    "each processor has its registers");
	put(CPUS * BANK, 1);
	inject("accesses");
	tap(!strcmp(said, "cpu 0 reads 1 writes 0 interrupts 0\n"
			    "cpu 1 reads 1 writes 2 interrupts 0\n"), "accesses of each processor");
	inject("checker reset");
	tap(inject("checker"), "nothing was forbidden");
	put(PMC(5), 0x2000848);
	put(PMV, CPUS);
	tap(!inject("checker") && strstr(said, "cpu=0 count=1 rule=\"PMC5 is written while") &&
	    strstr(said, "PMV names vector 2 of 2"), "findings");
	bench_class->reset((DeviceState *)device);
	tap(inject("checker") && get(PMV) == MASKED && !get(PMC(0)) && !get(DBR(0)),
	    "reset leaves no findings, and masks the interrupt");
}

/* A guest whose handler never comes does not fill the host's memory. */
static void test_waiting(void)
{
	unsigned int n = 0;

	begin(2);
	inject("event event=0x12,count=2");
	while (n < 20000 && inject("event event=0x12"))
		n++;
	tap(n == 10001 && strstr(said, "wait for the end"), "%u injections wait: %s", n, said);
	put(PMV, MASKED);
	tap(inject("event event=0x12"), "none waits without an interrupt");
}

/* level=on: 3.3.11 */
static void test_level(void)
{
	begin(2);
	interrupts[0] = 0;
	inject("event event=0x12,count=9");
	tap(interrupts[0] == 1 && !withdrawn, "an overflow interrupts: %u", interrupts[0]);
	put(PMD(4), 0);
	tap(withdrawn == 1, "a write of its counter takes the interrupt back");
	put(PMC(0), 0);
	now("what followed the overflow comes when monitoring is released", 0, 7);
	begin(2);
	put(PMV, MASKED);
	inject("event event=0x12,count=2");
	put(PMC(4), 0x2001249);
	put(PMV, 0);
	tap(interrupts[0] == 1,
	    "a masked overflow that PMC.oi no longer asks for does not interrupt");
	begin(2);
	put(PMV, MASKED);
	inject("event event=0x12,count=2");
	put(PMV, 0);
	tap(interrupts[0] == 2, "one that still asks interrupts when it is unmasked");
}

int main(void)
{
	Error *err = NULL;

	shim_types();
	device = g_malloc0(bench_type->instance_size);
	bench_class->realize(device, &err);
	tap(!!err, "a device without processors is refused: %s", err ? err->text : "");
	g_free(err ? err->text : NULL);
	g_free(err);
	*(uint32_t *)((char *)device + shim_properties[0].at) = CPUS;
	bench_class->realize(device, &err);
	bench_class->reset((DeviceState *)device);
	test_frozen();
	test_injections();
	test_console();
	test_waiting();
	*(bool *)((char *)device + shim_properties[1].at) = true;
	bench_class->reset((DeviceState *)device);
	test_level();
	tap(!bench_wrong, "commands set an error only if they return one");
	return tap_done();
}
