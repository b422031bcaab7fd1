/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TABLE_RECORDS_H
#define KT_ATTRIBUTION_TABLE_RECORDS_H

#include "attribution/time/time_span.h"
#include "common/files/cache_file.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>

struct event_handler;
struct cache_file_writer;
struct pack;
struct recording;
struct trackers;

/* For tables that are made from records, such as finished system calls: a pass
 * over the recording writes the records to a file beside it
 * (common/files/cache_file.h), and later the table of a window is made from the
 * file, without decoding. The functions' @handler is the owner of the records:
 * their tracker or, if they have none, the struct at the table's owner_place.
 */
struct table_records {
	const char *name; /* name of the file, after "report_" */
	/* Returns the handler of the tracker that the records belong to, which
	 * all readers of a pass share (reports and SQL); NULL when out of
	 * memory. The records are then read once for all of them.
	 */
	struct event_handler *(*tracker)(struct trackers *trackers);
	/* Not NULL: the table also needs the call events and kernel events of
	 * the window, which its handler receives before any record. Where
	 * decoding starts, it reads its state from the checkpoints of this
	 * name. It must be the only table of the pass. NULL: it needs only
	 * records.
	 */
	const char *checkpoints;
	/* With checkpoints: called before the events of the window. */
	void (*begin_window)(struct event_handler *handler);
	/* Offset of the owner's struct cache_file_writer *, which it borrows:
	 * if that is set, the owner writes all later records of the pass to it,
	 * whatever the table's filter.
	 */
	size_t writer;
	/* Sets the writer, in place of the offset; NULL: unused. */
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

/* The place of the owner in the state of a table whose records have no tracker.
 * Zeroed: the owner is the state itself.
 */
struct owner_place {
	size_t offset;
	bool is_pointer; /* the state points to the owner */
};

/* Initializers: the owner is @member of the state, or @member points to it. */
#define OWNER_IS(type, member) \
	{ \
		.offset = offsetof(type, member) \
	}
#define OWNER_AT(type, member) \
	{ \
		.offset = offsetof(type, member), .is_pointer = true \
	}

/* Returns the owner of @records in a pass: the handler of their tracker or, if
 * they have none, the owner at @place of @table. NULL when out of memory.
 */
struct event_handler *table_records_owner(const struct table_records *records,
					  struct trackers *trackers,
					  struct event_handler *table,
					  struct owner_place place);

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

enum { MOST_WRITTEN = 64 };

/* The records that a pass writes to the cache, each to a file of its own. A
 * zeroed struct is empty. Files that cannot be written are left out.
 */
struct written_records {
	struct written_file {
		const struct table_records *records;
		struct event_handler *owner;
		struct cache_file_writer *writer;
	} files[MOST_WRITTEN];
	size_t count;
};

/* Makes @owner write the records that it emits to the cache, unless the pass
 * already writes records of this name: tables may share them.
 */
void written_records_add(struct written_records *written,
			 const struct table_records *records,
			 struct event_handler *owner,
			 const struct recording *recording, uint64_t key);

/* Makes the records visible to later commands. Must be called after the whole
 * pass; the caller closes @written either way.
 */
void written_records_finish(struct written_records *written);
void written_records_close(struct written_records *written);

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
