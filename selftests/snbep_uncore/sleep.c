// SPDX-License-Identifier: GPL-2.0-only
/*
 * sleep [disk]: after suspend to RAM or hibernation (disk), which lose the registers, events of the
 * last online socket go on from their counts with their filters, and those of the other one have
 * ended. For hibernation, the host starts the machine again.
 */
#include <string.h>

#include "api/model.h"
#include "api/sleep.h"
#include "api/test.h"
#include "api/uncore.h"

/* Frequency of the UBox's fixed counter, in events per microsecond */
#define UCLK		2000

/* Hibernation: the firmware sets up everything. */
static bool to_disk;

/* Events that count across suspend: what each counts, and what its filter keeps out */
static struct watched {
	struct uncore_pmu *pmu;
	const char *text, *hit, *miss;
	int fd;
} watched[UNCORE_MAX_PMUS + 8];
static unsigned int nr_watched;

static const struct {
	const char *box, *text, *hit, *miss;
} filtered[] = {
	{ "cbox_0", "event=0x35,umask=0x01,filter_opc=0x182",
	  "event=0x35,umask=0x01,opc=0x182", "event=0x35,umask=0x01,opc=0x180" },
	{ "ha", "event=0x20,umask=0x03,filter_addr=0x40,filter_opc=0x2d",
	  "event=0x20,addr=0x1000,opc=0x2d", "event=0x20,addr=0x2000,opc=0x2d" },
	{ "pcu", "event=0x0b,filter_band0=12", "event=0x0b,freq=1200", "event=0x0b,freq=1100" },
	{ "qpi_0", "event=0x138,mask_mc=0xf,match_mc=0xe",
	  "event=0x38,ext=1,mc=0xe", "event=0x38,ext=1,mc=0xc" },
};

#define NR_FILTERED	(sizeof(filtered) / sizeof(*filtered))

static void watch(struct uncore_pmu *pmu, const char *text, const char *hit, const char *miss)
{
	watched[nr_watched++] = (struct watched){
		.pmu = pmu, .text = text, .hit = hit, .miss = miss,
	};
}

/* Inject the event @n times, and many others that it must not count. */
static void happen(const struct watched *w, unsigned int n)
{
	if (w->miss)
		model("stim 0 %s %s,count=5000", w->pmu->box, w->miss);
	model("stim 0 %s %s,count=%u", w->pmu->box, w->hit, n);
}

/*
 * Whether suspend loses the box, as the firmware does not restore memory-mapped configuration space
 */
static bool is_lost(const struct watched *w)
{
	return !to_disk && strcmp(w->pmu->kind, "cbox") &&
	       strcmp(w->pmu->kind, "pcu") && strcmp(w->pmu->kind, "ubox");
}

/* An event of a lost box keeps its count, and new ones are refused. Others count on. */
static void test_watched(const struct watched *w, unsigned int before)
{
	bool lost = is_lost(w);
	uint64_t after;
	int other;

	if (!lost)
		happen(w, 7);
	after = uncore_read(w->fd);
	close(w->fd);
	other = uncore_try(w->pmu, w->text, 0, -1);
	test_result(after == before + (lost ? 0 : 7) && (other == -ENODEV) == lost,
		    "%s/%s/ is %s | %llu of %u before suspend (%d)\n", w->pmu->name, w->text,
		    lost ? "lost, and a new one refused" : "there, and counts on",
		    (unsigned long long)after, before, other);
	if (other >= 0)
		close(other);
}

/* perf ends the events of a CPU that goes offline, as all but one do. New ones count. */
static void test_other_socket(const char *box, const char *text, int fd)
{
	struct uncore_pmu *pmu = uncore_pmu(box);
	uint64_t old, new;
	int other;

	other = uncore_open(pmu, text, 1, -1);
	model("stim 1 %s %s,count=9", box, text);
	old = uncore_read(fd);
	new = uncore_read(other);
	test_result(old == 50 && new == 9,
		    "%s on socket 1: an old event has ended, and a new one counts | %llu of 50, %llu of 9\n",
		    box, (unsigned long long)old, (unsigned long long)new);
	close(fd);
	close(other);
}

/*
 * Clocks stop across suspend, as CLOCK_MONOTONIC does. Allow half a second between the kernel's
 * last reads of that clock and of the registers.
 */
static bool clock_is_right(uint64_t ticks, uint64_t ns)
{
	return ticks + 500000ull * UCLK > ns / 1000 * UCLK &&
	       ticks < ns / 1000 * UCLK + 500000ull * UCLK;
}

int main(int argc, char *argv[])
{
	int uclk, other[2];
	unsigned int i;
	uint64_t start, ticks;

	to_disk = argc == 2 && !strcmp(argv[1], "disk");
	if (argc > 1 && !to_disk)
		ksft_exit_fail_msg("usage: sleep [disk]\n");
	test_begin("snbep_uncore_", "checker");
	/* A server may not wake up from S3. */
	test_needs_model();
	uncore_init("snbep_uncore_");
	for (i = 0; i < uncore_nr_pmus; i++)
		watch(&uncore_pmus[i], uncore_kind(&uncore_pmus[i])->event,
		      uncore_kind(&uncore_pmus[i])->event, NULL);
	for (i = 0; i < NR_FILTERED; i++)
		watch(uncore_pmu(filtered[i].box), filtered[i].text,
		      filtered[i].hit, filtered[i].miss);
	test_plan(5 + nr_watched);
	for (i = 0; i < nr_watched; i++) {
		watched[i].fd = uncore_open(watched[i].pmu, watched[i].text, 0, -1);
		happen(&watched[i], 100 + i);
	}
	other[0] = uncore_open(uncore_pmu("cbox_0"), "event=0x13,umask=0x01", 1, -1);
	other[1] = uncore_open(uncore_pmu("pcu"), "event=0x05", 1, -1);
	model("stim 1 cbox_0 event=0x13,umask=0x01,count=50");
	model("stim 1 pcu event=0x05,count=50");
	uclk = uncore_open(uncore_pmu("ubox"), "event=0xff", 0, -1);
	start = now_ns();

	/* No reset bit clears this counter, and no event uses it. */
	model("poke 0 ha ctr0=0x1234");
	ksft_test_result(to_disk ? sleep_on_disk() : sleep_in_memory(), "suspend and resume\n");
	ksft_test_result(!model_reg(0, "ha", "CTR0"), "the registers were lost meanwhile\n");
	ticks = uncore_read(uclk);
	start = now_ns() - start;
	test_result(clock_is_right(ticks, start),
		    "a clock stopped meanwhile | %llu ticks in %llu us\n",
		    (unsigned long long)ticks,
		    (unsigned long long)start / 1000);
	for (i = 0; i < nr_watched; i++)
		test_watched(&watched[i], 100 + i);
	test_other_socket("cbox_0", "event=0x13,umask=0x01", other[0]);
	test_other_socket("pcu", "event=0x05", other[1]);
	test_end();
}
