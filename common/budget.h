/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BUDGET_H
#define KT_COMMON_BUDGET_H

/* Limits of the work and memory that a recording may cost its reader. A
 * recording may be from an untrusted source: no content of a few bytes may cost
 * an unbounded amount of time, memory or disk. Each limit is far above the
 * values that a recorder writes; code that reaches one logs that with the file
 * and the offset, and continues with the part within the limit.
 * docs/reliability.md lists the limits for users.
 */

/* The kernel's code: the number of loads of an ELF core that are used, and
 * their total size, of which neighbouring loads are copied. The text of a
 * kernel and its modules has some ten MB, in up to about a hundred loads.
 */
#define BUDGET_CODE_LOADS 4096u
#define BUDGET_CODE_BYTES (1ull << 30)

/* Copies of code that was added during the recording (the folder code/). */
#define BUDGET_CODE_FILES 65536u

/* Code that programs generated: pages of all images together, images of one
 * process, and the size of the files of one process.
 */
#define BUDGET_GENERATED_PAGES (1u << 20)
#define BUDGET_GENERATED_IMAGES 512u
#define BUDGET_GENERATED_BYTES (1ull << 30)

/* The size of unpacked records: a ratio to the packed size, plus a fixed
 * allowance, up to a maximum. perf's records shrink to a third or a tenth.
 */
#define BUDGET_UNPACKED_RATIO 256u
#define BUDGET_UNPACKED_FREE (64ull << 20)
#define BUDGET_UNPACKED_BYTES (16ull << 30)

/* An archive: the number of its files, the size of each part that is unpacked
 * at once, and the total size, within the BUDGET_UNPACKED_* limits for the
 * archive's size.
 */
#define BUDGET_ARCHIVE_FILES (1u << 17)
#define BUDGET_ARCHIVE_FRAME_BYTES (8u << 20)
#define BUDGET_ARCHIVE_BYTES (1ull << 38)

/* Copies of programs' files in a recording (the folder programs/). */
#define BUDGET_KEPT_PROGRAMS 65536u

/* Streams of trace. Each has a decoder and reads the sideband separately. The
 * limit is above the number of CPUs of any machine traced so far, and tracing
 * this many threads one by one is not expected.
 */
#define BUDGET_STREAMS 4096u

/* CPU numbers are below this: tables have an entry for each up to the largest
 * (Linux's CONFIG_NR_CPUS is far below).
 */
#define BUDGET_CPUS (1 << 16)

/* Ids of events in one file. */
#define BUDGET_EVENT_IDS (1u << 22)

/* The depth of forks: a child inherits its parent's maps, which may in turn be
 * inherited.
 */
#define BUDGET_FORK_DEPTH 64u

/* A text file that is read into memory as a whole: kallsyms, modules. The
 * largest known have some twenty MB.
 */
#define BUDGET_TEXT_BYTES (256ull << 20)

/* The load of `ktrace-hw serve`: the number of threads, each of which needs two
 * events and 68 KiB for every CPU. A thread counts until no one holds its
 * events any more. One user may have as many threads as are still free: half of
 * them if no other user has any, and whoever comes next half of the rest.
 */
#define BUDGET_SERVED_THREADS 128u

/* Connections whose request the service has not read, per user and in total,
 * and how long they may send none. As many threads of one user as may be traced
 * can connect at once.
 */
#define BUDGET_SERVE_WAITING_OF_USER 64u
#define BUDGET_SERVE_WAITING 128u
#define BUDGET_SERVE_WAITING_MS 5000

/* Copies of the kernel that occupy disk space, of 30 MB each: the newest one,
 * older ones that clients may still be reading, and the one being made.
 */
#define BUDGET_KERNEL_COPIES 4u

/* The answer of a store's server to one query: rows of a report, not of a
 * recording.
 */
#define BUDGET_ANSWER_BYTES (1ull << 30)

/* Lines of timeline --syscalls that wait for an earlier call to end, which has to
 * be written first.
 */
#define BUDGET_WAITING_LINES_BYTES (256ull << 20)

#endif
