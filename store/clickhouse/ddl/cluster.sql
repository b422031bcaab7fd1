-- A store of ktrace-hw on a cluster of ClickHouse, schema version 5.
--
--     ktrace-hw store ddl --cluster NAME --database DATABASE |
--         clickhouse-client --multiquery
--
-- creates it, through any one server.  {cluster} and {database} below stand for these
-- names.
--
-- Servers need ZooKeeper (or Keeper) in their configuration, and each server its
-- macros {shard}, equal for the servers with the same rows, and {replica}.
--
-- A table NAME_local has the rows of one shard, on each of its replicas.  NAME is
-- Distributed over the shards: uploads and queries use NAME, on any server.  All rows
-- of a recording are in one shard.  docs/schema.md documents the columns;
-- cluster_ttl.sql sets how long rows are kept.
--
-- In queries of your own use GLOBAL JOIN and GLOBAL IN: the subquery then runs once
-- over all shards; otherwise each shard runs it on its own.

CREATE DATABASE IF NOT EXISTS {database} ON CLUSTER '{cluster}';

-- One row for each recording. It is written last: rows of other tables count only
-- once it exists.
CREATE TABLE IF NOT EXISTS {database}.recording_all_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/recording_all_local', '{replica}')
PARTITION BY toYYYYMM(day) ORDER BY (id, recording);

CREATE TABLE IF NOT EXISTS {database}.recording_all ON CLUSTER '{cluster}'
AS {database}.recording_all_local
ENGINE = Distributed('{cluster}', {database}, recording_all_local, recording);

-- The time of each CPU by the state of tracing.
CREATE TABLE IF NOT EXISTS {database}.cpu_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/cpu_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.cpu ON CLUSTER '{cluster}'
AS {database}.cpu_local
ENGINE = Distributed('{cluster}', {database}, cpu_local, recording);

-- All functions of the kernel, its modules and the traced programs, including those
-- that were never called.
CREATE TABLE IF NOT EXISTS {database}.function_local ON CLUSTER '{cluster}' (
  day Date,
  recording Int64,
  function_id Nullable(Int64),
  function Nullable(String),
  module Nullable(String),
  address Nullable(Int64),
  space Nullable(String),
  symbol Nullable(String)
)
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/function_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.function ON CLUSTER '{cluster}'
AS {database}.function_local
ENGINE = Distributed('{cluster}', {database}, function_local, recording);

-- The time of each process by class, as in report --processes.
CREATE TABLE IF NOT EXISTS {database}.process_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/process_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.process ON CLUSTER '{cluster}'
AS {database}.process_local
ENGINE = Distributed('{cluster}', {database}, process_local, recording);

-- The time of each thread by class, as in report --threads.
CREATE TABLE IF NOT EXISTS {database}.thread_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/thread_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.thread ON CLUSTER '{cluster}'
AS {database}.thread_local
ENGINE = Distributed('{cluster}', {database}, thread_local, recording);

-- The states of each thread, without gaps, one row per interval of one class;
-- report --threads adds them up.
CREATE TABLE IF NOT EXISTS {database}.thread_state_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/thread_state_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.thread_state ON CLUSTER '{cluster}'
AS {database}.thread_state_local
ENGINE = Distributed('{cluster}', {database}, thread_state_local, recording);

-- All system calls; report --syscalls adds up the ones that returned.
CREATE TABLE IF NOT EXISTS {database}.syscall_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/syscall_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.syscall ON CLUSTER '{cluster}'
AS {database}.syscall_local
ENGINE = Distributed('{cluster}', {database}, syscall_local, recording);

-- All page faults and exceptions.
CREATE TABLE IF NOT EXISTS {database}.fault_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/fault_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.fault ON CLUSTER '{cluster}'
AS {database}.fault_local
ENGINE = Distributed('{cluster}', {database}, fault_local, recording);

-- All sleeps of threads, with their wakers; report --sleeps adds them up.
CREATE TABLE IF NOT EXISTS {database}.sleep_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/sleep_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.sleep ON CLUSTER '{cluster}'
AS {database}.sleep_local
ENGINE = Distributed('{cluster}', {database}, sleep_local, recording);

-- All wake-ups of threads, from sched:sched_waking and sched_wakeup_new; empty if
-- these were not recorded.
CREATE TABLE IF NOT EXISTS {database}.wakeup_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/wakeup_local', '{replica}')
PARTITION BY day ORDER BY (recording, time_ns);

CREATE TABLE IF NOT EXISTS {database}.wakeup ON CLUSTER '{cluster}'
AS {database}.wakeup_local
ENGINE = Distributed('{cluster}', {database}, wakeup_local, recording);

-- All completed waits for kernel locks, futexes and file locks; report --locks adds
-- them up.
CREATE TABLE IF NOT EXISTS {database}.lock_wait_local ON CLUSTER '{cluster}' (
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
  function Nullable(String),
  waiters_at_begin Nullable(Int64),
  waiters_at_end Nullable(Int64),
  releaser_pid Nullable(Int64),
  releaser_tid Nullable(Int64),
  releaser_comm Nullable(String),
  is_recorder Nullable(Int64)
)
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/lock_wait_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.lock_wait ON CLUSTER '{cluster}'
AS {database}.lock_wait_local
ENGINE = Distributed('{cluster}', {database}, lock_wait_local, recording);

-- Sums of interrupt work and deferred work, by kind, interrupted process and
-- beneficiary, as in report --interrupts.
CREATE TABLE IF NOT EXISTS {database}.interrupt_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/interrupt_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.interrupt ON CLUSTER '{cluster}'
AS {database}.interrupt_local
ENGINE = Distributed('{cluster}', {database}, interrupt_local, recording);

-- All interrupts, soft interrupts and items of deferred work, in the order in which
-- their beneficiaries become known; the table interrupt adds them up.
CREATE TABLE IF NOT EXISTS {database}.interrupt_slice_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/interrupt_slice_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.interrupt_slice ON CLUSTER '{cluster}'
AS {database}.interrupt_slice_local
ENGINE = Distributed('{cluster}', {database}, interrupt_slice_local, recording);

-- The time of servers by client, as in report --servers; empty if wake-ups were not
-- recorded.
CREATE TABLE IF NOT EXISTS {database}.server_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/server_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.server ON CLUSTER '{cluster}'
AS {database}.server_local
ENGINE = Distributed('{cluster}', {database}, server_local, recording);

-- All requests (messages that another process worked on), in the order of their
-- completion, as in report --requests.
CREATE TABLE IF NOT EXISTS {database}.request_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/request_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.request ON CLUSTER '{cluster}'
AS {database}.request_local
ENGINE = Distributed('{cluster}', {database}, request_local, recording);

-- The sleeps of threads while they had a request: sleeps in report --requests.
CREATE TABLE IF NOT EXISTS {database}.request_sleep_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/request_sleep_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.request_sleep ON CLUSTER '{cluster}'
AS {database}.request_sleep_local
ENGINE = Distributed('{cluster}', {database}, request_sleep_local, recording);

-- All calls of all functions, ordered by their end.
CREATE TABLE IF NOT EXISTS {database}.call_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/call_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.call ON CLUSTER '{cluster}'
AS {database}.call_local
ENGINE = Distributed('{cluster}', {database}, call_local, recording);

-- Calls and times of each function in each process: report --flat by process.
CREATE TABLE IF NOT EXISTS {database}.profile_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/profile_local', '{replica}')
PARTITION BY day ORDER BY (recording);

CREATE TABLE IF NOT EXISTS {database}.profile ON CLUSTER '{cluster}'
AS {database}.profile_local
ENGINE = Distributed('{cluster}', {database}, profile_local, recording);

-- All gaps: intervals of execution that the trace does not show.
CREATE TABLE IF NOT EXISTS {database}.gap_local ON CLUSTER '{cluster}' (
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
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/gap_local', '{replica}')
PARTITION BY day ORDER BY (recording, begin_ns);

CREATE TABLE IF NOT EXISTS {database}.gap ON CLUSTER '{cluster}'
AS {database}.gap_local
ENGINE = Distributed('{cluster}', {database}, gap_local, recording);

-- Labels of recordings: store add --label.
CREATE TABLE IF NOT EXISTS {database}.label_local ON CLUSTER '{cluster}' (
  day Date,
  recording Int64,
  name String,
  value String
)
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/label_local', '{replica}')
PARTITION BY day ORDER BY (recording, name);

CREATE TABLE IF NOT EXISTS {database}.label ON CLUSTER '{cluster}'
AS {database}.label_local
ENGINE = Distributed('{cluster}', {database}, label_local, recording);

-- Uploads: started (state 0), or their left-over rows were removed (1).
CREATE TABLE IF NOT EXISTS {database}.upload_local ON CLUSTER '{cluster}' (
  recording Int64,
  state Int64,
  id String,
  host String,
  pid Int64,
  at_s Int64
)
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/upload_local', '{replica}')
ORDER BY recording;

CREATE TABLE IF NOT EXISTS {database}.upload ON CLUSTER '{cluster}'
AS {database}.upload_local
ENGINE = Distributed('{cluster}', {database}, upload_local, recording);

-- The version of this schema, and its cluster.
CREATE TABLE IF NOT EXISTS {database}.store_version_local ON CLUSTER '{cluster}' (
  version Int64,
  cluster String
)
ENGINE = ReplicatedMergeTree(
  '/clickhouse/tables/{shard}/{database}/store_version_local', '{replica}')
ORDER BY version;

CREATE TABLE IF NOT EXISTS {database}.store_version ON CLUSTER '{cluster}'
AS {database}.store_version_local
ENGINE = Distributed('{cluster}', {database}, store_version_local, rand());

-- Each recording once, even if two uploads of it ended at the same time.
CREATE VIEW IF NOT EXISTS {database}.recording ON CLUSTER '{cluster}' AS
SELECT * FROM {database}.recording_all
ORDER BY id, added_s, recording LIMIT 1 BY id;

-- Written last: without this row the database is not a store yet.
SET insert_distributed_sync = 1;
INSERT INTO {database}.store_version VALUES (5, '{cluster}');
