// The load on feedback: creates threads and replies. One webhook must receive an event for each acknowledged thread.
import { randomUUID } from 'node:crypto'
import { eventually } from '../../upgrade/processes.mjs'
import { FeedbackTraffic } from '../../upgrade/traffic/feedback.mjs'
import { Figures, Ledger, insist, judgeArrivals } from '../ledger.mjs'

export class FeedbackLoad extends FeedbackTraffic {
    figures = new Figures()
    ids = new Map() // title to id

    reset() {
        this.figures.begin()
        this.book = {
            threads: new Ledger('threads'),
            replies: new Ledger('replies'),
        }
    }

    work() {
        for (let i = 0; i < 4; i++) {
            let thread
            this.loop(this.pause,
                async client => { thread = await this.createOnce(client) },
                async client => { thread = await this.createSurely(client) },
                client => this.replySurely(client, thread),
                client => client.send('GET', '/v1/feedbacks?limit=20', { token: this.key }),
                client => client.send('PATCH', `/v1/feedbacks/${thread.feedbackId}`, { token: this.key, body: { status: 'in-progress' } }))
        }
    }

    // The request has no Idempotency-Key, so it must not be repeated.
    async createOnce(client) {
        const title = this.mark('thread')
        this.book.threads.sent(title)
        const body = { category: 'bug', title, body: 'It stops.' }
        return this.opened(title, await client.send('POST', '/v1/feedbacks', { token: this.key, body }))
    }

    async createSurely(client) {
        const title = this.mark('thread'), headers = { 'idempotency-key': randomUUID() }
        this.book.threads.sent(title)
        const body = { category: 'bug', title, body: 'It stops.' }
        return this.opened(title, await insist(this.figures, () => client.send('POST', '/v1/feedbacks', { token: this.key, headers, body })))
    }

    opened(title, thread) {
        this.book.threads.acknowledge(title)
        this.ids.set(title, thread.feedbackId)
        return thread
    }

    async replySurely(client, thread) {
        if (!thread) return
        const body = this.mark('reply'), headers = { 'idempotency-key': randomUUID() }
        this.book.replies.sent(body)
        await insist(this.figures,
            () => client.send('POST', `/v1/feedbacks/${thread.feedbackId}/replies`, { token: this.key, headers, body: { body } }))
        this.book.replies.acknowledge(body)
    }

    async verify() {
        const heard = title => this.receiver.heard.get(title)
        await eventually('the webhook has received every thread', () => this.book.threads.acknowledged.every(heard), 300)
        for (const title of this.book.threads.sample(100)) {
            const thread = await this.admin.send('GET', `/v1/feedbacks/${this.ids.get(title)}`, { token: this.key })
            if (thread.title !== title) throw new Error(`thread ${title} is ${thread.title}`)
        }
        return [
            this.book.threads.judge(await this.column('SELECT title FROM feedbacks')),
            this.book.replies.judge(await this.column('SELECT body FROM replies')),
            judgeArrivals('webhooks', this.book.threads.acknowledged, heard),
        ]
    }

    // The ledger of the writes that a webhook announces.
    get announced() { return this.book.threads }

    // Sends one write that causes an event, in addition to the load.
    trigger(client = this.admin) { return this.createOnce(client) }

    // Makes a caller for requests.mjs. Deletes the webhook, so that its deliveries do not disturb the measurement of the writes.
    async caller(environment) {
        if (environment === 'production') {
            await this.admin.send('DELETE', `/v1/webhooks/${this.webhookId}`, { token: this.key, expected: [200, 204] })
        }
        const token = await this.newKey(environment)
        return { service: 'feedback', environment, host: this.hostIn(environment), token }
    }

    // --- an outage of the webhook's receiver ---------------------------------------------------------------------------------

    closeProviders() { return this.receiver.close() }
    openProviders() { return this.receiver.open() }
}
