// Simulated push carriers on HTTP/2: FCM's `messages:send` with the token endpoint of Google, and APNs. Each carrier counts the pushes that it
// accepts, by message and device, and can fail in several ways. One process takes about 25,000 pushes a second on one core.
// carrier_server.mjs runs a carrier in its own process. tests/notify/node/push_server.mjs, which is slower, checks and records each push.
import { writeSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { constants, createSecureServer, createServer } from 'node:http2'
import { Provider } from './provider.mjs'

// The ways to answer a push:
//   accept      accepts it
//   throttle    429: FCM `QUOTA_EXCEEDED`, APNs `TooManyRequests`
//   error       5xx
//   credential  refuses the credential: FCM 403, APNs 403 `InvalidProviderToken`
//   hang        does not answer
//   cut         closes the connection in the middle of a frame of the answer: HEADERS (the push is not accepted), or DATA (after the status 200)
//   away        refuses connections
export const answers = ['accept', 'throttle', 'error', 'credential', 'hang', 'cut', 'away']

const ordinary = { answer: 'accept', delay: 0, retryAfter: undefined, status: 503, share: 1, frame: 'headers' }
const [dataFrame, headersFrame] = [0, 1]
const endStream = { endStream: true }
const ignore = () => {}

// A frame header (RFC 9113, section 4.1) for 64 bytes, followed by 20 bytes only.
function halfFrame(type, stream) {
    const bytes = Buffer.alloc(9 + 20, 0x20)
    bytes.writeUIntBE(64, 0, 3)
    bytes[3] = type
    bytes[4] = 0
    bytes.writeUInt32BE(stream, 5)
    return bytes
}

// A record header (RFC 8446, section 5.1) for 64 bytes, followed by 20 bytes only.
const halfRecord = () => Buffer.concat([Buffer.from([23, 3, 3, 0, 64]), Buffer.alloc(20)])

// The value of a string member of a JSON text, without parsing the whole text. Undefined if there is none.
function stringIn(text, member) {
    const key = `"${member}":"`, at = text.indexOf(key)
    if (at < 0) return undefined
    const from = at + key.length
    let end = text.indexOf('"', from)
    while (text[end - 1] === '\\') end = text.indexOf('"', end + 1)
    const value = text.slice(from, end)
    return value.includes('\\') ? JSON.parse(`"${value}"`) : value
}

class Carrier extends Provider {
    #way = ordinary
    #raw = new WeakMap() // session -> its socket
    #waiting = [] // {count, done}: calls of reached()
    // session -> {last: the highest answered stream, final: the last stream that will be answered, inFlight: pushes without an answer}
    #answered = new WeakMap()
    #streams
    #announced
    isOpen = false
    inFlight = 0

    // `streams`: the highest number of concurrent streams of a connection. `key` and `cert`: PEM, for TLS with ALPN; without them the carrier
    // expects cleartext HTTP/2 with prior knowledge.
    constructor({ streams = 1000, key, cert } = {}) {
        const settings = { maxConcurrentStreams: streams, enablePush: false }
        super(key ? createSecureServer({ key, cert, settings }) : createServer({ settings }), 'session')
        this.#streams = this.#announced = streams
        this.scheme = key ? 'https' : 'http'
        let socket // of the session that opens next
        this.server.prependListener(key ? 'secureConnection' : 'connection', opened => { socket = opened })
        this.server.on('session', session => this.#begin(session, socket))
        this.server.on('sessionError', () => {})
        this.server.on('stream', (stream, headers) => this.#receive(stream, headers))
        this.forget()
    }

    get url() { return `${this.scheme}://127.0.0.1:${this.port}` }
    get way() { return this.#way }

    async open() {
        await super.open()
        this.isOpen = true
        return this
    }
    async close() {
        this.isOpen = false
        await new Promise(setImmediate) // not while a session handles a frame, because Node would corrupt its memory
        await super.close()
    }

    // --- orders --------------------------------------------------------------------------------------------------------------

    // Answers pushes in this way from now on: {answer, delay, retryAfter, status, share, frame}. Members that are left out get their usual
    // values.
    //   answer      one of `answers`
    //   delay       ms until the answer
    //   retryAfter  seconds, for `throttle` and `error`
    //   status      of `error`: 500, 502, 503
    //   share       the fraction of pushes that is answered in this way. The other pushes are accepted
    //   frame       for `cut`: 'headers' or 'data', the frame that is sent in part
    async behave(way) {
        const next = { ...ordinary, ...way }
        if (!answers.includes(next.answer)) throw new Error(`unknown answer: ${next.answer}. The answers are ${answers.join(', ')}.`)
        this.#way = next
        this.delay = next.delay
        if (this.isOpen === (next.answer !== 'away')) return
        await (this.isOpen ? this.close() : this.open())
    }
    recover(delay = 0) { return this.behave({ delay }) }

    // Sends GOAWAY on every connection. The carrier still answers the pushes that have arrived. With `excluded`, it does not accept the
    // pushes in flight, which the client may send again (RFC 9113, section 6.8). On a connection without answers nothing is excluded, because
    // Node cannot send a GOAWAY with stream 0.
    goAway({ excluded = false } = {}) {
        for (const session of this.connections) {
            const state = this.#answered.get(session)
            if (!excluded || state.last === 0) {
                session.close()
                continue
            }
            state.final = state.last
            session.goaway(constants.NGHTTP2_NO_ERROR, state.final)
        }
    }

    // Changes the number of concurrent streams of each connection, by SETTINGS on the open connections.
    limitStreams(streams) {
        this.#streams = streams
        for (const session of this.connections) session.settings({ maxConcurrentStreams: streams })
    }

    // --- counts --------------------------------------------------------------------------------------------------------------

    // Clears all counts. `interrupted`: pushes whose connection ended before their answer. `mostInFlight`: the highest number of pushes in
    // flight at the same time.
    forget() {
        this.accepted = new Map() // by message: the number of accepted pushes by device token
        this.ids = new Map() // of APNs, by message: the `apns-id`s of accepted pushes
        this.counts = { pushes: 0, accepted: 0, interrupted: 0, connections: 0, mostInFlight: 0 }
        this.taken.clear()
    }

    // The number of accepted pushes by device token, of one message, or of all messages.
    devices(message) {
        if (message !== undefined) return this.accepted.get(message) ?? new Map()
        const all = new Map()
        for (const devices of this.accepted.values()) for (const [token, count] of devices) all.set(token, (all.get(token) ?? 0) + count)
        return all
    }

    // `devices`: the number of devices with an accepted push of the message. `accepted`: the number of accepted pushes. `repeated`: the number
    // of accepted pushes that the device had got before. `ids`: the number of different `apns-id`s (APNs only). Without a message: of all messages.
    tally(message) {
        const sum = { devices: 0, accepted: 0, repeated: 0, ids: 0 }
        for (const each of message === undefined ? this.accepted.keys() : [message]) {
            const devices = this.devices(each)
            let accepted = 0
            for (const count of devices.values()) accepted += count
            sum.devices += devices.size
            sum.accepted += accepted
            sum.repeated += accepted - devices.size
            sum.ids += this.ids.get(each)?.size ?? 0
        }
        return sum
    }

    // Waits until the carrier has accepted `count` pushes since the last forget().
    reached(count) {
        if (this.counts.accepted >= count) return Promise.resolve()
        return new Promise(done => this.#waiting.push({ count, done }))
    }

    // Records an accepted push: {message, token, id}. A subclass may look at the body.
    accept({ message, token, id }) {
        let devices = this.accepted.get(message)
        if (!devices) this.accepted.set(message, devices = new Map())
        devices.set(token, (devices.get(token) ?? 0) + 1)
        if (id !== undefined) {
            if (!this.ids.has(message)) this.ids.set(message, new Set())
            this.ids.get(message).add(id)
        }
        const count = ++this.counts.accepted
        if (this.#waiting.length === 0) return
        for (const { done } of this.#waiting.filter(each => each.count <= count)) done()
        this.#waiting = this.#waiting.filter(each => each.count > count)
    }

    // Takes back an accepted push that a GOAWAY has excluded.
    #withdraw({ message, token, id }) {
        const devices = this.accepted.get(message), count = devices?.get(token)
        if (!count) return // the counts were cleared meanwhile
        --this.counts.accepted
        if (count > 1) return void devices.set(token, count - 1)
        devices.delete(token)
        this.ids.get(message)?.delete(id)
    }

    // --- the protocol --------------------------------------------------------------------------------------------------------

    #begin(session, socket) {
        ++this.counts.connections
        session.setLocalWindowSize(1 << 24) // the default of 64 KiB is less than the bodies of a thousand pushes
        this.#raw.set(session, socket)
        const state = { last: 0, final: Infinity, inFlight: 0 }
        this.#answered.set(session, state)
        session.once('close', () => { this.counts.interrupted += state.inFlight })
        socket.on('error', () => {})
        if (this.#announced !== this.#streams) session.settings({ maxConcurrentStreams: this.#streams })
    }

    #receive(stream, headers) {
        let body = ''
        const state = this.#answered.get(stream.session)
        ++state.inFlight
        this.counts.mostInFlight = Math.max(this.counts.mostInFlight, ++this.inFlight)
        stream.on('error', ignore)
        stream.on('data', piece => { body += piece.latin1Slice() })
        stream.on('end', () => this.#decide(stream, state, headers, body))
    }

    #decide(stream, state, headers, body) {
        ++this.counts.pushes
        const { answer, share, frame } = this.#way
        const name = share < 1 && Math.random() >= share ? 'accept' : answer
        if (name === 'hang' || name === 'away') return void stream.once('close', () => { --this.inFlight, --state.inFlight })
        const push = this.read(headers, body), reply = name === 'cut' ? undefined : this.verdict(name, push)
        // The carrier accepts a push when it arrives, even if the client does not wait for the answer.
        const accepts = reply ? reply.status === 200 : frame === 'data'
        if (accepts) this.accept(push, body)
        this.answer(() => {
            --this.inFlight
            --state.inFlight
            if (stream.id > state.final) return accepts ? this.#withdraw(push) : undefined
            if (stream.destroyed) return
            if (!reply) return this.#cut(stream, frame)
            state.last = Math.max(state.last, stream.id)
            stream.respond(reply.headers, reply.text ? undefined : endStream)
            if (reply.text) stream.end(reply.text)
        })
    }

    // Sends a part of a frame, and closes the connection. Over TLS it is a part of a record.
    #cut(stream, frame) {
        const socket = this.#raw.get(stream.session), inData = frame === 'data'
        if (inData) stream.respond({ ':status': 200 })
        const bytes = this.scheme === 'https' ? halfRecord() : halfFrame(inData ? dataFrame : headersFrame, stream.id)
        setImmediate(() => {
            if (socket.destroyed) return
            // Not socket.write(), because the HTTP/2 session of Node expects no other writer.
            try { writeSync(socket._handle.fd, bytes) } catch { /* the client has closed the connection */ }
            socket.destroy()
        })
    }

    // The answer to a push: {status, headers, text}; `headers` include `:status`. A device is gone if its token begins with `gone`. If its token
    // begins with `refused`, the carrier refuses its pushes as invalid.
    verdict(name, push) {
        if (name !== 'accept') return this.fault(name)
        if (push.token.startsWith('gone')) return this.fault('gone')
        if (push.token.startsWith('refused')) return this.fault('refused')
        return this.success(push)
    }

    retryHeader(name) {
        const { retryAfter } = this.#way
        return retryAfter !== undefined && ['throttle', 'error'].includes(name) ? { 'retry-after': String(retryAfter) } : {}
    }
}

export class Fcm extends Carrier {
    tokenAnswer = 'accept'
    tokenRequests = 0
    sent = 0

    // As Carrier. `tokenPort`: the port of the token endpoint, by default a free port.
    constructor({ tokenPort, ...options } = {}) {
        super({ streams: 100, ...options })
        this.tokenServer = new TokenServer(this, tokenPort)
    }

    get tokenUrl() { return `http://127.0.0.1:${this.tokenServer.port}/token` }

    // Starts the token endpoint too. It stays reachable while the carrier is away.
    async open() {
        if (!this.tokenServer.server.listening) await this.tokenServer.open()
        return super.open()
    }

    // Answers requests for access tokens in this way from now on: `accept`, `credential` (400 `invalid_grant`), `error` (503), `hang`.
    answerTokens(answer) { this.tokenAnswer = answer }

    // The message is the id of the broadcast or notification in the data of the push.
    read(headers, body) {
        return { token: stringIn(body, 'token') ?? '', message: stringIn(body, 'broadcastId') ?? stringIn(body, 'notificationId') ?? '' }
    }

    success() {
        const name = `projects/stand-in/messages/0:${++this.sent}%31bd1c9631bd1c96`
        return { status: 200, headers: { ':status': 200, 'content-type': 'application/json; charset=UTF-8' }, text: `{"name": "${name}"}` }
    }

    fault(name) {
        const fault = (code, status, message, errorCode) => ({
            status: code,
            headers: { ':status': code, 'content-type': 'application/json; charset=UTF-8', ...this.retryHeader(name) },
            text: JSON.stringify({ error: { code, message, status,
                ...errorCode && { details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }] } } }),
        })
        switch (name) {
        case 'throttle': return fault(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric', 'QUOTA_EXCEEDED')
        case 'credential': return fault(403, 'PERMISSION_DENIED', "Permission 'cloudmessaging.messages.create' denied")
        case 'gone': return fault(404, 'NOT_FOUND', 'Requested entity was not found.', 'UNREGISTERED')
        case 'refused': return fault(400, 'INVALID_ARGUMENT', 'Message too big', 'INVALID_ARGUMENT')
        default: return fault(this.way.status, this.way.status === 500 ? 'INTERNAL' : 'UNAVAILABLE', 'The service is currently unavailable.')
        }
    }
}

// Google's token endpoint over HTTP/1.1.
class TokenServer extends Provider {
    constructor(carrier, port) {
        super(createHttpServer((request, response) => {
            request.resume()
            const reply = (status, json) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
            ++carrier.tokenRequests
            if (carrier.tokenAnswer === 'hang') return
            if (carrier.tokenAnswer === 'credential') return void reply(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
            if (carrier.tokenAnswer === 'error') return void reply(503, { error: 'internal_failure' })
            reply(200, { access_token: `ya29.${'c'.repeat(200)}`, expires_in: 3599, token_type: 'Bearer' })
        }))
        this.port = port
    }
}

export class Apns extends Carrier {
    // The message is the `apns-collapse-id`: the id of the broadcast or notification, unless the push has a collapse key.
    read(headers) {
        const path = headers[':path']
        return {
            token: decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)), message: headers['apns-collapse-id'] ?? '', id: headers['apns-id'],
        }
    }

    success({ id }) { return { status: 200, headers: { ':status': 200, 'apns-id': id } } }

    fault(name) {
        const fault = (status, reason) => ({
            status,
            headers: { ':status': status, 'content-type': 'application/json', ...this.retryHeader(name) },
            text: JSON.stringify({ reason }),
        })
        switch (name) {
        case 'throttle': return fault(429, 'TooManyRequests')
        case 'credential': return fault(403, 'InvalidProviderToken')
        case 'gone': return fault(410, 'Unregistered')
        case 'refused': return fault(413, 'PayloadTooLarge')
        default: return fault(this.way.status, this.way.status === 500 ? 'InternalServerError' : 'ServiceUnavailable')
        }
    }
}
