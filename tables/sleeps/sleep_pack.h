/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEP_PACK_H
#define KT_TABLES_SLEEP_PACK_H

#include <stdint.h>

struct pack;
struct sleep;
struct task;

/* Numbers of the functions and stacks that sleeps may refer to. */
struct sleep_numbers {
	uint32_t functions;
	uint32_t stacks;
	uint32_t wakers;
};

/* Writes the fields of @sleep that sums of sleeps need, or reads them; its task
 * is then @task.
 */
void sleep_pack(struct pack *pack, struct sleep *sleep, struct task *task,
		const struct sleep_numbers *numbers);

#endif
