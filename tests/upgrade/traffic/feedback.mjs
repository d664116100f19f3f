// Threads, replies and status changes by a key and by users of auth-mfa, and the webhook that receives each thread.
import { randomUUID } from 'node:crypto'
import { eventually } from '../processes.mjs'
import { Receiver } from '../receiver.mjs'
import { Traffic, refuses } from './traffic.mjs'

export class FeedbackTraffic extends Traffic {
    threads = new Set()
    replies = new Set()

    // `users`: the traffic of auth-mfa; one of its users writes too.
    constructor(cluster, service, users) {
        super(cluster, service)
        this.users = users
    }

    async prepare() {
        await this.provision()
        await this.mintKey()
        this.receiver = await Receiver.start()
        const webhook = await this.admin.send('POST', '/v1/webhooks',
            { token: this.key, body: { url: this.receiver.url, events: ['feedback.created'] } })
        this.webhookId = webhook.webhookId
        this.receiver.secret = webhook.secret
    }

    async work() {
        for (let i = 0; i < 2; i++) this.addWriter()
        const session = await this.users.openSession()
        this.loop(500, async client => {
            const token = await session.freshToken()
            const thread = await this.create(client, token)
            await client.send('GET', `/v1/feedbacks/${thread.feedbackId}`, { token })
        })
    }

    addWriter() {
        let thread
        this.loop(10,
            async client => { thread = await this.create(client, this.key) },
            async client => { thread = await this.create(client, this.key, { 'idempotency-key': randomUUID() }) },
            client => client.send('GET', `/v1/feedbacks/${thread.feedbackId}`, { token: this.key }),
            client => client.send('GET', '/v1/feedbacks?limit=20', { token: this.key }),
            client => client.send('PATCH', `/v1/feedbacks/${thread.feedbackId}`, { token: this.key, body: { status: 'in-progress' } }),
            async client => {
                const body = this.mark('reply')
                await client.send('POST', `/v1/feedbacks/${thread.feedbackId}/replies`, { token: this.key, body: { body } })
                this.replies.add(body)
            },
            client => client.send('GET', `/v1/feedbacks/${thread.feedbackId}/replies`, { token: this.key }),
        )
    }

    async create(client, token, headers) {
        const title = this.mark('thread')
        const thread = await client.send('POST', '/v1/feedbacks', { token, headers, body: { category: 'bug', title, body: 'It stops.' } })
        this.threads.add(title)
        return thread
    }

    get writes() { return this.threads.size + this.replies.size }

    async verify() {
        const missing = () => [...this.threads].filter(title => !this.receiver.heard.has(title))
        await eventually('the webhook has received every thread', () => missing().length === 0)
        return [
            ...this.compare('thread', this.threads, await this.column('SELECT title FROM feedbacks')),
            ...this.compare('reply', this.replies, await this.column('SELECT body FROM replies')),
            ...this.receiver.complaints,
        ]
    }

    // --- rotation ------------------------------------------------------------------------------------------------------------

    // The old key works until the end of the grace period, or until it is revoked.
    async rotateKey() {
        const old = this.key
        this.key = (await this.operate(this.admin, 'POST', '/v1/keys/production/rotate', { body: { gracePeriodSeconds: 3600 } })).key
        await this.admin.send('GET', '/v1/feedbacks?limit=1', { token: old })
        await this.operate(this.admin, 'DELETE', `/v1/keys/${old.slice(0, 12)}`)
        await eventually('the old key is refused', () => refuses(this.admin, 'GET', '/v1/feedbacks?limit=1', { token: old }))
    }

    // The receiver gets the new secret after the service has begun to use it. Until then, the receiver checks
    // the signature by the old secret.
    async rotateWebhookSecret() {
        const { secret } = await this.admin.send('POST', `/v1/webhooks/${this.webhookId}/rotate-secret`, { token: this.key })
        await eventually('deliveries carry both signatures', () => this.receiver.signatures === 2)
        this.receiver.secret = secret
    }
}
