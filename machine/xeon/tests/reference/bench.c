// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for QEMU in the tests of this directory, and draws their inputs. */
#include "bench.h"
#include "model-device.h"
#include "scripts/tap.h"

/* Draws: splitmix64 */
static uint64_t state;
unsigned int bench_cases, bench_wrong;

uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t draw_below(uint64_t n)
{
	return n ? draw() % n : 0;
}

uint64_t draw_bits(unsigned int bits)
{
	uint64_t mask = bits ? ~0ull >> (64 - bits) : 0;

	switch (draw_below(6)) {
	case 0:
		return 0;
	case 1:
		return mask;
	case 2:
		return 1ull << draw_below(bits);
	case 3:
		return ((1ull << draw_below(bits)) - 1 + draw_below(3)) & mask;
	default:
		return draw() & mask;
	}
}

void bench_begin(int argc, char **argv)
{
	state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	printf("# seed %llu\n", state);
}

void bench_test(const char *what)
{
	tap(!bench_wrong && bench_cases, "%s: %u of %u differ", what, bench_wrong, bench_cases);
	bench_wrong = bench_cases = 0;
}

int bench_done(void)
{
	return tap_done();
}

/* The guest's port */
static struct {
	const char *word;
	ModelCommand *fn;
	void *opaque;
} commands[20];
char said[65536];

void model_console_register(const char *word, ModelCommand *fn, void *opaque)
{
	unsigned int i;

	for (i = 0; commands[i].word && strcmp(commands[i].word, word); i++)
		;
	commands[i].word = word;
	commands[i].fn = fn;
	commands[i].opaque = opaque;
}

void bench_free(Error *err)
{
	if (err)
		g_free(err->text);
	g_free(err);
}

ModelStatus say(const char *fmt, ...)
{
	g_autoptr(GString) out = g_string_new(NULL);
	ModelStatus status;
	Error *err = NULL;
	char line[1000];
	unsigned int i;
	va_list ap;
	char *args;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	args = line + strcspn(line, " ");
	if (*args)
		*args++ = 0;
	for (i = 0; commands[i].word && strcmp(commands[i].word, line); i++)
		;
	if (!commands[i].word) {
		printf("Bail out! no command '%s'\n", line);
		exit(1);
	}
	status = commands[i].fn(commands[i].opaque, args, out, &err);
	if ((status == MODEL_STATUS_ERROR) != !!err)
		differs("'%s %s' returns %d, and %s error", line, args, status, err ? "an" : "no");
	snprintf(said, sizeof(said), "%s", err ? err->text : out->str);
	bench_free(err);
	return status;
}

/* QEMU, which ends with its devices, frees nothing of them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* Devices */
const Property *shim_properties;
const TypeInfo *bench_type;
DeviceClass bench_class[2];

void type_register_static(const TypeInfo *info)
{
	static unsigned int n;

	bench_type = info;
	info->class_init((ObjectClass *)&bench_class[n++], NULL);
}

void model_class_init(ObjectClass *klass, const char *desc, Property *props)
{
	shim_properties = props;
}

PCIDeviceClass *model_pci_class_init(ObjectClass *klass, const char *desc, Property *props,
				     uint16_t device_id)
{
	model_class_init(klass, desc, props);
	DEVICE_CLASS(klass)->device_id = device_id;
	return DEVICE_CLASS(klass);
}

/* Processors */
CPUState *first_cpu, *current_cpu;

X86CPU *bench_cpu(unsigned int socket, unsigned int die, unsigned int core)
{
	X86CPU *cpu = g_new0(X86CPU, 1);
	APICCommonState *apic = g_new0(APICCommonState, 1);
	CPUState **at = &first_cpu;
	int index = 0;

	while (*at) {
		at = &(*at)->next;
		index++;
	}
	apic->id = index;
	cpu->parent_obj.cpu_index = index;
	cpu->env.cpu = CPU(cpu);
	cpu->socket_id = socket;
	cpu->die_id = die;
	cpu->core_id = core;
	cpu->apic_state = (DeviceState *)apic;
	*at = CPU(cpu);
	return cpu;
}

CPUState *qemu_get_cpu(int index)
{
	CPUState *cs;

	for (cs = first_cpu; cs && cs->cpu_index != index; cs = cs->next)
		;
	return cs;
}

unsigned int model_cpu_number(const CPUState *cs)
{
	return cs->cpu_index;
}

CPUState *model_cpu_numbered(unsigned int number)
{
	return qemu_get_cpu(number);
}

/* The clock */
struct QEMUTimer {
	int64_t when;		/* -1: not armed */
	void (*fn)(void *opaque);
	void *opaque;
	QEMUTimer *next;
};

int64_t shim_now;
static QEMUTimer *timers;

int64_t qemu_clock_get_ns(int clock)
{
	return shim_now;
}

QEMUTimer *timer_new_ns(int clock, void (*fn)(void *opaque), void *opaque)
{
	QEMUTimer *t = g_new(QEMUTimer, 1);

	*t = (QEMUTimer){ -1, fn, opaque, timers };
	timers = t;
	return t;
}

void timer_del(QEMUTimer *t)
{
	t->when = -1;
}

void timer_mod(QEMUTimer *t, int64_t when)
{
	t->when = when;
}

void shim_advance(int64_t to)
{
	QEMUTimer *t, *first;

	for (;;) {
		first = NULL;
		for (t = timers; t; t = t->next) {
			if (t->when >= 0 && t->when <= to && (!first || t->when < first->when))
				first = t;
		}
		if (!first)
			break;
		shim_now = MAX(shim_now, first->when);
		first->when = -1;
		first->fn(first->opaque);
	}
	shim_now = to;
}
