// A webhook receiver: accepts every delivery, checks its signature (Standard Webhooks), and records its mark.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'

export class Receiver {
    heard = new Map() // marks to the ids of their deliveries; a repeated delivery has the same id
    heardAt = new Map() // marks to the time of the first delivery
    delay = 0 // ms until the response to a delivery
    complaints = []
    signatures = 0 // of the last delivery

    // `markOf(data)`: the mark of a delivery's object; undefined for deliveries that are not counted.
    static async start(markOf = ({ title }) => title) {
        const receiver = new Receiver()
        receiver.markOf = markOf
        receiver.server = createServer((request, response) => {
            let body = ''
            request.setEncoding('utf8').on('data', piece => { body += piece }).once('end', () => {
                receiver.take(request.headers, body)
                setTimeout(() => response.writeHead(204).end(), receiver.delay)
            })
        })
        await new Promise(listening => receiver.server.listen(0, '127.0.0.1', listening))
        receiver.server.unref()
        receiver.url = `http://127.0.0.1:${receiver.server.address().port}/`
        return receiver
    }

    // Refuses connections until `open`, which accepts them again on the same port.
    async close() {
        this.port = this.server.address().port
        const closed = new Promise(done => this.server.close(done))
        this.server.closeAllConnections()
        await closed
    }
    open() { return new Promise(listening => this.server.listen(this.port, '127.0.0.1', listening)) }

    take(headers, body) {
        const key = Buffer.from(this.secret.replace('whsec_', ''), 'base64')
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
        const right = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
        const given = headers['webhook-signature'].split(' ')
        this.signatures = given.length
        if (!given.includes(right)) this.complaints.push(`delivery ${headers['webhook-id']} is not signed with the webhook's secret`)
        const mark = this.markOf(JSON.parse(body).data)
        if (mark === undefined) return
        if (!this.heard.has(mark)) this.heardAt.set(mark, performance.now())
        this.heard.set(mark, [...this.heard.get(mark) ?? [], headers['webhook-id']])
    }
}
