/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_wakeups.h"

#include "common/error.h"
#include "report/timeline/perfetto_comm.h"
#include "report/timeline/perfetto_fields.h"
#include "report/timeline/perfetto_out.h"
#include "report/timeline/perfetto_tracks.h"

struct perfetto_wakeups perfetto_wakeups_of(struct perfetto_out *out,
					    const struct task_names *names)
{
	return (struct perfetto_wakeups){
		.out = out,
		.names = names,
		.symbols = ARRAY_OF(bool),
	};
}

int perfetto_wakeups_end(struct perfetto_wakeups *wakeups)
{
	array_free(&wakeups->symbols);
	return wakeups->status;
}

/* Writes a bundle of one event. */
static void put_bundle(struct protobuf *packet, uint32_t cpu,
		       const struct protobuf *ftrace)
{
	struct protobuf bundle;

	protobuf_start(&bundle);
	protobuf_number(&bundle, BUNDLE_CPU, cpu);
	protobuf_message(&bundle, BUNDLE_EVENT, ftrace);
	protobuf_message(packet, PACKET_FTRACE_EVENTS, &bundle);
}

void perfetto_wakeups_take(struct perfetto_wakeups *wakeups,
			   const struct lane_waking *waking)
{
	const struct perfetto_comm comm = { waking->tid, waking->cpu,
					    waking->time_ns };
	struct protobuf woken;
	struct protobuf ftrace;
	struct protobuf packet;

	protobuf_start(&woken);
	protobuf_start(&ftrace);
	protobuf_start(&packet);
	perfetto_put_comm(&woken, WAKING_COMM, wakeups->names, comm);
	protobuf_number(&woken, WAKING_PID, (uint64_t)waking->tid);
	protobuf_number(&woken, WAKING_PRIO, USUAL_PRIORITY);
	protobuf_number(&woken, WAKING_SUCCESS, 1);
	protobuf_number(&ftrace, FTRACE_TIMESTAMP, waking->time_ns);
	protobuf_number(&ftrace, FTRACE_PID, (uint64_t)waking->waker_tid);
	protobuf_number(&ftrace, FTRACE_FLAGS, waking->flags);
	protobuf_message(&ftrace,
			 waking->is_new ? FTRACE_WAKEUP_NEW : FTRACE_WAKING,
			 &woken);
	put_bundle(&packet, waking->cpu, &ftrace);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_SCHED);
	perfetto_out_packet(wakeups->out, &packet);
}

/* A function's name is written once and then referred to by its number. */
static void put_symbol(struct perfetto_wakeups *wakeups,
		       struct protobuf *packet, uint32_t function,
		       const char *name)
{
	bool *is_known = array_reach(&wakeups->symbols, function);
	struct protobuf entry;
	struct protobuf interned;

	if (!is_known)
		wakeups->status = -ERROR_MEMORY;
	if (!is_known || *is_known)
		return;
	*is_known = true;
	protobuf_start(&entry);
	protobuf_start(&interned);
	protobuf_number(&entry, NAME_IID, (uint64_t)function + 1);
	perfetto_put_name(&entry, NAME_STRING, name);
	protobuf_message(&interned, INTERNED_SYMBOLS, &entry);
	protobuf_message(packet, PACKET_INTERNED_DATA, &interned);
}

void perfetto_wakeups_blocked(struct perfetto_wakeups *wakeups,
			      const struct lane_blocked *blocked,
			      const char *name)
{
	struct protobuf reason;
	struct protobuf ftrace;
	struct protobuf packet;

	protobuf_start(&reason);
	protobuf_start(&ftrace);
	protobuf_start(&packet);
	protobuf_number(&reason, BLOCKED_PID, (uint64_t)blocked->tid);
	protobuf_number(&reason, BLOCKED_CALLER,
			(uint64_t)blocked->function + 1);
	protobuf_number(&ftrace, FTRACE_TIMESTAMP, blocked->time_ns);
	protobuf_number(&ftrace, FTRACE_PID, (uint64_t)blocked->tid);
	protobuf_message(&ftrace, FTRACE_BLOCKED_REASON, &reason);
	put_bundle(&packet, 0, &ftrace);
	put_symbol(wakeups, &packet, blocked->function, name);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_BLOCKED);
	protobuf_number(&packet, PACKET_SEQUENCE_FLAGS,
			SEQUENCE_NEEDS_STATE |
				(wakeups->has_begun ? 0 : SEQUENCE_CLEARED));
	wakeups->has_begun = true;
	perfetto_out_packet(wakeups->out, &packet);
}
