// Emails, pushes and devices. Every notification must be sent, and every email once.
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { eventually } from '../processes.mjs'
import { Traffic } from './traffic.mjs'

const email = { templateName: 'welcome', channel: 'email', to: 'ada@example.org', variables: { name: 'Ada' } }
const push = { templateName: 'answer', channel: 'push', to: 'ada', variables: { text: 'It is planned.' } }

export class NotifyTraffic extends Traffic {
    notifications = new Map() // id to channel
    devices = new Set()

    // `outbox`: the folder for emails.
    constructor(cluster, service, outbox) {
        super(cluster, service)
        this.outbox = outbox
    }

    async prepare() {
        await this.provision({ sendsPer5Minutes: 1_000_000, smsPerDay: 1_000_000 })
        await this.mintKey()
        const templates = [
            { name: 'welcome', channel: 'email', subject: 'Welcome, {{name}}', body: '<p>Hello {{name}}</p>' },
            { name: 'answer', channel: 'push', subject: 'An answer', body: '{{text}}' },
        ]
        for (const body of templates) await this.admin.send('POST', '/v1/templates', { token: this.key, body })
        await this.putCredential()
        await this.register(this.admin, 'ada')
        // The domain's DKIM key is sealed too, although the domain is not verified.
        await this.admin.send('POST', '/v1/domains/verify',
            { token: this.key, body: { domain: 'shop.example', fromEmail: 'hello@shop.example', fromName: 'The Shop' } })
    }

    // The APNs credential, which is sealed in the database.
    putCredential() {
        const { privateKey } = generateKeyPairSync('ec',
            { namedCurve: 'P-256', privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' } })
        return this.admin.send('PUT', '/v1/platforms/apns', { token: this.key, body: {
            keyId: 'ABCDE12345', teamId: 'TEAM123456', bundleId: 'com.example.demo', environment: 'production', privateKey } })
    }

    work() {
        for (let i = 0; i < 2; i++) {
            let id
            this.loop(10,
                async client => { id = await this.send(client, email) },
                client => client.send('GET', `/v1/notifications/${id}`, { token: this.key }),
                client => this.send(client, push),
                client => this.register(client, this.mark('user')),
                client => client.send('GET', '/v1/notifications?limit=20', { token: this.key }),
                client => client.send('GET', '/v1/templates', { token: this.key }),
            )
        }
    }

    async send(client, body) {
        const { notificationId } = await client.send('POST', '/v1/notifications/send', { token: this.key, body })
        this.notifications.set(notificationId, body.channel)
        return notificationId
    }

    async register(client, userId) {
        const token = Buffer.from(`${this.run}-${++this.number}`).toString('hex')
        await client.send('POST', '/v1/devices', { token: this.key, body: { userId, token, platform: 'ios' } })
        this.devices.add(token)
    }

    get writes() { return this.notifications.size + this.devices.size }

    async verify() {
        await eventually('nothing is queued any more', async () =>
            (await this.column("SELECT 1 FROM notifications WHERE status = 'queued' LIMIT 1")).length === 0)
        const emails = [...this.notifications].filter(([, channel]) => channel === 'email').map(([id]) => id)
        const unsent = await this.column("SELECT notification_id || ' ' || failure_reason FROM notifications WHERE status = 'failed'")
        return [
            ...this.compare('notification', this.notifications.keys(), await this.column('SELECT notification_id FROM notifications')),
            ...this.compare('email', emails, readdirSync(this.outbox).map(file => file.replace('.eml', ''))),
            ...this.compare('device', this.devices, await this.column('SELECT token FROM devices')),
            ...unsent.map(which => `notify: notification ${which}`),
        ]
    }
}
