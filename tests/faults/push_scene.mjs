// Two replicas of notify with simulated FCM and APNs, and an app with many devices. It uses only the public API.
import { generateKeyPairSync } from 'node:crypto'
import { compose, drive } from '../bench/connections.mjs'
import { Apns, Fcm } from '../support/carriers.mjs'
import { eventually, sleep } from '../upgrade/processes.mjs'
import { serviceNamed } from '../upgrade/cluster.mjs'
import { NotifyTraffic } from '../upgrade/traffic/notify.mjs'
import { second } from './stand.mjs'

const service = serviceNamed('notify')

// Of a hundred devices, two are gone, and the carrier refuses the pushes to two others. Half of the devices are Android devices.
const kinds = ['gone', 'gone', 'refused', 'refused']
const mixedDevice = n =>
    ({ userId: `user-${n}`, token: `${kinds[n % 100] ?? 'ok'}-${n}`, platform: n % 2 ? 'ios' : 'android' })

// An Android device that can get pushes.
export const soundDevice = n => ({ userId: `user-${n}`, token: `ok-${n}`, platform: 'android' })

const pem = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' }, publicKeyEncoding: { type: 'spki', format: 'pem' } }

export class PushScene extends NotifyTraffic {
    // Starts the carriers, which take `delay` ms and `streams` pushes at a time on each connection, and the replicas with the settings `environment`.
    static async begin(stand, { streams, delay, environment = {} }) {
        const carriers = { fcm: await new Fcm({ streams }).open(), apns: await new Apns({ streams }).open() }
        for (const carrier of Object.values(carriers)) await carrier.recover(delay)
        const settings = await stand.openProviders()
        Object.assign(settings.notify, environment,
            { FCM_BASE_URL: carriers.fcm.url, FCM_TOKEN_URL: carriers.fcm.tokenUrl, APNS_BASE_URL: carriers.apns.url })
        await stand.start(settings)
        await stand.startSecondReplicas({})
        const scene = new PushScene({ port: stand.ports.notify, secrets: stand.secrets, postgres: stand.postgres }, service)
        Object.assign(scene, { stand, carriers, delay })
        await scene.prepare()
        return scene
    }

    async prepare() {
        await this.provision({ sendsPer5Minutes: 1_000_000, broadcastsPerMinute: 1000 })
        await this.mintKey()
        await this.ask('POST', '/v1/templates', { name: 'news', channel: 'push', subject: 'News', body: 'The new edition is out.' })
        await this.putCredential()
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, ...pem })
        await this.ask('PUT', '/v1/platforms/fcm', { serviceAccountKey: {
            type: 'service_account', project_id: 'demo-project', private_key: privateKey, client_email: 'push@demo.example.com' } })
    }

    ask(method, path, body) { return this.admin.send(method, path, { token: this.key, body }) }

    // Sends `count` requests over 32 connections: POST `path` with the body `bodyOf(n)`. Returns the answers.
    async #post(path, count, expected, bodyOf) {
        const answers = []
        let n = 0
        await drive(this.cluster.port, 32, {
            next: () => n < count ? compose('POST', this.host, path, this.key, bodyOf(n++)) : undefined,
            take: ({ status, body }) => {
                if (!expected.includes(status)) throw new Error(`POST ${path}: ${status} ${body}`)
                answers.push(JSON.parse(body))
            },
        })
        return answers
    }

    // Registers `count` devices of different users. `deviceOf(n)` returns {userId, token, platform}.
    async registerDevices(count, deviceOf = mixedDevice) {
        this.registered = Array.from({ length: count }, (_, n) => deviceOf(n))
        await this.#post('/v1/devices', count, [200, 201], n => this.registered[n])
    }

    // Sends a push to each registered device. Returns the ids of the notifications.
    async pushToAll() {
        const answers = await this.#post('/v1/notifications/send', this.registered.length, [202],
            n => ({ templateName: 'news', channel: 'push', to: this.registered[n].userId, variables: {} }))
        return answers.map(({ notificationId }) => notificationId)
    }

    async startBroadcast() {
        return (await this.ask('POST', '/v1/notifications/broadcast', { templateName: 'news', channel: 'push' })).broadcastId
    }

    // Waits until the broadcast is complete. Calls `look(broadcast)` with each state. Returns the last one.
    async completed(id, { seconds, look = () => {} }) {
        let broadcast
        await eventually(`the broadcast is complete (${this.progress()})`, async () => {
            broadcast = await this.ask('GET', `/v1/notifications/broadcasts/${id}`)
            look(broadcast)
            if (!broadcast.completedAt) await sleep(200)
            return broadcast.completedAt
        }, seconds).catch(error => { throw new Error(`${error.message}. ${this.progress()}. ${JSON.stringify(broadcast)}`) })
        return broadcast
    }

    // Waits until no notification is queued.
    async delivered(seconds) {
        await eventually('no notification is queued', async () => {
            const { notifications } = await this.ask('GET', '/v1/notifications?status=queued&limit=1')
            if (notifications.length > 0) await sleep(200)
            return notifications.length === 0
        }, seconds).catch(error => { throw new Error(`${error.message}. ${this.progress()}`) })
    }

    progress() {
        return Object.entries(this.carriers).map(([name, { counts }]) => `${name}: ${counts.accepted} accepted of ${counts.pushes} pushes`).join(', ')
    }

    // Kills the second replica. It is not started again. Returns the number of its pushes that were in flight.
    async killSecondReplica() {
        const name = second(service.name), replica = this.stand.running[name]
        const interrupted = () => Object.values(this.carriers).reduce((sum, { counts }) => sum + counts.interrupted, 0)
        const before = interrupted()
        this.stand.kill(name)
        await replica.ended
        delete this.stand.running[name]
        await eventually('the carriers have seen the kill', () => interrupted() > before, 1).catch(() => {})
        return interrupted() - before
    }

    get hasSecondReplica() { return second(service.name) in this.stand.running }

    // The registered devices of a carrier, without those that are gone or whose pushes are refused.
    sound(carrier) {
        const platform = carrier === this.carriers.fcm ? 'android' : 'ios'
        return this.registered.filter(device => device.platform === platform && device.token.startsWith('ok'))
    }
    count(kind) { return this.registered.filter(({ token }) => token.startsWith(kind)).length }

    // The tokens of sound devices without an accepted push.
    lost() {
        return Object.values(this.carriers).flatMap(carrier => {
            const got = carrier.devices()
            return this.sound(carrier).filter(({ token }) => !got.has(token)).map(({ token }) => token)
        })
    }

    repeated() { return Object.values(this.carriers).reduce((sum, carrier) => sum + carrier.tally().repeated, 0) }
}
