/* SPDX-License-Identifier: MIT */
#include "collector/writer/trace_writer.h"

#include "collector/bytes/recording_files.h"
#include "collector/target/cpu_list.h"
#include "collector/target/process_control.h"
#include "collector/writer/recording_writer.h"
#include "common/array.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The fastest useful level: a CPU compresses 150 to 220 MB/s of trace. */
enum { ZSTD_LEVEL = 1 };

/* The ring is read with this period after the polled event has hung up, because
 * its task has ended: other tasks may still be traced.
 */
enum { POLL_UNWATCHED_MS = 20 };

/* O_DIRECT requires addresses, sizes and positions to be multiples of this. */
enum { PAGE = 4096 };

/* The page before each piece of trace that is written from the ring itself: the
 * piece's AUXTRACE record, after a record that readers skip.
 */
struct front_page {
	struct perf_event_header skipped;
	uint8_t zeros[PAGE - sizeof(struct perf_event_header) -
		      sizeof(struct trace_record)];
	struct trace_record record;
};

_Static_assert(sizeof(struct front_page) == PAGE, "a page");

/* A file that is written in whole, aligned buffers, until its end. */
struct direct_file {
	struct append_file file;
	uint8_t *buffer;
	size_t filled;
	ZSTD_CCtx *packer; /* NULL: not compressed */
};

struct trace_writer {
	struct aux_ring aux; /* its mapping is borrowed */
	int event;
	int cpu;
	uint32_t index;
	uint32_t records; /* AUXTRACE records so far */
	bool is_in_place; /* trace is written from the ring itself */
	struct direct_file out;
	pthread_t thread;
	bool has_thread;
	int stop;    /* an eventfd, readable from the stop on */
	int wake[2]; /* a pipe; its end for writing belongs to the thread */
	/* Shared with the loop: */
	_Atomic uint64_t full_at;
	_Atomic uint64_t trace_bytes;
	_Atomic uint64_t file_bytes;
	_Atomic uint64_t unread_bytes;
	_Atomic uint64_t write_ns;
	_Atomic int error;
};

static int fail(const struct log *log, const char *path, const char *what)
{
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s: %s", what,
		    strerror(errno));
	return -ERROR_SYSTEM;
}

static int direct_file_open(struct direct_file *out,
			    const struct trace_writer_options *options)
{
	char name[32];
	int error;

	snprintf(name, sizeof(name), "data.%u%s", options->index,
		 options->compress ? ".zst" : "");
	error = append_file_create(&out->file, options->folder, name,
				   options->log);
	if (error)
		return error;
	append_file_set_direct(&out->file, true);
	out->buffer = aligned_alloc(TRACE_WRITER_BUFFER, TRACE_WRITER_BUFFER);
	if (!out->buffer)
		return -ERROR_MEMORY;
	if (!options->compress)
		return 0;
	out->packer = ZSTD_createCCtx();
	if (!out->packer ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(
		    out->packer, ZSTD_c_compressionLevel, ZSTD_LEVEL)))
		return -ERROR_MEMORY;
	return 0;
}

static void direct_file_close(struct direct_file *out)
{
	append_file_close(&out->file);
	ZSTD_freeCCtx(out->packer);
	free(out->buffer);
}

static int flush(struct direct_file *out)
{
	struct iovec part = { out->buffer, out->filled };

	out->filled = 0;
	return append_file_add(&out->file, &part, 1);
}

/* Like memcpy(), but stores past the caches where the CPU can: no CPU reads the
 * copy again, and a device that has read the former content of the buffer may
 * have the lines in other caches.
 */
static void copy_to_device(uint8_t *to, const uint8_t *from, size_t size)
{
#ifdef __SSE2__
	size_t head = -(uintptr_t)to % sizeof(__m128i);

	if (size >= head) {
		memcpy(to, from, head);
		to += head;
		from += head;
		size -= head;
	}
	for (; size >= sizeof(__m128i); size -= sizeof(__m128i)) {
		__m128i bytes;

		memcpy(&bytes, from, sizeof(bytes));
		_mm_stream_si128((void *)to, bytes);
		to += sizeof(bytes);
		from += sizeof(bytes);
	}
	_mm_sfence();
#endif
	memcpy(to, from, size);
}

static int put_plain(struct direct_file *out, const uint8_t *bytes, size_t size)
{
	int error = 0;

	while (size && !error) {
		size_t room = TRACE_WRITER_BUFFER - out->filled;
		size_t some = size < room ? size : room;

		copy_to_device(out->buffer + out->filled, bytes, some);
		out->filled += some;
		bytes += some;
		size -= some;
		if (out->filled == TRACE_WRITER_BUFFER)
			error = flush(out);
	}
	return error;
}

/* Compresses @in; with ZSTD_e_end also ends the frame. */
static int put_packed(struct direct_file *out, ZSTD_inBuffer in,
		      ZSTD_EndDirective how)
{
	bool is_done = false;
	int error = 0;

	while (!is_done && !error) {
		ZSTD_outBuffer packed = { out->buffer, TRACE_WRITER_BUFFER,
					  out->filled };
		size_t left =
			ZSTD_compressStream2(out->packer, &packed, &in, how);

		if (ZSTD_isError(left))
			return -ERROR_MEMORY;
		out->filled = packed.pos;
		is_done = how == ZSTD_e_end ? !left : in.pos == in.size;
		if (out->filled == TRACE_WRITER_BUFFER)
			error = flush(out);
	}
	return error;
}

static int put(struct direct_file *out, const void *bytes, size_t size)
{
	return out->packer ? put_packed(out, (ZSTD_inBuffer){ bytes, size, 0 },
					ZSTD_e_continue) :
			     put_plain(out, bytes, size);
}

/* Writes the rest of the buffer, without O_DIRECT because its size is not
 * aligned.
 */
static int end_file(struct direct_file *out)
{
	int error = out->packer ? put_packed(out, (ZSTD_inBuffer){ NULL, 0, 0 },
					     ZSTD_e_end) :
				  0;

	append_file_set_direct(&out->file, false);
	return error ? error : flush(out);
}

static struct trace_record next_record(struct trace_writer *writer,
				       const struct ring_bytes *trace)
{
	struct trace_record record =
		trace_record_of(writer->index, writer->cpu, -1, trace->size);

	record.offset = trace->start;
	record.reference = trace_reference(++writer->records);
	return record;
}

/* Writes @trace, whole pages, from the ring. */
static int write_in_place(struct trace_writer *writer,
			  const struct ring_bytes *trace)
{
	struct front_page *front = (void *)writer->out.buffer;
	struct iovec parts[3] = { { front, sizeof(*front) },
				  trace->part[0],
				  trace->part[1] };

	assert(!(trace->start % PAGE) && !(trace->size % PAGE));
	*front = (struct front_page){
		.skipped = { .type = PERF_DATA_FINISHED_INIT,
			     .size = offsetof(struct front_page, record) },
		.record = next_record(writer, trace),
	};
	return append_file_add(&writer->out.file, parts,
			       trace->part[1].iov_len ? 3 : 2);
}

static int put_trace(struct trace_writer *writer,
		     const struct ring_bytes *trace)
{
	static const uint8_t zeros[8];
	struct trace_record record;
	int error;

	if (writer->is_in_place)
		return write_in_place(writer, trace);
	record = next_record(writer, trace);
	error = put(&writer->out, &record, sizeof(record));
	for (int i = 0; i < 2 && !error; i++)
		error = put(&writer->out, trace->part[i].iov_base,
			    trace->part[i].iov_len);
	return error ? error :
		       put(&writer->out, zeros, record.size - trace->size);
}

/* Returns whether trace can be written from the ring itself: a file that is not
 * compressed, in a file system that reads the ring's memory itself. Other
 * errors than that of a device that cannot read it (EFAULT) are those of the
 * first write. The written page is removed.
 */
static bool can_write_in_place(const struct trace_writer *writer)
{
	const struct append_file *file = &writer->out.file;
	const struct iovec page = { writer->aux.bytes, PAGE };
	bool is_readable;

	if (writer->out.packer || writer->aux.read % PAGE)
		return false;
	is_readable = pwritev(file->fd, &page, 1, 0) >= 0 || errno != EFAULT;
	return !ftruncate(file->fd, 0) && is_readable;
}

/* Sets @word to @value if that is larger. Only the thread writes @word. */
static void raise_to(_Atomic uint64_t *word, uint64_t value)
{
	if (value > atomic_load(word))
		atomic_store(word, value);
}

static void count(struct trace_writer *writer, const struct ring_bytes *trace,
		  uint64_t began_ns)
{
	raise_to(&writer->write_ns, monotonic_ns() - began_ns);
	atomic_fetch_add(&writer->trace_bytes, trace->size);
	atomic_store(&writer->file_bytes,
		     writer->out.file.end + writer->out.filled);
}

/* Returns the trace to be written now. In place it is whole pages, and before the
 * end many of them or none: a write costs as much CPU time as a hundred pages.
 */
static struct ring_bytes next_trace(const struct trace_writer *writer,
				    bool is_end)
{
	const struct aux_ring *aux = &writer->aux;
	struct ring_bytes trace = aux_ring_read(aux);

	if (!writer->is_in_place)
		return trace;
	if (!is_end && trace.size < aux->size / TRACE_WRITER_RING_PARTS)
		trace.size = 0;
	return ring_split(aux->bytes, aux->size, trace.start,
			  trace.size - trace.size % PAGE);
}

/* Writes the content of the ring. */
static int consume(struct trace_writer *writer, bool is_end)
{
	struct ring_bytes trace = next_trace(writer, is_end);
	uint64_t began_ns = monotonic_ns();
	int error;

	if (!trace.size)
		return 0;
	error = put_trace(writer, &trace);
	raise_to(&writer->unread_bytes,
		 aux_ring_head(&writer->aux) - trace.start);
	count(writer, &trace, began_ns);
	if (aux_ring_release(&writer->aux, &trace))
		atomic_store(&writer->full_at, aux_ring_head(&writer->aux));
	return error;
}

/* Restricts the thread to the CPUs of the memory node that @cpu belongs to, on
 * which the kernel allocates its ring (rb_alloc_aux()). Without nodes it runs
 * on any CPU.
 */
static void stay_near(int cpu)
{
	char path[64];
	char list[4096] = "";
	struct array cpus = ARRAY_OF(int);
	struct dirent *entry;
	cpu_set_t set;
	FILE *file = NULL;
	DIR *folder;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	folder = opendir(path);
	while (folder && !file && (entry = readdir(folder))) {
		int node;

		if (sscanf(entry->d_name, "node%d", &node) != 1)
			continue;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/node/node%d/cpulist", node);
		file = fopen(path, "re");
	}
	CPU_ZERO(&set);
	if (file && fgets(list, sizeof(list), file) &&
	    !cpu_list_parse(list, &cpus))
		for (size_t i = 0; i < cpus.count; i++)
			CPU_SET((size_t) * (int *)array_at(&cpus, i), &set);
	if (CPU_COUNT(&set))
		pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	if (file)
		fclose(file);
	if (folder)
		closedir(folder);
	array_free(&cpus);
}

/* If the pipe is full, its bytes wake the loop anyway. */
static void wake_loop(const struct trace_writer *writer)
{
	if (writer->wake[1] >= 0 && write(writer->wake[1], "", 1) < 0 &&
	    errno != EAGAIN)
		fail(writer->out.file.log, writer->out.file.path,
		     "cannot wake the recorder");
}

/* Waits for trace. Returns whether trace_writer_stop() was called. */
static bool wait_for_trace(struct trace_writer *writer)
{
	struct pollfd polled[2] = {
		{ .fd = writer->event, .events = POLLIN },
		{ .fd = writer->stop, .events = POLLIN },
	};

	poll(polled, 2, writer->event < 0 ? POLL_UNWATCHED_MS : -1);
	if (polled[0].revents & (POLLHUP | POLLERR)) {
		writer->event = -1;
		close(writer->wake[1]);
		writer->wake[1] = -1;
	}
	return polled[1].revents;
}

static void *run(void *context)
{
	struct trace_writer *writer = context;
	struct priority priority;
	bool is_end = false;
	int error = 0;

	/* A thread does not inherit this from the recorder's loop. */
	priority_raise(&priority);
	stay_near(writer->cpu);
	while (!is_end && !error) {
		is_end = wait_for_trace(writer);
		error = consume(writer, is_end);
		wake_loop(writer);
	}
	/* The rest is less than a page, so it is copied. */
	writer->is_in_place = false;
	if (!error)
		error = consume(writer, true);
	if (!error)
		error = end_file(&writer->out);
	atomic_store(&writer->file_bytes, writer->out.file.end);
	atomic_store(&writer->error, error);
	wake_loop(writer);
	return NULL;
}

static int start(struct trace_writer *writer,
		 const struct trace_writer_options *options)
{
	int error = direct_file_open(&writer->out, options);

	if (error)
		return error;
	writer->is_in_place = can_write_in_place(writer);
	/* One page to look up for each write. */
	if (!writer->is_in_place)
		madvise(writer->out.buffer, TRACE_WRITER_BUFFER, MADV_HUGEPAGE);
	writer->stop = eventfd(0, EFD_CLOEXEC);
	if (writer->stop < 0 || pipe2(writer->wake, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail(options->log, NULL, "cannot start a writer");
	errno = pthread_create(&writer->thread, NULL, run, writer);
	if (errno)
		return fail(options->log, NULL, "cannot start a writer");
	writer->has_thread = true;
	return 0;
}

int trace_writer_start(const struct aux_ring *aux, int event,
		       const struct trace_writer_options *options,
		       struct trace_writer **writer)
{
	struct trace_writer *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	new->aux = *aux;
	new->event = event;
	new->cpu = options->cpu;
	new->index = options->index;
	new->out.file.fd = -1;
	new->stop = new->wake[0] = new->wake[1] = -1;
	error = start(new, options);
	if (error) {
		trace_writer_free(new);
		return error;
	}
	*writer = new;
	return 0;
}

int trace_writer_wake(const struct trace_writer *writer)
{
	return writer->wake[0];
}

int trace_writer_take(struct trace_writer *writer, uint64_t *full_at)
{
	char bytes[256];

	while (read(writer->wake[0], bytes, sizeof(bytes)) ==
	       (ssize_t)sizeof(bytes))
		;
	*full_at = atomic_exchange(&writer->full_at, 0);
	return atomic_load(&writer->error);
}

void trace_lag_raise(struct trace_lag *lag, const struct trace_lag *other)
{
	if (other->unread_bytes > lag->unread_bytes)
		lag->unread_bytes = other->unread_bytes;
	if (other->write_ns > lag->write_ns)
		lag->write_ns = other->write_ns;
}

struct trace_writer_state trace_writer_look(const struct trace_writer *writer)
{
	return (struct trace_writer_state){
		.trace_bytes = atomic_load(&writer->trace_bytes),
		.file_bytes = atomic_load(&writer->file_bytes),
		.lag = {
			.unread_bytes = atomic_load(&writer->unread_bytes),
			.write_ns = atomic_load(&writer->write_ns),
		},
	};
}

void trace_writer_stop(struct trace_writer *writer)
{
	eventfd_write(writer->stop, 1);
}

int trace_writer_finish(struct trace_writer *writer)
{
	if (writer->has_thread)
		pthread_join(writer->thread, NULL);
	writer->has_thread = false;
	return atomic_load(&writer->error);
}

void trace_writer_free(struct trace_writer *writer)
{
	if (!writer)
		return;
	if (writer->has_thread)
		trace_writer_stop(writer);
	trace_writer_finish(writer);
	for (int i = 0; i < 2; i++)
		if (writer->wake[i] >= 0)
			close(writer->wake[i]);
	if (writer->stop >= 0)
		close(writer->stop);
	direct_file_close(&writer->out);
	free(writer);
}
