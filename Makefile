# SPDX-License-Identifier: GPL-2.0-only
#
# make [KDIR=...]          the modules, for the running kernel or the one whose build directory KDIR is
# make modules_install     install those that are for this machine (as root): all but the emulated machine's itanium_pmu
# make install-tools       uncorestat and uncore-iron with their pages; DESTDIR=, PREFIX=/usr
# make iron [IRON='...']   on a real Xeon E5-2600, as root: compare it with what the driver takes for true; IRON: its options
# make demo                set everything up, boot the emulated machine, count on every box
# make check [T=pattern]   every test, or those whose line in the list has the pattern; ends in "N passed, N failed"
#   TESTS=FILE             another list than selftests/TESTS
# make check-all           that, and what takes very long (selftests/TESTS-ALL)
# make deb                 Debian packages of the modules, for DKMS, and of the tools, in build/deb
# make fresh [SUITE=...]   the demo and a short check in a Debian with nothing in it but make; SUITE=bookworm or trixie
#   LIST=TESTS             make check with that list of selftests/, instead
# make vm [CMD='...']      a command, or a shell, in the emulated machine; KERNEL=, SOCKETS=, MODULES=, EXTRA=, MODEL=
# make bench               register accesses and instructions per operation, against intel_uncore; of uncorestat and perf stat
# make debug-check         the selftests under a kernel with KASAN, UBSAN, lockdep and friends, and one with KCSAN
# make mutants [M=pattern] mistakes planted in the drivers, and whether the tests notice: ten at random, or those of a pattern
# make ia64                itanium_pmu.ko for ia64, kernels that it is for, and an initramfs that tries them, in build/ia64
# make ia64-vm [IA64=up]   boot that on an emulated Itanium; IA64: the kernel, smp or up, and options of ia64-machine
# make style               checkpatch, sparse, W=1
# make coverage            lines and branches of the drivers that the programs of the host reach
# make fuzz [FUZZ='...']   the drivers under libFuzzer, as programs of the host, for a minute; FUZZ: options of selftests/fuzz
#   GUEST=OPENS            perf_event_open() so often in the machine instead, on all PMUs; KERNEL=
# make analyze             what takes longer: clang, its static analyzer, the kernel's semantic patches
# make clean               what was built in this tree; the cache stays

KDIR ?= /lib/modules/$(shell uname -r)/build

# Arguments of make vm, as they were typed: $(value) keeps make from expanding a $ in them.
vm_what := $(if $(filter undefined,$(origin CMD)),-i,--)
override CMD := $(value CMD)
override MODULES := $(if $(filter undefined,$(origin MODULES)),snbep_uncore,$(value MODULES))
override EXTRA := $(value EXTRA)
KERNEL ?= 6.1
SOCKETS ?= 2
override MODEL := $(value MODEL)
vm_dry := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
T ?=
TESTS ?= selftests/TESTS
SUITE ?= bookworm
LIST ?=
GUEST ?=
override FUZZ := $(value FUZZ)

modules: | $(KDIR)/Makefile
	@machine/vm/kbuild . $(KDIR) build/modules
	@ls build/modules/*.ko

modules_install: | $(KDIR)/Makefile
	@machine/vm/kbuild . $(KDIR) build/modules-install ITANIUM_MODEL=n
	$(MAKE) -C $(KDIR) M=$(CURDIR)/build/modules-install $@

# What a user runs beside perf: no kernel headers are needed.
install-tools:
	$(MAKE) -C tools install

# The acceptance test for a real machine. It finds the module that make has built, to have it back after intel_uncore.
iron:
	@$(MAKE) -s -C tools/iron O=$(CURDIR)/build/iron
	@exec build/iron/uncore-iron $(if $(wildcard build/modules/snbep_uncore.ko),-m build/modules/snbep_uncore.ko) $(IRON)

$(KDIR)/Makefile:
	@echo "make: there are no kernel headers at $(KDIR)." >&2
	@echo "make: install those of the running kernel (on Debian: linux-headers-$$(uname -r)), or give KDIR=." >&2
	@exit 1

clean:
	$(RM) -r build

# The runner takes make's place (make-exec.c says why), so its exit status and its terminal are the command's.
ifneq ($(filter vm,$(MAKECMDGOALS)),)
$(if $(shell machine/vm/make-exec && echo done),,$(error the runner cannot be made ready))
load build/make-exec.so(make_exec_gmk_setup)
endif

vm:
	$(if $(vm_dry),@echo selftests/vm,$(exec selftests/vm,-k,$(KERNEL),-s,$(SOCKETS),-m,$(MODULES),-e,$(EXTRA),-o,$(MODEL),$(vm_what),$(CMD)))

demo:
	@exec selftests/demo

check:
	@exec selftests/check -l $(TESTS) "$(T)"

check-all:
	@mkdir -p build && cat selftests/TESTS-ALL $(TESTS) > build/TESTS-ALL
	@SNBEP_ALL=yes exec selftests/check -l build/TESTS-ALL "$(T)"

deb:
	@exec packaging/deb

fresh:
	@exec selftests/packages/fresh $(SUITE) $(if $(LIST),'make -s check TESTS=selftests/$(LIST)')

bench:
	@selftests/uncore/host/bench
	@echo
	@exec selftests/tools/host/bench

debug-check:
	@mkdir -p build && grep -h -e '-k debug' -e '-k kcsan' selftests/TESTS-ALL $(TESTS) > build/TESTS-DEBUG
	@exec selftests/check -l build/TESTS-DEBUG

mutants:
	@exec selftests/mutants $(if $(M),'$(subst ','\'',$(M))')

ia64:
	@exec itanium/ia64/build

ia64-vm:
	@exec itanium/ia64/vm $(IA64)

style:
	@exec selftests/style

coverage:
	@exec selftests/coverage

fuzz:
	@exec selftests/fuzz $(if $(GUEST),-g $(GUEST) -k $(KERNEL),$(FUZZ))

analyze:
	@exec selftests/analyze

.PHONY: modules modules_install install-tools iron clean vm demo check check-all deb fresh bench debug-check mutants ia64 ia64-vm \
	style coverage fuzz analyze
