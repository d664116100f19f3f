// Simulated providers. Each counts the messages that it accepts, by the mark in them, and can be unreachable for a time.
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { Apns } from '../support/carriers.mjs'
import { Provider } from '../support/provider.mjs'

let phones = 0
// A phone number that no other load uses.
export const newPhone = () => `+1415${2_000_000 + ++phones}`

// Apple's push service. The mark is the text of the alert. The key is the collapse id: a device shows a push with the same id once.
export class Apple extends Apns {
    accept(push, body) {
        super.accept(push, body)
        const { alert } = JSON.parse(body).aps
        this.take(alert.body ?? alert, push.message)
    }
}

// An SMTP server (RFC 5321). The mark is the local part of the recipient's address, the key is the Message-ID.
export class MailServer extends Provider {
    constructor() {
        super(createTcpServer(socket => this.#serve(socket)))
    }

    #serve(socket) {
        let text = '', recipient, inData = false
        const say = line => socket.write(`${line}\r\n`)
        say('220 mail.test')
        socket.setEncoding('latin1').on('data', piece => {
            text += piece
            for (;;) {
                const end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n')
                if (end < 0) return
                const part = text.slice(0, end)
                text = text.slice(end + (inData ? 5 : 2))
                if (inData) {
                    inData = false
                    this.take(recipient.split('@')[0], /^Message-ID: *(\S+)/im.exec(part)[1])
                    this.answer(() => say('250 2.0.0 Taken'))
                } else if (/^RCPT TO:/i.test(part)) {
                    recipient = /<([^>]*)>/.exec(part)[1]
                    say('250 2.1.5 Ok')
                } else if (/^DATA/i.test(part)) {
                    inData = true
                    say('354 Go on')
                } else if (/^QUIT/i.test(part)) {
                    say('221 Bye')
                    socket.end()
                } else say('250 Ok')
            }
        })
    }
}

// Answers a request over HTTP/1.1 with the status and JSON that `answer(request, body)` returns.
class HttpProvider extends Provider {
    constructor(answer) {
        super(createHttpServer((request, response) => {
            let body = ''
            request.setEncoding('utf8').on('data', piece => { body += piece }).once('end', () => {
                const [status, json] = answer.call(this, request, body)
                this.answer(() => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json)))
            })
        }))
    }
}

// Twilio. The mark is the phone number, the key is the text.
export class Twilio extends HttpProvider {
    constructor() {
        let messages = 0
        super((request, body) => {
            const form = new URLSearchParams(body)
            this.take(form.get('To'), form.get('Body'))
            return [201, { sid: `SM${String(++messages).padStart(32, '0')}`, status: 'queued' }]
        })
    }
}

// The REST API of the in-app purchase provider: every user exists and has no purchases.
export class PurchasePlatform extends HttpProvider {
    constructor() {
        super(request => {
            this.take(decodeURIComponent(request.url.split('/').at(-1)), request.method)
            const now = new Date().toISOString()
            return [200, { request_date: now, subscriber: { first_seen: now, entitlements: {}, non_subscriptions: {}, subscriptions: {} } }]
        })
    }
}

// A webhook endpoint that accepts connections and does not respond. It listens on every loopback address, so that each can be a different
// host.
export class SilentEndpoint extends Provider {
    #waiting = new Map() // response to the path of its request
    constructor() {
        super(createHttpServer((request, response) => {
            request.resume()
            if (this.released) return void response.writeHead(204).end()
            this.#waiting.set(response, request.url)
            response.once('close', () => this.#waiting.delete(response))
        }))
        this.address = '0.0.0.0'
    }

    // The number of unanswered requests to `path`.
    waitingAt(path) { return [...this.#waiting.values()].filter(each => each === path).length }

    // Answers all waiting requests, and later ones at once.
    release() {
        this.released = true
        for (const response of this.#waiting.keys()) response.writeHead(204).end()
    }
}
