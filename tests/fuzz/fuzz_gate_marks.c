/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "common/formats/recording_events.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/gate/gate_events.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static const char kallsyms[] =
	"ffffffff81000000 t entry_SYSCALL_64\n"
	"ffffffff81000010 t do_syscall_64\n"
	"ffffffff81000020 t __x64_sys_read\n"
	"ffffffff81000030 t __perf_event_task_sched_out\n"
	"ffffffff81000040 t __perf_event_task_sched_in\n"
	"ffffffff81000050 t arch_rethook_trampoline\n"
	"ffffffff81000060 t perf_tp_event\n"
	"ffffffff81000070 t asm_sysvec_apic_timer_interrupt\n"
	"ffffffff81000078 t kprobe_insn_page\n";

/* Marks and events are two separate sources, from the two halves of an input.
 */
struct halves {
	struct byte_reader marks;
	struct byte_reader events;
	const struct symbols *symbols;
	uint64_t mark_ns;
	uint64_t event_ns;
	struct function_event event;
	bool has_ended;
};

/* Most addresses are in the functions above, the others arbitrary. */
static uint64_t address_of(uint8_t byte)
{
	return byte & 0x80 ? byte : UINT64_C(0xffffffff81000000) + byte;
}

/* A mark's record: how many bytes it has and which, and the call chain. */
static void read_record(struct halves *halves, struct sideband_record *record,
			uint64_t chain[256])
{
	struct byte_reader *reader = &halves->marks;
	size_t size = byte_reader_u8(reader) % 24;

	halves->mark_ns += byte_reader_u8(reader);
	record->time_ns = halves->mark_ns;
	record->sample.raw = byte_reader_bytes(reader, size);
	record->sample.raw_size = (uint32_t)size;
	record->sample.chain_count = byte_reader_u8(reader);
	for (uint64_t i = 0; i < record->sample.chain_count; i++)
		chain[i] = address_of(byte_reader_u8(reader));
	record->sample.chain = (const uint8_t *)chain;
}

static int next_mark(void *ctx, struct probe_mark *mark)
{
	static const struct recording_event event = { .name = GATE_MARK_EVENT };
	struct halves *halves = ctx;
	uint64_t chain[256];

	while (byte_reader_left(&halves->marks)) {
		struct sideband_record record = {
			.kind = SIDEBAND_SAMPLE,
			.sample.event = &event,
		};

		read_record(halves, &record, chain);
		if (probe_mark_read(&record, mark))
			return 1;
	}
	return 0;
}

/* Returns an event kind; FUNCTION_CALL in place of open functions, which only
 * gate_events emits.
 */
static uint8_t kind_of(uint8_t byte)
{
	uint8_t kind = byte % FUNCTION_END;

	return kind >= FUNCTION_OPEN && kind <= FUNCTION_OPEN_END ?
		       FUNCTION_CALL :
		       kind;
}

/* Returns one event per batch; the last one is FUNCTION_END. */
static int next_events(void *ctx, const struct function_event **batch)
{
	struct halves *halves = ctx;
	struct byte_reader *reader = &halves->events;
	uint32_t functions = function_count(symbols_functions(halves->symbols));
	uint8_t kind = kind_of(byte_reader_u8(reader));

	if (halves->has_ended)
		return 0;
	halves->event_ns += byte_reader_u8(reader);
	halves->event = (struct function_event){
		.kind = kind,
		.function = byte_reader_u8(reader) % functions,
		.address = address_of(byte_reader_u8(reader)),
		.detail = byte_reader_u8(reader) % 3,
		.time_ns = halves->event_ns,
	};
	halves->has_ended = reader->failed;
	if (halves->has_ended)
		halves->event.kind = FUNCTION_END;
	*batch = &halves->event;
	return 1;
}

/* Checks that times never decrease, and that open functions are reported from
 * the outermost inwards.
 */
static void read_all(struct gate_events *events)
{
	const struct function_event *batch;
	uint64_t last_ns = 0;
	unsigned int open = 0;
	int count;

	while ((count = gate_events_next(events, &batch)) > 0)
		for (int i = 0; i < count; i++) {
			bool opens = batch[i].kind == FUNCTION_OPEN ||
				     batch[i].kind == FUNCTION_OPEN_EXCEPTION;

			if (batch[i].time_ns < last_ns ||
			    (opens && batch[i].detail != open))
				__builtin_trap();
			open = opens ? open + 1 : 0;
			last_ns = batch[i].time_ns;
		}
	if (count < 0)
		__builtin_trap();
}

/* The marks of --only, and events that need not fit them. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct symbols *symbols;
	struct halves halves = {
		.marks = byte_reader_of(bytes, size / 2),
		.events = byte_reader_of(bytes + size / 2, size - size / 2),
	};
	const struct gate_input input = { next_events, &halves, next_mark,
					  &halves };
	struct gate_events *events;

	if (symbols_from_text(&arch_x86_64, kallsyms, strlen(kallsyms), "", 0,
			      &symbols))
		return 0;
	halves.symbols = symbols;
	events = gate_events_new(symbols, &input);
	if (events)
		read_all(events);
	gate_events_free(events);
	symbols_close(symbols);
	return 0;
}
