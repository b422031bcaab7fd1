/* SPDX-License-Identifier: MIT */
#include "cmd/dump_stages.h"
#include "cmd/session.h"
#include "decoder/packet_dump.h"
#include "decoder/recording.h"

#include <inttypes.h>

static int dump_stream(const struct session *session,
		       const struct aux_stream *stream)
{
	struct packet_dump *dump;
	struct packet_line line;
	int status = packet_dump_open(session->recording, stream, &dump);

	if (status < 0)
		return status;
	fprintf(session->out, "stream %" PRIu32 " cpu %d\n", stream->index,
		stream->cpu);
	while ((status = packet_dump_next(dump, &line)) > 0)
		fprintf(session->out, "%08" PRIx64 " %2" PRIu32 " %-10s %s\n",
			line.position, line.size_bytes, line.name, line.text);
	packet_dump_close(dump);
	return status;
}

int dump_packets(const struct session *session)
{
	int status = 0;

	for (size_t i = 0;
	     !status && i < recording_stream_count(session->recording); i++)
		status = dump_stream(session,
				     recording_stream(session->recording, i));
	return status;
}
