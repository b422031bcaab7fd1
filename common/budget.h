/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BUDGET_H
#define KT_COMMON_BUDGET_H

/* How much a recording may make its reader do or keep.  A recording comes from
 * anybody: whatever it says of itself, in a few bytes, costs a bounded amount
 * of time, memory and disk.  Each limit lies far above what a recorder writes;
 * whoever meets one says so to the log, with the file and the place, and goes
 * on with what fits.  docs/reliability.md lists them for users.
 */

/* The kernel's code: the loads of an ELF core that count, and the bytes of all
 * of them, of which those that lie near each other are copied.  The text of a
 * kernel and its modules are some ten MB, in up to about a hundred loads.
 */
#define BUDGET_CODE_LOADS 4096u
#define BUDGET_CODE_BYTES (1ull << 30)

/* Copies of code that came later (the folder code/). */
#define BUDGET_CODE_FILES 65536u

/* This is what compressed records may become: so many bytes for each packed
 * one, and some for nothing.  perf's records shrink to a third or a tenth.
 */
#define BUDGET_UNPACKED_RATIO 256u
#define BUDGET_UNPACKED_FREE (64ull << 20)
#define BUDGET_UNPACKED_BYTES (16ull << 30)

/* An archive: its files, the bytes of each part that is unpacked at once, and
 * of all of it, within what BUDGET_UNPACKED_* allow for its size.
 */
#define BUDGET_ARCHIVE_FILES (1u << 17)
#define BUDGET_ARCHIVE_FRAME_BYTES (8u << 20)
#define BUDGET_ARCHIVE_BYTES (1ull << 38)

/* Streams of trace.  Each one has a decoder and reads the sideband for itself:
 * that is more than the CPUs of any machine traced so far, and nobody traces as
 * many threads one by one.
 */
#define BUDGET_STREAMS 4096u

/* A CPU's number is below this: tables have a place for each up to the largest
 * (Linux's CONFIG_NR_CPUS ends far below).
 */
#define BUDGET_CPUS (1 << 16)

/* Ids of events in one file. */
#define BUDGET_EVENT_IDS (1u << 22)

/* A child has its parent's maps, which may have its parent's, and so on. */
#define BUDGET_FORK_DEPTH 64u

/* A text that is read whole: kallsyms, modules.  The largest known are some
 * twenty MB.
 */
#define BUDGET_TEXT_BYTES (256ull << 20)

/* What `ktrace-hw serve` does for others at once: threads, in all and of one
 * user, each of which holds two events and 68 KiB for every CPU; connections of a
 * user that have not said what they want yet, and for how long.
 */
#define BUDGET_SERVED_THREADS 128u
#define BUDGET_SERVED_THREADS_OF_USER 64u
#define BUDGET_SERVE_WAITING_OF_USER 16u
#define BUDGET_SERVE_WAITING 128u
#define BUDGET_SERVE_WAITING_MS 5000

/* What a store's server answers to one question: rows of a report, not of a
 * recording.
 */
#define BUDGET_ANSWER_BYTES (1ull << 30)

#endif
