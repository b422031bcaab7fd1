# SPDX-License-Identifier: MIT
# make, make check, make check-test_NAME, make check-plain, make check-recorder,
# make check-full,
# make bench, make lint,
# make install, make deb,
# make dist, make docs, make compile_commands.json
# V=1 shows commands, DRAFT=1 compiles faster but produces slower code,
# DRAFT=1 UNITS=1 compiles build/ktrace-hw alone, many files at once,
# SAN=1 builds with ASan and UBSan into build-san/,
# FUZZ=1 for libFuzzer (clang) into build-fuzz/, ARCH=arm64 cross-builds into
# build-arm64/ (see scripts/arm64_sysroot.sh) and runs the suites in QEMU.
# Built-in rules would try to make the dependency files (.d) from objects.
MAKEFLAGS += --no-builtin-rules

BUILD   := build$(if $(ARCH),-$(ARCH))$(if $(FUZZ),-fuzz,$(if $(SAN),-san))
OBJCOPY ?= objcopy
SPLIT   := common collector decoder symbolize execution report attribution tables view sql store cmd
MODULES := $(SPLIT) rows archive analysis explain selftest serve inband
FOLDERS := $(MODULES) $(patsubst %/,%,$(wildcard $(SPLIT:%=%/*/)))
# The suites of a module are in tests/MODULE; what several use, in tests/fixtures.
TEST_SRCS := $(wildcard tests/*.c tests/fixtures/*.c $(MODULES:%=tests/%/test_*.c))
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
LIBEXEC  = $(PREFIX)/libexec/ktrace-hw
ZSH_FUNCTIONS = $(PREFIX)/share/zsh/site-functions
# A system may have only the compiler that ./start installs.
CC      := $(if $(FUZZ),clang,$(if $(filter default,$(origin CC)),$(if \
           $(shell command -v cc),cc,gcc-12),$(CC)))

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wswitch-enum -Wwrite-strings -Wcast-qual -Werror=implicit-function-declaration \
            -Werror=int-conversion
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all \
             -fno-omit-frame-pointer
SANITIZE := $(if $(SAN)$(FUZZ),$(SAN_FLAGS)) \
            $(if $(FUZZ),-fsanitize=fuzzer-no-link)
ifeq ($(ARCH),arm64)
SYSROOT  := build-arm64-sysroot
CC       := $(filter ccache,$(CC)) aarch64-linux-gnu-gcc
OBJCOPY  := aarch64-linux-gnu-objcopy
# QEMU starts the folder's program loader, which starts the suite. The usual
# `qemu-aarch64 -L FOLDER` would look up each path that a suite opens in FOLDER
# first, so suites that open a path folder by folder would not leave FOLDER.
LIBRARIES := $(SYSROOT)/usr/lib/aarch64-linux-gnu
RUN      := qemu-aarch64 $(SYSROOT)/lib/ld-linux-aarch64.so.1 \
            --library-path $(LIBRARIES):$(SYSROOT)/lib/aarch64-linux-gnu
CPPFLAGS += -isystem $(SYSROOT)/usr/include/aarch64-linux-gnu \
            -isystem $(SYSROOT)/usr/include
LDFLAGS  += '--sysroot=$(CURDIR)/$(SYSROOT)' \
            -L$(LIBRARIES) -Wl,-rpath-link,$(LIBRARIES)
# Debian's releases name Zydis's library differently, and the machine's files
# may be of a later release, without all of these: the build carries its own
# copies.
CARRIED  := $(BUILD)/lib
CARRIED_LIBS := libZydis libdeflate libsqlite3 libedit libbsd libmd
# Old tags, since carried libraries may need further ones, as libedit needs
# libbsd.
LDFLAGS  += -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'
endif

# Debian has libipt only for x86; elsewhere its decoder is left out. \043 is a number
# sign, whose escaping differs between versions of make.
HAVE_IPT := $(if $(ARCH),,$(shell printf '\043include <intel-pt.h>\n' | \
            $(CC) -E - >/dev/null 2>&1 && echo yes))
IPT_SRCS := $(wildcard decoder/libipt/libipt_*.c)
NO_IPT_SRCS := decoder/libipt/without_libipt.c
NO_IPT_TESTS := $(shell grep -l intel-pt.h $(TEST_SRCS))

# Without libmicrohttpd, `ktrace-hw view` is left out.
HAVE_MHD := $(if $(ARCH),,$(shell printf '\043include <microhttpd.h>\n' | \
            $(CC) -E - >/dev/null 2>&1 && echo yes))
MHD_SRCS := view/http/server.c
NO_MHD_SRCS := view/http/without_server.c
NO_MHD_TESTS := $(shell grep -l view/http/ $(TEST_SRCS))

# Without libcurl and LZ4, stores can only be files.
HAVE_CURL := $(if $(ARCH),,$(shell \
             printf '\043include <%s>\n' curl/curl.h lz4.h | \
             $(CC) -E - >/dev/null 2>&1 && echo yes))
CURL_SRCS := $(addprefix store/clickhouse/clickhouse_, http.c store.c upload.c)
NO_CURL_SRCS := store/clickhouse/without_curl.c
NO_CURL_TESTS := $(shell grep -l clickhouse_upload_internal.h $(TEST_SRCS))

# Sanitized code compiles in two thirds of the time with -O1, and another tenth
# faster with line information only, which is all that reports need.
CFLAGS   ?= $(if $(SAN),-O1 -g1,$(if $(DRAFT),-O0 -g1,-O2 -g))
# The version at the top of NEWS.
VERSION  := $(shell sed -n 's/^ktrace-hw \([0-9.]*\).*/\1/p;T;q' NEWS)
CPPFLAGS += -I. -D_GNU_SOURCE -MMD -MP
# The code that takes nearly all the time is compiled as one unit when the
# program is linked; its objects also contain machine code, which suites and
# libraries use.
FAST_SRCS := execution/% decoder/intel_pt/% report/steps/% report/profile/%
# The code that a draft optimizes: it takes most of a report's time.
BUSY_SRCS := $(FAST_SRCS) attribution/events/% attribution/time/% report/text/% report/timeline/%
WHOLE    := -O3 -flto -flto-partition=one
HAVE_LTO := $(if $(SAN)$(FUZZ)$(DRAFT),,$(shell $(CC) $(WHOLE) -ffat-lto-objects -Werror \
            -x c -c -o /dev/null /dev/null 2>/dev/null && echo yes))
LDFLAGS  += $(if $(HAVE_LTO),-fno-lto)
# The library is also part of SQLite's extension, hence -fPIC.
CFLAGS   += -std=c17 $(WARNINGS) $(SANITIZE) -fPIC -fvisibility=hidden
LDLIBS   += $(if $(HAVE_IPT),-lipt) -lopencsd_c_api -lopencsd -lZydis \
            -lelf -ldw -liberty -lzstd -lz -ldeflate -lsqlite3 -ledit -lm \
            $(if $(HAVE_MHD),-lmicrohttpd) $(if $(HAVE_CURL),-llz4) -pthread

# The extension uses the SQLite interface that the loading program passes to it.
EXTENSION      := $(if $(FUZZ),,$(BUILD)/ktrace-hw.so)
EXTENSION_MAIN := cmd/sqlite_extension.c
EXTENSION_SRCS := $(EXTENSION_MAIN) $(addprefix sql/sqlite/, percentile_function.c query_plan.c \
                  table_schema.c virtual_table.c)
EXTENSION_OBJS := $(EXTENSION_SRCS:%.c=$(BUILD)/extension/%.o)

SRCS     := $(filter-out $(EXTENSION_MAIN) \
            $(if $(HAVE_IPT),$(NO_IPT_SRCS),$(IPT_SRCS)) \
            $(if $(HAVE_MHD),$(NO_MHD_SRCS),$(MHD_SRCS)) \
            $(if $(HAVE_CURL),$(NO_CURL_SRCS),$(CURL_SRCS)), \
            $(wildcard $(FOLDERS:%=%/*.c)))
TESTS    := $(filter-out $(if $(HAVE_IPT),,$(NO_IPT_TESTS)) \
            $(if $(HAVE_MHD),,$(NO_MHD_TESTS)) \
            $(if $(HAVE_CURL),,$(NO_CURL_TESTS)), \
            $(TEST_SRCS))
SUITE_SRCS := $(foreach t,$(TESTS),$(if $(filter test_%,$(notdir $t)),$t))
# The programs of suites, which are all in one folder: $(call suite_of,SOURCES).
suite_of  = $(addprefix $(BUILD)/tests/,$(basename $(notdir $1)))
OBJS     := $(SRCS:%.c=$(BUILD)/%.o)
MAIN_OBJ := $(BUILD)/cmd/main.o
# The groups of files that UNITS=1 compiles at once, FILE+FILE..., and their
# objects, named after the first file. Only the program is linked with these: in
# a library, a group would need libraries that only one of its files uses.
$(if $(UNITS),$(if $(DRAFT),,$(error UNITS=1 needs DRAFT=1)))
units_of  = $(if $(UNITS),$(shell awk -f scripts/units.awk $1))
BUSY_UNITS := $(call units_of,$(filter $(BUSY_SRCS),$(SRCS)))
GROUPS   := $(BUSY_UNITS) $(call units_of,$(filter-out cmd/main.c $(BUSY_SRCS),$(SRCS)))
first_of  = $(firstword $(subst +, ,$1))
unit_of   = $(patsubst %.c,$(BUILD)/units/%.o,$(call first_of,$1))
LIBRARY_OBJS := $(if $(UNITS),$(foreach g,$(GROUPS),$(call unit_of,$g)),$(filter-out $(MAIN_OBJ),$(OBJS)))
LIBRARY  := $(BUILD)/objects.a
PROGRAM  := $(if $(wildcard cmd/main.c),$(BUILD)/ktrace-hw)
SUITE_FIXTURES := $(BUILD)/tests/fixtures.a
SUITES   := $(call suite_of,$(SUITE_SRCS))
BENCHES  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/bench_*.c))
FUZZERS  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
# Redirects file access to files in memory: see memory_files.h.
FUZZ_RECORDING := $(patsubst %.c,$(BUILD)/%.o,$(filter-out \
            $(if $(FUZZ),,%/large_blocks.c %/compare_hooks.c),$(wildcard tests/fuzz/recording/*.c)))
FUZZ_MUTATOR := $(patsubst %,$(BUILD)/tests/fuzz/recording/%.o,packed_files \
            record_change record_list record_mutator trace_change)
FUZZ_WRAPPED := access stat realpath opendir readdir closedir madvise \
            regular_file_open file_map_open file_map_open_beneath \
            file_map_open_kept file_map_open_fd file_map_close file_map_temporary \
            pt_iscache_add_file $(if $(FUZZ),malloc calloc realloc free \
            $(foreach n,1 2 4 8,__sanitizer_cov_trace_cmp$n \
            __sanitizer_cov_trace_const_cmp$n))

# abis tries x86-64's ways to enter the kernel, call_data calls that arm64 lacks.
E2E_SOURCES  := $(filter-out $(if $(ARCH),%/abis.c %/call_data.c %/vcpu.c),$(wildcard tests/e2e/programs/*.c))
INBAND_SOURCES := $(wildcard tests/e2e/programs/inband*.c) docs/tutorial/slow_web.c
E2E_PROGRAMS := $(E2E_SOURCES:%.c=$(BUILD)/%) $(BUILD)/docs/tutorial/slow_web

# A busy computer is slower, and sanitizers and QEMU take a multiple of the
# time: this also raises the limits that suites set themselves.
SUITE_ENV := CK_DEFAULT_TIMEOUT=120 \
             $(if $(SAN)$(ARCH),CK_TIMEOUT_MULTIPLIER=5)

# The library that other programs link with: it exports only the names of
# inband/ktrace_hw.h. Its file name has the number of its interface.
INBAND_OBJS   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard inband/*.c))
INBAND_STATIC := $(BUILD)/libktrace-hw.a
INBAND_SHARED := $(BUILD)/libktrace-hw.so.0
INBAND_LIBS    = $(filter-out -ldeflate -lsqlite3 -ledit -lmicrohttpd -llz4 -lipt,$(LDLIBS))
INBAND := $(if $(FUZZ),,$(INBAND_STATIC) $(INBAND_SHARED) \
          $(BUILD)/libktrace-hw.so $(BUILD)/libktrace-hw.pc)

# Static, because the traced machine's own files need not have these libraries.
ARCH_CHECK_LIBS := -Wl,-Bstatic -lcheck -lsubunit -Wl,-Bdynamic -lrt -lm \
                   -pthread
CHECK_LIBS := $(if $(ARCH),$(ARCH_CHECK_LIBS), \
              $(shell pkg-config --libs check 2>/dev/null)) \
              -Wl,--wrap=_mark_point

# $(1): suites' targets. A suite that fails or cannot be built does not stop the
# others and is listed at the end with the command that repeats it; each suite's
# output stays together.
PASSED := $(BUILD)/passed
REPEAT := make$(if $(SAN), SAN=1)$(if $(FUZZ), FUZZ=1)$(if $(DRAFT), DRAFT=1)$(if $(ARCH), ARCH=$(ARCH))
define check_all
	@$(RM) -r $(PASSED) && mkdir -p $(PASSED)
	+$(Q)$(MAKE) --no-print-directory -k -O $(1) || { cd $(PASSED) && \
		for check in $(1); do test -e $$check || \
		echo "FAILED: $$check; repeat it with: $(REPEAT) $$check"; \
		done; exit 1; }
endef
pass = mkdir -p $(PASSED) && touch $(PASSED)/$@
# Follows a check's command, so that a failure is printed as soon as the check
# ends.
or_fail = || { echo "FAILED: $@"; exit 1; }

Q := $(if $(V),,@)

# Objects are compiled anew when the compiler or the options for all files change.
FLAGS   := $(BUILD)/flags
COMPILE := $(CC) $(CPPFLAGS) $(CFLAGS)

all: $(PROGRAM) $(EXTENSION) $(INBAND) $(if $(ARCH),,machine)

include machine/machine.mk

$(MAIN_OBJ) $(BUILD)/cmd/selftest.o $(BUILD)/units/cmd/%.o: CPPFLAGS += -DKTRACE_VERSION='"$(VERSION)"'
$(MAIN_OBJ): NEWS

# Writes the words $(1) to the target if it does not contain them yet.
define write_changed
@mkdir -p $(@D)
@printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) >$@
endef

$(FLAGS): FORCE
	$(call write_changed,'$(subst ','\'',$(COMPILE))')
FORCE:

$(if $(DRAFT),$(filter $(BUSY_SRCS:%=$(BUILD)/%),$(OBJS)) $(foreach g,$(BUSY_UNITS),$(call unit_of,$g))): \
	CFLAGS += -O1

# -frandom-seed makes objects reproducible.
$(if $(HAVE_LTO),$(filter $(FAST_SRCS:%=$(BUILD)/%),$(OBJS))): \
	CFLAGS += $(WHOLE) -ffat-lto-objects -frandom-seed=$@

$(BUILD)/ktrace-hw: $(MAIN_OBJ) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(if $(HAVE_LTO),$(WHOLE)) -o $@ $^ $(LDLIBS)

$(EXTENSION): $(EXTENSION_OBJS) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ \
		$(filter-out -lsqlite3 -ledit -llz4,$(LDLIBS))

$(BUILD)/extension/%.o: %.c Makefile $(FLAGS)
	@mkdir -p $(@D)
	@echo "  CC    $< (for SQLite)"
	$(Q)$(CC) $(CPPFLAGS) -DKTRACE_SQLITE_EXTENSION $(CFLAGS) -c -o $@ $<

$(PROGRAM) $(SUITES): | $(CARRIED)

$(CARRIED): Makefile
	$(Q)$(RM) -r $@ $@.new && mkdir -p $@.new
	$(Q)cp -P $(CARRIED_LIBS:%=$(SYSROOT)/usr/lib/aarch64-linux-gnu/%.so.*) $@.new
	$(Q)mv $@.new $@

# Without warnings (-w): a build file by file has them. If a group changes, all
# units are compiled anew.
UNIT_LIST := $(BUILD)/units/list
$(UNIT_LIST): FORCE
	$(call write_changed,$(GROUPS))
$(foreach g,$(GROUPS),$(eval $(call unit_of,$g): $(subst +, ,$g))$(eval $(call unit_of,$g): UNIT := $(subst +, ,$g)))
$(BUILD)/units/%.o: Makefile $(UNIT_LIST) $(FLAGS)
	@mkdir -p $(@D)
	@printf '  CC    %s\n' $(UNIT)
	$(Q)printf '#include "%s"\n' $(UNIT) | $(CC) $(CPPFLAGS) $(CFLAGS) -w -x c -c -o $@ -

# Checkpoints of another build are not used.
$(BUILD)/build_id.c: $(LIBRARY_OBJS)
	$(Q)printf '#include "common/formats/build_id.h"\nconst uint32_t build_id = %s;\n' \
		"$$(cat $^ | cksum | cut -d ' ' -f 1)" >$@

$(BUILD)/build_id.o: $(BUILD)/build_id.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(LIBRARY): $(LIBRARY_OBJS) $(BUILD)/build_id.o
	@mkdir -p $(@D)
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

# One self-contained object of machine code, which exports no other names.
$(INBAND_STATIC): $(INBAND_OBJS) $(LIBRARY)
	@echo "  AR    $@"
	$(Q)$(CC) $(LDFLAGS) -r -nostdlib -o $(@:.a=.o) $^
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='ktrace_hw_*' \
		--remove-section='.gnu.lto_*' $(@:.a=.o)
	$(Q)$(RM) $@ && $(AR) rcs $@ $(@:.a=.o)

$(INBAND_SHARED): $(INBAND_OBJS) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,$(@F) -o $@ $^ \
		-Wl,--as-needed $(INBAND_LIBS)

$(BUILD)/libktrace-hw.so: $(INBAND_SHARED)
	$(Q)ln -sf $(<F) $@

$(BUILD)/libktrace-hw.pc: NEWS Makefile
	@mkdir -p $(@D)
	$(Q)printf '%s\n' 'prefix=@PREFIX@' 'libdir=@LIBDIR@' 'Name: libktrace-hw' \
		'Description: what the kernel did in a program'"'"'s own calls' \
		'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' \
		'Libs: -L$${libdir} -lktrace-hw' \
		'Libs.private: $(INBAND_LIBS)' >$@

# The page's files are embedded in the program.
$(BUILD)/view/page/page.o: $(wildcard view/page/*.js view/page/*.css \
	view/page/*.html)
$(BUILD)/store/clickhouse/clickhouse_ddl.o: $(wildcard store/clickhouse/ddl/*)

# Benchmarks print figures and never fail because of them.
$(BENCHES): $(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o \
		$(BUILD)/tests/bench/tape_fixture.o $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# With FUZZ=1 they search for inputs that break the program, else they replay
# files.
$(FUZZERS): $(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o \
		$(BUILD)/tests/fixtures/packed_folder.o \
		$(BUILD)/tests/fixtures/remove_folder.o \
		$(if $(FUZZ),,$(BUILD)/tests/fuzz/replay.o) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(if $(FUZZ),-fsanitize=fuzzer) \
		-o $@ $(filter %.o,$^) $(LIBRARY) $(LDLIBS)

$(BUILD)/tests/fuzz/fuzz_recording: $(FUZZ_RECORDING)
$(BUILD)/tests/fuzz/fuzz_recording.o: CPPFLAGS += $(if $(FUZZ),-DFUZZING)
# Comparisons in code that writes text do not depend on the input directly, so
# they must not guide the fuzzer.
$(foreach f,report tables cmd,$(BUILD)/$f/%.o): CFLAGS += \
	$(if $(FUZZ),-fno-sanitize-coverage=trace-cmp)
# Code that is not the program's own must not guide the fuzzer, and would be
# counted each time.
$(filter-out %/all_writers.o,$(FUZZ_RECORDING)): CFLAGS += \
	$(if $(FUZZ),-fno-sanitize=fuzzer-no-link)
$(BUILD)/tests/fuzz/fuzz_recording: LDFLAGS += $(FUZZ_WRAPPED:%=-Wl,--wrap=%)

fuzz: $(FUZZERS)

# Seed inputs of fuzz_recording, in build/seeds: recordings with code.
fuzz-seeds: $(BUILD)/tests/test_fuzz_seeds
	@mkdir -p $(BUILD)/seeds
	$(Q)KTRACE_SEEDS=$(BUILD)/seeds $<

# Tests check the call tree of relations: -O1 keeps calls from becoming jumps,
# and longjmp() ends its seemingly infinite recursion.
$(E2E_PROGRAMS): PROGRAM_FLAGS := -O2
$(BUILD)/tests/e2e/programs/relations: PROGRAM_FLAGS := -O1 \
	-Wno-infinite-recursion

# The programs that the end-to-end tests record, each also as a static variant
# at a fixed address, for user stacks. Programs that use the library are built
# like any user's and have no such variant.
INBAND_PROGRAMS := $(if $(FUZZ),,$(patsubst %.c,$(BUILD)/%,$(INBAND_SOURCES)))
$(INBAND_PROGRAMS): $(BUILD)/%: %.c $(INBAND_STATIC)
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) -Iinband $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(INBAND_LIBS)

$(filter-out $(INBAND_PROGRAMS),$(E2E_SOURCES:%.c=$(BUILD)/%)): $(BUILD)/tests/e2e/programs/%: tests/e2e/programs/%.c tests/e2e/programs/program.h
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) -I. -D_GNU_SOURCE $(PROGRAM_FLAGS) -g -std=c17 $(WARNINGS) -o $@ $<
	$(Q)$(CC) -I. -D_GNU_SOURCE $(PROGRAM_FLAGS) -g -std=c17 -static -no-pie -o $@-static $<

# Also builds the program that compares results with perf.
e2e-programs: $(E2E_PROGRAMS) $(if $(ARCH),,$(BUILD)/tests/test_perf_counts)

# The tested code is optimized as in the program; the suites themselves need not
# be and compile in half the time.
FIXTURE_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(filter tests/fixtures/%,$(TESTS)))
$(SUITES:%=%.o) $(FIXTURE_OBJS): CFLAGS += -O0

$(BUILD)/tests/fixtures/shared.o: CPPFLAGS += $(if $(HAVE_IPT),-DHAVE_INTEL_PT)
$(SUITE_FIXTURES): $(FIXTURE_OBJS)
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

# There are many suites: gold, if installed, links them in half the time.
SUITE_LD := $(if $(FUZZ),,$(if $(findstring /,$(shell \
            $(CC) -print-prog-name=ld.gold)),-fuse-ld=gold))

# Each suite is a program that links only the fixtures and library code it
# needs. In sanitized builds, linking took a fifth of the suites' time, so most
# suites are one program with a symbolic link per suite, except those whose
# symbols would have another meaning in it.
JOINED := $(if $(SAN),$(filter-out %/test_executable_pages %/test_generated_copies \
                             %/test_large_blocks %/test_loaded_code %/test_output_folder \
                             %/test_table_pass %/test_trace_writer %/test_trigger_set %/test_user_stack,$(SUITES)))
ALL_SUITES := $(BUILD)/tests/all_suites
APART  := $(filter-out $(JOINED),$(SUITES)) $(if $(JOINED),$(ALL_SUITES))
$(APART): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/tests/run_suite.o $(SUITE_FIXTURES) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SUITE_LD) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(LDLIBS) $(CHECK_LIBS)

$(ALL_SUITES): $(JOINED:%=%.o)
$(JOINED:%=%.o): CFLAGS += -Dmain=main_of_$(*F) -Wno-missing-prototypes
$(JOINED): $(ALL_SUITES)
	$(Q)ln -sf $(<F) $@

$(ALL_SUITES).o: CPPFLAGS += -DALL_SUITES='"$(ALL_SUITES).h"'
$(ALL_SUITES).o: $(ALL_SUITES).h
$(ALL_SUITES).h: $(TESTS) Makefile
	@mkdir -p $(@D)
	$(Q)printf 'SUITE(%s)\n' $(notdir $(JOINED)) >$@

# Options for all suites apply to the joined program, too.
$(if $(JOINED),$(ALL_SUITES),$(BUILD)/tests/test_record_mutator): $(FUZZ_MUTATOR)
$(BUILD)/tests/test_large_blocks: $(BUILD)/tests/fuzz/recording/large_blocks.o
$(BUILD)/tests/test_large_blocks: LDFLAGS += \
	$(foreach f,malloc calloc realloc free,-Wl,--wrap=$f)

# The reference implementation that the suite compares with.
$(BUILD)/tests/test_user_stack: LDLIBS += -lunwind

# The suite counts passes over a recording.
$(BUILD)/tests/test_table_pass: LDFLAGS += -Wl,--wrap=run_pipeline

# The suite stalls and fails writes.
$(BUILD)/tests/test_trace_writer: LDFLAGS += -Wl,--wrap=pwritev -Wl,--wrap=poll
$(BUILD)/tests/bench/bench_recorder: LDFLAGS += -Wl,--wrap=poll
$(BUILD)/tests/bench/bench_recorder: $(BUILD)/tests/fixtures/polled_event.o

# The suite copies no kernel memory.
$(BUILD)/tests/test_loaded_code: LDFLAGS += $(foreach f,kcore_open kcore_copy_raw \
	kcore_copy_add,-Wl,--wrap=$f)

# The suite has a file system without locks.
$(BUILD)/tests/test_output_folder: LDFLAGS += -Wl,--wrap=flock

# The suite fails poll().
$(BUILD)/tests/test_generated_copies: LDFLAGS += -Wl,--wrap=poll

# The suite fails reads of the kernel's memory.
$(BUILD)/tests/test_executable_pages: LDFLAGS += -Wl,--wrap=kcore_read

# The suite fails calls of the kernel's BPF.
$(BUILD)/tests/test_trigger_set: LDFLAGS += $(foreach f,bpf_map_new bpf_map_set \
	bpf_program_load bpf_raw_tracepoint_open probe_events_remove,-Wl,--wrap=$f)

# Each build has a thousand objects: make itself prints their names and checks
# that the folder exists, without a shell.
NOTHING :=
$(BUILD)/%.o: %.c Makefile $(FLAGS)
	$(if $(wildcard $(@D)/.),,@mkdir -p $(@D))
	$(info $(NOTHING)  CC    $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(foreach t,$(SUITE_SRCS),$(eval $(call suite_of,$t).o: $t))
$(SUITES:%=%.o): $(BUILD)/tests/%.o: Makefile $(FLAGS)
	$(if $(wildcard $(@D)/.),,@mkdir -p $(@D))
	$(info $(NOTHING)  CC    $(filter %/$*.c,$^))
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $(filter %/$*.c,$^)

# A target for each suite: `make check-test_lines` runs one.
CHECKS := $(SUITES:$(BUILD)/tests/%=check-%)
$(CHECKS): check-%: $(BUILD)/tests/%
	$(Q)$(SUITE_ENV) $(RUN) $< $(or_fail)
	@$(pass)

# Intel PT flows with known results, followed by the program itself.
check-golden-flows: $(PROGRAM)
	$(Q)tests/golden/flows.py $(PROGRAM) $(or_fail)
	$(Q)tests/golden/aux_samples.py $(PROGRAM) $(or_fail)
	$(Q)tests/golden/late_clock.py $(PROGRAM) $(or_fail)
	@$(pass)

# Replays the inputs that fuzzing of recordings has found.
check-fuzz-found: $(BUILD)/tests/fuzz/fuzz_recording
	$(Q)$(SUITE_ENV) $< $(wildcard tests/fuzz/found/*) 2>/dev/null $(or_fail)
	@$(pass)

# Suites of the recorder and of common code; not those of code that reads
# recordings, which is the same C on every architecture.
READING  := execution|attribution|tables|explain|analysis|report|view|sql|store|archive
RECORDER_SUITES = $(filter-out $(call suite_of,$(shell \
            grep -lE '^\#include "($(READING))/' $(TESTS))),$(SUITES))

# Inputs that untrusted users may pass or type.
HOSTILE_CHECKS := $(patsubst tests/hostile/%.py,check-hostile-%, \
                  $(filter-out %/judge.py %/made_recording.py, \
                  $(wildcard tests/hostile/*.py)))
$(HOSTILE_CHECKS): check-hostile-%: $(PROGRAM)
	$(Q)$(SUITE_ENV) tests/hostile/$*.py $(PROGRAM) $(or_fail)
	@$(pass)

SUITE_CHECKS = $(if $(ARCH),,check-golden-flows) $(CHECKS) $(if $(ARCH),,$(MACHINE_CHECKS) check-fuzz-found)
# The make that check starts builds the same files as `make -j all check` does
# beside it, so it waits for that one. The longest checks come first.
check: | $(filter all lint e2e-programs,$(MAKECMDGOALS))
	$(call check_all,$(if $(ARCH),,$(HOSTILE_CHECKS)) $(SUITE_CHECKS))

# Like check, without the hostile inputs.
check-suites: | $(filter all lint e2e-programs,$(MAKECMDGOALS))
	$(call check_all,$(SUITE_CHECKS))

# If the suites also run under sanitizers, they need not run twice, except those
# that skip a part there and those that measure the program's time and memory.
PLAIN_SUITES = $(call suite_of,$(shell \
            grep -lE 'suite_(is_|skips_|repeats)|SANITIZE|sanitize' $(SUITE_SRCS)))
check-plain: | $(filter all lint e2e-programs,$(MAKECMDGOALS))
	$(call check_all,$(HOSTILE_CHECKS) \
		$(PLAIN_SUITES:$(BUILD)/tests/%=check-%))

check-recorder: | $(filter all e2e-programs,$(MAKECMDGOALS))
	$(call check_all,$(RECORDER_SUITES:$(BUILD)/tests/%=check-%))

check-full: export KTRACE_FULL = 1
check-full: check
	$(Q)machine/tests/run_all.sh full
	$(Q)tests/recorded/all.sh full
	$(Q)tests/e2e/run_all.sh full

# Makes another compiler's warnings errors, without writing objects: make
# warnings CC=clang
warnings: export CFLAGS = -fsyntax-only -Werror
warnings:
	$(Q)$(MAKE) --no-print-directory -k BUILD=build-warnings DRAFT=1 objects
OBJECT_SRCS := $(filter-out $(SUITE_SRCS) tests/all_suites.c machine/qemu/plugin_api.c, \
              $(TESTS) $(wildcard tests/fuzz/*.c tests/fuzz/recording/*.c \
              tests/bench/*.c machine/*/*.c machine/*/*/*.c))
objects: $(OBJS) $(EXTENSION_OBJS) $(PLUGIN_APIS:%=$(BUILD)/machine/plugin_api%.o) \
	$(SUITES:%=%.o) $(OBJECT_SRCS:%.c=$(BUILD)/%.o)

# Programs that time one part of the pipeline.
bench-programs: $(BENCHES)

bench: all bench-programs
	$(Q)$(RUN) $(BUILD)/tests/bench/bench_writers
	$(Q)tests/bench/recorder.sh
	$(Q)tests/bench/speed.sh
	$(Q)tests/bench/speed_coresight.sh
	$(Q)machine/tests/bench.sh

SCRIPTS := start test .ci/run $(wildcard scripts/*.sh machine/tests/*.sh \
           tests/*.sh tests/*/*.sh \
           machine/host/*.sh) machine/host/machine

# Checks that no folder includes a forbidden one, only one module writes below
# output folders, tests cover each module, every header compiles alone, no
# library has mutable file-scope state, units compile, scripts are clean, and
# files match .clang-format.
LINTS := lint-layers lint-modules lint-output lint-covered lint-headers lint-state lint-units lint-scripts lint-format
lint: $(LINTS)
lint-layers:
	$(Q)sh scripts/layers.sh
lint-modules:
	$(Q)scripts/modules.py
	$(Q)tests/lint/modules.py
lint-output:
	$(Q)scripts/output_calls.py
lint-covered:
	$(Q)scripts/covered.sh
# A header that is a source file's first include is checked by compiling that
# file.
HEADERS   = $(wildcard $(FOLDERS:%=%/*.h) machine/intel_pt/*.h machine/arm_ete/*.h machine/unit/*.h)
BEGINNING = $(patsubst "%",%,$(shell awk \
            '/^\#/ { if (/^\#include/) print $$2; nextfile }' $(SRCS) \
            $(wildcard machine/intel_pt/*.c machine/arm_ete/*.c machine/unit/*.c)))
lint-headers: $(LIBRARY) $(CORE) $(ARM_CORE)
	$(Q)for header in $(filter-out $(BEGINNING),$(HEADERS)); do \
		$(CC) -I. -D_GNU_SOURCE -std=c17 -fsyntax-only -x c $$header || exit 1; \
	done
lint-state: $(LIBRARY) $(CORE) $(ARM_CORE)
	$(Q)! objdump -t $(LIBRARY) $(CORE) $(ARM_CORE) | grep -E ' O \.(data|bss)[[:space:]]'
lint-units: export CFLAGS = -fsyntax-only
lint-units:
	$(Q)$(MAKE) --no-print-directory -k BUILD=build-warnings DRAFT=1 UNITS=1 units >/dev/null
units: $(LIBRARY_OBJS)
lint-scripts:
	$(Q)shellcheck -x $(SCRIPTS)
lint-format:
	$(Q)scripts/format.sh

install: all
	install -D -m 755 $(BUILD)/ktrace-hw $(DESTDIR)$(PREFIX)/bin/ktrace-hw
	install -D -m 644 $(EXTENSION) $(DESTDIR)$(PREFIX)/lib/ktrace-hw/ktrace-hw.so
	install -D -m 644 inband/ktrace_hw.h $(DESTDIR)$(PREFIX)/include/ktrace_hw.h
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(INBAND_STATIC) $(INBAND_SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(INBAND_SHARED)) $(DESTDIR)$(LIBDIR)/libktrace-hw.so
	sed 's|@PREFIX@|$(PREFIX)|;s|@LIBDIR@|$(LIBDIR)|' $(BUILD)/libktrace-hw.pc \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/libktrace-hw.pc
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/sysusers.d
	install -m 644 serve/systemd/ktrace-hw.socket $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|@PREFIX@|$(PREFIX)|' serve/systemd/ktrace-hw.service \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/ktrace-hw.service
	install -m 644 serve/systemd/ktrace-hw.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/ktrace-hw.conf
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(wildcard docs/man/*.1) $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/ktrace-hw/grafana/dashboards
	install -m 644 packaging/grafana/*.yaml $(DESTDIR)$(PREFIX)/share/ktrace-hw/grafana
	install -m 644 packaging/grafana/dashboards/*.json $(DESTDIR)$(PREFIX)/share/ktrace-hw/grafana/dashboards
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(BUILD)/ktrace-hw completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/ktrace-hw
	install -d $(DESTDIR)$(ZSH_FUNCTIONS)
	$(BUILD)/ktrace-hw completion zsh >$(DESTDIR)$(ZSH_FUNCTIONS)/_ktrace-hw
	install -d $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(BUILD)/ktrace-hw completion fish >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ktrace-hw.fish
	install -d $(DESTDIR)$(LIBEXEC)/host
	install -m 644 $(wildcard machine/host/*.sh) $(DESTDIR)$(LIBEXEC)/host
	install -m 755 machine/host/machine $(DESTDIR)$(LIBEXEC)/host
	install -m 755 $(filter-out %.so,$(MACHINE_FILES)) $(DESTDIR)$(LIBEXEC)
	install -m 644 $(filter %.so,$(MACHINE_FILES)) $(DESTDIR)$(LIBEXEC)

# Installs the recorder that `record --machine --arch arm64` runs: make
# ARCH=arm64 install-recorder
install-recorder: $(PROGRAM)
	install -D -m 755 $(BUILD)/ktrace-hw $(DESTDIR)$(LIBEXEC)/arm64/ktrace-hw
	install -d $(DESTDIR)$(LIBEXEC)/arm64/lib
	cp -P $(CARRIED)/* $(DESTDIR)$(LIBEXEC)/arm64/lib

# Builds the Debian packages, in build/deb.
deb:
	$(Q)scripts/deb.sh

# The archive of a release, in build/dist; SIGN=KEY signs it.
dist:
	$(Q)SIGN='$(SIGN)' scripts/dist.sh $(VERSION)

# The documentation as a site, in build/docs/site; needs the package mkdocs. The
# README is its first page. A link to a page that does not exist is an error.
DOCS := build/docs
docs:
	$(Q)$(RM) -r $(DOCS) && mkdir -p $(DOCS) && cp -r docs $(DOCS)/source
	$(Q)sed 's,](docs/,](,g' README.md >$(DOCS)/source/index.md
	$(Q)sed 's,](docs/,](,g' CONTRIBUTING.md >$(DOCS)/source/CONTRIBUTING.md
	$(Q)mkdocs build --quiet --strict
	@echo "  DOCS  $(DOCS)/site/index.html"

# The compile commands of each file, for editors and analysers.
compile_commands.json:
	$(Q)$(MAKE) -nB --no-print-directory Q= PROGRAM_FLAGS= all $(SUITES) \
		$(BENCHES) $(FUZZERS) | scripts/compile_commands.py >$@

clean:
	$(RM) -r build build-san build-fuzz build-warnings build-arm64

.PHONY: all FORCE bench-programs fuzz fuzz-seeds e2e-programs check check-suites check-plain check-recorder $(CHECKS) \
	check-golden-flows check-fuzz-found $(HOSTILE_CHECKS) check-full bench \
	lint $(LINTS) warnings objects units install install-recorder deb dist docs compile_commands.json clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
