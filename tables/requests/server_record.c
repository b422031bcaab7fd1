/* SPDX-License-Identifier: MIT */
#include "tables/requests/server_record.h"

#include "attribution/requests/thread_clock.h"
#include "common/bytes.h"
#include "common/kept_file.h"

void server_record_pack(struct pack *pack, struct server_record *record)
{
	pack_small(pack, &record->kind, SERVER_RECORD_KINDS - 1);
	pack_i32(pack, &record->pid);
	pack_u64(pack, &record->begin_ns);
	if (record->kind == SERVER_REQUEST) {
		pack_i32(pack, &record->client_pid);
		record->end_ns = record->begin_ns;
		return;
	}
	pack_u32(pack, &record->thread);
	pack_u64(pack, &record->end_ns);
	pack_check(pack, record->begin_ns <= record->end_ns);
	if (record->kind == SERVER_STRETCH) {
		pack_small(pack, &record->part, REQUEST_PARTS - 1);
		return;
	}
	pack_i32(pack, &record->client_pid);
	pack_bool(pack, &record->is_inferred);
}

void server_record_keep(struct kept_file_writer *writer,
			const struct server_record *record)
{
	const struct kept_span span =
		kept_span_of(record->begin_ns, record->end_ns);
	struct server_record kept = *record;

	server_record_pack(kept_file_writer_pack(writer), &kept);
	kept_file_writer_add(writer, &span);
}
