// Sends the pushes that server.mjs has queued to APNs, `CONCURRENCY` at a time, and updates the notifications.
//
//     DATABASE_URL=postgresql://... REDIS_URL=redis://... APNS_URL=http://... APNS_KEY=PEM CONCURRENCY=200 node worker.mjs
import { createPrivateKey, sign } from 'node:crypto'
import http2 from 'node:http2'
import { UnrecoverableError, Worker } from 'bullmq'
import { connection, queueName, scoped } from './shared.mjs'

const key = createPrivateKey(process.env.APNS_KEY)
const concurrency = Number(process.env.CONCURRENCY ?? 200)
const tokenLife = 40 * 60_000

let token, issued = -Infinity
function authorization() {
    if (Date.now() - issued > tokenLife) {
        issued = Date.now()
        const part = value => Buffer.from(JSON.stringify(value)).toString('base64url')
        const text = `${part({ alg: 'ES256', kid: 'ABCDE12345' })}.${part({ iss: 'TEAM123456', iat: Math.floor(issued / 1000) })}`
        token = `bearer ${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    }
    return token
}

let session
function connected() {
    if (!session || session.closed || session.destroyed) session = http2.connect(process.env.APNS_URL).on('error', () => {})
    return session
}

function push(device, { id, subject, body }) {
    return new Promise((done, failed) => {
        const stream = connected().request({
            ':method': 'POST', ':path': `/3/device/${device}`, authorization: authorization(), 'apns-topic': 'com.example.bench',
            'apns-push-type': 'alert', 'apns-priority': '10', 'apns-expiration': String(Math.floor(Date.now() / 1000) + 86_400),
            'apns-collapse-id': id, 'apns-id': id,
        })
        let status, text = ''
        stream.setEncoding('utf8').setTimeout(10_000, () => stream.close())
        stream.on('response', headers => { status = headers[':status'] }).on('data', piece => { text += piece })
        stream.on('error', failed).on('close', () => status === undefined ? failed(new Error('no answer')) : done({ status, text }))
        stream.end(JSON.stringify({ aps: { alert: { title: subject, body }, 'mutable-content': 1 }, notificationId: id }))
    })
}

async function deliver({ data: { scope, id } }) {
    const { rows } = await scoped(scope, client => client.query({
        name: 'load', values: [scope, id],
        text: `SELECT n.notification_id AS id, n.subject, n.body, d.token
               FROM notifications n JOIN devices d ON d.scope_id = n.scope_id AND d.user_id = n.recipient
               WHERE n.scope_id = $1 AND n.notification_id = $2 AND n.status = 'queued'`,
    }))
    const answers = await Promise.all(rows.map(row => push(row.token, row)))
    const failed = answers.find(({ status }) => status !== 200)
    if (failed && (failed.status === 429 || failed.status >= 500)) throw new Error(failed.text)
    await scoped(scope, client => client.query({
        name: 'end', values: [scope, id, failed ? 'failed' : 'sent', failed ? failed.text : null, new Date()],
        text: `UPDATE notifications SET status = $3, failure_reason = $4, attempts = attempts + 1,
                   sent_at = CASE WHEN $3 = 'sent' THEN $5::timestamptz END, failed_at = CASE WHEN $3 = 'failed' THEN $5::timestamptz END
               WHERE scope_id = $1 AND notification_id = $2`,
    }))
    if (failed) throw new UnrecoverableError(failed.text)
}

const worker = new Worker(queueName, deliver, { connection, concurrency })
worker.on('error', error => console.error(error))
await worker.waitUntilReady()
