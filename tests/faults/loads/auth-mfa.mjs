// The load of auth-mfa: registrations, sessions that are renewed continuously, sign-ins with recovery codes and with text messages.
import { eventually } from '../../upgrade/processes.mjs'
import { AuthTraffic, codeAt, password, stepSeconds } from '../../upgrade/traffic/auth-mfa.mjs'
import { Figures, Ledger, insist, judgeArrivals } from '../ledger.mjs'
import { newPhone } from '../providers.mjs'

// A session and its refresh tokens.
class Chain {
    renewals = 0 // renewals that returned a new token
    unanswered = 0

    constructor(answer) { this.answer = answer }

    get id() { return JSON.parse(Buffer.from(this.answer.accessToken.split('.')[1], 'base64url')).sid }
}

export class AuthLoad extends AuthTraffic {
    figures = new Figures()
    ahead = 0 // seconds by which the clock of its replica is ahead
    crossing // if set, its actions on two replicas replace the load's own work

    // `twilio` is the simulated SMS provider.
    constructor(cluster, service, { twilio }) {
        super(cluster, service)
        this.twilio = twilio
    }

    reset() {
        this.figures.begin()
        this.book = {
            users: new Ledger('users'),
            signIns: new Ledger('sessions'),
            codes: new Ledger('recovery codes'),
            chains: [],
            usedTwice: [],
            enrolled: [], // users with recovery codes
            phones: [],
        }
    }

    work() {
        if (this.crossing) return this.crossing.start()
        for (let i = 0; i < 3; i++) {
            let chain
            this.loop(4 * this.pause,
                async client => { chain = await this.renew(client, chain) },
                client => chain && client.send('GET', '/v1/auth/me', { token: chain.answer.accessToken }))
        }
        this.loop(20 * this.pause, () => this.onNewAddress(client => this.useCodes(client)))
        this.loop(20 * this.pause, () => this.onNewAddress(client => this.signInWithTexts(client)))
    }

    // Registers a user. If the response was lost, the repeated request gets 409, and the user signs in.
    async registerSurely(client) {
        const email = `${this.mark('user').replaceAll(' ', '.')}@example.com`, body = { email, password }
        this.book.users.sent(email)
        const answer = await insist(this.figures, () => client.send('POST', '/v1/auth/register', { body }), ['409']) ??
            await insist(this.figures, () => client.send('POST', '/v1/auth/login', { body }))
        this.book.users.acknowledge(email)
        return { email, answer, token: answer.accessToken }
    }

    // Renews a session. If responses were lost for longer than the previous token stays valid, the session has ended, and the response is
    // 401.
    async renew(client, chain) {
        if (!chain) {
            chain = new Chain((await this.registerSurely(client)).answer)
            this.book.chains.push(chain)
            return chain
        }
        const renewed = await insist(this.figures, async () => {
            chain.unanswered++
            const answer = await client.send('POST', '/v1/auth/refresh', { body: { refreshToken: chain.answer.refreshToken } })
            chain.unanswered--
            return answer
        }, ['401'])
        if (!renewed) {
            chain.over = true
            return undefined
        }
        if (renewed.refreshToken !== chain.answer.refreshToken) chain.renewals++
        chain.answer = renewed
        return chain
    }

    beginSurely(client, email) { return insist(this.figures, () => this.challenge(client, email)) }
    async challenge(client, email) {
        return (await client.send('POST', '/v1/auth/login', { body: { email, password }, expected: [403] })).mfa_token
    }

    // Returns the response with the new session, or undefined if the code is refused, for example because it was used before. `verifier` is
    // the client that finishes the sign-in.
    useCode(client, email, code, verifier = client, method = 'recovery_code') {
        return insist(this.figures, () => this.trySignIn(client, email, code, verifier, method), ['400', '410'])
    }
    async trySignIn(client, email, code, verifier, method) {
        const mfa_token = await this.beginSurely(client, email)
        return verifier.send('POST', '/v1/auth/mfa/verify', { body: { mfa_token, method, code } })
    }

    // Enrols an app and signs in with every second recovery code. Each code must be refused at its second use.
    async useCodes(client) {
        const { email, token } = await this.registerSurely(client)
        const { secret } = await insist(this.figures, () => client.send('POST', '/v1/auth/mfa/totp/setup', { token }))
        const confirmed = await insist(this.figures, () => {
            const code = codeAt(secret, Math.floor((Date.now() / 1000 + this.ahead) / stepSeconds))
            return client.send('POST', '/v1/auth/mfa/totp/confirm', { token, body: { code } })
        }, ['409'])
        if (!confirmed) return // an earlier attempt enrolled the app, but the response with the codes was lost
        this.book.enrolled.push(email)
        for (const [i, recoveryCode] of confirmed.recoveryCodes.entries()) {
            if (this.stopping) return
            if (i % 2) continue
            const mark = `${email}/${i}`
            this.book.codes.sent(mark)
            const answer = await this.useCode(client, email, recoveryCode)
            if (answer) {
                this.book.codes.acknowledge(mark)
                this.signedIn(answer)
            }
            if (await this.useCode(client, email, recoveryCode)) this.book.usedTwice.push(mark)
        }
    }

    newPhone() { return newPhone() }

    // Gives the user a new phone number.
    async givePhone(email) {
        const phone = this.newPhone()
        this.book.phones.push(phone)
        await eventually('the database accepts a phone number', () => this.setPhone(email, phone).then(() => true, () => false))
        return phone
    }

    async signInWithTexts(client) {
        const { email } = await this.registerSurely(client), phone = await this.givePhone(email)
        // If the code does not arrive, the user starts a new sign-in.
        for (let n = 1; n <= 4 && !this.stopping; n++) await this.signInWithText(client, email, phone)
    }

    // Returns the response with the new session, or undefined if no code arrived or the code was refused. `verifier` is the client that
    // finishes the sign-in.
    async signInWithText(client, email, phone, verifier = client) {
        const before = this.twilio.taken.get(phone)?.length ?? 0
        const mfa_token = await this.beginSurely(client, email)
        const texts = await eventually('the code has arrived', () => {
            const all = this.twilio.taken.get(phone) ?? []
            return all.length > before && all
        }, 5).catch(() => undefined)
        if (!texts) return undefined
        const answer = await insist(this.figures, () => verifier.send('POST', '/v1/auth/mfa/verify',
            { body: { mfa_token, method: 'sms', code: /\b\d{6}\b/.exec(texts.at(-1))[0] } }), ['400', '410', '429'])
        if (answer) this.signedIn(answer)
        return answer
    }

    signedIn(answer) { this.book.signIns.acknowledge(new Chain(answer).id) }

    async verify() {
        const rows = await this.cluster.postgres.sql('auth_mfa', 'SELECT session_id, generation FROM sessions')
        const generations = new Map(rows)
        const renewals = new Ledger('renewals'), found = []
        for (const [i, chain] of this.book.chains.entries()) {
            const generation = Number(generations.get(chain.id) ?? 0)
            for (let n = 1; n <= chain.renewals; n++) renewals.acknowledge(`${i}/${n}`)
            for (let n = 1; n < generation && n <= chain.renewals; n++) found.push(`${i}/${n}`)
            // The session was renewed more often than the client requested.
            if (generation > 1 + chain.renewals + chain.unanswered) found.push(`${i}/1`)
            if (chain.over || chain.renewals === 0) continue
            await this.admin.send('POST', '/v1/auth/refresh', { body: { refreshToken: chain.answer.refreshToken } })
        }
        const used = await this.column(`SELECT u.email || '/' || count(*) FROM users u JOIN recovery_codes c USING (scope_id, user_id)
            WHERE c.used_at IS NOT NULL GROUP BY u.email`)
        return [
            this.book.users.judge(await this.column('SELECT email FROM users')),
            this.book.signIns.judge([...generations.keys()]),
            renewals.judge(found),
            this.judgeTexts(),
            this.judgeCodes(new Map(used.map(line => [line.split('/')[0], Number(line.split('/')[1])]))),
        ]
    }

    // Each message has its own code. Two messages with the same code are one message, sent twice.
    judgeTexts() {
        const texts = new Map(this.book.phones.flatMap(phone => (this.twilio.taken.get(phone) ?? []).map(text => [`${phone}: ${text}`, phone])))
        return judgeArrivals('text messages', [...texts.keys()],
            mark => this.twilio.taken.get(texts.get(mark)).filter(text => mark.endsWith(text)))
    }

    // `used` has the number of used codes of each user.
    judgeCodes(used) {
        const found = [...this.book.usedTwice]
        for (const email of this.book.enrolled) {
            const ofUser = this.book.codes.acknowledged.filter(mark => mark.startsWith(`${email}/`))
            found.push(...ofUser.slice(0, used.get(email) ?? 0))
        }
        return this.book.codes.judge(found)
    }

    // Sends one write in addition to the load.
    trigger(client = this.admin) { return this.registerSurely(client) }

    // Makes a caller for requests.mjs, with users who have no second factor.
    async caller(environment) {
        const host = this.hostIn(environment), client = this.client({ host }), emails = []
        while (emails.length < 100) emails.push((await this.registerSurely(client)).email)
        client.close()
        return { service: 'auth-mfa', environment, host, emails }
    }

    // --- an outage of the provider: Twilio -----------------------------------------------------------------------------------

    closeProviders() { return this.twilio.close() }
    openProviders() { return this.twilio.open() }
}
