# SPDX-License-Identifier: Apache-2.0
# Libraries that a host program loads in place of a vendor's (docs/use/host.md), below $(B)/host: the OpenCL driver with its .icd file, the CUDA
# runtime library of each major version, and a CUDA driver library that only says what to do. Each is linked from its own folder and
# libregtwin.a, and exports nothing but its programming interface.
HOST := $(B)/host
OPENCL_OBJ := $(patsubst cmodel/%.c,$(B)/obj/%.o,$(sort $(wildcard cmodel/host/opencl/*.c))) $(B)/obj/gen/regtwin_cl.o
CUDA_OBJ := $(patsubst cmodel/%.c,$(B)/obj/%.o,$(sort $(wildcard cmodel/host/cuda/*.c)))
# The sources of the CUDA runtime are compiled once for each version, since some structures differ: CUDART_VERSION as in its headers.
CUDART_SRC := $(sort $(wildcard cmodel/host/cudart/*.c))
CUDARTS := 11.0 12 13
CUDART_NUMBER_11.0 := 11000
CUDART_NUMBER_12 := 12000
CUDART_NUMBER_13 := 13000
cudart_obj = $(CUDART_SRC:cmodel/host/cudart/%.c=$(B)/obj/cudart-$1/%.o)

HOST_LIBS := $(if $(OPENCL_OBJ),$(HOST)/libregtwin-opencl.so $(HOST)/regtwin.icd) \
  $(if $(CUDART_SRC),$(CUDARTS:%=$(HOST)/libcudart.so.%)) $(if $(CUDA_OBJ),$(HOST)/libcuda.so.1)
# They stay loaded when a plugin that needs them is closed: the session ends with the process.
HOST_LINK = $(CC) $(CFLAGS) $(PROFILE) $(LTO) $(SANFLAGS) -shared -Wl,--as-needed,-Bsymbolic,-z,nodelete,--exclude-libs,ALL $(if $(SANFLAGS),,-Wl,-z,defs)

.PHONY: host
host: $(HOST_LIBS) ## build the libraries that host programs load: OpenCL driver, CUDA runtime (build/host; docs/use/host.md)

$(HOST)/libregtwin-opencl.so: $(OPENCL_OBJ) $(B)/libregtwin.a cmodel/host/opencl/exports.map
	@mkdir -p $(@D); echo '  LD $@'
	$(Q)$(HOST_LINK) -Wl,-soname,$(@F),--version-script=cmodel/host/opencl/exports.map $(OPENCL_OBJ) $(B)/libregtwin.a $(LIBS) -o $@
# The header that every OpenCL C program is compiled with becomes a string of the driver.
$(GEN)/regtwin_cl.c: cmodel/host/opencl/regtwin_cl.h cmodel/make/host.mk
	@mkdir -p $(@D); { echo 'extern const char regtwin_cl_text[]; const char regtwin_cl_text[] ='; \
	  sed -e 's/[\"]/\\&/g' -e 's/.*/"&\\n"/' $<; echo ';'; } > $@.new && mv $@.new $@
$(B)/obj/gen/regtwin_cl.o: $(GEN)/regtwin_cl.c $(B)/command
	@mkdir -p $(@D); echo '  CC $@'
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@
# Written again when this tree was moved or copied: it has the path of the driver.
$(HOST)/regtwin.icd: FORCE
	@mkdir -p $(@D); echo '$(abspath $(HOST))/libregtwin-opencl.so' | cmp -s - $@ || echo '$(abspath $(HOST))/libregtwin-opencl.so' > $@

# Every name of the interface has the version that programs are linked against: libcudart.so.13, for one.
define CUDART_RULES
$(B)/obj/cudart-$1/%.o: cmodel/host/cudart/%.c $(B)/command | $(GENERATED)
	@mkdir -p $$(@D); echo '  CC $$@'
	$$(Q)$$(COMPILE) -DCUDART_VERSION=$(CUDART_NUMBER_$1) -MMD -MP -c $$< -o $$@
$(HOST)/cudart-$1.map: cmodel/make/host.mk
	@mkdir -p $$(@D); echo 'libcudart.so.$1 { global: cuda*; __cuda*; local: *; };' > $$@
$(HOST)/libcudart.so.$1: $(call cudart_obj,$1) $(B)/libregtwin.a $(HOST)/cudart-$1.map
	@mkdir -p $$(@D); echo '  LD $$@'
	$$(Q)$$(HOST_LINK) -Wl,-soname,libcudart.so.$1,--version-script=$(HOST)/cudart-$1.map $(call cudart_obj,$1) $(B)/libregtwin.a -llz4 $$(LIBS) -o $$@
-include $(patsubst %.o,%.d,$(call cudart_obj,$1))
endef
$(foreach v,$(CUDARTS),$(eval $(call CUDART_RULES,$v)))

$(HOST)/libcuda.so.1: $(CUDA_OBJ) $(B)/libregtwin.a
	@mkdir -p $(@D); echo '  LD $@'
	$(Q)$(HOST_LINK) -Wl,-soname,libcuda.so.1 $(CUDA_OBJ) $(B)/libregtwin.a $(LIBS) -o $@

# Unit tests that call the libraries as a program would. They are position-independent, since managed memory needs the low addresses.
HOST_TESTS := tests/unit/cudart_test.c tests/unit/cudart_old_test.c tests/unit/cudart_reference_test.c
HOST_TEST = $(CC) $(CFLAGS) $(PROFILE) $(LTO) $(SANFLAGS) -pie $(filter %.o %.so.13 %.so.11.0,$^) -lcmocka -Wl,-rpath,'$$ORIGIN/../host' -o $@
$(B)/test/cudart_test: $(B)/test/cudart_test.o $(HOST)/libcudart.so.13
	@echo '  LD $@'
	$(Q)$(HOST_TEST)
$(B)/test/cudart_reference_test.o: TEST_FLAGS := -DCUDART_VERSION=11000
$(B)/test/cudart_reference_test: $(B)/test/cudart_reference_test.o $(HOST)/libcudart.so.11.0
	@echo '  LD $@'
	$(Q)$(HOST_TEST)
# It opens the libraries itself.
$(B)/test/cudart_old_test: $(B)/test/cudart_old_test.o | $(HOST)/libcudart.so.11.0 $(HOST)/libcudart.so.12
	@echo '  LD $@'
	$(Q)$(HOST_TEST)

-include $(OPENCL_OBJ:.o=.d) $(CUDA_OBJ:.o=.d)

# Unit tests of the OpenCL driver call its functions without a loader: they are linked with its objects.
OPENCL_TESTS := $(patsubst tests/unit/%.c,$(B)/test/%,$(sort $(wildcard tests/unit/opencl*_test.c)))
$(OPENCL_TESTS): $(OPENCL_OBJ)

# Likewise those of the CUDA runtime, of its newest version; the reader of fat binaries and the linker are tested alone.
CUDART_TESTS := $(patsubst tests/unit/%.c,$(B)/test/%,$(filter-out $(HOST_TESTS),$(sort $(wildcard tests/unit/cudart*_test.c))))
$(CUDART_TESTS): $(call cudart_obj,13)
$(CUDART_TESTS): LIBS := -llz4 $(LIBS)
$(B)/test/fatbin_test: $(B)/obj/cudart-13/fatbin.o
$(B)/test/fatbin_test $(B)/fuzzers/fatbin: LIBS += -llz4
$(B)/test/link_test: $(B)/obj/cudart-13/link.o
