/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_GOROUTINE_IDS_H
#define KT_DECODER_GOROUTINE_IDS_H

#include <stdint.h>

struct recording;

/* The switches to goroutines with their ids, by thread and time, from the
 * samples of record --goroutines (common/formats/recording_events.h). Constant
 * once read, so threads may share it.
 */
struct goroutine_ids;

/* Goroutines with greater ids count as unknown: greater numbers are of other
 * fibers (report/steps/call_step.h).
 */
#define GOROUTINE_ID_MOST UINT32_C(999999999)

/* Reads the samples of @recording, whose events must be known. Returns 0 and
 * *@ids, NULL if no event has ids; or -ERROR_MEMORY.
 */
int goroutine_ids_read(const struct recording *recording,
		       struct goroutine_ids **ids);

/* Return ids without any switch, or NULL when out of memory; add the switch of
 * thread @tid to goroutine @id, in any order, and return 0 or -ERROR_MEMORY; and
 * must be called after the last switch was added.
 */
struct goroutine_ids *goroutine_ids_new(void);
int goroutine_ids_add(struct goroutine_ids *ids, int32_t tid, uint64_t time_ns,
		      uint64_t id);
void goroutine_ids_finish(struct goroutine_ids *ids);

/* NULL is allowed. */
void goroutine_ids_free(struct goroutine_ids *ids);

/* Returns the id of the goroutine to which thread @tid switched from @from_ns to
 * @until_ns; 0 if it did not switch, if it switched more than once, so that the
 * times do not tell the switches apart, or if the id is unknown.
 */
uint32_t goroutine_ids_between(const struct goroutine_ids *ids, int32_t tid,
			       uint64_t from_ns, uint64_t until_ns);

/* Returns the id of the goroutine to which thread @tid switched last, up to
 * @time_ns; 0 if there is none, or if it is unknown.
 */
uint32_t goroutine_ids_until(const struct goroutine_ids *ids, int32_t tid,
			     uint64_t time_ns);

#endif
