/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_INTERRUPT_STORY_FIXTURE_H
#define KT_TESTS_INTERRUPT_STORY_FIXTURE_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "tables/table.h"
#include "tests/attribution_fixture.h"

#include <check.h>
#include <stdint.h>

/* This is what happens on CPU 0, and the rows that the accounts have of it in
 * the alphabet's order: "function on TID for PID xCOUNT:
 * ns=exact+inferred+nobody", "thread" in place of "on" if it is a thread's own
 * work.
 */
struct interrupt_story {
	void (*tell)(struct attribution_fixture *f);
	const char *rows;
};

/* Returns a case with a test a story. */
TCase *interrupt_stories(const struct interrupt_story *stories, int count);

/* The accounts of a made-up recording, of a kernel with functions of its own.
 */
struct interrupt_scene {
	struct symbols *symbols;
	struct task_names *names;
	struct attribution_fixture *fixture;
	struct time_window window; /* as it begins: all */
	struct attribution_input input;
	struct interrupt_accounts *accounts;
	char text[4096];
};

/* Begin, let the accounts watch, tell the story to the fixture, finish: returns
 * the rows, which the scene owns; end.
 */
struct interrupt_scene interrupt_scene_begin(void);
void interrupt_scene_watch(struct interrupt_scene *scene);
const char *interrupt_scene_finish(struct interrupt_scene *scene);
void interrupt_scene_end(struct interrupt_scene *scene);

/* Where the kernel's function is. */
int64_t address_of(const char *name);

/* Soft interrupts. */
enum { NET_TX = 2, NET_RX = 3, BLOCK = 4 };

/* The words of a story. */
#define NS(time) at(f, time)
#define IN(name) enter(f, 0, name)
#define OUT leave(f, 0)
#define EVENT(number, ...) \
	event_of(f, 0, number, (const int64_t[EVENT_MAX_FIELDS]){ __VA_ARGS__ })

/* The handler of interrupt 9 lasts from 10 to 60; 40 are its own. */
void disk_interrupt(struct attribution_fixture *f, uint64_t base);

#endif
