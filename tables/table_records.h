/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TABLE_RECORDS_H
#define KT_TABLES_TABLE_RECORDS_H

#include "attribution/time/time_span.h"
#include "common/kept_chunk.h"
#include "report/steps/time_window.h"

#include <stdbool.h>

struct attribution_input;
struct event_handler;
struct kept_file_writer;
struct pack;

/* Of a table that is made of records, which it takes one by one, as system calls are
 * when they have ended: a pass over the recording keeps them in a file beside it
 * (common/kept_file.h), so that a window is made of those that lie in it.
 */
struct table_records {
	const char *name; /* of the file, behind "report_" */
	/* They are a tracker's, which all tables of a pass have together: they are
	 * read once for all of them.
	 */
	bool is_shared;
	/* Returns whether the table is made of these, too; if of none, it needs all
	 * that passes.  NULL: it always is.
	 */
	bool (*are_needed)(const struct attribution_input *input);
	/* It is made of the steps and events of the window, too, which its handler
	 * sees before any record; where decoding begins it reads what it packs, from
	 * the checkpoints of this name.  Then it has the pass alone.  NULL: it is
	 * made of records alone.
	 */
	const char *checkpoints;
	/* With checkpoints: what it sees will be the window's. */
	void (*begin_window)(struct event_handler *handler);
	/* Others that it is made of; NULL: there are none. */
	const struct table_records *more;
	/* Keeps all records of the pass from now on, whatever the table wants of
	 * them.  @writer is borrowed.
	 */
	void (*keep)(struct event_handler *handler,
		     struct kept_file_writer *writer);
	/* All has passed: keeps records that are known then alone.  NULL: there are
	 * none.
	 */
	void (*keep_at_end)(struct event_handler *handler);
	/* Writes what the records refer to, or sets the table, which has seen
	 * nothing, to what it reads.
	 */
	void (*pack_rest)(struct event_handler *handler, struct pack *pack);
	/* Reads a record and takes it as it would in a pass. */
	void (*take)(struct event_handler *handler, struct pack *pack);
	/* Returns when records begin and end that @window is made of. */
	struct kept_span (*wanted)(struct time_window window);
};

/* Returns what wanted() does of records that belong to the window that they begin
 * in.
 */
struct kept_span table_records_begin_in(struct time_window window);

/* The same of records that belong to all windows that they are in with a part. */
struct kept_span table_records_overlap(struct time_window window);

/* Is pack_rest() of records that refer to nothing. */
void table_records_refer_to_nothing(struct event_handler *handler,
				    struct pack *pack);

/* Writes *@text, or sets it to what it reads, to be freed; NULL if that makes the pack
 * fail.  It is outside data, with any bytes.
 */
void table_records_pack_text(struct pack *pack, char **text);

/* Writes time by class, or reads it into @class_ns, where there is none. */
void table_records_pack_classes(struct pack *pack,
				uint64_t class_ns[TIME_CLASSES]);

#endif
