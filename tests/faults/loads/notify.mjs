// The load of notify: emails, pushes and text messages. Each must be accepted once, and reach its provider under one key. Each sent email
// and text message causes a webhook.
import { randomUUID } from 'node:crypto'
import { eventually } from '../../upgrade/processes.mjs'
import { Receiver } from '../../upgrade/receiver.mjs'
import { NotifyTraffic } from '../../upgrade/traffic/notify.mjs'
import { newPhone } from '../providers.mjs'
import { Figures, Ledger, insist, judgeArrivals } from '../ledger.mjs'

export class NotifyLoad extends NotifyTraffic {
    figures = new Figures()
    ids = new Map() // mark to notification

    // `apple`, `mail` and `twilio` are the simulated providers.
    constructor(cluster, service, { apple, mail, twilio }) {
        super(cluster, service)
        Object.assign(this, { apple, mail, twilio })
    }

    async prepare() {
        await super.prepare()
        await this.admin.send('POST', '/v1/templates', { token: this.key, body: { name: 'text', channel: 'sms', body: 'Hello {{name}}' } })
        this.receiver = await Receiver.start(({ channel, to }) => channel === 'push' ? undefined : to.split('@')[0])
        const webhook = await this.admin.send('POST', '/v1/webhooks',
            { token: this.key, body: { url: this.receiver.url, events: ['notification.sent'] } })
        this.webhookId = webhook.webhookId
        this.receiver.secret = webhook.secret
    }

    reset() {
        this.figures.begin()
        this.book = {
            emails: new Ledger('emails'),
            pushes: new Ledger('pushes'),
            texts: new Ledger('text messages'),
        }
    }

    work() {
        for (let i = 0; i < 3; i++) {
            let id
            this.loop(this.pause,
                async client => { id = await this.emailSurely(client) },
                client => id && client.send('GET', `/v1/notifications/${id}`, { token: this.key }),
                client => this.pushOnce(client),
                client => this.textSurely(client),
                client => client.send('GET', '/v1/notifications?limit=20', { token: this.key }))
        }
    }

    async emailSurely(client) {
        const mark = this.mark('email').replaceAll(' ', '-'), headers = { 'idempotency-key': randomUUID() }
        this.book.emails.sent(mark)
        const body = { templateName: 'welcome', channel: 'email', to: `${mark}@example.org`, variables: { name: 'Ada' } }
        const { notificationId } = await insist(this.figures,
            () => client.send('POST', '/v1/notifications/send', { token: this.key, headers, body }))
        this.book.emails.acknowledge(mark)
        this.ids.set(mark, notificationId)
        return notificationId
    }

    async textSurely(client) {
        const phone = newPhone(), headers = { 'idempotency-key': randomUUID() }
        this.book.texts.sent(phone)
        const body = { templateName: 'text', channel: 'sms', to: phone, variables: { name: 'Ada' } }
        await insist(this.figures, () => client.send('POST', '/v1/notifications/send', { token: this.key, headers, body }))
        this.book.texts.acknowledge(phone)
    }

    async pushOnce(client) {
        const mark = this.mark('push')
        this.book.pushes.sent(mark)
        const body = { templateName: 'answer', channel: 'push', to: 'ada', variables: { text: mark } }
        await client.send('POST', '/v1/notifications/send', { token: this.key, body })
        this.book.pushes.acknowledge(mark)
    }

    // `fault`: the fault under which the load ran, if any.
    async verify(fault = {}) {
        await eventually('no notification is queued any more', async () =>
            (await this.column("SELECT 1 FROM notifications WHERE status = 'queued' LIMIT 1")).length === 0, 300)
        const interrupted = await this.#interruptedTexts(fault)
        const unsent = await this.column(`SELECT notification_id || ' ' || coalesce(failure_reason, '') FROM notifications
            WHERE status = 'failed' AND NOT (channel = 'sms' AND failure_reason = 'NO_ANSWER')`)
        if (unsent.length > 0) throw new Error(`${unsent.length} notifications have failed: ${unsent[0]}`)
        for (const mark of this.book.emails.sample(100)) {
            const { status } = await this.admin.send('GET', `/v1/notifications/${this.ids.get(mark)}`, { token: this.key })
            if (status !== 'sent') throw new Error(`notification ${mark} is ${status}`)
        }
        const heard = mark => this.receiver.heard.get(mark)
        const texts = this.book.texts.acknowledged.filter(phone => !interrupted.has(phone))
        const twice = this.book.texts.acknowledged.filter(phone => this.twilio.taken.get(phone)?.length > 1)
        if (twice.length > 0) throw new Error(`${twice.length} text messages were sent twice: ${twice[0]}`)
        const told = [...this.book.emails.acknowledged, ...texts]
        await eventually('the webhook of every email and text message has arrived', () => told.every(heard), 300)
        const delivered = (what, marks, { taken }) => judgeArrivals(what, marks, mark => taken.get(mark))
        return [
            this.book.emails.judge(await this.column("SELECT split_part(recipient, '@', 1) FROM notifications WHERE channel = 'email'")),
            this.book.pushes.judge(await this.column("SELECT body FROM notifications WHERE channel = 'push'")),
            this.book.texts.judge(await this.column("SELECT recipient FROM notifications WHERE channel = 'sms'")),
            delivered('emails at the provider', this.book.emails.acknowledged, this.mail),
            delivered('pushes at the provider', this.book.pushes.acknowledged, this.apple),
            delivered('text messages at the provider', texts, this.twilio),
            judgeArrivals('webhooks', told, heard),
        ]
    }

    // The numbers of text messages whose attempt was interrupted. Twilio may have got them, so they fail and are not sent again. Only a
    // fault that leaves the result of a delivery unknown interrupts attempts.
    async #interruptedTexts(fault) {
        const failed = await this.column("SELECT recipient FROM notifications WHERE channel = 'sms' AND failure_reason = 'NO_ANSWER'")
        const phones = failed.filter(phone => this.book.texts.has(phone)) // the messages of this trial
        if (phones.length > 0 && !fault.mayRepeat) throw new Error(`${phones.length} text messages have failed: ${phones[0]}`)
        return new Set(phones)
    }

    // The ledger of the writes that a webhook announces.
    get announced() { return this.book.emails }

    // Sends one write in addition to the load. The write has no Idempotency-Key, so that it can share a transaction with other writes.
    trigger(client = this.admin) { return this.pushOnce(client) }

    // Makes a caller for requests.mjs. Deletes the webhook, so that its deliveries do not disturb the measurement of the writes.
    async caller(environment) {
        if (environment === 'production') {
            await this.admin.send('DELETE', `/v1/webhooks/${this.webhookId}`, { token: this.key, expected: [200, 204] })
        }
        const token = await this.newKey(environment)
        return { service: 'notify', environment, host: this.hostIn(environment), token }
    }

    // --- an outage of the providers ------------------------------------------------------------------------------------------

    get #called() { return [this.apple, this.mail, this.receiver] }
    closeProviders() { return Promise.all(this.#called.map(each => each.close())) }
    openProviders() { return Promise.all(this.#called.map(each => each.open())) }
}
