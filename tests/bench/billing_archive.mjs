// Compares billing over an archive of millions of events with billing over an almost empty one: two processes of the service, over two
// copies of the database, in alternating rounds. Reports medians.
import { readFileSync } from 'node:fs'
import { base, ingest, pid, read, reads, scopes, settle, sql, users } from './billing_load.mjs'
import { addTable, answers, database, env, freshId, inTurn, medianRatio, medians, note, options, run, start, stop } from './lib.mjs'
import { atLeast, atMost, grouped, k, us } from './report.mjs'

const archived = Number(options.archive ?? 10_000_000)
const copy = 'billing_archive'
const copyPort = 8185, copyOpsPort = 8184
const copyBase = `http://127.0.0.1:${copyPort}`
const { sql: inCopy } = database(copy)
const { sql: outside } = database('postgres')

// Copies the database with its files. A copy needs a database without connections; the service reconnects afterwards.
function copyDatabase() {
    outside('ALTER DATABASE billing ALLOW_CONNECTIONS false')
    try {
        outside("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'billing'")
        outside(`CREATE DATABASE ${copy} TEMPLATE billing OWNER billing_owner STRATEGY file_copy`)
    } finally {
        outside('ALTER DATABASE billing ALLOW_CONNECTIONS true')
    }
}

// Starts another process of the service, over the copy.
async function startCopy() {
    const settings = Object.fromEntries(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
        .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
    const child = start(`/proc/${pid}/exe`, ['serve'], { ...settings, BILLING_PORT: copyPort, BILLING_OPS_PORT: copyOpsPort,
        BILLING_DATABASE_URL: env.BILLING_DATABASE_URL.replace('/billing?', `/${copy}?`) }, `${run}/logs/${copy}.log`)
    await answers(`http://127.0.0.1:${copyOpsPort}/readyz`)
    return child
}

// Inserts events of a year, ordered by time, into the partitions of their months.
function fillArchive(first) {
    for (let month = 1; month <= 12; month++) {
        inCopy(`DO $$ DECLARE m timestamptz := date_trunc('month', now()) - interval '${month} months'; BEGIN
             EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
                 to_char(m, '"events_"YYYY_MM'), m, m + interval '1 month'); END $$`)
    }
    const step = 100_000
    for (let at = 0; at < archived; at += step) {
        note(`data: ${grouped(at)} of ${grouped(archived)} archived events`)
        const last = Math.min(at + step, archived) - 1
        const rows = `(SELECT n, ${freshId} AS archive_id, date_trunc('month', now()) - interval '1 year' +
            n * (interval '1 year' / ${archived}) AS t FROM generate_series(${at}::bigint, ${last}::bigint) n) AS r`
        inCopy(`WITH archived AS (
                 INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, subject, event_at, payload,
                     is_filed)
                 SELECT ${first} + n % ${scopes}, t, archive_id, 'payments', 'evt_old' || n, 'customer.subscription.updated', 'applied',
                     'user-' || n % ${users}, 'sub_old' || n % ${users}, t, '{"object":"event","id":"evt_old' || n || '"}', true FROM ${rows}
                 RETURNING scope_id, archive_id, received_at, event_id)
             INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
             SELECT scope_id, md5(event_id)::uuid, archive_id, received_at FROM archived`)
    }
    settle(inCopy)
}

// For each kind of request, the figures of the rounds of both processes. The CPU time is that of the service and PostgreSQL.
async function compare(peer) {
    const kinds = {
        ingest: (url, process) => {
            sql('CHECKPOINT')
            return ingest(url, process)
        },
        ...Object.fromEntries(Object.keys(reads).map(name => [name, (url, process) => read(name, url, process)])),
    }
    const found = {}
    for (const [name, work] of Object.entries(kinds)) {
        const measured = (url, process) => async () => {
            const { cpu, database: ofDatabase, rate } = await work(url, process)
            return { rate, cpu: cpu + ofDatabase }
        }
        const contenders = { before: measured(base, pid), with: measured(copyBase, peer.pid) }
        settle()
        settle(inCopy)
        for (const contender of Object.values(contenders)) await contender() // fills caches
        found[name] = await inTurn(name, contenders, { swaps: true })
    }
    return found
}

export async function archiveFigures(first) {
    copyDatabase()
    await answers(`http://127.0.0.1:${env.BILLING_OPS_PORT}/readyz`)
    fillArchive(first)
    const peer = await startCopy()
    try {
        return await compare(peer)
    } finally {
        await stop(peer)
        sql(`DROP DATABASE ${copy} WITH (FORCE)`)
    }
}

export function addArchive(found) {
    addTable(['service and PostgreSQL', 'requests/s, empty archive', `${grouped(archived)} events of 12 months`,
        'ratio of rates', 'CPU µs/request, empty archive', `${grouped(archived)} events`, 'ratio of CPU'],
    [['ingest', 'webhook'], ['feature', 'feature check'], ['entitlements', 'entitlements of a user']].map(([name, label]) => {
        const { before, with: full } = medians(found[name])
        return [label, k(before.rate), k(full.rate),
            atLeast(`${label}: rate with archive ÷ without`, medianRatio(found[name].with, found[name].before, 'rate'), 0.9),
            us(before.cpu), us(full.cpu),
            atMost(`${label}: CPU with archive ÷ without`, medianRatio(found[name].with, found[name].before, 'cpu'), 1.1)]
    }))
}
