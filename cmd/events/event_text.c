/* SPDX-License-Identifier: MIT */
#include "cmd/events/event_text.h"

#include "decoder/flow/flow.h"
#include "report/text/function_label.h"
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
	case FUNCTION_NEW_PROGRAM:
	case FUNCTION_RETURN:
	case FUNCTION_EXCEPTION:
	case FUNCTION_LOCAL_EXCEPTION:
	case FUNCTION_EXCEPTION_RETURN:
	case FUNCTION_TRACE_START:
	case FUNCTION_OPEN:
	case FUNCTION_OPEN_EXCEPTION:
	case FUNCTION_OPEN_END:
	case FUNCTION_END:
		fprintf(out, "%" PRIx64 " ", event->address);
		function_name_write(symbols_functions(symbols), event->function,
				    out);
		fputc('\n', out);
		break;
	}
}
