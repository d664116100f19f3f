// Who listens to a webhook: takes every delivery, checks its signature (Standard Webhooks), remembers what it was about.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'

export class Receiver {
    heard = new Map() // titles to the ids of their deliveries; one that is repeated keeps its own
    complaints = []
    signatures = 0 // of the last delivery

    static async start() {
        const receiver = new Receiver()
        receiver.server = createServer((request, response) => {
            let body = ''
            request.setEncoding('utf8').on('data', piece => { body += piece }).once('end', () => {
                receiver.take(request.headers, body)
                response.writeHead(204).end()
            })
        })
        await new Promise(listening => receiver.server.listen(0, '127.0.0.1', listening))
        receiver.server.unref()
        receiver.url = `http://127.0.0.1:${receiver.server.address().port}/`
        return receiver
    }

    take(headers, body) {
        const key = Buffer.from(this.secret.replace('whsec_', ''), 'base64')
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
        const right = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
        const given = headers['webhook-signature'].split(' ')
        this.signatures = given.length
        if (!given.includes(right)) this.complaints.push(`delivery ${headers['webhook-id']} is not signed with the webhook's secret`)
        const { title } = JSON.parse(body).data
        this.heard.set(title, [...this.heard.get(title) ?? [], headers['webhook-id']])
    }
}
