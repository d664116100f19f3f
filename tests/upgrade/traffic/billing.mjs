// Signed events of the card payment provider, grants, and the reads of an app's backend.
import { createHmac, randomUUID } from 'node:crypto'
import { Client } from '../client.mjs'
import { eventually } from '../processes.mjs'
import { Traffic } from './traffic.mjs'

const price = 'price_pro_monthly'
const newSecret = () => `whsec_${randomUUID()}`

// The provider's event for a purchase by `user`, as JSON. `livemode`: true for production.
export function eventOf(user, livemode = true) {
    const id = `evt_${user}`, now = Math.floor(Date.now() / 1000)
    const item = { id: `si_${user}`, price: { id: price, product: 'prod_pro' }, current_period_start: now, current_period_end: 4_102_444_800 }
    const subscription = {
        id: `sub_${user}`, object: 'subscription', status: 'active', livemode, cancel_at_period_end: false, metadata: { userId: user },
        items: { data: [item] },
    }
    return JSON.stringify({ id, object: 'event', type: 'customer.subscription.created', created: now, livemode, data: { object: subscription } })
}

// The signature header of an event, made for each delivery.
export function signatureOf(text, secret) {
    const now = Math.floor(Date.now() / 1000)
    return `t=${now},v1=${createHmac('sha256', secret).update(`${now}.${text}`).digest('hex')}`
}

export class BillingTraffic extends Traffic {
    events = new Set()
    grants = new Set()
    selling = new Set() // purchases in progress

    async prepare() {
        await this.provision()
        await this.mintKey()
        this.secret = newSecret()
        await this.admin.send('PATCH', '/v1/settings', { token: this.key, body: { paymentsSigningSecrets: [this.secret] } })
        const product = { name: 'Pro', features: ['export'], grants: [] }
        await this.admin.send('POST', '/v1/products', { token: this.key, body: { ...product, providerProductId: price, kind: 'subscription' } })
        this.product = await this.admin.send('POST', '/v1/products',
            { token: this.key, body: { ...product, providerProductId: 'credits', kind: 'consumable' } })
        await this.known(this.secret)
    }

    work() {
        for (let i = 0; i < 2; i++) {
            let user
            this.loop(10,
                async client => { user = await this.sell(client) },
                client => client.send('GET', `/v1/users/${user}/entitlements`, { token: this.key }),
                client => client.send('GET', `/v1/users/${user}/features/export`, { token: this.key }),
                client => this.grant(client, user),
                client => client.send('GET', `/v1/entitlements?userId=${user}&limit=20`, { token: this.key }),
                client => client.send('GET', '/v1/products', { token: this.key }),
            )
        }
    }

    // Sends the event of a new subscription.
    async sell(client) {
        const sale = this.send(client)
        this.selling.add(sale)
        return sale.finally(() => this.selling.delete(sale))
    }

    async send(client) {
        const { id, user, text } = this.newEvent()
        const answer = await client.send('POST', '/webhooks/payments', { text, headers: this.signed(text) })
        if (answer.result !== 'applied') throw new Error(`event ${id}: ${JSON.stringify(answer)}`)
        this.events.add(id)
        return user
    }

    newEvent() {
        const user = `user-${this.run}-${++this.number}`
        return { id: `evt_${user}`, user, text: eventOf(user) }
    }

    signed(text, secret = this.secret) { return { 'stripe-signature': signatureOf(text, secret) } }

    async grant(client, user) {
        const reason = this.mark('grant')
        await client.send('POST', `/v1/users/${user}/grants`, { token: this.key, body: { productId: this.product.productId, reason } })
        this.grants.add(reason)
    }

    get writes() { return this.events.size + this.grants.size }

    async verify() {
        const sold = await this.column("SELECT 'evt_' || user_id FROM entitlements WHERE source = 'payments' AND status = 'active'")
        return [
            ...this.compare('event', this.events, await this.column("SELECT event_id FROM events WHERE result = 'applied' AND provider = 'payments'")),
            ...this.compare('entitlement of', this.events, sold),
            ...this.compare('grant', this.grants, await this.column("SELECT reason FROM entitlements WHERE source = 'manual'")),
        ]
    }

    // --- rotation ------------------------------------------------------------------------------------------------------------

    // First the service accepts both secrets. Then the provider signs with the new secret. Then the old
    // secret is removed.
    async rotateSigningSecret() {
        const old = this.secret, next = newSecret()
        const take = secrets => this.admin.send('PATCH', '/v1/settings', { token: this.key, body: { paymentsSigningSecrets: secrets } })
        await take([next, old])
        await this.known(next)
        this.secret = next
        await this.sell(this.admin)
        await Promise.all(this.selling) // events signed with the old secret have their responses
        await take([next])
    }

    // Waits until every replica accepts the secret, which was set through one replica.
    async known(secret) {
        for (const { address } of this.cluster.replicas) {
            const replica = new Client(this.service.port, this.host, this.figures, address)
            await eventually(`the replica at ${address} accepts events signed with the new secret`, async () => {
                const { id, text } = this.newEvent()
                const answer = await replica.exchange('POST', '/webhooks/payments', text, { host: this.host, ...this.signed(text, secret) })
                if (answer.status === 200) this.events.add(id)
                return answer.status === 200
            })
            replica.close()
        }
    }
}
