/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_FIELDS_H
#define KT_REPORT_PERFETTO_FIELDS_H

/* Field numbers of protos/perfetto/trace/ of Perfetto: trace_packet.proto,
 * trace_packet_defaults.proto, clock_snapshot.proto,
 * track_event/{track_event,track_descriptor,process_descriptor,
 * thread_descriptor,debug_annotation}.proto, interned_data/interned_data.proto,
 * ftrace/{ftrace_event_bundle,ftrace_event,sched}.proto.
 */
enum packet_field {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum sequence_flag { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };

enum defaults_field {
	DEFAULTS_TRACK_EVENT = 11,
	DEFAULTS_CLOCK_ID = 58,
};
enum event_defaults_field { EVENT_DEFAULTS_TRACK = 11 };

enum snapshot_field { SNAPSHOT_CLOCKS = 1 };
enum clock_field {
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_IS_INCREMENTAL = 3,
};
/* BUILTIN_CLOCK_BOOTTIME, and the first sequence-scoped clock id. */
enum clock_id { CLOCK_ID_BOOTTIME = 6, CLOCK_ID_OWN = 64 };

enum event_field {
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_NAME = 23,
	EVENT_FLOWS = 47,
	EVENT_LAST_FLOWS = 48,
};
enum event_type { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3 };

enum annotation_field {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_STRING = 6,
};

enum track_field {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
};
enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum interned_field {
	INTERNED_NAMES = 2,
	INTERNED_ANNOTATIONS = 3,
	INTERNED_SYMBOLS = 26,
};
enum name_field { NAME_IID = 1, NAME_STRING = 2 };

enum bundle_field { BUNDLE_CPU = 1, BUNDLE_EVENT = 2 };
enum ftrace_field {
	FTRACE_TIMESTAMP = 1,
	FTRACE_PID = 2,
	FTRACE_SWITCH = 4,
	FTRACE_FLAGS = 5,
	FTRACE_BLOCKED_REASON = 18,
	FTRACE_WAKING = 20,
	FTRACE_WAKEUP_NEW = 114,
};
enum switch_field {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_PRIO = 3,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	SWITCH_NEXT_PRIO = 7,
};
enum waking_field {
	WAKING_COMM = 1,
	WAKING_PID = 2,
	WAKING_PRIO = 3,
	WAKING_SUCCESS = 4,
};
enum blocked_field { BLOCKED_PID = 1, BLOCKED_CALLER = 2 };

/* Priority in sched_switch and similar events: it is not recorded. */
enum { USUAL_PRIORITY = 120 };

/* Sequences of tracks have smaller numbers. */
enum own_sequence {
	SEQUENCE_BLOCKED = 0x7ffffffe,
	SEQUENCE_SCHED = 0x7fffffff,
};

#endif
