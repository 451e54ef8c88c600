// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of a module that is compiled with -fprofile-arcs, for kernels without CONFIG_GCOV:
 * GCC's structures as kernel/gcov/gcc_4_7.c has them, and the files .gcda of all objects in one,
 * which lab/judge/coverage.py parts.
 */
#include <linux/fs.h>
#include <linux/module.h>

#define COUNTERS	(__GNUC__ >= 15 ? 10 : __GNUC__ == 14 ? 9 : 8)

struct gcov_info;

struct gcov_fn_info {
	const struct gcov_info *key;
	u32 ident, lineno_checksum, cfg_checksum;
	/* The only counters that these options make */
	struct {
		u32 number;
		s64 *values;
	} arcs;
};

struct gcov_info {
	u32 version;
	struct gcov_info *next;
	u32 stamp, checksum;
	const char *filename;
	void *merge[COUNTERS];
	u32 n_functions;
	const struct gcov_fn_info *const *functions;
};

/* This object is linked first, and those of the driver have a pointer each in this section. */
static const struct gcov_info *const objects[1] __used __section("gcov_objects");

static void gcov_write(void)
{
	struct file *file = filp_open("/extra/gcov", O_WRONLY | O_CREAT | O_APPEND, 0644);
	const struct gcov_info *const *object = objects;
	loff_t pos = 0;
	u32 i, n;

	if (IS_ERR(file))
		return;
	/* There are more than the compiler knows. */
	OPTIMIZER_HIDE_VAR(object);
	for (n = 0; n < N_OBJECTS; n++) {
		const struct gcov_info *info = *++object;
		const u32 head[] = { 0x67636461, info->version, info->stamp, info->checksum };

		kernel_write(file, head, sizeof(head), &pos);
		for (i = 0; i < info->n_functions; i++) {
			const struct gcov_fn_info *fn = info->functions[i];
			const u32 tags[] = { 0x01000000, 12, fn->ident, fn->lineno_checksum,
					     fn->cfg_checksum, 0x01a10000, fn->arcs.number * 8 };

			if (fn->key != info)
				continue;
			kernel_write(file, tags, sizeof(tags), &pos);
			kernel_write(file, fn->arcs.values, fn->arcs.number * 8, &pos);
		}
	}
	filp_close(file, NULL);
}

/* What the objects refer to, and libgcov alone calls; and the driver's own end, by -D */
void __gcov_merge_add(void), driver_cleanup(void);

void __gcov_merge_add(void)
{
}

static void __exit gcov_exit(void)
{
	driver_cleanup();
	gcov_write();
}

module_exit(gcov_exit);
