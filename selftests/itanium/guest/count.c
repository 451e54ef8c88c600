// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting with the itanium PMU on the model: every alias, every field, groups
 * that fit and groups that do not, what is refused and why. Every stimulus is
 * counted exactly, and the judge has nothing to say.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "itanium/guest/itanium.h"
#include "itanium/guest/wrong.h"

/* A misses stimulus that the alias has to count, and one that it must not */
static void stim_ear(unsigned int ear, unsigned int umask, int n, bool hit)
{
	static const unsigned int latency[256] = {
		[0xff] = 4, [0xfe] = 8, [0xfc] = 16, [0xf8] = 32,
		[0xf0] = 128, [0xe0] = 256, [0xc0] = 1024, [0x80] = 4096,
		[0x40] = 1,
	};
	unsigned int level;

	switch (ear) {
	case 1:
		model("montecito dear latency=%u,count=%d",
		      (4U << umask) - !hit, n);
		break;
	case 2:
		for (level = 1; level <= 3; level++)
			if ((umask >> level & 1) == hit)
				model("montecito dear mode=1,hit=%u,count=%d",
				      level, n);
		break;
	case 3:
		model("montecito dear mode=%d,latency=5000,hit=1,count=%d",
		      hit ? 2 : 0, n);
		break;
	case 4:
		if (!umask)
			model("montecito iear latency=9,rab=%d,count=%d", hit, n);
		else
			model("montecito iear latency=%u,count=%d",
			      latency[umask] - !hit, n);
		break;
	case 5:
		for (level = 1; level <= 3; level++)
			if ((umask >> (level - 1) & 1) == hit)
				model("montecito iear mode=1,hit=%u,count=%d",
				      level, n);
		break;
	}
}

static int bits(unsigned int v)
{
	return __builtin_popcount(v);
}

static void one_alias(const char *name, int nr)
{
	char path[300], text[128] = "";
	unsigned int event, umask = 0, ear = 0;
	struct perf_event_attr attr;
	int fd, n = 1000 + nr, times = 1;
	uint64_t hit, miss;

	snprintf(path, sizeof(path), PMU "/events/%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0) {
		ksft_test_result(0, "%s cannot be read\n", name);
		return;
	}
	close(fd);
	if (sscanf(text, "event=%x,ear=%u,ear_umask=%x", &event, &ear, &umask) < 2 &&
	    sscanf(text, "event=%x,umask=%x", &event, &umask) != 2) {
		ksft_test_result(0, "%s holds %s\n", name, text);
		return;
	}
	attr = event_attr(event | (ear ? EAR(ear, umask) : umask << 8));
	fd = event_open(&attr, 0, -1, -1);
	if (fd < 0) {
		ksft_test_result(0, "%s cannot be opened: %s\n", name, strerror(errno));
		return;
	}
	if (ear == 2 || ear == 5)
		times = bits(umask);
	if (ear && ear < 6) {
		stim_ear(ear, umask, n, true);
		hit = count_of(fd);
		stim_ear(ear, umask, n, false);
	} else if (event == 0x11) {
		/* Branch captures are made by branches only. */
		model("montecito branch count=%d", n);
		hit = count_of(fd);
		model("montecito branch cpl=1,count=%d", n);
	} else {
		model("montecito event event=%#x,umask=%#x,count=%d", event,
		      umask, n);
		hit = count_of(fd);
		model("montecito event event=%#x,umask=%#x,count=%d", event,
		      umask ^ 8, n);
	}
	miss = count_of(fd) - hit;
	close(fd);
	ksft_test_result(hit == (uint64_t)n * times && !miss,
			 "%s: %llu of %d, %llu that are none\n",
			 name, (unsigned long long)hit, n * times, (unsigned long long)miss);
}

static void aliases(void)
{
	struct dirent **list;
	int i, n = scandir(PMU "/events", &list, NULL, alphasort);

	for (i = 0; i < n; i++)
		if (list[i]->d_name[0] != '.')
			one_alias(list[i]->d_name, i);
	ksft_test_result(judge_silent(), "nothing to object to %d aliases\n", n - 2);
}

/* 4 KiB of code, 16 bytes of data */
#define BOTH	(0xcd | FILTER(6) | 12ULL << 44 | 4ULL << 50)

/* One event, one stimulus, and how much of it counts */
static const struct {
	const char *what;
	uint64_t config, config1, config2;
	const char *stim;
	uint64_t expect;
} fields[] = {
	{ "increments add up", 0x08, 0, 0, "event event=8,count=100,inc=6", 600 },
	{ "threshold: above it", 0x3008, 0, 0, "event event=8,count=100,inc=4", 100 },
	{ "threshold: at it", 0x3008, 0, 0, "event event=8,count=100,inc=3", 0 },
	{ "MESI: one of them", 0x80fdd, 0, 0, "event event=0xdd,umask=15,mesi=8,count=9", 9 },
	{ "MESI: another", 0x80fdd, 0, 0, "event event=0xdd,umask=15,mesi=4,count=9", 0 },
	{ "MESI: none asked for is all", 0xfdd, 0, 0,
	  "event event=0xdd,umask=15,mesi=1,count=9", 9 },
	{ "the other thread", 0xdc, 0, 0, "event event=0xdc,other=1,count=9", 0 },
	{ "the other thread with all", 0x80dc, 0, 0, "event event=0xdc,other=1,count=9", 9 },
	{ "kernel level", 0x08, 0, 0, "event event=8,cpl=0,count=9", 9 },
	{ "levels that Linux does not use", 0x08, 0, 0, "event event=8,cpl=1,count=9", 0 },
	{ "more than the counter holds", 0x08, 0, 0,
	  "event event=8,count=0xc00000000005", 0xc00000000005 },
	{ "opcode: match", 8 | FILTER(1), 0x123 | 8ULL << 41, 0x1fffffff000,
	  "event event=8,opcode=0x4567123,itype=8,count=9", 9 },
	{ "opcode: other", 8 | FILTER(1), 0x123 | 8ULL << 41, 0x1fffffff000,
	  "event event=8,opcode=0x4567124,itype=8,count=9", 0 },
	{ "opcode: other type", 8 | FILTER(1), 0x123 | 8ULL << 41, 0x1fffffff000,
	  "event event=8,opcode=0x4567123,itype=1,count=9", 0 },
	{ "instruction range: inside", 8 | FILTER(2), 0x4000, 0xfff,
	  "event event=8,ip=0x4ff0,count=9", 9 },
	{ "instruction range: outside", 8 | FILTER(2), 0x4000, 0xfff,
	  "event event=8,ip=0x5000,count=9", 0 },
	{ "instruction range of a load: inside", 0xcd | FILTER(2), 0x4000, 0xfff,
	  "event event=0xcd,ip=0x4000,count=9", 9 },
	{ "instruction range of a load: outside", 0xcd | FILTER(2), 0x4000, 0xfff,
	  "event event=0xcd,ip=0x3ff0,count=9", 0 },
	{ "prefetch target: inside", 0x44 | FILTER(2), 0x4000, 0xfff,
	  "event event=0x44,ip=0x4000,count=9", 9 },
	{ "prefetch target: outside", 0x44 | FILTER(2), 0x4000, 0xfff,
	  "event event=0x44,ip=0x8000,count=9", 0 },
	{ "data range: inside", 0xcd | FILTER(4), 0x8000, 0x7fff,
	  "event event=0xcd,data=0xfff8,count=9", 9 },
	{ "data range: outside", 0xcd | FILTER(4), 0x8000, 0x7fff,
	  "event event=0xcd,data=0x10000,count=9", 0 },
	{ "instruction and data range: inside", BOTH, 0x4000, 0x8000,
	  "event event=0xcd,ip=0x4ff0,data=0x800f,count=9", 9 },
	{ "instruction and data range: other code", BOTH, 0x4000, 0x8000,
	  "event event=0xcd,ip=0x5000,data=0x800f,count=9", 0 },
	{ "instruction and data range: other data", BOTH, 0x4000, 0x8000,
	  "event event=0xcd,ip=0x4ff0,data=0x8010,count=9", 0 },
	{ "fine range: its first pair of bundles", 8 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=8,ip=0x14020,count=9", 9 },
	{ "fine range: the second bundle of that", 8 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=8,ip=0x14030,count=9", 9 },
	{ "fine range: its last bundle", 8 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=8,ip=0x14050,count=9", 9 },
	{ "fine range: before it", 8 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=8,ip=0x14010,count=9", 0 },
	{ "fine range: after it", 8 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=8,ip=0x14060,count=9", 0 },
	{ "fine range: one pair of bundles", 8 | FILTER(2) | FINE, 0x14020, 0x14040,
	  "event event=8,ip=0x14030,count=9", 9 },
	{ "fine range: another page", 8 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=8,ip=0x24020,count=9", 0 },
	{ "fine range: from the second pair of the page", 0xcd | FILTER(2) | FINE, 0x10020, 0x20000,
	  "event event=0xcd,ip=0x10020,count=9", 9 },
	{ "fine range: to the end of the page", 0xcd | FILTER(2) | FINE, 0x10020, 0x20000,
	  "event event=0xcd,ip=0x1fff0,count=9", 9 },
	{ "fine range: not the first pair of the page", 0xcd | FILTER(2) | FINE, 0x10020, 0x20000,
	  "event event=0xcd,ip=0x10010,count=9", 0 },
	{ "fine range of prefetches: inside", 0x44 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=0x44,ip=0x14020,count=9", 9 },
	{ "fine range of prefetches: outside", 0x44 | FILTER(2) | FINE, 0x14020, 0x14060,
	  "event event=0x44,ip=0x14070,count=9", 0 },
	{ "tag channel 1, range: inside", 0x108 | FILTER(2), 0x4000, 0xfff,
	  "event event=8,umask=1,ip=0x4010,count=9", 9 },
	{ "tag channel 1, range: outside", 0x108 | FILTER(2), 0x4000, 0xfff,
	  "event event=8,umask=1,ip=0x5010,count=9", 0 },
	{ "tag channel 1, opcode: match", 0x108 | FILTER(1), 0x123 | 8ULL << 41, 0,
	  "event event=8,umask=1,opcode=0x123,count=9", 9 },
	{ "tag channel 1, opcode: other", 0x108 | FILTER(1), 0x123 | 8ULL << 41, 0,
	  "event event=8,umask=1,opcode=0x122,count=9", 0 },
	{ "tag channel 1, opcode: none to channel 3", 0x108 | FILTER(1), 0x123 | 8ULL << 41, 0,
	  "event event=8,umask=3,opcode=0x123,count=9", 0 },
	{ "tag channel 2, range: inside", 0x208 | FILTER(2), 0x4000, 0xfff,
	  "event event=8,umask=2,ip=0x4010,count=9", 9 },
	{ "tag channel 2, range: outside", 0x208 | FILTER(2), 0x4000, 0xfff,
	  "event event=8,umask=2,ip=0x5010,count=9", 0 },
	{ "tag channel 2, opcode: other", 0x208 | FILTER(1), 0x123 | 8ULL << 41, 0,
	  "event event=8,umask=2,opcode=0x122,count=9", 0 },
	{ "tag channel 3, range: outside", 0x308 | FILTER(2), 0x4000, 0xfff,
	  "event event=8,umask=3,ip=0x5010,count=9", 0 },
	{ "tag channel 3, opcode: match", 0x308 | FILTER(1), 0x123 | 1ULL << 41, 0,
	  "event event=8,umask=3,opcode=0x123,itype=1,count=9", 9 },
	{ "tag channel 3, opcode: other type", 0x308 | FILTER(1), 0x123 | 1ULL << 41, 0,
	  "event event=8,umask=3,opcode=0x123,itype=2,count=9", 0 },
	{ "data EAR with a data range: inside", 0xc8 | EAR(1, 0) | FILTER(4), 0x8000, 0x7fff,
	  "dear latency=4,data=0x8000,count=9", 9 },
	{ "data EAR with a data range: outside", 0xc8 | EAR(1, 0) | FILTER(4), 0x8000, 0x7fff,
	  "dear latency=4,data=0x7ff8,count=9", 0 },
};

static void test_fields(void)
{
	int i;

	for (i = 0; i < ARRAY(fields); i++) {
		struct perf_event_attr attr = event_attr(fields[i].config);
		uint64_t got;
		int fd;

		attr.config1 = fields[i].config1;
		attr.config2 = fields[i].config2;
		fd = event_open(&attr, 0, -1, -1);
		if (fd < 0) {
			ksft_test_result(0, "%s: %s\n", fields[i].what, strerror(errno));
			continue;
		}
		model("montecito %s", fields[i].stim);
		got = count_of(fd);
		close(fd);
		ksft_test_result(got == fields[i].expect, "%s: %llu of %llu\n", fields[i].what,
				 (unsigned long long)got,
				 (unsigned long long)fields[i].expect);
	}
	ksft_test_result(judge_silent(), "nothing to object to the fields\n");
}

/*
 * What format/ says of itself: the width that the manual gives each field, or
 * that a value of the driver's own takes, and what it does by its name.
 */
static const struct {
	const char *name;
	int width;
} formats[] = {
	{ "event", 8 }, { "umask", 4 }, { "threshold", 3 }, { "all", 1 }, { "mesi", 4 },
	{ "ear", 4 }, { "ear_umask", 8 }, { "ip_delay", 8 }, { "filter", 3 }, { "fine", 1 },
	{ "addr_bits", 6 }, { "data_bits", 6 }, { "opc_match", 41 }, { "opc_type", 4 },
	{ "opc_mask", 41 }, { "addr", 64 }, { "addr_mask", 56 }, { "addr_end", 64 },
	{ "data", 64 }, { "tm", 2 }, { "ptm", 2 }, { "ppm", 2 },
	{ "jitter", 1 },
};

static const struct {
	const char *terms, *stim;
	uint64_t expect;
} named[] = {
	{ "event=0x87,umask=2", "event event=0x87,umask=2,count=9", 9 },
	{ "event=0xdd,umask=0xf", "event event=0xdd,umask=15,count=9", 9 },
	{ "event=8,threshold=5", "event event=8,inc=6,count=9", 9 },
	{ "event=8,threshold=5", "event event=8,inc=5,count=9", 0 },
	{ "event=0xdc,all=1", "event event=0xdc,other=1,count=9", 9 },
	{ "event=0xdd,umask=0xf,mesi=8", "event event=0xdd,umask=15,mesi=8,count=9", 9 },
	{ "event=0xdd,umask=0xf,mesi=8", "event event=0xdd,umask=15,mesi=7,count=9", 0 },
	{ "event=0xc8,ear=1,ear_umask=0xa", "dear latency=4096,count=9", 9 },
	{ "event=0xc8,ear=1,ear_umask=0xa", "dear latency=4095,count=9", 0 },
	{ "event=0x43,ear=4,ear_umask=0x80", "iear latency=4096,count=9", 9 },
	{ "event=0x43,ear=4,ear_umask=0x80", "iear latency=4095,count=9", 0 },
	{ "event=0x12,ear=6,ip_delay=255", "event event=0x12,count=9", 9 },
	{ "event=8,filter=1,opc_match=0x10000000001,opc_mask=0xfffffffffe,opc_type=8",
	  "event event=8,opcode=0x1abcdef0123,itype=8,count=9", 9 },
	{ "event=8,filter=1,opc_match=0x10000000001,opc_mask=0xfffffffffe,opc_type=8",
	  "event event=8,opcode=0x0abcdef0123,itype=8,count=9", 0 },
	{ "event=8,filter=1,opc_mask=0x1ffffffffff,opc_type=1",
	  "event event=8,opcode=5,itype=1,count=9", 9 },
	{ "event=8,filter=1,opc_mask=0x1ffffffffff,opc_type=1",
	  "event event=8,opcode=5,itype=2,count=9", 0 },
	{ "event=8,filter=2,addr=0xa000000100004000,addr_mask=0xfff",
	  "event event=8,ip=0xa000000100004ff0,count=9", 9 },
	{ "event=8,filter=2,addr=0xa000000100004000,addr_mask=0xfff",
	  "event event=8,ip=0x2000000100004ff0,count=9", 0 },
	{ "event=0xcd,filter=4,addr=0xa000000000000000,addr_mask=0xffffffffffffff",
	  "event event=0xcd,data=0xa0123456789abcde,count=9", 9 },
	{ "event=8,filter=2,fine=1,addr=0xa000000100014020,addr_end=0xa000000100014060",
	  "event event=8,ip=0xa000000100014020,count=9", 9 },
	{ "event=8,filter=2,fine=1,addr=0xa000000100014020,addr_end=0xa000000100014060",
	  "event event=8,ip=0xa000000100014060,count=9", 0 },
	{ "event=0xcd,filter=6,addr=0x4000,addr_bits=12,data=0xe000000000000000,data_bits=56",
	  "event event=0xcd,ip=0x4ff0,data=0xe0fffffffffffff8,count=9", 9 },
	{ "event=0x11,tm=1", "branch taken=0,count=9 branch taken=1,count=4", 9 },
	{ "event=0x11,tm=2", "branch taken=0,count=9 branch taken=1,count=4", 4 },
	{ "event=0x11,ptm=1", "branch target_ok=0,count=9 branch count=4", 9 },
	{ "event=0x11,ptm=2", "branch target_ok=0,count=9 branch count=4", 4 },
	{ "event=0x11,ppm=1", "branch path_ok=0,count=9 branch count=4", 9 },
	{ "event=0x11,ppm=2", "branch path_ok=0,count=9 branch count=4", 4 },
	{ "event=0x11,tm=3,ptm=3,ppm=3", "branch taken=0,path_ok=0,count=9 branch count=4", 13 },
	{ "event=0xcd,filter=6,addr=0,addr_bits=56,data=0x8000,data_bits=3",
	  "event event=0xcd,ip=0xfffffffffff0,data=0x8008,count=9", 0 },
	{ "event=8,jitter=1", "event event=8,count=999", 999 },
};

static void test_formats(void)
{
	unsigned int word = 0, other = 0;
	bool used[ARRAY(formats)] = { false };
	struct dirent **list;
	int i, k, n, found = 0;

	for (i = 0; i < ARRAY(formats); i++) {
		uint64_t mask = format_mask(formats[i].name, &word);
		bool apart = true;

		/* Fields of config are apart; those of the others take turns. */
		for (k = 0; !word && k < i; k++)
			apart &= !(format_mask(formats[k].name, &other) & mask) || other;
		ksft_test_result(__builtin_popcountll(mask) == formats[i].width && apart,
				 "format/%s: %d bits of %d%s\n", formats[i].name,
				 __builtin_popcountll(mask), formats[i].width,
				 apart ? "" : ", some of them another's");
	}
	n = scandir(PMU "/format", &list, NULL, alphasort);
	for (k = 0; k < n; k++)
		for (i = 0; i < ARRAY(formats); i++)
			found += !strcmp(list[k]->d_name, formats[i].name);
	ksft_test_result(found == ARRAY(formats) && n == found + 2,
			 "format/ has these %d fields: %d\n",
			 ARRAY(formats), n - 2);

	for (k = 0; k < ARRAY(named); k++) {
		struct perf_event_attr attr = event_attr(0);
		uint64_t got = 0;
		bool ok = event_terms(&attr, named[k].terms);
		int fd;

		/* The one field that is about samples */
		if (strstr(named[k].terms, "jitter"))
			attr.sample_period = 100;
		fd = ok ? event_open(&attr, 0, -1, -1) : -1;
		if (fd >= 0) {
			model("montecito %s", named[k].stim);
			got = count_of(fd);
			close(fd);
		}
		ksft_test_result(fd >= 0 && got == named[k].expect, "%s: %llu of %llu\n",
				 named[k].terms,
				 (unsigned long long)got, (unsigned long long)named[k].expect);
		for (i = 0; i < ARRAY(formats); i++) {
			const char *at = strstr(named[k].terms, formats[i].name);

			used[i] |= at && at[strlen(formats[i].name)] == '=' &&
				   (at == named[k].terms || at[-1] == ',');
		}
	}
	for (i = 0; i < ARRAY(formats); i++)
		if (!used[i])
			ksft_test_result(0, "format/%s is used by none of these\n",
					 formats[i].name);
	ksft_test_result(judge_silent(), "nothing to object to fields by name\n");
}

/* Cycles are all cycles, also beside an event that a filter of channel 0 is for. */
static void test_cycles(void)
{
	struct perf_event_attr attr = event_attr(0x12);
	uint64_t cycles, loads;
	int leader, fd;

	leader = event_open(&attr, 0, -1, -1);
	attr = event_attr(0xcd | FILTER(2));
	attr.config1 = 0x4000;
	attr.config2 = 0xfff;
	fd = event_open(&attr, 0, -1, leader);
	model("montecito event event=0x12,ip=0x4ff0,count=9 event event=0x12,ip=0x5000,count=30");
	model("montecito event event=0xcd,ip=0x4ff0,count=4 event event=0xcd,ip=0x5000,count=70");
	cycles = count_of(leader);
	loads = fd >= 0 ? count_of(fd) : 0;
	ksft_test_result(cycles == 39 && loads == 4,
			 "cycles beside a filter: %d of 39, what is filtered %d of 4\n",
			 (int)cycles, (int)loads);
	close(fd);
	close(leader);
}

/* A range is what its event says, whatever a debugger had there before. */
static void test_debugger(void)
{
	static const struct {
		const char *what;
		uint64_t config, mask;
		const char *stim;
		int in, out;
	} range[] = {
		{ "instruction range from 0", 0xcd | FILTER(2), 0xffffff,
		  "event event=0xcd,ip=%#x,count=9", 0xff0000, 0x1000000 },
		{ "data range from 0", 0xcd | FILTER(4), 0xffffff,
		  "event event=0xcd,data=%#x,count=9", 0xffffff, 0x1000000 },
		{ "data range of everything", 0xcd | FILTER(4), (1ULL << 56) - 1,
		  "event event=0xcd,data=%#x,count=9", 0x1000000, 0 },
	};
	int i, n;

	for (i = 0; i < ARRAY(range); i++) {
		struct perf_event_attr attr = event_attr(range[i].config);
		char text[2][64];
		uint64_t got[2];
		int fd;

		/* Nobody else has them now: .x, .r and .w of breakpoints */
		for (n = 0; n < 8; n++) {
			model("montecito set ibr=%d,value=0x%llx", n,
			      n & 1 ? 0x88ffffffffffffffULL : 0x4000000ULL);
			model("montecito set dbr=%d,value=0x%llx", n,
			      n & 1 ? 0xc8ffffffffffffffULL : 0x6000000ULL);
		}
		attr.config2 = range[i].mask;
		fd = event_open(&attr, 0, -1, -1);
		snprintf(text[0], sizeof(text[0]), range[i].stim, range[i].in);
		snprintf(text[1], sizeof(text[1]), range[i].stim, range[i].out);
		model("montecito %s", text[0]);
		got[0] = count_of(fd);
		model("montecito %s", text[1]);
		got[1] = count_of(fd) - got[0];
		close(fd);
		ksft_test_result(got[0] == 9 && got[1] == (range[i].out ? 0 : 9),
				 "a debugger was here: %s: %d of 9 inside, %d %s\n", range[i].what,
				 (int)got[0], (int)got[1], range[i].out ? "outside" : "at 0");
	}
	ksft_test_result(judge_silent(), "nothing to object after a debugger\n");
}

static void test_privilege(void)
{
	struct perf_event_attr attr = event_attr(0x08);
	int user, kernel;

	attr.exclude_kernel = 1;
	user = event_open(&attr, 0, -1, -1);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	kernel = event_open(&attr, 0, -1, -1);
	model("montecito event event=8,cpl=3,count=7");
	model("montecito event event=8,cpl=0,count=5");
	ksft_test_result(count_of(user) == 7 && count_of(kernel) == 5,
			 "user and kernel level apart\n");
	close(user);
	close(kernel);
}

#define MAX_GROUP	14

/* Groups, ended by a zero; a code of 0 is not used. */
static const struct {
	const char *rule;	/* NULL: fits */
	uint64_t config[MAX_GROUP];
} groups[] = {
	{ NULL, { 0x08, 0x12 } },
	{ NULL, { 0x08, 0x12, 0x40, 0x41, 0x42, 0x44, 0x47, 0x48, 0x4d, 0x4e, 0x50, 0x51 } },
	{ "twelve counters", { 0x08, 0x12, 0x40, 0x41, 0x42, 0x44, 0x47, 0x48, 0x4d, 0x4e, 0x50,
			       0x51, 0x52 } },
	{ "L1D events of one set", { 0xc0, 0xc4 } },
	{ NULL, { 0xc0, 0xc1, 0xc2, 0xc3 } },
	{ NULL, { 0xc1, 0xc1, 0xc1, 0xc1, 0xc1, 0xc1, 0xc1, 0xc1, 0xc1, 0xc1, 0xc1, 0xc1 } },
	{ NULL, { 0x3e6, 0x1e6 } },
	{ "two different unit masks", { 0x3e6, 0x1e6, 0x2e6 } },
	{ NULL, { 0xec, 0xed, 0xec, 0xed, 0xec, 0xed } },
	{ NULL, { 0xec, 0xed, 0xec, 0xf3, 0xf3, 0xf3 } },
	{ "two sets", { 0xec, 0xf3, 0xef } },
	{ "not enough", { 0xec, 0xed, 0xec, 0xed, 0xec, 0xed, 0xec } },
	{ "not enough", { 0xec, 0xed, 0xec, 0xed, 0xec, 0xed, 0xc1 } },
	{ NULL, { 0xec, 0xed, 0xec, 0xed, 0xec, 0xc1, 0xc1 } },
	{ NULL, { 0xcb, 0xb0, 0xb1, 0xcb, 0xb0, 0xb1 } },
	{ "more events than counters", { 0xcb, 0xb0, 0xb1, 0xcb, 0xb0, 0xb1, 0xdc } },
	{ NULL, { 0x18, 0x287, 0x287, 0x287, 0x287, 0x287, 0x287 } },
	{ "PMD10", { 0x18, 0x18 } },
	{ "CANCELS", { 0xe0, 0xe2 } },
	{ NULL, { 0x80ec, 0xed, 0x80ec, 0xed } },
	{ "one data EAR", { 0xc8 | EAR(1, 0), 0xc8 | EAR(1, 1) } },
	{ NULL, { 0xc8 | EAR(1, 0), 0xc8 | EAR(1, 0), 0x43 | EAR(4, 0xff) } },
	{ "trace buffer", { 0xc8 | EAR(2, 2), 0x11 } },
	{ NULL, { 0xc8 | EAR(1, 2), 0x11 } },
	{ "IP-EAR", { 0x08 | EAR(6, 0), 0x11 } },
};

/* The kernel's log since the last call */
static const char *log_lines(void)
{
	static char text[65536];
	static int fd = -1;
	size_t n = 0;
	ssize_t got;

	if (fd < 0) {
		fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
		lseek(fd, 0, SEEK_END);
	}
	while (n < sizeof(text) - 8192) {
		got = read(fd, text + n, 8192);
		if (got < 0 && errno == EPIPE)
			continue;
		if (got <= 0)
			break;
		n += got;
	}
	text[n] = 0;
	return text;
}

static uint64_t writes_so_far(void)
{
	unsigned long long sum = 0, w;
	const char *t = model("montecito tally");

	while ((t = strstr(t, "writes "))) {
		if (sscanf(t, "writes %llu", &w) == 1)
			sum += w;
		t += 6;
	}
	return sum;
}

/* Each event of a group counts its own stimulus, all at the same time. */
static void one_group(int g)
{
	const uint64_t *config = groups[g].config;
	int fd[MAX_GROUP], i, k, n, err = 0;
	const char *text;
	bool ok = true;

	log_lines();
	for (n = 0; n < MAX_GROUP && config[n]; n++) {
		struct perf_event_attr attr = event_attr(config[n]);

		attr.disabled = n == 0;
		fd[n] = event_open(&attr, 0, -1, n ? fd[0] : -1);
		if (fd[n] < 0) {
			err = errno;
			break;
		}
	}
	if (err || groups[g].rule) {
		text = log_lines();
		ok = err == EINVAL && groups[g].rule && strstr(text, groups[g].rule);
		ksft_test_result(ok, "group %d: %s%s\n", g, err ? "refused: " : "accepted",
				 groups[g].rule ? groups[g].rule : "(should fit)");
		while (n--)
			close(fd[n]);
		return;
	}

	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < n; i++) {
		unsigned int code = config[i] & 0xff, umask = config[i] >> 8 & 0xf;

		/* Equal ones see the same; each code and mask once */
		for (k = 0; k < i; k++)
			if ((config[k] & 0xfff) == (config[i] & 0xfff))
				break;
		if (k < i)
			continue;
		if (code == 0xc8)
			model("montecito dear latency=%u,count=%d",
			      4U << (config[i] >> 24 & 0xf), 100 + i);
		else if (code == 0x43)
			model("montecito iear latency=4,count=%d", 100 + i);
		else if (code == 0x11)
			model("montecito branch count=%d", 100 + i);
		else
			model("montecito event event=%#x,umask=%#x,count=%d",
			      code, umask, 100 + i);
	}
	for (i = 0; i < n; i++) {
		struct reading r = event_read(fd[i]);

		for (k = 0; k < i; k++)
			if ((config[k] & 0xfff) == (config[i] & 0xfff))
				break;
		if (r.value != (uint64_t)(100 + k) || r.enabled != r.running) {
			ksft_print_msg("event %#llx: %llu of %d\n",
				       (unsigned long long)config[i],
				       (unsigned long long)r.value, 100 + k);
			ok = false;
		}
	}
	while (n--)
		close(fd[n]);
	ksft_test_result(ok, "group %d: counted\n", g);
}

static const struct {
	const char *rule;
	int err;
	struct perf_event_attr attr;
} refused[] = {
	{ "jitter= varies a fixed sampling period", EINVAL,
	  { .config = 0x08 | JITTER, .sample_period = 7 } },
	{ "jitter= varies a fixed sampling period", EINVAL,
	  { .config = 0x08 | JITTER, .freq = 1, .sample_freq = 100 } },
	{ "privilege level", EINVAL, { .config = 0x08, .exclude_user = 1,
				       .exclude_kernel = 1 } },
	{ "exact instruction", EOPNOTSUPP, { .config = 0x08, .precise_ip = 2,
					     .sample_period = 100 } },
	{ "exact instruction", EOPNOTSUPP, { .config = 0x43 | EAR(4, 0xff), .precise_ip = 1,
					     .sample_period = 100 } },
	{ "exact instruction", EOPNOTSUPP, { .config = 0x12 | EAR(6, 0), .precise_ip = 1,
					     .sample_period = 100 } },
	{ "host or idle", EOPNOTSUPP, { .config = 0x08, .exclude_idle = 1 } },
	{ "host or idle", EOPNOTSUPP, { .config = 0x08, .exclude_host = 1 } },
	{ "no branch filter but any", EOPNOTSUPP,
	  { .config = 0x12 | EAR(6, 0), .sample_period = 100,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY_RETURN } },
	{ "privilege levels of the event", EOPNOTSUPP,
	  { .config = 0x12 | EAR(6, 0), .sample_period = 100,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER } },
	{ "no such branch filter", EOPNOTSUPP,
	  { .config = 0x08, .sample_period = 100, .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL } },
	{ "no such branch filter", EOPNOTSUPP,
	  { .config = 0x08, .sample_period = 100, .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_COND } },
	{ "privilege levels of the event", EOPNOTSUPP,
	  { .config = 0x08, .sample_period = 100, .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER } },
	{ "no branch stack", EINVAL,
	  { .config = 0xc8 | EAR(2, 2), .sample_period = 100,
	    .sample_type = PERF_SAMPLE_BRANCH_STACK,
	    .branch_sample_type = PERF_SAMPLE_BRANCH_ANY } },
};

static void one_refused(struct perf_event_attr *attr, const char *rule, int want)
{
	uint64_t before = writes_so_far();
	const char *text;
	int fd, err;

	log_lines();
	fd = event_open(attr, 0, -1, -1);
	err = fd < 0 ? errno : 0;
	text = log_lines();
	ksft_test_result(err == want && strstr(text, rule) && writes_so_far() == before,
			 "refused: %#llx: %s: %s, log: %.*s\n", (unsigned long long)attr->config,
			 rule,
			 strerror(err), (int)strcspn(text, "\n"), text);
	if (fd >= 0)
		close(fd);
}

static void test_refused(void)
{
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < ARRAY(wrong); i++) {
		attr = event_attr(wrong[i].config);
		attr.config1 = wrong[i].config1;
		attr.config2 = wrong[i].config2;
		one_refused(&attr, wrong[i].rule, EINVAL);
	}
	for (i = 0; i < ARRAY(refused); i++) {
		attr = event_attr(refused[i].attr.config);
		attr.sample_period = refused[i].attr.sample_period;
		attr.freq = refused[i].attr.freq;
		attr.sample_type = refused[i].attr.sample_type;
		attr.branch_sample_type = refused[i].attr.branch_sample_type;
		attr.exclude_user = refused[i].attr.exclude_user;
		attr.exclude_kernel = refused[i].attr.exclude_kernel;
		attr.exclude_idle = refused[i].attr.exclude_idle;
		attr.exclude_host = refused[i].attr.exclude_host;
		attr.precise_ip = refused[i].attr.precise_ip;
		one_refused(&attr, refused[i].rule, refused[i].err);
	}
}

/*
 * A word of newer kernels' structure, at @offset: older ones do not take what is
 * behind theirs.
 */
static void test_longer(const char *word, size_t offset)
{
	/* More than any headers have that this is built with */
	union {
		char bytes[256];
		struct perf_event_attr attr;
	} longer = { .bytes = { 0 } };
	const char *text;
	int fd, err;

	longer.attr = event_attr(0x08);
	longer.attr.size = offset + 8;
	longer.bytes[offset] = 1;
	log_lines();
	fd = event_open(&longer.attr, 0, -1, -1);
	err = fd < 0 ? errno : 0;
	text = log_lines();
	ksft_test_result(err == E2BIG || (err == EINVAL && strstr(text, word)),
			 "refused: %s: %s, log: %.*s\n", word, strerror(err),
			 (int)strcspn(text, "\n"), text);
	if (fd >= 0)
		close(fd);
}

/* What cannot be counted together takes turns. */
static void test_multiplex(void)
{
	struct perf_event_attr a = event_attr(0xc8 | EAR(1, 0));
	struct perf_event_attr b = event_attr(0xc8 | EAR(1, 4));
	int fa = event_open(&a, 0, -1, -1), fb = event_open(&b, 0, -1, -1);
	struct reading ra, rb;
	double end = now() + 60;

	do {
		ra = event_read(fa);
		rb = event_read(fb);
	} while (!(ra.running && rb.running && ra.running < ra.enabled &&
		   rb.running < rb.enabled) && now() < end);
	ksft_test_result(ra.running && rb.running && ra.running < ra.enabled &&
			 rb.running < rb.enabled,
			 "two data EAR settings take turns: %llu and %llu of %llu us\n",
			 (unsigned long long)ra.running / 1000,
			 (unsigned long long)rb.running / 1000,
			 (unsigned long long)ra.enabled / 1000);
	close(fa);
	close(fb);
}

static void test_inherit(void)
{
	struct perf_event_attr attr = event_attr(0x08);
	int fd, i;

	attr.inherit = 1;
	fd = event_open(&attr, 0, -1, -1);
	for (i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			pin(i % 2);
			model("montecito event event=8,count=%d", 10 << i);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	model("montecito event event=8,count=1");
	ksft_test_result(count_of(fd) == 71, "inherited by three children: %llu of 71\n",
			 (unsigned long long)count_of(fd));
	close(fd);
}

static void test_cpus(void)
{
	struct perf_event_attr attr = event_attr(0x08);
	int f0 = event_open(&attr, -1, 0, -1), f1 = event_open(&attr, -1, 1, -1);

	model("montecito event event=8,count=11");
	pin(1);
	model("montecito event event=8,count=22");
	pin(0);
	ksft_test_result(count_of(f0) == 11 && count_of(f1) == 22, "processors apart: %llu, %llu\n",
			 (unsigned long long)count_of(f0), (unsigned long long)count_of(f1));
	close(f0);
	close(f1);
}

/* Several stimuli in one command to the model happen, or none of them does. */
static void test_row(void)
{
	struct perf_event_attr attr = event_attr(0x08);
	int fd = event_open(&attr, 0, -1, -1);
	bool refused;

	refused = model_try(NULL, "montecito event event=8,count=5 event event=8,cuont=2") &&
		  model_try(NULL, "montecito event event=8,count=5 event event=8 count=2") &&
		  model_try(NULL, "montecito event event=8,count=5 judge") &&
		  !count_of(fd);
	model("montecito event event=8,count=5 event event=0x12 event event=8,count=2");
	ksft_test_result(refused && count_of(fd) == 7,
			 "several stimuli in one command: %llu of 7\n",
			 (unsigned long long)count_of(fd));
	close(fd);
}

/*
 * Events come and go in any order, and move about for each other; whoever was
 * counting all the time has counted everything.
 */
static void test_come_and_go(int rounds)
{
	static const uint64_t palette[] = {
		0x08, 0x12, 0xdc, 0x18, 0xc1, 0xc3, 0x80c0, 0xcd, 0x1e6, 0x2e6,
		0xec, 0xed, 0xf3, 0xb1, 0x287, 0x80dc,
	};
	struct {
		int fd, kind;
		uint64_t expect;
	} live[10];
	int n = 0, i, k, whole = 0, wrong = 0;

	srand(1);
	while (rounds--) {
		struct perf_event_attr attr;

		if (n == ARRAY(live) || (n && rand() % 3 == 0)) {
			i = rand() % n;
			close(live[i].fd);
			live[i] = live[--n];
		} else {
			k = rand() % ARRAY(palette);
			attr = event_attr(palette[k]);
			live[n].fd = event_open(&attr, 0, -1, -1);
			live[n].kind = k;
			live[n].expect = 0;
			if (live[n].fd < 0) {
				ksft_print_msg("%#llx: %s\n",
					       (unsigned long long)palette[k],
					       strerror(errno));
				wrong++;
				continue;
			}
			n++;
		}
		for (k = 0; k < ARRAY(palette); k++) {
			int count = 1 + rand() % 1000;

			model("montecito event event=%#x,umask=%#x,count=%d",
			      (int)palette[k] & 0xff, (int)palette[k] >> 8 & 0xf,
			      count);
			for (i = 0; i < n; i++)
				if ((palette[live[i].kind] & 0xfff) ==
				    (palette[k] & 0xfff))
					live[i].expect += count;
		}
		for (i = 0; i < n; i++) {
			struct reading r = event_read(live[i].fd);

			if (r.running != r.enabled) {
				if (r.value > live[i].expect)
					wrong++;
				continue;
			}
			whole++;
			if (r.value == live[i].expect)
				continue;
			if (!wrong++)
				ksft_print_msg("%d rounds left: %#llx: %llu of %llu\n",
					       rounds,
					       (unsigned long long)palette[live[i].kind],
					       (unsigned long long)r.value,
					       (unsigned long long)live[i].expect);
		}
	}
	while (n)
		close(live[--n].fd);
	ksft_test_result(!wrong && whole, "events come and go: %d readings, %d wrong\n", whole,
			 wrong);
	ksft_test_result(judge_silent(), "nothing to object while they come and go\n");
}

int main(void)
{
	int i;

	model_init();
	ksft_print_header();
	pin(0);
	model("montecito judge reset");
	/* Refusals that are to be explained within 5 s, all of them */
	write_file("/sys/module/itanium_pmu/parameters/log_burst", 1000000);
	aliases();
	test_fields();
	test_formats();
	test_cycles();
	test_debugger();
	test_privilege();
	for (i = 0; i < ARRAY(groups); i++)
		one_group(i);
	ksft_test_result(judge_silent(), "nothing to object to the groups\n");
	test_refused();
	test_longer("config3", 128);
	test_longer("config4", 136);
	test_multiplex();
	test_inherit();
	test_cpus();
	test_row();
	test_come_and_go(400);
	ksft_test_result(judge_silent(), "nothing to object at the end\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
