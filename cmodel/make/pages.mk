# SPDX-License-Identifier: Apache-2.0
# Pages and pictures of docs/ that commands write: what was measured, and tables of what the program knows. Included by the top Makefile.
WIDTHS ?= $(basename $(notdir $(wildcard traces/kernels/*/*.widths)))# kernels
widths: deps-build ## the narrowest float formats that keep a quality: writes traces/kernels/*/*.widths; WIDTHS="KERNEL..." JOBS=N
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@for q in perfect high; do $(B)/regtwin tune $(WIDTHS) --quality $$q --jobs $(JOBS); done

# What each kernel is like (docs/use/kernels.md): the plots of all of them, and what stands between the page's marks.
CHARACTERIZE_SIZE ?= default
CHARACTERIZE_PLOTS := mix l1 reuse locality registers stall time
.PHONY: characterize
characterize: deps ## measure every kernel, write plots to docs/img/characterize and tables into docs/use/kernels.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/characterize docs/img/characterize
	@$(B)/regtwin characterize all --size $(CHARACTERIZE_SIZE) --markdown --plots build/characterize \
	  --json build/characterize/all.json > build/characterize/table.md
	@cp $(CHARACTERIZE_PLOTS:%=build/characterize/%.png) docs/img/characterize/
	@{ echo '```'; $(B)/regtwin list kernels --limits; echo '```'; } > build/characterize/manifest.md
	@{ echo '```'; $(B)/regtwin characterize all --groups --size $(CHARACTERIZE_SIZE); echo '```'; } > build/characterize/groups.md
	@{ echo '```'; $(B)/regtwin analyze --registers; echo '```'; } > build/characterize/registers.md
	@sed -e '/^<!-- characterize -->$$/r build/characterize/table.md' -e '/^<!-- manifest -->$$/r build/characterize/manifest.md' \
	  -e '/^<!-- registers -->$$/r build/characterize/registers.md' -e '/^<!-- groups -->$$/r build/characterize/groups.md' \
	  -e '/^<!-- groups -->$$/,/^<!-- end of groups -->$$/{/^<!-- /!d}' \
	  -e '/^<!-- registers -->$$/,/^<!-- end of registers -->$$/{/^<!-- /!d}' \
	  -e '/^<!-- characterize -->$$/,/^<!-- end of characterize -->$$/{/^<!-- /!d}' \
	  -e '/^<!-- manifest -->$$/,/^<!-- end of manifest -->$$/{/^<!-- /!d}' docs/use/kernels.md > build/characterize/page.md
	@cp build/characterize/page.md docs/use/kernels.md; echo 'characterize: docs/use/kernels.md, docs/img/characterize; more in build/characterize'

# What the slots' hooks are (cmodel/sm/slot.def), between the marks of their page.
.PHONY: slots-page
slots-page: deps ## write the tables of hooks into docs/reference/slots.md
	@$(MAKE) --no-print-directory -s $(B)/test/slots_test
	@$(B)/test/slots_test --page > build/slots.md
	@sed -e '/^<!-- hooks -->$$/r build/slots.md' -e '/^<!-- hooks -->$$/,/^<!-- end of hooks -->$$/{/^<!-- /!d}' docs/reference/slots.md > build/slots.page
	@cp build/slots.page docs/reference/slots.md; echo 'slots-page: docs/reference/slots.md'

# What each proof claims (synth/formal/claims.tsv), between the marks of its page.
PROOFS_PAGE ?= docs/develop/proofs.md
.PHONY: proofs-page
proofs-page: ## write the table of claims of synth/formal/claims.tsv into docs/develop/proofs.md
	@mkdir -p build; synth/formal/claims.sh --page > build/proofs.table
	@sed -e '/^<!-- claims -->$$/r build/proofs.table' -e '/^<!-- claims -->$$/,/^<!-- end of claims -->$$/{/^<!-- /!d}' $(PROOFS_PAGE) > build/proofs.page
	@cp build/proofs.page $(PROOFS_PAGE); echo 'proofs-page: $(PROOFS_PAGE)'

.PHONY: ptx-page
ptx-page: deps ## write the tables of regtwin list ptx into docs/reference/ptx.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@$(B)/regtwin list ptx --markdown > build/ptx.table
	@sed -e '/^<!-- instructions -->$$/r build/ptx.table' -e '/^<!-- instructions -->$$/,/^<!-- end of instructions -->$$/{/^<!-- /!d}' docs/reference/ptx.md > build/ptx.page
	@cp build/ptx.page docs/reference/ptx.md; echo 'ptx-page: docs/reference/ptx.md'

# The experiments of a paper, between the marks of its page; runs that were made before are not made again.
RESULTS_SIZE ?= default
SMALL_ltrf := E-LT6 E-LT7a E-LT7b E-LT9#    at size small: thousands of runs, of which those of one kernel are compared with each other
SMALL_malekeh := E-MK3a#    likewise: eighteen runs of each kernel
EXPERIMENTS_cost := E-FR14 E-SL6 E-FR10a E-FR10b#    of the page cost, which is no paper's; a paper's page has its others
experiments_of = $(or $(EXPERIMENTS_$1),$(filter-out $(EXPERIMENTS_cost),$(shell awk -F '"' '/^EXPERIMENT/ { print $$2 }' cmodel/systems/$1/paper.def)))
RESULTS := $(filter-out results-together results-README,$(patsubst docs/results/%.md,results-%,$(sort $(wildcard docs/results/*.md))))
.PHONY: $(RESULTS)
results-finereg: ## measure the figures of a paper (likewise results-slices, results-cost): docs/results/finereg.md, docs/img/finereg
$(RESULTS): results-%: deps
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/experiments docs/img/$*
	@for part in '$(filter-out $(SMALL_$*),$(call experiments_of,$*)):$(RESULTS_SIZE):$*' $(if $(SMALL_$*),'$(SMALL_$*):small:$*-small'); do \
	  IFS=: read -r which size name <<<"$$part"; $(B)/regtwin experiment $$which --size $$size --jobs $(JOBS) --db build/experiments/results.db \
	    --markdown=../img/$* --json build/experiments/$$name.json || echo '$@: not all of it could be measured; the page says what' >&2; \
	  done > build/experiments/$*.md
	@sed -e '/^<!-- experiments -->$$/r build/experiments/$*.md' \
	  -e '/^<!-- experiments -->$$/,/^<!-- end of experiments -->$$/{/^<!-- /!d}' docs/results/$*.md > build/experiments/page.md
	@cp build/experiments/page.md docs/results/$*.md
	@$(MAKE) --no-print-directory -s pictures PICTURES=$*; echo '$@: docs/results/$*.md, docs/img/$*'

# The pictures of docs/results, from the tables of its pages: what has been measured is drawn again without a run (docs/develop/pictures.md).
PICTURES ?=#  pages, e.g. finereg together; all
.PHONY: pictures
pictures: deps-test ## draw docs/img/PAPER and docs/img/together from the tables of docs/results; PICTURES="PAGE..."
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(B)/test/pictures_test
	@$(B)/test/pictures_test --draw docs/img $(PICTURES)

# Every paper's systems on one machine, and, at size small, on each paper's own: about an hour of one core; an interrupted one continues.
.PHONY: results-together
TOGETHER := $(B)/regtwin compare all --jobs $(JOBS) --db build/experiments/results.db
results-together: deps ## measure all systems side by side: docs/results/together.md, docs/img/together
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/experiments docs/img/together
	@{ part() { printf '## %s\n\n`regtwin compare all%s`\n\n' "$$1" "$$2"; $(TOGETHER) $$2 "$${@:3}" 2>>build/experiments/together.log || echo 'results-together: not all of it could be measured; the page says what' >&2; }; \
	  part "One machine, size $(RESULTS_SIZE)" " --size $(RESULTS_SIZE)" --json build/experiments/together.json --markdown; \
	  part 'One machine, size small' ' --size small' --markdown=brief; \
	  for m in gtx480 gtx980 maxwell rtx2060; do part "A paper's own machine, size small: $$m" " --config $$m --size small" --markdown=brief; done; } > build/experiments/together.md
	@sed -e '/^<!-- together -->$$/r build/experiments/together.md' -e '/^<!-- together -->$$/,/^<!-- end of together -->$$/{/^<!-- /!d}' \
	  docs/results/together.md > build/experiments/page.md
	@cp build/experiments/page.md docs/results/together.md
	@$(MAKE) --no-print-directory -s pictures PICTURES=together; echo '$@: docs/results/together.md, docs/img/together'

combinations: deps-build ## every pair of choices that fits, on all kernels at size small with sim.check: docs/use/combinations.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/experiments
	@{ echo '```'; $(B)/regtwin combine; echo '```'; } > build/experiments/matrix.txt
	@$(B)/regtwin combine --run --set linebacker.period=2000 --jobs $(JOBS) --db build/experiments/results.db > build/experiments/pairs.txt \
	  || { [ -s build/experiments/pairs.txt ] || exit 1; echo '$@: not every kernel ran; the page says which and why' >&2; }
	@{ echo '```'; cat build/experiments/pairs.txt; echo '```'; } > build/experiments/pairs.md
	@sed -e '/^<!-- matrix -->$$/r build/experiments/matrix.txt' -e '/^<!-- results -->$$/r build/experiments/pairs.md' \
	  -e '/^<!-- matrix -->$$/,/^<!-- end of matrix -->$$/{/^<!-- /!d}' -e '/^<!-- results -->$$/,/^<!-- end of results -->$$/{/^<!-- /!d}' \
	  docs/use/combinations.md > build/experiments/page.md
	@cp build/experiments/page.md docs/use/combinations.md; echo '$@: docs/use/combinations.md'

.PHONY: twins-page
twins-page: deps ## write the short table of regtwin list blocks into docs/develop/lockstep.md
	@$(MAKE) --no-print-directory -s -j$(JOBS) binary
	@mkdir -p build/twins; $(B)/regtwin list blocks --markdown > build/twins/table.md
	@sed -e '/^<!-- twins -->$$/r build/twins/table.md' -e '/^<!-- twins -->$$/,/^<!-- end of twins -->$$/{/^<!-- /!d}' docs/develop/lockstep.md > build/twins/page.md
	@cp build/twins/page.md docs/develop/lockstep.md; echo 'twins-page: docs/develop/lockstep.md'

.PHONY: headlines-page
headlines-page: ## write the README's table of the five papers, from docs/results/headlines.tsv and the tables of docs/results
	@mkdir -p build/experiments; awk -f cmodel/make/headlines.awk docs/results/headlines.tsv > build/experiments/headlines.md
	@sed -e '/^<!-- headlines -->$$/r build/experiments/headlines.md' -e '/^<!-- headlines -->$$/,/^<!-- end of headlines -->$$/{/^<!-- /!d}' README.md > build/experiments/page.md
	@cp build/experiments/page.md README.md; echo 'headlines-page: README.md'

docs/img/architecture.png: docs/img/architecture.dot | deps-test
	dot -Tpng -Gdpi=80 $< -o $@

