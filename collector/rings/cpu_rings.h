/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RINGS_CPU_RINGS_H
#define KT_COLLECTOR_RINGS_CPU_RINGS_H

#include "collector/events/event_list.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct trace_writer;

/* The memory that the kernel shares with the recorder (linux/perf_event.h,
 * struct perf_event_mmap_page):
 *
 *	struct ring		the records of events, of one kind on one CPU
 *	struct aux_ring		the trace, mapped beside the ring of its event
 *	struct cpu_rings	all rings of one CPU, one for each enum event_ring
 *
 * Reading copies nothing: ring_read() and aux_ring_read() return the bytes in
 * place, as struct ring_bytes. They stay valid until they are released; while
 * the ring is full, the kernel drops new data, and counts it or marks it with a
 * record. (An overwrite ring of trace drops the oldest data instead.)
 *
 * Invariants:
 *  1. Positions count all bytes ever written; modulo the size of the ring, a
 *     power of two, they are offsets in it.
 *  2. Heads are read with acquire, tails are written with release semantics: the
 *     kernel writes the ring at the same time.
 *  3. A ring is mapped for the first event of its kind on the CPU, and unmapped
 *     before that event is closed; the other events write to it too.
 *
 * Threads: one reader for each ring.
 */

/* Readable bytes of a ring, in place: two parts if they wrap. */
struct ring_bytes {
	struct iovec part[2];
	size_t size;
	uint64_t start; /* total bytes written before these */
};

/* The kernel's records of one CPU, in shared memory (linux/perf_event.h, struct
 * perf_event_mmap_page).
 */
struct ring {
	struct perf_event_mmap_page *page;
	uint8_t *bytes;
	size_t size; /* of bytes: a power of two */
};

/* Maps @size bytes (a power of two, at least a page) of ring for @fd.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set; -ERROR_LOCKED if the size
 * exceeds the limit of locked memory, since mapping an open event requires no
 * other right.
 */
int ring_map(struct ring *ring, int fd, size_t size);

void ring_unmap(struct ring *ring);

/* Returns the bytes that the kernel has written and that were not released yet.
 */
struct ring_bytes ring_read(const struct ring *ring);

/* Returns @bytes, a result of ring_read(), to the kernel. */
void ring_release(struct ring *ring, const struct ring_bytes *bytes);

/* Copies @size bytes at offset @position of @bytes, which must contain them, to
 * @to.
 */
void ring_copy(const struct ring_bytes *bytes, size_t position, void *to,
	       size_t size);

/* Splits [@start, @start + @size), counted from the first byte ever written, of
 * a ring of @room bytes at @base where it wraps.
 */
struct ring_bytes ring_split(void *base, size_t room, uint64_t start,
			     size_t size);

/* The trace of one CPU, as its trace unit writes it to memory. */
struct aux_ring {
	struct perf_event_mmap_page *page; /* of the event's own ring */
	uint8_t *bytes;
	size_t size;
	/* total bytes read; aux_tail may be up to a block lower */
	uint64_t read;
	bool overwrite; /* keep the newest bytes: a snapshot */
};

/* The kernel wakes the reader each time that another quarter of a ring is full.
 */
enum { AUX_RING_WATERMARKS = 4 };

/* Maps @size bytes (a power of two, at least a page) of trace for the event
 * @fd, whose ring is @ring. @overwrite: the kernel overwrites data that was not
 * read.
 *
 * Returns like ring_map().
 */
int aux_ring_map(struct aux_ring *aux, const struct ring *ring, int fd,
		 size_t size, bool overwrite);

void aux_ring_unmap(struct aux_ring *aux);

/* Returns the trace that was not released yet. It ends with a whole packet,
 * because the kernel counts a trace unit's output only when it stops the unit.
 * Not for overwrite rings.
 */
struct ring_bytes aux_ring_read(const struct aux_ring *aux);

/* Returns the total number of bytes that the trace unit has written. */
uint64_t aux_ring_head(const struct aux_ring *aux);

/* Returns the number of bytes that the trace unit has written and that were not
 * released yet, as far as the kernel has seen the releases.
 */
uint64_t aux_ring_used(const struct aux_ring *aux);

/* Returns whether the trace unit had no room left, given the releases that the
 * kernel has seen.
 */
bool aux_ring_is_full(const struct aux_ring *aux);

/* Returns @bytes, a result of aux_ring_read(), to the trace unit. Only whole
 * contiguous blocks of memory are returned: the first part of a block together
 * with its last.
 *
 * Returns whether the trace unit had no room left before: the kernel has then
 * stopped the trace, or will before it sees the release. aux_ring_head() is
 * where.
 */
bool aux_ring_release(struct aux_ring *aux, const struct ring_bytes *bytes);

/* Returns the whole content of an overwrite ring, the oldest first. The event
 * must be disabled, and the ring mapped again before the event is re-enabled:
 * only a fresh ring, which is all zeros, shows how far it was filled.
 */
struct ring_bytes aux_ring_snapshot(const struct aux_ring *aux);

/* Like aux_ring_snapshot(), but for drivers that also count the total bytes
 * written to an overwrite ring, as CoreSight's sinks do: returns the trace
 * after the first @from bytes ever written.
 */
struct ring_bytes aux_ring_since(const struct aux_ring *aux, uint64_t from);

/* The rings of one CPU. Each is mapped for the first event of its kind on the
 * CPU; all other events of that kind are redirected to it.
 */
struct cpu_rings {
	int cpu;
	struct ring ring[RING_COUNT];
	int fd[RING_COUNT]; /* of the event; -1: none */
	struct aux_ring aux;
	size_t aux_size;
	bool overwrite;
	uint64_t kept; /* overwrite: the trace's head at the last snapshot */
	bool stopped;  /* trace stopped because its buffer was full */
	/* reads the trace in a thread of its own; NULL: the reader of the
	 * records does
	 */
	struct trace_writer *writer;
};

void cpu_rings_init(struct cpu_rings *rings, int cpu, size_t aux_size,
		    bool overwrite);

void cpu_rings_free(struct cpu_rings *rings);

/* Redirects the records of @event, opened for this CPU with @spec, to the ring
 * for @spec, and maps that ring first if it does not exist yet.
 *
 * Returns like ring_map().
 */
int cpu_rings_attach(struct cpu_rings *rings, const struct event *event,
		     const struct event_spec *spec);

/* Undoes cpu_rings_attach() for the event for which a ring was mapped. Must be
 * called before the event is closed.
 */
void cpu_rings_detach(struct cpu_rings *rings, const struct event *event,
		      const struct event_spec *spec);

/* Maps an empty trace buffer in place of the one that a snapshot has saved.
 * Returns like ring_map().
 */
int cpu_rings_reset_trace(struct cpu_rings *rings);

#endif
