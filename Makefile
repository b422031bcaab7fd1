# SPDX-License-Identifier: MIT
# make, make check, make check-test_NAME, make check-plain, make check-recorder,
# make check-full,
# make bench, make lint,
# make install, make deb,
# make compile_commands.json
# V=1 shows commands, DRAFT=1 compiles sooner what is then slower,
# SAN=1 builds with ASan and UBSan into build-san/,
# FUZZ=1 for libFuzzer (clang) into build-fuzz/, ARCH=arm64 cross-builds into
# build-arm64/ (see scripts/arm64_sysroot.sh) and runs the suites in QEMU.
# Built-in rules would try to make the dependency files (.d) from objects.
MAKEFLAGS += --no-builtin-rules

BUILD   := build$(if $(ARCH),-$(ARCH))$(if $(FUZZ),-fuzz,$(if $(SAN),-san))
OBJCOPY ?= objcopy
SPLIT   := collector decoder symbolize execution report attribution tables view sql store cmd
FOLDERS := common $(SPLIT) archive serve inband $(patsubst %/,%,$(wildcard $(SPLIT:%=%/*/)))
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
LIBEXEC  = $(PREFIX)/libexec/ktrace-hw
ZSH_FUNCTIONS = $(PREFIX)/share/zsh/site-functions
CC      := $(if $(FUZZ),clang,$(CC))

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wswitch-enum -Wwrite-strings -Wcast-qual
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all \
             -fno-omit-frame-pointer
SANITIZE := $(if $(SAN)$(FUZZ),$(SAN_FLAGS)) \
            $(if $(FUZZ),-fsanitize=fuzzer-no-link)
ifeq ($(ARCH),arm64)
SYSROOT  := build-arm64-sysroot
CC       := $(filter ccache,$(CC)) aarch64-linux-gnu-gcc
OBJCOPY  := aarch64-linux-gnu-objcopy
RUN      := qemu-aarch64 -L $(SYSROOT)
CPPFLAGS += -isystem $(SYSROOT)/usr/include/aarch64-linux-gnu \
            -isystem $(SYSROOT)/usr/include
LDFLAGS  += '--sysroot=$(CURDIR)/$(SYSROOT)' \
            -L$(SYSROOT)/usr/lib/aarch64-linux-gnu \
            -Wl,-rpath-link,$(SYSROOT)/usr/lib/aarch64-linux-gnu
# Zydis has another name in each release of Debian, and the machine's files may
# be of a later one, without all of these: what is built brings its own along.
CARRIED  := $(BUILD)/lib
CARRIED_LIBS := libZydis libdeflate libsqlite3 libedit libbsd libmd
# Old tags: what is brought along may need more of it, as libedit does libbsd.
LDFLAGS  += -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'
endif

# Debian has libipt for x86 only: elsewhere its decoder is left out.
HAVE_IPT := $(if $(ARCH),,$(shell echo '\#include <intel-pt.h>' | \
            $(CC) -E - >/dev/null 2>&1 && echo yes))
IPT_SRCS := decoder/libipt/intel_image.c $(wildcard decoder/libipt/libipt_*.c)
NO_IPT_SRCS := decoder/libipt/without_libipt.c
NO_IPT_TESTS := $(shell grep -l intel-pt.h tests/*.c)

# Without libmicrohttpd there is no `ktrace-hw view`.
HAVE_MHD := $(if $(ARCH),,$(shell echo '\#include <microhttpd.h>' | \
            $(CC) -E - >/dev/null 2>&1 && echo yes))
MHD_SRCS := view/http/server.c
NO_MHD_SRCS := view/http/without_server.c
NO_MHD_TESTS := $(shell grep -l view/http/ tests/*.c)

# Without libcurl and LZ4 stores are in files alone.
HAVE_CURL := $(if $(ARCH),,$(shell \
             printf '\#include <%s>\n' curl/curl.h lz4.h | \
             $(CC) -E - >/dev/null 2>&1 && echo yes))
CURL_SRCS := $(addprefix store/clickhouse/clickhouse_, ask.c http.c store.c \
             upload.c url.c) $(addprefix store/clickhouse/, batch_sender.c \
             curl_library.c left_overs.c packed_batch.c)
NO_CURL_SRCS := store/clickhouse/without_curl.c
NO_CURL_TESTS := $(shell grep -l packed_batch.h tests/*.c)
DDL := $(wildcard store/clickhouse/ddl/*.sql)

# Sanitized code is compiled in two thirds of the time with -O1, and in a tenth
# less with lines alone, which are what reports name.
CFLAGS   ?= $(if $(SAN)$(DRAFT),-O1 -g1,-O2 -g)
# As NEWS has it on top.
VERSION  := $(shell sed -n 's/^ktrace-hw \([0-9.]*\).*/\1/p;T;q' NEWS)
CPPFLAGS += -I. -D_GNU_SOURCE -MMD -MP
# What nearly all time is spent in is compiled as one unit when the program is
# linked; suites and libraries take the machine code that its objects have, too.
FAST_SRCS := execution/% decoder/intel_pt/% report/steps/% report/profile/%
WHOLE    := -O3 -flto -flto-partition=one
HAVE_LTO := $(if $(SAN)$(FUZZ)$(DRAFT),,$(shell $(CC) $(WHOLE) -ffat-lto-objects -Werror \
            -x c -c -o /dev/null /dev/null 2>/dev/null && echo yes))
LDFLAGS  += $(if $(HAVE_LTO),-fno-lto)
# The library is part of what SQLite loads, too: -fPIC.
CFLAGS   += -std=c17 $(WARNINGS) $(SANITIZE) -fPIC -fvisibility=hidden
LDLIBS   += $(if $(HAVE_IPT),-lipt) -lopencsd_c_api -lopencsd -lZydis \
            -lelf -ldw -lzstd -lz -ldeflate -lsqlite3 -ledit -lm \
            $(if $(HAVE_MHD),-lmicrohttpd) $(if $(HAVE_CURL),-llz4) -pthread

# Of SQLite's interface it takes what the program that loads it hands over.
EXTENSION      := $(if $(FUZZ),,$(BUILD)/ktrace-hw.so)
EXTENSION_MAIN := cmd/sqlite_extension.c
EXTENSION_SRCS := $(EXTENSION_MAIN) $(addprefix sql/sqlite/, cell_result.c constraints.c \
                  open_function.c percentile_function.c query_plan.c table_schema.c virtual_table.c)
EXTENSION_OBJS := $(EXTENSION_SRCS:%.c=$(BUILD)/extension/%.o)

SRCS     := $(filter-out $(EXTENSION_MAIN) \
            $(if $(HAVE_IPT),$(NO_IPT_SRCS),$(IPT_SRCS)) \
            $(if $(HAVE_MHD),$(NO_MHD_SRCS),$(MHD_SRCS)) \
            $(if $(HAVE_CURL),$(NO_CURL_SRCS),$(CURL_SRCS)), \
            $(wildcard $(FOLDERS:%=%/*.c)))
TESTS    := $(filter-out $(if $(HAVE_IPT),,$(NO_IPT_TESTS)) \
            $(if $(HAVE_MHD),,$(NO_MHD_TESTS)) \
            $(if $(HAVE_CURL),,$(NO_CURL_TESTS)), \
            $(wildcard tests/*.c))
OBJS     := $(SRCS:%.c=$(BUILD)/%.o)
MAIN_OBJ := $(BUILD)/cmd/main.o
LIBRARY  := $(BUILD)/objects.a
PROGRAM  := $(if $(wildcard cmd/main.c),$(BUILD)/ktrace-hw)
SUITE_FIXTURES := $(BUILD)/tests/fixtures.a
SUITES   := $(patsubst %.c,$(BUILD)/%,$(filter tests/test_%.c,$(TESTS)))
BENCHES  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/bench_*.c))
FUZZERS  := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
# What leads the ways to files to those in memory: see memory_files.h.
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

# The ways into the kernel that abis tries are those of x86-64.
E2E_SOURCES  := $(filter-out $(if $(ARCH),%/abis.c),$(wildcard tests/e2e/programs/*.c))
INBAND_SOURCES := $(wildcard tests/e2e/programs/inband*.c) docs/tutorial/slow_web.c
E2E_PROGRAMS := $(E2E_SOURCES:%.c=$(BUILD)/%) $(BUILD)/docs/tutorial/slow_web

# A busy computer takes its time, and sanitizers and QEMU a multiple of it: of
# the limits that suites set themselves, too.
SUITE_ENV := CK_DEFAULT_TIMEOUT=120 \
             $(if $(SAN)$(ARCH),CK_TIMEOUT_MULTIPLIER=5)

# What other programs link with: nothing but inband/ktrace_hw.h can be seen of
# it.  Its name has the number of its interface.
INBAND_OBJS   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard inband/*.c))
INBAND_STATIC := $(BUILD)/libktrace-hw.a
INBAND_SHARED := $(BUILD)/libktrace-hw.so.0
INBAND_LIBS    = $(filter-out -ldeflate -lsqlite3 -ledit -lmicrohttpd -llz4 -lipt,$(LDLIBS))
INBAND := $(if $(FUZZ),,$(INBAND_STATIC) $(INBAND_SHARED) \
          $(BUILD)/libktrace-hw.so $(BUILD)/libktrace-hw.pc)

# Static where the traced machine's own files need not have them.
ARCH_CHECK_LIBS := -Wl,-Bstatic -lcheck -lsubunit -Wl,-Bdynamic -lrt -lm \
                   -pthread
CHECK_LIBS := $(if $(ARCH),$(ARCH_CHECK_LIBS), \
              $(shell pkg-config --libs check 2>/dev/null)) \
              -Wl,--wrap=_mark_point

# $(1): suites' targets.  One that fails, or cannot be built, stops no other and
# is listed at the end with the command that repeats it; what one prints stays
# together.
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
# Follows a check's command: a failure shows as soon as the check has ended.
or_fail = || { echo "FAILED: $@"; exit 1; }

Q := $(if $(V),,@)

all: $(PROGRAM) $(EXTENSION) $(INBAND) $(if $(ARCH),,machine)

include machine/machine.mk

$(MAIN_OBJ): CPPFLAGS += -DKTRACE_VERSION='"$(VERSION)"'
$(MAIN_OBJ): NEWS

# Objects are the same each time that they are made: -frandom-seed.
$(if $(HAVE_LTO),$(filter $(FAST_SRCS:%=$(BUILD)/%),$(OBJS))): \
	CFLAGS += $(WHOLE) -ffat-lto-objects -frandom-seed=$@

$(BUILD)/ktrace-hw: $(MAIN_OBJ) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(if $(HAVE_LTO),$(WHOLE)) -o $@ $^ $(LDLIBS)

$(EXTENSION): $(EXTENSION_OBJS) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ $^ \
		$(filter-out -lsqlite3 -ledit -llz4,$(LDLIBS))

$(BUILD)/extension/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $< (for SQLite)"
	$(Q)$(CC) $(CPPFLAGS) -DKTRACE_SQLITE_EXTENSION $(CFLAGS) -c -o $@ $<

$(PROGRAM) $(SUITES): | $(CARRIED)

$(CARRIED): Makefile
	$(Q)$(RM) -r $@ $@.new && mkdir -p $@.new
	$(Q)cp -P $(CARRIED_LIBS:%=$(SYSROOT)/usr/lib/aarch64-linux-gnu/%.so.*) $@.new
	$(Q)mv $@.new $@

# Checkpoints of another build are not trusted.
$(BUILD)/build_id.c: $(filter-out $(MAIN_OBJ),$(OBJS))
	$(Q)printf '#include "common/build_id.h"\nconst uint32_t build_id = %s;\n' \
		"$$(cat $^ | cksum | cut -d ' ' -f 1)" >$@

$(BUILD)/build_id.o: $(BUILD)/build_id.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(LIBRARY): $(filter-out $(MAIN_OBJ),$(OBJS)) $(BUILD)/build_id.o
	@mkdir -p $(@D)
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

# One object that has all it needs and shows no other name, of machine code alone.
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

# What the page is made of is in the program.
$(BUILD)/view/page/page.o: $(wildcard view/page/*.js view/page/*.css \
	view/page/*.html)
$(BUILD)/store/clickhouse/clickhouse_ddl.o: $(DDL)

# They print figures and judge none.
$(BENCHES): $(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o \
		$(BUILD)/tests/bench/tape_fixture.o $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# With FUZZ=1 they look for inputs that break them, else they replay files.
$(FUZZERS): $(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o \
		$(BUILD)/tests/packed_folder_fixture.o \
		$(BUILD)/tests/remove_folder_fixture.o \
		$(if $(FUZZ),,$(BUILD)/tests/fuzz/replay.o) $(LIBRARY)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(if $(FUZZ),-fsanitize=fuzzer) \
		-o $@ $(filter %.o,$^) $(LIBRARY) $(LDLIBS)

$(BUILD)/tests/fuzz/fuzz_recording: $(FUZZ_RECORDING)
$(BUILD)/tests/fuzz/fuzz_recording.o: CPPFLAGS += $(if $(FUZZ),-DFUZZING)
# What is compared where text is written is not of an input any more.
$(foreach f,report tables cmd,$(BUILD)/$f/%.o): CFLAGS += \
	$(if $(FUZZ),-fno-sanitize-coverage=trace-cmp)
# What is not the program's own guides nothing, and would be counted each time.
$(filter-out %/all_writers.o,$(FUZZ_RECORDING)): CFLAGS += \
	$(if $(FUZZ),-fno-sanitize=fuzzer-no-link)
$(BUILD)/tests/fuzz/fuzz_recording: LDFLAGS += $(FUZZ_WRAPPED:%=-Wl,--wrap=%)

fuzz: $(FUZZERS)

# What fuzz_recording may begin with, in build/seeds: recordings with code.
fuzz-seeds: $(BUILD)/tests/test_fuzz_seeds
	@mkdir -p $(BUILD)/seeds
	$(Q)KTRACE_SEEDS=$(BUILD)/seeds $<

# Who calls whom is told of relations: no calls are jumps; longjmp() leaves what
# it goes down into.
$(E2E_PROGRAMS): PROGRAM_FLAGS := -O2
$(BUILD)/tests/e2e/programs/relations: PROGRAM_FLAGS := -O1 \
	-Wno-infinite-recursion

# What the end-to-end tests record; the same linked into itself at a fixed
# address for user stacks.
# Those that use the library are built as anybody's would be, and are not linked
# into themselves.
INBAND_PROGRAMS := $(if $(FUZZ),,$(patsubst %.c,$(BUILD)/%,$(INBAND_SOURCES)))
$(INBAND_PROGRAMS): $(BUILD)/%: %.c $(INBAND_STATIC)
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) -Iinband $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(INBAND_LIBS)

$(filter-out $(INBAND_PROGRAMS),$(E2E_SOURCES:%.c=$(BUILD)/%)): $(BUILD)/tests/e2e/programs/%: tests/e2e/programs/%.c
	@mkdir -p $(@D)
	@echo "  LD    $@"
	$(Q)$(CC) -I. -D_GNU_SOURCE $(PROGRAM_FLAGS) -g -std=c17 $(WARNINGS) -o $@ $<
	$(Q)$(CC) -I. -D_GNU_SOURCE $(PROGRAM_FLAGS) -g -std=c17 -static -no-pie -o $@-static $<

# And what they compare with perf by.
e2e-programs: $(E2E_PROGRAMS) $(if $(ARCH),,$(BUILD)/tests/test_perf_counts)

# What they test is optimized as it is in the program; they need not be themselves,
# and are compiled in half of the time.
SUITE_OBJS := $(filter-out $(BUILD)/tests/run_suite.o,$(TESTS:%.c=$(BUILD)/%.o))
$(SUITE_OBJS): CFLAGS += -O0

$(BUILD)/tests/shared_fixture.o: CPPFLAGS += $(if $(HAVE_IPT),-DHAVE_INTEL_PT)
$(SUITE_FIXTURES): $(patsubst %.c,$(BUILD)/%.o,$(filter %_fixture.c,$(TESTS)))
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

# They are many: gold links them in half of the time, where it is there.
SUITE_LD := $(if $(FUZZ),,$(if $(findstring /,$(shell \
            $(CC) -print-prog-name=ld.gold)),-fuse-ld=gold))

# Each suite is a program that links only what it needs of fixtures and library.
# Sanitized, where to link took a fifth of the suites' time, most are one program,
# each a link to it: not those whose names would mean something else beside others'.
JOINED := $(if $(SAN),$(filter-out %/test_large_blocks %/test_table_pass %/test_user_stack,$(SUITES)))
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

# What all suites take, the one program takes, too.
$(if $(JOINED),$(ALL_SUITES),$(BUILD)/tests/test_record_mutator): $(FUZZ_MUTATOR)
$(BUILD)/tests/test_large_blocks: $(BUILD)/tests/fuzz/recording/large_blocks.o
$(BUILD)/tests/test_large_blocks: LDFLAGS += \
	$(foreach f,malloc calloc realloc free,-Wl,--wrap=$f)

# Its referee.
$(BUILD)/tests/test_user_stack: LDLIBS += -lunwind

# It counts passes over a recording.
$(BUILD)/tests/test_table_pass: LDFLAGS += -Wl,--wrap=run_pipeline

# A thousand objects in each build: make itself says which, and looks for the folder.
NOTHING :=
$(BUILD)/%.o: %.c Makefile
	$(if $(wildcard $(@D)/.),,@mkdir -p $(@D))
	$(info $(NOTHING)  CC    $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# A target for each suite: `make check-test_lines` runs one.
CHECKS := $(SUITES:$(BUILD)/tests/%=check-%)
$(CHECKS): check-%: $(BUILD)/tests/%
	$(Q)$(SUITE_ENV) $(RUN) $< $(or_fail)
	@$(pass)

# Intel PT's flows that are known, followed by the program itself.
check-golden-flows: $(PROGRAM)
	$(Q)tests/golden/flows.py $(PROGRAM) $(or_fail)
	$(Q)tests/golden/aux_samples.py $(PROGRAM) $(or_fail)
	$(Q)tests/golden/late_clock.py $(PROGRAM) $(or_fail)
	@$(pass)

# What the fuzz entry of recordings has found.
check-fuzz-found: $(BUILD)/tests/fuzz/fuzz_recording
	$(Q)$(SUITE_ENV) $< $(wildcard tests/fuzz/found/*) 2>/dev/null $(or_fail)
	@$(pass)

# Suites of what records and of what is beneath all: not of what is made of a
# recording, which is the same C wherever it is read.
READING  := execution|attribution|tables|report|view|sql|store|archive
RECORDER_SUITES = $(filter-out $(patsubst %.c,$(BUILD)/%,$(shell \
            grep -lE '^\#include "($(READING))/' $(TESTS))),$(SUITES))

# What anybody may hand to it, or type.
HOSTILE_CHECKS := $(patsubst tests/hostile/%.py,check-hostile-%, \
                  $(filter-out %/judge.py %/made_recording.py, \
                  $(wildcard tests/hostile/*.py)))
$(HOSTILE_CHECKS): check-hostile-%: $(PROGRAM)
	$(Q)$(SUITE_ENV) tests/hostile/$*.py $(PROGRAM) $(or_fail)
	@$(pass)

# The make that it starts builds what `make -j all check` builds beside it: it
# waits for that.  The longest come first.
check: | $(filter all lint e2e-programs,$(MAKECMDGOALS))
	$(call check_all,$(if $(ARCH),,$(HOSTILE_CHECKS) check-golden-flows) \
		$(CHECKS) $(if $(ARCH),,$(MACHINE_CHECKS) check-fuzz-found))

# Where the suites run under sanitizers, too, they need not run twice: but for those
# that try a part there, and what judges the program's time and memory.
PLAIN_SUITES = $(patsubst %.c,$(BUILD)/%,$(shell \
            grep -lE 'suite_(is_|skips_|repeats)|SANITIZE|sanitize' \
            $(filter tests/test_%.c,$(TESTS))))
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

# Another compiler's warnings are errors; it writes no objects: make warnings CC=clang
warnings: export CFLAGS = -fsyntax-only -Werror
warnings:
	$(Q)$(MAKE) --no-print-directory -k BUILD=build-warnings DRAFT=1 objects
OBJECT_SRCS := $(filter-out tests/all_suites.c machine/qemu/plugin_api.c, \
              $(TESTS) $(wildcard tests/fuzz/*.c tests/fuzz/recording/*.c \
              tests/bench/*.c machine/*/*.c machine/*/*/*.c))
objects: $(OBJS) $(EXTENSION_OBJS) $(PLUGIN_APIS:%=$(BUILD)/machine/plugin_api%.o) \
	$(OBJECT_SRCS:%.c=$(BUILD)/%.o)

# Programs that time one part of the pipeline alone.
bench-programs: $(BENCHES)

bench: all bench-programs
	$(Q)$(RUN) $(BUILD)/tests/bench/bench_writers
	$(Q)tests/bench/speed.sh
	$(Q)tests/bench/speed_coresight.sh
	$(Q)machine/tests/bench.sh

SCRIPTS := start test .ci/run $(wildcard scripts/*.sh machine/tests/*.sh \
           tests/*.sh tests/*/*.sh \
           machine/host/*.sh) machine/host/machine

# No folder reaches where it must not, one module writes below folders of
# output, tests cover each module, every header stands alone, no library has
# mutable file-scope state, scripts are clean, .clang-format is obeyed.
LINTS := lint-layers lint-output lint-covered lint-headers lint-state lint-scripts lint-format
lint: $(LINTS)
lint-layers:
	$(Q)sh scripts/layers.sh
lint-output:
	$(Q)scripts/output_calls.py
lint-covered:
	$(Q)scripts/covered.sh
# With what a file begins, that file's being compiled shows of it.
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
	install -d $(DESTDIR)$(PREFIX)/share/ktrace-hw/clickhouse
	install -m 644 $(DDL) $(DESTDIR)$(PREFIX)/share/ktrace-hw/clickhouse
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(BUILD)/ktrace-hw completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/ktrace-hw
	install -d $(DESTDIR)$(ZSH_FUNCTIONS)
	$(BUILD)/ktrace-hw completion zsh >$(DESTDIR)$(ZSH_FUNCTIONS)/_ktrace-hw
	install -d $(DESTDIR)$(LIBEXEC)/host
	install -m 644 $(wildcard machine/host/*.sh) $(DESTDIR)$(LIBEXEC)/host
	install -m 755 machine/host/machine $(DESTDIR)$(LIBEXEC)/host
	install -m 755 $(filter-out %.so,$(MACHINE_FILES)) $(DESTDIR)$(LIBEXEC)
	install -m 644 $(filter %.so,$(MACHINE_FILES)) $(DESTDIR)$(LIBEXEC)

# What `record --machine --arch arm64` runs there: make ARCH=arm64 install-recorder
install-recorder: $(PROGRAM)
	install -D -m 755 $(BUILD)/ktrace-hw $(DESTDIR)$(LIBEXEC)/arm64/ktrace-hw
	install -d $(DESTDIR)$(LIBEXEC)/arm64/lib
	cp -P $(CARRIED)/* $(DESTDIR)$(LIBEXEC)/arm64/lib

# The Debian packages, in build/deb.
deb:
	$(Q)scripts/deb.sh

# What editors and analysers ask for: how each file is compiled.
compile_commands.json:
	$(Q)$(MAKE) -nB --no-print-directory Q= PROGRAM_FLAGS= all $(SUITES) \
		$(BENCHES) $(FUZZERS) | scripts/compile_commands.py >$@

clean:
	$(RM) -r build build-san build-fuzz build-warnings build-arm64

.PHONY: all bench-programs fuzz fuzz-seeds e2e-programs check check-plain check-recorder $(CHECKS) \
	check-golden-flows check-fuzz-found $(HOSTILE_CHECKS) check-full bench \
	lint $(LINTS) warnings objects install install-recorder deb compile_commands.json clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
