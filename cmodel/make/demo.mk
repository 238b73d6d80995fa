# SPDX-License-Identifier: Apache-2.0
# make demo and the record of its step five (cmodel/make/demo.sh). Included by the top Makefile.
DEMO = $(foreach v,MAKE JOBS CC CXX VERILATOR YOSYS SYSTEM_DIRS,$(call quoted,$v)) REGTWIN='$(B)/regtwin' cmodel/make/demo.sh
.PHONY: demo-record
demo: ## five steps in less than a minute after the build: a kernel, what holds it back, three architectures, their cost, a fault in Verilog [KERNEL=bfs SYSTEM=LTRF+ MACHINE= SIZE=]
	@$(DEMO)
demo-record: deps-cosim ## write what step five of make demo prints into cosim/records/demo.txt
	@$(DEMO) record
