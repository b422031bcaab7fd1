/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_DISK_H
#define KT_ATTRIBUTION_REQUESTS_DISK_H

struct event_record;
struct hold;
struct requests;

/* What block devices are asked for, and by which hold: an interrupt that ends that
 * may queue what a kworker does behind it.
 */

/* Something is asked of a device in @hold; is done. */
void requests_disk_asked(struct requests *requests, struct hold *hold,
			 const struct event_record *event);
void requests_disk_done(struct requests *requests,
			const struct event_record *event);

/* Returns in whose hold what the interrupt of @event ended last was asked,
 * borrowed; NULL: nothing, or it was several threads'.
 */
struct hold *requests_disk_asker(const struct requests *requests,
				 const struct event_record *event);

void requests_disk_open(struct requests *requests);
void requests_disk_free(struct requests *requests);

#endif
