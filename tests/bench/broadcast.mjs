// Measures a broadcast to many devices, database work included, against h2load and a Node client on the same nghttpd, in alternated
// rounds: pushes a second, CPU for each, memory, and what it does to direct pushes. Prints medians as Markdown tables.
// FCM's part is played by nghttpd, which answers each push with a file; its tokens come from here.
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { promisify } from 'node:util'
import {
    alternate, answers, charged, database, env, grouped, here, k, note, operator, options, print, report, rss, run, sleep, start, times, us,
} from './lib.mjs'

const execute = promisify(execFile)
const devices = Number(options.devices ?? 1_000_000)
const few = Math.min(10_000, devices)
const ofNode = Math.min(100_000, devices) // it would take all day otherwise
const connections = 4, streams = 100 // what the service opens at most, and what nghttpd allows
const directRate = 40 // a second
const pid = env.NOTIFY_PID
const base = `http://127.0.0.1:${env.NOTIFY_PORT}`
const sinkPort = new URL(process.env.NOTIFY_FCM_BASE_URL).port
const tokenUrl = new URL(process.env.NOTIFY_FCM_TOKEN_URL)
const pushUrl = `http://127.0.0.1:${sinkPort}/v1/projects/bench-project/messages:send`
const accessToken = `ya29.${'c'.repeat(200)}`
const { sql } = database('notify')
const { call, insertTenants, mintKeys } = operator(base, sql)

// --- the carrier -----------------------------------------------------------------------------------------------------------------

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
    start('nghttpd', ['--no-tls', '-a', '127.0.0.1', '-m', String(streams), '-d', root, String(sinkPort)])
    for (let i = 0; ; i++) {
        try {
            await execute('h2load', ['-n1', '-c1', pushUrl])
            return
        } catch (error) {
            if (i > 100) throw error
            await sleep(50)
        }
    }
}

// --- data ------------------------------------------------------------------------------------------------------------------------

// Tokens are as long as FCM's. One in four hundred has a user of its own, for direct pushes.
const tokenSql = "substr(md5(n::text) || md5((n + 1)::text), 1, 22) || ':APA91b' || repeat(md5((n + 2)::text), 5)"
function insertDevices(scope, count) {
    for (let at = 0; at < count; at += 50_000) {
        note(`data: ${grouped(at)} of ${grouped(count)} devices`)
        sql(`INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at)
             SELECT ${scope}, ${tokenSql}, 'user-' || n, 'android', now(), now()
             FROM generate_series(${at}, ${Math.min(at + 50_000, count) - 1}) n`)
    }
}

// Production has `few` devices, sandbox all.
async function prepare() {
    insertTenants('bench', 1, { sendsPer5Minutes: 1_000_000_000, broadcastsPerMinute: 1_000_000 })
    const first = Number(sql("SELECT tenant_id * 2 FROM tenants WHERE slug = 'bench-1'"))
    insertDevices(first, few)
    insertDevices(first + 1, devices)
    sql('VACUUM (ANALYZE) devices')
    sql('CHECKPOINT')
    const keys = await mintKeys('bench', 1, 'secret')
    const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048, privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const account = { type: 'service_account', project_id: 'bench-project', private_key: privateKey, client_email: 'push@bench.example.com' }
    for (const key of keys) await as(key, 'PUT', '/v1/platforms/fcm', { serviceAccountKey: account })
    await as(keys[0], 'POST', '/v1/templates', {
        name: 'news', channel: 'push', subject: 'The new edition is out', body: 'Twelve pages about the city, and who won on Sunday.',
    })
    return { scopes: [first, first + 1], keys }
}
const as = (key, method, path, body) => call(method, path, body, { authorization: `Bearer ${key}` })

// --- the contenders --------------------------------------------------------------------------------------------------------------

// What the service sends to one device.
function pushBody() {
    const id = '0190a5d2-0000-7000-8000-000000000001', token = sql(`SELECT ${tokenSql} FROM (SELECT 1 AS n) AS x`)
    const texts = { title: 'The new edition is out', body: 'Twelve pages about the city, and who won on Sunday.' }
    return JSON.stringify({ message: {
        token, notification: texts, data: { broadcastId: id },
        android: { collapse_key: id, priority: 'high', notification: { tag: id } },
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

// From the request until it is complete. `meanwhile` runs until its argument says that it is.
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
    if (b.sentCount !== count || b.enqueuedDevices !== count) throw new Error(`not all were sent: ${JSON.stringify(b)}`)
    return { sent: count, rate: count / (new Date(b.completedAt) - new Date(b.createdAt)) * 1000, most }
}

// --- direct pushes ---------------------------------------------------------------------------------------------------------------

// Direct pushes at a steady rate until `over()`, each to one device, under the credential of the broadcast.
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

// How long direct pushes take, by the service's own times: from the acceptance until the carrier has answered.
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
    return alternate('direct pushes', {
        during: () => directFigures(scope, async () => {
            const begun = performance.now()
            await broadcast(key, devices, over => pushDirectly(key, over))
            length = performance.now() - begun
        }),
        alone: () => {
            const end = performance.now() + length
            return directFigures(scope, () => pushDirectly(key, () => performance.now() > end))
        },
    })
}

// --- measuring and printing ------------------------------------------------------------------------------------------------------

await report(async () => {
    startTokens()
    await startSink()
    await answers(`${base}/v1/templates`, { authorization: `Bearer ${env.MASTER_KEY}` })
    const { scopes, keys } = await prepare()
    const body = pushBody()
    const small = await broadcast(keys[0], few)
    const idle = rss(pid)
    const speed = await alternate('pushes', {
        h2load: () => h2load(body),
        service: () => charged(pid, () => broadcast(keys[1], devices)),
        node: () => node(body),
    })
    const direct = await directly(scopes[1], keys[1])

    print(`| ${grouped(devices)} devices, ${connections} connections, ${streams} streams each | pushes/s | CPU µs/push | PostgreSQL | ` +
        'of h2load\'s rate | limit | of h2load\'s CPU | limit | of Node\'s rate | limit |')
    print('|---|---|---|---|---|---|---|---|---|---|')
    const { h2load: bare, service, node: peer } = speed
    print(`| h2load, the same bytes to all | ${k(bare.rate)} | ${us(bare.cpu)} | | | | | | | |`)
    print(`| broadcast, from the request to \`completedAt\` | ${k(service.rate)} | ${us(service.cpu)} | ${us(service.database)} | ` +
        `${times(service.rate / bare.rate)} | 0.85 × | ${times(service.cpu / bare.cpu)} | 1.3 × | ` +
        `${times(service.rate / peer.rate)} | 8 × |`)
    print(`| Node's http2 client (${grouped(ofNode)} pushes) | ${k(peer.rate)} | ${us(peer.cpu)} | | | | | | | |\n`)
    print('nghttpd, which answers them all, and PostgreSQL share the cores with whoever pushes.\n')

    print('| resident memory | measured | limit |\n|---|---|---|')
    print(`| after a broadcast to ${grouped(few)} devices | ${idle.toFixed(1)} MB | |`)
    print(`| the most during one to ${grouped(few)} | ${small.most.toFixed(1)} MB | |`)
    print(`| the most during one to ${grouped(devices)} | ${service.most.toFixed(1)} MB | 100 MB |`)
    print(`| of that with ${grouped(few)} | ${times(service.most / small.most)} | 1.3 × |\n`)

    const ms = n => `${n.toFixed(1)} ms`
    print(`| direct pushes under the same credential, ${directRate} a second | median | 99th percentile | ratio | limit |`)
    print('|---|---|---|---|---|')
    print(`| alone | ${ms(direct.alone.p50)} | ${ms(direct.alone.p99)} | 1 × | |`)
    print(`| during a broadcast | ${ms(direct.during.p50)} | ${ms(direct.during.p99)} | ` +
        `${times(direct.during.p99 / direct.alone.p99)} | 2 × |`)
})
