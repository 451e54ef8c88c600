# SPDX-License-Identifier: GPL-2.0-only
#
# What the targets have in common, after their lists of programs: kselftest's lib.mk, and the
# library of this directory, which each program is linked with.

CFLAGS += -std=gnu11 -O2 -Wall -Wextra -I.. -I../api -isystem $(selfdir)
# The tarball runs in a machine without libraries.
LDFLAGS += -static
LDLIBS += -lpthread
TEST_FILES += settings
TEST_INCLUDES := $(wildcard ../api/*.sh) ../../../kselftest/ktap_helpers.sh
LOCAL_HDRS += $(wildcard ../api/*.h *.h *.def)

# lib.mk builds what it finds, and says nothing of a name that is misspelt or not listed.
listed := $(TEST_PROGS) $(TEST_PROGS_EXTENDED) \
	$(addsuffix .c,$(TEST_GEN_PROGS) $(TEST_GEN_PROGS_EXTENDED))
differ := $(filter-out $(wildcard *),$(listed)) $(filter-out $(listed),$(wildcard *.c *.sh))
$(if $(strip $(differ)),$(error lists of $(CURDIR)/Makefile and files differ: $(differ)))

include ../../../lib.mk

$(TEST_GEN_PROGS) $(TEST_GEN_PROGS_EXTENDED): $(wildcard ../api/*.c)
