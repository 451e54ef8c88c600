# SPDX-License-Identifier: GPL-2.0-only
#
# A driver under the mock kernel: $(driver) is its files, OUT= where to put it, TOP= the project.
# In Turkish, [a-z] has no i.
export LC_ALL := C

CC ?= cc
# Empty for mutants: the tests have to kill them, not the compiler
WERROR ?= -Werror
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover
# u64 is unsigned long here, while the driver's format strings have unsigned long long.
FLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g $(SANITIZE) -fno-strict-aliasing -Wall -Wextra -Wmissing-prototypes $(WERROR) -Wno-format \
	-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -MMD -MP \
	-include $(TOP)/tests/mock-kernel/kernel.h -I$(TOP)/tests/mock-kernel/shim -I$(OUT)/include -I$(TOP)/tests -I$(TOP)

sources := $(filter %.c,$(driver)) $(wildcard *.c $(TOP)/tests/mock-kernel/*.c) $(TOP)/tests/fuzzing/draw.c $(TOP)/tests/fuzzing/fuzz.c
objects := $(addprefix $(OUT)/,$(notdir $(sources:.c=.o)))
of_driver := $(notdir $(patsubst %.c,%.o,$(filter-out $(TOP)/machine/%,$(filter %.c,$(driver)))))
vpath %.c $(sort $(dir $(driver))) $(TOP)/tests/mock-kernel $(TOP)/tests/fuzzing

# WITH_LIBFUZZER=1, by tests/fuzzing/fuzz: libFuzzer has its own main(), and instruments the
# driver alone, whose variables fuzzing/fuzz.c finds by their sections. clang's sanitizer must
# accept NULL + 0, as the kernel does.
ifneq ($(WITH_LIBFUZZER),)
FLAGS += -Dmain=tests_main -w -fno-sanitize=pointer-overflow
LIBFUZZER := -fsanitize=fuzzer
$(addprefix $(OUT)/,$(of_driver)): FLAGS += -fsanitize=fuzzer-no-link
$(addprefix $(OUT)/,$(of_driver)): AFTER = objcopy --rename-section .data=driver_data --rename-section .bss=driver_bss $@
endif

all: $(OUT)/driver $(OUT)/explore

$(OUT)/driver: $(objects)
	$(CC) $(SANITIZE) $(LIBFUZZER) $^ $(LIBS) -o $@

# The same with a call before each access to memory that the driver's source makes, by explore.c
steps := $(addprefix $(OUT)/steps/,$(of_driver))
$(OUT)/explore: $(filter-out $(addprefix $(OUT)/,$(of_driver)),$(objects)) $(steps)
	$(CC) $(SANITIZE) $^ $(LIBS) -o $@

$(steps): $(OUT)/steps/%.o: %.c $(TOP)/tests/mock-kernel/driver.mk | $(OUT)/include.made
	mkdir -p $(OUT)/steps
	$(CC) $(subst $(SANITIZE),-O0 -fsanitize=thread --param tsan-instrument-func-entry-exit=0,$(FLAGS)) -c $< -o $@

$(objects): $(OUT)/%.o: %.c $(TOP)/tests/mock-kernel/driver.mk | $(OUT)/include.made
	$(CC) $(FLAGS) -c $< -o $@
	$(AFTER)

# The kernel's headers are empty files, as kernel.h replaces them, except those in shim/ and the
# host's linux/perf_event.h.
$(OUT)/include.made: $(driver) Makefile
	set -e; sed -n 's:^#include <\([a-z/_0-9-]*\.h\)>.*:\1:p' $^ | sort -u | while read -r header; do \
		[ "$$header" != linux/perf_event.h ] && [ ! -e "$(TOP)/tests/mock-kernel/shim/$$header" ] || continue; \
		[ ! -e "$(OUT)/include/$$header" ] || continue; \
		mkdir -p "$$(dirname "$(OUT)/include/$$header")"; \
		echo > "$(OUT)/include/$$header"; \
	done
	touch $@

-include $(objects:.o=.d) $(steps:.o=.d)
