// The clients that cause the load. Each client keeps one connection. It sends every request once, and repeats
// a request only if the service refuses it because of load. Every result except an expected response is a
// failure: another status, a broken connection, a time-out.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const patience = 60_000 // ms; not shorter than HAProxy's time-outs

// Whether the response is the 503 of libs/crypto/password.cpp for too many waiting checks. The service has then
// changed nothing. This happens on busy processors at any rate of sign-ins, so it does not count as a
// failure. The client retries after the time in Retry-After.
const isPutOff = ({ status, body }) => status === 503 && body.includes('Too many password checks are in progress')

export class Figures {
    requests = 0
    failures = []
    slowest = { took: 0, what: '' }

    add(what, took, failure) {
        this.requests++
        if (took > this.slowest.took) this.slowest = { took, what }
        if (failure) this.failures.push(failure)
    }
}

let clients = 0

export class Client {
    // Records the results in `figures`. Every client has its own address, because some limits are per
    // address. `server`: the address to connect to.
    constructor(port, host, figures, server = '127.0.0.1') {
        Object.assign(this, { port, host, figures, server })
        const n = clients++
        this.localAddress = `127.${1 + Math.floor(n / 62_500) % 15}.${Math.floor(n / 250) % 250}.${2 + n % 250}`
        this.agent = new Agent({ keepAlive: true, maxSockets: 1 })
    }

    close() { this.agent.destroy() }

    // Sends one request; returns the body, parsed as JSON. Throws unless the status is in `expected`.
    async send(method, path, { token, body, text, headers = {}, expected = [200, 201, 202] } = {}) {
        const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
        const begun = performance.now()
        let answer, failure
        try {
            const exchange = () => this.exchange(method, path, content, {
                host: this.host, ...(token && { authorization: `Bearer ${token}` }),
                ...(content !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
                ...headers,
            })
            answer = await exchange()
            while (isPutOff(answer) && !expected.includes(503) && performance.now() - begun < patience) {
                await sleep(1000 * answer.retryAfter)
                answer = await exchange()
            }
            if (!expected.includes(answer.status)) failure = `${answer.status} ${answer.body.slice(0, 300)}`
        } catch (error) {
            failure = error.code ?? error.message
        }
        if (failure) failure = `${new Date().toISOString()} ${method} ${this.host}${path}: ${failure}`
        this.figures.add(`${method} ${path}`, performance.now() - begun, failure)
        if (failure) throw Object.assign(new Error(failure), { isCounted: true })
        return answer.body && JSON.parse(answer.body)
    }

    exchange(method, path, content, headers) {
        return new Promise((done, failed) => {
            const sent = request({ port: this.port, host: this.server, localAddress: this.localAddress, agent: this.agent, method, path,
                headers, timeout: patience })
            sent.once('timeout', () => sent.destroy(new Error(`no response within ${patience / 1000} s`)))
            sent.once('error', failed)
            sent.once('response', response => {
                let body = ''
                response.setEncoding('utf8').on('data', piece => { body += piece })
                response.once('end', () => done({ status: response.statusCode, body, retryAfter: Number(response.headers['retry-after'] ?? 1) }))
                response.once('error', failed)
            })
            sent.end(content)
        })
    }
}
