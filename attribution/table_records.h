/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TABLE_RECORDS_H
#define KT_ATTRIBUTION_TABLE_RECORDS_H

#include "attribution/time/time_span.h"
#include "common/files/cache_file.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>

struct attribution_input;
struct event_handler;
struct cache_file_writer;
struct pack;
struct recording;
struct trackers;

/* For tables that are made from records, such as finished system calls: a pass
 * over the recording writes the records to a file beside it
 * (common/files/cache_file.h), and later the table of a window is made from the
 * file, without decoding. The functions' @handler is the owner of the records:
 * their tracker or, if they have none, the table.
 */
struct table_records {
	const char *name; /* name of the file, after "report_" */
	/* Returns the handler of the tracker that the records belong to, which
	 * all readers of a pass share (reports and SQL); NULL when out of
	 * memory. The records are then read once for all of them.
	 */
	struct event_handler *(*tracker)(struct trackers *trackers);
	/* if tracker is NULL: offset of the owner in the table's state; 0: the
	 * table itself
	 */
	size_t offset;
	/* Returns whether the table needs these records; if it needs none, it
	 * needs the whole pass. NULL: always.
	 */
	bool (*are_needed)(const struct attribution_input *input);
	/* Not NULL: the table also needs the call events and kernel events of
	 * the window, which its handler receives before any record. Where
	 * decoding starts, it reads its state from the checkpoints of this
	 * name. It must be the only table of the pass. NULL: it needs only
	 * records.
	 */
	const char *checkpoints;
	/* With checkpoints: called before the events of the window. */
	void (*begin_window)(struct event_handler *handler);
	/* Further records that the table needs; or NULL. */
	const struct table_records *more;
	/* Writes all later records of the pass to @writer, whatever the table's
	 * filter. Borrows @writer.
	 */
	void (*keep)(struct event_handler *handler,
		     struct cache_file_writer *writer);
	/* Called after the pass: writes the records that are complete only
	 * then. NULL: there are none.
	 */
	void (*keep_at_end)(struct event_handler *handler);
	/* Writes the data that records refer to, or reads it into a new table.
	 */
	void (*pack_rest)(struct event_handler *handler, struct pack *pack);
	/* Reads a record and adds it to the table, as in a pass. */
	void (*consume)(struct event_handler *handler, struct pack *pack);
	/* Returns the bounds on start and end of the records that @window
	 * needs.
	 */
	struct cached_span (*wanted)(struct time_window window);
};

/* Returns the owner of @records in a pass: the handler of their tracker or, if
 * they have none, the one in @table. NULL when out of memory.
 */
struct event_handler *table_records_owner(const struct table_records *records,
					  struct trackers *trackers,
					  struct event_handler *table);

/* Opens the cached records that may be @wanted. Returns whether their file
 * exists and has @key. The caller closes @file either way.
 */
bool table_records_open(const struct table_records *records,
			const struct recording *recording, uint64_t key,
			const struct cached_span *wanted,
			struct cache_file *file);

/* Reads part @index of the records of @file into @owner; there are as many
 * parts as chunks, to be read in order. Returns whether the part is undamaged;
 * otherwise the owner may have received some of its records.
 */
bool table_records_read(const struct table_records *records,
			struct event_handler *owner,
			const struct cache_file *file, size_t index);

/* Makes @owner write the records that it emits to the cache. Returns NULL if
 * the file cannot be written, or when out of memory; the caller closes the
 * writer.
 */
struct cache_file_writer *
table_records_keep(const struct table_records *records,
		   struct event_handler *owner,
		   const struct recording *recording, uint64_t key);

/* Makes the records visible to later commands. Must be called after the whole
 * pass.
 */
void table_records_finish(const struct table_records *records,
			  struct event_handler *owner,
			  struct cache_file_writer *writer);

/* Returns bounds for wanted(): records that start in @window. */
struct cached_span table_records_begin_in(struct time_window window);

/* Returns bounds for wanted(): records that overlap @window. */
struct cached_span table_records_overlap(struct time_window window);

/* pack_rest() for records that refer to no other data. */
void table_records_refer_to_nothing(struct event_handler *handler,
				    struct pack *pack);

/* Writes *@text, or reads it; the caller then frees it. If reading fails,
 * *@text is NULL and the pack fails. A text that was read is untrusted and may
 * contain any bytes.
 */
void table_records_pack_text(struct pack *pack, char **text);

/* Writes time by class, or reads it into the zeroed @class_ns. */
void table_records_pack_classes(struct pack *pack,
				uint64_t class_ns[TIME_CLASSES]);

#endif
