// The simulated push carriers: every way to fail, and the counts.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http2 from 'node:http2'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test from 'node:test'
import { Apns, Fcm } from './carriers.mjs'

const message = '0190a5d2-0000-7000-8000-000000000001'

// Sends a push. Resolves with {status, text, retryAfter}, or rejects if the push gets no whole answer.
function push(session, carrier, token) {
    const apple = carrier instanceof Apns
    const stream = session.request({ ':method': 'POST', ...apple
        ? { ':path': `/3/device/${token}`, 'apns-collapse-id': message, 'apns-id': `id-of-${token}` }
        : { ':path': '/v1/projects/p/messages:send', 'content-type': 'application/json' } })
    stream.end(apple ? '{"aps":{"alert":"x"}}' : JSON.stringify({ message: { token, data: { broadcastId: message } } }))
    return new Promise((done, failed) => {
        let headers, text = ''
        stream.setEncoding('utf8').on('response', received => { headers = received }).on('data', piece => { text += piece })
        stream.on('end', () => headers && done({ status: headers[':status'], text, retryAfter: headers['retry-after'] }))
        stream.on('error', failed).on('close', () => failed(new Error('closed without an answer')))
    })
}

// Runs `work(carrier, session, open)` with each carrier. `open()` opens a further connection.
async function withEach(work) {
    for (const carrier of [new Fcm(), new Apns()]) {
        await carrier.open()
        const sessions = []
        const open = () => {
            sessions.push(http2.connect(carrier.url).on('error', () => {}))
            return sessions.at(-1)
        }
        try {
            await work(carrier, open(), open)
        } finally {
            for (const session of sessions) session.destroy()
            await carrier.close()
        }
    }
}

test('accepted pushes are counted by message and device', () => withEach(async (carrier, session) => {
    for (const token of ['a', 'b', 'a']) assert.equal((await push(session, carrier, token)).status, 200)
    assert.deepEqual([...carrier.devices(message)], [['a', 2], ['b', 1]])
    assert.deepEqual(carrier.tally(), { devices: 2, accepted: 3, repeated: 1, ids: carrier instanceof Apns ? 2 : 0 })
    assert.deepEqual(carrier.tally('another'), { devices: 0, accepted: 0, repeated: 0, ids: 0 })
    await carrier.reached(3)
    carrier.forget()
    assert.equal(carrier.tally().accepted, 0)
}))

test('a carrier throttles, fails, refuses the credential, and recovers', () => withEach(async (carrier, session) => {
    const apple = carrier instanceof Apns
    const refused = async (way, status, reason, retryAfter) => {
        await carrier.behave(way)
        const answer = await push(session, carrier, 'a')
        assert.deepEqual([answer.status, answer.retryAfter], [status, retryAfter])
        assert.ok(answer.text.includes(reason), answer.text)
    }
    await refused({ answer: 'throttle' }, 429, apple ? 'TooManyRequests' : 'QUOTA_EXCEEDED')
    await refused({ answer: 'throttle', retryAfter: 7 }, 429, apple ? 'TooManyRequests' : 'QUOTA_EXCEEDED', '7')
    await refused({ answer: 'error', retryAfter: 7 }, 503, apple ? 'ServiceUnavailable' : 'UNAVAILABLE', '7')
    await refused({ answer: 'error', status: 500 }, 500, apple ? 'InternalServerError' : 'INTERNAL')
    await refused({ answer: 'credential' }, 403, apple ? 'InvalidProviderToken' : 'PERMISSION_DENIED')
    await carrier.recover()
    assert.equal((await push(session, carrier, 'a')).status, 200)
    assert.equal((await push(session, carrier, 'gone-1')).status, apple ? 410 : 404)
    assert.equal((await push(session, carrier, 'refused-1')).status, apple ? 413 : 400)
    assert.equal(carrier.tally().accepted, 1)
}))

test('a carrier answers after a delay', () => withEach(async (carrier, session) => {
    await carrier.behave({ delay: 100 })
    const begun = performance.now()
    await Promise.all(['a', 'b', 'c'].map(token => push(session, carrier, token)))
    const took = performance.now() - begun
    assert.ok(took >= 95, `${took} ms`)
    assert.equal(carrier.counts.mostInFlight, 3)
}))

test('a carrier that hangs accepts nothing', () => withEach(async (carrier, session) => {
    await carrier.behave({ answer: 'hang' })
    const unanswered = assert.rejects(push(session, carrier, 'a'))
    while (carrier.counts.pushes === 0) await new Promise(setImmediate)
    session.destroy()
    await unanswered
    assert.equal(carrier.tally().accepted, 0)
}))

test('a carrier that is away refuses connections until it recovers', () => withEach(async (carrier, session, open) => {
    await push(session, carrier, 'a')
    await carrier.behave({ answer: 'away' })
    const [error] = await once(open(), 'error')
    assert.equal(error.code, 'ECONNREFUSED')
    await carrier.recover()
    assert.equal((await push(open(), carrier, 'a')).status, 200)
}))

test('a connection is closed in the middle of HEADERS or DATA', () => withEach(async (carrier, _, open) => {
    await carrier.behave({ answer: 'cut' })
    await assert.rejects(push(open(), carrier, 'a'))
    assert.equal(carrier.tally().accepted, 0)
    await carrier.behave({ answer: 'cut', frame: 'data' })
    const session = open()
    const stream = session.request({ ':method': 'POST', ':path': '/3/device/a', 'apns-collapse-id': message, 'apns-id': 'id' })
    stream.on('error', () => {}).end('{}')
    const [headers] = await once(stream, 'response')
    assert.equal(headers[':status'], 200)
    if (!session.closed) await once(session, 'close')
    assert.equal(carrier.tally().accepted, 1)
}))

test('GOAWAY lets pushes in flight end, or excludes them', () => withEach(async (carrier, session, open) => {
    await carrier.behave({ delay: 50 })
    const ends = push(session, carrier, 'a')
    await carrier.reached(1)
    carrier.goAway()
    assert.equal((await ends).status, 200)
    const other = open()
    await push(other, carrier, 'b')
    const excluded = assert.rejects(push(other, carrier, 'c'))
    await carrier.reached(3)
    carrier.goAway({ excluded: true })
    await excluded
    while (carrier.counts.accepted > 2) await new Promise(done => setTimeout(done, 5))
    assert.deepEqual([...carrier.devices(message)], [['a', 1], ['b', 1]])
}))

test('the number of concurrent streams can change', () => withEach(async (carrier, session, open) => {
    await push(session, carrier, 'a')
    const changed = new Promise(done => { session.once('remoteSettings', done) })
    carrier.limitStreams(3)
    assert.equal((await changed).maxConcurrentStreams, 3)
    const later = open()
    await push(later, carrier, 'a')
    while (later.remoteSettings.maxConcurrentStreams !== 3) await once(later, 'remoteSettings')
}))

test('the token endpoint of FCM issues and refuses access tokens', async () => {
    const fcm = await new Fcm().open()
    try {
        const ask = async () => (await fetch(fcm.tokenUrl, { method: 'POST', body: 'x' })).status
        assert.equal(await ask(), 200)
        fcm.answerTokens('credential')
        assert.equal(await ask(), 400)
        fcm.answerTokens('error')
        assert.equal(await ask(), 503)
        assert.equal(fcm.tokenRequests, 3)
    } finally {
        await fcm.close()
        await fcm.tokenServer.close()
    }
})

test('a carrier with a certificate speaks HTTP/2 over TLS', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'carriers-'))
    const [key, cert] = ['key', 'cert'].map(name => `${folder}/${name}`)
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1', '-subj', '/CN=carrier',
        '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], { stdio: 'ignore' })
    const ca = readFileSync(cert), apns = await new Apns({ key: readFileSync(key), cert: ca }).open()
    const session = http2.connect(apns.url, { ca }).on('error', () => {})
    try {
        assert.equal((await push(session, apns, 'a')).status, 200)
        await apns.behave({ answer: 'cut' })
        await assert.rejects(push(session, apns, 'b'))
        assert.equal(apns.tally().accepted, 1)
    } finally {
        session.destroy()
        await apns.close()
        rmSync(folder, { recursive: true })
    }
})
