/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_INTERRUPT_STORY_FIXTURE_H
#define KT_TESTS_INTERRUPT_STORY_FIXTURE_H

#include "attribution/interrupts/interrupt_accounts.h"
#include "tables/table.h"
#include "tests/attribution_fixture.h"

#include <check.h>
#include <stdint.h>

/* The events on CPU 0, and the rows of the resulting accounts in alphabetical
 * order: "function on TID for PID xCOUNT: ns=exact+inferred+nobody", with
 * "thread" instead of "on" for a thread's own work.
 */
struct interrupt_story {
	void (*tell)(struct attribution_fixture *f);
	const char *rows;
};

/* Returns a case with one test for each story. */
TCase *interrupt_stories(const struct interrupt_story *stories, int count);

/* The accounts of a made-up recording, with a kernel symbol table of its own.
 */
struct interrupt_scene {
	struct symbols *symbols;
	struct task_names *names;
	struct attribution_fixture *fixture;
	struct time_window window;	   /* initially unlimited */
	const struct recording *recording; /* borrowed; initially NULL */
	struct attribution_input input;
	struct interrupt_accounts *accounts;
	char text[4096];
};

/* Call these in order: interrupt_scene_begin(); interrupt_scene_watch() to
 * connect the accounts; send the story's events to the fixture;
 * interrupt_scene_finish(), which returns the rows, owned by the scene;
 * interrupt_scene_end(). Thread 30 is "napi/eth0-1", the others have no name.
 */
struct interrupt_scene interrupt_scene_begin(void);
void interrupt_scene_watch(struct interrupt_scene *scene);
const char *interrupt_scene_finish(struct interrupt_scene *scene);
void interrupt_scene_end(struct interrupt_scene *scene);

/* Returns the address of the kernel function @name. */
int64_t address_of(const char *name);

/* Soft interrupt numbers. */
enum { NET_TX = 2, NET_RX = 3, BLOCK = 4, TASKLET = 6 };

/* Shorthands for stories. */
#define NS(time) at(f, time)
#define IN(name) enter(f, 0, name)
#define OUT leave(f, 0)
#define EVENT(number, ...) \
	event_of(f, 0, number, (const int64_t[EVENT_MAX_FIELDS]){ __VA_ARGS__ })

/* Runs the handler of interrupt 9 from @base + 10 to @base + 60; 40 ns of that
 * are its own time.
 */
void disk_interrupt(struct attribution_fixture *f, uint64_t base);

#endif
