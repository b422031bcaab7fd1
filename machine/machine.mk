# SPDX-License-Identifier: GPL-2.0-or-later
# The virtual machine: QEMU plugins, guest programs, their tests.

# The part that does not need QEMU: registers, packets, output.  Unit-tested
# without it.
CORE_OBJS  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard machine/intel_pt/*.c machine/unit/*.c))
CORE       := $(BUILD)/machine/intel_pt.a
UNIT_SRCS  := $(filter-out machine/qemu/plugin_api.c,$(wildcard machine/qemu/*.c))
ARM_CORE_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard machine/arm_ete/*.c machine/unit/*.c))
ARM_CORE   := $(BUILD)/machine/arm_ete.a
ARM_UNIT_SRCS := $(wildcard machine/qemu_arm/*.c) \
                 $(addprefix machine/qemu/,doorbell.c dump.c guest.c options.c \
                 vcpu_board.c)
TRUTH_SRCS := $(wildcard machine/truth/*.c) machine/unit/host_moments.c
TRUTH_X86_SRCS := $(TRUTH_SRCS) $(wildcard machine/truth/x86/*.c)
TRUTH_ARM_SRCS := $(TRUTH_SRCS) $(wildcard machine/truth/arm64/*.c)
PLUGIN_APIS := 6 7
PLUGINS    := $(if $(UNIT_SRCS),$(PLUGIN_APIS:%=$(BUILD)/machine/intel-pt-api%.so)) \
              $(PLUGIN_APIS:%=$(BUILD)/machine/arm-ete-api%.so) \
              $(PLUGIN_APIS:%=$(BUILD)/machine/truth-api%.so) \
              $(PLUGIN_APIS:%=$(BUILD)/machine/truth-arm64-api%.so)
# The compiler for guests of the other architecture, if there is one.
ARM64_CC   := $(shell command -v aarch64-linux-gnu-gcc 2>/dev/null)
GUEST_PROGRAMS := $(notdir $(patsubst %/,%,$(wildcard machine/guest/*/)))
GUEST      := $(GUEST_PROGRAMS:%=$(BUILD)/machine/guest-%) \
              $(if $(ARM64_CC),$(GUEST_PROGRAMS:%=$(BUILD)/machine/guest-%-arm64))
ATTACH     := $(BUILD)/machine/machine-attach
MACHINE_SUITES := $(patsubst %.c,$(BUILD)/%,$(wildcard machine/tests/test_*.c))
MACHINE_TOOLS  := $(patsubst machine/tests/%.c,$(BUILD)/machine/tests/%,$(wildcard machine/tests/tool_*.c))

# The files of the installed machine, besides its scripts.
MACHINE_FILES  := $(PLUGINS) $(GUEST) $(ATTACH)

machine: $(MACHINE_FILES) $(MACHINE_TOOLS)

# The machine that `ktrace-hw record --machine` starts, without the ground truth.
machine-to-record: $(PLUGIN_APIS:%=$(BUILD)/machine/intel-pt-api%.so) \
	$(GUEST_PROGRAMS:%=$(BUILD)/machine/guest-%) $(ATTACH)

# The same sources give the same bytes in every clone, because a machine's saved
# state requires the plugins with which it was saved (host/saved_state.sh).
PLUGIN_PLACE := '-ffile-prefix-map=$(CURDIR)=.'

# QEMU's symbols are resolved when it loads the plugin.
PLUGIN_FLAGS := -fPIC -fvisibility=hidden $(PLUGIN_PLACE)

# Called for every block that a traced guest executes: inlined across files.
PLUGIN_LTO := $(if $(SAN)$(DRAFT),,$(shell $(CC) -v 2>&1 | grep -q '^gcc' && \
              echo -flto=auto -ffat-lto-objects))

$(BUILD)/machine/qemu/%.o $(BUILD)/machine/truth/%.o $(BUILD)/machine/intel_pt/%.o \
$(BUILD)/machine/qemu_arm/%.o $(BUILD)/machine/arm_ete/%.o $(BUILD)/machine/unit/%.o: \
	CFLAGS += -fPIC -fvisibility=hidden $(PLUGIN_PLACE) $(PLUGIN_LTO)

$(BUILD)/machine/plugin_api%.o: machine/qemu/plugin_api.c $(FLAGS)
	@mkdir -p $(@D)
	@echo "  CC    $< (API $*)"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(PLUGIN_FLAGS) -DPLUGIN_API=$* -c -o $@ $<

$(BUILD)/machine/intel-pt-api%.so: $(BUILD)/machine/plugin_api%.o \
		$(UNIT_SRCS:%.c=$(BUILD)/%.o) $(CORE_OBJS)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(PLUGIN_FLAGS) $(PLUGIN_LTO) -shared -o $@ $^

$(BUILD)/machine/arm-ete-api%.so: $(BUILD)/machine/plugin_api%.o \
		$(ARM_UNIT_SRCS:%.c=$(BUILD)/%.o) $(ARM_CORE_OBJS)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(PLUGIN_FLAGS) $(PLUGIN_LTO) -shared -o $@ $^

$(BUILD)/machine/truth-api%.so: $(BUILD)/machine/plugin_api%.o \
		$(TRUTH_X86_SRCS:%.c=$(BUILD)/%.o)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(PLUGIN_FLAGS) $(PLUGIN_LTO) -shared -o $@ $^

$(BUILD)/machine/truth-arm64-api%.so: $(BUILD)/machine/plugin_api%.o \
		$(TRUTH_ARM_SRCS:%.c=$(BUILD)/%.o)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(PLUGIN_FLAGS) $(PLUGIN_LTO) -shared -o $@ $^

$(CORE): $(CORE_OBJS)
$(ARM_CORE): $(ARM_CORE_OBJS)
$(CORE) $(ARM_CORE):
	@mkdir -p $(@D)
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

CHANNEL_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard machine/channel/*.c))

# The host's end of the channel to the guest.
$(ATTACH): $(patsubst %.c,$(BUILD)/%.o,$(wildcard machine/attach/*.c)) $(CHANNEL_OBJS)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# Guest programs, one folder each, are static, because they run before any root
# file system is mounted, and have no sanitizers, which need the memory of a host.
GUEST_CFLAGS = $(filter-out -fsanitize% -fno-sanitize%,$(CFLAGS))

# Packagers' flags may be of this architecture's compiler alone, as Debian 13's
# -fcf-protection (dpkg-buildflags): the cross compiler does not know them.
OWN_FLAGS := -fcf-protection% -mbranch-protection% -march% -mtune%

# $(1): program, $(2): compiler, $(3): suffix of its objects and its name
define guest_program
$(BUILD)/guest-objects$(3)/%.o: %.c $(FLAGS)
	@mkdir -p $$(@D)
	@echo "  CC    $$< (guest$(3))"
	$$(Q)$(2) $$(CPPFLAGS) $$(filter-out $(if $(3),$(OWN_FLAGS)),$$(GUEST_CFLAGS)) \
		-c -o $$@ $$<

$(BUILD)/machine/guest-$(1)$(3): $$(patsubst %.c,$$(BUILD)/guest-objects$(3)/%.o,\
		$$(wildcard machine/guest/$(1)/*.c machine/channel/*.c))
	@mkdir -p $$(@D)
	@echo "  LD    $$@ (static)"
	$$(Q)$(2) $$(filter-out $(if $(3),$(OWN_FLAGS)),$$(GUEST_CFLAGS)) \
		-static -s -o $$@ $$^
endef
$(foreach program,$(GUEST_PROGRAMS),\
	$(eval $(call guest_program,$(program),$$(CC),)) \
	$(if $(ARM64_CC),$(eval $(call guest_program,$(program),$(ARM64_CC),-arm64))))

# The plugins' objects hold code for both kinds of linking; a test is linked
# sooner than it would be optimized.
$(MACHINE_SUITES): $(BUILD)/machine/tests/%: $(BUILD)/machine/tests/%.o \
		$(BUILD)/machine/tests/fixtures.a $(BUILD)/tests/run_suite.o \
		$(CORE) $(ARM_CORE) $(BUILD)/machine/qemu_arm/a64.o
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -fno-lto -o $@ $^ -lipt \
		-lopencsd_c_api -lopencsd $(CHECK_LIBS)

FIXTURES := $(filter-out machine/tests/test_% machine/tests/tool_%,$(wildcard machine/tests/*.c))
$(BUILD)/machine/tests/fixtures.a: $(FIXTURES:%.c=$(BUILD)/%.o)
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

$(BUILD)/machine/tests/test_truth_branch: $(BUILD)/machine/truth/x86/branch.o
$(BUILD)/machine/tests/test_truth_branch_arm64: $(BUILD)/machine/truth/arm64/branch.o
$(BUILD)/machine/tests/test_truth_clock: $(BUILD)/machine/truth/clock.o
$(BUILD)/machine/tests/test_guest_clock_arm64: $(BUILD)/machine/qemu_arm/guest_clock.o
$(BUILD)/machine/tests/test_attach_saving: $(BUILD)/machine/attach/saving.o
$(BUILD)/machine/tests/test_doorbell: $(BUILD)/machine/qemu/doorbell.o \
		$(BUILD)/machine/qemu/apic.o
$(PLUGIN_APIS:%=$(BUILD)/machine/tests/test_plugin_api%): \
		$(BUILD)/machine/tests/test_plugin_api%: $(BUILD)/machine/plugin_api%.o

# The tools' parts; each tool links the parts that it needs.
TOOL_PARTS := $(BUILD)/machine/tests/tool_parts.a
$(TOOL_PARTS): $(patsubst %.c,$(BUILD)/%.o,$(wildcard machine/tests/conformance/*.c \
		machine/tests/functions/*.c machine/tests/classes/*.c))
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

$(MACHINE_TOOLS): $(BUILD)/machine/tests/%: $(BUILD)/machine/tests/%.o \
		$(TOOL_PARTS)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lipt

$(BUILD)/machine/tests/test_block_compare: $(TOOL_PARTS)

MACHINE_CHECKS := $(MACHINE_SUITES:$(BUILD)/machine/tests/%=machine-check-%)
$(MACHINE_CHECKS): machine-check-%: $(BUILD)/machine/tests/%
	$(Q)$(SUITE_ENV) $< $(or_fail)
	@$(pass)

machine-check:
	$(call check_all,$(MACHINE_CHECKS))

.PHONY: machine machine-to-record machine-check $(MACHINE_CHECKS)
