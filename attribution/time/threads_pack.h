/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_THREADS_PACK_H
#define KT_ATTRIBUTION_THREADS_PACK_H

struct pack;
struct task_pack;
struct thread;
struct threads;

/* Writes all @threads, or adds those that it reads to @threads, which has none
 * so far.  What makes no sense makes the pack fail.
 */
void threads_pack(struct threads *threads, const struct task_pack *tasks);

/* Writes or reads *@thread, one of @threads, or NULL. */
void threads_pack_one(const struct threads *threads, struct pack *pack,
		      struct thread **thread);

#endif
