/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_sched.h"

#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/timeline/perfetto_comm.h"
#include "report/timeline/perfetto_fields.h"
#include "report/timeline/perfetto_out.h"

/* include/linux/sched.h: TASK_RUNNING, TASK_INTERRUPTIBLE. The trace does not
 * have the kind of sleep.
 */
enum { STATE_RUNNABLE = 0, STATE_ASLEEP = 1 };

struct cpu_runs {
	int32_t tid; /* running thread; 0: idle */
	/* tid left at left_ns; the next thread is not known yet */
	bool has_left;
	uint64_t left_ns;
};

struct switch_event {
	uint64_t time_ns;
	uint32_t cpu;
	int32_t prev_tid;
	int32_t next_tid;
	bool is_preempted;
};

struct perfetto_sched perfetto_sched_of(struct perfetto_out *out,
					const struct task_names *names)
{
	return (struct perfetto_sched){
		.out = out,
		.names = names,
		.cpus = ARRAY_OF(struct cpu_runs),
	};
}

static void put_comm(const struct perfetto_sched *sched,
		     struct protobuf *message, uint32_t field,
		     const struct switch_event *event, int32_t tid)
{
	perfetto_put_comm(message, field, sched->names,
			  (struct perfetto_comm){ tid, event->cpu,
						  event->time_ns });
}

static void put_switch(const struct perfetto_sched *sched,
		       struct protobuf *message,
		       const struct switch_event *event)
{
	put_comm(sched, message, SWITCH_PREV_COMM, event, event->prev_tid);
	protobuf_number(message, SWITCH_PREV_PID, (uint64_t)event->prev_tid);
	protobuf_number(message, SWITCH_PREV_PRIO, USUAL_PRIORITY);
	protobuf_number(message, SWITCH_PREV_STATE,
			event->is_preempted || !event->prev_tid ?
				STATE_RUNNABLE :
				STATE_ASLEEP);
	put_comm(sched, message, SWITCH_NEXT_COMM, event, event->next_tid);
	protobuf_number(message, SWITCH_NEXT_PID, (uint64_t)event->next_tid);
	protobuf_number(message, SWITCH_NEXT_PRIO, USUAL_PRIORITY);
}

static void write_switch(struct perfetto_sched *sched,
			 const struct switch_event *event)
{
	struct protobuf switched;
	struct protobuf ftrace;
	struct protobuf bundle;
	struct protobuf packet;

	if (event->prev_tid == event->next_tid)
		return;
	protobuf_start(&switched);
	protobuf_start(&ftrace);
	protobuf_start(&bundle);
	protobuf_start(&packet);
	put_switch(sched, &switched, event);
	protobuf_number(&ftrace, FTRACE_TIMESTAMP, event->time_ns);
	protobuf_number(&ftrace, FTRACE_PID, (uint64_t)event->prev_tid);
	protobuf_message(&ftrace, FTRACE_SWITCH, &switched);
	protobuf_number(&bundle, BUNDLE_CPU, event->cpu);
	protobuf_message(&bundle, BUNDLE_EVENT, &ftrace);
	protobuf_message(&packet, PACKET_FTRACE_EVENTS, &bundle);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, SEQUENCE_SCHED);
	perfetto_out_packet(sched->out, &packet);
}

/* Switches a CPU to @tid at the time of @event. */
static void change(struct perfetto_sched *sched, struct cpu_runs *runs,
		   struct switch_event event, int32_t tid)
{
	event.prev_tid = runs->tid;
	event.next_tid = tid;
	write_switch(sched, &event);
	runs->tid = tid;
	runs->has_left = false;
}

void perfetto_sched_take(struct perfetto_sched *sched,
			 const struct call_step *step)
{
	struct cpu_runs *runs = array_reach(&sched->cpus, cpu_slot(step->cpu));
	struct switch_event event = {
		.time_ns = step->time_ns,
		.cpu = step->cpu,
	};

	/* Per-thread streams do not have the CPU. */
	if (step->cpu == UINT32_MAX)
		return;
	if (!runs) {
		sched->status = -ERROR_MEMORY;
		return;
	}
	/* The filter left out the next thread: show the CPU as idle. */
	if (runs->has_left && runs->left_ns != step->time_ns)
		change(sched, runs,
		       (struct switch_event){ .time_ns = runs->left_ns,
					      .cpu = step->cpu },
		       0);
	if (step->kind == STEP_SWITCH) {
		event.is_preempted = step->detail;
		change(sched, runs, event,
		       step->task->tid > 0 ? step->task->tid : 0);
	} else if (step->kind == STEP_LEAVE) {
		runs->has_left = true;
		runs->left_ns = step->time_ns;
	} else {
		change(sched, runs, event, 0);
	}
}

int perfetto_sched_end(struct perfetto_sched *sched)
{
	array_free(&sched->cpus);
	return sched->status;
}
