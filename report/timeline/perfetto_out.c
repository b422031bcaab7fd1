/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_out.h"

#include "common/error.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"

#include <libdeflate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* protos/perfetto/trace/trace_packet.proto: such a packet must be smaller than
 * 512 KB.
 */
enum { PACKET_COMPRESSED_PACKETS = 50 };

/* The fastest level: half of zlib's time on these packets, with larger output.
 */
enum { LEVEL = 1 };

/* Compresses full buffers and writes them to the file. With a thread, raw and
 * size are the buffer that it compresses, and belong to it while size is not 0;
 * the members before them are its own until it has ended.
 */
struct perfetto_packer {
	FILE *out; /* borrowed */
	struct libdeflate_compressor *compressor;
	uint8_t *packed; /* NULL until first needed */
	size_t room;	 /* size of packed */
	uint64_t bytes;	 /* written to out */
	int status;	 /* 0, or -ERROR_MEMORY: packets are missing */
	uint8_t *raw;	 /* NULL: no thread */
	size_t size;	 /* 0: nothing to do */
	bool at_end;
	bool may_start_thread;
	pthread_t thread;
	pthread_mutex_t mutex; /* of size and at_end */
	pthread_cond_t changed;
};

static void write_all(struct perfetto_packer *packer, const void *bytes,
		      size_t size)
{
	packer->bytes += fwrite(bytes, 1, size, packer->out);
}

/* Writes @size compressed bytes as a packet. */
static void write_packed(struct perfetto_packer *packer, size_t size)
{
	uint8_t inner[PROTOBUF_HEAD_MOST];
	uint8_t outer[PROTOBUF_HEAD_MOST];
	size_t head = protobuf_head(inner, PACKET_COMPRESSED_PACKETS, size);

	write_all(packer, outer,
		  protobuf_head(outer, TRACE_PACKET, head + size));
	write_all(packer, inner, head);
	write_all(packer, packer->packed, size);
}

/* Grows the buffer as needed: a short trace has one short packet. */
static bool make_room(struct perfetto_packer *packer, size_t size)
{
	if (size <= packer->room)
		return true;
	free(packer->packed);
	packer->packed = malloc(size);
	packer->room = packer->packed ? size : 0;
	return packer->packed;
}

static void pack_bytes(struct perfetto_packer *packer, const uint8_t *raw,
		       size_t size)
{
	size_t room = libdeflate_zlib_compress_bound(packer->compressor, size);

	if (make_room(packer, room))
		write_packed(packer, libdeflate_zlib_compress(
					     packer->compressor, raw, size,
					     packer->packed, room));
	else
		packer->status = -ERROR_MEMORY;
}

static void *run(void *ctx)
{
	struct perfetto_packer *packer = ctx;

	pthread_mutex_lock(&packer->mutex);
	while (packer->size || !packer->at_end) {
		if (!packer->size) {
			pthread_cond_wait(&packer->changed, &packer->mutex);
			continue;
		}
		pthread_mutex_unlock(&packer->mutex);
		pack_bytes(packer, packer->raw, packer->size);
		pthread_mutex_lock(&packer->mutex);
		packer->size = 0;
		pthread_cond_signal(&packer->changed);
	}
	pthread_mutex_unlock(&packer->mutex);
	return NULL;
}

/* Starts the thread. If that fails, the caller compresses. */
static void start(struct perfetto_packer *packer)
{
	packer->may_start_thread = false;
	packer->raw = malloc(PERFETTO_RAW_BYTES);
	if (packer->raw && !pthread_create(&packer->thread, NULL, run, packer))
		return;
	free(packer->raw);
	packer->raw = NULL;
}

/* Exchanges the buffers, once the thread has compressed the last one. */
static void pass_on(struct perfetto_out *out)
{
	struct perfetto_packer *packer = out->packer;
	uint8_t *done;

	pthread_mutex_lock(&packer->mutex);
	while (packer->size)
		pthread_cond_wait(&packer->changed, &packer->mutex);
	done = packer->raw;
	packer->raw = out->raw;
	packer->size = out->size;
	pthread_cond_signal(&packer->changed);
	pthread_mutex_unlock(&packer->mutex);
	out->raw = done;
}

static void end_thread(struct perfetto_packer *packer)
{
	pthread_mutex_lock(&packer->mutex);
	packer->at_end = true;
	pthread_cond_signal(&packer->changed);
	pthread_mutex_unlock(&packer->mutex);
	pthread_join(packer->thread, NULL);
	free(packer->raw);
}

static void free_packer(struct perfetto_packer *packer)
{
	pthread_cond_destroy(&packer->changed);
	pthread_mutex_destroy(&packer->mutex);
	libdeflate_free_compressor(packer->compressor);
	free(packer->packed);
	free(packer);
}

static struct perfetto_packer *make_packer(FILE *out, bool may_start_thread)
{
	struct perfetto_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	packer->out = out;
	packer->may_start_thread = may_start_thread;
	packer->compressor = libdeflate_alloc_compressor(LEVEL);
	pthread_mutex_init(&packer->mutex, NULL);
	pthread_cond_init(&packer->changed, NULL);
	if (packer->compressor)
		return packer;
	free_packer(packer);
	return NULL;
}

struct perfetto_out perfetto_out_of(FILE *out, bool may_start_thread)
{
	struct perfetto_out perfetto = {
		.packer = make_packer(out, may_start_thread),
	};

	if (perfetto.packer)
		perfetto.raw = malloc(PERFETTO_RAW_BYTES);
	return perfetto;
}

void perfetto_out_flush(struct perfetto_out *out)
{
	if (out->packer->may_start_thread)
		start(out->packer);
	if (out->packer->raw)
		pass_on(out);
	else
		pack_bytes(out->packer, out->raw, out->size);
	out->size = 0;
}

void perfetto_out_end(struct perfetto_out *out)
{
	struct perfetto_packer *packer = out->packer;

	out->status = out->raw ? 0 : -ERROR_MEMORY;
	if (!packer)
		return;
	packer->may_start_thread = false;
	if (out->size)
		perfetto_out_flush(out);
	if (packer->raw)
		end_thread(packer);
	out->status = out->status ? out->status : packer->status;
	out->bytes = packer->bytes;
	free_packer(packer);
	free(out->raw);
	out->packer = NULL;
	out->raw = NULL;
}

void perfetto_out_packet(struct perfetto_out *out,
			 const struct protobuf *packet)
{
	uint8_t *at = perfetto_out_room(out, PROTOBUF_HEAD_MOST + packet->size);

	if (!at)
		return;
	at += protobuf_head(at, TRACE_PACKET, packet->size);
	memcpy(at, packet->bytes, packet->size);
	perfetto_out_took(out, at + packet->size);
}

void perfetto_put_comm(struct protobuf *message, uint32_t field,
		       const struct task_names *names,
		       struct perfetto_comm comm)
{
	enum { COMM_BYTES = 32 };
	char text[COMM_BYTES * NAME_GROWTH];
	char name[COMM_BYTES];

	if (comm.tid)
		snprintf(name, sizeof(name), "%s",
			 task_names_comm(names, comm.tid, comm.time_ns));
	else
		snprintf(name, sizeof(name), "swapper/%u", comm.cpu);
	protobuf_bytes(message, field, text,
		       name_text(text, NAME_UTF8, name, strlen(name)));
}
