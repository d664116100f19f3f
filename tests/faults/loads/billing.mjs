// The load of billing: signed events, which their provider repeats until they are accepted; grants; and a webhook for each entitlement.
import { randomUUID } from 'node:crypto'
import { eventually } from '../../upgrade/processes.mjs'
import { Receiver } from '../../upgrade/receiver.mjs'
import { BillingTraffic } from '../../upgrade/traffic/billing.mjs'
import { Figures, Ledger, insist, judgeArrivals } from '../ledger.mjs'

export class BillingLoad extends BillingTraffic {
    figures = new Figures()

    // `purchases` is the simulated purchase provider.
    constructor(cluster, service, { purchases }) {
        super(cluster, service)
        this.purchases = purchases
    }

    async prepare() {
        await super.prepare()
        await this.admin.send('PATCH', '/v1/settings', { token: this.key, body: { purchasesApiKey: 'sk_faults' } })
        this.receiver = await Receiver.start(({ entitlement }) =>
            entitlement.source === 'payments' ? `evt_${entitlement.userId}` : entitlement.grant?.reason ?? entitlement.reason)
        const webhook = await this.admin.send('POST', '/v1/webhooks',
            { token: this.key, body: { url: this.receiver.url, events: ['entitlement.changed'] } })
        this.webhookId = webhook.webhookId
        this.receiver.secret = webhook.secret
    }

    reset() {
        this.figures.begin()
        this.book = {
            events: new Ledger('events'),
            grants: new Ledger('grants'),
        }
    }

    work() {
        for (let i = 0; i < 4; i++) {
            let user
            this.loop(this.pause,
                async client => { user = await this.sellSurely(client) },
                client => user && client.send('GET', `/v1/users/${user}/entitlements`, { token: this.key }),
                client => this.grantSurely(client, user),
                client => user && client.send('GET', `/v1/users/${user}/features/export`, { token: this.key }))
        }
        this.loop(10 * this.pause, client => client.send('POST', `/v1/sync/${this.mark('buyer').replaceAll(' ', '-')}`, { token: this.key }))
    }

    async sellSurely(client) {
        const { id, user, text } = this.newEvent()
        this.book.events.sent(id)
        await insist(this.figures, () => client.send('POST', '/webhooks/payments', { text, headers: this.signed(text) }))
        this.book.events.acknowledge(id)
        return user
    }

    async grantSurely(client, user) {
        if (!user) return
        const reason = this.mark('grant'), headers = { 'idempotency-key': randomUUID() }
        this.book.grants.sent(reason)
        await insist(this.figures, () => client.send('POST', `/v1/users/${user}/grants`,
            { token: this.key, headers, body: { productId: this.product.productId, reason } }))
        this.book.grants.acknowledge(reason)
    }

    async verify() {
        const heard = mark => this.receiver.heard.get(mark)
        const told = [...this.book.events.acknowledged, ...this.book.grants.acknowledged]
        await eventually('the webhook of every entitlement has arrived', () => told.every(heard), 300)
        const sales = await this.column("SELECT 'evt_' || user_id FROM entitlements WHERE source = 'payments' AND status = 'active'")
        const entitlements = new Ledger('entitlements')
        for (const id of this.book.events.acknowledged) entitlements.acknowledge(id)
        for (const id of this.book.events.sample(100)) {
            const { granted } = await this.admin.send('GET', `/v1/users/${id.slice(4)}/features/export`, { token: this.key })
            if (!granted) throw new Error(`the buyer of ${id} has no access to the bought feature`)
        }
        return [
            this.book.events.judge(await this.column("SELECT event_id FROM events WHERE result = 'applied' AND provider = 'payments'")),
            entitlements.judge(sales),
            this.book.grants.judge(await this.column("SELECT reason FROM entitlements WHERE source = 'manual'")),
            judgeArrivals('webhooks', told, heard),
        ]
    }

    // The ledger of the writes that a webhook announces.
    get announced() { return this.book.events }

    // Sends one write that causes an event, in addition to the load.
    trigger(client = this.admin) { return this.sellSurely(client) }

    // Makes a caller for requests.mjs. Deletes the webhook, so that its deliveries do not disturb the measurement of the writes.
    async caller(environment) {
        if (environment === 'production') {
            await this.admin.send('DELETE', `/v1/webhooks/${this.webhookId}`, { token: this.key, expected: [200, 204] })
        }
        const token = await this.newKey(environment)
        return { service: 'billing', environment, host: this.hostIn(environment), token, productId: this.product.productId, secret: this.secret }
    }

    // --- an outage of the providers: syncs fail and webhooks wait; everything else works ------------------------------------

    closeProviders() { return Promise.all([this.purchases.close(), this.receiver.close()]) }
    openProviders() { return Promise.all([this.purchases.open(), this.receiver.open()]) }
}
