-- How long a store of ktrace-hw keeps rows on a cluster; change the days as needed.
--
--     ktrace-hw store ddl --ttl --cluster NAME --database DATABASE |
--         clickhouse-client --multiquery
--
-- Servers before 19.6 do not support TTL.  There remove the rows of a day with
-- ALTER TABLE DATABASE.call_local ON CLUSTER NAME DROP PARTITION '2026-01-31'.

-- One row for each call, wake-up or change of state: nearly all of the space.
ALTER TABLE {database}.function_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE {database}.thread_state_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE {database}.wakeup_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 14 DAY;
ALTER TABLE {database}.call_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 14 DAY;

-- Tables in which queries find slow system calls, sleeps and requests.
ALTER TABLE {database}.syscall_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE {database}.fault_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE {database}.sleep_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE {database}.lock_wait_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE {database}.interrupt_slice_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE {database}.request_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE {database}.request_sleep_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;
ALTER TABLE {database}.gap_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 90 DAY;

-- Sums, which are small; and recordings and labels, which lead to all other rows.
ALTER TABLE {database}.recording_all_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE {database}.cpu_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE {database}.process_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE {database}.thread_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE {database}.interrupt_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE {database}.server_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE {database}.profile_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
ALTER TABLE {database}.label_local ON CLUSTER '{cluster}' MODIFY TTL day + INTERVAL 730 DAY;
