// Compares the feedback service with a bare HTTP server, pgbench and a peer (Fastify and pg), in alternating rounds. Reports medians.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import {
    addTable, alternate, answers, database, env, here, idOf, listFile, median, note, operator, options, report, rss, run, sleep, start,
    startBareServer, stop, wrk,
} from './lib.mjs'
import { measureBoard } from './feedback_board.mjs'
import { measureSearch } from './feedback_search.mjs'
import { atLeast, atMost, grouped, k, times, us } from './report.mjs'

const rows = Number(options.rows ?? 1_000_000)
const grown = Number(options.grown ?? 3_000_000)
const base = `http://127.0.0.1:${env.FEEDBACK_PORT}`
const { sql, pgbench } = database('feedback')
const { call, insertTenants, mintKeys } = operator(base, sql)

// --- data ------------------------------------------------------------------------------------------------------------------------

const columns = `f.feedback_id, f.created_at, f.updated_at, f.deleted_at, f.version, f.status, f.category, f.priority, f.title, f.body, f.app_context,
    f.attachment_ids, f.tags, f.user_id, f.user_email, f.user_email_verified, f.visibility, f.vote_count, f.merged_into, f.assignee_id, f.assignee_email,
    f.reply_count, f.last_reply_at, f.public_reply_count, f.public_last_reply_at, f.internal_changes`.replace(/\s+/g, ' ')
const words = 'When I press export the application shows a spinner for a while and then nothing happens, please have a look at this soon.'

// The words as lexemes of a search document. `/` stands for the prefix of the scope.
const lexemes = words.toLowerCase().match(/[a-z]+/g).map((word, n) => `/${word}:${n + 1}`).join(' ')

// Inserts `count` rows from number `first` on, created a microsecond apart. `scope` is an SQL expression for the scope of row n.
function insertRows(first, count, scope) {
    const step = 50_000
    for (let at = first; at < first + count; at += step) {
        note(`data: ${(at - first).toLocaleString()} of ${count.toLocaleString()} rows`)
        const last = Math.min(at + step, first + count) - 1
        sql(`INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, priority, title, body, tags, author_id, author_role, user_id)
             SELECT ${scope}, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, t, t, (ARRAY['open','in-progress','resolved','closed'])[1 + n % 4],
                 (ARRAY['bug','feature','general','support'])[1 + n % 4], CASE WHEN n % 2 = 0 THEN 'high' END, 'Export does nothing, number ' || n,
                 '${words} ${words}', ARRAY['export','web'], 'bench', 'admin', 'user-' || n % 100
             FROM (SELECT n, timestamptz '2026-01-01' + n * interval '1 microsecond' AS t FROM generate_series(${at}::bigint, ${last}::bigint) n) AS r`)
    }
    sql('VACUUM (ANALYZE) feedbacks')
}

// --- measurements ----------------------------------------------------------------------------------------------------------------

async function bare() {
    const child = await startBareServer(2)
    writeFileSync(listFile('401'), 'GET /v1/feedbacks -\n')
    writeFileSync(listFile('livez'), 'GET /livez -\n')
    const pid = env.FEEDBACK_PID
    const r = await alternate('401 and /livez', {
        bare: () => wrk('http://127.0.0.1:8198', listFile('livez'), child.pid),
        unauthenticated: () => wrk(base, listFile('401'), pid, { refused: true }),
        livez: () => wrk(`http://127.0.0.1:${env.FEEDBACK_OPS_PORT}`, listFile('livez'), pid),
    })
    await stop(child)
    const row = (label, figures) => [label, k(figures.rate), us(figures.cpu),
        atMost(`${label}: CPU ÷ bare server`, figures.cpu / r.bare.cpu, 1.3)]
    addTable(['without a database', 'requests/s', 'CPU µs/request', 'CPU ÷ bare server'], [
        ['bare Beast-parser server', k(r.bare.rate), us(r.bare.cpu), '1 ×'],
        row('401', r.unauthenticated),
        row('/livez', r.livez),
    ])
}

async function main(keys, firstScope) {
    const pick = make => Array.from({ length: 20_000 }, () => make(randomInt(rows))).join('\n') + '\n'
    const keyOf = n => keys[n % 1000]
    writeFileSync(listFile('get'), pick(n => `GET /v1/feedbacks/${idOf(n)} ${keyOf(n)}`))
    writeFileSync(listFile('list'), pick(n => `GET /v1/feedbacks?limit=20 ${keyOf(n)}`))
    writeFileSync(listFile('create'), pick(n => `POST /v1/feedbacks ${keyOf(n)} ` +
        JSON.stringify({ category: 'bug', title: `Export does nothing, number ${n}`, body: words, priority: 'high', tags: ['export', 'web'] })))
    const peer = start('node', [`${here}peer/server.mjs`], { DATABASE_URL: env.FEEDBACK_DATABASE_URL, PORT: '8199', NODE_ENV: 'production' })
    await answers('http://127.0.0.1:8199/v1/feedbacks')
    const set = `\\set n random(0, ${rows - 1})\n\\set s ${firstScope} + :n % 1000\n`
    const statements = {
        get: `${set}SELECT ${columns} FROM feedbacks f WHERE f.scope_id = :s AND f.feedback_id = ('00000000-0000-7000-8000-' || lpad((:n)::text, 12, '0'))::uuid;`,
        create: `${set}WITH made AS (
                INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, priority, title, body, tags, author_id, author_role)
                VALUES (:s, gen_random_uuid(), clock_timestamp(), clock_timestamp(), 'open', 'bug', 'high', 'Export does nothing, number ' || :n, '${words}',
                    ARRAY['export','web'], 'bench', 'admin')
                RETURNING scope_id, feedback_id, created_at)
            INSERT INTO search_documents (scope_id, feedback_id, document_id, created_at, terms)
            SELECT scope_id, feedback_id, feedback_id, created_at, replace('${lexemes}', '/', scope_id || '.')::tsvector FROM made;`.replace(/\n\s+/g, ' '),
        list: `${set}SELECT ${columns} FROM feedbacks f WHERE f.scope_id = :s AND f.deleted_at IS NULL ORDER BY f.created_at DESC, f.feedback_id DESC LIMIT 20;`,
    }
    const lines = []
    addTable([`${grouped(rows)} rows in 1,000 scopes, 64 connections`, 'requests/s', 'CPU µs/request: service', 'PostgreSQL',
        'pgbench, 8 clients', 'rate ÷ pgbench', 'Fastify + pg', 'CPU µs/request', 'rate ÷ Fastify'], lines)
    for (const [name, label, ofPgbench, ofPeer] of [['get', 'get', 1, 6], ['list', 'list of 20', 0.8, 4], ['create', 'create', 2, 6]]) {
        const r = await alternate(name, {
            pgbench: () => pgbench(statements[name]),
            service: () => wrk(base, listFile(name), env.FEEDBACK_PID),
            peer: () => wrk('http://127.0.0.1:8199', listFile(name), peer.pid),
        })
        lines.push([label, k(r.service.rate), us(r.service.cpu), us(r.service.database), k(r.pgbench.rate),
            atLeast(`${label}: rate ÷ pgbench`, r.service.rate / r.pgbench.rate, ofPgbench), k(r.peer.rate), us(r.peer.cpu),
            atLeast(`${label}: rate ÷ Fastify`, r.service.rate / r.peer.rate, ofPeer)])
    }
    await stop(peer)
}

// Writes the requests for the growing scope: a random row, the first page and the thousandth page, with 10 rows per page.
async function growthRequests(key, first, count) {
    let cursor = ''
    for (let page = 1; page < 1000; page++) {
        const r = await call('GET', `/v1/feedbacks?limit=10${cursor && `&cursor=${cursor}`}`, undefined, { authorization: `Bearer ${key}` })
        cursor = r.cursor
        if (!cursor) throw new Error(`no page ${page + 1}`)
    }
    writeFileSync(listFile('grow-get'), Array.from({ length: 5000 }, () => `GET /v1/feedbacks/${idOf(first + randomInt(count))} ${key}`).join('\n') + '\n')
    writeFileSync(listFile('grow-first'), `GET /v1/feedbacks?limit=10 ${key}\n`)
    writeFileSync(listFile('grow-thousandth'), `GET /v1/feedbacks?limit=10&cursor=${cursor} ${key}\n`)
}
async function growthFigures(key, first, count) {
    await growthRequests(key, first, count)
    const one = name => () => wrk(base, listFile(name), env.FEEDBACK_PID)
    return alternate(`${count.toLocaleString()} rows in one scope`, { get: one('grow-get'), first: one('grow-first'), thousandth: one('grow-thousandth') })
}

// The variables of a second process of the service.
function serviceSettings() {
    return {
        PORT: '8197', OPS_PORT: '9197', BASE_HOST: 'feedback.localhost', DATABASE_URL: env.FEEDBACK_DATABASE_URL, REDIS_URL: env.REDIS_URL,
        MASTER_KEY: env.MASTER_KEY, ENCRYPTION_KEYS: process.env.ENCRYPTION_KEYS, BLOB_DIR: `${run}/blobs/bench`, EMAIL_OUTBOX: `${run}/bench-emails`, JWKS_URL: `http://127.0.0.1:${env.AUTH_PORT}/.well-known/jwks.json`, LOG_LEVEL: 'warn',
    }
}

async function memory() {
    const service = process.env.BUILD + '/services/feedback/feedback'
    const settings = serviceSettings()
    const starts = []
    let child
    for (let i = 0; i < 5; i++) {
        const begun = performance.now()
        child = start(service, ['serve'], settings)
        while (performance.now() - begun < 10_000) {
            try {
                const r = await fetch('http://127.0.0.1:9197/readyz')
                await r.arrayBuffer()
                if (r.status === 200) break
            } catch { /* not yet */ }
            await sleep(2)
        }
        starts.push(performance.now() - begun)
        if (i < 4) await stop(child)
    }
    await sleep(2000)
    const rest = rss(child.pid)
    const sockets = []
    for (let n = 0; n < 10_000; n++) {
        if (n % 500 === 0) note(`idle connections: ${n}`)
        // Ten networks, because the service accepts 2,000 connections per network.
        const s = connect({ host: '127.0.0.1', port: 8197, localAddress: `127.0.${1 + n % 10}.1` })
        sockets.push(s)
        await new Promise((done, failed) => {
            s.once('data', done).once('error', failed)
            s.write('GET /v1/feedbacks HTTP/1.1\r\nHost: feedback.localhost\r\n\r\n')
        })
    }
    const idle = rss(child.pid)
    for (const s of sockets) s.destroy()
    await stop(child)
    const row = (label, value, limit, unit) => [label, atMost(label, value, limit, unit)]
    addTable(['memory and start', 'measured'], [
        row('resident memory at rest', rest, 25, 'MB'),
        row('with 10,000 idle keep-alive connections', idle, 150, 'MB'),
        row('ready after start (median of 5)', median(starts), 300, 'ms'),
    ])
}

await report('feedback', async () => {
    await bare()
    await memory()

    insertTenants('grow', 1)
    const grow = (await mintKeys('grow', 1))[0]
    const growScope = sql("SELECT tenant_id * 2 FROM tenants WHERE slug = 'grow-1'")
    const growFirst = 100_000_000
    insertRows(growFirst, 10_000, growScope)
    const small = await growthFigures(grow, growFirst, 10_000)
    await measureBoard({ base, sql, call, slug: 'grow-1', key: grow, first: growFirst, count: 10_000, idOf })

    insertTenants('search', 1)
    await measureSearch({ sql, call, settings: serviceSettings(), key: (await mintKeys('search', 1))[0],
        scope: sql("SELECT tenant_id * 2 FROM tenants WHERE slug = 'search-1'"), rows })

    insertTenants('bench', 500)
    const keys = await mintKeys('bench', 500)
    const firstScope = Number(sql("SELECT min(tenant_id) * 2 FROM tenants WHERE slug LIKE 'bench-%'"))
    insertRows(0, rows, `${firstScope} + n % 1000`)
    await main(keys, firstScope)

    insertRows(growFirst + 10_000, grown - 10_000, growScope)
    const large = await growthFigures(grow, growFirst, grown)
    insertTenants('crowd', 100_000)
    const crowded = await growthFigures(grow, growFirst, grown)

    const total = figure => figure.cpu + figure.database
    const row = (label, name) => {
        const [before, after, more] = [small, large, crowded].map(figures => total(figures[name]))
        return [label, us(before), us(after), atMost(`${label}: ${grouped(grown)} ÷ 10,000 rows`, after / before, 1.3), us(more), times(more / after)]
    }
    addTable(['CPU µs/request, service and PostgreSQL', '10,000 rows in the scope', `${grouped(grown)} rows`, 'ratio', 'with 100,000 tenants',
        'ratio'], [row('get', 'get'), row('first page of 10', 'first'), row('page 1,000', 'thousandth')])
})
