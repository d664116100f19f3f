// Compares a broadcast to many devices, including its database work, with h2load and a Node client on the same nghttpd, in alternating
// rounds. Measures pushes a second, CPU per push, memory, and the effect on direct pushes. Reports medians. nghttpd simulates FCM: it
// answers each push with the content of a file. This program simulates the server that issues FCM's access tokens. Then a simulated FCM in Node
// takes its place, which answers after 100 ms, or is away.
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { promisify } from 'node:util'
import { CarrierProcess } from './carrier.mjs'
import {
    addTable, addText, alternate, answers, charged, database, env, freshId, here, inTurn, medians, note, operator, options, report, rss, run, sleep,
    start, stop,
} from './lib.mjs'
import { atLeast, atMost, grouped, k, us } from './report.mjs'

const execute = promisify(execFile)
const devices = Number(options.devices ?? 1_000_000)
const few = Math.min(10_000, devices)
const ofNode = Math.min(100_000, devices) // fewer pushes, because Node is much slower
const connections = 4, streams = 100 // the service's maximum number of connections, and nghttpd's maximum number of streams on each
const directRate = 40 // a second
const directRounds = Number(options.rounds ?? 5)
const slowDevices = Math.min(200_000, devices)
const slowDelay = 100 // ms
const quota = 10_000 // pushes a second that FCM permits for a project
const queued = Number(options.queued ?? devices) // direct pushes
const watched = 10_000 // ms for which the memory is watched while pushes are queued
const parts = ['speed', 'direct', 'slow', 'memory']
const wanted = options.only?.split(',') ?? parts
const wants = name => wanted.includes(name)
const pid = env.NOTIFY_PID
const base = `http://127.0.0.1:${env.NOTIFY_PORT}`
const sinkPort = new URL(process.env.NOTIFY_FCM_BASE_URL).port
const tokenUrl = new URL(process.env.NOTIFY_FCM_TOKEN_URL)
const pushUrl = `http://127.0.0.1:${sinkPort}/v1/projects/bench-project/messages:send`
const accessToken = `ya29.${'c'.repeat(200)}`
const { sql } = database('notify')
const { call, insertTenants, mintKeys } = operator(base, sql)

// --- the simulated FCM -----------------------------------------------------------------------------------------------------------

function startTokens() {
    const server = http.createServer((request, response) => {
        request.resume()
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ access_token: accessToken, expires_in: 3599, token_type: 'Bearer' }))
    })
    server.listen(Number(tokenUrl.port), '127.0.0.1').unref()
}

async function startSink() {
    const root = `${run}/sink`
    mkdirSync(`${root}/v1/projects/bench-project`, { recursive: true })
    const answer = { name: 'projects/bench-project/messages/0:1500415314455276%31bd1c9631bd1c96' }
    writeFileSync(`${root}/v1/projects/bench-project/messages:send`, JSON.stringify(answer, null, 2))
    const sink = start('nghttpd', ['--no-tls', '-a', '127.0.0.1', '-m', String(streams), '-d', root, String(sinkPort)])
    for (let i = 0; ; i++) {
        try {
            await execute('h2load', ['-n1', '-c1', pushUrl])
            return sink
        } catch (error) {
            if (i > 100) throw error
            await sleep(50)
        }
    }
}

// --- data ------------------------------------------------------------------------------------------------------------------------

// Tokens are as long as FCM's. Each device has its own user, so that a direct push goes to one device.
const tokenSql = "substr(md5(n::text) || md5((n + 1)::text), 1, 22) || ':APA91b' || repeat(md5((n + 2)::text), 5)"
function insertDevices(scope, count) {
    for (let at = 0; at < count; at += 50_000) {
        note(`data: ${grouped(at)} of ${grouped(count)} devices`)
        sql(`INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at)
             SELECT ${scope}, ${tokenSql}, 'user-' || n, 'android', now(), now()
             FROM generate_series(${at}, ${Math.min(at + 50_000, count) - 1}) n`)
    }
}

// The production scope of tenant 1 gets `few` devices, its sandbox scope all devices. The production scope of tenant 2 gets `slowDevices`.
async function prepare() {
    insertTenants('bench', 2, { sendsPer5Minutes: 1_000_000_000, broadcastsPerMinute: 1_000_000 })
    const first = Number(sql("SELECT tenant_id * 2 FROM tenants WHERE slug = 'bench-1'"))
    insertDevices(first, few)
    insertDevices(first + 1, devices)
    insertDevices(first + 2, slowDevices)
    sql('VACUUM (ANALYZE) devices')
    sql('CHECKPOINT')
    const keys = await mintKeys('bench', 2, 'secret')
    const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048, privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const account = { type: 'service_account', project_id: 'bench-project', private_key: privateKey, client_email: 'push@bench.example.com' }
    for (const key of keys) await as(key, 'PUT', '/v1/platforms/fcm', { serviceAccountKey: account })
    for (const key of [keys[0], keys[2]]) await as(key, 'POST', '/v1/templates', {
        name: 'news', channel: 'push', subject: 'The new edition is out', body: 'Twelve pages about the city, and who won on Sunday.',
    })
    return { scopes: [first, first + 1, first + 2], keys }
}
const as = (key, method, path, body) => call(method, path, body, { authorization: `Bearer ${key}` })

// --- the contenders --------------------------------------------------------------------------------------------------------------

// The body that the service sends to one device.
function pushBody() {
    const id = '0190a5d2-0000-7000-8000-000000000001', token = sql(`SELECT ${tokenSql} FROM (SELECT 1 AS n) AS x`)
    const texts = { title: 'The new edition is out', body: 'Twelve pages about the city, and who won on Sunday.' }
    return JSON.stringify({ message: {
        token, notification: texts, data: { broadcastId: id },
        android: { priority: 'high', notification: { tag: id } },
        webpush: { headers: { Topic: id.replaceAll('-', ''), Urgency: 'high' }, notification: { tag: id } },
    } })
}

async function h2load(body) {
    const file = `${run}/push.json`
    writeFileSync(file, body)
    const command = `TIMEFORMAT='cpu %U %S'; time h2load -t1 -c${connections} -m${streams} -n${devices} -d ${file} ` +
        `-H 'content-type: application/json' -H 'authorization: Bearer ${accessToken}' ${pushUrl}`
    const { stdout, stderr } = await execute('bash', ['-c', command])
    const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr)
    const right = Number(/status codes: (\d+) 2xx/.exec(stdout)[1])
    if (right !== devices) throw new Error(`h2load: ${right} of ${devices} were answered 200`)
    return { rate: Number(/finished in .*?, ([\d.]+) req\/s/.exec(stdout)[1]), cpu: (Number(user) + Number(system)) / devices * 1e6 }
}

async function node(body) {
    const { stdout } = await execute('node', [`${here}broadcast_peer.mjs`, JSON.stringify({
        url: pushUrl, token: `Bearer ${accessToken}`, body, devices: ofNode, connections, streams,
    })])
    return JSON.parse(stdout)
}

// Starts a broadcast and waits until it is complete. `meanwhile` runs at the same time. Its argument is a function that returns true when
// the broadcast is complete.
async function broadcast(key, count, meanwhile = async () => {}) {
    const id = (await as(key, 'POST', '/v1/notifications/broadcast', { templateName: 'news', channel: 'push' })).broadcastId
    let over = false, most = 0
    const other = meanwhile(() => over)
    let b
    try {
        for (;;) {
            b = await as(key, 'GET', `/v1/notifications/broadcasts/${id}`)
            most = Math.max(most, rss(pid))
            if (b.completedAt) break
            await sleep(100)
        }
    } finally {
        over = true
        await other
    }
    if (b.sentCount !== count || b.enqueuedDevices !== count) throw new Error(`not all pushes were sent: ${JSON.stringify(b)}`)
    return { sent: count, rate: count / (new Date(b.completedAt) - new Date(b.createdAt)) * 1000, most }
}

// --- direct pushes ---------------------------------------------------------------------------------------------------------------

// Sends direct pushes at a steady rate until `over()`, each to one device, with the same FCM credential as the broadcast.
async function pushDirectly(key, over) {
    const pending = []
    for (let due = performance.now(), n = 0; !over(); n++) {
        pending.push(as(key, 'POST', '/v1/notifications/send',
            { templateName: 'news', channel: 'push', to: `user-${n * 401 % devices}` }))
        due += 1000 / directRate
        await sleep(Math.max(0, due - performance.now()))
    }
    await Promise.all(pending)
    return pending.length
}

// Returns the duration of direct pushes, according to the times that the service stores: from acceptance until FCM's answer.
async function directFigures(scope, work) {
    sql(`DELETE FROM notifications WHERE scope_id = ${scope}`)
    await work()
    const open = () => Number(sql(`SELECT count(*) FROM notifications WHERE scope_id = ${scope} AND sent_at IS NULL`))
    while (open() > 0) await sleep(50)
    const [p50, p99, count] = sql(`
        SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ms), percentile_disc(0.99) WITHIN GROUP (ORDER BY ms), count(*)
        FROM (SELECT extract(epoch FROM sent_at - created_at) * 1000 AS ms FROM notifications WHERE scope_id = ${scope}) AS n`)
        .split('|').map(Number)
    return { p50, p99, count }
}

async function directly(scope, key) {
    let length = 10_000
    return medians(await inTurn('direct pushes', {
        during: () => directFigures(scope, async () => {
            const begun = performance.now()
            await broadcast(key, devices, over => pushDirectly(key, over))
            length = performance.now() - begun
        }),
        alone: () => {
            const end = performance.now() + length
            return directFigures(scope, () => pushDirectly(key, () => performance.now() > end))
        },
    }, { times: directRounds }))
}

async function withCarrier(work) {
    const carrier = await CarrierProcess.open('fcm', { port: Number(sinkPort), streams })
    try {
        return await work(carrier)
    } finally {
        await carrier.stop()
    }
}

// --- a slow carrier --------------------------------------------------------------------------------------------------------------

async function slowly(carrier, key) {
    await carrier.behave({ delay: slowDelay })
    return alternate(`a carrier that takes ${slowDelay} ms`, {
        service: async () => {
            await carrier.forget()
            const figures = await charged(pid, () => broadcast(key, slowDevices))
            const { accepted, repeated } = await carrier.tally()
            if (accepted !== slowDevices || repeated > 0) throw new Error(`${accepted} of ${slowDevices} pushes arrived, ${repeated} repeated`)
            return { ...figures, inFlight: (await carrier.counts()).mostInFlight }
        },
    })
}

// --- queued pushes ---------------------------------------------------------------------------------------------------------------

// The highest memory in the next `watched` ms.
async function highest() {
    let most = 0
    for (const end = performance.now() + watched; performance.now() < end; await sleep(100)) most = Math.max(most, rss(pid))
    return most
}

// The memory while a whole broadcast waits for a carrier that is away.
async function memoryOfBroadcast(key) {
    const id = (await as(key, 'POST', '/v1/notifications/broadcast', { templateName: 'news', channel: 'push' })).broadcastId
    const path = `/v1/notifications/broadcasts/${id}`
    let most = 0, b
    do {
        b = await as(key, 'GET', path)
        most = Math.max(most, rss(pid))
        await sleep(100)
    } while (b.enqueuedDevices < devices)
    most = Math.max(most, await highest())
    b = await as(key, 'GET', path)
    const waiting = b.enqueuedDevices - b.sentCount - b.failedCount - b.invalidTokenCount
    await as(key, 'POST', `${path}/cancel`)
    return { most, waiting }
}

// The memory while `queued` direct pushes wait for it. All are due now.
async function memoryOfPushes(scope, key) {
    await as(key, 'POST', '/v1/notifications/send', { templateName: 'news', channel: 'push', to: 'user-0' })
    const queue = sql(`SELECT queue FROM jobs WHERE scope_id = ${scope} AND queue LIKE 'notify.push%' LIMIT 1`)
    for (let at = 0; at < queued; at += 50_000) {
        note(`queue: ${grouped(at)} of ${grouped(queued)} pushes`)
        sql(`WITH accepted AS (
                 INSERT INTO notifications (scope_id, notification_id, channel, template_name, recipient, subject, body, html, created_at, queued_at)
                 SELECT ${scope}, ${freshId}, 'push', 'news', 'user-' || n % ${few}, 'News', 'Twelve pages', false, now(), now()
                 FROM generate_series(${at}, ${Math.min(at + 50_000, queued) - 1}) n
                 RETURNING scope_id, notification_id)
             INSERT INTO jobs (scope_id, queue, ref, run_at) SELECT scope_id, '${queue}', notification_id, now() FROM accepted`)
    }
    const most = await highest()
    return { most, waiting: Number(sql(`SELECT count(*) FROM notifications WHERE scope_id = ${scope} AND status = 'queued'`)) }
}

async function memory(carrier, scopes, keys) {
    await carrier.behave({ answer: 'away' })
    return { devices: await memoryOfBroadcast(keys[1]), pushes: await memoryOfPushes(scopes[0], keys[0]) }
}

// --- reporting -------------------------------------------------------------------------------------------------------------------

const ms = n => `${n.toFixed(1)} ms`

async function speedFigures(keys) {
    const body = pushBody()
    const small = await broadcast(keys[0], few)
    const idle = rss(pid)
    const speed = await alternate('pushes', {
        h2load: () => h2load(body),
        service: () => charged(pid, () => broadcast(keys[1], devices)),
        node: () => node(body),
    })
    return { small, idle, ...speed }
}

function addSpeed({ small, idle, h2load: bare, service, node: peer }) {
    addTable([`${grouped(devices)} devices, ${connections} connections, ${streams} streams each`, 'pushes/s', 'CPU µs/push', 'PostgreSQL',
        'rate ÷ h2load', 'CPU ÷ h2load', 'rate ÷ Node'], [
        ['h2load, the same bytes to all', k(bare.rate), us(bare.cpu)],
        ['broadcast, from the request to `completedAt`', k(service.rate), us(service.cpu), us(service.database),
            atLeast('broadcast: rate ÷ h2load', service.rate / bare.rate, 0.85),
            atMost('broadcast: CPU per push ÷ h2load', service.cpu / bare.cpu, 1.3),
            atLeast('broadcast: rate ÷ Node', service.rate / peer.rate, 8)],
        [`Node's http2 client (${grouped(ofNode)} pushes)`, k(peer.rate), us(peer.cpu)],
    ])
    addText('nghttpd, which answers all pushes, and PostgreSQL share the cores with the sender.')

    const during = `highest, during a broadcast to ${grouped(devices)}`, ratio = `highest, ${grouped(devices)} ÷ ${grouped(few)} devices`
    addTable(['resident memory', 'measured'], [
        [`after a broadcast to ${grouped(few)} devices`, `${idle.toFixed(1)} MB`],
        [`highest, during a broadcast to ${grouped(few)}`, `${small.most.toFixed(1)} MB`],
        [during, atMost(during, service.most, 100, 'MB')],
        [ratio, atMost(ratio, service.most / small.most, 1.3)],
    ])
}

function addDirect({ alone, during }) {
    addTable([`direct pushes under the same credential, ${directRate} a second; ${directRounds} rounds`, 'median', '99th percentile', 'ratio'], [
        ['alone', ms(alone.p50), ms(alone.p99), '1 ×'],
        ['during a broadcast', ms(during.p50), ms(during.p99), atMost('99th percentile: during a broadcast ÷ alone', during.p99 / alone.p99, 2)],
    ])
}

function addSlow({ service: { rate, cpu, database, inFlight } }) {
    addTable([`${grouped(slowDevices)} devices, FCM takes ${slowDelay} ms, ${streams} streams per connection`, 'pushes/s', 'CPU µs/push',
        'PostgreSQL', 'pushes in flight, at most', `rate ÷ ${grouped(quota)}/s`], [
        ['broadcast, from the request to `completedAt`', k(rate), us(cpu), us(database), grouped(inFlight),
            atLeast(`broadcast, FCM takes ${slowDelay} ms: rate ÷ quota`, rate / quota, 0.95)],
    ])
    addText(`FCM permits ${grouped(quota)} pushes a second for a project. The service is not paced to this quota here, because the other parts ` +
        'need more. The simulated FCM is a Node process on the same cores.')
}

function addMemory({ devices: ofDevices, pushes }) {
    const row = (label, { most, waiting }) => [label, grouped(waiting), atMost(label, most, 100, 'MB')]
    addTable(['resident memory while FCM refuses connections', 'still queued', 'highest'], [
        row(`broadcast to ${grouped(devices)} devices queued`, ofDevices),
        row(`${grouped(queued)} direct pushes queued`, pushes),
    ])
}

await report('broadcast', async () => {
    const unknown = wanted.filter(name => !parts.includes(name))
    if (unknown.length > 0) throw new Error(`unknown part ${unknown}. The parts are ${parts}.`)
    startTokens()
    await answers(`${base}/v1/templates`, { authorization: `Bearer ${env.MASTER_KEY}` })
    const { scopes, keys } = await prepare()
    // The first part, because the service expects a carrier to be as fast as it was at best in the last minute.
    if (wants('slow')) addSlow(await withCarrier(carrier => slowly(carrier, keys[2])))
    const sink = await startSink()
    if (wants('speed')) addSpeed(await speedFigures(keys))
    if (wants('direct')) addDirect(await directly(scopes[1], keys[1]))
    await stop(sink)
    if (wants('memory')) addMemory(await withCarrier(carrier => memory(carrier, scopes, keys)))
})
