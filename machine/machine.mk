# SPDX-License-Identifier: GPL-2.0-or-later
# The virtual machine: QEMU plugins, guest programs, their tests.
GLIB_CFLAGS := $(shell pkg-config --cflags glib-2.0 2>/dev/null)

# What is not QEMU's: registers, packets, output.  Unit-tested without it.
CORE_OBJS  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard machine/intel_pt/*.c))
CORE       := $(BUILD)/machine/intel_pt.a
UNIT_SRCS  := $(filter-out machine/qemu/plugin_api.c,$(wildcard machine/qemu/*.c))
TRUTH_SRCS := $(wildcard machine/truth/*.c)
PLUGIN_APIS := 6 7
PLUGINS    := $(if $(UNIT_SRCS),$(PLUGIN_APIS:%=$(BUILD)/machine/intel-pt-api%.so)) \
              $(if $(TRUTH_SRCS),$(PLUGIN_APIS:%=$(BUILD)/machine/truth-api%.so))
GUEST      := $(patsubst machine/guest/%.c,$(BUILD)/machine/guest/%,$(wildcard machine/guest/*.c))
MACHINE_SUITES := $(patsubst %.c,$(BUILD)/%,$(wildcard machine/tests/test_*.c))
MACHINE_TOOLS  := $(patsubst machine/tests/%.c,$(BUILD)/machine/tests/%,$(wildcard machine/tests/tool_*.c))

machine: $(PLUGINS) $(GUEST) $(MACHINE_TOOLS)

# QEMU's symbols are resolved when it loads the plugin.
PLUGIN_FLAGS := -shared -fPIC -fvisibility=hidden $(GLIB_CFLAGS)

$(BUILD)/machine/qemu/%.o $(BUILD)/machine/truth/%.o $(BUILD)/machine/intel_pt/%.o: \
	CFLAGS += -fPIC -fvisibility=hidden $(GLIB_CFLAGS)

$(BUILD)/machine/plugin_api%.o: machine/qemu/plugin_api.c
	@mkdir -p $(@D)
	@echo "  CC    $< (API $*)"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(PLUGIN_FLAGS) -DPLUGIN_API=$* -c -o $@ $<

$(BUILD)/machine/intel-pt-api%.so: $(BUILD)/machine/plugin_api%.o \
		$(UNIT_SRCS:%.c=$(BUILD)/%.o) $(CORE)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(PLUGIN_FLAGS) -o $@ $^

$(BUILD)/machine/truth-api%.so: $(BUILD)/machine/plugin_api%.o \
		$(TRUTH_SRCS:%.c=$(BUILD)/%.o)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(PLUGIN_FLAGS) -o $@ $^

$(CORE): $(CORE_OBJS)
	@mkdir -p $(@D)
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

# Guest programs are static: they run before any root file system is there.
$(BUILD)/machine/guest/%: machine/guest/%.c
	@mkdir -p $(@D)
	@echo "  CC    $< (static)"
	$(Q)$(CC) $(CPPFLAGS) $(filter-out -fsanitize%,$(CFLAGS)) -static -o $@ $<

$(MACHINE_SUITES): $(BUILD)/machine/tests/%: $(BUILD)/machine/tests/%.o \
		$(BUILD)/machine/tests/fixtures.a $(BUILD)/tests/run_suite.o $(CORE)
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lipt $(CHECK_LIBS)

FIXTURES := $(filter-out machine/tests/test_% machine/tests/tool_%,$(wildcard machine/tests/*.c))
$(BUILD)/machine/tests/fixtures.a: $(FIXTURES:%.c=$(BUILD)/%.o)
	@echo "  AR    $@"
	$(Q)$(RM) $@ && $(AR) rcs $@ $^

machine-check: $(MACHINE_SUITES)
	$(Q)for suite in $(MACHINE_SUITES); do $$suite || exit 1; done

.PHONY: machine machine-check
