// Compares notify with pgbench in alternating rounds. Measures the time until a push reaches the carrier, which is a simulated Apple push
// service, the rates of delivered pushes and emails, and the rate of text messages with a simulated Twilio that takes 300 ms. Reports medians.
// Queued notifications are due tomorrow, so that none is delivered while acceptance is measured.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { compose, drive, now, pace } from './connections.mjs'
import { addTable, addText, alternate, charged, env, freshId, listFile, note, options, report, rss, seconds, sleep, wrk } from './lib.mjs'
import { addDelivered, deliveredFigures } from './notify_delivered.mjs'
import { addEmails, emailFigures } from './notify_emails.mjs'
import { acceptedId, base, pgbench, pid, port, prepare, pushRequest, rows, scopes, sql, tokenOf, words } from './notify_load.mjs'
import { atLeast, atMost, grouped, k, us } from './report.mjs'

const parts = ['acceptance', 'pushes', 'delivered', 'emails', 'texts']
const wanted = options.only?.split(',') ?? parts
const wants = name => wanted.includes(name)

// --- acceptance ------------------------------------------------------------------------------------------------------------------

const list = (name, count, line) => writeFileSync(listFile(name), Array.from({ length: count }, line).join('\n') + '\n')

function listSends(keys) {
    const sendAt = new Date(Date.now() + 86_400_000).toISOString()
    list('send', 20_000, () => {
        const n = randomInt(1_000_000)
        const variables = { name: 'Ada', number: `${n}` }
        const body = { templateName: 'order', channel: 'email', to: `user-${n}@example.org`, variables, sendAt }
        return `POST /v1/notifications/send ${keys[n % scopes]} ${JSON.stringify(body)}`
    })
}
const send = () => wrk(base, listFile('send'), pid, { host: env.NOTIFY_HOST })

// Sends until `rows` notifications are queued, and samples the memory.
async function fill() {
    const resident = { before: rss(pid), most: 0 }
    let queued = 0
    while (queued < rows) {
        note(`queue: ${grouped(queued)} of ${grouped(rows)} notifications`)
        await send()
        queued = Number(sql("SELECT count(*) FROM jobs WHERE queue = 'notify.email'"))
        const megabytes = rss(pid)
        if (queued >= rows / 10) resident.tenth ??= megabytes
        resident.most = Math.max(resident.most, megabytes)
    }
    for (const table of ['notifications', 'jobs']) sql(`VACUUM (ANALYZE) ${table}`)
    sql('CHECKPOINT') // so that no checkpoint runs during a measurement
    return resident
}

function sendBesidePgbench(first) {
    const insert = `\\set n random(0, 999999)
        WITH accepted AS (
            INSERT INTO notifications (scope_id, notification_id, channel, template_name, recipient, subject, body, html, traceparent,
                created_at, queued_at, send_at)
            VALUES (${first} + :n % ${scopes}, ${freshId}, 'email', 'order', 'user-' || :n || '@example.org', 'Your order ' || :n,
                '<p>Hello Ada,</p><p>${words}</p>', true, '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
                clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '1 day')
            RETURNING scope_id, notification_id, send_at)
        INSERT INTO jobs (scope_id, queue, ref, run_at) SELECT scope_id, 'notify.email', notification_id, send_at FROM accepted;`
    return alternate('send', { pgbench: () => pgbench(insert), service: send })
}

// Half of the devices are already registered.
function registerBesidePgbench(first, keys) {
    const upsert = `\\set n random(0, ${2 * rows - 1})
        INSERT INTO devices AS d (scope_id, token, user_id, platform, created_at, updated_at)
        VALUES (${first} + :n % ${scopes}, lpad(to_hex(:n::bigint), 64, '0'), 'user-' || :n, 'ios', clock_timestamp(), clock_timestamp())
        ON CONFLICT (scope_id, token) DO UPDATE SET user_id = excluded.user_id, platform = excluded.platform,
            updated_at = greatest(excluded.updated_at, d.updated_at + interval '1 microsecond')
        RETURNING d.scope_id, d.device_id, d.token, d.user_id, d.platform, d.created_at, d.updated_at;`
    return alternate('register', {
        pgbench: () => pgbench(upsert),
        service: () => {
            list('register', 50_000, () => {
                const n = randomInt(2 * rows)
                const body = { userId: `user-${n}`, token: tokenOf(n), platform: 'ios' }
                return `POST /v1/devices ${keys[n % scopes]} ${JSON.stringify(body)}`
            })
            return wrk(base, listFile('register'), pid, { host: env.NOTIFY_HOST })
        },
    })
}

// --- direct pushes ---------------------------------------------------------------------------------------------------------------

// Runs push_sink.mjs, which simulates the carrier.
class Sink {
    #arrived = new Int32Array(new SharedArrayBuffer(4))
    #worker = new Worker(new URL('push_sink.mjs', import.meta.url),
        { workerData: { port: Number(new URL(process.env.NOTIFY_APNS_BASE_URL).port), arrived: this.#arrived } })

    #message() {
        return new Promise((done, failed) => this.#worker.once('message', done).once('error', failed))
    }

    static async open() {
        const sink = new Sink()
        await sink.#message()
        return sink
    }

    // Waits for `count` pushes. Returns the arrival times by notification id.
    async take(count) {
        for (let seen = 0, patience = now() + 30_000; seen < count; await sleep(1)) {
            const arrived = Atomics.load(this.#arrived, 0)
            if (arrived > seen) patience = now() + 30_000
            if (now() > patience) throw new Error(`${count - arrived} of ${count} pushes did not arrive`)
            seen = arrived
        }
        const times = this.#message()
        this.#worker.postMessage('take')
        return times
    }

    close() {
        return this.#worker.terminate()
    }
}

// Sends as many pushes as a round accepts, and waits until the last one has reached the carrier.
function pushAll(sink, keys) {
    return charged(pid, async () => {
        const begun = now()
        const { sent } = await drive(port, 32, { length: seconds, next: () => pushRequest(keys), take: acceptedId })
        const came = await sink.take(sent)
        const last = [...came.values()].reduce((a, b) => Math.max(a, b))
        return { sent, rate: sent / (last - begun) * 1000 }
    })
}

const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.floor(q * (list.length - 1))]

// Sends pushes at a steady rate. Returns the ms from the 202, and from the planned time of the request, until the push reaches the carrier.
async function pushSteadily(sink, keys, rate) {
    const accepted = new Map()
    const { sent } = await pace(port, {
        rate, length: 3 * seconds, next: () => pushRequest(keys),
        take: (answer, due) => accepted.set(acceptedId(answer), { at: now(), due }),
    })
    const came = await sink.take(sent)
    const took = since => [...accepted].map(([id, times]) => came.get(id) - times[since])
    const fromAnswer = took('at'), fromRequest = took('due')
    return {
        p50: quantile(fromAnswer, 0.5), p99: quantile(fromAnswer, 0.99),
        whole50: quantile(fromRequest, 0.5), whole99: quantile(fromRequest, 0.99),
    }
}

async function pushes(first, keys) {
    sql('CREATE TABLE bench_commits (n bigint)')
    const commit = () => ({ ms: 1000 / pgbench('INSERT INTO bench_commits VALUES (1);', undefined, 1).rate })
    const sink = await Sink.open()
    try {
        const { all } = await alternate('all pushes at once', { all: () => pushAll(sink, keys) })
        const rate = Math.max(1, Math.floor(all.rate / 2))
        const measure = label => alternate(label, { commit, steady: () => pushSteadily(sink, keys, rate) })
        const alone = await measure(`${rate} pushes a second`)
        sql(`INSERT INTO jobs (scope_id, queue, ref, run_at)
             SELECT ${first} + n, 'notify.push', ${freshId}, now() + interval '1 day' FROM generate_series(0, ${scopes - 1}) n`)
        const behind = await measure(`${rate} pushes a second, others scheduled`)
        return { all, rate, alone, behind }
    } finally {
        await sink.close()
    }
}

// --- text messages ---------------------------------------------------------------------------------------------------------------

const texts = 1_500 // messages a round
const twilioDelay = 300 // ms

function textRequest(key, n) {
    const to = `+1415${String(5_550_000 + n).padStart(7, '0')}`
    const body = { templateName: 'ready', channel: 'sms', to, variables: { name: 'Ada', number: `${n}` } }
    return compose('POST', env.NOTIFY_HOST, '/v1/notifications/send', key, body)
}

// Sends messages of these keys as fast as they are accepted, and waits until all of them are sent. The times are those that the service
// stores: from the first acceptance until the last answer of Twilio.
async function sendTexts(ask, keys) {
    sql("DELETE FROM notifications WHERE channel = 'sms'")
    let n = 0
    const figures = await charged(pid, async () => {
        await drive(port, 16, { next: () => n < texts ? textRequest(keys[n % keys.length], n++) : undefined, take: acceptedId })
        const open = () => Number(sql("SELECT count(*) FROM notifications WHERE channel = 'sms' AND status = 'queued'"))
        for (let left = texts, patience = now() + 60_000; left > 0; await sleep(100)) {
            const still = open()
            if (still < left) patience = now() + 60_000
            if (now() > patience) throw new Error(`${still} of ${texts} text messages are not sent`)
            left = still
        }
        return { sent: texts }
    })
    const took = Number(sql("SELECT extract(epoch FROM max(sent_at) - min(created_at)) FROM notifications WHERE channel = 'sms'"))
    const sent = Number(sql("SELECT count(*) FROM notifications WHERE channel = 'sms' AND status = 'sent'"))
    const { requests, repeated, connections, most } = await ask()
    if (sent !== texts || requests !== texts || repeated > 0) throw new Error(`${sent} sent, ${requests} requests, ${repeated} repeated`)
    return { ...figures, rate: texts / took * 60, connections, most }
}

async function textMessages(keys) {
    const worker = new Worker(new URL('twilio_sink.mjs', import.meta.url),
        { workerData: { port: Number(new URL(process.env.NOTIFY_TWILIO_BASE_URL).port), delay: twilioDelay } })
    const message = () => new Promise((done, failed) => worker.once('message', done).once('error', failed))
    const ask = () => {
        const counts = message()
        worker.postMessage('counts')
        return counts
    }
    try {
        await message() // it listens
        return await alternate('text messages', {
            one: () => sendTexts(ask, keys.slice(0, 1)),
            many: () => sendTexts(ask, keys.slice(0, 50)),
        })
    } finally {
        await worker.terminate()
    }
}

// --- reporting -------------------------------------------------------------------------------------------------------------------

function addAcceptance(sent, registered) {
    const row = (label, { service, pgbench }, limit) => [label, k(service.rate), us(service.cpu), us(service.database), k(pgbench.rate),
        atLeast(`${label}: rate ÷ pgbench`, service.rate / pgbench.rate, limit)]
    addTable([`${grouped(rows)} queued in ${grouped(scopes)} scopes, 64 connections`, 'requests/s', 'CPU µs/request: service', 'PostgreSQL',
        'pgbench, 8 clients', 'rate ÷ pgbench'], [row('send, accepted', sent, 1), row('device registered', registered, 1.5)])
    addText('pgbench inserts a notification and its job in one statement, and upserts a device. Half of the devices are already registered.')
}

function addMemory({ before, tenth, most }) {
    const full = `${grouped(rows)} notifications queued`, ratio = `${grouped(rows)} ÷ ${grouped(rows / 10)} queued`
    addTable(['resident memory', 'measured'], [
        ['empty queue', `${before.toFixed(1)} MB`],
        [`${grouped(rows / 10)} notifications queued`, `${tenth.toFixed(1)} MB`],
        [full, atMost(full, most, 100, 'MB')],
        [ratio, atMost(ratio, most / tenth, 1.3)],
    ])
}

function addPushes({ all, rate, alone, behind }) {
    const ms = n => `${n.toFixed(1)} ms`
    const row = (label, name, { commit, steady }) => {
        const limit = 10 + 3 * commit.ms
        return [label, `${commit.ms.toFixed(2)} ms`, atMost(`${name}: median`, steady.p50, limit, 'ms'),
            atMost(`${name}: 99th percentile`, steady.p99, 5 * limit, 'ms'), ms(steady.whole50), ms(steady.whole99)]
    }
    addTable([`direct pushes, ${grouped(rate)} a second, open loop`, 'commit: pgbench, 1 client', "from the 202 to the carrier's socket: median",
        '99th percentile', 'from the request: median', '99th percentile'],
    [row('alone', 'alone', alone), row(`while ${grouped(scopes)} scopes have one scheduled`, 'while others are scheduled', behind)])
    addText(`The rate is half of the sustained rate of ${k(all.rate)}/s: all pushes that ${grouped(scopes)} scopes accept over 32 connections in ` +
        `${seconds} s, divided by the time until the last one reaches the carrier. Each takes ${us(all.cpu)} µs of CPU in the service ` +
        `and ${us(all.database)} µs in PostgreSQL. Load and carrier are one Node process on the same cores.`)
}

function addTexts({ one, many }) {
    const row = (label, { rate, most, connections, cpu, database }) =>
        [label, atLeast(`text messages a minute: ${label}`, rate, 3000, '/min'), most.toFixed(0), connections.toFixed(0), us(cpu), us(database)]
    addTable([`${grouped(texts)} text messages, Twilio takes ${twilioDelay} ms`, 'messages a minute', 'in flight, at most', 'connections',
        'CPU µs/message: service', 'PostgreSQL'], [row('of one tenant', one), row('of 25 tenants', many)])
}

await report('notify', async () => {
    const unknown = wanted.filter(name => !parts.includes(name))
    if (unknown.length > 0) throw new Error(`unknown part ${unknown}. The parts are ${parts}.`)
    const { first, keys } = await prepare()
    if (wants('acceptance')) {
        listSends(keys)
        addMemory(await fill())
        addAcceptance(await sendBesidePgbench(first), await registerBesidePgbench(first, keys))
    }
    if (wants('pushes')) addPushes(await pushes(first, keys))
    if (wants('delivered')) addDelivered(await deliveredFigures(keys))
    if (wants('emails')) addEmails(await emailFigures(keys))
    if (wants('texts')) addTexts(await textMessages(keys))
})
