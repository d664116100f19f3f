-- A queue is often empty when ANALYZE counts its rows. The planner then takes each index of the table for equally
-- cheap, and chose the wrong one: it read all entries of a queue for each claim, most of them of rows that are gone
-- (measured: 100 pages per job). So each index now has a condition that every row meets. The planner can only use an
-- index for a statement that repeats its condition. A statement without a condition uses the primary key.
DROP INDEX jobs_due;
DROP INDEX jobs_by_time;

-- A worker steps through the scopes in this index and takes the oldest jobs of each.
CREATE INDEX jobs_due ON jobs (queue, scope_id, run_at) WHERE attempts >= 0;

-- Due jobs are at the start of this index, regardless of the number of later jobs. While few jobs are due, a worker
-- visits only their scopes.
CREATE INDEX jobs_by_time ON jobs (queue, run_at, scope_id) WHERE run_at > '-infinity';
