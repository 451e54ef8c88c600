// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BPF program reads a count from an NMI, which may come while its CPU reads or changes the box,
 * or holds the lock of configuration space. Needs a core PMU, whose overflow is the NMI.
 */
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "api/harness.h"
#include "api/uncore.h"

/* Number of NMIs with a count, and instructions between two */
#define NMIS	300
#define PERIOD	200000

/* Results of the BPF program */
struct seen {
	int64_t count;		/* last count, or a negative errno */
	uint64_t nmis;
	uint64_t backward;	/* counts below the previous one */
};

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int map_create(unsigned int type, unsigned int size)
{
	union bpf_attr attr = {
		.map_type = type, .key_size = 4, .value_size = size,
		.max_entries = 1,
	};

	return sys_bpf(BPF_MAP_CREATE, &attr);
}

static int map_update(int map, const void *value)
{
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd = map, .key = (uintptr_t)&key, .value = (uintptr_t)value,
	};

	return sys_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static struct seen map_seen(int map)
{
	struct seen seen = { };
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd = map, .key = (uintptr_t)&key,
		.value = (uintptr_t)&seen,
	};

	sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr);
	return seen;
}

#define INSN(c, d, s, o, i)						\
	((struct bpf_insn){ .code = c, .dst_reg = d, .src_reg = s,	\
			    .off = o, .imm = i })
#define MOV_REG(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define ADD_IMM(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
/* An instruction of two slots */
#define MAP(d, fd)	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, 0, fd)
#define MAP_END		INSN(0, 0, 0, 0, 0)

/* Read the event in @events into @seen. */
static int prog_load(int events, int seen)
{
	struct bpf_insn prog[] = {
		MAP(1, events), MAP_END,
		MOV_IMM(2, 0),
		CALL(BPF_FUNC_perf_event_read),
		MOV_REG(6, 0),
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		MOV_REG(2, 10),
		ADD_IMM(2, -4),
		MAP(1, seen), MAP_END,
		CALL(BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 9, 0),
		LOAD(1, 0, offsetof(struct seen, count)),
		INSN(BPF_JMP | BPF_JSGE | BPF_X, 6, 1, 3, 0),
		LOAD(2, 0, offsetof(struct seen, backward)),
		ADD_IMM(2, 1),
		STORE(0, offsetof(struct seen, backward), 2),
		STORE(0, offsetof(struct seen, count), 6),
		LOAD(2, 0, offsetof(struct seen, nmis)),
		ADD_IMM(2, 1),
		STORE(0, offsetof(struct seen, nmis), 2),
		MOV_IMM(0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	static char log[4096];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)prog, .insn_cnt = ARRAY_SIZE(prog),
		.license = (uintptr_t)"GPL",
		.log_buf = (uintptr_t)log, .log_size = sizeof(log),
		.log_level = 1,
	};
	int fd = sys_bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		printf("# BPF program: %s\n%s", strerror(errno), log);
	return fd;
}

HARNESS_BEGIN("snbep_uncore_", "checker")

FIXTURE(nmi) {
	int clock;
	int fd[2];
	int core;
	int seen;
	int prog;
};

FIXTURE_VARIANT(nmi) {
	const char *box;
};

FIXTURE_VARIANT_ADD(nmi, msr) {
	.box = "cbox_0",
};

FIXTURE_VARIANT_ADD(nmi, pci) {
	.box = "ha",
};

FIXTURE_SETUP(nmi)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = PERIOD,
		.disabled = 1,
	};
	struct uncore_pmu *pmu;
	int events;

	if (access("/sys/bus/event_source/devices/cpu", F_OK))
		SKIP(return, "no core PMU, whose overflow is the NMI");
	uncore_init("snbep_uncore_");
	pmu = uncore_pmu(variant->box);
	uncore_pin(pmu->cpu[0]);
	self->clock = uncore_open(pmu, "event=0x00", 0, -1);
	self->fd[0] = uncore_open(pmu, "event=0x00", 0, -1);
	self->fd[1] = uncore_open(pmu, "event=0x00", 0, -1);
	self->core = uncore_open_attr(&attr, pmu->cpu[0], -1);
	ASSERT_LE(0, self->core)
		TH_LOG("no core PMU: %s", strerror(-self->core));
	events = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4);
	ASSERT_LE(0, events);
	ASSERT_EQ(0, map_update(events, &self->fd[0]));
	self->seen = map_create(BPF_MAP_TYPE_ARRAY, sizeof(struct seen));
	ASSERT_LE(0, self->seen);
	self->prog = prog_load(events, self->seen);
	ASSERT_LE(0, self->prog);
	ASSERT_EQ(0, ioctl(self->core, PERF_EVENT_IOC_SET_BPF, self->prog));
	ASSERT_EQ(0, ioctl(self->core, PERF_EVENT_IOC_ENABLE, 0));
}

FIXTURE_TEARDOWN(nmi)
{
	close(self->core);
	close(self->fd[0]);
	close(self->fd[1]);
	close(self->clock);
}

/* Reads and NMIs on one CPU: counts never decrease, and both increase. */
TEST_F(nmi, concurrent_reads_and_nmis_never_decrease)
{
	uint64_t n, last = 0, reads = 0;
	struct seen seen;

	do {
		for (n = 0; n < 100; n++, reads++) {
			uint64_t now = uncore_read(self->fd[0]);

			ASSERT_LT(last, now);
			last = now;
		}
		seen = map_seen(self->seen);
	} while (seen.nmis < NMIS);
	ioctl(self->core, PERF_EVENT_IOC_DISABLE, 0);
	seen = map_seen(self->seen);
	printf("# %llu NMIs, %llu reads\n", (unsigned long long)seen.nmis,
	       (unsigned long long)reads);
	EXPECT_LT(0, seen.count);
	EXPECT_EQ(0, seen.backward);
	EXPECT_LE(seen.count, uncore_read(self->fd[0]));
}

/* An NMI reads while nothing else reads the counter. */
TEST_F(nmi, nmi_reads_the_counter_itself)
{
	uint64_t before = uncore_read(self->fd[0]);
	uint64_t nmis = map_seen(self->seen).nmis;
	struct seen seen;

	do
		seen = map_seen(self->seen);
	while (seen.nmis < nmis + 5);
	EXPECT_LT(before, seen.count);
	EXPECT_LT(seen.count, uncore_read(self->fd[0]));
}

/* Events change counters meanwhile: a read never returns another event's count. */
TEST_F(nmi, nmi_never_reads_another_events_count)
{
	struct seen seen;
	unsigned int i;

	do {
		for (i = 0; i < 20; i++) {
			ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0);
			ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE, 0);
			ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0);
			ioctl(self->fd[1], PERF_EVENT_IOC_ENABLE, 0);
		}
		seen = map_seen(self->seen);
	} while (seen.nmis < NMIS);
	ioctl(self->core, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, map_seen(self->seen).backward);
	EXPECT_LE(map_seen(self->seen).count, uncore_read(self->fd[0]));
	/* Compare with a clock that never stopped. */
	EXPECT_LT(uncore_read(self->fd[0]), uncore_read(self->clock));
}

#include "api/harness_end.h"
