# SPDX-License-Identifier: Apache-2.0
# make install, make uninstall. Included by the top Makefile.
BINDIR = $(DESTDIR)$(PREFIX)/bin
LIBDIR = $(DESTDIR)$(PREFIX)/lib
INCDIR = $(DESTDIR)$(PREFIX)/include
SHAREDIR = $(DESTDIR)$(PREFIX)/share

# The installed library is one object whose only global names are those of regtwin.h, and knows where the kernels are.
build/install/libregtwin.a: $(LIBOBJ) FORCE
	@mkdir -p $(@D)
	@printf 'const char traces_installed[] = "%s";\n' '$(PREFIX)/share/regtwin/kernels' > $(@D)/place.c
	$(Q)$(CC) -g -c $(@D)/place.c -o $(@D)/place.o
	$(Q)$(CC) -r -nostdlib $(if $(LTO),$(CFLAGS) $(PROFILE) $(LTO) -flinker-output=nolto-rel) $(filter-out %/run/place.o,$(LIBOBJ)) $(@D)/place.o -o $(@D)/regtwin.o
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='rt_*' $(@D)/regtwin.o
	@rm -f $@
	$(Q)$(AR) rcs $@ $(@D)/regtwin.o

install: all ## binary, libraries, header, pkg-config file, man page, completion, kernels, pages
	@$(MAKE) $(ALL_CORES) build/install/libregtwin.a
	install -D -m 755 $(B)/regtwin $(BINDIR)/regtwin
	install -D -m 644 build/install/libregtwin.a $(LIBDIR)/libregtwin.a
	install -D -m 644 cmodel/regtwin.h $(INCDIR)/regtwin.h
	for f in $(filter-out %.icd,$(HOST_LIBS)); do install -D -m 755 $$f $(LIBDIR)/regtwin/$${f##*/} || exit; done
	install -d $(SHAREDIR)/regtwin/opencl
	echo '$(abspath $(PREFIX))/lib/regtwin/libregtwin-opencl.so' > $(SHAREDIR)/regtwin/opencl/regtwin.icd
	install -d $(LIBDIR)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' cmodel/make/install/regtwin.pc.in > $(LIBDIR)/pkgconfig/regtwin.pc
	install -D -m 644 cmodel/make/install/regtwin.1 $(SHAREDIR)/man/man1/regtwin.1
	install -D -m 644 cmodel/make/install/regtwin.bash $(SHAREDIR)/bash-completion/completions/regtwin
	cd traces/kernels && find . \( -name '*.ptx' -o -name '*.launch' -o -name '*.widths' -o -name about.yaml -o -name '*_cl.h' -o -name '*.png' \) \
	  -exec install -D -m 644 {} $(abspath $(SHAREDIR))/regtwin/kernels/{} \;
	for f in $(OPCODE_MAPS); do install -D -m 644 $$f $(SHAREDIR)/regtwin/opcodes/$${f##*/} || exit; done
	cd docs && find . \( -name '*.md' ! -name README.md -o -name '*.png' \) -exec install -D -m 644 {} $(abspath $(SHAREDIR))/doc/regtwin/{} \;

uninstall: ## remove what install put there
	rm -f $(BINDIR)/regtwin $(INCDIR)/regtwin.h $(LIBDIR)/libregtwin.a $(LIBDIR)/pkgconfig/regtwin.pc $(SHAREDIR)/man/man1/regtwin.1 \
	  $(SHAREDIR)/bash-completion/completions/regtwin
	rm -rf $(LIBDIR)/regtwin $(SHAREDIR)/regtwin $(SHAREDIR)/doc/regtwin

