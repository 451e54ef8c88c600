// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A libFuzzer target: a file of units, and a guest's commands behind a line "--". Without units,
 * the commands are for the E5-2600. What discovery-table.c accepts has to bear every access, and
 * the models any command. Stands in for QEMU.
 */
#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qemu/osdep.h"
#include "machine/xeon/console/model-console.h"
#include "discovery.h"
#include "uncore-model.h"

static int64_t now;
static GHashTable *commands, *of_units, *of_uncore;
Discovery *disc_die[DISC_MAX_DIES];

struct command {
	ModelCommand *fn;
	void *opaque;
};

int64_t qemu_clock_get_ns(int clock)
{
	return now += 1000000007;
}

void model_console_register(const char *word, ModelCommand *fn, void *opaque)
{
	struct command *c = g_new(struct command, 1);

	*c = (struct command){ fn, opaque };
	assert(g_hash_table_insert(commands, g_strdup(word), c));
}

static void drop(Error *err)
{
	assert(err);
	g_free(err->text);
	g_free(err);
}

/* Each byte that a unit has, and some behind it, in all sizes */
static void access_all(DiscUnit *u)
{
	unsigned int extent = disc_unit_extent(u), off, size;
	bool msr = u->access == DISC_MSR;
	uint64_t v = 0;

	assert(!msr || u->addr + MAX(extent, 1) - 1 <= UINT32_MAX);
	assert(u->access != DISC_PCI || (u->addr & 0xfff) + extent <= 0x1000);
	assert(u->access != DISC_MMIO || u->addr + extent <= u->die->mmio_size);
	for (off = 0; off < extent + 8; off++) {
		for (size = 1; size <= (msr ? 1 : 8); size *= 2) {
			disc_unit_write(u, off, msr ? 0 : size,
					off & 1 ? ~0ull : 0x0101010101010101);
			disc_unit_read(u, off, msr ? 0 : size, &v);
		}
	}
	disc_unit_reset(u);
}

static void run(const char *line)
{
	size_t len = strcspn(line, " ");
	char *word = g_strndup(line, len);
	struct command *c = g_hash_table_lookup(commands, word);
	GString *out = g_string_new(NULL);
	Error *err = NULL;

	if (c && c->fn(c->opaque, line + len + !!line[len], out, &err) == MODEL_STATUS_ERROR)
		drop(err);
	else
		assert(!err);
	g_free(word);
	g_string_free(out, true);
}

static bool add_die(unsigned int number, char *file)
{
	Discovery *d = g_new0(Discovery, 1);
	Error *err = NULL;

	*d = (Discovery){ .number = number, .units_file = file };
	disc_die[number] = d;
	if (!disc_table_read(d, &err))
		drop(err);
	else
		assert(!err);
	for (unsigned int i = 0; !err && i < d->units; i++)
		access_all(&d->unit[i]);
	return !err;
}

static void free_dies(void)
{
	for (Discovery **d = disc_die; d < disc_die + DISC_MAX_DIES; d++) {
		for (unsigned int i = 0; *d && i < (*d)->units; i++)
			g_free((*d)->unit[i].name);
		if (*d)
			g_free((*d)->unit);
		g_free(*d);
		*d = NULL;
	}
}

/* QEMU, which ends with a wrong table, frees nothing of it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void begin(void)
{
	of_units = g_hash_table_new(g_str_hash, g_str_equal);
	of_uncore = g_hash_table_new(g_str_hash, g_str_equal);
	commands = of_units;
	disc_console_init();
	commands = of_uncore;
	uncore_make_sockets();
	uncore_check_init(&uncore);
	uncore_stim_init(&uncore);
	uncore_poke_init(&uncore);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	g_autofree char *text = g_strndup((const char *)bytes, size);
	char *rest = g_str_has_prefix(text, "--\n") ? text : strstr(text, "\n--\n");
	size_t table = rest ? rest - text : strlen(text);
	char **lines = g_strsplit(rest ? rest : "", "\n", 30);
	static UncoreModel fresh;
	static char path[32];
	static int fd;

	if (!fd) {
		begin();
		fresh = uncore;
		fd = memfd_create("units", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	uncore = fresh;
	commands = rest == text ? of_uncore : of_units;
	if (ftruncate(fd, 0) || pwrite(fd, text, table, 0) != (ssize_t)table)
		abort();
	if (rest == text || (add_die(0, path) && add_die(1, path))) {
		for (char **l = lines; *l; l++)
			run(*l);
		run("checker reset");
	}
	free_dies();
	g_strfreev(lines);
	return 0;
}
