// Measures auth-mfa side by side with its limits (pgbench, bare Argon2id), in alternated rounds, and prints medians as Markdown tables.
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { Connection, drive, now } from './connections.mjs'
import {
    alternate, charged, database, env, freshId, grouped, idOf, k, listFile, median, note, options, print, report, rounds, seconds, sleep,
    startBareServer, stop, times, us, wrk,
} from './lib.mjs'

const few = 1000
const users = Math.max(Number(options.users ?? 1_000_000), 2 * few)
const challenges = Number(options.challenges ?? 4000)
const connections = 64
const threads = Number(process.env.AUTH_PASSWORD_THREADS)
const places = 18 * threads // of one environment of a tenant in the queue for hashing
const phoneUsers = 100_000_000 // the first of those with a second factor
const port = Number(env.AUTH_PORT)
const tenant = 'demo'
const host = `${tenant}.${env.AUTH_HOST}`
const password = 'a heron on the weir'
const { sql, pgbench } = database('auth_mfa')
const scope = sql(`SELECT tenant_id * 2 FROM tenants WHERE slug = '${tenant}'`)

// --- requests --------------------------------------------------------------------------------------------------------------------

function post(path, body) {
    const text = JSON.stringify(body)
    return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}
const login = n => post('/v1/auth/login', { email: `user-${n}@bench.test`, password })

function expect(answer, status) {
    if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.body}`)
}
const load = (count, plan) => charged(env.AUTH_PID, () => drive(port, count, plan))
// What fails from one network is counted, and what is under way counts until it has not failed: sign-ins come from several.
const networks = i => `127.0.1.${1 + i % 250}`

// --- data ------------------------------------------------------------------------------------------------------------------------

// Everybody's hash is one that the service made.
async function registered() {
    const connection = new Connection(port)
    expect(await connection.send(post('/v1/auth/register', { email: 'first@bench.test', password })), 201)
    connection.close()
    return sql(`SELECT password_hash FROM users WHERE scope_id = ${scope} AND email_key = 'first@bench.test'`)
}

// Users n from `first` on, a microsecond apart; with a session each that has their id, or with a phone instead.
function insertUsers(first, count, hash, withPhone = false) {
    const step = 50_000
    for (let at = first; at < first + count; at += step) {
        note(`data: ${grouped(at - first)} of ${grouped(count)} users`)
        const last = Math.min(at + step, first + count) - 1
        const rows = `(SELECT n, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid AS id,
            timestamptz '2026-01-01' + n * interval '1 microsecond' AS t, 'user-' || n || '@bench.test' AS email
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
    sql('CHECKPOINT') // so that the one this much data asks for is not within a measurement
}

// A session's first refresh token, made as the service makes it (README of auth-mfa): any of a million sessions can be refreshed
// without a million sign-ins.
const tokenKey = createHmac('sha256', Buffer.from(/^[^:]+:([^,]+)/.exec(process.env.ENCRYPTION_KEYS)[1], 'base64'))
    .update('auth-mfa.refresh_tokens').digest()
function firstToken(n) {
    const body = Buffer.concat([Buffer.from(idOf(n).replaceAll('-', ''), 'hex'), Buffer.from([0, 0, 0, 1])])
    const number = Buffer.alloc(8)
    number.writeBigUInt64BE(BigInt(scope))
    const mac = createHmac('sha256', tokenKey).update('refresh').update(number).update(body).digest()
    return Buffer.concat([body, mac]).toString('base64url')
}

const sessions = new Map() // by number; `answer` is what the last refresh said
function sessionOf(n) {
    if (!sessions.has(n)) sessions.set(n, { answer: JSON.stringify({ refreshToken: firstToken(n) }) })
    return sessions.get(n)
}
// At most 5,000 sessions, spread evenly over the first `count`; each has a neighbour that is pgbench's.
function spread(count) {
    const step = Math.max(2, Math.ceil(count / 5000))
    return { step, sessions: Array.from({ length: Math.floor(count / step) }, (_, i) => sessionOf(i * step)) }
}

// --- measurements ----------------------------------------------------------------------------------------------------------------

// Every connection refreshes sessions of its own in turn, each with the token it was given last; all of them `once`, or for `seconds`.
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

// The requests of GET /v1/auth/me by the users of these sessions; their tokens are made anew, since they live for 15 minutes.
async function listMe(list) {
    await refresh(list, true)
    writeFileSync(listFile('me'), list.map(s => `GET /v1/auth/me ${/"accessToken":"([^"]+)"/.exec(s.answer)[1]}\n`).join(''))
}
const me = (more = {}) => wrk(`http://127.0.0.1:${port}`, listFile('me'), env.AUTH_PID, { host, ...more })

// What the load generator can do at most.
async function generator() {
    const child = await startBareServer(threads)
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const plan = { length: seconds, next: () => request, take: answer => expect(answer, 200) }
    const r = await alternate('the load itself', { bare: () => drive(8198, connections, plan) })
    await stop(child)
    return r.bare
}

async function growthFigures(count) {
    const { sessions: list } = spread(count)
    await listMe(list)
    await me() // once ahead: the first use of a token is when its signature is checked
    return alternate(`${grouped(count)} users`, { refresh: () => refresh(list), me: () => me() })
}

const idOfN = `('00000000-0000-7000-8000-' || lpad((:n)::text, 12, '0'))::uuid`

function refreshBesidePgbench() {
    const { step, sessions: list } = spread(users)
    // Which generation a row is at pgbench does not know; the condition is there, and true.
    const update = `\\set n random(0, ${list.length - 1}) * ${step} + 1
        UPDATE sessions SET generation = generation + 1, rotated_at = clock_timestamp(), expires_at = clock_timestamp() + interval '30 days'
        WHERE scope_id = ${scope} AND session_id = ${idOfN} AND generation > 0 AND ended_at IS NULL AND expires_at > now();`
    return alternate('refresh', { pgbench: () => pgbench(update), service: () => refresh(list) })
}

// Challenges of `challenges` users from `first` on, and their codes: the requests that answer them.
async function challenge(first) {
    rmSync(env.SMS_OUTBOX, { force: true })
    const phoneOf = n => `+12125${String(n - phoneUsers).padStart(6, '0')}`
    const made = [], asked = []
    let n = first
    await drive(port, 8 * threads, {
        from: networks,
        next(i) {
            if (n === first + challenges) return undefined
            if ((n - first) % 100 === 0) note(`verify: ${grouped(n - first)} of ${grouped(challenges)} challenges`)
            asked[i] = n++
            return login(asked[i])
        },
        take(answer, i) {
            expect(answer, 403)
            made.push({ phone: phoneOf(asked[i]), token: JSON.parse(answer.body).mfa_token })
        },
    })
    const codes = new Map(readFileSync(env.SMS_OUTBOX, 'utf8').trim().split('\n').map(line => JSON.parse(line))
        .map(message => [message.to, /(\d{6}) is your verification code/.exec(message.body)[1]]))
    return made.map(({ phone, token }) => post('/v1/auth/mfa/verify', { mfa_token: token, method: 'sms', code: codes.get(phone) }))
}

function verifyBesidePgbench() {
    const insert = `\\set n random(${phoneUsers}, ${phoneUsers + rounds * challenges - 1})
        INSERT INTO sessions (scope_id, session_id, user_id, amr, created_at, rotated_at, expires_at, user_agent, address) VALUES (${scope},
            ${freshId}, ${idOfN}, '{pwd,sms,mfa}', clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '30 days', '', '127.0.0.1');`
    return alternate('verify', {
        pgbench: () => pgbench(insert, challenges),
        service: async round => {
            const requests = await challenge(phoneUsers + round * challenges)
            return load(connections, { next: () => requests.pop(), take: answer => expect(answer, 200) })
        },
    })
}

// Sign-ins of somebody else each time, on `count` connections until `ends()`.
function signIns(count, length, ends = () => false) {
    let n = 0
    return load(count, {
        from: networks,
        length,
        next: () => ends() ? undefined : login(n++ % users),
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
const probe = { rate: 400, phases: 5 * rounds, lead: 500 } // requests a second; ms at the start of a phase that do not count
const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))]

// One client asks for GET /v1/auth/me all the time, at one rate. Phases without and with sign-ins alternate beneath it, so that both
// figures are of the same client, the same connections and the same minutes.
async function meInAStorm() {
    await listMe(spread(users).sessions)
    const requests = readFileSync(listFile('me'), 'utf8').trim().split('\n').map(line => line.split(' '))
        .map(([method, path, token]) => `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    const prober = new Worker(new URL('prober.mjs', import.meta.url), { workerData: { port, requests, rate: probe.rate } })
    const failed = once(prober, 'error').then(([error]) => { throw error })
    failed.catch(() => {}) // it is awaited below
    await sleep(1000 + requests.length / probe.rate * 1000) // the first use of a token is when its signature is checked
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

// Twice as many sign-ins at once as there are places.
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
    if (!statuses[503]) throw new Error(`none of ${left.length} sign-ins at once was answered 503`)
    return { sent: left.length, right: statuses[200] ?? 0, refused: statuses[503], waits }
}

function printLogins(signedIn) {
    print(`| password login, ${threads} hashing threads | per second | CPU ms each | of the bare rate | limit |\n|---|---|---|---|---|`)
    print(`| bare Argon2id (19 MiB, 2 passes, 1 lane) | ${signedIn.bare.rate.toFixed(1)} | | 1 × | |`)
    print(`| login, ${8 * threads} connections | ${signedIn.service.rate.toFixed(1)} | ${(signedIn.service.cpu / 1000).toFixed(1)} | ` +
        `${times(signedIn.service.rate / signedIn.bare.rate)} | 0.8 × |\n`)
}

function printStorm(storm) {
    print(`| GET /v1/auth/me, ${probe.rate} a second | requests | median | 99th percentile | ratio | limit |`)
    print('|---|---|---|---|---|---|')
    for (const [label, r] of [['alone', storm.calm], [`while ${stormSize} connections sign in (${storm.logins.toFixed(1)}/s)`, storm.storm]]) {
        const ratio = r === storm.calm ? '1 × | ' : `${times(r.p99 / storm.calm.p99)} | 3 ×`
        print(`| ${label} | ${grouped(r.count)} | ${r.p50.toFixed(2)} ms | ${r.p99.toFixed(2)} ms | ${ratio} |`)
    }
    print(`\n${probe.phases} phases of each, in turn, beneath one client that asks all the time.\n`)
}

await report(async () => {
    if ('storm' in options) {
        insertUsers(0, users, await registered())
        printLogins(await loginBesideBareHashes())
        return printStorm(await meInAStorm())
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

    print(`| ${grouped(users)} users, ${connections} connections | requests/s | CPU µs/request: service | PostgreSQL | load | ` +
        'pgbench, 8 clients | of pgbench | limit |')
    print('|---|---|---|---|---|---|---|---|')
    for (const [label, r] of [['refresh', refreshed], ['verify', verified]]) {
        print(`| ${label} | ${k(r.service.rate)} | ${us(r.service.cpu)} | ${us(r.service.database)} | ${us(r.service.own)} | ` +
            `${k(r.pgbench.rate)} | ${times(r.service.rate / r.pgbench.rate)} | 0.7 × |`)
    }
    print(`\nRefresh: ${grouped(spread(users).sessions.length)} sessions, spread over all, each with the token it was given last; ` +
        `pgbench updates as many beside them. Verify: the right codes to ${grouped(challenges)} challenges, which that many sign-ins made ` +
        'before the clock began (the codes are read from the outbox of text messages); pgbench inserts as many sessions. The load is one ' +
        `thread, which gets ${k(own.rate)} requests/s out of the bare server with ${us(own.own)} µs each.\n`)

    printLogins(signedIn)
    printStorm(storm)
    print(`Of ${burstOf.sent} sign-ins at once, ${burstOf.right} were answered 200 and ${burstOf.refused} 503 with ` +
        `\`Retry-After: ${burstOf.waits}\`: one environment has ${places} places in the queue.\n`)

    const total = figure => figure.cpu + figure.database
    print(`| CPU µs/request, service and PostgreSQL | ${grouped(few)} users | ${grouped(users)} users | ratio | limit |`)
    print('|---|---|---|---|---|')
    for (const [name, label] of [['refresh', 'refresh'], ['me', 'GET /v1/auth/me']]) {
        const before = total(small[name]), after = total(large[name])
        print(`| ${label} | ${us(before)} | ${us(after)} | ${times(after / before)} | 1.3 × |`)
    }
})
