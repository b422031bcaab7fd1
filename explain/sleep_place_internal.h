/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_SLEEP_PLACE_INTERNAL_H
#define KT_EXPLAIN_SLEEP_PLACE_INTERNAL_H

#include "explain/lives_internal.h"

struct call_tree;
struct event_record;
struct function_table;
struct path_frame;
struct symbols;
struct system_call;
struct time_span;

/* The place in the program where a thread fell asleep, and whether a futex is a
 * lock, which the libraries' functions in between show.
 */

/* In place of the function of a system call that has not ended. */
#define CALL_OPEN (UINT32_MAX - 1)

/* A sleep without any known property. */
extern const struct life_sleep sleep_unknown;

/* Sets the function of the program and the meaning of the futex in @sleep from
 * @stack: a node of @tree, for the user stack copied at the start of the system
 * call.
 */
void sleep_place_by_stack(struct life_sleep *sleep,
			  const struct function_table *functions,
			  const struct call_tree *tree, uint32_t stack);

/* Like sleep_place_by_stack(), but from the @count open functions of the thread
 * at @frames, outermost first. If @symbols are given, also sets the offset of
 * the call in the program. @event: the switch away from the thread.
 */
void sleep_place_by_frames(struct life_sleep *sleep,
			   const struct function_table *functions,
			   const struct path_frame *frames, size_t count,
			   const struct symbols *symbols,
			   const struct event_record *event);

/* Sets the system call or other context in which the thread of @span, a span
 * asleep, sleeps.
 */
void sleep_place_by_span(struct life_sleep *sleep,
			 const struct time_span *span);

/* Returns the function of the fault that @span is part of; FUNCTION_NONE if
 * there is none.
 */
uint32_t span_fault(const struct time_span *span);

/* Like span_fault(); if there is no page fault, returns the function of another
 * exception: of a breakpoint, an illegal instruction.
 */
uint32_t span_exception(const struct time_span *span);

/* Returns the kind of work of @span, in a page fault or another exception. */
enum work_kind span_exception_kind(const struct time_span *span);

/* Like span_fault(), but for an interrupt, which may have come in a system
 * call, the scheduler or the tracer.
 */
uint32_t span_interrupt(const struct time_span *span);

/* Returns whether @call failed because something that it needed was in use: a
 * program that polls then sleeps before its next try.
 */
bool sleep_place_is_refused(const struct system_call *call);

#endif
