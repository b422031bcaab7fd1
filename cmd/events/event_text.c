/* SPDX-License-Identifier: MIT */
#include "cmd/events/event_text.h"

#include "decoder/flow/flow.h"
#include "report/text/function_label.h"
#include "report/text/line_buffer.h"
#include "symbolize/events/function_event.h"
#include "symbolize/symbols/symbols.h"

#include <inttypes.h>

void event_write(FILE *out, const struct symbols *symbols,
		 const struct function_event *event)
{
	fprintf(out, "%" PRIu64 " -%" PRIu32 " +%" PRIu32 " %s ",
		event->time_ns, event->early_ns, event->late_ns,
		function_event_text(event->kind));
	switch ((enum function_event_kind)event->kind) {
	case FUNCTION_SWITCH:
		fprintf(out, "to %d/%d\n", function_event_pid(event),
			function_event_tid(event));
		break;
	case FUNCTION_TRACE_STOP:
		fprintf(out, "%s\n", flow_stop_text(event->detail));
		break;
	case FUNCTION_GAP:
		fprintf(out, "%s\n", flow_gap_text(event->detail));
		break;
	case FUNCTION_CALL:
	case FUNCTION_LOCAL_CALL:
	case FUNCTION_TAIL_CALL:
	case FUNCTION_FAR_JUMP:
	case FUNCTION_INLINED:
	case FUNCTION_NEW_PROGRAM:
	case FUNCTION_RETURN:
	case FUNCTION_EXCEPTION:
	case FUNCTION_LOCAL_EXCEPTION:
	case FUNCTION_EXCEPTION_RETURN:
	case FUNCTION_TRACE_START:
	case FUNCTION_OPEN:
	case FUNCTION_OPEN_EXCEPTION:
	case FUNCTION_OPEN_END:
	case FUNCTION_INTERRUPTS:
	case FUNCTION_END:
		fprintf(out, "%" PRIx64 " ", event->address);
		function_name_write(symbols_functions(symbols), event->function,
				    out);
		fputc('\n', out);
		break;
	}
}

static const char *item_detail(const struct flow_item *item)
{
	if (item->kind == FLOW_BLOCK)
		return flow_exit_text(item->detail);
	if (item->kind == FLOW_STOP)
		return flow_stop_text(item->detail);
	if (item->kind == FLOW_GAP)
		return flow_gap_text(item->detail);
	return "";
}

#define put(out, text) line_buffer_put(out, text, sizeof(text) - 1)

static void put_hex(struct line_buffer *out, uint64_t value)
{
	char *text = line_buffer_room(out, DIGITS_MOST);

	out->size += digits_hex(text, value);
}

static void put_start(struct line_buffer *out, const struct flow_item *item)
{
	line_buffer_number(out, item->time_ns);
	put(out, " -");
	line_buffer_number(out, item->early_ns);
	put(out, " +");
	line_buffer_number(out, item->late_ns);
	put(out, " ");
	line_buffer_text(out, flow_kind_text(item->kind));
	put(out, " ");
	line_buffer_text(out, item_detail(item));
	put(out, " ");
}

static void put_switch(struct line_buffer *out, const struct flow_item *item)
{
	put(out, "to ");
	line_buffer_signed(out, flow_switch_pid(item));
	put(out, "/");
	line_buffer_signed(out, flow_switch_tid(item));
}

static void put_block(struct line_buffer *out, const struct flow_item *item)
{
	put_hex(out, item->ip);
	put(out, "-");
	put_hex(out, item->ip + item->last);
	put(out, " ");
	line_buffer_number(out, item->instructions);
	put(out, " instructions");
}

static void put_gap(struct line_buffer *out, const struct flow_item *item)
{
	put(out, "at byte ");
	line_buffer_number(out, item->ip);
	put(out, ", ");
	line_buffer_number(out, item->last);
	put(out, " bytes");
}

void item_text_write(struct line_buffer *out, const struct flow_item *item)
{
	put_start(out, item);
	if (item->kind == FLOW_SWITCH)
		put_switch(out, item);
	else if (item->kind == FLOW_BLOCK)
		put_block(out, item);
	else if (item->kind == FLOW_GAP)
		put_gap(out, item);
	else
		put_hex(out, item->ip);
	put(out, "\n");
	line_buffer_end(out);
}
