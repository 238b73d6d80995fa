# SPDX-License-Identifier: Apache-2.0
# Unit tests, libFuzzer targets and campaigns, and the targets that check the tree. Included by the top Makefile.
# A unit test is compiled apart from the library: after an edit of the library it is only linked again.
TEST_FLAGS :=#                  of one test alone
# and without optimisation, since most tests run for less time than it takes
TEST_OPT := -O0
$(B)/test/%.o: tests/unit/%.c $(B)/command | $(GENERATED) deps-test
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) $(TEST_OPT) $(TEST_FLAGS) $(VIEWS) -Itests -MMD -MP -c $< -o $@
$(B)/test/reference/%.o: tests/unit/reference/%.c $(B)/command | $(GENERATED)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -Itests -MMD -MP -c $< -o $@
$(B)/test/%: $(B)/test/%.o $(B)/libregtwin.a
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(PROFILE) $(LTO) $(SANFLAGS) $(LINK) $(filter %.o,$^) $(B)/libregtwin.a -lcmocka $(LIBS) -lmpfr -lgmp -o $@
.SECONDARY: $(UNITBIN:%=%.o)

# These compare with much code of their own.
$(patsubst %,$(B)/test/%_test.o,pack live range_rules range_paths interval session_memory ltrf_pfu slice trf): TEST_OPT := -O1

test_reference = $(patsubst tests/unit/reference/%.c,$(B)/test/reference/%.o,$1)
$(B)/test/kernels_test: $(call test_reference,$(filter-out %/check.c %/mma.c %/mbarrier.c,$(wildcard tests/unit/reference/*.c)))
$(B)/test/mma_reference_test $(B)/test/wmma_reference_test: $(call test_reference,tests/unit/reference/mma.c)
$(B)/test/mbarrier_reference_test $(B)/test/mbarrier_copies_test: $(call test_reference,tests/unit/reference/mbarrier.c)
$(B)/test/texture_values_test $(B)/test/texture_surface_test: $(call test_reference,tests/unit/reference/texture.c)

# VARIANT=fuzz compares what is compared, too, and finds more in the same time; that of asan is what make test has.
$(B)/fuzzers/%: tests/fuzz/%_fuzz.c $(B)/libregtwin.a $(B)/command
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -MF $@.d -fsanitize=fuzzer $(LINK) -Icosim/engine $< $(B)/libregtwin.a $(LIBS) -lzstd -o $@
fuzz-binaries: $(FUZZBIN)

# The campaigns of make fuzz: programs that run the commands, or the library, on what is drawn from a seed.
build/campaign/%.o: tests/fuzz/%.c build/command | $(GENERATED)
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -D_GNU_SOURCE -Itests -MMD -MP -c $< -o $@
CAMPAIGNS := build/campaign/damage build/campaign/config_sweep
build/campaign/damage: $(patsubst %,build/campaign/%.o,damage damage_corpus box mutate)
build/campaign/config_sweep: build/campaign/config_sweep.o
$(CAMPAIGNS): build/libregtwin.a
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(PROFILE) $(LTO) $(SANFLAGS) $(filter %.o,$^) build/libregtwin.a $(LIBS) -o $@
campaigns: $(CAMPAIGNS)

# ---- checks ------------------------------------------------------------------------------------------------------
.PHONY: bare-check
bare-check: ## clone, make, demo, install, demo with Verilator and test in a Debian with nothing but git and make [SUITE=bookworm PARTS=first KEEP=1]; for root
	@SUITE='$(SUITE)' PARTS='$(PARTS)' KEEP='$(KEEP)' tests/bare.sh

test: deps ## every test, format and lint; ends with "N passed, N failed, N skipped"; FRESH=1: nothing is taken from tests/records.tsv
	@FRESH=$(FRESH) tests/run.sh
check: deps ## the short tier: format, layers, citations, quick unit tests, lockstep of the blocks that changed
	@tests/run.sh --check
counters-record: binary ## write what small kernels count under each system into tests/data/counters/, after a change that is meant to change it
	@tests/counters.sh record
identity-record: binary ## a hash of the statistics of every kernel under each system on each machine, into tests/data/identity/; can be stopped and continued [JOBS=]
	@JOBS='$(JOBS)' tests/identity.sh record
identity-check: binary ## the same runs, compared with tests/data/identity/
	@JOBS='$(JOBS)' tests/identity.sh check
coverage-c: deps ## lines, branches and functions of cmodel/ that the tests reach, by folder; fails where a line of the systems' wiring is never run [COVERAGE_TESTS="unit/ cli/ kernels/"]
	@COVERAGE_TESTS='$(COVERAGE_TESTS)' tests/coverage_c.sh
records: ## write the results of this tree's last runs into tests/records.tsv
	@tests/records.sh

lint: export LINT_FLAGS = $(RT_CFLAGS)
lint: deps-test $(GENERATED) ## clang-tidy over cmodel/, shellcheck over the scripts; warnings are errors
	@tests/lint.sh $(JOBS) $(SRC)
	@tests/lint_scripts.sh $(SCRIPTS)
	@echo 'lint: $(words $(SCRIPTS)) scripts, no warnings'

lint-rtl: deps-cosim ## every Verilog module alone through Verilator, Yosys and Icarus, a warning is a failure; no search by a carry chain [BLOCK= SETS=all]
	@rtl/lint.sh $${BLOCK:+"$$BLOCK"}
	@rtl/search.sh $${BLOCK:+"$$BLOCK"}

# Not part of make test: nothing of npm is needed there.
YOWASP ?= 0.55
.PHONY: rtl-current
rtl-current: ## every Verilog module read by a newer Yosys, npm's @yowasp/yosys; skipped without npm [BLOCK=slice/vc YOWASP=0.55]
	@if ! command -v npm >/dev/null || ! command -v node >/dev/null; then echo 'rtl-current: skipped: found no node and npm (packages nodejs, npm)'; exit; fi; \
	  at=build/yowasp/$(YOWASP); [ -d $$at/node_modules/@yowasp/yosys ] || npm install --silent --no-fund --no-audit --prefix $$at @yowasp/yosys@$(YOWASP) || \
	    { echo 'rtl-current: skipped: npm could not install @yowasp/yosys@$(YOWASP)'; exit 0; }; \
	  node rtl/current.mjs $$at/node_modules/@yowasp/yosys $(BLOCK)

# OpenCL headers and the Verilator configuration are no C.
FORMATTED = $(sort $(shell find cmodel cosim synth tb tests -name '*.[ch]' ! -name '*.vlt.h' -o -name '*.cpp'))
format: deps-test ## clang-format over all C and C++ files (.clang-format)
	@if ! why=$$(cmodel/make/llvm.sh --reference clang-format); then echo "format: nothing was changed: $$why" >&2; exit 1; fi
	@$(CLANG_FORMAT) -i $(FORMATTED)
format-check: deps-test ## fails if make format would change a file
	@if ! why=$$(cmodel/make/llvm.sh --reference clang-format); then echo "ok - format # SKIP $$why (CONTRIBUTING.md)"; exit; fi; \
	  $(CLANG_FORMAT) --dry-run --Werror $(FORMATTED); echo 'format-check: $(words $(FORMATTED)) files'

fuzz: deps ## damaged inputs, random configurations, kills and full disks, libFuzzer (docs/develop/fuzz.md); FUZZ_PARTS="damage..."
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_INPUTS=$(FUZZ_INPUTS) FUZZ_CONFIGS=$(FUZZ_CONFIGS) FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/all.sh $(FUZZ_PARTS)

# A run with checkpoints, killed 20 times at random moments and continued: make checkpoint-kills [CHECKPOINT_SEED=1] [CHECKPOINT_KILLS=20]
.PHONY: checkpoint-kills
CHECKPOINT_SEED ?= 1
CHECKPOINT_KILLS ?= 20
CHECKPOINT_RUNS := 'hotspot' 'hotspot --system FineReg' 'sgemm --system SL-Full-P --config gtx480' 'sgemm --system LB' 'stencil --system LTRF+' \
  'hotspot --system Malekeh' 'sgemm --system Malekeh --set malekeh.near=exact' 'bfs srad_v1' 'bfs --system VT --sms 4' 'bfs --sms all --per-sm --per-launch' \
  'hotspot --system RegDRAM --set sim.check=true' 'bfs --system PCAL --races'
checkpoint-kills: deps-build ## runs with checkpoints, each killed 20 times at random moments: the statistics of a run that was left alone
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@set -f; for r in $(CHECKPOINT_RUNS); do tests/checkpoint_kills.sh $(CHECKPOINT_SEED) $(CHECKPOINT_KILLS) $$r; done | tee build/checkpoint-kills.txt
	@! grep -q '^not ok' build/checkpoint-kills.txt

pgo-check: ## build with PGO=1 and hold every statistic of some kernels against the plain build
	@$(MAKE) --no-print-directory PGO= VARIANT= binary && $(MAKE) --no-print-directory PGO=1 binary
	@run() { "$$1/regtwin" run "$${@:3}" --size small --json - > $$2 && grep -q '"cycles": [1-9]' $$2 && \
	  sed -i -E '/"host_seconds"|_per_second"|"peak_rss_bytes"/d' $$2; }; n=0; \
	for k in sgemm bfs hotspot lavaMD; do for m in 'gtx980 --system FineReg' 'gtx480 --system SL-Orig' rtx2060; do \
	  run $(BUILD_DIR) $(BUILD_DIR)/pgo/plain.json $$k --config $$m; run $(BUILD_DIR)/pgo $(BUILD_DIR)/pgo/pgo.json $$k --config $$m; \
	  cmp $(BUILD_DIR)/pgo/plain.json $(BUILD_DIR)/pgo/pgo.json || \
	    { echo "$$k, $$m: found other statistics with PGO=1, expected the same"; exit 1; }; n=$$((n + 1)); done; done; \
	echo "pgo-check: $$n runs, the same statistics"

traceg-all: deps-build ## every kernel as a trace, exported for Accel-Sim and imported again: nothing differs (docs/use/accel-sim.md)
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@tests/traceg_all.sh

.PHONY: trace-all
trace-all: binary ## every kernel recorded and replayed on every machine, on several SMs, and with every system [TRACE_MACHINES= TRACE_SYSTEMS= TRACE_KERNELS=] (docs/use/trace-format.md)
	@tests/trace_all.sh

