// SPDX-License-Identifier: GPL-2.0-only
/*
 * uncorestat under libFuzzer, as tests/fuzzing/fuzz builds it. The input is the text of -m x=TEXT,
 * of --why TEXT, or the file of --replay, on a machine of seven boxes. The linker puts the
 * functions below in place of those that read the machine and that end the program.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <ncurses.h>
#include <sanitizer/allocator_interface.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../live_picture.h"
#include "../record.h"
#include "../report.h"
#include "../why.h"
#include "util.h"

#define MAX_BLOCKS	65536

/* The program frees nothing that lives until its end, which each input is. */
static struct {
	const volatile void *block[MAX_BLOCKS];
	unsigned int nr;
	bool on;
} heap;

static void allocated(const volatile void *p, size_t size)
{
	if (heap.on && heap.nr < MAX_BLOCKS)
		heap.block[heap.nr++] = p;
}

static void freed(const volatile void *p)
{
	unsigned int i;

	for (i = heap.nr; heap.on && i-- > 0; )
		if (heap.block[i] == p) {
			heap.block[i] = heap.block[--heap.nr];
			return;
		}
}

/* AddressSanitizer knows streams by their address: one that is left open is closed, not freed. */
static FILE *streams[4];
static unsigned int nr_streams;

FILE *__real_open_memstream(char **text, size_t *size);

FILE *__wrap_open_memstream(char **text, size_t *size)
{
	if (nr_streams == ARRAY_SIZE(streams))
		abort();
	streams[nr_streams] = __real_open_memstream(text, size);
	return streams[nr_streams++];
}

/* What outputs write to, for all inputs */
static FILE *sink;

FILE *__wrap_write_file(const char *path, bool private)
{
	return sink;
}

int __real_fclose(FILE *file);

int __wrap_fclose(FILE *file)
{
	nr_streams -= nr_streams && streams[nr_streams - 1] == file;
	return file == sink ? 0 : __real_fclose(file);
}

static jmp_buf end;

_Noreturn void __real_exit(int status);

_Noreturn void __wrap_exit(int status)
{
	if (!heap.on)
		__real_exit(status);
	/* Their text is for variables of callers, which longjmp() ends. */
	while (nr_streams)
		__real_fclose(streams[--nr_streams]);
	longjmp(end, 1);
}

/* The tables stay. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static struct machine machine;

/* Of all boxes */
static struct field fields[] = {
	{ "event", 0, 0xff }, { "umask", 0, 0xff00 }, { "occ_sel", 0, 0xc000 },
	{ "edge", 0, 1 << 18 }, { "tid_en", 0, 1 << 19 }, { "inv", 0, 1 << 23 },
	{ "thresh", 0, 0xff000000 }, { "filter_tid", 1, 0x1f }, { "filter_band0", 1, 0xff },
	{ "match_opc", 1, 0x1e0 }, { "filter_nid", 1, 0x3fc00 }, { "filter_state", 1, 0x7c0000 },
	{ "filter_opc", 1, 0xff800000 }, { "mask_opc", 2, 0x1e0 },
};

static void add_pmu(const char *box)
{
	struct pmu pmu = {
		.perf_type = 100, .box = box, .fields = fields, .nr_fields = ARRAY_SIZE(fields),
	};

	snprintf(pmu.name, sizeof(pmu.name), "snbep_uncore_%s", box);
	if (!box_parse(&pmu))
		abort();
	memset(pmu.cpu, 0xff, sizeof(pmu.cpu));
	pmu.cpu[0] = 0;
	pmu.cpu[1] = 10;
	machine.pmus = grow(machine.pmus, machine.nr_pmus, sizeof(pmu));
	machine.pmus[machine.nr_pmus++] = pmu;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	time_t now = 0;
	static const char * const boxes[] = {
		"cbox_0", "cbox_1", "ha", "imc_0", "imc_1", "pcu", "qpi_0"
	};
	struct tm tm;
	unsigned int i;

	stat_init(generations);
	machine.sockets[1] = 3;
	machine.nr_sockets = 2;
	machine.driver = "snbep_uncore";
	for (i = 0; i < ARRAY_SIZE(boxes); i++)
		add_pmu(boxes[i]);
	/* A buffer that stays, for what --why prints */
	if (!freopen("/dev/null", "w", stdout))
		abort();
	printf("\n");
	sink = fopen("/dev/null", "w");
	/* For the pictures of --live */
	if (!sink || !newterm("xterm", sink, stdin) || resizeterm(50, 160) == ERR)
		abort();
	draw_init();
	/* What the C library keeps of a time zone stays, too. */
	setenv("TZ", "UTC0", 1);
	tzset();
	localtime_r(&now, &tm);
	__sanitizer_install_malloc_and_free_hooks(allocated, freed);
	return 0;
}

void __wrap_machine_find(struct machine *m)
{
	*m = machine;
}

/* The kernel refuses every other event. */
int __wrap_event_open_attr(const struct perf_event_attr *attr, int cpu, int group)
{
	errno = EINVAL;
	return attr->config & 1 ? -1 : 1000000;
}

int __wrap_open(const char *path, int flags, ...)
{
	return -1;
}

#ifdef FUZZ_expression
/* No line of an output has a character that ends it, or its field. */
static void check_text(const char *text)
{
	for (; *text; text++)
		if (!isprint((unsigned char)*text) || strchr("\"\\{}<>&", *text))
			abort();
}

/* A count of 1000 of each event of the plan, in every box that has it */
static void count(struct counting *c, const struct plan *plan)
{
	unsigned int s, i, j, k;

	memset(c, 0, sizeof(*c));
	c->machine = &machine;
	for (s = 0; s < machine.nr_sockets; s++)
		for (i = 0; i < machine.nr_pmus; i++)
			for (j = 0; j < plan->nr; j++) {
				const struct set *set = &plan->sets[j];
				struct counted *g;

				if (set->type != machine.pmus[i].type)
					continue;
				c->list = grow(c->list, c->nr, sizeof(*c->list));
				g = &c->list[c->nr++];
				g->pmu = &machine.pmus[i];
				g->socket = s;
				g->share = 1;
				g->nr = set->nr;
				for (k = 0; k < set->nr; k++) {
					g->counters[k].event = set->events[k];
					g->counters[k].rate = 1000;
					g->seconds = 2;
				}
			}
}

static void expression(const char *text)
{
	unsigned int list[MAX_METRIC_EVENTS], which, i, nr, j;
	const struct metric *m = metric_define("x", 1, text);
	struct scope scopes[] = {
		{ .socket = -1 }, { .socket = 0 }, { .socket = 1, .pmu = &machine.pmus[3] }
	};
	struct plan plan = { .sets = NULL };
	struct counting c;
	struct value v;

	check_text(m->desc);
	if (formula_of(m)->wrong)
		return;
	nr = formula_of(m)->nr_events;
	memcpy(list, formula_of(m)->events, sizeof(list));
	for (i = 0; i < nr; i++)
		if (list[i] >= nr_events)
			abort();
	which = nr_metrics - 1;
	plan_make(&plan, &which, 1);
	for (i = 0; i < plan.nr; i++)
		for (j = 0; j < plan.sets[i].nr; j++) {
			uint64_t config[3];
			const char *encoding = events[plan.sets[i].events[j]].encoding;
			const char *term = pmu_encode(&machine.pmus[3], encoding, config);

			if (term)
				check_text(term);
		}
	count(&c, &plan);
	for (i = 0; i < ARRAY_SIZE(scopes); i++)
		for (j = 0; j < 2; j++) {
			if (j && v.den)
				value_divide(&v, m, true);
			else
				value_get(&v, &c, m, &scopes[i], 2);
			if (isinf(v.number) || (!v.number && signbit(v.number)))
				abort();
			/* A dash has a reason, and a remark about boxes that the machine lacks. */
			for (which = 0; which < nr; which++)
				if (!boxes_present(&c, events[list[which]].type, 0))
					break;
			if (v.applies && isnan(v.number) && !*v.why && !v.nothing &&
			    !v.elsewhere && which == nr)
				abort();
		}
}
#endif

static struct {
	const char *text;
	size_t size;
	FILE *file;
} input;

FILE *__real_fopen(const char *path, const char *mode);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	if (strcmp(path, "input"))
		return __real_fopen(path, mode);
	input.file = fmemopen((void *)input.text, input.size, mode);
	return input.file;
}

#ifdef FUZZ_replay
static void emit(struct interval *i, enum moment now, const struct report *rates)
{
	static void (* const all[])(const struct interval *) = {
		out_table, out_csv, out_json, out_summary, out_svg
	};
	unsigned int j;

	i->moment = now;
	i->rates = rates;
	i->shown = now == INTERVAL_ENDS ? rates : now == COMMAND_ENDS ? i->totals : NULL;
	for (j = 0; j < ARRAY_SIZE(all); j++)
		all[j](i);
}

/* Read the input as a recording, and give it to each output. */
static void replay(void)
{
	struct origin origin;
	struct report total, r;
	struct picture picture;
	struct interval i = { .totals = &total, .origin = &origin, .to = "svg", .out = sink };
	struct view view;
	unsigned int j;

	replay_start("input", &view, &origin);
	report_begin(&total, &view, MODE_TOTAL);
	picture_init(&picture, view.machine, origin.interval);
	picture_show(&picture, &view);
	emit(&i, RUN_BEGINS, NULL);
	while (replay_next(&r)) {
		for (j = 0; j < r.nr; j++)
			if (isinf(r.values[j].number))
				abort();
		report_add(&total, &r);
		emit(&i, r.part ? PART_ENDS : INTERVAL_ENDS, &r);
		if (!r.part)
			picture_add(&picture, &r);
		picture_next(&picture);
		erase();
		picture_draw(&picture);
		free(prometheus_text(&r, &total));
		report_free(&r);
	}
	emit(&i, COMMAND_ENDS, NULL);
	emit(&i, RUN_ENDS, NULL);
	summary_diff(&total, &total, OUT_CSV, sink);
	picture_draw(&picture);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned int kept_events = nr_events, kept_metrics = nr_metrics;
	char *text = malloc(size + 1);

	memcpy(text, bytes, size);
	text[size] = 0;
	heap.on = true;
	if (!setjmp(end)) {
#if defined(FUZZ_why)
		why(text);
#elif defined(FUZZ_replay)
		input.text = text;
		input.size = size + !size;
		replay();
#else
		expression(text);
#endif
	}
	if (input.file)
		__real_fclose(input.file);
	input.file = NULL;
	heap.on = false;
	while (heap.nr)
		free((void *)heap.block[--heap.nr]);
	nr_events = kept_events;
	nr_metrics = kept_metrics;
	free(text);
	return 0;
}
