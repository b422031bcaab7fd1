/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/query_session.h"

#include "attribution/events/known_events.h"
#include "cmd/pipeline/pipeline.h"
#include "common/error.h"
#include "report/steps/checkpoint_index.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"

static int run(const struct sql_recording *recording, const struct sql_run *run,
	       struct step_callback *callback, struct task_stacks **stacks)
{
	const struct query_session *query =
		(const struct query_session *)recording;
	struct session session = *query->session;

	session.window = run->window;
	session.done_ns = run->done_ns;
	return pipeline_run(&session, callback, stacks);
}

/* Returns whether rows are cached, and sets *@key. Only rows of our own engine
 * are cached: other engines may find other rows.
 */
static bool keeps_rows(const struct sql_recording *recording, uint64_t *key)
{
	const struct session *session =
		((const struct query_session *)recording)->session;

	return session->engine == ENGINE_GRAPH && !session->decodes_all &&
	       !session->uses_points &&
	       checkpoint_index_key(session->recording,
				    symbols_functions(session->symbols), key);
}

int query_session_open(struct query_session *query,
		       const struct session *session)
{
	*query = (struct query_session){
		.session = session,
		.events = known_events_new(session->recording),
		.kinds = context_kinds_new(symbols_functions(session->symbols),
					   symbols_arch(session->symbols)),
		.all.names = session->names,
	};
	query->recording = (struct sql_recording){
		.input = {
			.recording = session->recording,
			.symbols = session->symbols,
			.names = session->names,
			.events = query->events,
			.kinds = query->kinds,
			.filter = &query->all,
			.window = TIME_WINDOW_ALL,
		},
		.run = run,
		.keeps_rows = keeps_rows,
	};
	return query->events && query->kinds ? 0 : -ERROR_MEMORY;
}

void query_session_close(struct query_session *query)
{
	known_events_free(query->events);
	context_kinds_free(query->kinds);
}
