/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_TRACKS_H
#define KT_REPORT_PERFETTO_TRACKS_H

#include "common/array.h"

#include <stdint.h>

struct perfetto_out;
struct protobuf;
struct span_track;
struct task_names;

/* Writes descriptors of tracks and of their processes, each once. */
struct perfetto_tracks {
	struct perfetto_out *out;	/* borrowed */
	const struct task_names *names; /* borrowed */
	struct array processes;		/* int32_t: described already */
	int status;			/* 0, or -ERROR_MEMORY */
};

struct perfetto_tracks perfetto_tracks_of(struct perfetto_out *out,
					  const struct task_names *names);

/* Frees all.  Returns the status. */
int perfetto_tracks_end(struct perfetto_tracks *tracks);

/* Starts @track's packet sequence, in which times are relative to the previous
 * packet, the first one to @time_ns.
 */
void perfetto_tracks_add(struct perfetto_tracks *tracks,
			 const struct span_track *track, uint64_t time_ns);

/* Writes @packet into @track's sequence, with enum sequence_flag bits. */
void perfetto_write(struct perfetto_out *out, struct protobuf *packet,
		    const struct span_track *track, uint64_t flags);

/* Writes a text field, which must be UTF-8, whatever the bytes of @name. */
void perfetto_put_name(struct protobuf *message, uint32_t field,
		       const char *name);

#endif
