// Compares billing with pgbench and with a peer (Fastify, pg and the stripe package) in alternating rounds. Reports medians. Every event
// is signed and new.
import { execFile, execFileSync } from 'node:child_process'
import { createHmac, randomInt } from 'node:crypto'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { Connection } from './connections.mjs'
import {
    addTable, alternate, answers, charged, database, env, freshId, here, listFile, note, operator, options, report, run, seconds, start, stop,
} from './lib.mjs'
import { atLeast, atMost, grouped, k, us } from './report.mjs'

const tenants = 500
const scopes = 2 * tenants
const users = Math.max(Number(options.users ?? 1_000_000), scopes)
const archived = Number(options.archived ?? 10_000_000)
const most = 40_000 // prepared events for each second of a round
const port = Number(env.BILLING_PORT)
const pid = env.BILLING_PID
const base = `http://127.0.0.1:${port}`
const secret = 'whsec_bench'
const price = 'price_pro_monthly'
const { sql, pgbench } = database('billing')
const { insertTenants } = operator(base, sql)
const execute = promisify(execFile)
const hostOf = n => `bench-${1 + Math.floor(n % scopes / 2)}${n % 2 ? '-sandbox' : ''}.${env.BILLING_HOST}`

// --- data ------------------------------------------------------------------------------------------------------------------------

// Creates the secret and the product of each tenant. Returns the keys of all scopes, in order.
async function configure() {
    const connection = new Connection(port)
    const keys = []
    for (let n = 0; n < scopes; n++) {
        if (n % 100 === 0) note(`tenants: ${n / 2} of ${tenants}`)
        const host = hostOf(n)
        if (n % 2 === 0) {
            await connection.ask(200, 'PATCH', host, '/v1/settings', env.MASTER_KEY, { paymentsSigningSecrets: [secret] })
            const product = { providerProductId: price, name: 'Pro', kind: 'subscription', features: ['export', 'sync'], grants: [] }
            await connection.ask(201, 'POST', host, '/v1/products', env.MASTER_KEY, product)
        }
        const environment = n % 2 ? 'sandbox' : 'production'
        keys.push((await connection.ask(201, 'POST', host, '/v1/keys', env.MASTER_KEY, { environment })).key)
    }
    connection.close()
    return keys
}

// Inserts an entitlement for each user; user n is in scope n % 1,000.
function insertEntitlements(first) {
    const step = 50_000
    for (let at = 0; at < users; at += step) {
        note(`data: ${grouped(at)} of ${grouped(users)} entitlements`)
        sql(`INSERT INTO entitlements (scope_id, entitlement_id, user_id, source, provider_product_id, alternative_product_id, transaction_id,
                 status, purchased_at, expires_at, will_renew, last_event_type, last_event_at, last_rank, last_period_end, last_event_id,
                 last_transaction_id, created_at, updated_at, revision)
             SELECT ${first} + n % ${scopes}, ${freshId}, 'user-' || n, 'purchases', '${price}', '', '', 'active', now(),
                 now() + interval '1 year', true, 'INITIAL_PURCHASE', now(), 0, now() + interval '1 year', 'evt-' || n, '', now(), now(), 1
             FROM generate_series(${at}::bigint, ${Math.min(at + step, users) - 1}) n`)
    }
    sql('VACUUM (ANALYZE) entitlements')
    sql('CHECKPOINT')
}

async function prepare() {
    insertTenants('bench', tenants)
    const first = Number(sql("SELECT min(tenant_id) * 2 FROM tenants WHERE slug LIKE 'bench-%'"))
    const keys = await configure()
    insertEntitlements(first)
    return { first, keys }
}

// --- load ------------------------------------------------------------------------------------------------------------------------

// Runs wrk for one round, like wrk() of lib.mjs, but each request has its own host and header. `distinct` is the number of different
// requests in the list.
function wrk(url, file, process, { distinct = Infinity, connections = 64 } = {}) {
    return charged(process, async () => {
        const { stdout: out } = await execute('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', `${here}billing.lua`,
            url, '--', file])
        const sent = Number(/(\d+) requests in/.exec(out)[1])
        const failed = /Socket errors: .*|Non-2xx or 3xx responses: \d+/.exec(out)
        if (failed) throw new Error(`${url} ${file}: ${failed[0]} of ${sent}`)
        if (sent > distinct) throw new Error(`${file}: wrk sent ${sent} requests, but only ${distinct} are distinct. Prepare more events.`)
        const [, late, unit] = /^\s+99%\s+([\d.]+)(us|ms|s)\b/m.exec(out)
        return { sent, rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)[1]), p99: Number(late) * { us: 0.001, ms: 1, s: 1000 }[unit] }
    })
}

let number = 0 // of the last event; an event with a higher number has a later time

function eventLine(whose) {
    const n = randomInt(users), created = 1_700_000_000 + ++number, at = Math.floor(Date.now() / 1000)
    const body = JSON.stringify({
        id: `evt_${whose}${number.toString(36).padStart(16, '0')}`, object: 'event', api_version: '2026-01-28.clover', created,
        type: 'customer.subscription.updated', livemode: n % 2 === 0, pending_webhooks: 1, request: { id: null, idempotency_key: null },
        data: { object: {
            id: `sub_${whose}${n}`, object: 'subscription', status: 'active', livemode: n % 2 === 0, created: 1_700_000_000,
            cancel_at_period_end: false, canceled_at: null, ended_at: null, collection_method: 'charge_automatically', currency: 'eur',
            customer: `cus_${n}`, default_payment_method: 'pm_1SxQ2cLkdIwHu7ixUo9ZrV4p', latest_invoice: `in_${number}`,
            metadata: { userId: `${whose}user-${n}` },
            items: { object: 'list', has_more: false, total_count: 1, data: [{
                id: `si_${n}`, object: 'subscription_item', quantity: 1, subscription: `sub_${whose}${n}`,
                current_period_start: 1_767_225_600, current_period_end: 4_102_444_800,
                price: { id: price, object: 'price', active: true, currency: 'eur', product: 'prod_pro', type: 'recurring', unit_amount: 900 },
            }] },
        } },
    })
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    return `POST\t/webhooks/payments\t${hostOf(n)}\tStripe-Signature\tt=${at},v1=${signature}\t${body}`
}

// `whose` is a prefix of the ids of users and subscriptions. The peer has its own prefix, because it stores subscriptions in another form.
function ingest(url, process, whose, rate = most) {
    const count = Math.ceil(rate * (seconds + 1))
    note(`signing ${grouped(count)} events`)
    writeFileSync(listFile('events'), Array.from({ length: count }, () => eventLine(whose)).join('\n') + '\n')
    return wrk(url, listFile('events'), process, { distinct: count })
}

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

const entitlement = `e.entitlement_id, e.user_id, e.source, e.provider_product_id, e.alternative_product_id, e.transaction_id, e.status,
    e.purchased_at, e.expires_at, e.grace_until, e.will_renew, e.reason, e.last_event_type, e.last_event_at, e.last_rank, e.last_period_end,
    e.last_event_id, e.last_transaction_id, e.created_at, e.updated_at, e.revision`
const catalog = `LEFT JOIN LATERAL (SELECT q.product_id, q.features, q.grants FROM products q WHERE q.tenant_id = e.scope_id / 2
    AND q.provider_product_id = ANY (ARRAY[e.provider_product_id, e.alternative_product_id]) LIMIT 1) AS p ON true`

// The statements that the service runs for an event: first it reads the current state, then it writes.
const ingestStatements = first => `\\set n random(0, ${users - 1})
    \\set s ${first} + :n % ${scopes}
    \\set c random(1, 1000000000000)
    SELECT s.state FROM payment_subscriptions s WHERE s.scope_id = :s AND s.subscription_id = 'sub_pgbench' || :n
        UNION ALL SELECT s.state FROM payment_subscriptions s WHERE s.scope_id = :s AND s.user_id = 'user-' || :n;
    SELECT c.yes, h.yes, a.yes, ${entitlement} FROM (SELECT 1) AS k
        LEFT JOIN LATERAL (SELECT true AS yes FROM event_claims x WHERE x.scope_id = :s AND x.claim = md5((:c)::text)::uuid LIMIT 1) AS c ON true
        LEFT JOIN LATERAL (SELECT true AS yes FROM webhooks x WHERE x.scope_id = :s AND x.enabled LIMIT 1) AS h ON true
        LEFT JOIN LATERAL (SELECT true AS yes FROM event_claims x WHERE x.scope_id = :s AND x.claim = md5('waiting' || :n)::uuid LIMIT 1) AS a ON true
        LEFT JOIN LATERAL (SELECT * FROM entitlements x WHERE x.scope_id = :s AND x.entitlement_id = md5('pgbench' || :n)::uuid) AS e ON true;
    WITH n AS MATERIALIZED (SELECT clock_timestamp() AS at, ${freshId} AS archive_id),
        claimed AS (INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
            SELECT :s, md5((:c)::text)::uuid, n.archive_id, n.at FROM n ON CONFLICT DO NOTHING RETURNING archive_id),
        archived AS (INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, subject, event_at, payload)
            SELECT :s, n.at, n.archive_id, 'payments', 'evt_' || :c, 'customer.subscription.updated', 'applied', 'user-' || :n, 'sub_pgbench' || :n,
                n.at, repeat('{"object":"event"}', 62) FROM n JOIN claimed USING (archive_id)),
        subscribed AS (INSERT INTO payment_subscriptions AS s (scope_id, subscription_id, user_id, state, revision)
            SELECT :s, 'sub_pgbench' || :n, 'user-pgbench-' || :n, '{"status":"active"}', 1 FROM claimed
            ON CONFLICT (scope_id, subscription_id) DO UPDATE SET state = excluded.state, revision = s.revision + 1)
    INSERT INTO entitlements AS e (scope_id, entitlement_id, user_id, source, provider_product_id, alternative_product_id, transaction_id, status,
        purchased_at, expires_at, will_renew, last_event_type, last_event_at, last_rank, last_period_end, last_event_id, last_transaction_id,
        created_at, updated_at, revision)
    SELECT :s, md5('pgbench' || :n)::uuid, 'user-' || :n, 'payments', '${price}', 'prod_pro', '', 'active', n.at, n.at + interval '1 year', true,
        'customer.subscription.updated', n.at, 0, n.at + interval '1 year', 'evt_' || :c, '', n.at, n.at, 1 FROM n JOIN claimed USING (archive_id)
    ON CONFLICT (scope_id, entitlement_id) DO UPDATE SET status = excluded.status, purchased_at = excluded.purchased_at,
        expires_at = excluded.expires_at, will_renew = excluded.will_renew, last_event_type = excluded.last_event_type,
        last_event_at = excluded.last_event_at, last_event_id = excluded.last_event_id, updated_at = excluded.updated_at,
        revision = e.revision + 1;`

const readStatements = first => {
    const set = `\\set n random(0, ${users - 1})\n\\set s ${first} + :n % ${scopes}\n`
    return {
        entitlements: `${set}SELECT ${entitlement}, p.* FROM entitlements e ${catalog} WHERE e.scope_id = :s AND e.user_id = 'user-' || :n;`,
        feature: `${set}SELECT count(*) > 0, max(greatest(e.expires_at, e.grace_until)) FROM entitlements e ${catalog}
            WHERE e.scope_id = :s AND e.user_id = 'user-' || :n AND e.status = 'active'
            AND (e.expires_at IS NULL OR greatest(e.expires_at, e.grace_until) > now()) AND 'export' = ANY (p.features);`,
    }
}

function listReads(keys) {
    const lines = path => Array.from({ length: 20_000 }, () => {
        const n = randomInt(users)
        return `GET\t/v1/users/user-${n}/${path}\t${hostOf(n)}\tAuthorization\tBearer ${keys[n % scopes]}\t`
    }).join('\n') + '\n'
    writeFileSync(listFile('entitlements'), lines('entitlements'))
    writeFileSync(listFile('feature'), lines('features/export'))
}
const read = name => wrk(base, listFile(name), pid)

// --- measurements ----------------------------------------------------------------------------------------------------------------

async function besidePeer(first) {
    const peer = start('node', [`${here}billing-peer/server.mjs`],
        { DATABASE_URL: env.BILLING_DATABASE_URL, SECRET: secret, PORT: '8199', NODE_ENV: 'production' })
    try {
        await answers('http://127.0.0.1:8199/health')
        return await alternate('ingest', {
            pgbench: () => pgbench(ingestStatements(first)),
            late: () => pgbenchLate(ingestStatements(first), 64),
            service: () => ingest(base, pid, ''),
            peer: () => ingest('http://127.0.0.1:8199', peer.pid, 'peer', most / 4),
        })
    } finally {
        await stop(peer)
    }
}

async function reads(first) {
    const statements = readStatements(first)
    const found = {}
    for (const name of ['feature', 'entitlements']) {
        found[name] = await alternate(name, { pgbench: () => pgbench(statements[name]), service: () => read(name) })
    }
    return found
}

// Inserts events of a year, ordered by time, into the partitions of their months.
function fillArchive(first) {
    for (let month = 1; month <= 12; month++) {
        sql(`DO $$ DECLARE m timestamptz := date_trunc('month', now()) - interval '${month} months'; BEGIN
             EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
                 to_char(m, '"events_"YYYY_MM'), m, m + interval '1 month'); END $$`)
    }
    const step = 100_000
    for (let at = 0; at < archived; at += step) {
        note(`data: ${grouped(at)} of ${grouped(archived)} archived events`)
        const last = Math.min(at + step, archived) - 1
        const rows = `(SELECT n, ${freshId} AS archive_id, date_trunc('month', now()) - interval '1 year' +
            n * (interval '1 year' / ${archived}) AS t FROM generate_series(${at}::bigint, ${last}::bigint) n) AS r`
        sql(`WITH archived AS (
                 INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, subject, event_at, payload)
                 SELECT ${first} + n % ${scopes}, t, archive_id, 'payments', 'evt_old' || n, 'customer.subscription.updated', 'applied',
                     'user-' || n % ${users}, 'sub_old' || n % ${users}, t, '{"object":"event","id":"evt_old' || n || '"}' FROM ${rows}
                 RETURNING scope_id, archive_id, received_at, event_id)
             INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
             SELECT scope_id, md5(event_id)::uuid, archive_id, received_at FROM archived`)
    }
    for (const table of ['events', 'event_claims']) sql(`VACUUM (ANALYZE) ${table}`)
    sql('CHECKPOINT')
}

// Returns the CPU µs per request of the service and PostgreSQL together, for each kind of request.
async function withArchive(label) {
    const figures = await alternate(label, {
        ingest: () => ingest(base, pid, ''), feature: () => read('feature'), entitlements: () => read('entitlements'),
    })
    return Object.fromEntries(Object.entries(figures).map(([name, r]) => [name, r.cpu + r.database]))
}

// --- reporting -------------------------------------------------------------------------------------------------------------------

function addIngest({ service, pgbench, late, peer }) {
    addTable([`${grouped(users)} users in ${grouped(scopes)} scopes, 64 connections`, 'events/s', 'CPU µs/event: service', 'PostgreSQL',
        'pgbench, 8 clients', 'rate ÷ pgbench', 'Fastify + pg + stripe', 'CPU µs/event', 'rate ÷ Fastify'], [
        ['webhook, signed, distinct', k(service.rate), us(service.cpu), us(service.database),
            k(pgbench.rate), atLeast('webhook: rate ÷ pgbench', service.rate / pgbench.rate, 1.5),
            k(peer.rate), us(peer.cpu), atLeast('webhook: rate ÷ Fastify', service.rate / peer.rate, 6)],
    ])
    addTable(['99th percentile', 'service, 64 connections', 'pgbench, 64 clients', 'ratio'], [
        ['webhook', `${service.p99.toFixed(1)} ms`, `${late.p99.toFixed(1)} ms`,
            atMost('webhook: 99th percentile ÷ pgbench', service.p99 / late.p99, 1)],
    ])
}

function addReads(found) {
    addTable([`${grouped(users)} users, 64 connections`, 'requests/s', 'CPU µs/request: service', 'PostgreSQL', 'pgbench, 8 clients',
        'rate ÷ pgbench'], [['feature', 'feature check'], ['entitlements', 'entitlements of a user']].map(([name, label]) => {
        const { service, pgbench } = found[name]
        return [label, k(service.rate), us(service.cpu), us(service.database), k(pgbench.rate),
            atLeast(`${label}: rate ÷ pgbench`, service.rate / pgbench.rate, 1)]
    }))
}

function addArchive(empty, full) {
    addTable(['CPU µs/request, service and PostgreSQL', 'before', `${grouped(archived)} events archived`, 'ratio'],
        [['ingest', 'webhook'], ['feature', 'feature check'], ['entitlements', 'entitlements of a user']].map(([name, label]) =>
            [label, us(empty[name]), us(full[name]), atMost(`${label}: with archive ÷ before`, full[name] / empty[name], 1.3)]))
}

await report('billing', async () => {
    const { first, keys } = await prepare()
    listReads(keys)
    const empty = await withArchive('empty archive')
    addReads(await reads(first))
    addIngest(await besidePeer(first))
    fillArchive(first)
    addArchive(empty, await withArchive(`${grouped(archived)} archived`))
})
