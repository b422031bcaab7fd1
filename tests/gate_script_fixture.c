/* SPDX-License-Identifier: MIT */
#include "tests/gate_script_fixture.h"
#include "common/formats/recording_events.h"
#include "decoder/flow/flow.h"
#include "symbolize/gate/gate_events.h"
#include "symbolize/symbols/symbols.h"

#include "symbolize/arch/arch.h"
#include "symbolize/functions/address_map.h"
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL UINT64_C(0xffffffff81000000)

/* From KERNEL on, with 0x100 bytes each. */
static const char *const functions[] = {
	"entry",
	"do_syscall_64",
	"__x64_sys_openat",
	"vfs_open",
	"schedule",
	"__perf_event_task_sched_out",
	"finish_task_switch",
	"__perf_event_task_sched_in",
	"arch_rethook_trampoline",
	"rethook_handler",
	"perf_tp_event",
	"asm_sysvec_apic_timer_interrupt",
	"sysvec_apic_timer_interrupt",
	"kprobe_handler",
	/* arm64's, where probes are breakpoints */
	"__kretprobe_trampoline",
	"kprobe_insn_page",
	"el1h_64_sync",
	"brk_handler",
	"el1h_64_sync_handler",
	"el1_abort",
	"el1h_64_irq",
	"el1h_64_irq_handler",
	"el1_interrupt",
};
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };
enum { FUNCTION_BYTES = 0x100, INSIDE = 0x10 };

static const char *const marks[] = {
	[GATE_BEGIN] = "BEGIN", [GATE_END] = "END",	[GATE_LEAVE] = "LEAVE",
	[GATE_COME] = "COME",	[GATE_FIRST] = "FIRST", [GATE_LAST] = "LAST",
};

static const char *const stops[] = {
	[FLOW_STOP_LEVEL] = "level", [FLOW_STOP_FILTER] = "filter",
	[FLOW_STOP_OFF] = "off",     [FLOW_STOP_NOT_ASKED] = "not-asked",
	[FLOW_STOP_ASIDE] = "aside",
};

enum { LINES = 64 };

/* The marks read from a text, how many were consumed, and the resulting events.
 */
struct gate_script {
	struct symbols *symbols;
	struct probe_mark marks[LINES];
	struct function_event events[LINES];
	size_t mark_count;
	size_t mark_at;
	size_t event_count;
	size_t event_at;
	size_t batch_size;
	char said[8192];
};

static struct symbols *make_symbols(const struct arch *arch)
{
	char text[FUNCTIONS * 64] = "";
	struct symbols *symbols;

	for (size_t i = 0; i < FUNCTIONS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%016" PRIx64 " t %s\n", KERNEL + i * FUNCTION_BYTES,
			 functions[i]);
	ck_assert_int_eq(symbols_from_text(arch, text, strlen(text), "", 0,
					   &symbols),
			 0);
	return symbols;
}

static int next_mark(void *ctx, struct probe_mark *mark)
{
	struct gate_script *script = ctx;

	if (script->mark_at == script->mark_count)
		return 0;
	*mark = script->marks[script->mark_at++];
	return 1;
}

static int next_events(void *ctx, const struct function_event **batch)
{
	struct gate_script *script = ctx;
	size_t count = script->event_count - script->event_at;

	if (count > script->batch_size)
		count = script->batch_size;
	*batch = &script->events[script->event_at];
	script->event_at += count;
	return (int)count;
}

/* Returns an address inside the function @name; its first if followed by "+0".
 */
static uint64_t address_of(const char *name)
{
	size_t length = strcspn(name, "+");

	for (uint64_t i = 0; i < FUNCTIONS; i++)
		if (strlen(functions[i]) == length &&
		    !memcmp(functions[i], name, length))
			return KERNEL + i * FUNCTION_BYTES +
			       (name[length] ? 0 : INSIDE);
	ck_abort_msg("no function %s", name);
}

static uint32_t function_of(const struct gate_script *script, const char *name)
{
	struct symbol symbol;

	symbols_find(script->symbols, -1, UINT64_MAX, address_of(name),
		     &symbol);
	return symbol.function;
}

/* Returns the index of @word in @list, or -1. */
static int place_of(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] && !strcmp(list[i], word))
			return (int)i;
	return -1;
}

static uint8_t kind_of(const char *word)
{
	for (uint8_t kind = 0; kind <= FUNCTION_END; kind++)
		if (!strcmp(function_event_text(kind), word))
			return kind;
	ck_abort_msg("no event %s", word);
}

static void read_mark(struct gate_script *script, uint64_t time_ns, int kind,
		      char *rest)
{
	struct probe_mark *mark = &script->marks[script->mark_count++];
	const char *word;

	*mark = (struct probe_mark){ .time_ns = time_ns,
				     .kind = (uint8_t)kind };
	while ((word = strsep(&rest, " ")))
		mark->chain[mark->count++] = address_of(word);
}

static void read_event(struct gate_script *script, uint64_t time_ns,
		       uint8_t kind, char *rest)
{
	struct function_event *event = &script->events[script->event_count++];
	const char *word = strsep(&rest, " ");

	*event = (struct function_event){ .time_ns = time_ns, .kind = kind };
	if (kind == FUNCTION_TRACE_STOP) {
		event->detail = (uint8_t)place_of(
			word, stops, sizeof(stops) / sizeof(*stops));
	} else if (kind == FUNCTION_SWITCH) {
		event->address = (uint64_t)atoi(word);
	} else if (word) {
		event->function = function_of(script, word);
		event->address = address_of(rest ? rest : word);
	}
}

/* A call's line includes its return target; a return goes there. */
static void read_line(struct gate_script *script, char *line)
{
	uint64_t time_ns = strtoull(strsep(&line, " "), NULL, 10);
	const char *word = strsep(&line, " ");
	int mark = place_of(word, marks, sizeof(marks) / sizeof(*marks));

	ck_assert_uint_lt(script->mark_count, LINES);
	ck_assert_uint_lt(script->event_count, LINES);
	if (mark >= 0)
		read_mark(script, time_ns, mark, line);
	else
		read_event(script, time_ns, kind_of(word), line);
}

static void read_script(struct gate_script *script, const char *text)
{
	char copy[4096];
	char *rest = copy;
	char *line;

	ck_assert_uint_lt(strlen(text), sizeof(copy));
	strcpy(copy, text);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			read_line(script, line);
}

static void say(struct gate_script *script, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void say(struct gate_script *script, const char *format, ...)
{
	size_t used = strlen(script->said);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(script->said + used, sizeof(script->said) - used, format,
		  arguments);
	va_end(arguments);
}

static const char *name_of(const struct gate_script *script, uint32_t function)
{
	return function_at(symbols_functions(script->symbols), function)->name;
}

static void say_return_address(struct gate_script *script, uint64_t address)
{
	struct symbol symbol;

	if (!address)
		return;
	symbols_find(script->symbols, -1, UINT64_MAX, address - 1, &symbol);
	say(script, " %s", name_of(script, symbol.function));
}

static void say_event(struct gate_script *script,
		      const struct function_event *event)
{
	say(script, "%" PRIu64 " %s", event->time_ns,
	    function_event_text(event->kind));
	switch ((enum function_event_kind)event->kind) {
	case FUNCTION_TRACE_STOP:
		say(script, " %s", stops[event->detail]);
		break;
	case FUNCTION_SWITCH:
		say(script, " %d", function_event_tid(event));
		break;
	case FUNCTION_OPEN_END:
		say(script, " %u", event->detail);
		break;
	case FUNCTION_GAP:
	case FUNCTION_INTERRUPTS:
	case FUNCTION_END:
	case FUNCTION_NEW_PROGRAM:
		break;
	case FUNCTION_OPEN:
	case FUNCTION_OPEN_EXCEPTION:
	case FUNCTION_CALL:
	case FUNCTION_EXCEPTION:
		say(script, " %s", name_of(script, event->function));
		say_return_address(script, event->address);
		break;
	case FUNCTION_LOCAL_CALL:
	case FUNCTION_TAIL_CALL:
	case FUNCTION_FAR_JUMP:
	case FUNCTION_INLINED:
	case FUNCTION_RETURN:
	case FUNCTION_LOCAL_EXCEPTION:
	case FUNCTION_EXCEPTION_RETURN:
	case FUNCTION_TRACE_START:
		say(script, " %s", name_of(script, event->function));
		break;
	}
	say(script, "\n");
}

/* Times never go back. */
static void run(struct gate_script *script)
{
	const struct gate_input input = { next_events, script, next_mark,
					  script };
	struct gate_events *events = gate_events_new(script->symbols, &input);
	const struct function_event *batch;
	uint64_t last_ns = 0;
	int count;

	ck_assert_ptr_nonnull(events);
	while ((count = gate_events_next(events, &batch)) > 0)
		for (int i = 0; i < count; i++) {
			ck_assert_uint_ge(batch[i].time_ns, last_ns);
			last_ns = batch[i].time_ns;
			say_event(script, &batch[i]);
		}
	ck_assert_int_eq(count, 0);
	gate_events_free(events);
}

void gate_script_expect(const struct arch *arch, const char *text,
			const char *wanted)
{
	static const size_t sizes[] = { LINES, 1, 3 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct gate_script script = {
			.symbols = make_symbols(arch),
			.batch_size = sizes[i],
		};

		read_script(&script, text);
		run(&script);
		ck_assert_str_eq(script.said, wanted);
		symbols_close(script.symbols);
	}
}
