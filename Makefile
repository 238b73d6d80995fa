# SPDX-License-Identifier: Apache-2.0
# RegTwin. `make help` lists the targets. `make demo` and `make test` need nothing installed but make itself.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
# No built-in rules: with them make looks for a dozen sources of every file, which takes longer than reading this file.
MAKEFLAGS += -r
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

VERSION := 0.1.0

# ---- what a user may set -----------------------------------------------------------------------------------------
ARCH ?= native#                 # -march=; x86-64-v2 for a binary that runs elsewhere
PREFIX ?= /usr/local
DESTDIR ?=
VARIANT ?=#                     # empty, or: asan o0 clang fuzz train pgo (each has its own directory below build/)
SYSTEM_DIRS ?= cmodel/systems#  # directories of system folders (docs/start/add-a-system.md); cmodel/systems/baseline must be among the folders
BUILD_DIR ?= build#             # where objects, the library and the program go
FUZZ_SECONDS ?= 600#            # for all libFuzzer targets together; the same again for random configurations
FUZZ_INPUTS ?= 7300#            # damaged inputs
FUZZ_CONFIGS ?= 1000#           # random configurations
FUZZ_SEED ?= 1
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
ifeq ($(SAN),1)
VARIANT := asan
endif
ifeq ($(PGO),1)
override VARIANT := pgo
endif
ifeq ($(origin CC),default)
CC := gcc
endif
AR := ar
OBJCOPY := objcopy

ARCH := $(strip $(ARCH))
BUILD_DIR := $(strip $(BUILD_DIR))
VARIANT := $(strip $(VARIANT))
# Programs of LLVM (clang-tidy: tests/lint.sh): those of the first version in cmodel/make/packages.txt that is here, asked for once, when a command first needs the name.
ifeq ($(origin CLANG),undefined)
CLANG = $(eval CLANG := $(shell cmodel/make/llvm.sh clang))$(CLANG)
endif
CL_CC ?= $(CLANG)
CLANG_FORMAT ?= $(shell cmodel/make/llvm.sh clang-format)

# A variable of the command line that no makefile and no script reads is mostly a misspelt one. A make within a make is given those of
# the first one, which has checked them. Those of the next line are other programs'.
ifeq ($(filter-out 0,$(MAKELEVEL)),)
ELSEWHERE := CPPFLAGS CXXFLAGS LDFLAGS MAKE% PATH HOME TMPDIR TERM COLUMNS DISPLAY LANG LC_% LD_% CCACHE_% PKG_% SLURM_% REGTWIN_%
GIVEN := $(filter-out $(ELSEWHERE),$(foreach v,$(.VARIABLES),$(if $(filter command,$(origin $v)),$v)))
UNREAD := $(if $(GIVEN),$(shell for v in $(foreach v,$(GIVEN),'$(subst ','\'',$v)'); do grep -rsqwF --include='*.mk' --include='*.sh' --include=Makefile \
  -e "$$v" Makefile cmodel/make cosim synth rtl traces/kernels $(wildcard tests/*.mk tests/*.sh tests/host/*.mk) || printf '%s ' "$$v"; done))
ifneq ($(UNREAD),)
# The nearest variable that a user may set: one with a default, or one that a comment or the list of make help shows as NAME=.
NEAR := $(shell . cosim/lib.sh; did_you_mean '$(subst ','\'',$(firstword $(UNREAD)))' \
  $$(grep -ohE '(^|[^-.A-Za-z_])[A-Z][A-Z_]+( [?])?=' Makefile cmodel/make/*.mk cosim/*.mk cosim/*/*.mk tests/*.mk | tr -cd 'A-Z_\n' | sort -u))
$(error found the variable $(UNREAD)on the command line, expected one that a makefile reads: $(NEAR)make help has BLOCK, SETS and others)
endif
endif

# ---- variants ----------------------------------------------------------------------------------------------------
OPT := -O3
DEBUG := -g
ifeq ($(VARIANT),)
B := $(BUILD_DIR)
else
B := $(BUILD_DIR)/$(VARIANT)
endif
ifeq ($(VARIANT),asan)
override CC = $(CLANG)
OPT := -O1 -fno-omit-frame-pointer
DEBUG := -gline-tables-only
# Folders whose code runs for a moment in a test are not optimised: that compiles in a fifth of the time.
COLD := cli cost cudart-11.0 cudart-12 cudart-13 host lab/campaign lab/database lab/kernels lab/report
# Not sanitize=function, which clang 19 checks in C too: tests call what dlsym and tables of the host interfaces give as one type.
# With the counters by which libFuzzer knows new inputs, so that make test fuzzes with the objects of the sanitized tests.
SANFLAGS := -fsanitize=address,undefined -fno-sanitize=function -fno-sanitize-recover=all -fsanitize-coverage=inline-8bit-counters,pc-table
else ifeq ($(VARIANT),o0)
OPT := -O0
else ifeq ($(VARIANT),clang)
override CC = $(CLANG)
else ifeq ($(VARIANT),fuzz)
override CC = $(CLANG)
OPT := -O1 -fno-omit-frame-pointer
SANFLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function -fno-sanitize-recover=all
else ifeq ($(VARIANT),train)
# gcc names a static function by its file's place: that of the build which will use the profile, and there it is written.
PROFILE = -fprofile-generate -dumpdir $(if $@,$(dir $(@:$(B)/%=$(BUILD_DIR)/pgo/%)))
else ifeq ($(VARIANT),pgo)
PROFILE := -fprofile-use -Wno-missing-profile -Wno-error
LTO := -flto=auto
AR := gcc-ar
else ifneq ($(VARIANT),)
$(error VARIANT=$(VARIANT): expected nothing, asan, o0, clang, fuzz, train or pgo)
endif
ifneq ($(PROFILE),)
ifeq ($(findstring clang,$(notdir $(CC))),clang)
$(error CC=$(CC) with PGO=1: expected gcc, whose profiles are used)
endif
endif

CFLAGS ?= $(OPT) $(DEBUG) -march=$(ARCH)
# Position independent and hidden: the same objects are in the program and in the libraries of host programs.
RT_CFLAGS := -std=gnu11 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Icmodel -I$(BUILD_DIR) -ffp-contract=off -fno-math-errno -fno-trapping-math -DRT_VERSION='"$(VERSION)"'
LIBS := -ljansson -lyaml -lpng16 -lsqlite3 -lzstd -llzma -lnettle -lpthread -lm
# At a fixed address, and with a free() that knows the image: for checkpoints (cmodel/base/image.h).
LINK := -no-pie -Wl,--wrap=free
Q := $(if $(V),,@)#             # V=1 shows every command
COMPILE = $(CC) $(CFLAGS) $(SANFLAGS) $(RT_CFLAGS) $(PROFILE) $(LTO) $(OBJECT_OPT)

$(foreach d,$(COLD),$(eval $(B)/obj/$d/%.o: OBJECT_OPT := -O0))
# In sm/ and in unit tests a struct may begin with the fields of another: with the view that choices have of it (cmodel/sm/private.h).
VIEWS := -fms-extensions -Wno-microsoft-anon-tag
$(B)/obj/sm/%.o: OBJECT_OPT := $(VIEWS)
# A system does not cast away that a view of the SM is const (cmodel/sm/slot_api.h), and declares no function of sm/ where tests/layers.sh does not look.
$(B)/obj/systems/%.o: OBJECT_OPT := -Wcast-qual -Wstrict-prototypes -Wnested-externs

# ---- files -------------------------------------------------------------------------------------------------------
# Every folder of SYSTEM_DIRS is a system: its sources, its .conf files, and lists that stand beside the core's own.
SYSTEMS := $(foreach d,$(SYSTEM_DIRS),$(patsubst %/,%,$(sort $(wildcard $d/*/))))
SYSTEM_NAMES := $(notdir $(SYSTEMS))
$(foreach d,$(SYSTEM_DIRS),$(if $(wildcard $d/.),,$(error SYSTEM_DIRS=$(SYSTEM_DIRS): found no directory $d, expected names of directories, without blanks)))
SYSTEM_ODD := $(shell find -L $(SYSTEM_DIRS) -mindepth 1 -maxdepth 1 -type d ! -name '.*' | grep -vE '/[A-Za-z][A-Za-z0-9_]*$$' | head -n 1)
ifneq ($(SYSTEM_ODD),)
$(error $(SYSTEM_ODD): found a system folder of this name, expected a letter, then letters, digits and _: it is a section of keys)
endif
ifneq ($(words $(SYSTEM_NAMES)),$(words $(sort $(SYSTEM_NAMES))))
$(error SYSTEM_DIRS=$(SYSTEM_DIRS): found two folders of one name in $(SYSTEM_NAMES), expected a name of its own for each)
endif
ifeq ($(filter baseline,$(SYSTEM_NAMES)),)
$(error SYSTEM_DIRS=$(SYSTEM_DIRS): found no folder baseline, expected cmodel/systems first: its choices are the defaults)
endif
SYSTEM_SRC := $(foreach s,$(SYSTEMS),$(sort $(wildcard $s/*.c)))
system_obj = $(B)/obj/systems/$(notdir $(patsubst %/,%,$(dir $1)))/$(notdir $(1:.c=.o))

SRC := $(sort $(shell find cmodel -name '*.c' -not -path 'cmodel/systems/*')) $(SYSTEM_SRC)
HOST_DIRS := cmodel/host/opencl/% cmodel/host/cudart/% cmodel/host/cuda/%# libraries that host programs load (cmodel/make/host.mk)
LIBSRC := $(filter-out cmodel/cli/% $(HOST_DIRS),$(SRC))
CLISRC := $(filter cmodel/cli/%,$(SRC))
LIBOBJ := $(patsubst cmodel/%.c,$(B)/obj/%.o,$(filter-out $(SYSTEM_SRC),$(LIBSRC))) \
  $(foreach c,$(SYSTEM_SRC),$(call system_obj,$c)) $(B)/obj/gen/builtin.o $(B)/obj/gen/opcodes.o
CLIOBJ := $(CLISRC:cmodel/%.c=$(B)/obj/%.o)
UNIT := $(sort $(wildcard tests/unit/*_test.c))
UNITBIN := $(UNIT:tests/unit/%.c=$(B)/test/%)
MACHINE_CONF := $(addsuffix .conf,$(sort $(basename $(wildcard cmodel/config/machines/*.conf))))
SYSTEM_CONF := $(foreach s,$(SYSTEMS),$(addsuffix .conf,$(sort $(basename $(wildcard $s/*.conf)))))
FUZZ := $(sort $(wildcard tests/fuzz/*_fuzz.c))
FUZZBIN := $(FUZZ:tests/fuzz/%_fuzz.c=$(B)/fuzzers/%)
GEN := $(BUILD_DIR)/gen
# What its three lists become, by kind of line (cmodel/make/lists.awk).
LISTS := $(addprefix $(GEN)/systems/,$(addsuffix .def,choices keys stats hardware rows measures panels plans relax experiments papers colours cost energy together))
GENERATED := $(GEN)/systems/made $(LISTS) $(GEN)/hooks.h $(GEN)/program.h $(GEN)/cost/blocks.def $(GEN)/cost/energy.def $(GEN)/twins/blocks.def
# A misspelt list would be left out without a word.
SYSTEM_STRAY := $(firstword $(foreach s,$(SYSTEMS),$(filter-out $(addprefix $s/,system.def paper.def cost.def),$(wildcard $s/*.def))))
ifneq ($(SYSTEM_STRAY),)
$(error $(SYSTEM_STRAY): found a list of this name, expected one of system.def paper.def cost.def)
endif
SYSTEM_EMPTY := $(firstword $(foreach s,$(SYSTEMS),$(if $(wildcard $s/*.def $s/*.conf),,$s)))
ifneq ($(SYSTEM_EMPTY),)
$(error $(SYSTEM_EMPTY): found a system folder without a list and without a preset, expected *.def or *.conf (docs/start/add-a-system.md))
endif
SCRIPTS := .ci/run $(sort $(shell find cmodel tests cosim rtl synth -name '*.sh'))

.PHONY: counters-record identity-record identity-check coverage-c all binary lib unit-binaries combinations help deps deps-build deps-test demo test check records lint lint-rtl format format-check \
        fuzz fuzz-binaries campaigns bench traceg-all pgo-check widths kernels kernels-check install uninstall clean FORCE

# Every compilation depends on $(B)/command, and that on the packages of this build, so that no target begins without them.
DEPS_BUILD := $(if $(filter asan clang fuzz,$(VARIANT)),deps-test,deps-build)
# For a make within a make: as many commands at once as there are processors, unless make was started with -j.
ALL_CORES = --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
all: $(DEPS_BUILD) ## build build/regtwin, build/libregtwin.a and the libraries of build/host (the default)
	@$(MAKE) $(ALL_CORES) binary lib host
binary: $(B)/regtwin
lib: $(B)/libregtwin.a
unit-binaries: $(UNITBIN)

help: ## this list
	@echo 'make TARGET [ARCH=native] [CC=gcc] [SAN=1] [PGO=1] [PREFIX=/usr/local] [DESTDIR=] [FUZZ_SECONDS=600] [FUZZ_INPUTS=7300] [FUZZ_CONFIGS=1000]'
	@sed -n 's/^\([a-z][a-z_.-]*\):.*## \(.*\)/  \1\t\2/p' Makefile $(filter %.mk,$(MAKEFILE_LIST)) | expand -t 24

# ---- what is needed ----------------------------------------------------------------------------------------------
deps: ## install the Debian packages that are missing, for everything (list: cmodel/make/packages.txt)
	@cmodel/make/deps.sh build test cosim wave synth
deps-build:
	@cmodel/make/deps.sh build
deps-test:
	@cmodel/make/deps.sh build test

# ---- compile -----------------------------------------------------------------------------------------------------
# Objects depend on a file that holds the command, so that another compiler or flag rebuilds them.
$(B)/command: FORCE | $(DEPS_BUILD)
	@mkdir -p $(@D); echo '$(subst ','\'',$(COMPILE))' | cmp -s - $@ || echo '$(subst ','\'',$(COMPILE))' > $@

# PGO=1: gcc compiles with the profile of another build that ran some kernels (what is run decides speed, never a result),
# and optimises across files when it links.
ifeq ($(VARIANT),pgo)
TRAINED := $(B)/trained
TRAINING := 'gtx980 baseline sgemm bfs hotspot stencil gather vecadd srad_v1' 'gtx980 FineReg sgemm bfs' \
  'rtx2060 baseline sgemm conv_tensor bfs' 'gtx480 SL-Orig sgemm bfs' 'gtx480 SL-Full-P hotspot'
$(TRAINED): FORCE
	@$(MAKE) --no-print-directory PGO= VARIANT=train binary
	@mkdir -p $(@D)
	@if [ ! -e $@ ] || [ $(BUILD_DIR)/train/regtwin -nt $@ ]; then \
	  find $(B) -name '*.gcda' -delete; \
	  for t in $(TRAINING); do set -- $$t; echo "  TRAIN $$t"; \
	    $(BUILD_DIR)/train/regtwin run "$${@:3}" --size small --config $$1 --system $$2 >/dev/null; done; \
	  touch $@; fi
endif

$(B)/obj/%.o: cmodel/%.c $(B)/command $(TRAINED) | $(GENERATED)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@

$(B)/obj/gen/builtin.o $(B)/obj/gen/opcodes.o: $(B)/obj/gen/%.o: $(GEN)/%.c $(B)/command $(TRAINED) | $(GENERATED)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@

define SYSTEM_ELSEWHERE
$(call system_obj,$1): $1 $(B)/command $(TRAINED) | $(GENERATED)
	@mkdir -p $$(@D); echo '  CC $$@'
	$$(Q)$$(COMPILE) -I$(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $1)))) -MMD -MP -c $$< -o $$@

endef
$(foreach c,$(filter-out cmodel/%,$(SYSTEM_SRC)),$(eval $(call SYSTEM_ELSEWHERE,$c)))

include cmodel/make/generated.mk

$(B)/libregtwin.a: $(LIBOBJ)
	@rm -f $@; echo '  AR $@'
	$(Q)$(AR) rcs $@ $(LIBOBJ)

$(B)/regtwin: $(CLIOBJ) $(B)/libregtwin.a
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(PROFILE) $(LTO) $(SANFLAGS) $(LINK) $(CLIOBJ) $(B)/libregtwin.a $(LIBS) -o $@

-include $(LIBOBJ:.o=.d) $(CLIOBJ:.o=.d) $(wildcard $(B)/test/*.d $(B)/test/reference/*.d) $(wildcard $(B)/fuzzers/*.d build/campaign/*.d)

# ---- use ---------------------------------------------------------------------------------------------------------
bench: deps-build ## speed and memory of the fixed set; saves build/bench.json; with Verilator, what lockstep costs
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@$(B)/regtwin bench --json build/bench.json
	@echo; if command -v $(VERILATOR) >/dev/null; then $(MAKE) --no-print-directory -s cosim-bench; \
	  else echo 'no Verilator here: make cosim-bench installs it and measures what lockstep costs'; fi

# ---- parts -------------------------------------------------------------------------------------------------------
include cmodel/make/host.mk cmodel/make/pages.mk cmodel/make/editors.mk cmodel/make/demo.mk cmodel/make/install/install.mk traces/kernels/kernels.mk
-include tests/tests.mk tests/host/host.mk cosim/cosim.mk cosim/whole_sm/whole_sm.mk cosim/systemc/systemc.mk

clean: ## remove build/
	rm -rf build
