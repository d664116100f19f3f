// Emails and pushes: each is accepted once, and reaches its provider under one key.
import { randomUUID } from 'node:crypto'
import { eventually } from '../../upgrade/processes.mjs'
import { NotifyTraffic } from '../../upgrade/traffic/notify.mjs'
import { Figures, Ledger, insist } from '../ledger.mjs'

export class NotifyLoad extends NotifyTraffic {
    figures = new Figures()
    ids = new Map() // mark to notification

    // `apple`, `mail`: the providers.
    constructor(cluster, service, { apple, mail }) {
        super(cluster, service)
        Object.assign(this, { apple, mail })
    }

    reset() {
        this.figures.begin()
        this.book = {
            emails: new Ledger('emails'),
            pushes: new Ledger('pushes'),
        }
    }

    work() {
        for (let i = 0; i < 3; i++) {
            let id
            this.loop(this.pause,
                async client => { id = await this.emailSurely(client) },
                client => id && client.send('GET', `/v1/notifications/${id}`, { token: this.key }),
                client => this.pushOnce(client),
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

    async pushOnce(client) {
        const mark = this.mark('push')
        this.book.pushes.sent(mark)
        const body = { templateName: 'answer', channel: 'push', to: 'ada', variables: { text: mark } }
        await client.send('POST', '/v1/notifications/send', { token: this.key, body })
        this.book.pushes.acknowledge(mark)
    }

    async verify() {
        await eventually('nothing is queued any more', async () =>
            (await this.column("SELECT 1 FROM notifications WHERE status = 'queued' LIMIT 1")).length === 0, 300)
        const unsent = await this.column("SELECT notification_id || ' ' || coalesce(failure_reason, '') FROM notifications WHERE status = 'failed'")
        if (unsent.length > 0) throw new Error(`${unsent.length} notifications have failed: ${unsent[0]}`)
        for (const mark of this.book.emails.sample(100)) {
            const { status } = await this.admin.send('GET', `/v1/notifications/${this.ids.get(mark)}`, { token: this.key })
            if (status !== 'sent') throw new Error(`notification ${mark} is ${status}`)
        }
        const delivered = (what, ledger, { taken }) => {
            const arrivals = new Ledger(what)
            for (const mark of ledger.acknowledged) arrivals.acknowledge(mark)
            return arrivals.judgeDeliveries(mark => taken.get(mark))
        }
        return [
            this.book.emails.judge(await this.column("SELECT split_part(recipient, '@', 1) FROM notifications WHERE channel = 'email'")),
            this.book.pushes.judge(await this.column("SELECT body FROM notifications WHERE channel = 'push'")),
            delivered('emails at the provider', this.book.emails, this.mail),
            delivered('pushes at the provider', this.book.pushes, this.apple),
        ]
    }

    // For requests.mjs.
    caller() { return { service: 'notify', host: this.host, token: this.key } }

    // --- an outage of whom it calls ------------------------------------------------------------------------------------------

    closeProviders() { return Promise.all([this.apple.close(), this.mail.close()]) }
    openProviders() { return Promise.all([this.apple.open(), this.mail.open()]) }
}
