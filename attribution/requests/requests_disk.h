/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_DISK_H
#define KT_ATTRIBUTION_REQUESTS_DISK_H

struct event_record;
struct hold;
struct requests;

/* Requests to block devices, and the segments that sent them: an interrupt that
 * completes one may queue a work item, which a kworker executes.
 */

/* A block request is sent in @hold; a block request is completed. */
void requests_disk_asked(struct requests *requests, struct hold *hold,
			 const struct event_record *event);
void requests_disk_done(struct requests *requests,
			const struct event_record *event);

/* Returns the segment that sent the request completed last by the interrupt of
 * @event, borrowed; NULL: none, or several threads' requests were completed.
 */
struct hold *requests_disk_asker(const struct requests *requests,
				 const struct event_record *event);

void requests_disk_open(struct requests *requests);
void requests_disk_free(struct requests *requests);

#endif
