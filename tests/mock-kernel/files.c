// SPDX-License-Identifier: GPL-2.0-only
/* The sysfs files of a PMU, as the mock perf core shows them */
#include "files.h"

void mock_files_ask(struct mock_files *f, const struct pmu *pmu)
{
	const struct attribute_group **g;
	unsigned int n, i = 0;

	for (g = pmu->attr_groups; g && *g; g++) {
		for (n = 0; (*g)->attrs[n]; n++) {
			struct attribute *a = (*g)->attrs[n];

			if (i == MAX_FILES)
				fault("more than %u files", MAX_FILES);
			f->visible[i++] = !(*g)->is_visible ||
				(*g)->is_visible(&f->dev.kobj, a, n) == a->mode;
		}
	}
}

const char *mock_file(struct pmu *pmu, const char *group, const char *file)
{
	struct mock_files *f = mock_files_of(pmu);
	const struct attribute_group **g;
	static char buf[4096];
	unsigned int n, i = 0;

	for (g = pmu->attr_groups; *g; g++) {
		for (n = 0; (*g)->attrs[n]; n++, i++) {
			struct attribute *a = (*g)->attrs[n];
			struct device_attribute *d = container_of(a, struct device_attribute, attr);
			ssize_t len;

			/* Another CPU's may have the same name. */
			if (strcmp((*g)->name ?: "", group) ||
			    strcmp(a->name, file) || !f->visible[i])
				continue;
			f->readers++;
			len = d->show(&f->dev, d, buf);
			f->readers--;
			if (len < 0)
				len = sprintf(buf, "error %d", (int)-len);
			buf[len] = 0;
			return buf;
		}
	}
	return NULL;
}
