// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI boxes behind I/O ports (pci=nommconf), whose lock reads must not take where they may
 * interrupt its holder: in a BPF program or a sample of a tracepoint.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "api/model.h"
#include "api/test.h"
#include "api/uncore.h"

#define TRACING		"/sys/kernel/tracing"
#define ROUNDS		2000
#define READERS		3	/* on CPUs 1 to 3 */

static struct uncore_pmu *pmu;

static struct perf_event_attr sampler(unsigned int type, uint64_t config, uint64_t period)
{
	return (struct perf_event_attr){
		.type = type, .size = sizeof(struct perf_event_attr), .config = config,
		.sample_period = period, .sample_type = PERF_SAMPLE_READ,
		.read_format = UNCORE_READ_FORMAT, .wakeup_events = 1u << 30,
	};
}

/* Returns what the kernel says when a BPF program is given the event. */
static int give_to_bpf(int fd)
{
	uint32_t key = 0;
	union bpf_attr create = {
		.map_type = BPF_MAP_TYPE_PERF_EVENT_ARRAY, .key_size = 4, .value_size = 4,
		.max_entries = 1,
	}, update = { .key = (uintptr_t)&key, .value = (uintptr_t)&fd };
	int err;

	update.map_fd = syscall(SYS_bpf, BPF_MAP_CREATE, &create, sizeof(create));
	err = syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &update, sizeof(update)) ? errno : 0;
	close(update.map_fd);
	return err;
}

static void test_bpf(void)
{
	int ports = uncore_open(pmu, "event=0x00", 0, -1);
	int msr = uncore_open(uncore_pmu("cbox_0"), "event=0x00", 0, -1);

	ksft_test_result(give_to_bpf(ports) == EOPNOTSUPP,
			 "a BPF program is refused an event behind ports\n");
	ksft_test_result(!give_to_bpf(msr), "and has one in MSR space\n");
	close(msr);
	close(ports);
}

static void test_refused(const struct perf_event_attr *end)
{
	struct perf_event_attr clock = sampler(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 100000);
	int leader = uncore_open_attr(end, pmu->cpu[0], -1), event;

	if (leader < 0)
		ksft_exit_fail_msg("no tracepoint: %s\n", strerror(-leader));
	ksft_test_result(uncore_try(pmu, "event=0x00", 0, leader) == -EOPNOTSUPP,
			 "a group that a tracepoint samples is refused\n");
	close(leader);
	leader = uncore_open_attr(&clock, pmu->cpu[0], -1);
	event = uncore_try(pmu, "event=0x00", 0, leader);
	ksft_test_result(event >= 0, "a group that a clock samples is not\n");
	close(event);
	close(leader);
}

/*
 * Read boxes on other CPUs all the time, each another one, as perf of Linux 6.1 has a mutex for the
 * events of each. A spinlock has a slow path from its second waiter on.
 */
static void start_readers(pid_t *pid)
{
	static const char * const boxes[READERS] = { "imc_0", "imc_1", "r2pcie" };
	unsigned int i;
	int fd;

	for (i = 0; i < READERS; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		fd = uncore_open(uncore_pmu(boxes[i]), "event=0x01", 0, -1);
		uncore_pin(uncore_socket_cpu(0, 1 + i));
		for (;;)
			uncore_read(fd);
	}
}

/*
 * A tracepoint in the slow path of spinlocks, while the lock is held, joins a group: the driver is
 * not asked. Its samples leave the last counts.
 */
static void test_joined(const struct perf_event_attr *end)
{
	uint64_t counts[2], expect = 0, last = 0, n;
	int clock = uncore_open(pmu, "event=0x00", 0, -1);
	int event = uncore_open(pmu, "event=0x01,umask=0x03", 0, -1);
	int join = uncore_open_attr(end, pmu->cpu[0], event);
	pid_t reader[READERS];
	bool good = true;
	unsigned int i;
	volatile struct perf_event_mmap_page *ring;

	if (join < 0)
		ksft_exit_fail_msg("the tracepoint does not join: %s\n", strerror(-join));
	/* Old samples are overwritten. */
	ring = mmap(NULL, 9 * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, join, 0);
	if (ring == MAP_FAILED)
		ksft_exit_fail_msg("no ring buffer\n");
	start_readers(reader);
	for (i = 0; i < ROUNDS || !ring->data_head; i++) {
		n = uncore_read(clock);
		good &= n > last;
		last = n;
		if (i % 100)
			continue;
		model("stim 0 %s event=0x01,umask=0x03,count=7", pmu->box);
		expect += 7;
	}
	/* As the event stops, perf schedules it, and no access is interrupted. */
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	uncore_read_group(event, 2, counts, NULL);
	for (i = 0; i < READERS; i++) {
		kill(reader[i], SIGKILL);
		waitpid(reader[i], NULL, 0);
	}
	ksft_print_msg("%llu samples; counted %llu of %llu\n", (unsigned long long)counts[1],
		       (unsigned long long)counts[0], (unsigned long long)expect);
	ksft_test_result(good && counts[0] == expect && counts[1],
			 "a tracepoint in the lock's code samples a group that it joined\n");
	close(join);
	close(event);
	close(clock);
}

int main(void)
{
	struct perf_event_attr end = sampler(PERF_TYPE_TRACEPOINT, 0, 1);
	char *id;

	test_begin("snbep_uncore_", "checker");
	test_needs_model();
	if (system("grep -q pci=nommconf /proc/cmdline"))
		ksft_exit_skip("needs a kernel without MMCONFIG (pci=nommconf)\n");
	test_plan(5);
	uncore_init("snbep_uncore_");
	pmu = uncore_pmu("ha");
	uncore_pin(pmu->cpu[0]);
	system("mount -t tracefs none " TRACING " 2> /dev/null");
	id = read_text(TRACING "/events/lock/contention_end/id");
	if (!id)
		ksft_exit_fail_msg("no tracepoint contention_end\n");
	end.config = atoi(id);
	test_bpf();
	test_refused(&end);
	test_joined(&end);
	test_end();
}
