// Compares auth-mfa with pgbench, bare Argon2id hashing, bare ES256 verification and oidc-provider, in alternating rounds. Reports medians.
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { Passkey } from './authenticator.mjs'
import { Connection, drive, now } from './connections.mjs'
import {
    addTable, addText, alternate, charged, database, env, freshId, idOf, listFile, median, note, operator, options, report, rounds, seconds,
    sleep, startBareServer, stop, wrk,
} from './lib.mjs'
import { addOidc, oidcFigures } from './oidc.mjs'
import { atLeast, atMost, grouped, k, times, us } from './report.mjs'

const few = 1000
const users = Math.max(Number(options.users ?? 1_000_000), 2 * few)
const challenges = Number(options.challenges ?? 4000)
const connections = 64
const threads = Number(process.env.AUTH_PASSWORD_THREADS)
const places = 18 * threads // the maximum number of sign-ins of one environment in the hashing queue
const phoneUsers = 100_000_000 // number of the first user with a second factor
const passkeyUsers = 200_000_000 // number of the first user with a passkey
const passkeyCount = Math.min(challenges, 2000)
const codeUsers = Math.min(users, 20_000) // users who authorize clients
const exchanges = 8 * Math.ceil(challenges * 3 / 8) // in a round; a multiple of pgbench's clients
const port = Number(env.AUTH_PORT)
const tenant = 'demo'
const host = `${tenant}.${env.AUTH_HOST}`
const password = 'a heron on the weir'
const { sql, pgbench } = database('auth_mfa')
const { call } = operator(`http://127.0.0.1:${port}`, sql)
const scope = sql(`SELECT tenant_id * 2 FROM tenants WHERE slug = '${tenant}'`)

// --- requests --------------------------------------------------------------------------------------------------------------------

function post(path, body, token) {
    const text = JSON.stringify(body), authorization = token ? `Authorization: Bearer ${token}\r\n` : ''
    return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}
const login = n => post('/v1/auth/login', { email: `user-${n}@bench.test`, password })

function expect(answer, status) {
    if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.body}`)
}
const load = (count, plan) => charged(env.AUTH_PID, () => drive(port, count, plan))
// Sign-ins come from several networks, because failed attempts and attempts in progress count against a limit per network.
const networks = i => `127.0.1.${1 + i % 250}`

// --- data ------------------------------------------------------------------------------------------------------------------------

// Registers a user and returns the password hash, which all inserted users share.
async function registered() {
    const connection = new Connection(port)
    expect(await connection.send(post('/v1/auth/register', { email: 'first@bench.test', password })), 201)
    connection.close()
    return sql(`SELECT password_hash FROM users WHERE scope_id = ${scope} AND email_key = 'first@bench.test'`)
}

// Inserts `count` users from number `first` on, created a microsecond apart. Each has a session with the user's id, or a phone number.
function insertUsers(first, count, hash, withPhone = false) {
    const step = 50_000
    for (let at = first; at < first + count; at += step) {
        note(`data: ${grouped(at - first)} of ${grouped(count)} users`)
        const last = Math.min(at + step, first + count) - 1
        const rows = `(SELECT n, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid AS id,
            current_date - 1 + n * interval '1 microsecond' AS t, 'user-' || n || '@bench.test' AS email
            FROM generate_series(${at}::bigint, ${last}::bigint) n) AS r`
        const phone = withPhone ? `'+12125' || lpad((n - ${first})::text, 6, '0')` : 'NULL'
        sql(`INSERT INTO users (scope_id, user_id, email, email_key, password_hash, role, phone, phone_verified, created_at, updated_at)
             SELECT ${scope}, id, email, email, '${hash}', 'user', ${phone}, ${withPhone}, t, t FROM ${rows}`)
        if (withPhone) continue
        sql(`INSERT INTO sessions (scope_id, session_id, user_id, amr, created_at, rotated_at, expires_at, user_agent, address)
             SELECT ${scope}, id, id, '{pwd}', now(), now(), now() + interval '30 days', '', '127.0.0.1' FROM ${rows}`)
    }
    sql('VACUUM (ANALYZE) users')
    sql('VACUUM (ANALYZE) sessions')
    sql('CHECKPOINT') // so that no checkpoint runs during a measurement
}

// The first refresh token of a session, computed as in the service (services/auth-mfa/README.md). So any of a million sessions can be
// refreshed without a million sign-ins.
const tokenKey = createHmac('sha256', Buffer.from(/^[^:]+:([^,]+)/.exec(process.env.ENCRYPTION_KEYS)[1], 'base64'))
    .update('auth-mfa.refresh_tokens').digest()
function firstToken(n) {
    const body = Buffer.concat([Buffer.from(idOf(n).replaceAll('-', ''), 'hex'), Buffer.from([0, 0, 0, 1])])
    const number = Buffer.alloc(8)
    number.writeBigUInt64BE(BigInt(scope))
    const mac = createHmac('sha256', tokenKey).update('refresh').update(number).update(body).digest()
    return Buffer.concat([body, mac]).toString('base64url')
}

const sessions = new Map() // by number; `answer` is the answer to the last refresh
function sessionOf(n) {
    if (!sessions.has(n)) sessions.set(n, { answer: JSON.stringify({ refreshToken: firstToken(n) }) })
    return sessions.get(n)
}
// Picks at most 5,000 sessions, spread evenly over the first `count` users. pgbench uses the session after each picked one.
function spread(count) {
    const step = Math.max(2, Math.ceil(count / 5000))
    return { step, sessions: Array.from({ length: Math.floor(count / step) }, (_, i) => sessionOf(i * step)) }
}

// --- measurements ----------------------------------------------------------------------------------------------------------------

// Refreshes the sessions in `list`, each with its latest token. Each connection has its own part of the list. With `once`, refreshes each
// session once, otherwise for `seconds`.
function refresh(list, once = false) {
    const place = Array.from({ length: connections }, (_, i) => i)
    return load(connections, {
        length: once ? Infinity : seconds,
        next(i) {
            if (place[i] >= list.length) {
                if (once) return undefined
                place[i] = i
            }
            return post('/v1/auth/refresh', { refreshToken: /"refreshToken":"([^"]+)"/.exec(list[place[i]].answer)[1] })
        },
        take(answer, i) {
            expect(answer, 200)
            list[place[i]].answer = answer.body
            place[i] += connections
        },
    })
}

// Writes a file with one GET /v1/auth/me request for each session. First refreshes the sessions, because access tokens are valid for only
// 15 minutes.
async function listMe(list) {
    await refresh(list, true)
    writeFileSync(listFile('me'), list.map(s => `GET /v1/auth/me ${/"accessToken":"([^"]+)"/.exec(s.answer)[1]}\n`).join(''))
}
const me = (more = {}) => wrk(`http://127.0.0.1:${port}`, listFile('me'), env.AUTH_PID, { host, ...more })

// Measures the highest rate of the load generator.
async function generator() {
    const child = await startBareServer(threads)
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const plan = { length: seconds, next: () => request, take: answer => expect(answer, 200) }
    const r = await alternate('load generator', { bare: () => drive(8198, connections, plan) })
    await stop(child)
    return r.bare
}

async function growthFigures(count) {
    const { sessions: list } = spread(count)
    await listMe(list)
    await me() // not measured: a token's signature is verified at its first use
    return alternate(`${grouped(count)} users`, { refresh: () => refresh(list), me: () => me() })
}

const idOfN = `('00000000-0000-7000-8000-' || lpad((:n)::text, 12, '0'))::uuid`

function refreshBesidePgbench() {
    const { step, sessions: list } = spread(users)
    // pgbench does not know the generation of a row, so its condition on the generation is always true.
    const update = `\\set n random(0, ${list.length - 1}) * ${step} + 1
        UPDATE sessions SET generation = generation + 1, rotated_at = clock_timestamp(), expires_at = clock_timestamp() + interval '30 days'
        WHERE scope_id = ${scope} AND session_id = ${idOfN} AND generation > 0 AND ended_at IS NULL AND expires_at > now();`
    return alternate('refresh', { pgbench: () => pgbench(update), service: () => refresh(list) })
}

// Starts sign-ins of `challenges` users from `first` on. Returns the requests that answer the challenges with the right codes.
async function challenge(first) {
    rmSync(env.SMS_OUTBOX, { force: true })
    const phoneOf = n => `+12125${String(n - phoneUsers).padStart(6, '0')}`
    const made = [], asked = [], left = Array.from({ length: challenges }, (_, i) => first + i)
    await drive(port, 8 * threads, {
        from: networks,
        next(i) {
            if (left.length % 100 === 0) note(`verify: ${grouped(challenges - left.length)} of ${grouped(challenges)} challenges`)
            asked[i] = left.pop()
            return asked[i] && login(asked[i])
        },
        take(answer, i) {
            if (answer.status === 503) return void left.push(asked[i]) // the machine is busy with something else
            expect(answer, 403)
            made.push({ phone: phoneOf(asked[i]), token: JSON.parse(answer.body).mfa_token })
        },
    })
    const codes = new Map(readFileSync(env.SMS_OUTBOX, 'utf8').trim().split('\n').map(line => JSON.parse(line))
        .map(message => [message.to, /(\d{6}) is your verification code/.exec(message.body)[1]]))
    return made.map(({ phone, token }) => post('/v1/auth/mfa/verify', { mfa_token: token, method: 'sms', code: codes.get(phone) }))
}

// A statement of pgbench with the rows that a sign-in writes: the session, the user's activity and the audit entry.
const signInRows = (amr, audited) => `WITH opened AS (
            INSERT INTO sessions (scope_id, session_id, user_id, amr, created_at, rotated_at, expires_at, user_agent, address) VALUES (${scope},
                ${freshId}, ${idOfN}, '${amr}', clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '30 days', '', '127.0.0.1')
        ), seen AS (
            INSERT INTO activity (scope_id, activity_id, user_id, at, type, result, ip, user_agent)
            VALUES (${scope}, ${freshId}, ${idOfN}, clock_timestamp(), 'sign_in', 'success', '127.0.0.1', '')
        )
        INSERT INTO audit_log (scope_id, audit_id, at, actor, actor_role, action, subject_type, subject_id, after, request_id)
        VALUES (${scope}, ${freshId}, clock_timestamp(), ${idOfN}::text, 'user', 'session.created', 'session', ${idOfN}::text,
            '${audited}', 'bench')`

function verifyBesidePgbench() {
    const insert = `\\set n random(${phoneUsers}, ${phoneUsers + rounds * challenges - 1})
        ${signInRows('{pwd,sms,mfa}', '{"amr": ["pwd", "sms", "mfa"]}')};`
    return alternate('verify', {
        pgbench: () => pgbench(insert, challenges),
        service: async round => {
            const requests = await challenge(phoneUsers + round * challenges)
            return load(connections, { next: () => requests.pop(), take: answer => expect(answer, 200) })
        },
    })
}

// Registers a passkey for each of `passkeyCount` users with a phone, so that a passkey is not the first factor, which would need new
// recovery codes. The users' sessions have just used the second factor.
async function registerPasskeys(hash) {
    insertUsers(passkeyUsers, passkeyCount, hash, true)
    sql(`INSERT INTO sessions (scope_id, session_id, user_id, amr, created_at, rotated_at, expires_at, user_agent, address, authenticated_at, aal2)
         SELECT scope_id, user_id, user_id, '{pwd,sms,mfa}', now(), now(), now() + interval '30 days', '', '127.0.0.1', now(), true
         FROM users WHERE scope_id = ${scope} AND user_id >= '${idOf(passkeyUsers)}' AND user_id < '${idOf(passkeyUsers + passkeyCount)}'`)
    const passkeys = []
    await Promise.all(Array.from({ length: 8 }, async (_, from) => {
        const connection = new Connection(port, networks(from))
        const ask = async (status, ...request) => {
            const answer = await connection.send(post(...request))
            expect(answer, status)
            return JSON.parse(answer.body)
        }
        for (let n = from; n < passkeyCount; n += 8) {
            const { accessToken } = await ask(200, '/v1/auth/refresh', { refreshToken: firstToken(passkeyUsers + n) })
            const passkey = new Passkey(await ask(200, '/v1/auth/passkeys/options', {}, accessToken), `http://${host}:${port}`)
            await ask(201, '/v1/auth/passkeys', { name: 'bench', credential: passkey.registration }, accessToken)
            passkeys.push(passkey)
            if (passkeys.length % 100 === 0) note(`passkeys: ${passkeys.length} of ${passkeyCount}`)
        }
        connection.close()
    }))
    while (sql("SELECT count(*) FROM jobs WHERE queue = 'mails'") !== '0') await sleep(100) // the notices of the new factors
    sql('VACUUM (ANALYZE) passkeys')
    sql('CHECKPOINT')
    return passkeys
}

// CPU µs of one verification by OpenSSL's own benchmark, which prints signatures and verifications per second of user time.
function bareVerification() {
    const out = execFileSync('openssl', ['speed', '-mr', '-seconds', String(seconds), 'ecdsap256'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return { cpu: 1e6 / Number(/^\+F4:\d+:256:[\d.]+:([\d.]+)/m.exec(out)[1]) }
}

// Signs in with passkeys. The challenges are requested first, and signed without being measured.
function passkeysBesidePgbench(passkeys) {
    // The rows that a sign-in writes: those of a sign-in with a code, and the passkey's last use.
    const write = `\\set n random(${passkeyUsers}, ${passkeyUsers + passkeyCount - 1})
        ${signInRows('{hwk,mfa}', '{"amr": ["hwk", "mfa"]}')};
        UPDATE passkeys SET sign_count = 0, backed_up = false, last_used_at = clock_timestamp()
        WHERE scope_id = ${scope} AND passkey_id = (SELECT passkey_id FROM passkeys WHERE scope_id = ${scope} AND user_id = ${idOfN});`
    return alternate('passkeys', {
        openssl: bareVerification,
        pgbench: () => pgbench(write, challenges),
        service: async () => {
            const answers = []
            let asked = 0
            const challenge = await load(connections, {
                from: networks,
                next: () => asked++ < challenges ? post('/v1/auth/passkeys/challenge', {}) : undefined,
                take(answer) {
                    expect(answer, 200)
                    answers.push(JSON.parse(answer.body).challenge)
                },
            })
            const requests = answers.map((text, i) => post('/v1/auth/login/passkey', { credential: passkeys[i % passkeys.length].answer(text) }))
            const login = await load(connections, { from: networks, next: () => requests.pop(), take: answer => expect(answer, 200) })
            return { ...login, challenge: challenge.cpu }
        },
    })
}

// --- hosted pages ----------------------------------------------------------------------------------------------------------------

const cookieOf = (answer, name) => new RegExp(`\\r\\nset-cookie: (${name}=[^;]+)`, 'i').exec(answer.head)[1]
const get = (path, cookie) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${cookie ? `Cookie: ${cookie}\r\n` : ''}\r\n`

// Signs in on the page. Returns the cookie of the session.
async function pageSession(connection, n) {
    const page = await connection.send(get('/login'))
    expect(page, 200)
    const form = new URLSearchParams({ csrf: /name="csrf" value="([^"]+)"/.exec(page.body)[1], email: `user-${n}@bench.test`, password }).toString()
    const answer = await connection.send(`POST /login HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookieOf(page, '__Host-form')}\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`)
    expect(answer, 303)
    return cookieOf(answer, '__Host-session')
}

// What a browser loads for a page: the sizes in bytes, and the number of requests that it makes one after the other before it can paint.
async function weigh(connection, path, cookie) {
    const page = await connection.send(get(path, cookie))
    expect(page, 200)
    const load = async pattern => Promise.all([...page.body.matchAll(pattern)].map(async ([, url]) => {
        const answer = await fetch(`http://127.0.0.1:${port}${url.replaceAll('&amp;', '&')}`)
        if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
        return answer.text()
    }))
    const styles = await load(/<link rel="stylesheet" href="([^"]+)"/g), scripts = await load(/<script[^>]* src="([^"]+)"/g)
    if (/<script(?! type="module")/.test(page.body) || styles.some(text => /@import|url\((?!"data:)/.test(text))) throw new Error(`${path} loads more before its first paint`)
    const files = [page.body, ...styles, ...scripts]
    const sum = size => files.reduce((total, text) => total + size(text), 0)
    return { plain: sum(text => Buffer.byteLength(text)), gzip: sum(text => gzipSync(text).length), requests: files.length, chain: styles.length > 0 ? 2 : 1 }
}

const pages = ['/login', '/register', '/account']
const pageSessions = 50 // users who are signed in on the pages

async function pageFigures() {
    const connection = new Connection(port), cookies = []
    await connection.opened
    for (let n = 0; n < pageSessions; n++) cookies.push(await pageSession(connection, n))
    const keyOf = (path, i) => path === '/account' ? `cookie:${cookies[i]}` : '-'
    for (const path of pages)
        writeFileSync(listFile(path.slice(1)), cookies.map((_, i) => `GET ${path} ${keyOf(path, i)}\n`).join(''))
    const sizes = {}
    for (const path of [...pages, '/enroll']) sizes[path] = await weigh(connection, path, ['/account', '/enroll'].includes(path) ? cookies[0] : undefined)
    connection.close()
    const bare = await startBareServer(threads)
    writeFileSync(listFile('bare'), 'GET / -\n')
    const rates = await alternate('pages', {
        bare: () => wrk('http://127.0.0.1:8198', listFile('bare'), bare.pid, { host }),
        ...Object.fromEntries(pages.map(path => [path, () => wrk(`http://127.0.0.1:${port}`, listFile(path.slice(1)), env.AUTH_PID, { host })])),
    })
    await stop(bare)
    return { rates, sizes }
}

// Requests password resets for addresses without an account, each time for another address: the worker of emails drops these requests.
// pgbench inserts the same rows. Its jobs are in a queue without a worker.
function forgotBesidePgbench() {
    const insert = `WITH mail AS (
            INSERT INTO mails (scope_id, mail_id, kind, email, locale, details, created_at)
            VALUES (${scope}, ${freshId}, 'reset_password', 'nobody@bench.test', 'en', '{}', clock_timestamp())
            RETURNING scope_id, mail_id
        )
        SELECT enqueue_jobs('bench', array_agg(scope_id), array_agg(mail_id), ARRAY[NULL]::timestamptz[]) FROM mail;`
    let n = 0
    return alternate('forgot', {
        pgbench: () => pgbench(insert),
        service: round => load(connections, {
            from: i => networks(i + round * connections),
            length: seconds,
            next: () => post('/v1/auth/password/forgot', { email: `nobody-${n++}@bench.test` }),
            take: answer => expect(answer, 202),
        }),
    })
}

// Times requests that name an email, for 200 addresses with an account and 200 without, in alternation. `longer` is the share of pairs in
// which the request for the known address took longer: 0.5 if the times have the same distribution (Mann and Whitney's statistic).
async function knownBesideUnknown(path) {
    const times = { known: [], unknown: [] }
    for (let n = 0; n < 200; n++) {
        const connection = new Connection(port, networks(n)) // each network may request a limited number of emails
        await connection.opened
        const order = n % 2 ? ['known', 'unknown'] : ['unknown', 'known']
        for (const kind of order) {
            const begun = now()
            expect(await connection.send(post(path, { email: `${kind === 'known' ? 'user' : 'stranger'}-${n}@bench.test` })), 202)
            times[kind].push(now() - begun)
        }
        connection.close()
    }
    const pairs = times.known.flatMap(a => times.unknown.map(b => a > b ? 1 : a === b ? 0.5 : 0))
    return { times, longer: pairs.reduce((sum, one) => sum + one, 0) / pairs.length }
}

// Signs in, each time as another user, on `count` connections, for `length` seconds.
function signIns(count, length) {
    let n = 0
    return load(count, {
        from: networks,
        length,
        next: () => login(n++ % users),
        take: answer => expect(answer, 200),
    })
}

function loginBesideBareHashes() {
    return alternate('login', {
        bare: () => ({ rate: Number(execFileSync(`${process.env.BUILD}/tests/bench/bare_hash`,
            ['--threads', String(threads), '--seconds', String(seconds)], { encoding: 'utf8' })) }),
        service: () => signIns(8 * threads, seconds),
    })
}

const stormSize = Math.min(32, places) // connections that sign in
const probe = { rate: 400, phases: 5 * rounds, lead: 500 } // requests a second; number of phases; ms to ignore at the start of a phase
const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))]

// One client sends GET /v1/auth/me continuously at a constant rate. Phases without and with sign-ins alternate, so that both figures are
// from the same client, the same connections and the same minutes.
async function meInAStorm() {
    await listMe(spread(users).sessions)
    const requests = readFileSync(listFile('me'), 'utf8').trim().split('\n').map(line => line.split(' '))
        .map(([method, path, token]) => `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    const prober = new Worker(new URL('prober.mjs', import.meta.url), { workerData: { port, requests, rate: probe.rate } })
    const failed = once(prober, 'error').then(([error]) => { throw error })
    failed.catch(() => {}) // awaited below
    await sleep(1000 + requests.length / probe.rate * 1000) // a token's signature is verified at its first use
    const phases = { calm: [], storm: [] }, logins = []
    for (let phase = 0; phase < probe.phases; phase++) {
        note(`storm: ${phase + 1} of ${probe.phases}`)
        const begun = now()
        await sleep(probe.lead + seconds * 1000)
        const between = now()
        logins.push((await signIns(stormSize, probe.lead / 1000 + seconds)).rate)
        phases.calm.push([begun + probe.lead, between])
        phases.storm.push([between + probe.lead, between + probe.lead + seconds * 1000])
    }
    prober.postMessage('end')
    const [samples] = await Promise.race([once(prober, 'message'), failed])
    const during = list => samples.filter(([began]) => list.some(([from, to]) => from <= began && began < to)).map(([, took]) => took)
    const figures = list => ({ count: list.length, p50: percentile(list, 0.5), p99: percentile(list, 0.99) })
    return { calm: figures(during(phases.calm)), storm: figures(during(phases.storm)), logins: median(logins) }
}

// Sends twice as many concurrent sign-ins as one environment may have in the hashing queue.
async function burst() {
    const statuses = {}, left = Array(2 * places).fill(1)
    let waits
    await drive(port, left.length, {
        from: networks,
        next: i => left[i]-- > 0 ? login(i) : undefined,
        take(answer) {
            statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
            if (answer.status !== 503) return expect(answer, 200)
            waits = /\r\nretry-after: (\d+)/i.exec(answer.head)?.[1]
            if (waits === undefined) throw new Error(`503 without Retry-After: ${answer.head}`)
        },
    })
    if (!statuses[503]) throw new Error(`none of ${left.length} concurrent sign-ins got 503`)
    return { sent: left.length, right: statuses[200] ?? 0, refused: statuses[503], waits }
}

function addLogins({ bare, service }) {
    addTable([`password login, ${threads} hashing threads`, 'per second', 'CPU ms each', 'rate ÷ bare Argon2id'], [
        ['bare Argon2id (19 MiB, 2 passes, 1 lane)', bare.rate.toFixed(1), '', '1 ×'],
        [`login, ${8 * threads} connections`, service.rate.toFixed(1), (service.cpu / 1000).toFixed(1),
            atLeast('login: rate ÷ bare Argon2id', service.rate / bare.rate, 0.8)],
    ])
}

function addStorm({ calm, storm, logins }) {
    const row = (label, r, ratio) => [label, grouped(r.count), `${r.p50.toFixed(2)} ms`, `${r.p99.toFixed(2)} ms`, ratio]
    addTable([`GET /v1/auth/me, ${probe.rate} a second`, 'requests', 'median', '99th percentile', 'ratio'], [
        row('alone', calm, '1 ×'),
        row(`while ${stormSize} connections sign in (${logins.toFixed(1)}/s)`, storm,
            atMost('99th percentile: during sign-ins ÷ alone', storm.p99 / calm.p99, 3)),
    ])
    addText(`${probe.phases} phases of each kind, alternating, with one client that sends requests continuously.`)
}

// `verified` are the figures of verifyBesidePgbench.
function addPasskeys({ openssl, pgbench, service }, verified) {
    const total = service.cpu + service.database, code = verified.service.cpu + verified.service.database
    addTable(['sign-in, CPU µs', 'service', 'PostgreSQL', 'total', '÷ (verification + pgbench)', '÷ (verification + sign-in with a code)'], [
        ['ES256 verification (openssl speed)', us(openssl.cpu), '', us(openssl.cpu)],
        ['pgbench, the same rows', '', us(pgbench.database), us(pgbench.database)],
        ['code by SMS (POST /v1/auth/mfa/verify)', us(verified.service.cpu), us(verified.service.database), us(code)],
        ['passkey (POST /v1/auth/login/passkey)', us(service.cpu), us(service.database), us(total),
            atMost('passkey: CPU ÷ (verification + pgbench)', total / (openssl.cpu + pgbench.database), 1.3), times(total / (openssl.cpu + code))],
    ])
    addText(`A passkey sign-in needs one more request, which creates the challenge: ${us(service.challenge)} µs of the service. pgbench commits the ` +
        'rows of one sign-in at a time; the service writes those of many in one statement. A sign-in with a code costs the service as much as one ' +
        'with a passkey, without the verification and without reading and updating the passkey. ' +
        `${grouped(passkeyCount)} users with an ES256 passkey sign in ${grouped(challenges)} times on ${connections} connections, at ${k(service.rate)} a second. ` +
        'They registered through the API. The assertions are signed before the measurement.')
}

function addPages({ rates, sizes }) {
    addTable([`GET, ${connections} connections`, 'pages/s', 'CPU µs/page: service', 'PostgreSQL', '÷ bare server'], pages.map(path => {
        const { rate, cpu, database } = rates[path]
        const shown = path === '/login' ? atLeast('GET /login: pages per second', rate, 2000, '/s') : rate.toFixed(0)
        return [path, shown, us(cpu), us(database), `${(rate / rates.bare.rate).toFixed(2)} ×`]
    }))
    addText(`/account is requested by ${pageSessions} users who signed in on the page. The bare server answers with 285 bytes, ` +
        `${k(rates.bare.rate)} times a second.`)
    addTable(['page, style sheet and script', 'files', 'KB', 'KB with gzip', 'requests in sequence until the first paint'], Object.entries(sizes).map(
        ([path, { plain, gzip, requests, chain }]) => [path, String(requests), (plain / 1000).toFixed(1),
            atMost(`${path}: size with gzip`, gzip / 1000, 60, 'KB'), String(chain)]))
    addText('The service sends the files without compression; a proxy can compress them. The script does not delay the first paint.')
}

const oidc = () => oidcFigures({ host, scope, users: codeUsers, connections, exchanges })

await report('auth-mfa', async () => {
    await call('PUT', `/v1/admin/tenants/${tenant}`, { displayName: tenant, limits: { smsPerDay: 1_000_000_000 } })
    if ('storm' in options) {
        insertUsers(0, users, await registered())
        addLogins(await loginBesideBareHashes())
        return addStorm(await meInAStorm())
    }
    if ('oidc' in options) {
        insertUsers(0, codeUsers, await registered())
        return addOidc(await oidc())
    }
    if ('pages' in options) {
        const hash = await registered()
        insertUsers(0, few, hash)
        insertUsers(phoneUsers, rounds * challenges, hash, true)
        const verified = await verifyBesidePgbench()
        addPasskeys(await passkeysBesidePgbench(await registerPasskeys(hash)), verified)
        return addPages(await pageFigures())
    }
    const own = await generator()
    const hash = await registered()
    insertUsers(0, few, hash)
    const small = await growthFigures(few)
    insertUsers(few, users - few, hash)
    const large = await growthFigures(users)
    const refreshed = await refreshBesidePgbench()
    const storm = await meInAStorm()
    const burstOf = await burst()
    const signedIn = await loginBesideBareHashes()
    insertUsers(phoneUsers, rounds * challenges, hash, true)
    const verified = await verifyBesidePgbench()
    const passkeys = await passkeysBesidePgbench(await registerPasskeys(hash))
    const shownPages = await pageFigures()
    const provided = await oidc()
    const forgotten = await forgotBesidePgbench()
    const hidden = []
    for (const path of ['/v1/auth/password/forgot', '/v1/auth/email/verification'])
        hidden.push([path, await knownBesideUnknown(path)])

    const row = (label, { service, pgbench }) => [label, k(service.rate), us(service.cpu), us(service.database), us(service.own),
        k(pgbench.rate), atLeast(`${label}: rate ÷ pgbench`, service.rate / pgbench.rate, 0.7)]
    addTable([`${grouped(users)} users, ${connections} connections`, 'requests/s', 'CPU µs/request: service', 'PostgreSQL', 'load',
        'pgbench, 8 clients', 'rate ÷ pgbench'], [row('refresh', refreshed), row('verify', verified), row('forgot', forgotten)])
    addText(`Refresh: ${grouped(spread(users).sessions.length)} sessions, evenly spread, each with its latest token. pgbench updates the same ` +
        `number of other sessions. Verify: the right codes for ${grouped(challenges)} challenges. Their sign-ins are made before the ` +
        'measurement, and the codes are read from the SMS outbox. pgbench inserts the same rows. Forgot: resets for addresses without an ' +
        'account; pgbench inserts the same rows. The load generator is one ' +
        `thread, which gets ${k(own.rate)} requests/s from the bare server with ${us(own.own)} µs each.`)

    const shown = list => [percentile(list, 0.1), percentile(list, 0.5), percentile(list, 0.9)].map(ms => ms.toFixed(2)).join(' / ')
    addTable(['POST, 200 addresses each, ms (10th / 50th / 90th percentile)', 'with an account', 'without', 'takes longer with one', 'away from 50 %'],
        hidden.map(([path, { times, longer }]) => [path, shown(times.known), shown(times.unknown),
            `${(100 * longer).toFixed(0)} % of pairs`, atMost(`${path.split('/').at(-1)}: distance from 50 % of pairs`, 100 * Math.abs(longer - 0.5), 10, '%')]))

    addPasskeys(passkeys, verified)
    addLogins(signedIn)
    addStorm(storm)
    addText(`Of ${burstOf.sent} concurrent sign-ins, ${burstOf.right} were answered with 200 and ${burstOf.refused} with 503 and ` +
        `\`Retry-After: ${burstOf.waits}\`. One environment has ${places} places in the queue.`)

    const total = figure => figure.cpu + figure.database
    addTable(['CPU µs/request, service and PostgreSQL', `${grouped(few)} users`, `${grouped(users)} users`, 'ratio'],
        [['refresh', 'refresh'], ['me', 'GET /v1/auth/me']].map(([name, label]) => {
            const before = total(small[name]), after = total(large[name])
            return [label, us(before), us(after), atMost(`${label}: ${grouped(users)} ÷ ${grouped(few)} users`, after / before, 1.3)]
        }))
    addPages(shownPages)
    addOidc(provided)
})
