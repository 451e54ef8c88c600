// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the events of all PMUs of libpfm4 and their unit masks: PMU EVENT UMASK CODE. UMASK is -
 * for the event itself.
 */
#include <stdio.h>
#include <perfmon/pfmlib.h>

static void list_umasks(const char *pmu, const pfm_event_info_t *event)
{
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		printf("%s %s %s %#llx\n", pmu, event->name, attr.name,
		       (unsigned long long)attr.code);
	}
}

int main(void)
{
	if (pfm_initialize() != PFM_SUCCESS)
		return 1;

	for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS)
			continue;
		for (int i = info.first_event; i != -1; i = pfm_get_event_next(i)) {
			pfm_event_info_t event = { .size = sizeof(event) };

			if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
				return 1;
			printf("%s %s - %#llx\n", info.name, event.name,
			       (unsigned long long)event.code);
			list_umasks(info.name, &event);
		}
	}
	return 0;
}
