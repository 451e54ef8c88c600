// SPDX-License-Identifier: GPL-2.0-only
/*
 * --why: why an event is refused, from the kernel log, which may not be readable,
 * and from the guide's rules
 */
#include "why.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count.h"
#include "names.h"
#include "util.h"

/**
 * struct event_asked - an event of --why
 * @text:	as it was given
 * @pmus:	PMUs that perf would open it on
 */
struct event_asked {
	const char *text, *modifiers;
	const struct machine *m;
	const struct pmu **pmus;
	unsigned int nr;
	struct perf_event_attr attr;
	uint64_t config[3];
};

/* Return whether a term is of perf alone, and none of the driver's. */
static bool is_perfs(const char *term)
{
	return strstr(",name,period,percore,metric-id,",
		      format(",%.*s,", (int)strcspn(term, "="), term));
}

/* Add a term that is a code, and not of fields, to @raw; returns false for others. */
static bool add_raw(const char *term, uint64_t raw[3])
{
	static const char * const words[] = { "config=", "config1=", "config2=" };
	size_t digits = strspn(term + (*term == 'r'), "0123456789abcdefABCDEF"), len, i;
	uint64_t value;

	if (*term == 'r' && digits && digits <= 16 && !term[1 + digits]) {
		raw[0] |= strtoull(term + 1, NULL, 16);
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		len = strlen(words[i]);
		if (!strncmp(term, words[i], len) &&
		    parse_number(term + len, strlen(term + len), &value)) {
			raw[i] |= value;
			return true;
		}
	}
	return false;
}

/* Replace aliases in @terms by their encodings, and move config*= to @raw. */
static void expand(const struct pmu *pmu, char *terms, char *out, size_t size, uint64_t raw[3])
{
	char *save, *term, alias[400];
	const char *listed;
	size_t len = 0;

	*out = 0;
	for (term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		if (is_perfs(term))
			continue;
		listed = strchr(term, '=') ? NULL : name_encoding(pmu->type, term);
		if (!strchr(term, '=') && pmu_alias(pmu, term, alias, sizeof(alias)))
			term = alias;
		else if (add_raw(term, raw))
			continue;
		else if (listed)
			term = strcpy(alias, listed);
		len += snprintf(out + len, size - len, "%s%s", len ? "," : "", term);
		if (len >= size)
			die("--why: the event is too long");
	}
	set_parameters(out);
	if (strchr(out, '?'))
		die("%s/%s/ needs a value for each ?", pmu->name, out);
}

/* Print the PMU's log lines since @log was opened. */
static void print_log(int log, const char *name, const char *driver)
{
	char record[2048], *text;
	bool found = false;
	ssize_t len;

	while ((len = read(log, record, sizeof(record) - 1)) > 0 || (len < 0 && errno == EPIPE)) {
		record[len > 0 ? len : 0] = 0;
		record[strcspn(record, "\n")] = 0;
		text = strstr(record, name);
		if (text && text[strlen(name)] == ':') {
			printf("driver: %s\n", text + strlen(name) + 2);
			found = true;
		}
	}
	if (!found)
		printf("driver: no reason in the kernel log%s\n",
		       strcmp(driver, "snbep_uncore") ? "; intel_uncore gives none" : "");
}

static bool has_filter(unsigned int flags, const char *field)
{
	const char *name;
	unsigned int bit;

	for (bit = 1; bit && bit <= flags; bit <<= 1) {
		name = filter_name(flags & bit);
		if (name && !strcmp(name, field + strlen("filter_")))
			return true;
	}
	return false;
}

__attribute__((format(printf, 1, 2)))
static bool wrong(const char *fmt, ...)
{
	va_list ap;

	printf("guide: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

/* Return the value of a field, or 0 if the PMU does not have it. */
static uint64_t field_value(const struct pmu *pmu, const uint64_t config[3], const char *name)
{
	const struct field *f;

	for (f = pmu->fields; f < pmu->fields + pmu->nr_fields; f++)
		if (!strcmp(f->name, name))
			return (config[f->word] & f->mask) >> __builtin_ctzll(f->mask);
	return 0;
}

/* Check for missing filters, filters without effect, and those that match nothing. */
static bool check_filters(const struct event_asked *a, const char *event, unsigned int needs,
			  unsigned int takes)
{
	const struct pmu *pmu = *a->pmus;
	const uint64_t *config = a->config;
	const struct field *f;

	for (f = pmu->fields; f < pmu->fields + pmu->nr_fields; f++) {
		bool given = config[f->word] & f->mask;

		if (strncmp(f->name, "filter_", 7))
			continue;
		/* 0 is an opcode of the HA. snbep_uncore has a default for filter_state. */
		if (!given && has_filter(needs & ~SNBEP_F_HAOPC, f->name) &&
		    (strcmp(f->name, "filter_state") || strcmp(a->m->driver, "snbep_uncore")))
			return wrong("%s counts nothing without %s", event, f->name);
		if (given && !has_filter(needs | takes, f->name))
			return wrong("%s has no effect on %s", f->name, event);
		if (given && !strcmp(f->name, "filter_tid") && !field_value(pmu, config, "tid_en"))
			return wrong("filter_tid has no effect without tid_en=1");
	}
	if ((needs & SNBEP_F_OPC) && field_value(pmu, config, "filter_opc") < 0x180)
		return wrong("this filter_opc matches nothing: its two highest bits must be set");
	if ((needs | takes) & SNBEP_F_PKT && config[1] & ~config[2])
		return wrong("a bit of match_ has no effect without that of mask_");
	return true;
}

/* Return the row of an event code. */
static const struct row *find_event(const struct box *box, unsigned int sel)
{
	const struct row *row;

	for (row = box->rows; row < box->rows + box->nr_rows; row++)
		if (row->kind != ROW_UMASK && row->kind <= ROW_FIXED && row->sel == sel)
			return row;
	return NULL;
}

/* Print the rules of the first generation's guide that an event breaks. */
static bool check_guide(const struct event_asked *a)
{
	const struct pmu *pmu = *a->pmus;
	const uint64_t *config = a->config;
	const struct box *box = &boxes[pmu->type];
	bool pcu = !strcmp(box->name, "pcu"), edge = config[0] >> 18 & 1, inv = config[0] >> 23 & 1;
	uint64_t known[3] = { 0 };
	unsigned int sel = (config[0] & 0xff) | (config[0] >> 21 & 1) << 8;
	unsigned int umask = config[0] >> 8 & 0xff, covered = 0, needs;
	const struct row *event = find_event(box, sel), *row;
	const struct field *f;
	char umasks[400] = "";
	size_t len = 0, i;

	for (f = pmu->fields; f < pmu->fields + pmu->nr_fields; f++)
		known[f->word] |= f->mask;
	for (i = 0; i < 3; i++)
		if (config[i] & ~known[i])
			return wrong("bits 0x%llx of config%.*s are not a field of the %s",
				     (unsigned long long)(config[i] & ~known[i]), i > 0,
				     i == 1 ? "1" : "2", box->name);
	/* Other codes with bit 7 set: the PCU's "use occupancy" events */
	if (!event && (sel & 0x80) && pcu) {
		sel &= ~0x80;
		umask = 0;
		event = find_event(box, sel);
	}
	if (!event && !(sel >> 8) && find_event(box, sel | 0x100))
		return wrong("the %s has no event 0x%x, but 0x%x (perf's lists lost bit 21, the extended select, between 6.1 and 6.12)",
			     box->name, sel, sel | 0x100);
	if (!event)
		return wrong("the %s has no event 0x%x", box->name, sel);
	if (event->kind == ROW_FIXED && config[0] != sel)
		return wrong("%s has no fields except event=0x%x", event->event, sel);
	needs = event->needs;
	for (row = event; row < box->rows + box->nr_rows; row++) {
		if (row->kind != ROW_UMASK || strcmp(row->event, event->event))
			continue;
		if (len < sizeof(umasks))
			len += snprintf(umasks + len, sizeof(umasks) - len, "%s 0x%02x %s",
					len ? "," : ":", row->umask, row->umask_name);
		if ((row->umask & ~umask) || ((row->needs & SNBEP_F_ALONE) && row->umask != umask))
			continue;
		covered |= row->umask;
		needs |= row->needs;
	}
	if (!len && umask)
		return wrong("%s has no unit masks", event->event);
	if (len && !umask)
		return wrong("%s counts nothing without a unit mask%s", event->event, umasks);
	if (covered != umask)
		return wrong("0x%02x is no unit mask of %s, or cannot be combined%s", umask,
			     event->event, umasks);
	if ((edge || inv || (pcu && config[0] >> 30)) &&
	    !(config[0] >> 24 & (pcu ? 0x1f : 0xff)))
		return wrong("edge and inv need thresh=1 or more");
	if (edge && inv && (event->takes & SNBEP_F_EDGE_OR_INV))
		return wrong("%s takes edge or inv, but not both", event->event);
	return check_filters(a, event->event, needs, event->takes);
}

/*
 * Return the last row of Intel's list with this event, unit mask or occ_sel, and extended select:
 * those before are names of uncorestat's own, and of events that Intel derived.
 */
static const struct row *find_listed(const struct pmu *pmu, uint64_t config)
{
	const struct box *box = &box_types[pmu->type];
	const struct row *row;
	uint64_t want[3];
	const char *p;

	for (row = box->rows + box->nr_rows; row-- > box->rows; ) {
		p = strstr(row->encoding, ",filter_");
		if (!pmu_encode(pmu, format("%.*s", p ? (int)(p - row->encoding) : -1, row->encoding),
				want) && !((want[0] ^ config) & 0x20ffff))
			return row;
	}
	return NULL;
}

/* Print the names of Intel's list that have an event with other unit masks. */
static void print_names(const struct pmu *pmu, uint64_t config)
{
	const struct box *box = &box_types[pmu->type];
	const struct row *row;
	uint64_t want[3];
	bool any = false;

	for (row = box->rows; row < box->rows + box->nr_rows; row++) {
		if (pmu_encode(pmu, format("%.*s", (int)strcspn(row->encoding, ","), row->encoding),
			       want) || (want[0] ^ config) & 0x2000ff)
			continue;
		printf("%s %s", any ? "" : "list: no name has this unit mask, but these have the event:",
		       row->event);
		any = true;
	}
	puts(any ? "" : "list: no such event");
}

/* Print what Intel's list of a later generation says of an event. */
static void check_list(const struct pmu *pmu, const uint64_t config[3])
{
	const struct row *row = find_listed(pmu, config[0]), *other;
	const char *p, *name;
	unsigned int i;

	other = find_listed(pmu, config[0] | 0x200000);
	if (!row && other) {
		printf("list: no such event, but %s with event=0x1%02x (perf's lists lost bit 21, the extended select, between 6.1 and 6.12)\n",
		       other->event, (unsigned int)config[0] & 0xff);
		return;
	}
	if (!row) {
		print_names(pmu, config[0]);
		return;
	}
	for (p = strstr(row->encoding, ",filter_"); p; p = strstr(p, ",filter_")) {
		p++;
		name = format("%.*s", (int)strcspn(p, "="), p);
		if (!field_value(pmu, config, name))
			printf("list: %s counts nothing without %s\n", row->event, name);
	}
	printf("list: %s, on %s", row->event,
	       row->counters == FIXED_COUNTER ? "the fixed counter" : "counters");
	for (i = 0; i < 4; i++)
		if (row->counters >> i & 1)
			printf(" %u", i);
	putchar('\n');
}

static bool has_field(const void *asked, const char *name)
{
	const struct event_asked *a = asked;

	/* Linux's occ_edge covers other fields. */
	return field_value(*a->pmus, a->config, name) &&
	       (strcmp(name, "occ_edge") || strstr(a->text, name));
}

/* Add what is known of an event that can be named. */
static void add_knowledge(const struct event_asked *a)
{
	const struct perf_event_attr *attr = &a->attr;
	const struct pmu *pmu = *a->pmus;
	const char *fault = NULL;

	if (pmu->type < nr_box_types && strcmp(a->m->driver, "snbep_uncore"))
		fault = box_fault(box_types[pmu->type].name, has_field, a);
	if (fault)
		printf("known fault of intel_uncore: %s\n", fault);
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
	    attr->exclude_host || attr->exclude_guest)
		wrong("a box counts for everybody: leave out the modifier %s", a->modifiers);
	else if (pmu->type >= nr_box_types)
		printf("list: no box that uncorestat knows\n");
	else if (generation != generations)
		check_list(pmu, a->config);
	else if (check_guide(a))
		printf("guide: nothing is wrong with it\n");
}

/* Set what perf sets for the modifiers behind an event. */
static void apply_modifiers(struct perf_event_attr *attr, const char *modifiers)
{
	bool u = strchr(modifiers, 'u'), k = strchr(modifiers, 'k'), h = strchr(modifiers, 'h');

	if (modifiers[strspn(modifiers, "ukhGHIpPSDWe:")])
		die("--why: no modifier of perf: %s", modifiers);
	if (u || k || h) {
		attr->exclude_user = !u;
		attr->exclude_kernel = !k;
		attr->exclude_hv = !h;
	}
	attr->exclude_idle = !!strchr(modifiers, 'I');
	if (!strchr(modifiers, 'G') != !strchr(modifiers, 'H')) {
		attr->exclude_host = !!strchr(modifiers, 'G');
		attr->exclude_guest = !attr->exclude_host;
	}
}

/* Return whether perf takes @pattern for a PMU's name: also without its number, and as a glob. */
static bool name_matches(const char *name, const char *pattern)
{
	char longer[100];

	if (!strncmp(name, "uncore_", 7) && strncmp(pattern, "uncore_", 7))
		name += 7;
	snprintf(longer, sizeof(longer), "%s_[0-9]*", pattern);
	return !fnmatch(pattern, name, 0) || !fnmatch(longer, name, 0);
}

/* Return the length of the number that ends a box's name, 0 if it is all of it. */
static size_t number_length(const char *box)
{
	size_t all = strlen(box), len = 0;

	while (len < all && isdigit((unsigned char)box[all - 1 - len]))
		len++;
	return len < all ? len : 0;
}

/* Exit with the reason why there is no such PMU. */
static void no_pmu(const struct machine *m, const char *name)
{
	const char *box = strstr(name, "uncore_");
	struct pmu wanted = { .box = box ? box + 7 : name };
	const struct pmu *p, *first = NULL, *last = NULL;
	/* m2m of m2m_0 */
	const char *stem = format("%.*s", (int)strlen(wanted.box) - (int)number_length(wanted.box),
				  wanted.box);
	bool known = box_parse(&wanted) && box_types[wanted.type].instances;
	char line[20];

	if (stem[strlen(stem) - !!*stem] == '_')
		stem = format("%.*s", (int)strlen(stem) - 1, stem);
	for (p = m->pmus; p < m->pmus + m->nr_pmus; p++) {
		if (name_matches(p->box, wanted.box) ||
		    (known && p->type == wanted.type && p->instance == wanted.instance))
			die("--why: %s is named %s here", name, p->name);
		if (!known || p->type != wanted.type)
			continue;
		first = first ?: p;
		last = p;
	}
	if (first && wanted.instance >= box_types[wanted.type].instances)
		die("--why %s: this processor has %s%s%s", name, first->name,
		    first == last ? " alone" : " to ", first == last ? "" : last->name);
	if (known)
		die("--why %s: this machine has no %s: %s", name, wanted.box,
		    box_hidden(wanted.type, first));
	if (box_other(stem))
		die("--why %s: %s", name, box_other(stem));
	if (read_line(format("/sys/bus/event_source/devices/%s/type", name), line, sizeof(line)))
		die("--why %s: a PMU of Linux that is none of the uncore: perf counts it, and uncorestat knows nothing of its events",
		    name);
	die("--why %s: no PMU of this name in /sys/bus/event_source/devices", name);
}

/* Exit with what a name is that has no slashes and is no event of the uncore. */
static void no_event(const struct machine *m, const char *name)
{
	/* The box in UNC_CHA_TOR_INSERTS of later processors' lists */
	const char *box = strncasecmp(name, "unc_", 4) ? "" :
		format("%.*s", (int)strcspn(name + 4, "_"), name + 4);
	const struct pmu *p;

	for (p = m->pmus; p < m->pmus + m->nr_pmus; p++)
		if (name_matches(p->name, name) || name_matches(p->box, name))
			die("--why: %s is a PMU: an event follows it, as in %s/event=0x01/",
			    name, name);
	if (strstr(name, "uncore_"))
		no_pmu(m, name);
	if (box_other(box))
		die("--why: %s: %s", name, box_other(box));
	die("--why: %s: no event of the uncore of the %s: perf list explains those of cores and of the kernel",
	    name, generation->name);
}

/* Get the PMUs and attributes that perf would open, or exit with the reason why it would not. */
static void ask(struct event_asked *a, const struct machine *m, const char *text)
{
	const char *translated = name_translate(text);
	char encoding[512], *terms, *end;
	uint64_t raw[3] = { 0 };
	const char *term, *name;
	unsigned int i;
	size_t len;

	*a = (struct event_asked){ .text = text, .m = m };
	if (translated) {
		printf("%s: that is %s\n", text, translated);
		text = translated;
	} else if (!strchr(text, '/')) {
		no_event(m, text);
	}
	len = strcspn(text, "/");
	name = format("%.*s", (int)len, text);
	terms = format("%s", text + len + (text[len] == '/'));
	a->pmus = zalloc(m->nr_pmus, sizeof(*a->pmus));
	for (i = 0; i < m->nr_pmus; i++)
		if (name_matches(m->pmus[i].name, name) ||
		    (translated && name_matches(m->pmus[i].box, name)))
			a->pmus[a->nr++] = &m->pmus[i];
	if (!a->nr)
		no_pmu(m, name);
	end = terms + strcspn(terms, "/");
	if (*end)
		*end++ = 0;
	a->modifiers = end;
	expand(*a->pmus, terms, encoding, sizeof(encoding), raw);
	if (!*encoding && !raw[0])
		die("--why: %s names no event: perf would count event 0", text);
	term = pmu_encode(*a->pmus, encoding, a->config);
	if (term)
		die("%s has no field for %s, or its bits do not hold the value (format/)",
		    (*a->pmus)->name, term);
	for (i = 0; i < 3; i++)
		a->config[i] |= raw[i];
	a->attr = event_attr(*a->pmus, a->config);
	apply_modifiers(&a->attr, end);
}

/* Open an event in the first socket that has the box; returns a descriptor, or -1. */
static int open_asked(const struct event_asked *a, unsigned int nth, int group)
{
	struct perf_event_attr attr = a->attr;
	const struct pmu *pmu = a->pmus[nth];
	unsigned int s;

	attr.type = pmu->perf_type;
	for (s = 0; s < a->m->nr_sockets - 1 && pmu->cpu[s] < 0; s++)
		;
	return event_open_attr(&attr, pmu->cpu[s], group);
}

/* Explain an event that opens alone, but not with its group. */
static void explain_group(const struct event_asked *a, const struct event_asked *leader)
{
	if (strcmp((*a->pmus)->name, (*leader->pmus)->name))
		wrong("a group counts in one box: %s is none of %s's", a->text, (*leader->pmus)->name);
	else
		wrong("alone, it is accepted: with the others, counters are too few, or a filter has two values");
}

/* Open an event, as a member of the @group of @leader if that is not -1; returns a descriptor. */
static int why_event(const struct event_asked *a, const struct event_asked *leader, int group)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), fd, error, other;
	bool alone = false;
	unsigned int i;

	if (log >= 0)
		lseek(log, 0, SEEK_END);
	fd = open_asked(a, 0, group);
	error = fd < 0 ? errno : 0;
	printf("%s: %s\n", a->text, fd < 0 ? strerror(error) : "the driver accepts it");
	if (error == EACCES || error == EPERM || error == ENOSYS)
		printf("driver: not asked: %s\n", denial(error));
	else if (fd < 0 && log >= 0)
		print_log(log, (*a->pmus)->name, a->m->driver);
	else if (fd < 0)
		printf("driver: its reason is in the kernel's log, which you may not read (dmesg, as root)\n");
	if (log >= 0)
		close(log);
	for (i = 1; i < a->nr && group < 0; i++) {
		other = open_asked(a, i, -1);
		if ((other < 0) != (fd < 0))
			printf("%s: %s\n", a->pmus[i]->name, other < 0 ? strerror(errno) : "accepts it");
		if (other >= 0)
			close(other);
	}
	if (fd < 0 && group >= 0) {
		other = open_asked(a, 0, -1);
		alone = other >= 0;
		if (alone)
			close(other);
	}
	if (alone)
		explain_group(a, leader);
	else
		add_knowledge(a);
	return fd;
}

/* Return whether a term is next in a list, as in "unc_c_tor_inserts.opcode,filter_opc=0x182". */
static bool is_term(const char *next)
{
	size_t len = strcspn(next, ",{}");

	return memchr(next, '=', len) && !memchr(next, '/', len) && !memchr(next, ':', len);
}

int why(const char *text)
{
	struct event_asked *a, *leader = NULL;
	struct machine m = { .all = true };
	char *list = format("%s", text), *p, *word = list;
	bool slashes = false, braces = false;
	int fd, group = -1, status = 0;

	machine_find(&m);
	if (!list[strspn(list, "{},")])
		die("--why: no event");
	for (p = list; ; p++) {
		char c = *p;

		slashes ^= c == '/';
		if (c && (slashes || !strchr("{},", c) || (c == ',' && is_term(p + 1))))
			continue;
		*p = 0;
		if (*word) {
			a = zalloc(1, sizeof(*a));
			ask(a, &m, word);
			fd = why_event(a, leader, group);
			status |= fd < 0;
			if (!braces && fd >= 0) {
				close(fd);
			} else if (!leader && fd >= 0) {
				leader = a;
				group = fd;
			}
		}
		word = p + 1;
		if (c == '{' || c == '}') {
			braces = c == '{';
			leader = NULL;
			group = -1;
			word += c == '}' && *word == ':' ? strcspn(word, ",{") : 0;
			p = word - 1;
		}
		if (!c)
			return status;
	}
}
