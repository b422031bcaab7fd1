/* SPDX-License-Identifier: MIT */
#include "sql/scan/scan_kept.h"

#include "common/error.h"
#include "sql/kept/kept_rows.h"
#include "sql/kept/kept_writer.h"
#include "sql/scan/sql_recording.h"

#include <stdlib.h>

static bool wants_any(struct row_out *const wanted[SQL_TABLES])
{
	for (int i = 0; i < SQL_TABLES; i++)
		if (wanted[i] && wanted[i]->table->is_kept)
			return true;
	return false;
}

/* Caches the rows of @out, provided that it receives all rows. */
static void keep(struct scan_kept *kept, const char *path, struct row_out *out)
{
	struct kept_writer *writer;

	if (!row_choice_has_all_times(out->choice))
		return;
	writer = kept_writer_open(path, kept->key);
	kept->writers[out->table->id] = writer;
	if (writer)
		out->listener = &writer->listener;
}

static int open_table(struct scan_kept *kept, const struct recording *recording,
		      struct row_out **wanted)
{
	struct row_out *out = *wanted;
	char *path = kept_rows_path(recording, out->table);
	int status = 0;

	if (!path)
		return -ERROR_MEMORY;
	if (kept_rows_send(path, kept->key, out)) {
		status = row_out_flush(out);
		*wanted = NULL;
	} else {
		keep(kept, path, out);
	}
	free(path);
	return status;
}

int scan_kept_open(struct scan_kept *kept,
		   const struct sql_recording *recording,
		   struct row_out *wanted[SQL_TABLES])
{
	int status = 0;

	*kept = (struct scan_kept){ 0 };
	if (!wants_any(wanted) || !recording->keeps_rows(recording, &kept->key))
		return 0;
	for (int i = 0; !status && i < SQL_TABLES; i++)
		if (wanted[i] && wanted[i]->table->is_kept)
			status = open_table(kept, recording->input.recording,
					    &wanted[i]);
	return status;
}

void scan_kept_finish(struct scan_kept *kept)
{
	for (int i = 0; i < SQL_TABLES; i++)
		if (kept->writers[i])
			kept_writer_finish(kept->writers[i]);
}

void scan_kept_close(struct scan_kept *kept)
{
	for (int i = 0; i < SQL_TABLES; i++)
		kept_writer_close(kept->writers[i]);
}
