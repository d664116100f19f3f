// Registrations, sign-ins with TOTP and SMS codes, and sessions that are refreshed continuously.
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { eventually } from '../processes.mjs'
import { Traffic } from './traffic.mjs'

export const password = 'a violet teapot'
export const stepSeconds = 30
const textsOfUser = 8 // a user gets at most ten sign-in codes per hour

// The code of a step by RFC 6238. The seed is base32.
export function codeAt(seed, step) {
    let bits = ''
    for (const letter of seed.replace(/=+$/, '')) bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')
    const key = Buffer.from(bits.match(/.{8}/g).map(byte => parseInt(byte, 2)))
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(step))
    const mac = createHmac('sha1', key).update(counter).digest()
    return String((mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

class Session {
    constructor(traffic, client, answer) { Object.assign(this, { traffic, client, answer, refreshes: 0 }) }

    get token() { return this.answer.accessToken }
    get id() { return JSON.parse(Buffer.from(this.token.split('.')[1], 'base64url')).sid }
    get keyId() { return JSON.parse(Buffer.from(this.token.split('.')[0], 'base64url')).kid }

    async freshToken() {
        this.answer = await this.client.send('POST', '/v1/auth/refresh', { body: { refreshToken: this.answer.refreshToken } })
        this.refreshes++
        return this.token
    }
}

export class AuthTraffic extends Traffic {
    emails = new Set()
    sessions = []
    secondFactors = 0

    // `outbox`: the file for text messages.
    constructor(cluster, service, outbox) {
        super(cluster, service)
        this.outbox = outbox
    }

    prepare() { return this.provision({ smsPerDay: 1_000_000 }) }

    async work() {
        for (let i = 0; i < 2; i++) {
            const session = await this.openSession()
            this.loop(20,
                () => session.freshToken(),
                client => client.send('GET', '/v1/auth/me', { token: session.token }),
                client => client.send('GET', '/v1/auth/sessions', { token: session.token }),
                client => client.send('GET', '/.well-known/jwks.json'))
        }
        this.loop(100, () => this.onNewAddress(client => this.enrolAndSignIn(client)))
        for (let i = 0; i < 2; i++) this.loop(100, () => this.onNewAddress(client => this.signInWithTexts(client)))
    }

    // Runs `work` with a client that has a new address, because enrolment codes are limited per address.
    async onNewAddress(work) {
        const client = this.client()
        await work(client).finally(() => client.close())
    }

    async register(client) {
        const email = `${this.mark('user').replaceAll(' ', '.')}@example.com`
        const answer = await client.send('POST', '/v1/auth/register', { body: { email, password } })
        this.emails.add(email)
        return { email, token: answer.accessToken, answer }
    }

    async openSession() {
        const client = this.client()
        const { answer } = await this.register(client)
        const session = new Session(this, client, answer)
        this.sessions.push(session)
        return session
    }

    // The first factor; returns the mfa_token.
    async begin(client, email) {
        const answer = await client.send('POST', '/v1/auth/login', { body: { email, password }, expected: [403] })
        return answer.mfa_token
    }

    // The second factor.
    async end(client, body) {
        await client.send('POST', '/v1/auth/mfa/verify', { body })
        this.secondFactors++
    }

    // Sets or clears an enrolled phone in the database. Through the API, the first factor of a user is
    // expensive, because the service hashes ten recovery codes.
    setPhone(email, phone) {
        const value = phone ? `'${phone}'` : 'NULL'
        return this.cluster.postgres.sql('auth_mfa', `UPDATE users SET phone = ${value}, phone_verified = ${Boolean(phone)} WHERE email = '${email}'`)
    }
    newPhone() { return `+1415${2_000_000 + ++this.number}` }

    // Enrols TOTP and then a phone, and signs in with TOTP. Uses a new user each time, because each time step works once. The code of the
    // current step confirms the factor. The code of the next step, which is accepted already, signs in.
    async enrolAndSignIn(client) {
        const { email, token: weak } = await this.register(client)
        const first = this.newPhone()
        await this.setPhone(email, first)
        const token = await this.reauthenticate(client, weak, first)
        const { secret } = await client.send('POST', '/v1/auth/mfa/totp/setup', { token })
        const step = Math.floor(Date.now() / 1000 / stepSeconds)
        await client.send('POST', '/v1/auth/mfa/totp/confirm', { token, body: { code: codeAt(secret, step) } })
        await this.setPhone(email, null)
        const phone = this.newPhone()
        await client.send('POST', '/v1/auth/mfa/sms/setup', { token, body: { phone } })
        await client.send('POST', '/v1/auth/mfa/sms/confirm', { token, body: { code: await this.textedCode(phone, 1) } })
        const mfa_token = await this.begin(client, email)
        await this.end(client, { mfa_token, method: 'totp', code: codeAt(secret, step + 1) })
    }

    // Proves the phone for the session of `token`. Returns an access token with which another factor can be enrolled.
    async reauthenticate(client, token, phone) {
        await client.send('POST', '/v1/auth/reauthenticate/challenge', { token, body: {} })
        const code = await this.textedCode(phone, 1)
        const { accessToken } = await client.send('POST', '/v1/auth/reauthenticate', { token, body: { method: 'sms', code } })
        return accessToken
    }

    async signInWithTexts(client) {
        const { email } = await this.register(client), phone = this.newPhone()
        await this.setPhone(email, phone)
        for (let n = 1; n <= textsOfUser && !this.stopping; n++) {
            const mfa_token = await this.begin(client, email)
            await this.end(client, { mfa_token, method: 'sms', code: await this.textedCode(phone, n) })
        }
    }

    // The code in the nth message to `phone`.
    async textedCode(phone, n) {
        const messages = () => existsSync(this.outbox)
            ? readFileSync(this.outbox, 'utf8').split('\n').filter(line => line.includes(`"${phone}"`)) : []
        await eventually(`message ${n} to ${phone}`, () => messages().length >= n)
        return /\b\d{6}\b/.exec(JSON.parse(messages()[n - 1]).body)[0]
    }

    // Waits for sign-ins too. The requests of one sign-in go to both replicas.
    async serve(more) {
        const until = this.secondFactors + 4
        await super.serve(more)
        await eventually('users sign in with a second factor', () => this.secondFactors >= until)
    }

    // Waits until every session has a refresh token that was made after this call.
    renewed() {
        const before = new Map(this.sessions.map(session => [session, session.refreshes]))
        return eventually('every session was renewed', () => this.sessions.every(session => session.refreshes > before.get(session) + 1))
    }

    get writes() { return this.emails.size + this.sessions.reduce((sum, { refreshes }) => sum + refreshes, 0) }

    async verify() {
        const generations = new Map(await this.cluster.postgres.sql('auth_mfa', 'SELECT session_id, generation FROM sessions'))
        const wrong = this.sessions.filter(({ id, refreshes }) => Number(generations.get(id)) !== 1 + refreshes)
        return [
            ...this.compare('user', this.emails, await this.column('SELECT email FROM users')),
            ...wrong.map(({ id, refreshes }) =>
                `auth-mfa: session ${id} was renewed ${refreshes} times and is at generation ${generations.get(id)}`),
        ]
    }
}
