# SPDX-License-Identifier: GPL-2.0-only
#
# make [KDIR=...]          the modules, for the running kernel or the one whose build directory KDIR is
# make modules_install     install them, as root
# make install             the same as make install-tools
# make install-tools       uncorestat, uncore-hwtest, manual pages and documents; DESTDIR=, PREFIX=/usr
# make uninstall-tools     remove them
# make hwtest              hardware validation on a real Xeon E5-2600, as root
#   HWTEST='...'           options of uncore-hwtest(8)
# make demo                set everything up, boot the emulated machine, count on every box
# make check               does everything work? in eight minutes; ends in pytest's summary. pytest-3 -k NAME
#                          runs tests by name; build/check has their output, and results.xml
# make check-all           every test
#   TAG=...                those with the marker of pytest.ini: debug, package, ia64, 'lab and not slow' ...
# make docs                the pages of Documentation/ and the event reference as HTML, in build/docs/html
# make deb                 Debian packages of the modules, for DKMS, and of the tools, in build/deb
# make rpm                 an RPM of the tools, with rpmbuild, in build/rpm
# make dist                the emulated Xeon as a tarball for any x86-64 Linux, without root, and a Containerfile, in build/dist
# make dist-ia64           the same of the emulated Itanium, after make ia64
# make fresh [SUITE=...]   make demo and make check in a Debian that has nothing but make; SUITE=bookworm or trixie
#   LIST=TAG               make check-all TAG=TAG instead
# make vm [CMD='...']      a command, or a shell, in the emulated machine; KERNEL=, KMODULES=,
#                          SOCKETS=, MODULES=, EXTRA=, MODEL=; bin/vm -- COMMAND has the command's exit status
# make bench               register accesses and instructions per operation, beside those of intel_uncore
# make debug-check         the guest's tests under KASAN, UBSAN, lockdep and kmemleak, and under KCSAN
# make ia64                itanium_pmu.ko for ia64, kernels that load it, and perf, in build/ia64
# make ia64-vm CMD='...'   run a shell command on an emulated Itanium; without CMD, a shell; IA64=up: the kernel for one processor;
#                          IA64=PATH: a vmlinux of your own; CORES=2, 1x2 or 2x2: more processors; EXTRA=
# make style               checkpatch, kernel-doc, sparse, W=1, shellcheck, include rules
# make coverage            lines and branches of the drivers that host-side unit tests reach
# make fuzz [FUZZ='...']   the drivers, the model and uncorestat under libFuzzer, on the host, for a minute; FUZZ: options of tests/fuzzing/fuzz
#   GUEST=OPENS            perf_event_open() on all PMUs in the machine instead, that many times; KERNEL=
# make clean               remove build/; the cache stays
# make clean-cache         remove from the cache what was not used for a month; rm -r mends all of it

ifneq ($(words $(CURDIR) x),2)
$(error make cannot build in a directory with a blank in its path: $(CURDIR))
endif

KDIR ?= /lib/modules/$(shell uname -r)/build

# make accepts any variable; refuse one that the goal does not take, as it is misspelt.
vars_vm := CMD KERNEL KMODULES SOCKETS MODULES EXTRA MODEL
vars_check :=
vars_check-all := TAG
vars_fresh := SUITE LIST
vars_fuzz := FUZZ GUEST KERNEL
vars_ia64-vm := CMD CORES EXTRA IA64
checked := $(filter vm check check-all fresh fuzz ia64-vm,$(MAKECMDGOALS))
misspelt := $(filter-out JOBS SNBEP_% XDG_CACHE_HOME $(foreach goal,$(checked),$(vars_$(goal))),\
	$(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v)))
ifneq ($(and $(checked),$(misspelt)),)
$(error make $(checked) does not know $(misspelt): it takes $(or $(strip $(foreach goal,$(checked),$(vars_$(goal)))),nothing), as make help says)
endif

# Only the command line counts: an environment may have any of these names for something else.
$(foreach v,$(sort HWTEST $(foreach goal,vm check-all fresh fuzz ia64-vm,$(vars_$(goal)))),\
	$(if $(findstring environment,$(origin $v)),$(eval override undefine $v)))

vm_what := $(if $(filter undefined,$(origin CMD)),-i,-- "$$VM_CMD")
KERNEL ?= 6.1
MODULES ?= snbep_uncore
IA64 ?= smp
CORES ?= 1
SUITE ?= bookworm

# As they were typed: make would expand a $ in them, also for the environment of the recipes.
$(foreach v,$(foreach goal,$(checked),$(vars_$(goal))),$(if $(filter command,$(firstword $(origin $v))),$(eval override $v := $$(value $v))))
# $(call quoted,NAME): the value of a variable as one word of the shell
quoted = '$(subst ','\'',$($1))'
# A shell reads it once more.
fresh_command = make -s check-all TAG=$(call quoted,LIST)

modules: | $(KDIR)/Makefile
	@scripts/kbuild . $(KDIR) build/modules
	@ls build/modules/*.ko

modules_install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR)/build/modules $@

# These need no kernel headers.
install install-tools:
	$(MAKE) -C tools install

uninstall-tools:
	$(MAKE) -C tools uninstall

# uncore-hwtest, and the program that it measures with.
hwtest:
	@$(MAKE) -s -C tools hwtest
	@exec build/tools/uncore-hwtest $(HWTEST)

$(KDIR)/Makefile:
	@echo "make: there are no kernel headers at $(KDIR)." >&2
	@echo "make: install those of the running kernel (on Debian: linux-headers-$$(uname -r)), or give KDIR=." >&2
	@exit 1

clean:
	$(RM) -r build

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

# $(value) keeps CMD as it was typed: make would expand a $ in it.
vm ia64-vm: export VM_CMD := $(value CMD)

vm:
	@exec setpriv --pdeathsig TERM bin/vm -k $(call quoted,KERNEL) -K $(call quoted,KMODULES) -s $(call quoted,SOCKETS) -m $(call quoted,MODULES) \
		-e $(call quoted,EXTRA) -o $(call quoted,MODEL) $(vm_what)

# Goals that are one command
cmd_demo := bin/demo
cmd_check := scripts/check -m quick
cmd_check-all = scripts/check $(if $(TAG),-m $(call quoted,TAG))
cmd_debug-check := scripts/check -m debug
cmd_style := maintainer/style
cmd_coverage := maintainer/coverage
cmd_fuzz = tests/fuzzing/fuzz $(if $(GUEST),-g $(call quoted,GUEST) -k $(call quoted,KERNEL),$(FUZZ))
cmd_bench := maintainer/bench
cmd_fresh = packaging/tests/fresh $(call quoted,SUITE) $(if $(LIST),$(call quoted,fresh_command))
cmd_deb := packaging/deb
cmd_rpm := packaging/rpm
cmd_dist := packaging/dist/build xeon
cmd_dist-ia64 := packaging/dist/build itanium
cmd_clean-cache := scripts/clean-cache

demo check check-all debug-check style coverage fuzz bench fresh deb rpm dist dist-ia64 clean-cache:
	@exec $(cmd_$@)

docs:
	@scripts/setup Documentation/packages
	@$(MAKE) -s -C Documentation O=$(CURDIR)/build/docs

ifneq ($(wildcard ia64),)
ia64:
	@exec scripts/guard build/ia64/.lock ia64/linux/build

ia64-vm:
	@exec setpriv --pdeathsig TERM ia64/linux/vm -k $(call quoted,IA64) -n $(call quoted,CORES) -e $(call quoted,EXTRA) $(vm_what)
endif

.PHONY: help modules modules_install install install-tools uninstall-tools hwtest clean clean-cache vm demo check check-all docs deb rpm dist dist-ia64 fresh bench debug-check ia64 ia64-vm \
	style coverage fuzz
