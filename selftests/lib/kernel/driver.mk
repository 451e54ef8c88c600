# SPDX-License-Identifier: GPL-2.0-only
#
# A driver as a program of the host: $(driver) is its files, OUT= where to put it, TOP= the project.

CC ?= cc
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover
# u64 is unsigned long here, and unsigned long long to the driver's format strings.
FLAGS := -std=gnu11 -O1 -g $(SANITIZE) -fno-strict-aliasing -Wall -Wextra -Werror -Wno-format -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -MMD -MP -include $(TOP)/selftests/lib/kernel/kernel.h -I$(TOP)/selftests/lib/shim \
	-I$(OUT)/include -I$(TOP)/selftests -I$(TOP)

sources := $(filter %.c,$(driver)) $(wildcard *.c $(TOP)/selftests/lib/kernel/*.c)
objects := $(addprefix $(OUT)/,$(notdir $(sources:.c=.o)))
vpath %.c $(sort $(dir $(driver))) $(TOP)/selftests/lib/kernel

$(OUT)/driver: $(objects)
	$(CC) $(SANITIZE) $^ -o $@

$(objects): $(OUT)/%.o: %.c | $(OUT)/include.made
	$(CC) $(FLAGS) -c $< -o $@

# The kernel's headers are empty: kernel.h has what is in them. Not those that lib/shim has, and perf's interface is the host's.
$(OUT)/include.made: $(driver)
	set -e; sed -n 's:^#include <\([a-z/_0-9-]*\.h\)>.*:\1:p' $^ | sort -u | while read -r header; do \
		[ "$$header" != linux/perf_event.h ] && [ ! -e "$(TOP)/selftests/lib/shim/$$header" ] || continue; \
		[ ! -e "$(OUT)/include/$$header" ] || continue; \
		mkdir -p "$$(dirname "$(OUT)/include/$$header")"; \
		echo > "$(OUT)/include/$$header"; \
	done
	touch $@

-include $(objects:.o=.d)
