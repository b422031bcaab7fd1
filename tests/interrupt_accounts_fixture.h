/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_INTERRUPT_ACCOUNTS_FIXTURE_H
#define KT_TESTS_INTERRUPT_ACCOUNTS_FIXTURE_H

#include "tests/interrupt_story_fixture.h"

/* The thread or process that the kernel's own work is charged to: timers,
 * queued work, wake-ups.
 */
enum { INTERRUPT_STORIES = 23 };

extern const struct interrupt_story interrupt_stories_of_work[INTERRUPT_STORIES];

/* Two of the stories. Timer: 8 sleeps, and its timer and the tick share an
 * interrupt that runs on 5's time. Work: kworker 20 executes an item that 8
 * queued, with an interrupt in between.
 */
void interrupt_timer_story(struct attribution_fixture *f);
void interrupt_work_story(struct attribution_fixture *f);

#endif
