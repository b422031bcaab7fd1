-- A store of ktrace-hw on one server of ClickHouse, schema version 5.
--
--     clickhouse-client --database=DATABASE --multiquery < server.sql
--
-- creates it in an existing database; the first "ktrace-hw store add" to an empty
-- database creates it, too.  docs/schema.md documents the columns; server_ttl.sql
-- sets how long rows are kept.

-- One row for each recording. It is written last: rows of other tables count only
-- once it exists.
CREATE TABLE IF NOT EXISTS recording_all (
  recording Int64,
  day Date,
  id String,
  recorded_s Int64,
  added_s Int64,
  added_on String,
  tables String,
  min_duration_ns Int64,
  path Nullable(String),
  host Nullable(String),
  kernel Nullable(String),
  arch Nullable(String),
  cpu_name Nullable(String),
  command Nullable(String),
  cpus Nullable(Int64),
  first_ns Nullable(Int64),
  last_ns Nullable(Int64),
  clock Nullable(String),
  trace Nullable(String),
  trace_bytes Nullable(Int64),
  lost_records Nullable(Int64),
  truncated_trace Nullable(Int64),
  activate_ns Nullable(Int64),
  clock_begin_offset_ns Nullable(Int64),
  clock_begin_bracket_ns Nullable(Int64),
  clock_begin_status Nullable(Int64),
  clock_begin_esterror_ns Nullable(Int64),
  clock_begin_maxerror_ns Nullable(Int64),
  clock_end_offset_ns Nullable(Int64),
  clock_end_bracket_ns Nullable(Int64),
  clock_end_status Nullable(Int64),
  clock_end_esterror_ns Nullable(Int64),
  clock_end_maxerror_ns Nullable(Int64),
  schema_version Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day) ORDER BY (id, recording);

-- The time of each CPU by the state of tracing.
CREATE TABLE IF NOT EXISTS cpu (
  day Date,
  recording Int64,
  cpu Nullable(Int64),
  first_ns Nullable(Int64),
  last_ns Nullable(Int64),
  before_ns Nullable(Int64),
  traced_ns Nullable(Int64),
  outside_ns Nullable(Int64),
  filtered_ns Nullable(Int64),
  off_ns Nullable(Int64),
  not_asked_ns Nullable(Int64),
  guest_ns Nullable(Int64),
  gap_ns Nullable(Int64),
  idle_ns Nullable(Int64),
  switches Nullable(Int64),
  gaps Nullable(Int64),
  lost_bytes Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- All functions of the kernel, its modules and the traced programs, including those
-- that were never called.
CREATE TABLE IF NOT EXISTS function (
  day Date,
  recording Int64,
  function_id Nullable(Int64),
  function Nullable(String),
  module Nullable(String),
  address Nullable(Int64),
  space Nullable(String),
  symbol Nullable(String)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- The time of each process by class, as in report --processes.
CREATE TABLE IF NOT EXISTS process (
  day Date,
  recording Int64,
  pid Nullable(Int64),
  comm Nullable(String),
  wall_ns Nullable(Int64),
  user_ns Nullable(Int64),
  system_call_ns Nullable(Int64),
  fault_ns Nullable(Int64),
  kernel_ns Nullable(Int64),
  interrupt_benefited_ns Nullable(Int64),
  interrupt_stolen_ns Nullable(Int64),
  tracer_ns Nullable(Int64),
  guest_ns Nullable(Int64),
  runnable_ns Nullable(Int64),
  asleep_ns Nullable(Int64),
  not_asked_ns Nullable(Int64),
  unknown_ns Nullable(Int64),
  context_switches Nullable(Int64),
  system_calls Nullable(Int64),
  faults Nullable(Int64),
  uncertain_ns Nullable(Int64),
  is_recorder Nullable(Int64),
  threads Nullable(Int64),
  interrupt_elsewhere_ns Nullable(Int64),
  kernel_elsewhere_ns Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- The time of each thread by class, as in report --threads.
CREATE TABLE IF NOT EXISTS thread (
  day Date,
  recording Int64,
  pid Nullable(Int64),
  comm Nullable(String),
  wall_ns Nullable(Int64),
  user_ns Nullable(Int64),
  system_call_ns Nullable(Int64),
  fault_ns Nullable(Int64),
  kernel_ns Nullable(Int64),
  interrupt_benefited_ns Nullable(Int64),
  interrupt_stolen_ns Nullable(Int64),
  tracer_ns Nullable(Int64),
  guest_ns Nullable(Int64),
  runnable_ns Nullable(Int64),
  asleep_ns Nullable(Int64),
  not_asked_ns Nullable(Int64),
  unknown_ns Nullable(Int64),
  context_switches Nullable(Int64),
  system_calls Nullable(Int64),
  faults Nullable(Int64),
  uncertain_ns Nullable(Int64),
  is_recorder Nullable(Int64),
  tid Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- The states of each thread, without gaps, one row per interval of one
-- class; report --threads adds them up.
CREATE TABLE IF NOT EXISTS thread_state (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  duration_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  cpu Nullable(Int64),
  class Nullable(String),
  reason Nullable(String),
  function Nullable(String),
  work Nullable(Int64),
  waker_tid Nullable(Int64),
  is_recorder Nullable(Int64),
  begin_error_ns Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- All system calls; report --syscalls adds up the ones that returned.
CREATE TABLE IF NOT EXISTS syscall (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  wall_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  cpu Nullable(Int64),
  call Nullable(String),
  function Nullable(String),
  on_cpu_ns Nullable(Int64),
  asleep_ns Nullable(Int64),
  runnable_ns Nullable(Int64),
  stolen_ns Nullable(Int64),
  tracer_ns Nullable(Int64),
  unknown_ns Nullable(Int64),
  faults Nullable(Int64),
  fault_ns Nullable(Int64),
  is_recorder Nullable(Int64),
  ended Nullable(String),
  number Nullable(Int64),
  result Nullable(Int64),
  arg0 Nullable(Int64),
  arg1 Nullable(Int64),
  arg2 Nullable(Int64),
  arg3 Nullable(Int64),
  arg4 Nullable(Int64),
  arg5 Nullable(Int64),
  path Nullable(String),
  file Nullable(String)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- All page faults and exceptions.
CREATE TABLE IF NOT EXISTS fault (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  wall_ns Nullable(Int64),
  on_cpu_ns Nullable(Int64),
  cpu Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  kind Nullable(String),
  function Nullable(String),
  is_recorder Nullable(Int64),
  begin_unseen Nullable(Int64),
  end_unseen Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- All sleeps of threads, with their wakers; report --sleeps adds them up.
CREATE TABLE IF NOT EXISTS sleep (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  asleep_ns Nullable(Int64),
  runnable_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  cpu Nullable(Int64),
  function Nullable(String),
  slept_in Nullable(String),
  fd Nullable(Int64),
  waker_pid Nullable(Int64),
  waker_tid Nullable(Int64),
  waker_comm Nullable(String),
  waker_function Nullable(String),
  waker_interrupt Nullable(String),
  wakers Nullable(String),
  others_at_begin Nullable(Int64),
  others_at_end Nullable(Int64),
  is_cut Nullable(Int64),
  is_recorder Nullable(Int64),
  stack Nullable(String),
  user_stack Nullable(String),
  blocking_file Nullable(String),
  blocking_line Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- All wake-ups of threads, from sched:sched_waking and sched_wakeup_new; empty if
-- these were not recorded.
CREATE TABLE IF NOT EXISTS wakeup (
  day Date,
  recording Int64,
  time_ns Int64,
  cpu Nullable(Int64),
  waker_pid Nullable(Int64),
  waker_tid Nullable(Int64),
  waker_comm Nullable(String),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_new Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, time_ns);

-- All completed waits for kernel locks, futexes and file locks; report --locks adds
-- them up.
CREATE TABLE IF NOT EXISTS lock_wait (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  wait_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  kind Nullable(String),
  lock Nullable(String),
  lock_pid Nullable(Int64),
  variable Nullable(String),
  inferred_member Nullable(String),
  function Nullable(String),
  waiters_at_begin Nullable(Int64),
  waiters_at_end Nullable(Int64),
  releaser_pid Nullable(Int64),
  releaser_tid Nullable(Int64),
  releaser_comm Nullable(String),
  is_recorder Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- Sums of interrupt work and deferred work, by kind, interrupted process and
-- beneficiary, as in report --interrupts.
CREATE TABLE IF NOT EXISTS spin (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  own_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_recorder Nullable(Int64),
  cpu Nullable(Int64),
  kind Nullable(String),
  function Nullable(String),
  ended_by_tid Nullable(Int64),
  ended_by_comm Nullable(String),
  ended_by_function Nullable(String)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS interrupts_off (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  duration_ns Nullable(Int64),
  uncertain_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_recorder Nullable(Int64),
  cpu Nullable(Int64),
  off_by Nullable(String),
  function Nullable(String),
  path Nullable(String),
  delayed_interrupt Nullable(String),
  delayed_threads Nullable(String),
  is_inferred Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS preemption_off (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  duration_ns Nullable(Int64),
  uncertain_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_recorder Nullable(Int64),
  cpu Nullable(Int64),
  off_by Nullable(String),
  function Nullable(String),
  path Nullable(String),
  delayed_tid Nullable(Int64),
  delayed_ns Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS block_io (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  queue_ns Nullable(Int64),
  device_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_recorder Nullable(Int64),
  function Nullable(String),
  device Nullable(String),
  operation Nullable(String),
  sector Nullable(Int64),
  bytes Nullable(Int64),
  requests Nullable(Int64),
  is_merged Nullable(Int64),
  is_inferred Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS block_sleep (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  asleep_ns Nullable(Int64),
  queue_ns Nullable(Int64),
  device_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_recorder Nullable(Int64),
  function Nullable(String),
  io_begin_ns Nullable(Int64),
  io_tid Nullable(Int64),
  device Nullable(String),
  operation Nullable(String),
  sector Nullable(Int64),
  bytes Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS read_call (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  wall_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_recorder Nullable(Int64),
  function Nullable(String),
  arguments Nullable(String),
  result Nullable(String),
  depth Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS interrupt (
  day Date,
  recording Int64,
  kind Nullable(String),
  function Nullable(String),
  irq Nullable(Int64),
  is_thread_work Nullable(Int64),
  on_pid Nullable(Int64),
  on_tid Nullable(Int64),
  on_comm Nullable(String),
  for_pid Nullable(Int64),
  for_comm Nullable(String),
  count Nullable(Float64),
  total_ns Nullable(Int64),
  max_ns Nullable(Int64),
  exact_ns Nullable(Int64),
  inferred_ns Nullable(Int64),
  nobody_ns Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- All interrupts, soft interrupts and items of deferred work, in the order in which
-- their beneficiaries become known; the table interrupt adds them up.
CREATE TABLE IF NOT EXISTS interrupt_slice (
  day Date,
  recording Int64,
  id Nullable(Int64),
  part_of Nullable(Int64),
  begin_ns Int64,
  end_ns Int64,
  cpu Nullable(Int64),
  kind Nullable(String),
  function Nullable(String),
  irq Nullable(Int64),
  is_thread_work Nullable(Int64),
  on_pid Nullable(Int64),
  on_tid Nullable(Int64),
  on_comm Nullable(String),
  for_pid Nullable(Int64),
  for_comm Nullable(String),
  share Nullable(Float64),
  own_ns Nullable(Int64),
  certainty Nullable(String)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- The time of servers by client, as in report --servers; empty if wake-ups were not
-- recorded.
CREATE TABLE IF NOT EXISTS server (
  day Date,
  recording Int64,
  pid Nullable(Int64),
  comm Nullable(String),
  client_pid Nullable(Int64),
  client_comm Nullable(String),
  requests Nullable(Int64),
  kernel_ns Nullable(Int64),
  user_ns Nullable(Int64),
  tracer_ns Nullable(Int64),
  runnable_ns Nullable(Int64),
  asleep_ns Nullable(Int64),
  inferred_ns Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- All requests (messages that another process worked on), in the order of their
-- completion, as in report --requests.
CREATE TABLE IF NOT EXISTS request (
  day Date,
  recording Int64,
  id Nullable(Int64),
  parent_id Nullable(Int64),
  begin_ns Nullable(Int64),
  by Nullable(String),
  client_pid Nullable(Int64),
  client_tid Nullable(Int64),
  client_comm Nullable(String),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  is_answered Nullable(Int64),
  is_inferred Nullable(Int64),
  side Nullable(String),
  client_address Nullable(String),
  client_port Nullable(Int64),
  server_address Nullable(String),
  server_port Nullable(Int64),
  stream_position Nullable(Int64),
  wall_ns Nullable(Int64),
  client_ns Nullable(Int64),
  client_wait_ns Nullable(Int64),
  remote_ns Nullable(Int64),
  queue_ns Nullable(Int64),
  runnable_ns Nullable(Int64),
  kernel_ns Nullable(Int64),
  user_ns Nullable(Int64),
  interrupt_ns Nullable(Int64),
  tracer_ns Nullable(Int64),
  guest_ns Nullable(Int64),
  asleep_ns Nullable(Int64),
  downstream_ns Nullable(Int64),
  unknown_ns Nullable(Int64),
  beside_runnable_ns Nullable(Int64),
  beside_kernel_ns Nullable(Int64),
  beside_user_ns Nullable(Int64),
  beside_interrupt_ns Nullable(Int64),
  beside_tracer_ns Nullable(Int64),
  beside_guest_ns Nullable(Int64),
  beside_asleep_ns Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- The sleeps of threads while they had a request: sleeps in report --requests.
CREATE TABLE IF NOT EXISTS request_sleep (
  day Date,
  recording Int64,
  request_id Nullable(Int64),
  begin_ns Nullable(Int64),
  asleep_ns Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  function Nullable(String),
  fd Nullable(Int64),
  is_downstream Nullable(Int64),
  wakers Nullable(String)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- All calls of all functions, ordered by their end.
CREATE TABLE IF NOT EXISTS call (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  wall_ns Nullable(Int64),
  on_cpu_ns Nullable(Int64),
  self_ns Nullable(Int64),
  cpu Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  comm Nullable(String),
  depth Nullable(Int64),
  function Nullable(String),
  module Nullable(String),
  function_id Nullable(Int64),
  caller Nullable(String),
  caller_id Nullable(Int64),
  how Nullable(String),
  part Nullable(String),
  begin_unseen Nullable(Int64),
  end_unseen Nullable(Int64),
  not_all_seen Nullable(Int64),
  fiber Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- Calls and times of each function in each process: report --flat by process.
CREATE TABLE IF NOT EXISTS profile (
  day Date,
  recording Int64,
  function Nullable(String),
  module Nullable(String),
  function_id Nullable(Int64),
  pid Nullable(Int64),
  calls Nullable(Int64),
  self_ns Nullable(Int64),
  total_ns Nullable(Int64),
  direct Nullable(Int64),
  tail Nullable(Int64),
  async Nullable(Int64),
  starts Nullable(Int64),
  inferred Nullable(Int64),
  part Nullable(String)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording);

-- All gaps: intervals of execution that the trace does not show.
CREATE TABLE IF NOT EXISTS gap (
  day Date,
  recording Int64,
  begin_ns Int64,
  end_ns Int64,
  cpu Nullable(Int64),
  pid Nullable(Int64),
  tid Nullable(Int64),
  reason Nullable(String),
  lost_bytes Nullable(Int64),
  offset Nullable(Int64)
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, begin_ns);

-- Labels of recordings: store add --label.
CREATE TABLE IF NOT EXISTS label (
  day Date,
  recording Int64,
  name String,
  value String
)
ENGINE = MergeTree
PARTITION BY day ORDER BY (recording, name);

-- Uploads: started (state 0), or their left-over rows were removed (1).
CREATE TABLE IF NOT EXISTS upload (
  recording Int64,
  state Int64,
  id String,
  host String,
  pid Int64,
  at_s Int64
)
ENGINE = MergeTree
ORDER BY recording;

-- The version of this schema, and its cluster.
CREATE TABLE IF NOT EXISTS store_version (
  version Int64,
  cluster String
)
ENGINE = MergeTree
ORDER BY version;

-- Each recording once, even if two uploads of it ended at the same time.
CREATE VIEW IF NOT EXISTS recording AS
SELECT * FROM recording_all
ORDER BY id, added_s, recording LIMIT 1 BY id;

-- Written last: without this row the database is not a store yet.
INSERT INTO store_version VALUES (6, '');
