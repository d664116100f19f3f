// The clients: each has one connection, which it keeps, and sends every request once, unless it is put off. What is not the answer that was
// asked for is a failure, whatever it is: a status, a connection that is cut, nothing at all.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const patience = 60_000 // ms; HAProxy gives up no later

// A password that is not checked, since too many wait for it: nothing was done. Where processors have other work that happens at any
// rate of sign-ins, so it says nothing of what is rehearsed. The client comes back when it is told to.
const isPutOff = ({ status, body }) => status === 503 && body.includes('Too many passwords are being checked')

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
    // `figures` are added to. Every client has an address of its own, since some limits are by address. `server`: whom to ask.
    constructor(port, host, figures, server = '127.0.0.1') {
        Object.assign(this, { port, host, figures, server })
        const n = clients++
        this.localAddress = `127.${1 + Math.floor(n / 62_500) % 15}.${Math.floor(n / 250) % 250}.${2 + n % 250}`
        this.agent = new Agent({ keepAlive: true, maxSockets: 1 })
    }

    close() { this.agent.destroy() }

    // Sends one request; yields the answer's body, read as JSON. Throws unless the status is among those `expected`.
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
            sent.once('timeout', () => sent.destroy(new Error(`no answer in ${patience / 1000} s`)))
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
