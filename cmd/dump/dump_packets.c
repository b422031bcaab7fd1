/* SPDX-License-Identifier: MIT */
#include "cmd/dump/dump_stages.h"
#include "cmd/pipeline/session.h"
#include "decoder/flow/packet_dump.h"
#include "decoder/recording/recording.h"

#include <inttypes.h>

static int dump_stream(struct dump *dump, const struct aux_stream *stream)
{
	const struct session *session = dump->session;
	struct packet_dump *packets;
	struct packet_line line;
	int status = packet_dump_open(session->recording, stream, &packets);

	if (status < 0)
		return status;
	fprintf(session->out, "stream %" PRIu32 " cpu %d\n", stream->index,
		stream->cpu);
	while (dump->left && (status = packet_dump_next(packets, &line)) > 0) {
		dump->left--;
		fprintf(session->out, "%08" PRIx64 " %2" PRIu32 " %-10s %s\n",
			line.position, line.size_bytes, line.name, line.text);
	}
	packet_dump_close(packets);
	return status < 0 ? status : 0;
}

int dump_packets(struct dump *dump)
{
	const struct recording *recording = dump->session->recording;
	int status = 0;

	for (size_t i = 0; !status && i < recording_stream_count(recording);
	     i++) {
		const struct aux_stream *stream =
			recording_stream(recording, i);

		if (dump_wants_cpu(dump, stream->cpu))
			status = dump_stream(dump, stream);
	}
	return status;
}
