// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups are read, events opened and sysfs files read on all CPUs, while the CPUs of socket 1 go
 * offline and online. No count decreases, a socket has at most one CPU, and events count exactly
 * afterwards. Runs for 20 seconds under KCSAN, three elsewhere. Injected events may be lost while
 * an open or a group read freezes the box.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>

#include "api/model.h"
#include "api/test.h"
#include "api/uncore.h"

/* CPU 0 of socket 0 cannot go offline. */
#define SOCKET		1

/* A box in MSR space and one in PCI space */
static const char * const boxes[] = { "cbox_0", "ha" };

#define NR_BOXES	(sizeof(boxes) / sizeof(*boxes))
#define MEMBERS		2

static atomic_bool done;
static atomic_ulong opens, reads, asked, backward, others;

static struct uncore_pmu *pmus[NR_BOXES];

/* Groups of two that count the same events throughout */
static int group[NR_BOXES][MEMBERS];

static void *read_groups(void *unused)
{
	uint64_t last[NR_BOXES][MEMBERS] = {}, counts[MEMBERS];
	unsigned int i, j;

	while (!done) {
		for (i = 0; i < NR_BOXES; i++) {
			uncore_read_group(group[i][0], MEMBERS, counts, NULL);
			reads++;
			for (j = 0; j < MEMBERS; j++) {
				backward += counts[j] < last[i][j];
				last[i][j] = counts[j];
			}
		}
	}
	return unused;
}

static void *open_and_close(void *unused)
{
	unsigned int i = 0;
	int fd;

	while (!done) {
		i = (i + 1) % NR_BOXES;
		fd = uncore_try(pmus[i], uncore_kind(pmus[i])->event, SOCKET, -1);
		if (fd < 0) {
			/* Its CPU is offline. Where another is the owner, the event moves. */
			others += fd != -ENODEV;
			continue;
		}
		opens++;
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		close(fd);
	}
	return unused;
}

static void *ask(void *unused)
{
	while (!done) {
		char *text = read_text("/sys/bus/event_source/devices/%s/cpumask", pmus[0]->name);
		int a, b;

		others += !text || sscanf(text, "%d,%d", &a, &b) != 2;
		free(text);
		asked++;
	}
	return unused;
}

/* A delay as short as on a fast machine would be over before another virtual CPU runs. */
static struct {
	const char *name, *here;
	char *before;
} kcsan[] = {
	{ .name = "udelay_task", .here = "1000" },
	{ .name = "udelay_interrupt", .here = "200" },
	{ .name = "skip_watch", .here = "10" },
};

#define KCSAN_DIR	"/sys/module/kcsan"
#define KCSAN		KCSAN_DIR "/parameters/%s"

static void set_kcsan(bool here)
{
	const char *value;
	unsigned int i;

	if (access(KCSAN_DIR, F_OK))
		return;
	for (i = 0; i < sizeof(kcsan) / sizeof(*kcsan); i++) {
		if (here)
			kcsan[i].before = read_text(KCSAN, kcsan[i].name);
		value = here ? kcsan[i].here : kcsan[i].before;
		if (!value || !write_text(value, KCSAN, kcsan[i].name))
			ksft_exit_fail_msg("KCSAN's %s: %s\n", kcsan[i].name, strerror(errno));
	}
}

/* Whether the groups count injected events exactly */
static bool count_exactly(void)
{
	uint64_t before[MEMBERS], after[MEMBERS];
	struct uncore_times then, times;
	bool exact = true;
	unsigned int i, j;

	for (i = 0; i < NR_BOXES; i++) {
		/* The event that is closed may have had the group's counters until now. */
		uncore_read_group(group[i][0], MEMBERS, before, &then);
		do {
			uncore_read_group(group[i][0], MEMBERS, before, &times);
		} while (times.running == then.running);
		model("stim %u %s %s,count=777", SOCKET, boxes[i], uncore_kind(pmus[i])->event);
		uncore_read_group(group[i][0], MEMBERS, after, NULL);
		for (j = 0; j < MEMBERS; j++)
			exact &= after[j] - before[j] == 777;
	}
	return exact;
}

/* Close the groups; return the number of counters that are left enabled. */
static unsigned int close_groups(void)
{
	unsigned int i, j, left = 0;
	char name[16];

	for (i = 0; i < NR_BOXES; i++) {
		for (j = 0; j < MEMBERS; j++)
			close(group[i][MEMBERS - 1 - j]);
		for (j = 0; model_present() && j < uncore_kind(pmus[i])->counters; j++) {
			snprintf(name, sizeof(name), "CTL%u", j);
			left += !!(model_reg(SOCKET, boxes[i], name) & 1u << 22);
		}
	}
	return left;
}

int main(void)
{
	void *(*const what[])(void *) = {
		read_groups, read_groups, open_and_close, ask,
	};
	pthread_t thread[sizeof(what) / sizeof(*what)];
	unsigned int i, j, rounds = 0, left;
	bool exact, moved = true;
	uint64_t end;

	test_begin("snbep_uncore_", "checker");
	uncore_init("snbep_uncore_");
	if (uncore_nr_sockets < 2)
		ksft_exit_skip("needs two sockets, as CPU 0 cannot go offline\n");
	test_plan(5);
	set_kcsan(true);
	end = now_ns() + (access(KCSAN_DIR, F_OK) ? 3 : 20) * 1000000000ull;
	for (i = 0; i < NR_BOXES; i++) {
		pmus[i] = uncore_pmu(boxes[i]);
		for (j = 0; j < MEMBERS; j++)
			group[i][j] = uncore_open(pmus[i], uncore_kind(pmus[i])->event, SOCKET,
						  j ? group[i][0] : -1);
	}
	for (i = 0; i < sizeof(what) / sizeof(*what); i++)
		pthread_create(&thread[i], NULL, what[i], NULL);

	while (now_ns() < end || rounds < 2 || !opens || !reads || !asked) {
		char *text = read_text("/sys/bus/event_source/devices/%s/cpumask", pmus[0]->name);
		int cpu = atoi(strchr(text, ',') + 1);

		free(text);
		for (i = 0; model_present() && i < NR_BOXES; i++)
			model("stim %u %s %s,count=3", SOCKET, boxes[i],
			      uncore_kind(pmus[i])->event);
		moved &= uncore_set_online(cpu, false) && uncore_set_online(cpu, true);
		rounds++;
		/* Open events while no hotplug is in progress. */
		usleep(20000);
	}
	done = true;
	for (i = 0; i < sizeof(what) / sizeof(*what); i++)
		pthread_join(thread[i], NULL);

	exact = !model_present() || count_exactly();
	set_kcsan(false);
	ksft_test_result(moved,
			 "CPUs go offline and online while events are opened and groups read\n");
	ksft_test_result(!others, "a socket has one CPU, and opens fail with -ENODEV alone\n");
	test_result(!backward, "no count decreases in reads of groups | %lu reads\n", reads);
	left = close_groups();
	if (model_present()) {
		ksft_test_result(exact, "events that were open throughout count exactly\n");
		test_result(!left, "no counter is left enabled | %u are\n", left);
	} else {
		ksft_test_result_skip("events that were open throughout count exactly: they are injected\n");
		ksft_test_result_skip("no counter is left enabled: the model shows its registers\n");
	}
	test_end();
}
