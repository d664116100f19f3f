// Compares billing with pgbench and with a peer (Fastify, pg and the stripe package) in alternating rounds. Reports medians.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { addArchive, archiveFigures } from './billing_archive.mjs'
import { addBackfill, backfillFigures } from './billing_backfill.mjs'
import { base, ingest, listReads, pgbench, pid, prepare, read, reads, scopes, secret, settle, sql, users } from './billing_load.mjs'
import { addReports, reportFigures } from './billing_reports.mjs'
import { ingestStatements, readStatements } from './billing_statements.mjs'
import { addTable, answers, env, here, inTurn, medianRatio, medians, options, report, run, seconds, start, stop } from './lib.mjs'
import { atLeast, atMost, grouped, k, times, us } from './report.mjs'

const parts = ['reads', 'webhooks', 'archive', 'reports', 'backfill']
const wanted = options.only?.split(',') ?? parts
const wants = name => wanted.includes(name)
const readRounds = Number(options.rounds ?? 5)

// --- measurements ----------------------------------------------------------------------------------------------------------------

// Runs pgbench with a log of every transaction, to compute the 99th percentile.
function pgbenchLate(script, clients) {
    const socket = /host=([^&]+)/.exec(env.BILLING_DATABASE_URL)[1]
    const file = `${run}/pgbench-late.sql`, prefix = 'pgbench-late-log'
    writeFileSync(file, script)
    execFileSync('pgbench', ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds), '-l', `--log-prefix=${run}/${prefix}`,
        '-f', file, '-h', socket, '-U', 'postgres', 'billing'], { stdio: 'ignore' })
    const latencies = []
    for (const name of readdirSync(run).filter(one => one.startsWith(`${prefix}.`))) {
        for (const line of readFileSync(`${run}/${name}`, 'utf8').split('\n')) if (line) latencies.push(Number(line.split(' ')[2]))
        rmSync(`${run}/${name}`)
    }
    latencies.sort((a, b) => a - b)
    return { p99: latencies[Math.floor(0.99 * (latencies.length - 1))] / 1000 }
}

// Runs each contender once, to fill caches and plan statements, and then in turn. Each of these calls follows `before`.
async function compare(label, contenders, { before = () => {}, ...how } = {}) {
    const prepared = Object.fromEntries(Object.entries(contenders).map(([name, contender]) => [name, async () => {
        await before()
        return contender()
    }]))
    await inTurn(`${label}, warm-up`, prepared, { times: 1 })
    return inTurn(label, prepared, how)
}

async function besidePeer(first) {
    const peer = start('node', [`${here}billing-peer/server.mjs`],
        { DATABASE_URL: env.BILLING_DATABASE_URL, SECRET: secret, PORT: '8199', NODE_ENV: 'production' })
    try {
        await answers('http://127.0.0.1:8199/health')
        settle()
        // Every contender starts with all of the log's space until the next automatic checkpoint.
        return await compare('webhooks', {
            pgbench: () => pgbench(ingestStatements(first)),
            late: () => pgbenchLate(ingestStatements(first), 64),
            service: () => ingest(base, pid),
            peer: () => ingest('http://127.0.0.1:8199', peer.pid, { whose: 'peer', most: 10_000 }),
        }, { before: () => sql('CHECKPOINT') })
    } finally {
        await stop(peer)
    }
}

async function readFigures(first) {
    const statements = readStatements(first)
    const found = {}
    for (const name of Object.keys(reads)) {
        settle()
        found[name] = await compare(name, { pgbench: () => pgbench(statements[name]), service: () => read(name) }, { times: readRounds, swaps: true })
    }
    return found
}

// --- reporting -------------------------------------------------------------------------------------------------------------------

function addWebhooks(found) {
    const { service, pgbench, late, peer } = medians(found)
    const ratio = name => medianRatio(found.service, found[name], 'rate')
    addTable([`${grouped(users)} users in ${grouped(scopes)} scopes, 64 connections`, 'events/s', 'CPU µs/event: service', 'PostgreSQL',
        'pgbench, 8 clients', 'rate ÷ pgbench', 'Fastify + pg + stripe', 'CPU µs/event', 'rate ÷ Fastify'], [
        ['webhook, signed, distinct', k(service.rate), us(service.cpu), us(service.database),
            k(pgbench.rate), atLeast('webhook: rate ÷ pgbench', ratio('pgbench'), 1.5),
            k(peer.rate), us(peer.cpu), atLeast('webhook: rate ÷ Fastify', ratio('peer'), 6)],
    ])
    addTable(['99th percentile', 'service, 64 connections', 'pgbench, 64 clients', 'ratio'], [
        ['webhook', `${service.p99.toFixed(1)} ms`, `${late.p99.toFixed(1)} ms`,
            atMost('webhook: 99th percentile ÷ pgbench', service.p99 / late.p99, 1)],
    ])
}

function addReads(found) {
    const total = ({ cpu = 0, database, load }) => cpu + database + load
    addTable([`${grouped(users)} users, 64 connections; ${readRounds} rounds`, 'requests/s', 'CPU µs/request: service', 'PostgreSQL', 'wrk',
        'pgbench, 8 clients', 'CPU µs/request: PostgreSQL and pgbench', 'rate ÷ pgbench', 'lowest', 'highest', 'CPU of pgbench ÷ CPU'],
    [['feature', 'feature check'], ['entitlements', 'entitlements of a user']].map(([name, label]) => {
        const { service, pgbench } = medians(found[name])
        const ratios = found[name].service.map((r, i) => r.rate / found[name].pgbench[i].rate)
        return [label, k(service.rate), us(service.cpu), us(service.database), us(service.load), k(pgbench.rate), us(total(pgbench)),
            atLeast(`${label}: rate ÷ pgbench`, medianRatio(found[name].service, found[name].pgbench, 'rate'), 1),
            times(Math.min(...ratios)), times(Math.max(...ratios)), times(total(pgbench) / total(service))]
    }))
}

await report('billing', async () => {
    const unknown = wanted.filter(name => !parts.includes(name))
    if (unknown.length > 0) throw new Error(`unknown part ${unknown}. The parts are ${parts}.`)
    const prepared = ['reads', 'webhooks', 'archive'].some(wants) ? await prepare() : undefined
    if (prepared) listReads(prepared.keys)
    if (wants('reads')) addReads(await readFigures(prepared.first))
    if (wants('webhooks')) addWebhooks(await besidePeer(prepared.first))
    if (wants('archive')) addArchive(await archiveFigures(prepared.first))
    if (wants('reports')) addReports(await reportFigures())
    if (wants('backfill')) addBackfill(await backfillFigures())
})
