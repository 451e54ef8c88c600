// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting with the itanium PMU on the model: every field by its name, and
 * refusals. cases/itanium has groups and all else that takes no real kernel.
 */
#include <stdio.h>

#include "guest/itanium/itanium.h"

/* More than any headers have that this is built with */
union longer {
	char bytes[256];
	struct perf_event_attr attr;
};

/* Where config3 is; config4 follows. */
#define CONFIG3		128

/* What a user writes, one stimulus, and how much of it counts */
static const struct {
	const char *terms, *stim;
	uint64_t expect;
} named[] = {
	{ "event=0x87,umask=2", "event event=0x87,umask=2,count=9", 9 },
	{ "event=0xdd,umask=0xf",
	  "event event=0xdd,umask=15,count=9 event event=0xdd,umask=15,mesi=1,count=9", 18 },
	{ "event=8,threshold=5", "event event=8,inc=6,count=9 event event=8,inc=5,count=5", 9 },
	{ "event=0xdc,all=1", "event event=0xdc,other=1,count=9", 9 },
	{ "event=0xdd,umask=0xf,mesi=8",
	  "event event=0xdd,umask=15,mesi=8,count=9 event event=0xdd,umask=15,mesi=7,count=5", 9 },
	{ "event=0xc8,ear=1,ear_umask=0xa",
	  "dear latency=4096,count=9 dear latency=4095,count=5", 9 },
	{ "event=0x43,ear=4,ear_umask=0x80",
	  "iear latency=4096,count=9 iear latency=4095,count=5", 9 },
	{ "event=0xc8,ear=2,ear_umask=0xc",
	  "dear mode=1,hit=2,count=9 dear mode=1,hit=1,count=5", 9 },
	{ "event=0xc8,ear=3,ear_umask=0",
	  "dear mode=2,count=9 dear mode=0,latency=5000,count=5", 9 },
	{ "event=0x43,ear=4,ear_umask=0",
	  "iear latency=9,rab=1,count=9 iear latency=9,count=5", 9 },
	{ "event=0x43,ear=5,ear_umask=1",
	  "iear mode=1,hit=1,count=9 iear mode=1,hit=2,count=5", 9 },
	{ "event=0x12,ear=6,ip_delay=255", "event event=0x12,count=9", 9 },
	{ "event=8,filter=1,opc_match=0x10000000001,opc_mask=0xfffffffffe,opc_type=8",
	  "event event=8,opcode=0x1abcdef0123,itype=8,count=9 event event=8,opcode=0x0abcdef0123,itype=8,count=5", 9 },
	{ "event=8,filter=1,opc_mask=0x1ffffffffff,opc_type=1",
	  "event event=8,opcode=5,itype=1,count=9 event event=8,opcode=5,itype=2,count=5", 9 },
	{ "event=8,filter=2,addr=0xa000000100004000,addr_mask=0xfff",
	  "event event=8,ip=0xa000000100004ff0,count=9 event event=8,ip=0x2000000100004ff0,count=5", 9 },
	{ "event=0xcd,filter=4,addr=0xa000000000000000,addr_mask=0xffffffffffffff",
	  "event event=0xcd,data=0xa0123456789abcde,count=9", 9 },
	{ "event=8,filter=2,fine=1,addr=0xa000000100014020,addr_end=0xa000000100014060",
	  "event event=8,ip=0xa000000100014020,count=9 event event=8,ip=0xa000000100014060,count=5", 9 },
	{ "event=0xcd,filter=6,addr=0x4000,addr_bits=12,data=0xe000000000000000,data_bits=56",
	  "event event=0xcd,ip=0x4ff0,data=0xe0fffffffffffff8,count=9", 9 },
	{ "event=0xcd,filter=3,opc_match=0x123,opc_type=8,opc_addr=0x4000,addr_bits=12",
	  "event event=0xcd,opcode=0x123,itype=8,ip=0x4ff0,count=9 event event=0xcd,opcode=0x122,itype=8,ip=0x4ff0,count=5 event event=0xcd,opcode=0x123,itype=8,ip=0x5000,count=5", 9 },
	{ "event=0xcd,filter=7,opc_match=0x123,opc_type=8,opc_addr=0x4000,addr_bits=12,opc_data=0x8000,data_bits=3",
	  "event event=0xcd,opcode=0x123,itype=8,ip=0x4ff0,data=0x8000,count=9 event event=0xcd,opcode=0x123,itype=8,ip=0x4ff0,data=0x8008,count=5", 9 },
	{ "event=0x11,tm=1", "branch taken=0,count=9 branch taken=1,count=4", 9 },
	{ "event=0x11,tm=2", "branch taken=0,count=9 branch taken=1,count=4", 4 },
	{ "event=0x11,ptm=1", "branch target_ok=0,count=9 branch count=4", 9 },
	{ "event=0x11,ptm=2", "branch target_ok=0,count=9 branch count=4", 4 },
	{ "event=0x11,ppm=1", "branch path_ok=0,count=9 branch count=4", 9 },
	{ "event=0x11,ppm=2", "branch path_ok=0,count=9 branch count=4", 4 },
	{ "event=0x11,tm=3,ptm=3,ppm=3", "branch taken=0,path_ok=0,count=9 branch count=4", 13 },
	{ "event=8,jitter=1", "event event=8,count=999", 999 },
};

static void test_fields(const struct uncore_pmu *pmu)
{
	int i;

	for (i = 0; i < ARRAY(named); i++) {
		union longer attr = { .attr = event_attr(0) };
		struct uncore_enc enc;
		const char *why = uncore_encode(pmu, named[i].terms, &enc);
		uint64_t got = 0;
		int fd = -1;

		/* Words that this kernel's attributes do not have */
		if (why && strstr(why, " no field 'opc_")) {
			ksft_test_result_skip("%s: %s\n", named[i].terms, why);
			continue;
		}
		if (!why) {
			attr.attr.config = enc.word[0];
			attr.attr.config1 = enc.word[1];
			attr.attr.config2 = enc.word[2];
			memcpy(&attr.bytes[CONFIG3], &enc.word[3], 2 * sizeof(enc.word[3]));
			if (enc.word[3] || enc.word[4])
				attr.attr.size = CONFIG3 + (enc.word[4] ? 16 : 8);
			/* The one field that is about samples */
			attr.attr.sample_period = strstr(named[i].terms, "jitter") ? 100 : 0;
			fd = event_open(&attr.attr, 0, -1, -1);
		}
		if (fd >= 0) {
			model("montecito %s", named[i].stim);
			got = count_of(fd);
			close(fd);
		}
		ksft_test_result(fd >= 0 && got == named[i].expect,
				 "%s counts %llu of %llu from: %s\n", named[i].terms,
				 (unsigned long long)got, (unsigned long long)named[i].expect,
				 named[i].stim);
	}
	ksft_test_result(checker_silent(), "the protocol checker objects to no field\n");
}

/* An event that is refused with one of these errors, and has its reason in the log */
static void one_refused(struct perf_event_attr *attr, const char *reason, int other)
{
	int log = kmsg_open(), fd = event_open(attr, 0, -1, -1), err = fd < 0 ? errno : 0;
	char line[256];
	bool has = kmsg_has(log, reason, line, sizeof(line));

	ksft_test_result((err == EINVAL && has) || (err && err == other),
			 "an event is refused for \"%s\": %s, log: %s\n", reason,
			 strerror(err), line);
	if (fd >= 0)
		close(fd);
	close(log);
}

/*
 * A word of newer kernels' structure, at @offset: older ones do not take what is
 * behind theirs.
 */
static void test_longer(const char *word, size_t offset)
{
	union longer longer = { .bytes = { 0 } };

	longer.attr = event_attr(0x08);
	longer.attr.size = offset + 8;
	longer.bytes[offset] = 1;
	one_refused(&longer.attr, word, E2BIG);
}

int main(void)
{
	struct perf_event_attr other_thread = event_attr(0x8011);
	struct uncore_pmu pmu;

	model_init();
	ksft_print_header();
	pin(0);
	model("montecito checker reset");
	if (!uncore_load(&pmu, "itanium"))
		ksft_exit_fail_msg("itanium_pmu is not loaded\n");
	test_fields(&pmu);
	one_refused(&other_thread, "this thread's branches", 0);
	test_longer("config3", CONFIG3);
	test_longer("config4", CONFIG3 + 8);
	ksft_test_result(checker_silent(), "the protocol checker has nothing to say at the end\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
