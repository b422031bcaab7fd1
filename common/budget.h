/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BUDGET_H
#define KT_COMMON_BUDGET_H

#include <stdint.h>

/* Limits of the time, memory and disk space that a recording may cost its
 * reader. A recording may be from an untrusted source: no content of a few
 * bytes may cost an unbounded amount of time, memory or disk. Each limit is far
 * above the values that a recorder writes; code that reaches one logs that with
 * the file and the offset, and continues with the part within the limit.
 * docs/reliability.md lists the limits for users.
 */

/* The kernel's code: how many PT_LOAD segments of an ELF core are used, and the
 * total size of the segments, and of the code copies in the folder code/. The
 * text of a kernel and its modules has some ten MB, in up to about a hundred
 * segments.
 */
#define BUDGET_CODE_LOADS 4096u
#define BUDGET_CODE_BYTES (1ull << 30)

/* Copies of code that was added during the recording (the folder code/), and
 * ranges of such code outside of all loads, each of which is a mapping.
 */
#define BUDGET_CODE_FILES 65536u
#define BUDGET_CODE_REGIONS 8192u

/* Code that programs generated: the pages of all images together, the images of
 * one process, and the size of one process's file.
 */
#define BUDGET_GENERATED_PAGES (1u << 20)
#define BUDGET_GENERATED_IMAGES 512u
#define BUDGET_GENERATED_BYTES (1ull << 30)

/* The size of a recording's records and trace after decompression, all its
 * files together (budget_unpacked()): at most the ratio times their compressed
 * size, plus a fixed allowance, and more than the maximum only up to the usual
 * ratio. perf's records shrink to a third or a tenth, trace to a half or a
 * tenth; a CPU can write the maximum in three minutes.
 */
#define BUDGET_UNPACKED_RATIO 256u
#define BUDGET_UNPACKED_FREE (64ull << 20)
#define BUDGET_UNPACKED_BYTES (16ull << 30)
#define BUDGET_UNPACKED_USUAL_RATIO 16u

static inline uint64_t budget_unpacked(uint64_t packed)
{
	uint64_t most = packed * BUDGET_UNPACKED_RATIO + BUDGET_UNPACKED_FREE;
	uint64_t usual = packed * BUDGET_UNPACKED_USUAL_RATIO;

	if (most > BUDGET_UNPACKED_BYTES)
		most = BUDGET_UNPACKED_BYTES;
	return most > usual ? most : usual;
}

/* An archive: the number of its files, the size of each compressed frame when
 * unpacked, and the total size, which must also stay within the
 * BUDGET_UNPACKED_* limits for the archive's size.
 */
#define BUDGET_ARCHIVE_FILES (1u << 17)
#define BUDGET_ARCHIVE_FRAME_BYTES (8u << 20)
#define BUDGET_ARCHIVE_BYTES (1ull << 38)

/* Copies of programs' files in a recording (the folder programs/). */
#define BUDGET_KEPT_PROGRAMS 65536u

/* Trace streams, one for each CPU or traced thread. Each has a decoder of its
 * own, which reads all sideband records. No machine traced so far has this many
 * CPUs, and nobody is expected to trace this many single threads.
 */
#define BUDGET_STREAMS 4096u

/* CPU numbers are below this: tables have an entry for each CPU up to the
 * largest number. Linux's CONFIG_NR_CPUS is far below.
 */
#define BUDGET_CPUS (1 << 16)

/* The ids of perf events in one file. */
#define BUDGET_EVENT_IDS (1u << 22)

/* The length of a chain of forks in which each child inherits its parent's
 * memory mappings.
 */
#define BUDGET_FORK_DEPTH 64u

/* The size of a text file that is read into memory as a whole: kallsyms,
 * modules. The largest known ones have some twenty MB.
 */
#define BUDGET_TEXT_BYTES (256ull << 20)

/* The number of threads that `ktrace-hw serve` traces. Each needs two events
 * and 68 KiB for every CPU. It counts until no process has its events open any
 * more. A user gets another thread only while that user has fewer than are
 * free: so the first user gets at most half of them, and the next user half of
 * the remaining ones.
 */
#define BUDGET_SERVED_THREADS 128u

/* Connections from which the service has not received a request: how many of
 * one user, how many in total, and how many ms each may take to send one. One
 * user can have 64 threads traced, and all of these may connect at once.
 */
#define BUDGET_SERVE_WAITING_OF_USER 64u
#define BUDGET_SERVE_WAITING 128u
#define BUDGET_SERVE_WAITING_MS 5000

/* The number of copies of the kernel that occupy disk space, 30 MB each: the
 * newest one, older ones that clients may still be reading, and the one being
 * made.
 */
#define BUDGET_KERNEL_COPIES 4u

/* The size of a database server's answer to one query of a store. Such answers
 * are tables for a reader, not whole recordings.
 */
#define BUDGET_ANSWER_BYTES (1ull << 30)

/* The size of the lines of timeline --syscalls that are held back: lines are in
 * the order of the calls' starts, so they wait for an earlier call that has not
 * ended.
 */
#define BUDGET_WAITING_LINES_BYTES (256ull << 20)

#endif
