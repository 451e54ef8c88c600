/* SPDX-License-Identifier: GPL-2.0-only */
/* Read samples from an event's ring buffer. */
#ifndef API_RING_H
#define API_RING_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest.h"

#define RING_BYTES	0x40000
#define MAX	20000

struct sample {
	unsigned long long ip, addr, period, weight, src;
	unsigned long long nr;
	struct perf_branch_entry branch[16];
	uint16_t misc;
};

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t type;
	unsigned int throttles, unthrottles;
};

static struct sample samples[MAX];
static int nr_samples;

static inline struct ring ring_open_on(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct ring r = { .type = attr->sample_type };

	r.fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
	if (r.fd < 0)
		ksft_exit_fail_msg("%#llx: %s\n", (unsigned long long)attr->config,
				   strerror(errno));
	r.page = mmap(NULL, RING_BYTES + getpagesize(), PROT_READ | PROT_WRITE,
		      MAP_SHARED, r.fd, 0);
	if (r.page == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	return r;
}

static inline struct ring ring_open(struct perf_event_attr *attr)
{
	return ring_open_on(attr, 0, -1);
}

static inline void ring_close(struct ring *r)
{
	munmap(r->page, RING_BYTES + getpagesize());
	close(r->fd);
}

static inline void copy(struct ring *r, uint64_t pos, void *to, size_t n)
{
	const char *data = (char *)r->page + r->page->data_offset;
	size_t i;

	for (i = 0; i < n; i++)
		((char *)to)[i] = data[(pos + i) % r->page->data_size];
}

static inline uint64_t word(uint64_t **p)
{
	return *(*p)++;
}

/* In the order of perf_event.h's PERF_RECORD_SAMPLE */
static inline void parse(struct ring *r, uint64_t *p, uint16_t misc)
{
	struct sample *s = &samples[nr_samples];

	if (nr_samples == MAX)
		return;
	nr_samples++;
	memset(s, 0, sizeof(*s));
	s->misc = misc;
	if (r->type & PERF_SAMPLE_IP)
		s->ip = word(&p);
	if (r->type & PERF_SAMPLE_ADDR)
		s->addr = word(&p);
	if (r->type & PERF_SAMPLE_PERIOD)
		s->period = word(&p);
	if (r->type & PERF_SAMPLE_BRANCH_STACK) {
		s->nr = word(&p);
		memcpy(s->branch, p, s->nr * sizeof(*s->branch));
		p += s->nr * sizeof(*s->branch) / 8;
	}
	if (r->type & PERF_SAMPLE_WEIGHT)
		s->weight = word(&p);
	if (r->type & PERF_SAMPLE_DATA_SRC)
		s->src = word(&p);
}

/* Consume the ring; returns the number of samples. */
static inline int ring_take(struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
	uint64_t record[4096 / 8];

	nr_samples = 0;
	while (tail < head) {
		struct perf_event_header h;

		copy(r, tail, &h, sizeof(h));
		copy(r, tail, record, h.size < sizeof(record) ? h.size : sizeof(record));
		if (h.type == PERF_RECORD_SAMPLE)
			parse(r, record + 1, h.misc);
		r->throttles += h.type == PERF_RECORD_THROTTLE;
		r->unthrottles += h.type == PERF_RECORD_UNTHROTTLE;
		tail += h.size;
	}
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	return nr_samples;
}

#endif
